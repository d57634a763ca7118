//! The counters of a day, as they are kept.

use crate::json;
use serde::{Deserialize, Serialize};

/// The counters of a day stand under this and its name.
pub(super) const DAYS: &str = "day/";

/// The counters of one day.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase")]
pub struct Day {
    /// The day, in the owner's zone: `2026-11-22`.
    pub day: String,
    /// Searches that were recorded.
    pub searches: u32,
    /// Of these, those whose best hit speaks of what was asked.
    pub hits: u32,
    /// Hits that the owner found useful.
    pub up: u32,
    /// Hits that the owner found useless.
    pub down: u32,
    /// Summaries written.
    pub merges: u32,
    /// Memories archived.
    pub folded: u32,
    /// Calls of a model for summaries and tags.
    pub calls: u32,
    /// Tokens that they used.
    pub tokens: u32,
    /// Memories and summaries that were searched when the last run ended.
    pub active: u32,
    /// Memories archived when the last run ended.
    pub archived: u32,
}

/// The share of searches that found what was asked. What the owner found useless was no hit.
pub(super) fn rate(day: &Day) -> Option<f32> {
    (day.searches > 0).then(|| day.hits.saturating_sub(day.down) as f32 / day.searches as f32)
}

pub(super) fn sum(days: &[Day]) -> Day {
    days.iter().fold(Day::default(), |a, b| Day {
        day: String::new(),
        searches: a.searches + b.searches,
        hits: a.hits + b.hits,
        up: a.up + b.up,
        down: a.down + b.down,
        merges: a.merges + b.merges,
        folded: a.folded + b.folded,
        calls: a.calls + b.calls,
        tokens: a.tokens + b.tokens,
        active: b.active,
        archived: b.archived,
    })
}

/// A side record that may be of another version is as good as none.
pub(super) fn read_kept<T: serde::de::DeserializeOwned>(stored: &[u8]) -> Option<T> {
    json::read(std::str::from_utf8(stored).ok()?, "record").ok()
}
