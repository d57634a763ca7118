//! A statement parsed for comparison: computed once, compared many times.

use super::denied::denied;
use super::opposites::Polarity;
use super::phrases::marked;
use super::words::{Word, words};
use crate::language::{Found, Reference, Text, fold, is_hangul, values, words};
use crate::model::{BETWEEN, Category, Claim, DayOrTime, Statement, Time, Zone};
use std::cell::OnceCell;
use std::ops::Range;

/// Maximum number of values kept.
const MAX_VALUES: usize = 40;

#[derive(Debug, Clone)]
pub struct Reading {
    pub content: Text,
    pub folded: String,
    pub words: Vec<Word>,
    pub values: Vec<Found>,
    pub category: Category,
    /// The words of the subject line without reply and forward marks.
    pub subject: Vec<Word>,
    /// The subject line, folded, without reply and forward marks.
    pub subject_line: String,
    pub entities: Vec<Vec<Word>>,
    pub entity_names: Vec<String>,
    /// The involved people, folded.
    pub people: Vec<String>,
    pub thread: Option<String>,
    pub author: Option<String>,
    /// The mail or note that states it.
    pub source: Option<String>,
    /// When the event happened, or else when it was stated.
    pub time: Option<Time>,
    /// The share of Hangul among the letters, 0–1.
    pub korean: f32,
    /// Whether the text was cut at the analyst's limit.
    pub cut: bool,
    /// The sentences that announce a change, computed on first use.
    pub change_sentences: OnceCell<Vec<ChangeSentence>>,
    marked: OnceCell<String>,
    polarity: OnceCell<Polarity>,
    denied: OnceCell<Vec<bool>>,
}

#[derive(Debug, Clone)]
pub struct ChangeSentence {
    pub(super) at: Range<usize>,
    pub(super) moves: bool,
    pub(super) of_place: bool,
    pub(super) values: Vec<ChangeValue>,
    pub(super) new_value: Option<NewValue>,
}

/// A sentence that gives a property another value, as ranges of words.
#[derive(Debug, Clone)]
pub(super) struct NewValue {
    pub(super) topic: Vec<usize>,
    /// The value that it gives up, if it names it.
    pub(super) given_up: Range<usize>,
    pub(super) new: Range<usize>,
}

/// A value of a change sentence, as an index into the reading's values.
#[derive(Debug, Clone)]
pub(super) struct ChangeValue {
    pub(super) at: usize,
    pub(super) given_up: bool,
    pub(super) is_replacement: bool,
}

impl Reading {
    pub fn of(s: &Claim<'_>) -> Self {
        let cut = match s.content.len() {
            short if short <= super::words::MAX_CHARS => short,
            long => s.content.char_indices().nth(super::words::MAX_CHARS).map_or(long, |(at, _)| at),
        };
        let head = &s.content[..cut];
        let folded = fold(head);
        let line = strip_marks(&fold(s.subject.unwrap_or_default())).to_owned();
        let (mut hangul, mut letters) = (0, 0);
        for c in head.chars() {
            let syllable = is_hangul(c);
            hangul += usize::from(syllable);
            letters += usize::from(syllable || c.is_alphabetic());
        }
        Self {
            values: dated_values(s, head),
            words: words(head),
            folded,
            category: s.category,
            subject: words(&line),
            subject_line: line,
            entities: s.entities.iter().take(12).map(|e| words(e)).collect(),
            entity_names: s.entities.iter().take(12).cloned().collect(),
            people: s.people.iter().take(24).map(|p| fold(p)).collect(),
            thread: s.thread_id.map(str::to_owned),
            author: s.author.map(str::to_owned),
            source: s.source_id.map(str::to_owned),
            time: s.occurred_at.map(DayOrTime::utc).or(s.stated_at),
            korean: hangul as f32 / letters.max(1) as f32,
            cut: cut < s.content.len(),
            change_sentences: OnceCell::new(),
            marked: OnceCell::new(),
            polarity: OnceCell::new(),
            denied: OnceCell::new(),
            content: Text::new(s.content),
        }
    }

    /// The content prepared for phrase search: see [`marked`].
    pub(super) fn marked(&self) -> &str {
        self.marked.get_or_init(|| marked(&self.content))
    }

    /// For each value, whether the text negates it.
    pub(super) fn denied(&self) -> &[bool] {
        self.denied.get_or_init(|| denied(&self.content, &self.values))
    }

    /// The first value that a word belongs to.
    pub(super) fn value_of(&self, word: &Word) -> Option<&Found> {
        self.values.iter().find(|v| v.span.meets(word.start, word.end))
    }

    /// Whether a word is in the list of names that came with the statement.
    pub(super) fn is_listed(&self, word: &Word) -> bool {
        self.entities.iter().flatten().any(|name| name.hash == word.hash)
    }

    pub(super) fn shares_thread(&self, other: &Self) -> bool {
        self.thread.is_some() && self.thread == other.thread
    }

    pub(super) fn polarity(&self) -> &Polarity {
        self.polarity.get_or_init(|| Polarity::of(self.marked()))
    }
}

/// The values of a claim's text; "tomorrow" counts from the day of its own statement.
fn dated_values(claim: &Claim<'_>, text: &str) -> Vec<Found> {
    let own = claim.own_time();
    let from = |at: Option<Time>| at.map(|now| Reference { now, zone: Zone::default() });
    let held = claim.statements.iter().filter(|s| !s.holds().is_empty());
    let pieces: Vec<&str> = text.split(BETWEEN).collect();
    if pieces.len() < 2 || pieces.len() != held.clone().count() {
        return values(text, from(own)).into_iter().take(MAX_VALUES).collect();
    }
    let of_piece = |(piece, statement): (&str, &Statement)| {
        let at = piece.as_ptr() as usize - text.as_ptr() as usize;
        values(piece, from(statement.at.or(own))).into_iter().map(move |mut found| {
            (found.span.start, found.span.end) = (found.span.start + at, found.span.end + at);
            found
        })
    };
    pieces.into_iter().zip(held).flat_map(of_piece).take(MAX_VALUES).collect()
}

/// Strips `re:`, `fwd:` and similar marks from a folded subject line.
fn strip_marks(mut line: &str) -> &str {
    let is_mark = |mark: &str| words!("analysis/words.marks of a subject").contains(&mark.trim());
    while let Some((_, rest)) = line.split_once(':').filter(|(mark, _)| is_mark(mark)) {
        line = rest;
    }
    line.trim()
}
