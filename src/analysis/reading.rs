//! A memory as the analyst reads it: computed once, compared many times.
//!
//! It holds what one statement says and what it hangs on; it never looks at another statement.

use super::denied::denied;
use super::opposites::Polarity;
use super::phrases::marked;
use super::words::{Word, words};
use crate::language::{Found, Reference, Text, fold, is_hangul, values, words};
use crate::model::{BETWEEN, Category, Claim, DayOrTime, Statement, Time, Zone};
use std::cell::OnceCell;
use std::ops::Range;

/// Values of a text that are kept.
const MAX_VALUES: usize = 40;

/// What the analyst knows of one statement.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The content as given.
    pub content: Text,
    /// The content, folded.
    pub folded: String,
    /// Its words.
    pub words: Vec<Word>,
    /// The values in it.
    pub values: Vec<Found>,
    /// Its category.
    pub category: Category,
    /// The words of the subject line, reply and forward marks taken off.
    pub subject: Vec<Word>,
    /// The subject line, folded, without those marks.
    pub subject_line: String,
    /// Whether the subject line was marked as forwarded.
    pub forwarded: bool,
    /// Whether the subject line was marked as a reply.
    pub reply: bool,
    /// The words of each entity.
    pub entities: Vec<Vec<Word>>,
    /// The entities as given.
    pub entity_names: Vec<String>,
    /// The folded people.
    pub people: Vec<String>,
    /// The thread.
    pub thread: Option<String>,
    /// When it happened, or else when it was said.
    pub time: Option<Time>,
    /// Share of Hangul among its letters.
    pub korean: f32,
    /// Whether the text was longer than what is read.
    pub cut: bool,
    /// The sentences that tell of a change, once somebody has asked for them.
    pub told: OnceCell<Vec<ChangeSentence>>,
    /// The firms that it names, once somebody has asked for them.
    pub(super) organisations: OnceCell<Vec<String>>,
    marked: OnceCell<String>,
    polarity: OnceCell<Polarity>,
    denied: OnceCell<Vec<bool>>,
}

/// A sentence that tells of a change, with what it says whatever it is compared with.
#[derive(Debug, Clone)]
pub struct ChangeSentence {
    pub(super) at: Range<usize>,
    /// Whether it has a verb of change.
    pub(super) moves: bool,
    /// Whether a place is what changes.
    pub(super) of_place: bool,
    pub(super) values: Vec<ChangeValue>,
}

/// A value of such a sentence, by its place in the reading.
#[derive(Debug, Clone)]
pub(super) struct ChangeValue {
    pub(super) at: usize,
    pub(super) given_up: bool,
    pub(super) takes_the_place: bool,
}

impl Reading {
    /// Reads a statement.
    pub fn of(s: &Claim<'_>) -> Self {
        let cut = match s.content.len() {
            short if short <= super::words::MAX_CHARS => short,
            long => s.content.char_indices().nth(super::words::MAX_CHARS).map_or(long, |(at, _)| at),
        };
        let head = &s.content[..cut];
        let folded = fold(head);
        let (line, forwarded, reply) = strip_marks(&fold(s.subject.unwrap_or_default()));
        let (mut hangul, mut letters) = (0, 0);
        for c in head.chars() {
            let syllable = is_hangul(c);
            hangul += usize::from(syllable);
            letters += usize::from(syllable || c.is_alphabetic());
        }
        Self {
            values: {
                let mut v = dated_values(s, head);
                v.truncate(MAX_VALUES);
                v
            },
            words: words(head),
            folded,
            category: s.category,
            subject: words(&line),
            subject_line: line,
            forwarded,
            reply,
            entities: s.entities.iter().take(12).map(|e| words(e)).collect(),
            entity_names: s.entities.iter().take(12).cloned().collect(),
            people: s.people.iter().take(24).map(|p| fold(p)).collect(),
            thread: s.thread_id.map(str::to_owned),
            time: s.occurred_at.map(DayOrTime::utc).or(s.stated_at),
            korean: hangul as f32 / letters.max(1) as f32,
            cut: cut < s.content.len(),
            told: OnceCell::new(),
            organisations: OnceCell::new(),
            marked: OnceCell::new(),
            polarity: OnceCell::new(),
            denied: OnceCell::new(),
            content: Text::new(s.content),
        }
    }

    /// The content as phrases are looked for in it: see [`marked`].
    pub(super) fn marked(&self) -> &str {
        self.marked.get_or_init(|| marked(&self.content))
    }

    /// Which of its values it only denies.
    pub(super) fn denied(&self) -> &[bool] {
        self.denied.get_or_init(|| denied(&self.content, &self.values))
    }

    /// Which side of which opposites it is on, and whether it denies.
    pub(super) fn polarity(&self) -> &Polarity {
        self.polarity.get_or_init(|| Polarity::of(self.marked()))
    }
}

/// The values of a text of this claim. "Tomorrow" counts from the day of the statement that says it, which may be older than the claim.
pub fn dated_values(claim: &Claim<'_>, text: &str) -> Vec<Found> {
    let own = claim.own_time();
    let from = |at: Option<Time>| at.map(|now| Reference { now, zone: Zone::default() });
    let held = claim.statements.iter().filter(|s| !s.holds().is_empty());
    let pieces: Vec<&str> = text.split(BETWEEN).collect();
    if pieces.len() < 2 || pieces.len() != held.clone().count() {
        return values(text, from(own));
    }
    let mut start = 0;
    let of_piece = |(piece, statement): (&str, &Statement)| {
        let at = start;
        start += piece.len() + BETWEEN.len();
        values(piece, from(statement.at.or(own))).into_iter().map(move |mut found| {
            (found.span.start, found.span.end) = (found.span.start + at, found.span.end + at);
            found
        })
    };
    pieces.into_iter().zip(held).flat_map(of_piece).collect()
}

/// Takes `re:`, `fwd:` and the like off a folded subject line.
fn strip_marks(line: &str) -> (String, bool, bool) {
    let (mut rest, mut forwarded, mut reply) = (line.trim(), false, false);
    while let Some((mark, tail)) = rest.split_once(':') {
        match mark.trim() {
            mark if words!("analysis/words.replies").contains(&mark) => reply = true,
            mark if words!("analysis/words.forwards").contains(&mark) => forwarded = true,
            _ => break,
        }
        rest = tail.trim_start();
    }
    (rest.to_owned(), forwarded, reply)
}
