//! The days of a statement of a mail: which are meant, and what they do in it.
//!
//! A wrong day is worse than none: where two are as likely, there is none.

use crate::language::{
    self, Bound, Clock, CueKind, Cycle, Date, Folded, Found, On, Period, PeriodKind, Reference, Shift, Value, cues,
    is_hangul, is_of_two_days, jamo, moment, stands_in, words,
};
use crate::model::{DayOrTime, Zone};
use chrono::{Datelike, Days, Months, NaiveDate};

/// What a date does in its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateRole {
    /// The day of what the sentence tells.
    Event,
    /// 까지, by: when something is due.
    Deadline,
    /// 유효, valid until: when something ends.
    Until,
    /// 부터, from: when something begins.
    From,
    /// What it was before: moved from …, instead of ….
    Former,
}

/// A day, perhaps with a time of day, and its role.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Its first byte, and the one behind it.
    pub start: usize,
    /// See `start`.
    pub end: usize,
    /// The day.
    pub day: NaiveDate,
    /// The time of day beside it.
    pub clock: Option<Clock>,
    /// What it does.
    pub role: DateRole,
}

impl Moment {
    /// The day, or the time where one stands beside it.
    pub fn at(&self, home: Zone) -> Option<DayOrTime> {
        let Some(clock) = &self.clock else { return Some(DayOrTime::Day(self.day)) };
        moment(&Date { on: Some(self.day), ..Date::default() }, clock, home).map(DayOrTime::Time)
    }
}

/// Bytes around a date that may tell its role or what it hangs on.
const NEAR: usize = 400;
/// Bytes between a day of the month and the weekday that tells which it is: "the 19th, still the Thursday".
const BESIDE: usize = 16;
/// Days by which a bare day may lie behind the mail without being told as over.
const BACK: i64 = 7;
/// Days ahead of the mail after which a weekday beside a bare day may be that of something else.
const AHEAD: i64 = 100;
/// Months from that of the mail in which one that is named lies ahead.
const MOST_AHEAD: u32 = 6;
/// The last letter of a syllable of the past, as in 갔다.
const DOUBLE_S: u32 = 20;

/// The first bytes of a text, or its last ones, whole characters.
fn head(text: &str, bytes: usize) -> &str {
    &text[..(0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)]
}

fn tail(text: &str, bytes: usize) -> &str {
    &text[(text.len().saturating_sub(bytes)..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0)..]
}

/// Where the sentence around a byte begins.
fn sentence_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['.', '!', '?', '\n', ';']).map_or(0, |end| end + 1)
}

/// What stands before the first mark that ends a clause.
fn clause(text: &str) -> &str {
    text.split(['.', ',', '!', '?', '\n']).next().unwrap_or_default()
}

/// The values of a text as a mail means them: a day that cannot be told is none.
pub fn meant_values(text: &str, at: Option<Reference>) -> Vec<Found> {
    let mut found = language::values(text, at);
    let meant: Vec<Option<Option<NaiveDate>>> = (0..found.len()).map(|n| meant(text, &found, n, at?)).collect();
    for (one, meant) in found.iter_mut().zip(meant) {
        let before = tail(text[..one.span.start].trim_end(), 16).to_lowercase();
        let is_lunar = before.ends_with("음력") || before.ends_with("lunar");
        let is_from_another =
            matches!(&one.value, Value::Date(d) if d.shift.is_some()) && counts_from_another(text, one);
        let is_bare = weekday_alone(&one.value).is_some();
        let Value::Date(date) = &mut one.value else { continue };
        if is_lunar || is_from_another {
            date.on = None;
        } else if is_bare && before.ends_with("a week from") {
            date.on = date.on.and_then(|day| day.checked_add_days(Days::new(7)));
        } else if let Some(day) = meant {
            date.on = day;
        }
    }
    found
}

/// The months that a text names by themselves, from that of the mail on, where one of them is to come.
pub fn months_of(text: &str, at: Option<Reference>) -> Vec<u32> {
    at.map_or(Vec::new(), |at| months_ahead(&language::values(text, Some(at)), at.day()))
}

fn months_ahead(values: &[Found], today: NaiveDate) -> Vec<u32> {
    let month = |f: &Found| match &f.value {
        Value::Period(Period { kind: PeriodKind::Month, month: Some(month), .. }) => Some(u32::from(*month)),
        _ => None,
    };
    let is_ahead = |month: &u32| (month + 12 - today.month()) % 12 <= MOST_AHEAD;
    let months: Vec<u32> = values.iter().filter_map(month).filter(is_ahead).collect();
    if months.iter().all(|month| *month == today.month()) { Vec::new() } else { months }
}

