//! Scores a memory for a question: words and spelling, time, and fading.

use super::Hit;
use super::query::Query;
use crate::language::{AskedFor, Date, Period, Reference, Value, ValueKind, Words, fold, values, words};
use crate::model::{Memory, Time, TimeSpan, Zone};
use crate::search::Row;
use crate::sleep;

pub(super) const MEANING: f32 = 0.2;
pub(super) const WORDS: f32 = 0.8;
/// Base score of memories in a span that is listed.
const LISTED: f32 = 0.4;
/// Factor for memories without the kind of value asked for, when a span is listed.
const LISTED_WITHOUT_KIND: f32 = 0.8;
/// The same for a question about a topic. The value may be there in unrecognised words.
const WITHOUT_KIND: f32 = 0.75;
/// Factor for memories in the span of a question about a topic.
const IN_SPAN: f32 = 1.25;
/// Base score of memories in a narrow span, and the most days of a narrow span.
const IN_NARROW_SPAN: f32 = 0.1;
const NARROW: i64 = 31;
/// Fewest words of a detailed question, and the share of them that a sure match contains.
const MANY: usize = 5;
const NEARLY_ALL: f32 = 0.7;
/// Relevance from which a hit is on the topic asked about.
const LIKELY: f32 = 0.5;
/// Relevance from which a hit is kept even outside the span.
const SURE: f32 = 0.8;
pub(super) const OLDER: f32 = 0.5;
/// Largest share that fading takes.
const FADED: f32 = 0.1;
pub(super) const FLOOR: f32 = 0.05;

impl Query {
    /// Returns a memory's score in the word list, from its raw score and its time.
    pub(super) fn word_score(&self, row: &Row, raw: f32) -> f32 {
        match self.span {
            // In a listed span every memory answers; words only change the order.
            _ if self.lists => {
                let of_kind = self.category() == Some(row.category);
                LISTED + (1.0 - LISTED) * 0.5 * raw + if of_kind { LISTED * 0.5 } else { 0.0 }
            }
            Some(span) if row.lies_in(&span) => (self.narrow_span_score() + raw * IN_SPAN).min(1.0),
            _ => raw,
        }
    }

    /// Returns the factor for the kind of value asked for: 1 if the memory has one.
    pub(super) fn kind_factor(&self, memory: &Memory) -> f32 {
        let names = |is: fn(&Value) -> bool| values(&memory.content, None).iter().any(|found| is(&found.value));
        let fits = match self.kind {
            AskedFor::HowMuch => names(|value| matches!(value.kind(), ValueKind::Money | ValueKind::Percent)),
            AskedFor::When if !self.lists => names(is_time),
            AskedFor::HowMany => names(is_count),
            AskedFor::HowLong => names(|value| matches!(value.kind(), ValueKind::Duration) || is_time(value)),
            AskedFor::Who => !memory.people.is_empty() || !memory.entities.is_empty(),
            AskedFor::Where => names_a_place(&memory.content),
            _ => true,
        };
        match (fits, self.lists) {
            (true, _) => 1.0,
            (false, true) => LISTED_WITHOUT_KIND,
            (false, false) => WITHOUT_KIND,
        }
    }

    /// Returns the base score for lying in the span; 0 for wide spans, which match many memories.
    fn narrow_span_score(&self) -> f32 {
        let days = |span: TimeSpan| span.to.millis().saturating_sub(span.from.millis()) / 86_400_000;
        if self.span.is_some_and(|span| days(span) <= NARROW) { IN_NARROW_SPAN } else { 0.0 }
    }

    pub(super) fn names_day_of(&self, memory: &Memory) -> bool {
        self.narrow_span_score() > 0.0 && self.span.is_some_and(|span| span.holds(memory.occurred_at))
    }

    /// Whether a memory happens, ends or mentions a date in the narrow span asked about.
    fn is_in_span(&self, memory: &Memory, zone: Zone) -> bool {
        let Some(span) = self.span else { return true };
        if span.holds(memory.occurred_at) || memory.valid_until.is_some_and(|t| span.holds(t)) {
            return true;
        }
        let at = Reference { now: memory.own_time(), zone };
        let (first, last) = (span.from.day(zone), span.to.day(zone));
        let names = |value: &Value| match value {
            Value::Date(Date { on: Some(day), .. }) => (first..last).contains(day),
            // "The dues of September" when September is asked about.
            Value::Period(Period { span: Some((a, b)), .. }) => first <= *a && *b <= last,
            Value::Range(ends) => match &**ends {
                (Value::Date(Date { on: Some(a), .. }), Value::Date(Date { on: Some(b), .. })) => {
                    *a < last && first <= *b
                }
                _ => false,
            },
            _ => false,
        };
        values(&memory.content, Some(at)).iter().any(|found| names(&found.value))
    }

    pub(super) fn keeps_span(&self) -> bool {
        self.firm && self.narrow_span_score() > 0.0
    }

