//! [`TimePhrase`], the words around a time that set a start or an end, and times that another time makes more precise:
//! a week by one of its days, a range by dates in brackets, a day by the next date's month.

use crate::{
    language::{
        text::{
            list::{Words, words},
            particles::is_tail,
            scan::Scan,
        },
        values::{
            calendar::plus_days,
            value::{Period, Span, Value},
        },
    },
    model::{Time, Zone},
};
use chrono::{Datelike, NaiveDate};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimePhrase {
    /// Its bytes, with preposition or particle; search may drop these words.
    pub span: Span,
    /// Start, inclusive.
    pub from: Time,
    /// End, exclusive.
    pub to: Time,
    /// Whether it says when ("4월에", "last week") rather than identifying something ("2분기 목표", "the March invoice").
    pub firm: bool,
    /// Whether it is relative to the day of the question ("지난주", "tomorrow"), so that stored texts lack its words.
    pub relative: bool,
    /// Whether it sets a deadline ("by Friday", 금요일까지).
    pub bound: bool,
    /// Whether it may mean a habit or the current state ("on Fridays", 요즘).
    pub loose: bool,
}

/// The range of time that a preposition or particle makes of a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanEdge {
    /// Up to the time's end.
    Until,
    /// Up to the time's start.
    Before,
    /// From the time's start.
    From,
    /// From the start of a past time.
    Since,
    /// From its start if it lies in the future; otherwise as [`Self::When`].
    Of,
    /// From the time's end.
    After,
    /// Exactly the time.
    When,
}

/// The phrase of these days, end exclusive, with every flag unset.
pub(super) fn phrase_of(span: Span, days: (NaiveDate, NaiveDate), zone: Zone) -> Option<TimePhrase> {
    let start = |day: NaiveDate| match day {
        NaiveDate::MIN => Some(Time::MIN),
        NaiveDate::MAX => Some(Time::MAX),
        _ => day.and_hms_opt(0, 0, 0).map(|t| Time::from_local(t, zone)),
    };
    let (from, to) = (start(days.0)?, start(days.1)?);
    Some(TimePhrase { span, from, to, firm: false, relative: false, bound: false, loose: false })
}

/// The span with its preposition or particle, and what range that makes.
pub(super) fn around(text: &str, span: Span) -> (Span, Option<SpanEdge>) {
    let edges: [(&Words, SpanEdge); 7] = [
        (words!("tense.until"), SpanEdge::Until),
        (words!("tense.before"), SpanEdge::Before),
        (words!("tense.from"), SpanEdge::From),
        (words!("tense.since"), SpanEdge::Since),
        (words!("tense.of"), SpanEdge::Of),
        (words!("tense.after"), SpanEdge::After),
        (words!("tense.when"), SpanEdge::When),
    ];
    let s = Scan(text);
    let (mut span, mut edge) = (span, None);
    // First an attached particle, then the next word.
    for gap in [false, true] {
        let start = if gap { s.blank(span.end) } else { span.end };
        let end = s.hangul_end(start);
        let run = s.slice(start, end);
        let fits = |w: &&&str| run.strip_prefix(**w).is_some_and(is_tail);
        let of = |(list, edge): &(&Words, SpanEdge)| Some((list.iter().filter(fits).map(|w| w.len()).max()?, *edge));
        let found = edges.iter().filter_map(of).max_by_key(|(length, _)| *length);
        match found.filter(|_| !run.is_empty()) {
            Some((_, told)) => (span.end, edge) = (end, Some(told)),
            None if !gap && is_tail(run) => span.end = end,
            None => {}
        }
        if !matches!(edge, None | Some(SpanEdge::When)) {
            break;
        }
    }
    let mut start = s.letters_start(s.blank_before(span.start));
    let mut word = s.word_before(span.start).to_lowercase();
    if word == "the" {
        word = s.word_before(start).to_lowercase();
        start = s.letters_start(s.blank_before(start));
    }
    if let Some((_, told)) = edges.iter().find(|(list, _)| word.is_ascii() && list.contains(&word.as_str())) {
        (span.start, edge) = (start, Some(*told));
    }
    (span, edge)
}