/// Takes the day from a bare day of the month that lies in none of these months: it may be of one of them.
pub fn unless_of_months(found: &mut [Found], months: &[u32]) {
    for one in found.iter_mut().filter(|f| is_bare_day(&f.value)) {
        if let Value::Date(date) = &mut one.value {
            date.on = date.on.filter(|on| months.is_empty() || months.contains(&on.month()));
        }
    }
}

/// The weekday, or the day of the month, where nothing else of the date is said.
fn weekday_alone(value: &Value) -> Option<u8> {
    match value {
        Value::Date(Date { month: None, day: None, shift: None, weekday, .. }) => *weekday,
        _ => None,
    }
}

const fn is_bare_day(value: &Value) -> bool {
    matches!(value, Value::Date(Date { day: Some(_), month: None, weekday: None, shift: None, .. }))
}

/// The day that the `n`th value means; absent where its own reading stands.
fn meant(text: &str, values: &[Found], n: usize, at: Reference) -> Option<Option<NaiveDate>> {
    let (found, today) = (&values[n], at.day());
    let (start, end) = (found.span.start, found.span.end);
    let Value::Date(date) = &found.value else { return None };
    let said = found.span.of(text).to_lowercase();
    if said.starts_with("following") {
        return Some(None);
    }
    let a_week_before = |on: Option<NaiveDate>| on.filter(|on| *on > today)?.checked_sub_days(Days::new(7));
    if let Some(weekday) = weekday_alone(&found.value) {
        let is_told_beside = beside(text, values, n).any(|f| is_bare_day(&f.value));
        if is_one_of_many(text, start, end) || is_told_beside || hangs_on_another(text, values, n) {
            return Some(None);
        }
        let is_past = is_told_as_past(text, start, end);
        if let Some(day) = day_of_week(text, values, n, weekday) {
            return Some(Some(day));
        }
        if !is_past && said.starts_with(is_hangul) && !is_singled_out(text, start, end) {
            return Some(None);
        }
        return is_past.then(|| a_week_before(date.on));
    }
    match (date.shift, date.weekday, date.day) {
        (Some(Shift::Weeks(-1)), Some(weekday), None) if !said.contains("week") && !said.contains("주") => {
            // 지난 월요일 is the latest; "last Monday" may be that of this week or of the one before.
            let since = (7 + today.weekday().num_days_from_monday() - u32::from(weekday)) % 7;
            let latest = today.checked_sub_days(Days::new(if since == 0 { 7 } else { since.into() }));
            let is_this_week = u32::from(weekday) < today.weekday().num_days_from_monday();
            return if said.starts_with(is_hangul) { Some(latest) } else { is_this_week.then_some(None) };
        }
        // "They came this Monday", said on a Thursday.
        (Some(Shift::Weeks(0)), Some(_), None) if date.on.is_some_and(|on| on > today) => {
            return is_told_as_past(text, start, end).then(|| a_week_before(date.on));
        }
        _ => {}
    }
    if date.month.is_some() && date.day.is_some() && is_of_two_days(text, found.span, at) {
        let weekday = date.weekday.or_else(|| weekday_beside(text, values, n));
        let of = |on: NaiveDate| weekday.is_some_and(|w| on.weekday().num_days_from_monday() == u32::from(w));
        let other = date.on.and_then(|on| NaiveDate::from_ymd_opt(on.year(), on.day(), on.month()));
        let mut fits = [date.on, other].into_iter().flatten().filter(|on| of(*on));
        return Some(fits.next().filter(|_| fits.next().is_none()));
    }
    if date.month.is_some() || date.shift.is_some() {
        return None;
    }
    Some(bare_day(text, values, n, date.day?, at))
}

