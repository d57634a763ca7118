//! A stored memory as whoever reads a mail is shown it: [`KnownMemory`].
//!
//! It never chooses which are shown.

use crate::decision::{Shown, cut};
use crate::model::{Category, Claim, Id, Memory, Time, Zone};
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
    /// When it was said.
    pub(super) told_at: Time,
    /// What was said before, where the mail may go back to that or is older than what holds now.
    pub(super) former: Option<String>,
}

impl KnownMemory {
    /// How a stored memory is shown to whoever reads a mail of this thread, in the owner's zone.
    pub fn new(memory: &Memory, thread: Option<&str>, zone: Zone) -> Self {
        let same_thread = memory.thread_id.is_some() && memory.thread_id.as_deref() == thread;
        let mut shown = Shown::new(&Claim::from(memory), same_thread);
        shown.content = cut(&memory.content, MAX_MEMORY).to_owned();
        // Where nobody named a day, it is that on which it was said.
        let of = memory.happens_at();
        let is_task = memory.category == Category::Task;
        let named = if is_task { memory.valid_until.or(of) } else { of.or(memory.valid_until) };
        let day = named.map(|t| t.day(zone));
        Self {
            id: memory.id,
            shown,
            day,
            said: memory.stated_at.map(|t| t.day(zone)),
            told_at: memory.own_time(),
            former: None,
        }
    }

    /// The same with what was said before.
    #[must_use]
    pub fn formerly(self, said: &[&str]) -> Self {
        let said: Vec<&str> = said.iter().map(|text| cut(text, MAX_FORMER)).collect();
        Self { former: (!said.is_empty()).then(|| said.join("\n")), ..self }
    }

    /// Its text as it is shown.
    pub fn content(&self) -> &str {
        &self.shown.content
    }
}
