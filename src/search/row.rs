//! What is kept of a memory for finding it.

use crate::model::{Category, DayOrTime, Id, Time, TimeSpan};

/// The best of a scan: a memory and how well it matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexMatch {
    /// The memory.
    pub id: Id,
    /// Its cosine or lexical score.
    pub score: f32,
}

/// What is kept of a memory for finding it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The memory.
    pub id: Id,
    /// When it happened.
    pub occurred_at: DayOrTime,
    pub(super) until: Option<DayOrTime>,
    /// Tells whether its terms have changed.
    pub(super) print: u32,
    /// When it was last met, in minutes, rounded up.
    pub(super) met: u32,
    pub(super) length: u16,
    /// In steps of [`UNIT`], rounded up.
    pub(super) stability: u16,
    pub(super) importance: u16,
    /// Its category.
    pub category: Category,
    pub(super) flags: u8,
}

/// The length of a row that no memory has any more.
pub(super) const GONE: u16 = u16::MAX;

pub(super) const LIVE: u8 = 1;
pub(super) const SUPERSEDED: u8 = 2;
pub(super) const DELETED: u8 = 4;
pub(super) const ARCHIVED: u8 = 8;
pub(super) const STUB: u8 = 16;
pub(super) const CORE: u8 = 32;
pub(super) const KOREAN: u8 = 64;
/// What 1 is in a row.
pub(super) const UNIT: f32 = 65_535.0;
pub(super) const MINUTE: i64 = 60_000;

impl Row {
    /// Whether it happened, or falls due, in a stretch of time.
    pub fn lies_in(&self, span: &TimeSpan) -> bool {
        span.holds(self.occurred_at) || self.until.is_some_and(|until| span.holds(until))
    }

    /// Whether it ends, or is a task of a day, in a stretch of time.
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

    /// Its place in [`Index::lengths`].
    pub(super) fn kept_length(&self) -> u16 {
        if self.is_live() { self.length.min(GONE - 1) } else { GONE }
    }

    /// Whether it is what is known now.
    pub fn is_current(&self) -> bool {
        self.flags & (SUPERSEDED | DELETED) == 0
    }

    /// Whether a later version has replaced it.
    pub fn is_superseded(&self) -> bool {
        self.flags & SUPERSEDED != 0
    }

    /// Whether it was deleted.
    pub fn is_deleted(&self) -> bool {
        self.flags & DELETED != 0
    }

    /// Whether it was merged into a summary.
    pub fn is_archived(&self) -> bool {
        self.flags & ARCHIVED != 0
    }

    /// Whether only a stub of it is kept.
    pub fn is_stub(&self) -> bool {
        self.flags & STUB != 0
    }

    /// Whether it defines the owner.
    pub fn is_core(&self) -> bool {
        self.flags & CORE != 0
    }

    /// Whether its text is mostly Korean.
    pub fn is_korean(&self) -> bool {
        self.flags & KOREAN != 0
    }

    /// When it was stored, or last found: up to a minute later than that.
    pub fn met(&self) -> Time {
        Time::from_millis(i64::from(self.met) * MINUTE)
    }

    /// Its stability, or a little more.
    pub fn stability(&self) -> f32 {
        f32::from(self.stability) / UNIT
    }

    /// Its importance, or a little more.
    pub fn importance(&self) -> f32 {
        f32::from(self.importance) / UNIT
    }
}