/// The day that a bare day of the month means.
fn bare_day(text: &str, values: &[Found], n: usize, day: u8, at: Reference) -> Option<NaiveDate> {
    let (found, today) = (&values[n], at.day());
    let (start, end) = (found.span.start, found.span.end);
    let Value::Date(date) = &found.value else { return None };
    // "합계(3일)" is a length, "목요일(19일)" a day.
    let is_of_word = || {
        let word = text[..start].strip_suffix('(');
        word.is_some_and(|w| w.ends_with(char::is_alphanumeric) && !w.ends_with("요일")) && text[end..].starts_with(')')
    };
    let is_length = found.span.of(text).ends_with('일')
        && (words!("mail/dates.after a length of days").begin(text[end..].trim_start()) || is_of_word());
    let told_by_another = text[end..].split(['.', ';', '!', '?', '\n']).next().unwrap_or_default().to_lowercase();
    let is_told_by_another = words!("mail/dates.counted from another").stand_in(&told_by_another);
    let is_in_series = date.weekday.is_none() && is_of_series(text, values, n);
    if is_length || is_told_by_another || is_in_series {
        return None;
    }
    let first = today.with_day(1)?;
    let months = (0..12).filter_map(|k| first.checked_sub_months(Months::new(1))?.checked_add_months(Months::new(k)));
    if let Some(weekday) = date.weekday.or_else(|| weekday_beside(text, values, n)) {
        let mut days = months.filter_map(|m| m.with_day(day.into()));
        let is_near = |d: &NaiveDate| (-BACK..=AHEAD).contains(&d.signed_duration_since(today).num_days());
        return days.find(|d| is_near(d) && d.weekday().num_days_from_monday() == u32::from(weekday));
    }
    // The last day before it in its sentence that has a month: "7월 3일에 와서 7일에".
    let named_before = values[..n].iter().rev().find_map(|f| {
        let Value::Date(Date { on: Some(on), month: Some(_), day: Some(_), .. }) = f.value else { return None };
        (f.span.start >= sentence_start(text, start)).then_some(on)
    });
    if let Some(before) = named_before {
        let is_denied = words!("mail/dates.before what is denied").end(&text[..start].to_lowercase());
        let same = before.with_day(day.into()).filter(|d| is_denied || *d > before);
        return same.or_else(|| before.with_day(1)?.checked_add_months(Months::new(1))?.with_day(day.into()));
    }
    // Whoever means the day of the mail, or the next, says "today" or "tomorrow".
    let is_said = |f: &Found| matches!(&f.value, Value::Date(Date { shift: Some(Shift::Days(0 | 1)), .. }));
    let is_close = [Some(today), today.succ_opt()].iter().flatten().any(|d| d.day() == u32::from(day));
    if is_close && !beside(text, values, n).any(is_said) {
        return None;
    }
    let before = || first.checked_sub_months(Months::new(1))?.with_day(day.into());
    let last = today.with_day(day.into()).filter(|d| *d <= today).or_else(before);
    if is_told_as_past(text, start, end) {
        return last;
    }
    let is_near = last.is_some_and(|d| d < today && today.signed_duration_since(d).num_days() <= BACK);
    let named = months_ahead(values, today);
    let may_be = |d: &NaiveDate| !is_near && (named.is_empty() || named.contains(&d.month()));
    months.skip(1).filter_map(|m| m.with_day(day.into())).find(|d| *d >= today).filter(may_be)
}

/// The day of a weekday whose sentence begins with the week: "Next week the meeting is on Thursday", 다음 주 회의는 목요일.
fn day_of_week(text: &str, values: &[Found], n: usize, weekday: u8) -> Option<NaiveDate> {
    let from = sentence_start(text, values[n].span.start);
    let begins = |f: &&Found| f.span.start >= from && text[from..f.span.start].trim().is_empty();
    let week = values[..n].iter().find(begins)?;
    let Value::Period(Period { kind: PeriodKind::Week, shift: Some(0 | 1), span: Some((from, to)), .. }) = week.value
    else {
        return None;
    };
    let mut days = from.iter_days().take_while(|d| *d < to && !text[week.span.end..].starts_with("부터"));
    days.find(|d| d.weekday().num_days_from_monday() == u32::from(weekday))
}

/// Whether a weekday is that of some other week, or every one of them: 평소 토요일, "my Tuesday mornings", "the Monday of
/// that week", "Easter Monday", "Thursday 4 and Friday 5 June".
fn is_one_of_many(text: &str, start: usize, end: usize) -> bool {
    let before = tail(&text[..start], 48).to_lowercase();
    let after = text[end..].to_lowercase();
    let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
    // "the Tuesday, the 9th" says which.
    let rest = after.trim_start_matches([',', ' ']);
    let is_dated = after.starts_with([',', ' '])
        && rest.strip_prefix("the ").unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit());
    let number = after.strip_prefix(' ').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_clock = |rest: &str| {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        [":", ".", "시", "am", "pm", " am", " pm", "h", "-", "~", "–"].iter().any(|w| after.starts_with(w))
    };
    words!("mail/dates.before one of many").end(before.trim_end())
        || words!("mail/dates.before some weekday").contains(&word) && !is_dated
        || words!("mail/dates.after one of many").begin(&after)
        || (after.starts_with("'s ") || after.starts_with("’s "))
            && ["from", "since", "of", "in", "after"].contains(&word)
        || number.is_some_and(|rest| !is_clock(rest))
}

