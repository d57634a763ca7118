//! Short messages of one thread that follow each other, read by one call: [`BurstQuestion`].
//!
//! It shares out a reply and checks nothing of it: the entries about a message are read by that message's own question, as if
//! it had been asked about alone.

use super::entry::{MailReply, Op, RawEntry};
use super::fields::raw_entries;
use super::known::KnownMemory;
use super::question::MailQuestion;
use super::{evidence, wording};
use crate::decision::{Prompt, ReplyFault, Task};
use crate::model::Id;

/// Several messages, oldest first. What is shown of the memory and of the thread is that of the first.
#[derive(Debug, Clone, PartialEq)]
pub struct BurstQuestion {
    /// A question for each.
    pub mails: Vec<MailQuestion>,
}

/// What a reply says, each entry with the place of its message.
#[derive(Debug, Clone)]
pub struct BurstReply {
    entries: Vec<(usize, Result<RawEntry, ReplyFault>)>,
}

impl BurstQuestion {
    /// What may be meant.
    pub fn known(&self) -> &[KnownMemory] {
        self.mails.first().map_or(&[], |m| &m.known)
    }

    /// What of it somebody has said: what masking has to look at.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        self.mails.iter_mut().flat_map(MailQuestion::texts_mut).collect()
    }

    /// The question for one call.
    pub fn prompt(&self, fence: &str) -> Prompt {
        if let [one] = &self.mails[..] {
            return one.prompt(fence);
        }
        let language = self.mails.first().map_or(crate::decision::Language::En, MailQuestion::language);
        let mut prompt = Prompt::new(Task::Mail, wording::VERSION, language, wording::SYSTEM, wording::SCHEMA_BURST);
        prompt.sources = self.mails.iter().filter_map(|m| m.source.clone()).collect();
        prompt.source = prompt.sources.first().cloned();
        let earlier = self.mails.iter().flat_map(|m| &m.before).map(|e| e.source.clone());
        prompt.holds = prompt.sources.iter().cloned().chain(earlier).collect();
        let many = wording::BURST.replace('#', &self.mails.len().to_string());
        let late = self.mails.first().map(MailQuestion::late).unwrap_or_default();
        prompt.text = wording::DATA.replace('%', fence) + &many + &late;
        for (n, mail) in self.mails.iter().enumerate() {
            if n == 0 {
                mail.write_known(fence, &mut prompt.text);
                prompt.candidates = mail.candidates();
            }
            mail.write_mail(&format!("MAIL {}", n + 1), fence, &mut prompt.text);
        }
        prompt.text.extend(["\n=== ", fence, " END"]);
        prompt
    }

    /// Whether a reply can be read.
    ///
    /// # Errors
    /// Why nothing of it can be used.
    pub fn accepts(&self, reply: &str, is_known: &dyn Fn(&str) -> bool) -> Result<(), ReplyFault> {
        match &self.mails[..] {
            // What was answered first stands where the second reply is of no use.
            [one] if one.first.is_some() => Ok(()),
            [one] => one.read(reply, is_known).map(drop),
            _ => self.read(reply).map(drop),
        }
    }

    /// Shares out a reply: an entry is of the message that its evidence stands in, of several the one that it names.
    ///
    /// # Errors
    /// Why nothing of it can be used.
    pub fn read(&self, reply: &str) -> Result<BurstReply, ReplyFault> {
        let mut last = 0;
        let mut place = |raw: Result<RawEntry, ReplyFault>| {
            if let Ok(raw) = &raw {
                let words = raw.evidence.as_deref().unwrap_or_default();
                let named = raw.mail.and_then(|n| n.checked_sub(1)).filter(|n| *n < self.mails.len());
                let stands = |n: &usize| evidence::evidence(&self.mails[*n], words).is_some();
                last = named.filter(stands).or_else(|| (0..self.mails.len()).find(stands)).or(named).unwrap_or(last);
            }
            (last, raw)
        };
        let raw = match self.mails.first().and_then(|m| m.first.as_ref()) {
            Some(first) => first.mended(raw_entries(reply).unwrap_or_default()),
            None => raw_entries(reply)?,
        };
        Ok(BurstReply { entries: raw.into_iter().map(&mut place).collect() })
    }
}

impl BurstReply {
    /// What the reply to a question about one message says, checked by it.
    pub fn of_one(&self, asked: &BurstQuestion, is_known: &dyn Fn(&str) -> bool) -> MailReply {
        let entries = self.entries.iter().map(|(_, entry)| entry.clone()).collect();
        asked.mails.first().map(|alone| alone.read_entries(entries, is_known)).unwrap_or_default()
    }

    /// The places in the reply of the entries about the `n`th message.
    pub fn places(&self, n: usize) -> impl Iterator<Item = usize> + '_ {
        self.entries.iter().enumerate().filter(move |(_, (of, _))| *of == n).map(|(place, _)| place)
    }

    /// What the reply says of the `n`th message, checked by the question about that alone. `now` is the memory that stands today for
    /// one that was shown, for an entry that writes it or not; `made` the memory that an entry about an earlier message has made,
    /// by its place.
    pub fn of(
        &self,
        n: usize,
        asked: &BurstQuestion,
        alone: &MailQuestion,
        now: &dyn Fn(Id, bool) -> Id,
        made: &dyn Fn(usize) -> Option<Id>,
        is_known: &dyn Fn(&str) -> bool,
    ) -> MailReply {
        let own: Vec<usize> = self.places(n).collect();
        let handle = |named: &str, writes: bool| {
            let entry = || named.trim().strip_prefix(['E', 'e'])?.parse::<usize>().ok()?.checked_sub(1);
            let id = match (asked.mails[0].named(named), entry()) {
                (Some(shown), _) => Some(now(shown.id, writes)),
                (None, Some(place)) => match own.iter().position(|own| *own == place) {
                    Some(at) => return format!("E{}", at + 1),
                    None => made(place),
                },
                _ => None,
            };
            let at = id.and_then(|id| alone.known.iter().position(|k| k.id == id));
            at.map_or_else(String::new, |at| format!("M{}", at + 1))
        };
        let turned = |(at, place): (usize, &usize)| {
            let mut raw = self.entries[*place].1.clone().map_err(|fault| fault.in_entry(at))?;
            let writes = matches!(raw.op, Op::Update | Op::Done);
            if let Some(of) = &mut raw.of {
                *of = handle(of, writes);
            }
            for to in raw.with.iter_mut().chain(raw.links.iter_mut().flatten().map(|link| &mut link.to)) {
                *to = handle(to, false);
            }
            Ok(RawEntry { mail: None, ..raw })
        };
        alone.read_entries(own.iter().enumerate().map(turned).collect(), is_known)
    }
}
