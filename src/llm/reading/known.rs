//! A stored memory as whoever reads a mail is shown it: [`KnownMemory`].
//!
//! It never chooses which are shown.

use crate::decision::{Shown, cut};
use crate::model::{Category, Claim, Id, Memory, Zone};
use chrono::NaiveDate;

/// Characters of a memory that are sent, and of what each of its versions before said.
pub(super) const MAX_MEMORY: usize = 1_000;
const MAX_FORMER: usize = 240;

/// A stored memory as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownMemory {
    /// The memory.
    pub id: Id,
    pub(super) shown: Shown,
    pub(super) day: Option<NaiveDate>,
    pub(super) said: Option<NaiveDate>,
    /// The memory by which it may be outdated.
    pub(super) newer: Option<Id>,
    /// What its versions before said, where the mail may go back to that.
    pub(super) former: Option<String>,
    /// What it would say if its owner agreed to what a later mail has said.
    pub(super) proposed: Option<String>,
}

impl KnownMemory {
    /// How a stored memory is shown to whoever reads a mail of this thread, in the owner's zone.
    pub fn new(memory: &Memory, thread: Option<&str>, zone: Zone) -> Self {
        let same_thread = memory.thread_id.is_some() && memory.thread_id.as_deref() == thread;
        let mut shown = Shown::new(&Claim::from(memory), same_thread);
        shown.content = cut(&memory.content, MAX_MEMORY).to_owned();
        // Where nobody named a day, it is that on which it was said.
        let of = Some(memory.occurred_at).filter(|t| Some(*t) != memory.stated_at);
        let is_task = memory.category == Category::Task;
        let named = if is_task { memory.valid_until.or(of) } else { of.or(memory.valid_until) };
        let day = named.filter(|t| *t != memory.created_at).map(|t| t.day(zone));
        Self {
            id: memory.id,
            shown,
            day,
            said: memory.stated_at.map(|t| t.day(zone)),
            newer: None,
            former: None,
            proposed: None,
        }
    }

    /// The same, which another one may have outdated.
    #[must_use]
    pub fn outdated_by(self, newer: Option<Id>) -> Self {
        Self { newer, ..self }
    }

    /// The same with what its versions before said.
    #[must_use]
    pub fn formerly(self, said: &[&str]) -> Self {
        let said: Vec<&str> = said.iter().map(|text| cut(text, MAX_FORMER)).collect();
        Self { former: (!said.is_empty()).then(|| said.join("\n")), ..self }
    }

    /// The same with what a later mail has said, to which its owner has not agreed yet.
    #[must_use]
    pub fn proposed(self, text: Option<&str>) -> Self {
        Self { proposed: text.map(|text| cut(text, MAX_MEMORY).to_owned()), ..self }
    }

    /// Its text as it is shown.
    pub fn content(&self) -> &str {
        &self.shown.content
    }
}