/// Whether a Korean weekday is that of one week: 오는 화요일, 금요일까지, "토요일에 찾으러 갈게요".
fn is_singled_out(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (text[..start].trim_end(), &text[end..]);
    let from = before.rfind(['.', '!', '?', '\n']).map_or(0, |at| at + 1);
    let clause = after.split(['.', '!', '?', '\n']).next().unwrap_or_default();
    let every = words!("mail/dates.of every week");
    words!("mail/dates.before one weekday").end(before)
        || after.starts_with("까지")
        || after.starts_with([' ', '에', '로'])
            && !after.starts_with("에는")
            && words!("mail/dates.promises").stand_in(clause)
            && !every.stand_in(&before[from..])
            && !every.stand_in(clause)
}

/// Whether a weekday hangs on another day than the mail's: two weekdays in a row, "the day before" in its sentence, or a
/// day more than a week away, or from which on something holds, before it.
fn hangs_on_another(text: &str, values: &[Found], n: usize) -> bool {
    let span = values[n].span;
    let names = |v: &Value| weekday_alone(v).is_some() || matches!(v, Value::Weekdays(_) | Value::Recurrence(_));
    let is_row = |a: &Found, b: &Found| {
        let between = text.get(a.span.end..b.span.start).unwrap_or("-");
        names(&a.value) && names(&b.value) && words!("mail/dates.between days in a row").contains(&between)
    };
    // A short "Tues" is no day by itself.
    let before = text[..span.start].strip_suffix(" and ").and_then(|h| h.rsplit(|c: char| !c.is_alphanumeric()).next());
    let is_short = |word: &str| word.len() <= 5 && words!("mail/dates.short weekdays").begin(&word.to_lowercase());
    let ends_row = values[..n].last().is_some_and(|before| is_row(before, &values[n]));
    if before.is_some_and(is_short) || ends_row || values.get(n + 1).is_some_and(|next| is_row(&values[n], next)) {
        return true;
    }
    let sentence = text[..span.start].rfind(['!', '?', '\n']).map_or(0, |at| at + 1);
    let sentence = text[sentence..span.start].rfind(". ").map_or(sentence, |at| sentence + at + 2);
    if words!("mail/dates.the day before").stand_in(&text[sentence..span.start].to_lowercase()) {
        return true;
    }
    let Value::Date(Date { on: Some(own), .. }) = values[n].value else { return false };
    values[..n].iter().any(|f| {
        let on = match &f.value {
            Value::Range(ends) => &ends.1,
            value => value,
        };
        let Value::Date(Date { on: Some(on), day: Some(_), .. }) = on else { return false };
        let days = on.signed_duration_since(own).num_days();
        let is_begin = f.span.start >= sentence && text[f.span.end..].trim_start_matches(')').starts_with("부터");
        days > BACK || is_begin && days > 0
    })
}

/// The weekday that stands by itself close to a bare day of the month, and so tells of which month it is.
fn weekday_beside(text: &str, values: &[Found], n: usize) -> Option<u8> {
    let mut found = beside(text, values, n).filter_map(|f| weekday_alone(&f.value));
    found.next().filter(|_| found.next().is_none())
}

/// The values close before and behind the `n`th, within its sentence.
fn beside<'a>(text: &'a str, values: &'a [Found], n: usize) -> impl Iterator<Item = &'a Found> {
    let span = values[n].span;
    let near = |gap: Option<&str>| gap.is_some_and(|g| g.len() <= BESIDE && !g.contains(['.', '!', '?', '\n', ';']));
    let last = values[..n].last().filter(|f| near(text.get(f.span.end..span.start)));
    last.into_iter().chain(values.get(n + 1).filter(|f| near(text.get(span.end..f.span.start))))
}

/// Whether the clause tells what was done on the day: "finished on Monday", "월요일에 만났습니다", "our letter of the 14th".
fn is_told_as_past(text: &str, start: usize, end: usize) -> bool {
    let after = head(&text[end..], 160);
    if let Some(rest) = after.strip_prefix('에').filter(|rest| !rest.starts_with('서')) {
        let clause = clause(rest);
        let happened = |c: char| c != '있' && c != '겠' && jamo(c).is_some_and(|(.., last)| last == DOUBLE_S);
        // "화요일에 온 손님": one who came.
        let next = rest.split_whitespace().next().unwrap_or_default();
        let is_done = rest.starts_with(' ') && words!("mail/dates.done before").contains(&next);
        return is_done || !words!("mail/dates.arranged").stand_in(clause) && clause.chars().any(happened);
    }
    // "화요일 총회에서 정해진 것": a meeting that is over.
    if let Some((_, after)) = clause(after).split_once("에서 ") {
        return words!("mail/dates.done there").contains(&after.split_whitespace().next().unwrap_or_default());
    }
    let before = tail(&text[..start], NEAR).to_lowercase();
    let clause = before.rsplit(['.', ',', ';', ':', '!', '?', '\n']).next().unwrap_or_default();
    let mut back: Vec<&str> = clause.split_whitespace().filter(|w| *w != "the").rev().take(9).collect();
    let to_come = words!("mail/dates.ahead");
    match back.first() {
        Some(&"since") => return true,
        Some(&"of") => return back.get(1).is_some_and(|w| words!("mail/dates.letters").contains(w)),
        Some(&"on") => drop(back.remove(0)),
        Some(word) if words!("mail/dates.towards").contains(word) => return false,
        Some(_) => {}
        None => return false,
    }
    let is_ahead = |w: &&str| to_come.contains(w) || ["'ll", "’ll", "'d", "’d"].iter().any(|end| w.ends_with(end));
    let is_past = |w: &&str| words!("mail/dates.past").contains(w) || w.len() > 4 && w.ends_with("ed");
    let verb = back.iter().position(|w| is_ahead(w) || is_past(w));
    // "I'll put it": what stands before the verb tells as well.
    verb.is_some_and(|at| !back[at..].iter().take(3).any(is_ahead))
}

