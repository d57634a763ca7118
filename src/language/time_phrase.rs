//! The time that a question asks about: 지난주, next week, 4월 첫째 주, by Friday, between 3 and 7 April.
//!
//! It reads one question; it never searches.

use crate::{
    language::{
        cues::{CueKind, cues},
        text::{
            case::Lower,
            folded::Folded,
            list::{Words, words},
            particles::is_tail,
            scan::Scan,
        },
        values::{
            calendar::{plus_days, settle_date, settle_period},
            value::{Date, Duration, Period, PeriodKind, Reference, Shift, Span, Value, Weekdays},
            values_in,
        },
    },
    model::{Time, Zone},
};
use chrono::{Datelike, NaiveDate};

/// Behind a number of months or weeks that measures.
static MINUTE: &Words = words!("korean/marks.minute");

/// The time that a question asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimePhrase {
    /// Its words, with their preposition or particle: what may be left out of the search.
    pub span: Span,
    /// The first moment.
    pub from: Time,
    /// The moment after the last.
    pub to: Time,
    /// Whether it says when ("4월에", "last week") rather than which ("2분기 목표", "the March invoice").
    pub firm: bool,
    /// Whether it counts from the day of the question ("지난주", "tomorrow"), so that no memory has its words.
    pub relative: bool,
    /// Whether it sets an end ("by Friday", 금요일까지).
    pub bound: bool,
    /// Whether it may be a habit or how things are now ("on Fridays", 요즘).
    pub loose: bool,
}

/// What the words around a time make of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SpanEdge {
    /// Up to its end.
    Until,
    /// Up to its beginning.
    Before,
    /// From its beginning on.
    From,
    /// The same, said of a time that lies behind.
    Since,
    /// From its beginning on, of what lies ahead; else only when.
    Of,
    /// From its end on.
    After,
    /// Only when.
    When,
}

/// The day of the month by which the last one is told.
const LAST_DAY: u8 = 32;
/// Where the last third of a month begins.
const LAST_THIRD: u32 = 21;

/// Which way the question looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tense {
    Past,
    Future,
    Open,
}

/// Reads the time phrase of a question, where there is one. Weeks run from Monday to Sunday.
///
/// ```
/// use memfold::{language::{Reference, time_phrase}, model::{Time, Zone}};
/// let now = "2025-03-24T00:00:00Z".parse::<Time>().unwrap_or_default();
/// let found = time_phrase("지난주에 무슨 일이 있었어?", Reference { now, zone: Zone::from_minutes(540) });
/// let found = found.map(|f| (f.from.to_string(), f.to.to_string()));
/// assert_eq!(found, Some(("2025-03-16T15:00:00.000Z".into(), "2025-03-23T15:00:00.000Z".into())));
/// ```
pub fn time_phrase(text: &str, at: Reference) -> Option<TimePhrase> {
    let folded = Folded::new(text);
    let today = at.day();
    let tense = tense(&folded);
    let mut best: Option<TimePhrase> = None;
    if let Some((start, end, days)) = recent(&folded, today) {
        let span = Span { start: folded.source(start), end: folded.source(end) };
        let (span, edge) = around(text, span);
        let firm = Firm { firm: true, relative: true, bound: edge == Some(SpanEdge::Until) };
        let lately = words!("tense.lately").contains(&folded.text().get(start..end).unwrap_or_default().trim());
        best = phrase_of(span, days, firm, at.zone).map(|phrase| TimePhrase { loose: lately, ..phrase });
    }
    for found in values_in(&folded, Some(at)) {
        let (span, edge) = around(text, found.span);
        // A bare day is one of the month that was named before it.
        let named = best.filter(|_| is_bare_day(&found.value)).map(|b| b.from.day(at.zone));
        let tense = match edge {
            Some(SpanEdge::Since) => Tense::Past,
            _ if named.is_some() => Tense::Open,
            _ => tense,
        };
        let near = named.unwrap_or(today);
        let Some((days, relative)) = days_of(&found.value, found.span.of(text), edge, near, tense) else { continue };
        let in_other_words = best.and_then(|b| apposed(text, b, found.span, days, at.zone));
        if let Some(phrase) = in_other_words {
            best = Some(phrase);
            continue;
        }
        if let Some((span, days)) = week_of(text, &found.value, found.span, edge, days.0) {
            best = phrase_of(span, days, Firm { firm: true, relative: false, bound: false }, at.zone);
            break;
        }
        let range = matches!(found.value, Value::Range(_));
        let days = if range { days } else { bounded(days, edge, today, tense) };
        let bound = !range && matches!(edge, Some(SpanEdge::Until | SpanEdge::Before));
        let firm = Firm { firm: edge.is_some() || relative, relative: counts(&found.value), bound };
        let is_weekday = |d: &Date| d.day.is_none() && d.month.is_none() && d.shift.is_none();
        let loose =
            matches!(&found.value, Value::Date(d) if is_weekday(d)) || matches!(found.value, Value::Weekdays(_));
        let phrase = TimePhrase { loose, ..phrase_of(span, days, firm, at.zone)? };
        // "오늘이랑 내일", "Monday and Tuesday": both.
        if let Some(b) = best.filter(|b| b.firm && !b.bound && !phrase.bound) {
            let between = text.get(b.span.end..phrase.span.start).unwrap_or("?");
            if between.trim().is_empty() || words!("tense.both").contains(&between.trim()) {
                let span = Span { start: b.span.start, end: phrase.span.end };
                best = Some(TimePhrase { span, from: b.from.min(phrase.from), to: b.to.max(phrase.to), ..b });
                continue;
            }
        }
        // The first that says when wins over one that says which.
        match best {
            Some(b) if b.firm || !phrase.firm => {}
            _ => best = Some(phrase),
        }
    }
    best
}

