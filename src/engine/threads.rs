//! Remembers the latest messages of each thread, in this process only: mail is not stored.

use crate::language::values;
use crate::llm::Earlier;
use crate::mail::{Account, Mail, Person, passages};
use crate::model::is_relay;

/// Most threads remembered, and messages of each.
const MOST_THREADS: usize = 512;
const MOST_MESSAGES: usize = 6;
/// Messages of a thread shown to the model, and characters kept of each.
const SHOWN: usize = 2;
const KEPT: usize = 600;

#[derive(Debug, Clone, Default)]
pub(super) struct Threads {
    threads: Vec<(String, Vec<Earlier>)>,
}

impl Threads {
    /// Returns the messages before this one, oldest first.
    pub fn before(&self, mail: &Mail) -> Vec<Earlier> {
        let Some((_, messages)) = self.threads.iter().find(|(id, _)| *id == mail.thread_id) else { return Vec::new() };
        let earlier = |e: &&Earlier| e.source != mail.message_id && e.date <= mail.date;
        let mut found: Vec<Earlier> = messages.iter().filter(earlier).cloned().collect();
        found.sort_by_key(|found| found.date);
        found.split_off(found.len().saturating_sub(SHOWN))
    }

    /// Whether the previous message is by someone else and has a value that a yes or no may settle.
    pub fn proposes(&self, mail: &Mail) -> bool {
        let from = mail.from.as_ref().map(format_person).unwrap_or_default();
        self.before(mail).last().is_some_and(|e| e.from != from && !values(&e.text, None).is_empty())
    }

    /// Remembers a message. `speaker` is the sender's address, or `None` if the sender is doubtful.
    pub fn keep(&mut self, mail: &Mail, speaker: Option<String>) {
        let text: String = passages(mail).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n");
        let from = mail.from.as_ref().map(format_person).unwrap_or_default();
        let (source, text) = (mail.message_id.clone(), text.chars().take(KEPT).collect());
        let message = Earlier { source, from, speaker, date: mail.date, text };
        let at = self.threads.iter().position(|(id, _)| *id == mail.thread_id);
        let mut thread = at.map_or_else(|| (mail.thread_id.clone(), Vec::new()), |at| self.threads.remove(at));
        if thread.1.iter().all(|e| e.source != message.source) {
            thread.1.push(message);
        }
        let excess = thread.1.len().saturating_sub(MOST_MESSAGES);
        thread.1.drain(..excess);
        self.threads.push(thread);
        let excess = self.threads.len().saturating_sub(MOST_THREADS);
        self.threads.drain(..excess);
    }

    pub fn forget(&mut self, sources: &[&str]) {
        self.threads.iter_mut().for_each(|(_, messages)| messages.retain(|e| !sources.contains(&&*e.source)));
    }
}

/// Formats a person as `Name <address>`.
pub(super) fn format_person(person: &Person) -> String {
    match &person.name {
        Some(name) if person.address.is_empty() => name.clone(),
        Some(name) => format!("{name} <{}>", person.address),
        None => person.address.clone(),
    }
}

/// Returns a mail's only sender address, unless it is doubtful. Mailing lists ("Ann via heron") and
/// relays hide the sender, and the owner's own address needs proof.
pub(super) fn sender_address(mail: &Mail, account: &Account) -> Option<String> {
    let carries = |p: &&Person| {
        let is_own = account.is_owner(&p.address) && !account.wrote(mail);
        is_own || is_relay(&p.address) || p.name.as_deref().is_some_and(|n| n.contains(" via "))
    };
    let alone = mail.from.as_ref().filter(|_| mail.sender.alone).filter(|p| !carries(p));
    alone.map(|p| p.address.clone()).filter(|a| a.contains('@'))
}
