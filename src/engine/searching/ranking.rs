//! What a memory is worth to a question: meaning and words together, the time they speak of, and how strongly it is
//! remembered.
//!
//! It reads no store: of a memory that nobody has read it tells the least and the most that it may be worth.

use super::Hit;
use super::query::Query;
use crate::language::{AskedFor, Date, Reference, Value, ValueKind, Words, fold, values, words};
use crate::model::{Id, Memory, Time, TimeSpan, Zone};
use crate::order;
use crate::search::Row;
use crate::similarity::rank;
use crate::sleep::{self, Keeping};

/// What likeness of spelling and words count for in a search, and what nearness in the space of an embedder of its own
/// adds to them.
pub(super) const MEANING: f32 = 0.2;
pub(super) const WORDS: f32 = 0.8;
const EMBEDDED: f32 = 0.5;
/// What nothing in common is on the scale of the bands.
pub(super) const UNRELATED: f32 = 0.30;
/// What a memory of the span is worth to a question that asks for all of them.
const LISTED: f32 = 0.4;
/// What a memory keeps of its worth that holds nothing of the kind that is asked for, where all of a span are asked for.
const UNFIT: f32 = 0.8;
/// The same where the question is about some matter, which may be told in words that nobody reads as such.
const UNTOLD: f32 = 0.75;
/// How much more a memory of the span is worth to a question about some matter.
const IN_SPAN: f32 = 1.25;
/// What a memory of a narrow span is worth to it that has none of its words; and how many days are narrow.
const AT_ALL: f32 = 0.1;
const NARROW: i64 = 31;
/// Words of a question that is told as a memory is, and the share of them that such a memory has.
const MANY: usize = 5;
const NEARLY_ALL: f32 = 0.7;
/// What an older version is worth.
pub(super) const OLDER: f32 = 0.5;
/// How much of what a row says of its memory is sure: the time is to the minute.
const SURE: f32 = 0.995;
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
    /// How strongly it is remembered, at most.
    pub remembered: f32,
    pub lower: f32,
    pub upper: f32,
}

impl Likely {
    /// The most that it may be among the likest by.
    pub fn likest(&self) -> f32 {
        self.upper * self.strength
    }

    /// A place among those that are to be read, by the least and the most of its likeness, of which it keeps `fit` at least.
    pub fn sighted(&self, lower: f32, upper: f32, fit: f32) -> Sighted {
        let worth = self.strength * self.remembered;
        Sighted { id: self.id, likeness: upper, least: lower * worth * fit, most: upper * worth }
    }
}

/// A memory that is to be read, by what it may be worth.
pub(super) struct Sighted {
    pub id: Id,
    /// Its likeness, at most.
    pub likeness: f32,
    /// What it is worth at least, if it is remembered as well as its row says.
    least: f32,
    /// What it is worth at most.
    pub most: f32,
}

impl Query {
    /// The likeness of a memory, from what meaning and words are worth together.
    pub(super) fn fused(&self, row: &Row, raw: f32) -> f32 {
        match self.span {
            // Whatever lies in the span answers; the words only bring some forward.
            _ if self.lists => {
                let of_kind = self.category() == Some(row.category);
                LISTED + (1.0 - LISTED) * 0.5 * raw + if of_kind { LISTED * 0.5 } else { 0.0 }
            }
            Some(span) if row.lies_in(&span) => (self.at_all() + raw * IN_SPAN).min(1.0),
            _ => raw,
        }
    }

    /// The likeness of a memory of which the cosine is known and, where an embedder elsewhere has seen it, how near it is
    /// by that, on the scale of the bands.
    pub(super) fn likeness(&self, l: &Likely, cosine: f32, meant: Option<f32>) -> f32 {
        let prior = l.words + meant.map_or(0.0, nearness);
        self.fused(&l.row, MEANING * cosine.max(0.0) + prior)
    }