/// Whether what the clause of a day tells of comes again by weeks or months, and nothing says which time: "the weekly
/// meeting is on Tuesday", 월례 회의는 20일.
fn is_of_series(text: &str, values: &[Found], n: usize) -> bool {
    let span = values[n].span;
    let start = text[..span.start].rfind(['.', '!', '?', '\n', ',', ';', ':']).map_or(0, |end| end + 1);
    let end = text[span.end..].find(['.', '!', '?', '\n']).map_or(text.len(), |at| span.end + at);
    let (before, clause) = (text[start..span.start].to_lowercase(), text[start..end].to_lowercase());
    let values = || values[..n].iter().filter(|f| start <= f.span.start);
    let recurs = |f: &Found| match &f.value {
        Value::Recurrence(r) => r.on == On::Any && matches!(r.unit, Cycle::Week | Cycle::Month | Cycle::Quarter),
        _ => false,
    };
    let is_one = |f: &Found| matches!(&f.value, Value::Period(period) if period.shift.is_some());
    let is_end = words!("mail/dates.from then on").end(before.trim_end()) || text[span.end..].starts_with("부터");
    (words!("mail/dates.series").stand_in(&before) || values().any(recurs))
        && !is_end
        && !values().any(is_one)
        && !words!("mail/dates.this once").stand_in(&clause)
}

/// Whether a bare weekday means every one of them: it is named again, or holds from then on, or for some weeks.
fn is_habit(text: &str, values: &[Found], n: usize) -> bool {
    let Some(weekday) = weekday_alone(&values[n].value) else { return false };
    let is = |of: fn(&Value) -> bool| values.iter().any(|f| of(&f.value));
    let again = values.iter().filter(|f| weekday_alone(&f.value) == Some(weekday)).count() > 1;
    let from = is(|v| matches!(v, Value::Period(p) if matches!(p.kind, PeriodKind::Month | PeriodKind::Quarter)));
    let hours = is(|v| matches!(v, Value::Range(ends) if matches!(ends.0, Value::Clock(_))));
    // "5월 첫 주부터 목요일에 모입니다", "4주 동안 목요일", "from next week it is Wednesdays".
    let (start, end) = (values[n].span.start, values[n].span.end);
    let begins = ["까지", "에 시작", "부터"].iter().any(|w| text[end..].starts_with(w));
    let holds = |f: &Found| {
        let after = text[f.span.end..].trim_start_matches(')');
        let before = || text[..f.span.start].trim_end().to_lowercase();
        match &f.value {
            Value::Period(_) => after.starts_with("부터") || words!("mail/dates.from then on").end(&before()),
            Value::Duration(d) => d.months == 0 && d.seconds >= 14 * 86_400 && after.trim_start().starts_with("동안"),
            _ => false,
        }
    };
    let from_sentence = text[..start].rfind(['.', '!', '?', '\n']).map_or(0, |at| at + 1);
    again
        || from && (hours || is(|v| matches!(v, Value::Recurrence(_))))
        || !begins && values[..n].iter().any(|f| f.span.start >= from_sentence && holds(f))
        || is_of_series(text, values, n)
}

