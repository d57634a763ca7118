//! A stored memory in the form shown to the model that reads a mail: [`KnownMemory`].

use crate::decision::{Shown, cut};
use crate::model::{Category, Claim, Id, Memory, Time, Zone};
use chrono::NaiveDate;

/// Characters of a memory that are sent, and of each of its former texts.
pub(super) const MAX_MEMORY: usize = 1_000;
const MAX_FORMER: usize = 240;

/// A stored memory as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownMemory {
    /// Its id.
    pub id: Id,
    pub(super) shown: Shown,
    pub(super) day: Option<NaiveDate>,
    pub(super) said: Option<NaiveDate>,
    /// When it was said.
    pub(super) stated_at: Time,
    /// Former texts, if the mail may return to them or is older than the memory.
    pub(super) former: Option<String>,
}

impl KnownMemory {
    /// A stored memory for a mail of this thread, with days in the owner's zone.
    pub fn new(memory: &Memory, thread: Option<&str>, zone: Zone) -> Self {
        let same_thread = memory.thread_id.is_some() && memory.thread_id.as_deref() == thread;
        let mut shown = Shown::new(&Claim::from(memory), same_thread);
        shown.content = cut(&memory.content, MAX_MEMORY).to_owned();
        // `happens_at` is empty unless a day was named.
        let of = memory.happens_at();
        let is_task = memory.category == Category::Task;
        let named = if is_task { memory.valid_until.or(of) } else { of.or(memory.valid_until) };
        let day = named.map(|t| t.day(zone));
        Self {
            id: memory.id,
            shown,
            day,
            said: memory.stated_at.map(|t| t.day(zone)),
            stated_at: memory.own_time(),
            former: None,
        }
    }

    /// Adds the former texts.
    #[must_use]
    pub fn formerly(self, said: &[&str]) -> Self {
        let said: Vec<&str> = said.iter().map(|text| cut(text, MAX_FORMER)).collect();
        Self { former: (!said.is_empty()).then(|| said.join("\n")), ..self }
    }

    /// The text that is shown.
    pub fn content(&self) -> &str {
        &self.shown.content
    }
}