/// Whether a value is a day of whichever month.
fn is_bare_day(value: &Value) -> bool {
    match value {
        Value::Date(d) => d.day.is_some() && d.month.is_none() && d.year.is_none() && d.shift.is_none(),
        Value::Range(ends) => is_bare_day(&ends.0) && is_bare_day(&ends.1),
        _ => false,
    }
}

/// A time with what narrows it right behind it, in brackets or behind a comma: 11월 둘째 주(10일~16일)에, "in the last week of
/// February, from the 23rd".
fn apposed(text: &str, whole: TimePhrase, part: Span, days: (NaiveDate, NaiveDate), zone: Zone) -> Option<TimePhrase> {
    let between = text.get(whole.span.end..part.start)?.trim();
    let in_brackets = between == "(";
    let begins = between.strip_prefix(',').map(|rest| rest.trim().lower());
    let begins = begins.filter(|rest| rest.is_empty() || words!("tense.narrowing").contains(&&**rest));
    if !in_brackets && begins.is_none() {
        return None;
    }
    let close = text.get(part.end..).and_then(|rest| rest.find(')')).filter(|_| in_brackets);
    let (span, _) = around(text, Span { start: whole.span.start, end: close.map_or(part.end, |at| part.end + at + 1) });
    let told = phrase_of(span, days, Firm { firm: true, relative: whole.relative, bound: whole.bound }, zone)?;
    let begins = begins.is_some_and(|rest| !rest.is_empty());
    let (from, to) = (told.from.day(zone), told.to.day(zone));
    // Not everybody counts weeks alike: what stands in brackets is believed.
    let apart = (whole.from.day(zone) - to).num_days().max((from - whole.to.day(zone)).num_days());
    (apart < if in_brackets { 7 } else { 0 })
        .then_some(TimePhrase { to: if begins { whole.to } else { told.to }, ..told })
}