/// Combines a time with a more precise one after it, in brackets or after a comma: 11월 둘째 주(10일~16일)에, "in the last
/// week of February, from the 23rd".
pub(super) fn narrowed(
    text: &str,
    whole: TimePhrase,
    part: Span,
    days: (NaiveDate, NaiveDate),
    zone: Zone,
) -> Option<TimePhrase> {
    let between = text.get(whole.span.end..part.start)?.trim();
    let in_brackets = between == "(";
    if !in_brackets && between != "," {
        return None;
    }
    let close = text.get(part.end..).and_then(|rest| rest.find(')')).filter(|_| in_brackets);
    let end = close.map_or(part.end, |at| part.end + at + 1);
    let (span, edge) = around(text, Span { start: whole.span.start, end });
    // Open ranges are not narrowed.
    if whole.bound || !matches!(edge, None | Some(SpanEdge::When)) {
        return None;
    }
    let told = TimePhrase { firm: true, relative: whole.relative, ..phrase_of(span, days, zone)? };
    let (from, to) = (told.from.day(zone), told.to.day(zone));
    // Conventions for counting weeks differ, so dates in brackets take precedence.
    let apart = (whole.from.day(zone) - to).num_days().max((from - whole.to.day(zone)).num_days());
    (apart < if in_brackets { 7 } else { 0 }).then_some(told)
}

/// The week around a day: "the week of 3 November", 13일이 있는 주. Some words mean the seven days from it instead.
pub(super) fn week_of(
    text: &str,
    value: &Value,
    span: Span,
    edge: Option<SpanEdge>,
    day: NaiveDate,
) -> Option<(Span, (NaiveDate, NaiveDate))> {
    if !matches!(value, Value::Date(d) if d.day.is_some()) {
        return None;
    }
    let before = text.get(..span.start)?.trim_end();
    let before = suffix_start(before, " the").map_or(before, |at| before[..at].trim_end());
    let behind = text.get(span.end..)?;
    let longest = |list: &Words| list.iter().filter(|w| behind.starts_with(**w)).map(|w| w.len()).max();
    let around = |start, end| around(text, Span { start, end }).0;
    let monday = || plus_days(day, -i32::try_from(day.weekday().num_days_from_monday()).unwrap_or(0));
    let (span, first) = if let Some(at) = words!("tense.week of").iter().find_map(|w| suffix_start(before, w)) {
        (around(at, span.end), monday()?)
    } else if let Some(length) = longest(words!("tense.week that has it")) {
        (around(span.start, span.end + length), monday()?)
    } else if let Some(length) = longest(words!("tense.week from it")) {
        (around(span.start, span.end + length), day)
    } else {
        let says_week = before.split(|c: char| !c.is_alphanumeric()).any(|w| w.eq_ignore_ascii_case("week"));
        let from = matches!(edge, Some(SpanEdge::From | SpanEdge::Of));
        (from && says_week).then_some((around(span.start, span.end), day))?
    };
    Some((span, (first, plus_days(first, 7)?)))
}

/// Where `end` starts in a text that ends with it, ignoring ASCII case.
fn suffix_start(text: &str, end: &str) -> Option<usize> {
    let at = text.len().checked_sub(end.len())?;
    text.get(at..)?.eq_ignore_ascii_case(end).then_some(at)
}

/// Extends a month's first or last week to the rest of the month's days next to it, since people differ on where it
/// ends.
pub(super) fn to_month_edge(week: Period, (from, to): (NaiveDate, NaiveDate)) -> (NaiveDate, NaiveDate) {
    let Some(month) = week.month.map(u32::from) else { return (from, to) };
    let first = |year: i32, month: u32| NaiveDate::from_ymd_opt(year + i32::from(month > 12), (month - 1) % 12 + 1, 1);
    match week.number {
        1 => (first(to.year(), month).map_or(from, |day| day.min(from)), to),
        -1 => (from, first(from.year(), month + 1).map_or(to, |day| day.max(to))),
        _ => (from, to),
    }
}
