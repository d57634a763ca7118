//! Resolves date expressions in a mail to calendar days. A wrong day does more harm than a missing one, so an ambiguous
//! expression gets no day.

use crate::language::{
    self, CueKind, Cycle, Date, Folded, Found, On, Period, PeriodKind, Reference, Shift, Value, cues, is_hangul,
    is_of_two_days, jamo, words,
};
use chrono::{Datelike, Days, Months, NaiveDate};

/// Maximum bytes of text on each side of a date that decide its role and tense.
pub(super) const CONTEXT_BYTES: usize = 400;
/// Maximum gap in bytes between a day of the month and its weekday: "the 19th, still the Thursday".
const ADJACENT_BYTES: usize = 16;
/// A bare day at most this many days before the mail is ambiguous unless its clause is in the past tense.
const MAX_DAYS_BACK: i64 = 7;
/// Beyond this many days after the mail, a weekday next to a bare day may belong to something else.
const MAX_DAYS_AHEAD: i64 = 100;
/// A named month counts as upcoming within this many months of the mail.
const MAX_MONTHS_AHEAD: u32 = 6;
/// Index of the final consonant ㅆ, which marks the past tense as in 갔다.
const FINAL_SSANG_SIOT: u32 = 20;

pub(super) fn head(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

pub(super) fn tail(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

fn sentence_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['.', '!', '?', '\n', ';']).map_or(0, |end| end + 1)
}

fn clause(text: &str) -> &str {
    text.split(['.', ',', '!', '?', '\n']).next().unwrap_or_default()
}

/// Parses the values of a mail text and resolves their days. An ambiguous date keeps no day.
pub fn meant_values(text: &str, at: Option<Reference>) -> Vec<Found> {
    let mut found = language::values(text, at);
    let resolved: Vec<Option<Option<NaiveDate>>> =
        (0..found.len()).map(|n| resolve_day(text, &found, n, at?)).collect();
    for (one, resolved) in found.iter_mut().zip(resolved) {
        let before = tail(text[..one.span.start].trim_end(), 16).to_lowercase();
        let is_lunar = before.ends_with("음력");
        let has_other_base =
            matches!(&one.value, Value::Date(d) if d.shift.is_some()) && is_offset_from_other_day(text, one);
        let Value::Date(date) = &mut one.value else { continue };
        if is_lunar || has_other_base {
            date.on = None;
        } else if let Some(day) = resolved {
            date.on = day;
        }
    }
    found
}

/// Returns the current and upcoming months named without a day. The list is empty if only the current one is named.
pub fn months_of(text: &str, at: Option<Reference>) -> Vec<u32> {
    at.map_or(Vec::new(), |at| upcoming_months(&language::values(text, Some(at)), at.day()))
}

fn upcoming_months(values: &[Found], today: NaiveDate) -> Vec<u32> {
    let month = |f: &Found| match &f.value {
        Value::Period(Period { kind: PeriodKind::Month, month: Some(month), .. }) => Some(u32::from(*month)),
        _ => None,
    };
    let is_ahead = |month: &u32| (month + 12 - today.month()) % 12 <= MAX_MONTHS_AHEAD;
    let months: Vec<u32> = values.iter().filter_map(month).filter(is_ahead).collect();
    if months.iter().all(|month| *month == today.month()) { Vec::new() } else { months }
}

/// Clears the resolved day of each bare day of the month that falls outside `months`.
pub fn unless_of_months(found: &mut [Found], months: &[u32]) {
    for one in found.iter_mut().filter(|f| is_bare_day(&f.value)) {
        if let Value::Date(date) = &mut one.value {
            date.on = date.on.filter(|on| months.is_empty() || months.contains(&on.month()));
        }
    }
}

fn bare_weekday(value: &Value) -> Option<u8> {
    match value {
        Value::Date(Date { month: None, day: None, shift: None, weekday, .. }) => *weekday,
        _ => None,
    }
}

const fn is_bare_day(value: &Value) -> bool {
    matches!(value, Value::Date(Date { day: Some(_), month: None, weekday: None, shift: None, .. }))
}

