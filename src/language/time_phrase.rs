//! Parses the time that a question asks about: 지난주, next week, 4월 첫째 주, by Friday, between 3 and 7 April.

mod phrase;

use crate::language::{
    cues::{CueKind, cues},
    text::{folded::Folded, list::words},
    values::{
        calendar::{days_of_date, plus_days, spans_of_period},
        grammar::find_rule,
        parts::LAST_DAY,
        value::{Date, Duration, Found, Period, PeriodKind, Reference, Span, Value, Weekdays},
        values, values_in,
    },
};
use chrono::{Datelike, NaiveDate};
pub use phrase::TimePhrase;
use phrase::{SpanEdge, around, narrowed, phrase_of, to_month_edge, week_of};

const LAST_THIRD: u32 = 21;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tense {
    Past,
    Future,
    Open,
}

/// Parses the time phrase of a question, if any. Weeks run from Monday to Sunday.
pub fn time_phrase(text: &str, at: Reference) -> Option<TimePhrase> {
    let folded = Folded::new(text);
    let today = at.day();
    let tense = tense(&folded);
    let mut best: Option<TimePhrase> = None;
    if let Some((start, end, days, loose)) = recent(&folded, today) {
        let span = Span { start: folded.source(start), end: folded.source(end) };
        let (span, edge) = around(text, span);
        let bound = edge == Some(SpanEdge::Until);
        let phrase = phrase_of(span, days, at.zone);
        best = phrase.map(|phrase| TimePhrase { firm: true, relative: true, bound, loose, ..phrase });
    }
    for found in values_in(&folded, Some(at)) {
        let (span, edge) = around(text, found.span);
        // A bare day belongs to the month named before it.
        let named = best.filter(|_| is_bare_day(&found.value)).map(|b| b.from.day(at.zone));
        let tense = match edge {
            Some(SpanEdge::Since) => Tense::Past,
            _ if named.is_some() => Tense::Open,
            _ => tense,
        };
        let near = named.unwrap_or(today);
        let Some((days, relative)) = days_of(&found.value, found.span.of(text), edge, near, tense) else { continue };
        let in_other_words = best.and_then(|b| narrowed(text, b, found.span, days, at.zone));
        if let Some(phrase) = in_other_words {
            best = Some(phrase);
            continue;
        }
        if let Some((span, days)) = week_of(text, &found.value, found.span, edge, days.0) {
            best = phrase_of(span, days, at.zone).map(|phrase| TimePhrase { firm: true, ..phrase });
            break;
        }
        let range = matches!(found.value, Value::Range(_));
        let days = if range { days } else { bounded(days, edge, today, tense) };
        let bound = !range && matches!(edge, Some(SpanEdge::Until | SpanEdge::Before));
        let is_weekday = |d: &Date| d.day.is_none() && d.month.is_none() && d.shift.is_none();
        let loose =
            matches!(&found.value, Value::Date(d) if is_weekday(d)) || matches!(found.value, Value::Weekdays(_));
        let (firm, relative) = (edge.is_some() || relative, is_relative(&found.value));
        let phrase = TimePhrase { firm, relative, bound, loose, ..phrase_of(span, days, at.zone)? };
        // "오늘이랑 내일", "Monday and Tuesday": both days.
        if let Some(b) = best.filter(|b| b.firm && !b.bound && !phrase.bound) {
            let between = text.get(b.span.end..phrase.span.start).unwrap_or("?");
            if between.trim().is_empty() || words!("tense.both").contains(&between.trim()) {
                let span = Span { start: b.span.start, end: phrase.span.end };
                best = Some(TimePhrase { span, from: b.from.min(phrase.from), to: b.to.max(phrase.to), ..b });
                continue;
            }
        }
        // The first phrase that says when wins over phrases that only identify something.
        match best {
            Some(b) if b.firm || !phrase.firm => {}
            _ => best = Some(phrase),
        }
    }
    best
}

/// Whether a value is a day without a month.
fn is_bare_day(value: &Value) -> bool {
    match value {
        Value::Date(d) => d.day.is_some() && d.month.is_none() && d.shift.is_none(),
        Value::Range(ends) => is_bare_day(&ends.0),
        _ => false,
    }
}

fn is_relative(value: &Value) -> bool {
    match value {
        Value::Date(d) => d.shift.is_some(),
        Value::Period(p) => p.shift.is_some(),
        Value::Range(ends) => is_relative(&ends.0),
        Value::Duration(_) => true,
        _ => false,
    }
}

fn tense(folded: &Folded<'_>) -> Tense {
    let text = folded.text();
    let word = |words: &[&str]| text.split(|c: char| !c.is_alphanumeric()).any(|w| words.contains(&w));
    if words!("tense.korean future").stand_in(text) || word(words!("tense.english future")) {
        Tense::Future
    } else if words!("tense.korean past").stand_in(text) || word(words!("tense.english past")) {
        Tense::Past
    } else if word(words!("tense.english planned")) || cues(folded).iter().any(|c| c.kind == CueKind::Plan) {
        Tense::Future
    } else {
        Tense::Open
    }
}

