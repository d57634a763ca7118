//! What a memory is worth to a question: meaning and words together, the time they speak of, and how strongly it is
//! remembered.
//!
//! It reads no store: of a memory that nobody has read it tells the most that it may be worth.

use super::Hit;
use super::query::Query;
use crate::language::{AskedFor, Date, Period, Reference, Value, ValueKind, Words, fold, values, words};
use crate::model::{Memory, Time, TimeSpan, Zone};
use crate::search::Row;
use crate::sleep::{self, Keeping};

/// What likeness of spelling and words count for in the list by words.
pub(super) const MEANING: f32 = 0.2;
pub(super) const WORDS: f32 = 0.8;
/// What the lists by words, by an embedder elsewhere and by structure count for.
pub(super) const BY_WORDS: f32 = 1.0;
pub(super) const BY_EMBEDDER: f32 = 1.5;
pub(super) const BY_STRUCTURE: f32 = 1.0;
/// What differs by no more than this share in the list by words differs by how words are spelt.
pub(super) const ALIKE: f32 = 0.01;
/// The same where all of a span are asked for: no rank is lost by letters alone.
pub(super) const ALIKE_IN_SPAN: f32 = 0.1;
/// What the score in the list by words counts for among memories of one rank: less than any rank.
pub(super) const WITHIN_RANK: f32 = 0.005;
/// What is farther behind the nearest than this, on the scale of the bands, has no rank by the embedder.
pub(super) const BEHIND: f32 = 0.25;
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
/// What is so probable an answer is one of the matter that is asked about.
const LIKELY: f32 = 0.5;
/// What is so probable an answer is one whatever time is asked about.
const SURE: f32 = 0.8;
/// What an older version is worth.
pub(super) const OLDER: f32 = 0.5;
/// What fading takes at most: about a rank.
const FADED: f32 = 0.1;
/// Less than this in the list by words is nothing.
pub(super) const FLOOR: f32 = 0.05;

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
            // "The dues of September", where that is asked about.
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

    /// Whether nothing outside of its span is meant, where something lies inside.
    pub(super) fn keeps_span(&self) -> bool {
        self.firm && self.at_all() > 0.0
    }

    /// Where something of what is asked lies in a narrow span that says when, nothing outside of it is meant, but what has
    /// nearly all of its `words`, or is sure to answer.
    pub(super) fn keep_span(&self, hits: &mut Vec<Hit>, words: usize, zone: Zone) {
        let has_all = |hit: &Hit| words >= MANY && hit.matched.len() as f32 >= NEARLY_ALL * words as f32;
        let is_meant = |hit: &Hit| hit.relevance >= SURE || has_all(hit);
        let inside = |hit: &Hit| is_meant(hit) || self.tells_of_span(&hit.memory, zone);
        let is_met = |hit: &Hit| !hit.matched.is_empty() || !hit.highlights.is_empty() || hit.relevance >= LIKELY;
        if self.keeps_span() && hits.iter().any(|hit| is_met(hit) && inside(hit)) {
            hits.retain(inside);
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

/// What fading leaves of a memory's worth, as itself or as what stands for `source`. What has faded is found all the same.
pub(super) fn remembered(memory: &Memory, source: Option<&Memory>, now: Time) -> f32 {
    kept(match source {
        Some(source) => sleep::strength_within(source, memory, now),
        None => sleep::strength(memory, now),
    })
}

/// The same as far as a row tells: no less, and seldom more than a hair above.
pub(super) fn remembered_at_most(row: &Row, now: Time) -> f32 {
    let (stability, importance) = (row.stability(), row.importance());
    let keeping = Keeping { met: row.met(), stability, importance, core: row.is_core() };
    // A row's numbers are rounded up, and so is what comes of them.
    kept((keeping.strength(now) * 1.000_01).min(1.0))
}

fn kept(strength: f32) -> f32 {
    1.0 - FADED + FADED * strength
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
            assert!(real <= most && real >= most * 0.995, "{n}: {real} {most}");
        }
    }
}