    /// What a memory keeps of its worth: all, if it holds anything of the kind that the question asks for.
    pub(super) fn fit(&self, memory: &Memory) -> f32 {
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
            (false, true) => UNFIT,
            (false, false) => UNTOLD,
        }
    }

    /// What a memory of the span is worth that has none of the words; of a long one much is.
    fn at_all(&self) -> f32 {
        let days = |span: TimeSpan| span.to().millis().saturating_sub(span.from().millis()) / 86_400_000;
        if self.span.is_some_and(|span| days(span) <= NARROW) { AT_ALL } else { 0.0 }
    }

    /// Whether a narrow span is named, and what the memory tells of happens in it.
    pub(super) fn names_day_of(&self, memory: &Memory) -> bool {
        self.at_all() > 0.0 && self.span.is_some_and(|span| span.holds(memory.occurred_at))
    }

    /// Whether what a memory tells of happens, ends or is named in the narrow span that is asked about.
    fn tells_of_span(&self, memory: &Memory, zone: Zone) -> bool {
        let Some(span) = self.span else { return true };
        if span.holds(memory.occurred_at) || memory.valid_until.is_some_and(|t| span.holds(t)) {
            return true;
        }
        let at = Reference { now: memory.own_time(), zone };
        let (first, last) = (span.from().day(zone), span.to().day(zone));
        let names = |value: &Value| match value {
            Value::Date(Date { on: Some(day), .. }) => (first..last).contains(day),
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

    /// Where something of what is asked lies in a narrow span that says when, nothing outside of it is meant, but what has
    /// nearly all of its `words`.
    pub(super) fn keep_span(&self, hits: &mut Vec<Hit>, words: usize, zone: Zone) {
        let has_all = |hit: &Hit| words >= MANY && hit.matched.len() as f32 >= NEARLY_ALL * words as f32;
        let inside = |hit: &Hit| has_all(hit) || self.tells_of_span(&hit.memory, zone);
        let is_met = |hit: &Hit| !hit.matched.is_empty() || !hit.highlights.is_empty();
        if self.firm && self.at_all() > 0.0 && hits.iter().any(|hit| is_met(hit) && inside(hit)) {
            hits.retain(inside);
        }
    }

    /// What a memory keeps of its worth at least.
    pub(super) fn least_fit(&self) -> f32 {
        match (self.kind, self.lists) {
            (AskedFor::What | AskedFor::How | AskedFor::Why | AskedFor::Whether, _) => 1.0,
            (_, true) => UNFIT,
            (_, false) => UNTOLD,
        }
    }

    /// The offset and the gain by which a likeness is at most above what it is fused from.
    pub(super) fn lift(&self) -> (f32, f32) {
        if self.lists { (1.5 * LISTED, (1.0 - LISTED) * 0.5) } else { (self.at_all(), IN_SPAN) }
    }
}

/// Words that stand by a place: an English one by itself, a Korean one wherever it stands.
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

/// What nearness in the space of an embedder of its own adds, on the scale of the bands.
pub(super) fn nearness(score: f32) -> f32 {
    EMBEDDED * ((score - UNRELATED) / (1.0 - UNRELATED)).max(0.0)
}

/// How strongly a memory is remembered, from a half to 1, as itself or as what stands for `source`. What has faded is
/// found all the same.
pub(super) fn remembered(memory: &Memory, source: Option<&Memory>, now: Time) -> f32 {
    let faded = match source {
        Some(source) => sleep::strength_within(source, memory, now),
        None => sleep::strength(memory, now),
    };
    0.5 + 0.5 * faded
}

/// The same as far as a row tells: no less, and seldom more than a hair above.
pub(super) fn remembered_at_most(row: &Row, now: Time) -> f32 {
    let (stability, importance) = (row.stability(), row.importance());
    let keeping = Keeping { met: row.met(), stability, importance, core: row.is_core() };
    // A row's numbers are rounded up, and so is what comes of them.
    0.5 + 0.5 * (keeping.strength(now) * 1.000_01).min(1.0)
}

/// These in the order in which they are read, and how many at first: those that are likely to be all that is needed.
pub(super) fn reading_order(sighted: Vec<Sighted>, k: usize) -> (Vec<Sighted>, usize) {
    let needed = best(sighted.iter().map(|s| s.least).collect(), k).map_or(0.0, |least| least * SURE);
    let sighted = rank(sighted, usize::MAX, |s| (s.most, s.id));
    let first = sighted.iter().take_while(|s| s.most >= needed).count();
    // One may fall out for what only the memory itself tells.
    (sighted, first.clamp(k + 1, 3 * k))
}

/// What a memory must be worth to come among the `k` best of these, as far as that is sure; `None` where they are fewer.
pub(super) fn needed(hits: &[Hit], likely: &[Likely], k: usize, exact: bool) -> Option<f32> {
    let lower = |id: Id| likely.iter().find(|l| l.id == id).map_or(0.0, |l| l.lower);
    let sure = |h: &Hit| if exact { h.score } else { lower(h.memory.id) * h.strength };
    best(hits.iter().map(sure).collect(), k)
}

/// The `k`-th best of these.
fn best(mut scores: Vec<f32>, k: usize) -> Option<f32> {
    order::sort(&mut scores, |a, b| b.total_cmp(a));
    scores.get(k - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Draft, Ids, Retention};
    use crate::search::Index;

    #[test]
    fn a_row_tells_how_strongly_its_memory_is_remembered_and_never_too_little() {
        let now = Time::from_millis(1_790_000_000_123);
        let (mut ids, mut index) = (Ids::new(now, [3; 16]), Index::default());
        for n in 0..400i64 {
            // From just now to eleven years ago, and a little in the future.
            let then = now.plus_millis(61_003 - n * n * n * 5_501);
            let mut memory = Memory::from_draft(ids.mint(), Draft::new("x"), then);
            memory.importance = (n % 37) as f32 / 37.0;
            memory.stability = (n % 53) as f32 / 53.0;
            memory.accessed_at = (n % 3 == 0).then(|| then.plus_millis(n * 7_777_777));
            if n % 5 == 0 {
                memory.retention = Retention::Core;
            }
            index.put(&memory, None);
            let (real, most) = (remembered(&memory, None, now), remembered_at_most(index.row(memory.id).unwrap(), now));
            assert!(real <= most && real >= most * SURE, "{n}: {real} {most}");
        }
    }
}