/// The week that a day names: "the week of 3 November", 13일이 있는 주; the seven days from it, where they are told so.
fn week_of(
    text: &str,
    value: &Value,
    span: Span,
    edge: Option<SpanEdge>,
    day: NaiveDate,
) -> Option<(Span, (NaiveDate, NaiveDate))> {
    if !matches!(value, Value::Date(d) if d.day.is_some()) {
        return None;
    }
    let before = text.get(..span.start)?.trim_end().lower();
    let before = before.strip_suffix(" the").unwrap_or(&before).trim_end();
    let behind = text.get(span.end..)?;
    let longest = |list: &Words| list.iter().filter(|w| behind.starts_with(**w)).map(|w| w.len()).max();
    let around = |start, end| around(text, Span { start, end }).0;
    let monday = || plus_days(day, -i32::try_from(day.weekday().num_days_from_monday()).unwrap_or(0));
    let (span, first) = if let Some(told) = words!("tense.week of").iter().find(|w| before.ends_with(**w)) {
        (around(before.len() - told.len(), span.end), monday()?)
    } else if let Some(length) = longest(words!("tense.week that has it")) {
        (around(span.start, span.end + length), monday()?)
    } else if let Some(length) = longest(words!("tense.week from it")) {
        (around(span.start, span.end + length), day)
    } else {
        let says_week = before.split(|c: char| !c.is_alphanumeric()).any(|w| w == "week");
        let from = matches!(edge, Some(SpanEdge::From | SpanEdge::Of));
        (from && says_week).then_some((around(span.start, span.end), day))?
    };
    Some((span, (first, plus_days(first, 7)?)))
}

/// Whether a value counts from today.
fn counts(value: &Value) -> bool {
    match value {
        Value::Date(d) => d.shift.is_some(),
        Value::Period(p) => p.shift.is_some(),
        Value::Range(ends) => counts(&ends.0) || counts(&ends.1),
        Value::Duration(_) => true,
        _ => false,
    }
}

/// How a phrase says its time; see [`TimePhrase`].
struct Firm {
    firm: bool,
    relative: bool,
    bound: bool,
}

fn phrase_of(span: Span, days: (NaiveDate, NaiveDate), firm: Firm, zone: Zone) -> Option<TimePhrase> {
    let Firm { firm, relative, bound } = firm;
    let start = |day: NaiveDate| match day {
        NaiveDate::MIN => Some(Time::MIN),
        NaiveDate::MAX => Some(Time::MAX),
        _ => day.and_hms_opt(0, 0, 0).map(|t| Time::from_local(t, zone)),
    };
    Some(TimePhrase { span, from: start(days.0)?, to: start(days.1)?, firm, relative, bound, loose: false })
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

/// The days of a value, and whether it was said in relation to today.
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
            // "At the end of May" is its last third, "by the end of May" its last day.
            if d.day == Some(LAST_DAY) && matches!(edge, None | Some(SpanEdge::When | SpanEdge::Of)) {
                from = day.with_day(LAST_THIRD).unwrap_or(from);
            }
            Some(((from, to), d.shift.is_some()))
        }
        Value::Period(p) if !MINUTE.end(words) => {
            let days = nearest_period(*p, today, tense)?;
            Some((if p.kind == PeriodKind::Week { with_rest(*p, days) } else { days }, p.shift.is_some()))
        }
        Value::Range(ends) => {
            let (from, _) = days_of(&ends.0, "", None, today, tense)?;
            let (to, _) = days_of(&ends.1, "", None, today, tense)?;
            (from.0 < to.1).then_some(((from.0, to.1), true))
        }
        Value::Weekdays(w) if *w == Weekdays::WEEKEND => {
            let weekend = Period {
                kind: PeriodKind::Weekend,
                year: None,
                month: None,
                number: 0,
                shift: Some(if tense == Tense::Past && today.weekday().num_days_from_monday() < 5 { -1 } else { 0 }),
                span: None,
            };
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

/// The first and the last week of a month, with the days of it before and behind: few know where a week ends that a month ends in.
fn with_rest(week: Period, (from, to): (NaiveDate, NaiveDate)) -> (NaiveDate, NaiveDate) {
    let Some(month) = week.month.map(u32::from) else { return (from, to) };
    let first = |year: i32, month: u32| NaiveDate::from_ymd_opt(year + i32::from(month > 12), (month - 1) % 12 + 1, 1);
    match week.number {
        1 => (first(to.year(), month).map_or(from, |day| day.min(from)), to),
        -1 => (from, first(from.year(), month + 1).map_or(to, |day| day.max(to))),
        _ => (from, to),
    }
}

/// How far a stretch lies from today, nearer where the question looks.
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
    if date.year.is_some() || date.shift.is_some() {
        return date.on;
    }
    let settled = |date: Date| {
        let mut date = date;
        date.on = None;
        settle_date(&mut date, Some(today));
        date.on
    };
    if date.month.is_some() && date.day.is_some() {
        return (-1..=1)
            .filter_map(|n| settled(Date { year: i16::try_from(today.year() + n).ok(), ..date }))
            .min_by_key(|d| distance((*d, *d), today, tense));
    }
    if date.day.is_some() {
        return (-1..=1)
            .filter_map(|n| settled(Date { shift: Some(Shift::Months(n)), weekday: None, ..date }))
            .min_by_key(|d| distance((*d, *d), today, tense));
    }
    if date.weekday.is_some() && date.month.is_none() {
        return (-1..=1)
            .filter_map(|n| settled(Date { shift: Some(Shift::Weeks(n)), ..date }))
            .filter(|d| match tense {
                Tense::Past => *d <= today,
                _ => *d >= today,
            })
            .min_by_key(|d| (*d - today).num_days().abs());
    }
    date.on
}