/// Whether a day counts from another day than the mail's: "the Saturday after, …", 넷째 목요일, 예식 닷새 전, "나흘 뒤로 미룹니다".
fn counts_from_another(text: &str, found: &Found) -> bool {
    let (before, after) = (text[..found.span.start].to_lowercase(), text[found.span.end..].to_lowercase());
    let said = found.span.of(text);
    let is_distance = said.ends_with(['전', '뒤', '후'])
        && matches!(
            &found.value,
            Value::Date(Date { shift: Some(Shift::Days(_) | Shift::Months(_)), weekday: None, .. })
        );
    // A bare noun stands before what counts from it: "대회 3주 전".
    let word = before.trim_end().rsplit([' ', '\n', '(', ',', '.', ':']).next().unwrap_or_default();
    let of_an_event = || {
        before.ends_with(' ')
            && !before.trim_end().ends_with([',', '.', ':', ')'])
            && word.chars().count() >= 2
            && word.chars().all(is_hangul)
            && !words!("mail/dates.how exactly").contains(&word)
            && !words!("mail/dates.after a noun").end(word)
    };
    let sentence = || after.split(['.', '!', '?', '\n']).next().unwrap_or_default();
    let before_a_day = || {
        said.ends_with('전') && after.starts_with("까지")
            || after.trim_start().starts_with(|c: char| c.is_ascii_digit())
    };
    words!("mail/dates.before a day of another").end(&before)
        || words!("mail/dates.after a day of another").begin(&after)
        || is_distance
            && (of_an_event() || words!("mail/dates.moved by").stand_in(sentence()) || before_a_day() || is_moved(text))
}

/// Whether the text says that something is at another time now.
pub fn is_moved(text: &str) -> bool {
    use CueKind::{Change, Earlier, Later, Replace};
    cues(&Folded::new(text)).iter().any(|c| matches!(c.kind, Change | Earlier | Later | Replace))
}

/// The days named in the text, each with the time of day that stands beside it.
pub fn moments(text: &str, values: &[Found], at: Option<Reference>) -> Vec<Moment> {
    let mut out: Vec<Moment> = Vec::new();
    let is_moved = is_moved(text);
    for (n, found) in values.iter().enumerate() {
        if is_habit(text, values, n) {
            continue;
        }
        let (start, end) = (found.span.start, found.span.end);
        let mut days = days_of(&found.value);
        // "moves from Tuesday to Thursday" names two days, not three.
        let target = target(found.span.of(text), at).filter(|_| is_moved && days.len() != 1);
        if let Some(day) = target {
            days = vec![(day, None)];
        } else if days.is_empty() {
            out.extend(end_of_period(text, found, at));
        }
        let several = days.len();
        for (k, (day, clock)) in days.into_iter().enumerate() {
            let clock = clock.or_else(|| clock_beside(text, values, n));
            let role = if several == 2 && k == 1 { role_behind(text, end) } else { role(text, start, end) };
            let role = match role {
                _ if target.is_some() => DateRole::Event,
                _ if several == 2 && k == 0 => DateRole::From,
                // "26 May to 6 June" lasts until then.
                DateRole::Event if several == 2 => DateRole::Until,
                role => role,
            };
            // "tomorrow, Thursday" and "어젯밤(3월 15일)" name one day twice.
            match out.last_mut() {
                Some(last) if several == 1 && last.day == day && start.saturating_sub(last.end) <= 12 => {
                    (last.end, last.clock) = (end, last.clock.or(clock));
                    last.role = if last.role == DateRole::Event { role } else { last.role };
                }
                _ => out.push(Moment { start, end, day, clock, role }),
            }
        }
    }
    out
}

/// "6월부터", "until July", "payable within 14 days": the day on which a period or a term begins or ends.
fn end_of_period(text: &str, found: &Found, at: Option<Reference>) -> Option<Moment> {
    let (start, end) = (found.span.start, found.span.end);
    let (day, role) = match &found.value {
        Value::Period(Period { span: Some((from, to)), .. }) => match role(text, start, end) {
            DateRole::From if at.is_some_and(|a| *to > a.day()) => (*from, DateRole::From),
            role @ (DateRole::Deadline | DateRole::Until) => (to.pred_opt()?, role),
            _ => return None,
        },
        Value::Duration(length) => {
            let lower = text.to_lowercase();
            let has = |words: &[&str]| words.iter().any(|w| stands_in(&lower, w));
            let days = length.seconds / 86_400;
            let is_whole = length.months == 0 && days > 0 && length.seconds == days * 86_400;
            let is_due = has(words!("mail/dates.due words")) && !has(&["working", "business", "영업일"]);
            let day = at?.day().checked_add_days(Days::new(days))?;
            (is_whole && is_due && found.bound == Bound::AtMost).then_some((day, DateRole::Deadline))?
        }
        _ => return None,
    };
    Some(Moment { start, end, day, clock: None, role })
}

/// The day after "to" in "Tuesday to Thursday", or after 에서 in "화요일에서 목요일로".
fn target(span: &str, at: Option<Reference>) -> Option<NaiveDate> {
    let (_, to) = span.split_once(" to ").or_else(|| span.split_once("에서 "))?;
    language::values(to, at).iter().flat_map(|f| days_of(&f.value)).map(|(day, _)| day).next()
}