/// Resolves the day of the `n`th value. Returns `None` to keep the parsed day and `Some(None)` if it is ambiguous.
fn resolve_day(text: &str, values: &[Found], n: usize, at: Reference) -> Option<Option<NaiveDate>> {
    let (found, today) = (&values[n], at.day());
    let (start, end) = (found.span.start, found.span.end);
    let Value::Date(date) = &found.value else { return None };
    let phrase = found.span.of(text).to_lowercase();
    if phrase.starts_with("following") {
        return Some(None);
    }
    let a_week_before = |on: Option<NaiveDate>| on.filter(|on| *on > today)?.checked_sub_days(Days::new(7));
    if let Some(weekday) = bare_weekday(&found.value) {
        let is_next_to_day = adjacent_values(text, values, n).any(|f| is_bare_day(&f.value));
        if is_generic_weekday(text, start, end) || is_next_to_day || is_relative_to_other_day(text, values, n) {
            return Some(None);
        }
        let is_past = is_past_clause(text, start, end);
        if let Some(day) = weekday_of_named_week(text, values, n, weekday) {
            return Some(Some(day));
        }
        if !is_past && phrase.starts_with(is_hangul) && !is_specific_weekday(text, start, end) {
            return Some(None);
        }
        return is_past.then(|| a_week_before(date.on));
    }
    match (date.shift, date.weekday, date.day) {
        (Some(Shift::Weeks(-1)), Some(weekday), None) if !phrase.contains('주') => {
            // 지난 월요일 is the latest Monday. "last Monday" may be in this week or the week before.
            let since = (7 + today.weekday().num_days_from_monday() - u32::from(weekday)) % 7;
            let latest = today.checked_sub_days(Days::new(if since == 0 { 7 } else { since.into() }));
            let is_this_week = u32::from(weekday) < today.weekday().num_days_from_monday();
            return if phrase.starts_with(is_hangul) { Some(latest) } else { is_this_week.then_some(None) };
        }
        // "They came this Monday", written on a Thursday.
        (Some(Shift::Weeks(0)), Some(_), None) if date.on.is_some_and(|on| on > today) => {
            return is_past_clause(text, start, end).then(|| a_week_before(date.on));
        }
        _ => {}
    }
    if date.month.is_some() && date.day.is_some() && is_of_two_days(text, found.span, at) {
        let weekday = date.weekday.or_else(|| adjacent_weekday(text, values, n));
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

/// Resolves a bare day of the month, such as "the 19th".
fn bare_day(text: &str, values: &[Found], n: usize, day: u8, at: Reference) -> Option<NaiveDate> {
    let (found, today) = (&values[n], at.day());
    let (start, end) = (found.span.start, found.span.end);
    let Value::Date(date) = &found.value else { return None };
    // "합계(3일)" is a duration, "목요일(19일)" a day.
    let is_of_word = || {
        let word = text[..start].strip_suffix('(');
        word.is_some_and(|w| w.ends_with(char::is_alphanumeric) && !w.ends_with("요일")) && text[end..].starts_with(')')
    };
    let is_duration = found.span.of(text).ends_with('일')
        && (words!("mail/dates.after a length of days").begin(text[end..].trim_start()) || is_of_word());
    let rest_of_sentence = text[end..].split(['.', ';', '!', '?', '\n']).next().unwrap_or_default().to_lowercase();
    let is_offset = words!("mail/dates.counted from another").stand_in(&rest_of_sentence);
    let is_in_series = date.weekday.is_none() && is_in_recurring_event(text, values, n);
    if is_duration || is_offset || is_in_series {
        return None;
    }
    let first = today.with_day(1)?;
    let months = (0..12).filter_map(|k| first.checked_sub_months(Months::new(1))?.checked_add_months(Months::new(k)));
    if let Some(weekday) = date.weekday.or_else(|| adjacent_weekday(text, values, n)) {
        let mut days = months.filter_map(|m| m.with_day(day.into()));
        let is_near =
            |d: &NaiveDate| (-MAX_DAYS_BACK..=MAX_DAYS_AHEAD).contains(&d.signed_duration_since(today).num_days());
        return days.find(|d| is_near(d) && d.weekday().num_days_from_monday() == u32::from(weekday));
    }
    // An earlier day of the sentence gives the month: "7월 3일에 와서 7일에".
    let named_before = values[..n].iter().rev().find_map(|f| {
        let Value::Date(Date { on: Some(on), month: Some(_), day: Some(_), .. }) = f.value else { return None };
        (f.span.start >= sentence_start(text, start)).then_some(on)
    });
    if let Some(before) = named_before {
        let is_denied = words!("mail/dates.before what is denied").end(&text[..start].to_lowercase());
        let same = before.with_day(day.into()).filter(|d| is_denied || *d > before);
        return same.or_else(|| before.with_day(1)?.checked_add_months(Months::new(1))?.with_day(day.into()));
    }
    // For the day of the mail or the next day, a writer would use "today" or "tomorrow".
    let is_named_close = |f: &Found| matches!(&f.value, Value::Date(Date { shift: Some(Shift::Days(0 | 1)), .. }));
    let is_close = [Some(today), today.succ_opt()].iter().flatten().any(|d| d.day() == u32::from(day));
    if is_close && !adjacent_values(text, values, n).any(is_named_close) {
        return None;
    }
    let before = || first.checked_sub_months(Months::new(1))?.with_day(day.into());
    let last = today.with_day(day.into()).filter(|d| *d <= today).or_else(before);
    if is_past_clause(text, start, end) {
        return last;
    }
    let is_near = last.is_some_and(|d| d < today && today.signed_duration_since(d).num_days() <= MAX_DAYS_BACK);
    let named = upcoming_months(values, today);
    let may_be = |d: &NaiveDate| !is_near && (named.is_empty() || named.contains(&d.month()));
    months.skip(1).filter_map(|m| m.with_day(day.into())).find(|d| *d >= today).filter(may_be)
}

/// Resolves a weekday whose sentence starts with the week: "Next week the meeting is on Thursday", 다음 주 회의는 목요일.
fn weekday_of_named_week(text: &str, values: &[Found], n: usize, weekday: u8) -> Option<NaiveDate> {
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

/// Whether a weekday recurs or belongs to another week: 평소 토요일, "my Tuesday mornings", "the Monday of that week",
/// "Easter Monday", "Thursday 4 and Friday 5 June".
fn is_generic_weekday(text: &str, start: usize, end: usize) -> bool {
    let before = tail(&text[..start], 48).to_lowercase();
    let after = text[end..].to_lowercase();
    let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
    // "the Tuesday, the 9th" is specific.
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
        || after.starts_with("'s ") && ["from", "since", "of", "in", "after"].contains(&word)
        || number.is_some_and(|rest| !is_clock(rest))
}

/// Whether a Korean weekday means a single day: 오는 화요일, 금요일까지, "토요일에 찾으러 갈게요".
fn is_specific_weekday(text: &str, start: usize, end: usize) -> bool {
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

/// Whether a weekday is relative to another day than that of the mail.
fn is_relative_to_other_day(text: &str, values: &[Found], n: usize) -> bool {
    let span = values[n].span;
    let names = |v: &Value| bare_weekday(v).is_some() || matches!(v, Value::Weekdays(_) | Value::Recurrence(_));
    let is_row = |a: &Found, b: &Found| {
        let between = text.get(a.span.end..b.span.start).unwrap_or("-");
        names(&a.value) && names(&b.value) && words!("mail/dates.between days in a row").contains(&between)
    };
    let ends_row = values[..n].last().is_some_and(|before| is_row(before, &values[n]));
    if ends_row || values.get(n + 1).is_some_and(|next| is_row(&values[n], next)) {
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
        days > MAX_DAYS_BACK || is_begin && days > 0
    })
}

/// Returns the bare weekday next to a day of the month; it decides the month.
fn adjacent_weekday(text: &str, values: &[Found], n: usize) -> Option<u8> {
    adjacent_values(text, values, n).find_map(|f| bare_weekday(&f.value))
}

/// Returns the values directly before and after the `n`th, within its sentence.
fn adjacent_values<'a>(text: &'a str, values: &'a [Found], n: usize) -> impl Iterator<Item = &'a Found> {
    let span = values[n].span;
    let near =
        |gap: Option<&str>| gap.is_some_and(|g| g.len() <= ADJACENT_BYTES && !g.contains(['.', '!', '?', '\n', ';']));
    let last = values[..n].last().filter(|f| near(text.get(f.span.end..span.start)));
    last.into_iter().chain(values.get(n + 1).filter(|f| near(text.get(span.end..f.span.start))))
}

/// Whether the clause puts the day in the past: "finished on Monday", "월요일에 만났습니다", "our letter of the 14th".
fn is_past_clause(text: &str, start: usize, end: usize) -> bool {
    let after = head(&text[end..], 160);
    if let Some(rest) = after.strip_prefix('에').filter(|rest| !rest.starts_with('서')) {
        let clause = clause(rest);
        let happened = |c: char| c != '있' && c != '겠' && jamo(c).is_some_and(|(.., last)| last == FINAL_SSANG_SIOT);
        // "화요일에 온 손님": a guest who came.
        let next = rest.split_whitespace().next().unwrap_or_default();
        let is_done = rest.starts_with(' ') && words!("mail/dates.done before").contains(&next);
        return is_done || !words!("mail/dates.arranged").stand_in(clause) && clause.chars().any(happened);
    }
    // "화요일 총회에서 정해진 것": a past meeting.
    if let Some((_, after)) = clause(after).split_once("에서 ") {
        return words!("mail/dates.done there").contains(&after.split_whitespace().next().unwrap_or_default());
    }
    let before = tail(&text[..start], CONTEXT_BYTES).to_lowercase();
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
    // "I'll put it": an auxiliary before the verb makes it future.
    verb.is_some_and(|at| !back[at..].iter().take(3).any(is_ahead))
}

/// Whether the day belongs to a recurring event without a named occurrence: "the weekly meeting is on Tuesday", 월례 회의는
/// 20일.
fn is_in_recurring_event(text: &str, values: &[Found], n: usize) -> bool {
    let span = values[n].span;
    let start = text[..span.start].rfind(['.', '!', '?', '\n', ',', ';', ':']).map_or(0, |end| end + 1);
    let before = text[start..span.start].to_lowercase();
    let values = || values[..n].iter().filter(|f| start <= f.span.start);
    let recurs = |f: &Found| match &f.value {
        Value::Recurrence(r) => r.on == On::Any && matches!(r.unit, Cycle::Week | Cycle::Month | Cycle::Quarter),
        _ => false,
    };
    let is_one = |f: &Found| matches!(&f.value, Value::Period(period) if period.shift.is_some());
    (words!("mail/dates.series").stand_in(&before) || values().any(recurs)) && !values().any(is_one)
}

/// Whether a bare weekday recurs: it is named twice, applies from a start on, or for several weeks.
pub(super) fn is_recurring_weekday(text: &str, values: &[Found], n: usize) -> bool {
    let Some(weekday) = bare_weekday(&values[n].value) else { return false };
    let is = |of: fn(&Value) -> bool| values.iter().any(|f| of(&f.value));
    let again = values.iter().filter(|f| bare_weekday(&f.value) == Some(weekday)).count() > 1;
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
        || is_in_recurring_event(text, values, n)
}

/// Whether a day is an offset from another day: "the Saturday after, …", 넷째 목요일, 예식 닷새 전, "나흘 뒤로 미룹니다".
fn is_offset_from_other_day(text: &str, found: &Found) -> bool {
    let (before, after) = (text[..found.span.start].to_lowercase(), text[found.span.end..].to_lowercase());
    let phrase = found.span.of(text);
    let is_distance = phrase.ends_with(['전', '뒤', '후']);
    // A bare noun before the offset is its base: "대회 3주 전".
    let word = before.trim_end().rsplit([' ', '\n', '(', ',', '.', ':']).next().unwrap_or_default();
    let of_an_event = || {
        before.ends_with(' ')
            && !before.trim_end().ends_with([',', '.', ':', ')'])
            && word.chars().count() >= 2
            && word.chars().all(is_hangul)
            && !words!("mail/dates.after a noun").end(word)
    };
    let sentence = || after.split(['.', '!', '?', '\n']).next().unwrap_or_default();
    let before_a_day = || {
        phrase.ends_with('전') && after.starts_with("까지")
            || after.trim_start().starts_with(|c: char| c.is_ascii_digit())
    };
    words!("mail/dates.before a day of another").end(&before)
        || words!("mail/dates.after a day of another").begin(&after)
        || is_distance
            && (of_an_event() || words!("mail/dates.moved by").stand_in(sentence()) || before_a_day() || is_moved(text))
}

pub fn is_moved(text: &str) -> bool {
    use CueKind::{Change, Earlier, Later, Replace};
    cues(&Folded::new(text)).iter().any(|c| matches!(c.kind, Change | Earlier | Later | Replace))
}
