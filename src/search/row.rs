//! [`Row`]: the indexed fields of a memory.

use crate::model::{Category, DayOrTime, Id, Time, TimeSpan};

/// A search result: a memory and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexMatch {
    /// The memory's id.
    pub id: Id,
    /// The cosine or lexical score.
    pub score: f32,
}

/// The indexed fields of a memory.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The memory's id.
    pub id: Id,
    /// When the event happened or will happen.
    pub occurred_at: DayOrTime,
    pub(super) until: Option<DayOrTime>,
    /// A hash of the terms, to detect changes.
    pub(super) print: u32,
    /// When it was stored or last found, in minutes, rounded up.
    pub(super) met: u32,
    pub(super) length: u16,
    /// Stability in steps of `1 / UNIT`, rounded up.
    pub(super) stability: u16,
    pub(super) importance: u16,
    pub category: Category,
    pub(super) flags: u8,
}

pub(super) const UNUSED_ROW: u16 = u16::MAX;

pub(super) const LIVE: u8 = 1;
pub(super) const SUPERSEDED: u8 = 2;
pub(super) const DELETED: u8 = 4;
pub(super) const ARCHIVED: u8 = 8;
pub(super) const STUB: u8 = 16;
pub(super) const CORE: u8 = 32;
pub(super) const KOREAN: u8 = 64;
/// The stored value of 1.0.
pub(super) const UNIT: f32 = 65_535.0;
pub(super) const MINUTE: i64 = 60_000;

impl Row {
    pub fn lies_in(&self, span: &TimeSpan) -> bool {
        span.holds(self.occurred_at) || self.until.is_some_and(|until| span.holds(until))
    }

    /// Whether its deadline, or the day of a task, is in a time span.
    pub fn falls_due_in(&self, span: &TimeSpan) -> bool {
        let own_day = Some(self.occurred_at).filter(|_| self.category == Category::Task);
        self.until.or(own_day).is_some_and(|end| span.holds(end))
    }

    pub(super) fn is_live(&self) -> bool {
        self.flags & LIVE != 0
    }

    pub(super) fn length(&self) -> u64 {
        u64::from(self.length)
    }

    /// The row's value in [`Index::lengths`].
    pub(super) fn indexed_length(&self) -> u16 {
        if self.is_live() { self.length.min(UNUSED_ROW - 1) } else { UNUSED_ROW }
    }

    /// Whether it is the current version and not deleted.
    pub fn is_current(&self) -> bool {
        self.flags & (SUPERSEDED | DELETED) == 0
    }

    /// Whether a later version replaced it.
    pub fn is_superseded(&self) -> bool {
        self.flags & SUPERSEDED != 0
    }

    pub fn is_deleted(&self) -> bool {
        self.flags & DELETED != 0
    }

    /// Whether it was merged into a summary.
    pub fn is_archived(&self) -> bool {
        self.flags & ARCHIVED != 0
    }

    pub fn is_stub(&self) -> bool {
        self.flags & STUB != 0
    }

    /// Whether its retention is `core`.
    pub fn is_core(&self) -> bool {
        self.flags & CORE != 0
    }

    /// Whether its text is mostly Korean.
    pub fn is_korean(&self) -> bool {
        self.flags & KOREAN != 0
    }

    /// When it was stored or last found, rounded up to the minute.
    pub fn met(&self) -> Time {
        Time::from_millis(i64::from(self.met) * MINUTE)
    }

    pub fn stability(&self) -> f32 {
        f32::from(self.stability) / UNIT
    }

    pub fn importance(&self) -> f32 {
        f32::from(self.importance) / UNIT
    }
}