    /// Drops hits outside a narrow span if one inside matches, unless they match nearly all `words` or are relevant.
    pub(super) fn keep_span(&self, hits: &mut Vec<Hit>, words: usize, zone: Zone) {
        let has_all = |hit: &Hit| words >= MANY && hit.matched.len() as f32 >= NEARLY_ALL * words as f32;
        let is_meant = |hit: &Hit| hit.relevance >= SURE || has_all(hit);
        let inside = |hit: &Hit| is_meant(hit) || self.is_in_span(&hit.memory, zone);
        let is_met = |hit: &Hit| !hit.matched.is_empty() || !hit.highlights.is_empty() || hit.relevance >= LIKELY;
        if self.keeps_span() && hits.iter().any(|hit| is_met(hit) && inside(hit)) {
            hits.retain(inside);
        }
    }

    /// Returns the largest offset and gain that [`Self::word_score`] applies to a raw score.
    pub(super) fn lift(&self) -> (f32, f32) {
        if self.lists { (1.5 * LISTED, (1.0 - LISTED) * 0.5) } else { (self.narrow_span_score(), IN_SPAN) }
    }
}

/// Words that mark a place: English ones as whole words, Korean ones anywhere.
static PLACES: &Words = words!("questions.places");

fn names_a_place(text: &str) -> bool {
    let folded = fold(text);
    let mut said = folded.split(|c: char| !c.is_alphanumeric());
    PLACES.iter().any(|place| if place.is_ascii() { said.clone().any(|w| w == *place) } else { folded.contains(place) })
        || said.any(|w| w.chars().any(|c| c.is_ascii_digit()) && (words!("questions.numbered places").end(w)))
}

fn is_time(value: &Value) -> bool {
    use ValueKind::{Clock, Date, Period, Recurrence, Weekdays};
    matches!(value.kind(), Clock | Date | Period | Recurrence | Weekdays)
}

fn is_count(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Number | ValueKind::Quantity | ValueKind::Percent)
}

pub(super) fn fading_factor(memory: &Memory, source: Option<&Memory>, now: Time) -> f32 {
    let strength = match source {
        Some(source) => sleep::strength_within(source, memory, now),
        None => sleep::strength(memory, now),
    };
    1.0 - FADED + FADED * strength
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signals {
    pub score: f32,
    /// Share of the question's words that it contains, weighted by rarity.
    pub cover: f32,
    /// Its word score relative to the best memory's.
    pub lead: f32,
    pub letters: f32,
    pub near: Option<f32>,
    pub in_span: bool,
    pub named: bool,
    /// Whether a question about a topic is in another language.
    pub foreign: bool,
}

/// Weights of the order of hits, fitted listwise (docs/design/search.md).
const BY_SCORE: f32 = 2.6;
const BY_COVER: f32 = 3.8;
const BY_EMBEDDER: f32 = 18.0;
const BY_CODE: f32 = 2.3;
const BY_OTHER_LANGUAGE: f32 = 0.9;
/// Weight of the logarithm of a hit's strength.
const BY_STRENGTH: f32 = 4.0;
/// The similarity that counts as neither near nor far.
const MIDDLE: f32 = 0.5;
/// The expected similarity of a memory that the embedder has not seen, by its share of words.
const UNSEEN: f32 = 0.3;
const UNSEEN_COVER: f32 = 0.45;
/// Moves scores into the middle of 0–1.
const OFFSET: f32 = -3.0;

impl Signals {
    /// The score of a hit of this strength, 0–1. `embedded`: other candidates have a similarity by the remote embedder.
    pub fn order(&self, embedded: bool, strength: f32) -> f32 {
        let near = self.near.or_else(|| embedded.then_some(UNSEEN + UNSEEN_COVER * self.cover));
        let yes = |is: bool| f32::from(u8::from(is));
        let sum = BY_SCORE * self.score
            + BY_COVER * self.cover
            + BY_EMBEDDER * near.map_or(0.0, |near| near - MIDDLE)
            + BY_CODE * yes(self.named)
            + BY_OTHER_LANGUAGE * yes(self.foreign)
            + BY_STRENGTH * strength.ln();
        logistic(sum + OFFSET)
    }
}

pub(super) const LEAST: f32 = 0.001;
/// Spelling similarity below which no word is nearly the same.
const ALIKE: f32 = 0.2;
/// Relevance of a memory with a similarly spelt word only.
const SPELT: f32 = 0.025;
/// Relevance of a memory with only the kind of value asked for.
pub(super) const GUESSED: f32 = 0.02;
const LISTED_RELEVANCE: f32 = 0.37;

/// Returns the probability that a memory answers. `met`: it contains a word of the question or a
/// synonym. `listed`: it is within the time asked about.
pub(super) fn relevance(s: &Signals, met: bool, listed: bool) -> f32 {
    let (cover, lead) = if met { (s.cover, s.lead) } else { (0.0, 0.0) };
    let told = match s.near {
        Some(near) => logistic(-11.3 + 1.6 * cover + 2.75 * lead + 16.75 * near),
        None if cover > 0.0 => logistic(-5.5 + 6.7 * cover + 3.4 * lead).max(SPELT),
        None if met => SPELT,
        None => 0.0,
    };
    told.max(if listed { LISTED_RELEVANCE } else { 0.0 })
}

/// Whether a candidate may reach the lowest relevance once it is read.
pub(super) fn promises(s: &Signals, listed: bool) -> bool {
    let may_be_met = s.cover > 0.0 || s.named || s.letters >= ALIKE;
    relevance(s, may_be_met, listed || s.in_span) >= LEAST
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