/// The days of a value, end exclusive, and whether the value is relative to today.
fn days_of(
    value: &Value,
    words: &str,
    edge: Option<SpanEdge>,
    today: NaiveDate,
    tense: Tense,
) -> Option<((NaiveDate, NaiveDate), bool)> {
    let one = |day: NaiveDate| plus_days(day, 1).map(|next| (day, next));
    match value {
        Value::Date(d) => {
            let day = nearest_day(*d, today, tense)?;
            let (mut from, to) = one(day)?;
            // "At the end of May" means the last third, "by the end of May" the last day.
            if d.day == Some(LAST_DAY) && matches!(edge, None | Some(SpanEdge::When | SpanEdge::Of)) {
                from = day.with_day(LAST_THIRD).unwrap_or(from);
            }
            Some(((from, to), d.shift.is_some()))
        }
        Value::Period(p) if !words.ends_with('분') => {
            let days = nearest_period(*p, today, tense)?;
            Some((if p.kind == PeriodKind::Week { to_month_edge(*p, days) } else { days }, p.shift.is_some()))
        }
        Value::Range(ends) => {
            let (from, _) = days_of(&ends.0, "", None, today, tense)?;
            let (to, _) = days_of(&ends.1, "", None, today, tense)?;
            (from.0 < to.1).then_some(((from.0, to.1), true))
        }
        Value::Weekdays(w) if *w == Weekdays::WEEKEND => {
            let shift = if tense == Tense::Past { -1 } else { 0 };
            let weekend = Period { shift: Some(shift), ..Period::new(PeriodKind::Weekend, 0) };
            Some((nearest_period(weekend, today, tense)?, true))
        }
        // "within two weeks", 열흘 안에.
        Value::Duration(length) if edge == Some(SpanEdge::Until) => {
            let last = plus_days(today, days_in(length)?)?;
            Some(((today, plus_days(last, 1)?), true))
        }
        _ => None,
    }
}

/// Distance of a range of days from today; days against the tense count as farther.
fn distance(days: (NaiveDate, NaiveDate), today: NaiveDate, tense: Tense) -> i64 {
    let (ahead, behind) = ((days.0 - today).num_days(), (today - days.1).num_days() + 1);
    if ahead > 0 {
        ahead * if tense == Tense::Past { 3 } else { 2 }
    } else if behind > 0 {
        behind * if tense == Tense::Future { 3 } else { 2 }
    } else {
        0
    }
}

fn nearest_day(date: Date, today: NaiveDate, tense: Tense) -> Option<NaiveDate> {
    if date.year.is_some() || date.shift.is_some() || date.month.is_some() && date.day.is_none() {
        return date.on;
    }
    let fits = |d: &NaiveDate| date.day.is_some() || if tense == Tense::Past { *d <= today } else { *d >= today };
    let days = days_of_date(&date, today).into_iter().filter(fits);
    days.min_by_key(|d| distance((*d, *d), today, tense))
}

fn nearest_period(period: Period, today: NaiveDate, tense: Tense) -> Option<(NaiveDate, NaiveDate)> {
    spans_of_period(&period, today).into_iter().min_by_key(|days| distance(*days, today, tense))
}

/// Extends days to a range before or after them, according to the preposition; one side may be open.
fn bounded(
    days: (NaiveDate, NaiveDate),
    edge: Option<SpanEdge>,
    today: NaiveDate,
    tense: Tense,
) -> (NaiveDate, NaiveDate) {
    let tomorrow = plus_days(today, 1).unwrap_or(today);
    // A past end has no beginning; a future end begins today.
    let up_to = |end: NaiveDate| (if end > today { today } else { NaiveDate::MIN }, end);
    let on = |start: NaiveDate| {
        let ahead = start > today || start == today && tense == Tense::Future;
        (start, if ahead { NaiveDate::MAX } else { tomorrow })
    };
    match edge {
        Some(SpanEdge::Until) => up_to(days.1),
        Some(SpanEdge::Before) => up_to(days.0),
        Some(SpanEdge::From | SpanEdge::Since) => on(days.0),
        Some(SpanEdge::Of) if days.0 > today => on(days.0),
        Some(SpanEdge::After) => on(days.1),
        Some(SpanEdge::When | SpanEdge::Of) | None => days,
    }
}

fn days_in(length: &Duration) -> Option<i32> {
    i32::try_from(u64::from(length.months) * 61 / 2 + length.seconds / 86_400).ok().filter(|d| *d > 0)
}

const RECENT_DAYS: i32 = 14;

/// Parses 최근, recently, the last two weeks, 앞으로 열흘; also returns whether no number of days was given.
fn recent(folded: &Folded<'_>, today: NaiveDate) -> Option<(usize, usize, (NaiveDate, NaiveDate), bool)> {
    let Some((start, end, length)) = find_rule(folded, "recent") else {
        let (start, end, length) = find_rule(folded, "coming")?;
        return Some((start, end, (today, plus_days(today, days_in(&length)? + 1)?), false));
    };
    let told = days_in(&length);
    let days = told.unwrap_or(RECENT_DAYS);
    // "The last ten days of October".
    let of_month = |rest: &str| {
        let first = leading_value(rest.strip_prefix(" of ")?)?;
        let Value::Period(period) = first.value else { return None };
        let (_, to) = nearest_period(period, today, Tense::Open)?;
        Some((start, end + " of ".len() + first.span.end, (plus_days(to, -days)?, to), false))
    };
    let until_today = || Some((start, end, (plus_days(today, -days)?, plus_days(today, 1)?), told.is_none()));
    folded.text().get(end..).and_then(of_month).or_else(until_today)
}

fn leading_value(text: &str) -> Option<Found> {
    values(text, None).into_iter().next().filter(|found| found.span.start == 0)
}