fn nearest_period(period: Period, today: NaiveDate, tense: Tense) -> Option<(NaiveDate, NaiveDate)> {
    if period.year.is_some() {
        return period.span;
    }
    let settled = |mut period: Period| {
        period.span = None;
        settle_period(&mut period, Some(today));
        period.span
    };
    if period.shift.is_some() {
        return settled(period);
    }
    (-1..=1)
        .filter_map(|n| settled(Period { year: i16::try_from(today.year() + n).ok(), ..period }))
        .min_by_key(|days| distance(*days, today, tense))
}

/// The words around a time, with what they make of it.
fn around(text: &str, span: Span) -> (Span, Option<SpanEdge>) {
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
    // What is glued to it, and a word behind it.
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
    let mut word = s.word_before(span.start).lower();
    if word == "the" {
        word = s.word_before(start).lower();
        start = s.letters_start(s.blank_before(start));
    }
    if let Some((_, told)) = edges.iter().find(|(list, _)| word.is_ascii() && list.contains(&word.as_str())) {
        (span.start, edge) = (start, Some(*told));
    }
    (span, edge)
}

/// The days that are meant where a time is an end or a beginning; open where nothing says the other one.
fn bounded(
    days: (NaiveDate, NaiveDate),
    edge: Option<SpanEdge>,
    today: NaiveDate,
    tense: Tense,
) -> (NaiveDate, NaiveDate) {
    let tomorrow = plus_days(today, 1).unwrap_or(today);
    // What ends behind has no beginning; what ends ahead begins now.
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

/// How many days a length of time has, where it has any.
fn days_in(length: &Duration) -> Option<i32> {
    i32::try_from(u64::from(length.months) * 61 / 2 + length.seconds / 86_400).ok().filter(|d| *d > 0)
}

/// How many days ago is recently.
const LATE: i32 = 14;

/// 최근, recently, the last two weeks, 앞으로 열흘.
fn recent(folded: &Folded<'_>, today: NaiveDate) -> Option<(usize, usize, (NaiveDate, NaiveDate))> {
    let s = Scan(folded.text());
    let tomorrow = plus_days(today, 1)?;
    // Where one of them stands for the first time, the longest first.
    let find = |words: &[&str]| {
        let is_word = |n: &usize, w: &str| s.starts_word(*n) && (!w.is_ascii() || s.ends_word(n + w.len()));
        let first = |w: &&str| Some((s.0.match_indices(w).map(|(n, _)| n).find(|n| is_word(n, w))?, w.len()));
        let mut found: Vec<(usize, usize)> = words.iter().filter_map(first).collect();
        found.sort_by_key(|(at, length)| (*at, usize::MAX - length));
        found
    };
    for (words, back) in [(words!("tense.back"), true), (words!("tense.ahead"), false)] {
        for (start, length) in find(words) {
            let end = start + length;
            let next = s.blank(end);
            let rest = Folded::new(s.rest(next));
            let first = values_in(&rest, None).into_iter().next().filter(|f| f.span.start == 0);
            let days = match first.map(|found| (found.value, found.span.end)) {
                Some((Value::Duration(length), stop)) => days_in(&length).map(|days| (days, next + stop)),
                Some(_) => None,
                None => words!("tense.lately").contains(&s.slice(start, end)).then_some((LATE, end)),
            };
            // "The last ten days of October".
            let of =
                days.and_then(|(_, stop)| s.rest(stop).strip_prefix(" of ").map(|rest| (stop + 4, Folded::new(rest))));
            let month = of.and_then(|(at, rest)| {
                let first = values_in(&rest, None).into_iter().next().filter(|f| f.span.start == 0)?;
                let Value::Period(period) = first.value else { return None };
                Some((nearest_period(period, today, Tense::Open)?, at + first.span.end))
            });
            if let (true, Some((days, _)), Some(((_, end), stop))) = (back, days, month) {
                return Some((start, stop, (plus_days(end, -days)?, end)));
            }
            if let Some((days, stop)) = days {
                let span =
                    if back { (plus_days(today, -days)?, tomorrow) } else { (today, plus_days(today, days + 1)?) };
                return Some((start, stop, span));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str, now: &str) -> Option<(String, String)> {
        let zone = Zone::from_minutes(540);
        let at = Reference { now: now.parse().unwrap(), zone };
        time_phrase(text, at).map(|p| (p.from.day(zone).to_string(), p.to.day(zone).to_string()))
    }

    #[test]
    fn questions_ask_about_a_time() {
        for (text, now, from, to) in [
            ("지난주에 무슨 일이 있었어?", "2025-03-24T00:00:00Z", "2025-03-17", "2025-03-24"),
            ("What is on my calendar next week?", "2025-04-04T09:00:00Z", "2025-04-07", "2025-04-14"),
            ("4월 첫째 주에 잡혀 있던 일정 알려 줘", "2025-03-28T01:00:00Z", "2025-03-31", "2025-04-07"),
            ("3월 셋째 주말에 무슨 일이 있었지?", "2025-03-20T01:00:00Z", "2025-03-15", "2025-03-17"),
            ("What meetings are there this week?", "2025-04-14T00:00:00Z", "2025-04-14", "2025-04-21"),
            ("5월에 예정된 큰 일이 뭐야?", "2025-04-14T00:00:00Z", "2025-05-01", "2025-06-01"),
            ("어제 뭐 정했지?", "2025-04-14T00:00:00Z", "2025-04-13", "2025-04-14"),
            ("what happened last month", "2025-04-14T00:00:00Z", "2025-03-01", "2025-04-01"),
            ("지난달에 낸 돈", "2025-01-14T00:00:00Z", "2024-12-01", "2025-01-01"),
            ("오늘 일정", "2025-04-14T00:00:00Z", "2025-04-14", "2025-04-15"),
            ("what is due by Friday?", "2025-04-14T00:00:00Z", "2025-04-14", "2025-04-19"),
            ("금요일까지 뭐 해야 해?", "2025-04-14T00:00:00Z", "2025-04-14", "2025-04-19"),
            ("what did we decide in March", "2025-04-14T00:00:00Z", "2025-03-01", "2025-04-01"),
            ("what happened in December?", "2025-02-14T00:00:00Z", "2024-12-01", "2025-01-01"),
            ("what happened between 3 and 7 April", "2025-04-14T00:00:00Z", "2025-04-03", "2025-04-08"),
            ("4월 3일부터 7일까지 일정", "2025-04-01T00:00:00Z", "2025-04-03", "2025-04-08"),
            ("1분기에 뭐 했지?", "2025-04-14T00:00:00Z", "2025-01-01", "2025-04-01"),
            ("meetings on Tuesday", "2025-04-14T00:00:00Z", "2025-04-15", "2025-04-16"),
            ("who did I meet on Tuesday?", "2025-04-17T00:00:00Z", "2025-04-15", "2025-04-16"),
            ("what did I do in the last two weeks?", "2025-04-14T00:00:00Z", "2025-03-31", "2025-04-15"),
            ("최근 3일 동안 온 메일", "2025-04-14T00:00:00Z", "2025-04-11", "2025-04-15"),
            ("이번 주말에 뭐 있어?", "2025-04-14T00:00:00Z", "2025-04-19", "2025-04-21"),
            ("작년에 계약한 곳", "2025-04-14T00:00:00Z", "2024-01-01", "2025-01-01"),
            ("20일에 뭐 있어?", "2025-04-14T00:00:00Z", "2025-04-20", "2025-04-21"),
            ("내일 몇 시에 만나?", "2025-04-14T00:00:00Z", "2025-04-15", "2025-04-16"),
            ("What's on in the week of 3 November?", "2025-11-02T11:00:00Z", "2025-11-03", "2025-11-10"),
            ("What is there the week of the 20th?", "2026-05-08T00:00:00Z", "2026-05-18", "2026-05-25"),
            ("Anything in the week commencing 3 November?", "2025-11-02T11:00:00Z", "2025-11-03", "2025-11-10"),
            (
                "What have I got on in the week after Easter, from the 6th of April?",
                "2026-03-22T00:00:00Z",
                "2026-04-06",
                "2026-04-13",
            ),
            ("4월 27일부터 그 주에 무슨 일이 있어?", "2026-03-22T00:00:00Z", "2026-04-27", "2026-05-04"),
            ("13일이 있는 주에 뭐 있어?", "2026-05-08T00:00:00Z", "2026-05-11", "2026-05-18"),
            ("11월 둘째 주(10일~16일)에 무슨 일이 있지?", "2025-10-09T13:00:00Z", "2025-11-10", "2025-11-17"),
            ("3월 넷째 주말(28, 29일)에 무슨 일 있었어?", "2026-05-08T00:00:00Z", "2026-03-28", "2026-03-30"),
            (
                "What happened in the last week of February, from the 23rd?",
                "2026-03-20T00:00:00Z",
                "2026-02-23",
                "2026-03-02",
            ),
            (
                "at the library in the middle of September, 14th to 20th?",
                "2026-11-13T00:00:00Z",
                "2026-09-14",
                "2026-09-21",
            ),
            ("What was there in the last ten days of October?", "2026-11-22T00:00:00Z", "2026-10-22", "2026-11-01"),
            ("What happened in the last week of March?", "2026-04-20T00:00:00Z", "2026-03-23", "2026-04-01"),
            ("12월 마지막 주에 뭐 했지?", "2026-01-20T00:00:00Z", "2025-12-22", "2026-01-01"),
            ("11월 첫 주에 무슨 일 있었지?", "2026-11-22T00:00:00Z", "2026-11-01", "2026-11-09"),
            ("Who stands there on Saturday and Sunday?", "2025-11-28T00:00:00Z", "2025-11-29", "2025-12-01"),
        ] {
            assert_eq!(days(text, now), Some((from.to_owned(), to.to_owned())), "{text}");
        }
        // What has no beginning or no end may be told more closely all the same.
        for text in
            ["before 3 May, from the 1st", "until Friday (3 May)", "2일까지(1일, 3일)", "since 1 May, 2nd to 9th, 4th"]
        {
            assert!(days(text, "2025-04-14T00:00:00Z").is_some(), "{text}");
        }
        for text in ["실증사업 예산 지금 얼마로 잡혀 있어?", "Can Suhyun eat shrimp?", "여권 언제까지 쓸 수 있어?", ""]
        {
            assert_eq!(days(text, "2025-04-14T00:00:00Z"), None, "{text}");
        }
    }

    #[test]
    fn what_names_a_thing_is_not_firm() {
        let at = Reference { now: "2025-04-14T00:00:00Z".parse().unwrap(), zone: Zone::from_minutes(540) };
        let firm = |text| time_phrase(text, at).map(|p| p.firm);
        assert_eq!(firm("2분기 품질 목표가 뭐였더라?"), Some(false));
        assert_eq!(firm("2분기에 뭐 했어?"), Some(true));
        assert_eq!(firm("the March invoice"), Some(false));
    }

    #[test]
    fn the_words_of_the_time_can_be_left_out() {
        let at = Reference { now: "2025-04-14T00:00:00Z".parse().unwrap(), zone: Zone::from_minutes(540) };
        let words = |text| time_phrase(text, at).map(|p| p.span.of(text));
        assert_eq!(words("지난주에 무슨 일이 있었어?"), Some("지난주에"));
        assert_eq!(words("what is due by Friday?"), Some("by Friday"));
        assert_eq!(words("what did we decide in March"), Some("in March"));
        assert_eq!(words("What is on in the week of 3 May?"), Some("in the week of 3 May"));
        assert_eq!(words("5월 둘째 주(12일~18일)에 뭐 있지?"), Some("5월 둘째 주(12일~18일)에"));
    }
}