fn days_of(value: &Value) -> Vec<(NaiveDate, Option<Clock>)> {
    match value {
        Value::Date(date) => date.on.map(|d| (d, None)).into_iter().collect(),
        Value::Range(ends) => {
            let both = [days_of(&ends.0), days_of(&ends.1)].concat();
            if both.len() == 2 { both } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}

/// The time of day that belongs to the `n`-th value: the next or the previous value, close by.
fn clock_beside(text: &str, values: &[Found], n: usize) -> Option<Clock> {
    let clock = |f: &Found| match &f.value {
        Value::Clock(c) => Some(settled(*c, text)),
        Value::Range(ends) => match &ends.0 {
            Value::Clock(c) => Some(settled(*c, text)),
            _ => None,
        },
        _ => None,
    };
    let close = |a: usize, b: usize, limit: usize| {
        text.get(a..b).is_some_and(|gap| gap.chars().count() <= limit && !gap.contains(['.', ';', '\n']))
    };
    let here = &values[n];
    let mut end = here.span.end;
    for next in &values[n + 1..] {
        match &next.value {
            // Another name of the same day may stand between.
            Value::Date(d) if days_of(&here.value).first().is_some_and(|(day, _)| Some(*day) == d.on) => {
                end = next.span.end;
            }
            _ if clock(next).is_some() && close(end, next.span.start, 16) => return clock(next),
            // "Same hour, 16:00 in Seoul" stands in the next sentence.
            _ if clock(next).is_some() => {
                let gap = text.get(end..next.span.start).filter(|gap| gap.len() < 30)?.to_lowercase();
                return clock(next).filter(|_| gap.contains("same"));
            }
            Value::Weekdays(_) | Value::Identifier(_) | Value::Quantity { .. } => {}
            _ => break,
        }
    }
    let previous = n.checked_sub(1).and_then(|p| values.get(p))?;
    let is_one_clause = !text[previous.span.end..here.span.start].contains(',');
    clock(previous).filter(|_| is_one_clause && close(previous.span.end, here.span.start, 8))
}

/// A clock whose half of the day is not said, by what the text is about: dinner is in the evening, and nobody meets at
/// three in the morning.
fn settled(clock: Clock, text: &str) -> Clock {
    let hour = clock.seconds / 3600;
    if clock.sure || !(1..12).contains(&hour) {
        return clock;
    }
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| stands_in(&lower, w));
    let is_after_noon = !has(words!("mail/dates.early")) && (hour <= 6 || has(words!("mail/dates.late")));
    Clock { seconds: clock.seconds + if is_after_noon { 43_200 } else { 0 }, ..clock }
}

/// What a date does, by the words before and behind it.
fn role(text: &str, start: usize, end: usize) -> DateRole {
    let before = tail(&text[..start], NEAR).to_lowercase();
    let before = before.trim_end_matches([' ', '(', ':', '~', '-', '*', ',']);
    let ends = |list: &[&str]| {
        list.iter().any(|w| before.strip_suffix(w).is_some_and(|h| !h.ends_with(|c: char| c.is_ascii_alphanumeric())))
    };
    // 제출일이, 기한을: the noun before the date, whatever its particle.
    let noun = language::without_particle(before.rsplit([' ', '\n', '(']).next().unwrap_or_default());
    if words!("mail/dates.ends").contains(&noun) {
        return DateRole::Until;
    }
    if words!("mail/dates.due phrases").contains(&noun) {
        return DateRole::Deadline;
    }
    let near = tail(before, 40);
    let is_due_on = ends(&["on"]) && !near.contains('.') && ["due", "payable"].iter().any(|w| stands_in(near, w));
    match role_behind(text, end) {
        DateRole::Event if ends(words!("mail/dates.until")) => DateRole::Until,
        DateRole::Event if ends(words!("mail/dates.by")) || is_due_on => DateRole::Deadline,
        DateRole::Event if ends(words!("mail/dates.former")) => DateRole::Former,
        DateRole::Event if ends(words!("mail/dates.since")) => DateRole::From,
        role => role,
    }
}

/// The role that what stands after a date gives it.
fn role_behind(text: &str, end: usize) -> DateRole {
    let after = head(&text[end..], NEAR).trim_start_matches([')', ' ', '"', '\'']);
    // "(금)까지", "3월 4일(화) 18시까지": the time of day may stand between.
    let inside = after.strip_prefix('(').and_then(|t| t.split_once(')')).filter(|(day, _)| day.chars().count() <= 4);
    let after = inside.map_or(after, |(_, after)| after);
    let begins = |words: &[&str]| words.iter().any(|w| after.starts_with(w));
    if let Some((between, what)) = after.split_once("까지")
        && between.chars().count() <= 14
        && between.chars().all(|c| c.is_ascii_digit() || "시분오전후 정각반:".contains(c))
    {
        let is_valid = ["유효", "사용", "효력"].iter().any(|w| what.trim_start().starts_with(w));
        let is_usable = || ["이용할", "쓸 수"].iter().any(|w| what.contains(w));
        return if is_valid || is_usable() { DateRole::Until } else { DateRole::Deadline };
    }
    if begins(&["이내", "내로", "안으로", "전까지", "이전까지"]) {
        DateRole::Deadline
    } else if begins(&["부터", "이후", "자로"]) {
        DateRole::From
    } else if begins(&["에서 ", "이 아니라", "가 아니라", "이 아닌", "말고", " 대신", "였던", "이었던", "예정이던"])
    {
        DateRole::Former
    } else {
        DateRole::Event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The days of a mail of Monday, 9 March 2026, in their order.
    fn days(text: &str) -> String {
        let at = Some(Reference { now: "2026-03-09T01:00:00Z".parse().unwrap(), zone: Zone::default() });
        let all = meant_values(text, at);
        let day = |(n, f): (usize, &Found)| match &f.value {
            Value::Date(d) if !is_habit(text, &all, n) => d.on.map(|on| on.format("%m-%d").to_string()),
            _ => None,
        };
        all.iter().enumerate().filter_map(day).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_bare_day_or_weekday_is_the_one_that_is_meant() {
        for (text, day) in [
            // What was done was done on the one before.
            ("He fitted the valve thursday, took him 40 mins.", "03-05"),
            ("We had the scan on Tuesday, there's two of them.", "03-03"),
            ("Further to our letter of the 14th, the desk is shut.", "02-14"),
            ("화요일에 온 손님이 두고 갔습니다.", "03-03"),
            ("금요일 총회에서 정해진 것 알립니다.", "03-06"),
            // What is to come is ahead.
            ("Your appointment has been moved to Friday.", "03-13"),
            ("I'll put it in the post on Saturday.", "03-14"),
            ("The vigil is on the 28th.", "03-28"),
            ("목요일 오전에 갖다 드리겠습니다.", "03-12"),
            ("목요일까지 내 주세요.", "03-12"),
            // A month or a weekday beside it tells which.
            ("7월 3일에 도착해서 7일에 돌아가요.", "07-03 07-07"),
            ("26일 일요일에 와요.", "04-26"),
            ("The opening's now the 19th, still the Sunday.", "04-19"),
            ("The 10th of July, not the 3rd.", "07-10 07-03"),
            ("They came this Sunday.", "03-08"),
            ("They come this Sunday.", "03-15"),
            ("사흘 뒤에 다시 전화드릴게요.", "03-12"),
            ("휴진은 4월 6일입니다. 수요일에는 문을 엽니다.", "04-06"),
        ] {
            assert_eq!(days(text), day, "{text}");
        }
    }

    #[test]
    fn where_two_days_are_as_likely_there_is_none() {
        for text in [
            "Could it be the Monday of that week?",
            "They've eaten my Tuesday mornings.",
            "That's Easter Monday.",
            "평소 토요일 18시는 그대로입니다.",
            "화요일은 그대로.",
            "시작일을 13일 늦추고 종료일도 늦춥니다.",
            "Here are the notes from Friday's call.",
            "Tues and Fri hen, ring by four.",
            "수요일, 금요일은 평소대로입니다.",
            "They want it on the 28th, a week later than the ticket.",
            "The desk comes on the 9th.",
            "The weekly meeting is on Tuesday.",
            "잔금은 예식 닷새 전까지 주세요.",
            "점검을 나흘 뒤로 미뤘습니다.",
            "강좌는 4월 2일부터 4주 동안 목요일 저녁 7시입니다.",
            "10월부터 저희는 목요일입니다.",
            "The stage is 16 to 20 November, Monday to Friday.",
        ] {
            let found = days(text);
            assert!(["", "04-02", "11-16 11-20"].contains(&found.as_str()), "{text}: {found}");
        }
    }

    #[test]
    fn a_day_has_the_role_that_its_words_give_it() {
        let at = Some(Reference { now: "2026-03-09T01:00:00Z".parse().unwrap(), zone: Zone::default() });
        for (text, role) in [
            ("3월 21일(금)까지 제출해 주세요.", DateRole::Deadline),
            ("The form is due by 21 March.", DateRole::Deadline),
            ("3월 21일부터 시작합니다.", DateRole::From),
            ("The voucher is valid until 21 March.", DateRole::Until),
            ("3월 21일에서 다른 날로 옮깁니다.", DateRole::Former),
            ("The review is on 21 March.", DateRole::Event),
        ] {
            assert_eq!(moments(text, &meant_values(text, at), at).last().map(|m| m.role), Some(role), "{text}");
        }
    }
}
