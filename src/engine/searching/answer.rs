//! Options and results of a search.

use crate::Result;
use crate::engine::Engine;
use crate::language::{AskedFor, Only};
use crate::model::{Category, DayOrTime, EdgeKind, Id, Memory, Metadata, Time};
use serde::{Deserialize, Serialize};

/// Filters and options of a search. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchOptions {
    /// Most hits, 1 to 100; default 10.
    pub limit: Option<u32>,
    /// Only memories that happen or fall due at or after this time, or on or after this day. With a
    /// period the text may be empty: that lists the period.
    pub from: Option<DayOrTime>,
    /// Only memories that happen or fall due before this time or day.
    pub to: Option<DayOrTime>,
    /// When the question is asked, for time phrases in it; default now.
    pub now: Option<Time>,
    /// The state known at this time, instead of now.
    pub as_of: Option<Time>,
    /// What was true at this time, by statement dates and validity ranges.
    pub valid_at: Option<Time>,
    /// Only this category.
    pub category: Option<Category>,
    /// Only memories that involve all of these people, by name or part of it: participants, or
    /// people named in the text.
    pub people: Vec<String>,
    /// Only memories from this thread.
    pub thread_id: Option<String>,
    /// Only memories with these metadata fields.
    pub metadata: Metadata,
    /// Include older versions, ranked below current ones.
    pub include_superseded: bool,
    /// Return archived memories instead of their summaries. Questions about a time always do.
    pub include_archived: bool,
    /// The session that records the question, so that its hits fade more slowly; not recorded by default.
    pub session: Option<String>,
    /// Search locally only: do not send the question to a remote embedder.
    pub at_hand: bool,
}

/// A memory that was found, and why.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// The score, 0–1, for ordering only; it never rises down the list. It weighs the words, the
    /// similarity by the embedder in use, codes named in the question and `strength`. Older and
    /// possibly outdated versions score below current ones.
    pub score: f32,
    /// The probability that this memory answers, 0–1, calibrated per embedder on labelled
    /// mailboxes. Hits below a small minimum are dropped.
    pub relevance: f32,
    /// The share of its weight that the memory keeps, 0–1. Fading lowers it from 1 to 0.9. Memories without the kind of
    /// value asked for (time, sum, place or person) lose a quarter; older versions lose half.
    pub strength: f32,
    /// The words of the question found in the memory.
    pub matched: Vec<String>,
    /// Where its content has one of those words or a synonym.
    pub highlights: Vec<Highlight>,
    /// For a summary: the archived memory by which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Id>,
    /// Newer memories that may contradict this one; each waits for a review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_be_outdated_by: Vec<Id>,
}

impl Hit {
    /// A memory returned next to the hits, with the score 0.
    pub(in crate::engine) fn unscored(memory: Memory) -> Self {
        Self { memory, strength: 1.0, ..Self::default() }
    }
}

/// A range in a text, in UTF-16 code units as in JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
pub struct Highlight {
    /// Start, inclusive.
    pub start: u32,
    /// End, exclusive.
    pub end: u32,
}

/// The result of a search, with the parsed question.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The memories that answer, best first.
    pub hits: Vec<Hit>,
    /// The question without its time phrase.
    pub topic: String,
    /// The kind of value it asks for.
    pub kind: AskedFor,
    /// The kind of memory it is limited to, if any.
    pub only: Option<Only>,
    /// Whether it asks for everything in its time span, rather than about a topic.
    pub lists: bool,
    /// Start of the time span, inclusive, from the question or the options.
    pub from: Option<Time>,
    /// End of the time span, exclusive.
    pub to: Option<Time>,
    /// Why there are no hits, if there are none.
    pub nothing: Option<Nothing>,
}

/// Why a question found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Nothing {
    /// Nothing is stored.
    NothingStored,
    /// The question has no search term ("what was that?").
    NamesNothing,
    /// No memory is within its time span or passes its other filters.
    NothingWithin,
    /// No searchable memory matches its terms.
    NothingLikeIt,
}

impl Engine {
    async fn newer_than(&self, current: &[Id]) -> Result<Vec<(Id, Memory)>> {
        let mut doubts = self.store.edges_at(current).await?;
        doubts.retain(|e| e.kind == EdgeKind::MayReplace && current.contains(&e.from));
        if doubts.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<Id> = doubts.iter().map(|e| e.to).collect();
        let mut found: Vec<(Id, Memory)> = Vec::new();
        for (edge, newer) in doubts.iter().zip(self.store.memories(&ids).await?) {
            let Some(newer) = newer else { continue };
            let head = if newer.is_current() { Some(newer) } else { self.chain_over(newer.id, &[]).await?.pop() };
            let stands = head.filter(|m| m.is_current() && m.id != edge.from);
            let known = |m: &Memory| found.iter().any(|(older, n)| *older == edge.from && n.id == m.id);
            if let Some(head) = stands.filter(|m| !known(m)) {
                found.push((edge.from, head));
            }
        }
        Ok(found)
    }

    /// Lists on each hit the memories that may outdate it, and ranks those before it. Older
    /// versions come last. Scores are adjusted to the order.
    pub(super) async fn rank_newer_first(&self, hits: &mut Vec<Hit>) -> Result<()> {
        let current: Vec<Id> = hits.iter().map(|h| &h.memory).filter(|m| m.is_current()).map(|m| m.id).collect();
        if !current.is_empty() {
            for (older, newer) in self.newer_than(&current).await? {
                let hit = hits.iter_mut().find(|h| h.memory.id == older);
                hit.into_iter().for_each(|h| h.may_be_outdated_by.push(newer.id));
            }
        }
        move_newer_before(hits);
        // A stable partition keeps the order of equals.
        let (current, older): (Vec<Hit>, Vec<Hit>) = hits.drain(..).partition(|hit| hit.memory.superseded_by.is_none());
        let least = current.last().map_or(1.0, |hit| hit.score);
        hits.extend(current);
        hits.extend(older.into_iter().map(|hit| Hit { score: hit.score.min(least * BELOW), ..hit }));
        Ok(())
    }
}

const BELOW: f32 = 0.99;

fn move_newer_before(hits: &mut Vec<Hit>) {
    // A moved hit may have a newer one itself; `left` bounds the moves, so cycles terminate.
    let (mut at, mut left) = (0, hits.len() * hits.len());
    while at < hits.len() {
        let newer = &hits[at].may_be_outdated_by;
        match (at + 1..hits.len()).find(|later| newer.contains(&hits[*later].memory.id)).filter(|_| left > 0) {
            Some(later) => {
                let mut hit = hits.remove(later);
                hit.score = hits[at].score;
                hits.insert(at, hit);
                hits[at + 1].score *= BELOW;
                left -= 1;
            }
            None => at += 1,
        }
    }
    // A lowered score may be below its successor's; restore the falling order.
    for at in (1..hits.len()).rev() {
        hits[at - 1].score = hits[at - 1].score.max(hits[at].score);
    }
}
