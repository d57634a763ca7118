//! Daily counters and how they are stored.

use crate::json;
use serde::{Deserialize, Serialize};

/// Key prefix of the daily records.
pub(super) const DAYS: &str = "day/";

/// The counters of one day.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase")]
pub struct Day {
    /// The day in the owner's time zone: `2026-11-22`.
    pub day: String,
    /// Recorded searches.
    pub searches: u32,
    /// Recorded searches whose best hit mentions the topic.
    pub hits: u32,
    /// Hits the owner rated useful.
    pub up: u32,
    /// Hits the owner rated useless.
    pub down: u32,
    /// Summaries written.
    pub merges: u32,
    /// Memories archived.
    pub folded: u32,
    /// Model calls for summaries and tags.
    pub calls: u32,
    /// Tokens of these calls.
    pub tokens: u32,
    /// Searchable memories and summaries when the last run ended.
    pub active: u32,
    /// Archived memories when the last run ended.
    pub archived: u32,
}

/// The share of searches with a hit. A hit rated useless does not count.
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

/// Reads a side record. One written by another version counts as absent.
pub(super) fn read_kept<T: serde::de::DeserializeOwned>(stored: &[u8]) -> Option<T> {
    json::read(std::str::from_utf8(stored).ok()?, "record").ok()
}
