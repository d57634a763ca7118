//! Tracks the memories that rules made from mails, and the idempotency keys of a mail's drafts.

use crate::consolidation::{Action, LogEntry};
use crate::decision::{Analyst, Decision, Reason, Refusal};
use crate::mail::{Mail, idempotency_key};
use crate::model::Id;
use crate::store::Seq;
use std::collections::{HashMap, HashSet};

const AGAIN: &str = ":again";

#[derive(Debug, Default)]
pub(super) struct RuleMemories {
    pub seen: Seq,
    /// The memories that rules made, changed or repeated, by the message ID of the mail.
    pub of_mails: HashMap<String, Vec<Id>>,
    mails: HashMap<Id, Vec<String>>,
    /// The message IDs of the mails that the model has read in this import.
    pub read: HashSet<String>,
    /// Memories that the owner or a model wrote or repeated.
    pub taken: HashSet<Id>,
    pub owned: HashSet<Id>,
    /// Rule-made memories awaiting review, by the log entry that asks the owner.
    questions: HashMap<Id, Id>,
}

impl RuleMemories {
    pub fn add(&mut self, entry: &LogEntry) {
        self.seen = self.seen.max(entry.seq);
        // Maintenance and moves to long-term memory change no statement. Imported and synchronised
        // memories bring their own entries.
        let is_copy = matches!(entry.action, Action::Import | Action::Sync) && entry.before.is_empty();
        if is_copy || matches!(entry.action, Action::Tend | Action::Adopt) {
            return;
        }
        let ids = entry.touched.iter().copied().chain(restated(entry));
        if let Some(source) = entry.source_id.as_ref().filter(|_| is_by_rules(entry)) {
            self.questions.extend(entry.memory_id.filter(|_| entry.needs_review).map(|id| (entry.id, id)));
            for id in ids {
                self.mails.entry(id).or_default().push(source.clone());
                self.of_mails.entry(source.clone()).or_default().push(id);
            }
            return;
        }
        let answered = entry.about.and_then(|about| self.questions.get(&about)).copied();
        let ids: Vec<Id> = ids.chain(answered).collect();
        if entry.analyst == Analyst::User {
            self.owned.extend(&ids);
        }
        self.taken.extend(ids);
    }

    /// Whether only rules have used a memory, and the model has since read all its mails.
    pub fn is_free(&self, id: Id) -> bool {
        !self.taken.contains(&id)
            && self.mails.get(&id).is_some_and(|mails| mails.iter().all(|mail| self.read.contains(mail)))
    }
}

pub(super) fn restated(entry: &LogEntry) -> Option<Id> {
    entry.target_id.filter(|_| matches!(entry.decision, Decision::Skip | Decision::Update))
}

pub(super) fn draft_key(account: &str, mail: &Mail, index: usize, again: bool) -> String {
    [idempotency_key(account, mail, index).as_str(), if again { AGAIN } else { "" }].concat()
}

fn is_by_rules(entry: &LogEntry) -> bool {
    let of_mail = entry.key.as_ref().is_some_and(|key| key.starts_with("mail:") && !key.ends_with(AGAIN));
    of_mail && entry.action == Action::Consolidate && !is_by_model(entry)
}

/// Whether a model read the mail of the entry, even if it found nothing.
pub(super) fn is_by_model(entry: &LogEntry) -> bool {
    let nothing = |error: &str| error == Refusal::NothingFound.as_str();
    entry.analyst == Analyst::Model
        || entry.reasons.iter().any(|r| match r {
            Reason::ModelRefused { error } => nothing(error),
            r => *r == Reason::ModelRead,
        })
}
