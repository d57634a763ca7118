//! What is asked of a search, and what it answers.

use crate::language::{AskedFor, Only};
use crate::model::{Category, DayOrTime, Id, Memory, Metadata, Time};
use serde::{Deserialize, Serialize};

/// What a search is limited to. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchOptions {
    /// At most this many hits, 1 to 100; 10 where absent.
    pub limit: Option<u32>,
    /// The same as `limit`; one of them is given.
    pub k: Option<u32>,
    /// Only what happens, or falls due, at or after this time, or on or after this day. With a period the text may be empty: that
    /// lists what lies in it.
    pub from: Option<DayOrTime>,
    /// Only what happens, or falls due, before this time or day.
    pub to: Option<DayOrTime>,
    /// When the question is asked; now where absent. Time phrases in the text count from it.
    pub now: Option<Time>,
    /// What was known at this time, instead of what is known now.
    pub as_of: Option<Time>,
    /// What was true at this time, whatever was said later.
    pub valid_at: Option<Time>,
    /// Only this category.
    pub category: Option<Category>,
    /// Only memories that involve all of these people, by name or words of it: those who take part, or are named in
    /// the text.
    pub people: Vec<String>,
    /// Only what was said in this thread.
    pub thread_id: Option<String>,
    /// Only memories with these fields in their metadata.
    pub metadata: Metadata,
    /// Older versions too, behind those that are current.
    pub include_superseded: bool,
    /// What a summary stands for, instead of the summary. A question about a time always finds that.
    pub include_archived: bool,
    /// The session that the question is recorded in, so that what it finds is remembered better; not recorded where
    /// absent.
    pub session: Option<String>,
    /// Only by what is at hand: an embedder that is elsewhere is not asked what the question means.
    pub at_hand: bool,
}

/// A memory that was found, and why.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// The order of the hits, 0–1, and nothing else: it never rises down a list. The ranks by words, by the embedder in use and by
    /// structure (identifiers, the time asked about) are fused; then what has faded, and what names nothing of the kind that is asked
    /// for, counts for less. Older versions, and what may be outdated, are scored below what is current.
    pub score: f32,
    /// How probable it is that this answers, 0–1, measured on questions of labelled mailboxes and for each embedder on its own scale. What
    /// is hardly so is no hit: where nothing is left, nothing was found.
    pub relevance: f32,
    /// What its age and kind take from its score, 0–1: 1 when new, down to 0.9 as it fades; a quarter less where a time, a sum, a place or a
    /// person is asked for and it names none; half for older versions.
    pub strength: f32,
    /// The words of the question that stand in the memory.
    pub matched: Vec<String>,
    /// Where its content has one of those words, or another for the same.
    pub highlights: Vec<Highlight>,
    /// Of a summary, the archived memory by which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Id>,
    /// Newer memories that may be about the same thing and say otherwise; they wait for a review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_be_outdated_by: Vec<Id>,
}

impl Hit {
    /// A memory that a hit brought along: it has no likeness of its own.
    pub(in crate::engine) fn beside(memory: Memory) -> Self {
        Self { memory, strength: 1.0, ..Self::default() }
    }
}

/// A place in a text, in UTF-16 units as JavaScript counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
pub struct Highlight {
    /// Its first unit.
    pub start: u32,
    /// One past its last.
    pub end: u32,
}

/// What came of a question.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The memories that answer it, best first.
    pub hits: Vec<Hit>,
    /// What it is about: its text without its time phrase.
    pub topic: String,
    /// What it asks for.
    pub kind: AskedFor,
    /// What alone it means, where it does not mean all.
    pub only: Option<Only>,
    /// Whether it asks for whatever lies in its time, rather than about a matter.
    pub lists: bool,
    /// From when on it asks, where it or the options name a span.
    pub from: Option<Time>,
    /// Before when.
    pub to: Option<Time>,
    /// Why there are no hits, where there are none.
    pub nothing: Option<Nothing>,
}

/// Why a question found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Nothing {
    /// Nothing is stored.
    NothingStored,
    /// It names nothing by which anything could be found ("what was that?").
    NamesNothing,
    /// Nothing lies in its span of time, or passes its other limits.
    NothingWithin,
    /// What it names is not in any memory that it may find.
    NothingLikeIt,
}
