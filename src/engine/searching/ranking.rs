//! What a memory is worth to a question: meaning and words together, the time they speak of, and how strongly it is
//! remembered.
//!
//! It reads no store: of a memory that nobody has read it tells the least and the most that it may be worth.

use super::Hit;
use super::query::Query;
use crate::graph;
use crate::model::{Id, Memory, Time};
use crate::order;
use crate::similarity::{Match, Row, rank};

/// What likeness of spelling and words count for in a search, and what nearness in the space of an embedder of its own
/// adds to them.
pub(super) const MEANING: f32 = 0.2;
pub(super) const WORDS: f32 = 0.8;
const EMBEDDED: f32 = 0.5;
/// What nothing in common is on the scale of the bands.
pub(super) const UNRELATED: f32 = 0.30;
/// What a memory of the span is worth to a question that asks for all of them.
const LISTED: f32 = 0.4;
/// How much more a memory of the span is worth to a question about some matter.
const IN_SPAN: f32 = 1.25;
/// What an older version is worth.
pub(super) const OLDER: f32 = 0.5;
/// Hits below this likeness are not worth showing.
pub(super) const FLOOR: f32 = 0.05;

/// A memory that may be among the best, and what its likeness is at least and at most.
pub(super) struct Likely {
    pub id: Id,
    pub row: Row,
    /// What it has for its words.
    pub words: f32,
    /// As far as its row tells: an older version is worth less.
    pub strength: f32,
    pub lower: f32,
    pub upper: f32,
}

impl Likely {
    /// The most that the order may be by.
    pub fn most(&self) -> f32 {
        self.upper * self.strength
    }
}

impl Query {
    /// The likeness of a memory, from what meaning and words are worth together.
    pub(super) fn fused(&self, row: &Row, raw: f32) -> f32 {
        match self.span {
            // Whatever lies in the span answers; the words only bring some forward.
            _ if self.lists => {
                let of_kind = self.category == Some(row.category);
                LISTED + (1.0 - LISTED) * 0.5 * raw + if of_kind { LISTED * 0.5 } else { 0.0 }
            }
            Some(span) if row.lies_in(span) => (raw * IN_SPAN).min(1.0),
            _ => raw,
        }
    }

    /// The likeness of a memory of which the cosine is known and, where an embedder elsewhere has seen it, how near it is
    /// by that, on the scale of the bands.
    pub(super) fn likeness(&self, l: &Likely, cosine: f32, meant: Option<f32>) -> f32 {
        let prior = l.words + meant.map_or(0.0, nearness);
        self.fused(&l.row, MEANING * cosine.max(0.0) + prior)
    }

    /// The offset and the gain by which a likeness is at most above what it is fused from.
    pub(super) fn lift(&self) -> (f32, f32) {
        if self.lists { (1.5 * LISTED, (1.0 - LISTED) * 0.5) } else { (0.0, IN_SPAN) }
    }
}

/// What nearness in the space of an embedder of its own adds, on the scale of the bands.
pub(super) fn nearness(score: f32) -> f32 {
    EMBEDDED * ((score - UNRELATED) / (1.0 - UNRELATED)).max(0.0)
}

/// How strongly a memory is remembered, from a half to 1, as itself or as what stands for `source`. What has faded is
/// found all the same.
pub(super) fn remembered(memory: &Memory, source: Option<&Memory>, now: Time) -> f32 {
    let faded = match source {
        Some(source) => graph::strength_within(source, memory, now),
        None => graph::strength(memory, now),
    };
    0.5 + 0.5 * faded
}

/// These by what the order is by, the best `k` of them.
pub(super) fn ordered(found: Vec<(f32, Match)>, k: usize) -> Vec<(f32, Match)> {
    rank(found, k, |(order, m)| (*order, m.id))
}

/// What a memory must be worth to come among the `k` best of these, as far as that is sure; `None` where they are fewer.
pub(super) fn needed(hits: &[Hit], likely: &[Likely], k: usize, exact: bool) -> Option<f32> {
    let lower = |id: Id| likely.iter().find(|l| l.id == id).map_or(0.0, |l| l.lower);
    let sure = |h: &Hit| if exact { h.score } else { lower(h.memory.id) * h.strength };
    let mut least: Vec<f32> = hits.iter().map(sure).collect();
    order::sort(&mut least, |a, b| b.total_cmp(a));
    least.get(k - 1).copied()
}
