//! Tells the time that a memory is about from times that it only mentions.
//!
//! Example: "the Q2 budget, based on the Q1 results" is about Q2.

use crate::language::{CueKind, Folded, Found, Period, Reference, Span, Value, cues, time_phrase, values, words};
use crate::model::{Memory, TimeSpan, Zone};

/// A time as a text names it.
#[derive(Debug, Clone, Copy)]
pub enum AboutTime {
    /// A period by its name: Q1, 하반기, March.
    Named(Period),
    /// A time span: yesterday, 지난달, 4 April.
    Within(TimeSpan),
}

/// The time that a value of a text names, if any.
pub fn time_of(found: &Found, text: &str, at: Reference) -> Option<AboutTime> {
    match &found.value {
        Value::Period(period) if period.shift.is_none() => Some(AboutTime::Named(*period)),
        Value::Period(_) | Value::Date(_) => {
            let phrase = time_phrase(found.span.of(text), at)?;
            Some(AboutTime::Within(TimeSpan::new((phrase.from, phrase.to), at.zone)))
        }
        _ => None,
    }
}

/// Whether a memory is about a period, or dated within a span.
pub fn is_about(memory: &Memory, time: &AboutTime) -> bool {
    match time {
        AboutTime::Named(period) => {
            let text = [memory.subject.as_deref().unwrap_or_default(), &memory.content].join("\n");
            let at = Reference { now: memory.own_time(), zone: Zone::default() };
            subjects(&text, at).iter().any(|told| is_same(period, told))
        }
        AboutTime::Within(span) => span.holds(memory.occurred_at) || memory.valid_until.is_some_and(|t| span.holds(t)),
    }
}

/// Whether two periods are equal. Without a year it matches any, unless its date implies one.
fn is_same(asked: &Period, told: &Period) -> bool {
    let years = match (asked.year, told.year) {
        (Some(a), Some(b)) => a == b,
        (Some(_), None) => asked.span == told.span,
        (None, _) => true,
    };
    (asked.kind, asked.number, asked.month) == (told.kind, told.number, told.month) && years
}

/// The periods that a text is about: the first one, those that begin a clause, and those joined to
/// one of these. Periods that are only mentioned count if there is no other.
fn subjects(text: &str, at: Reference) -> Vec<Period> {
    let mut periods: Vec<(Period, Span)> = Vec::new();
    for Found { value, span, .. } in values(text, Some(at)) {
        if let Value::Period(period) = value {
            periods.push((period, span));
        }
    }
    let cues: Vec<Span> = cues(&Folded::new(text)).iter().filter(|c| mentions(c.kind)).map(|c| c.span).collect();
    let ends_clause = |c: char| matches!(c, ',' | '.' | ';' | '·' | '\n' | '(' | ')');
    let (mut found, mut others) = (Vec::new(), Vec::new());
    let (mut last, mut joins) = (0, false);
    for (n, (period, span)) in periods.iter().enumerate() {
        let clause = text[..span.start].rsplit(ends_clause).next().map_or(0, |clause| span.start - clause.len());
        let end = text[span.end..].find(ends_clause).map_or(text.len(), |at| span.end + at);
        let next = periods.get(n + 1).map_or(end, |(_, next)| next.start.min(end));
        let (head, tail) = (clause.max(last)..span.start, span.end..next);
        // English cues precede the period, Korean cues follow it.
        let near = |at: usize| text[at..span.start].split_whitespace().count() <= 2;
        let cued = cues.iter().any(|cue| match text[cue.start..cue.end].is_ascii() {
            true => head.start <= cue.start && cue.end <= head.end && near(cue.end),
            false => tail.start <= cue.start && cue.end <= tail.end,
        });
        let compared = words!("deletion.compared").iter().any(|w| match w.is_ascii() {
            true => text[head.clone()].split_whitespace().rev().take(3).any(|h| h.eq_ignore_ascii_case(w)),
            false => text[tail.clone()].contains(w),
        });
        let begins = n == 0 || text[clause..span.start].trim().is_empty();
        let joined = joins && words!("deletion.joining").contains(&text[last..span.start].trim());
        joins = !cued && !compared && (begins || joined || found.is_empty());
        (if joins { &mut found } else { &mut others }).push(*period);
        last = span.end;
    }
    if found.is_empty() { others } else { found }
}

/// Whether a cue marks a time that is only mentioned.
fn mentions(kind: CueKind) -> bool {
    matches!(kind, CueKind::Basis | CueKind::Cause | CueKind::Sequence | CueKind::Mention)
}
