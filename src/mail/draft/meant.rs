//! Which day a bare weekday or day of the month means in a mail: the one ahead, the one that is over, one of a month that was
//! named before it, or none that can be told.
//!
//! A wrong day is worse than none: where two are as likely, there is none.

use super::counted::{is_of_series, weekday_alone};
use crate::language::{
    Date, Found, Period, PeriodKind, Reference, Shift, Value, Words, is_hangul, is_of_two_days, jamo, words,
};
use crate::mail::clean;
use chrono::{Datelike, Days, Months, NaiveDate};

/// Bytes between a day of the month and the day of the week that tells which it is: "the 19th, still the Thursday".
const BESIDE: usize = 16;
/// Days by which a bare day may lie behind the mail without being told as over.
const BACK: u64 = 7;
/// Days ahead of the mail after which a weekday beside a bare day may be that of something else.
const AHEAD: i64 = 100;
/// Months in which a day is looked for, from the last one on.
const MONTHS: u32 = 12;
/// Months from that of the mail in which one that is named lies ahead.
const MOST_AHEAD: u32 = 6;
/// Bytes before a date in which what it hangs on is looked for.
const NEAR: usize = 400;
/// The last letter of a syllable of the past, as in 갔다.
const DOUBLE_S: u32 = 20;
/// Words before a date in which the verb is looked for.
const VERB: usize = 8;

/// The day that the `n`th value means; absent where its own reading stands.
pub(super) fn meant(text: &str, values: &[Found], n: usize, at: Reference) -> Option<Option<NaiveDate>> {
    let (found, today) = (&values[n], at.day());
    let (start, end) = (found.span.start, found.span.end);
    let Value::Date(date) = &found.value else { return None };
    // "The following Monday", "following Monday's visit".
    if found.span.of(text).to_lowercase().starts_with("following") {
        return Some(None);
    }
    if let Some(weekday) = weekday_alone(&found.value) {
        let is_told_beside = beside(text, values, n).any(|f| is_bare_day(&f.value));
        if is_one_of_many(text, start, end) || is_told_beside || hangs_on_another(text, values, n) {
            return Some(None);
        }
        if let Some(day) = day_of_week(text, values, n, weekday) {
            return Some(Some(day));
        }
        let is_past = is_told_as_past(text, start, end);
        if !is_past && found.span.of(text).starts_with(is_hangul) && !is_singled_out(text, start, end) {
            return Some(None);
        }
        let ahead = date.on.filter(|on| *on > today && date.weekday == Some(weekday));
        return ahead.filter(|_| is_past).map(|on| on.checked_sub_days(Days::new(7)));
    }
    if let (Some(Shift::Weeks(-1)), Some(weekday), None) = (date.shift, date.weekday, date.day) {
        return last_weekday(found.span.of(text), weekday, today);
    }
    if let (Some(Shift::Weeks(0)), Some(_), None, Some(on)) = (date.shift, date.weekday, date.day, date.on) {
        // "They came this Monday", said on a Thursday.
        let is_over = on > today && is_told_as_past(text, start, end);
        return is_over.then(|| on.checked_sub_days(Days::new(7)));
    }
    if date.month.is_some() && date.day.is_some() && is_of_two_days(text, found.span, at) {
        let weekday = date.weekday.or_else(|| weekday_beside(text, values, n));
        return Some(weekday.and_then(|weekday| day_of_weekday(date, weekday)));
    }
    if date.month.is_some() || date.shift.is_some() {
        return None;
    }
    let day = date.day?;
    if date.weekday.is_none() && is_of_series(text, values, n) {
        return Some(None);
    }
    let weekday = date.weekday.or_else(|| weekday_beside(text, values, n));
    Some(if is_length(text, start, end) || is_told_by_another(&text[end..]) {
        None
    } else if let Some(weekday) = weekday {
        let from = today.checked_sub_days(Days::new(BACK))?;
        months(today)
            .filter_map(|m| m.with_day(day.into()))
            .find(|d| *d >= from && d.weekday().num_days_from_monday() == u32::from(weekday))
            .filter(|d| d.signed_duration_since(today).num_days() <= AHEAD)
    } else if let Some(before) = named_before(text, values, n) {
        let is_denied = words!("mail/dates.before what is denied").end(&text[..start].to_lowercase());
        let same = before.with_day(day.into()).filter(|d| is_denied || *d > before);
        same.or_else(|| before.with_day(1)?.checked_add_months(Months::new(1))?.with_day(day.into()))
    } else if is_of_another_month(text, values, n, day, today) {
        None
    } else {
        let over = || today.with_day(1)?.checked_sub_months(Months::new(1))?.with_day(day.into());
        let last = today.with_day(day.into()).filter(|d| *d <= today).or_else(over);
        let next = months(today).skip(1).filter_map(|m| m.with_day(day.into())).find(|d| *d >= today);
        if is_told_as_past(text, start, end) {
            last
        } else {
            let is_near = |d: NaiveDate| d < today && today.signed_duration_since(d).num_days() <= BACK as i64;
            let months = months_ahead(values, today);
            let may_be = |d: &NaiveDate| months.is_empty() || months.contains(&d.month());
            next.filter(|_| !last.is_some_and(is_near)).filter(may_be)
        }
    })
}

/// The day of a weekday whose sentence begins with the week: "Next week the meeting is on Thursday", 다음 주 회의는 목요일.
fn day_of_week(text: &str, values: &[Found], n: usize, weekday: u8) -> Option<NaiveDate> {
    let sentence = text[..values[n].span.start].rfind(['.', '!', '?', '\n', ';']).map_or(0, |end| end + 1);
    let begins = |f: &&Found| f.span.start >= sentence && text[sentence..f.span.start].trim().is_empty();
    let week = values[..n].iter().find(begins)?;
    let Value::Period(Period { kind: PeriodKind::Week, shift: Some(0 | 1), span: Some((from, to)), .. }) = week.value
    else {
        return None;
    };
    let is_from_then_on = text[week.span.end..].starts_with("부터");
    let mut days = from.iter_days().take_while(|d| *d < to && !is_from_then_on);
    days.find(|d| d.weekday().num_days_from_monday() == u32::from(weekday))
}

/// Of the two days that 3/4 may be, the one of this day of the week.
fn day_of_weekday(date: &Date, weekday: u8) -> Option<NaiveDate> {
    let on = date.on?;
    let other = NaiveDate::from_ymd_opt(on.year(), on.day(), on.month());
    let mut fits =
        [Some(on), other].into_iter().flatten().filter(|d| d.weekday().num_days_from_monday() == u32::from(weekday));
    fits.next().filter(|_| fits.next().is_none())
}

/// The first days of the month before a day, of its own and of those after it.
fn months(today: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    let first = today.with_day(1).and_then(|d| d.checked_sub_months(Months::new(1)));
    (0..MONTHS).filter_map(move |n| first?.checked_add_months(Months::new(n)))
}

/// Whether it is no day of this month: whoever means the day of the mail, or the next, says "today" or "tomorrow".
fn is_of_another_month(text: &str, values: &[Found], n: usize, day: u8, today: NaiveDate) -> bool {
    let is_said = |f: &Found| matches!(&f.value, Value::Date(Date { shift: Some(Shift::Days(0 | 1)), .. }));
    let is_close = Some(today).into_iter().chain(today.succ_opt()).any(|d| d.day() == u32::from(day));
    is_close && !beside(text, values, n).any(is_said)
}

/// The months that values name by themselves, from that of the mail on, where one of them is to come.
pub(super) fn months_ahead(values: &[Found], today: NaiveDate) -> Vec<u32> {
    let month = |f: &Found| match &f.value {
        Value::Period(Period { kind: PeriodKind::Month, month: Some(month), .. }) => Some(u32::from(*month)),
        _ => None,
    };
    let is_ahead = |month: &u32| (month + 12 - today.month()) % 12 <= MOST_AHEAD;
    let months: Vec<u32> = values.iter().filter_map(month).filter(is_ahead).collect();
    if months.iter().all(|month| *month == today.month()) { Vec::new() } else { months }
}

/// Takes the day from a bare day of the month that lies in none of these months: it may be of one of them.
pub(super) fn unless_of_months(found: &mut [Found], months: &[u32]) {
    for one in found.iter_mut().filter(|f| is_bare_day(&f.value)) {
        if let Value::Date(date) = &mut one.value {
            date.on = date.on.filter(|on| months.is_empty() || months.contains(&on.month()));
        }
    }
}

/// The last day before it in its sentence that has a month: "7월 3일에 와서 7일에".
fn named_before(text: &str, values: &[Found], n: usize) -> Option<NaiveDate> {
    let start = values[n].span.start;
    values[..n].iter().rev().find_map(|f| {
        let between = text.get(f.span.end..start)?;
        let Value::Date(Date { on: Some(on), month: Some(_), day: Some(_), .. }) = f.value else { return None };
        (!between.contains(['.', '!', '?', '\n', ';'])).then_some(on)
    })
}

/// Whether a count of days is a length or what one day costs: "13일 늦추고", "1일 요금", "합계(3일)".
fn is_length(text: &str, start: usize, end: usize) -> bool {
    static LENGTH: &Words = words!("mail/dates.after a length of days");
    let tail = text[end..].trim_start();
    let head = &text[..start];
    let of_a_word =
        || head.strip_suffix('(').is_some_and(|h| h.ends_with(char::is_alphanumeric) && !h.ends_with("요일"));
    text[start..end].ends_with('일') && (LENGTH.begin(tail) || of_a_word() && tail.starts_with(')'))
}

/// Whether what follows says how far from another day it is: "on the 28th, a week later than the ticket".
fn is_told_by_another(tail: &str) -> bool {
    let clause = tail.split(['.', ';', '!', '?', '\n']).next().unwrap_or_default();
    words!("mail/dates.counted from another").stand_in(&clause.to_lowercase())
}

/// Whether a weekday is that of some other week, or every one of them: 평소 토요일, 처음 잡았던 토요일, "my Tuesday mornings", "the
/// Monday of that week", "Easter Monday", "Thursday 4 and Friday 5 June".
fn is_one_of_many(text: &str, start: usize, end: usize) -> bool {
    let head = clean::tail(&text[..start], 48).to_lowercase();
    let tail = text[end..].to_lowercase();
    let word =
        head.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default().to_owned();
    let rest = tail.trim_start();
    // "the Tuesday, the 9th" says which.
    let told = rest.trim_start_matches([',', ' ']);
    let is_dated = rest.starts_with([',', ' ', 't'])
        && told.strip_prefix("the ").unwrap_or(told).starts_with(|c: char| c.is_ascii_digit());
    let is_of_day = ["'s ", "’s "].iter().any(|s| tail.starts_with(s));
    words!("mail/dates.before one of many").end(head.trim_end())
        || is_of_day && words!("mail/dates.before something of a day").contains(&word.as_str())
        || words!("mail/dates.before some weekday").contains(&word.as_str()) && !is_dated
        || words!("mail/dates.after one of many").begin(&tail)
        || rest.starts_with(|c: char| c.is_ascii_digit()) && tail.starts_with(' ') && !is_clock(rest)
}

/// Whether a Korean weekday is that of one week: 오는 화요일, 금요일까지, "토요일에 찾으러 갈게요".
fn is_singled_out(text: &str, start: usize, end: usize) -> bool {
    let (head, tail) = (text[..start].trim_end(), &text[end..]);
    if words!("mail/dates.before one weekday").end(head) || tail.starts_with("까지") {
        return true;
    }
    let from = head.rfind(['.', '!', '?', '\n']).map_or(0, |at| at + 1);
    let clause = tail.split(['.', '!', '?', '\n']).next().unwrap_or_default();
    let of_every_week = |part: &str| words!("mail/dates.of every week").stand_in(part);
    tail.starts_with([' ', '에', '로'])
        && !tail.starts_with("에는")
        && words!("mail/dates.promises").stand_in(clause)
        && !of_every_week(&head[from..])
        && !of_every_week(clause)
}

/// Whether a weekday hangs on another day than the mail's: two weekdays in a row, "the day before" in its sentence, or a day more than a
/// week away, or from which on something holds, before it.
fn hangs_on_another(text: &str, values: &[Found], n: usize) -> bool {
    let span = values[n].span;
    let is_row = |a: &Found, b: &Found| {
        let between = text.get(a.span.end..b.span.start).unwrap_or("-");
        let names = |v: &Value| weekday_alone(v).is_some() || matches!(v, Value::Weekdays(_) | Value::Recurrence(_));
        names(&a.value) && names(&b.value) && words!("mail/dates.between days in a row").contains(&between)
    };
    // A short "Tues" is no day by itself.
    let is_short = |word: &str| word.len() <= 5 && words!("mail/dates.short weekdays").begin(&word.to_lowercase());
    let is_second = text[..span.start]
        .strip_suffix(" and ")
        .is_some_and(|head| head.split(|c: char| !c.is_alphanumeric()).next_back().is_some_and(is_short));
    let ends_row = values[..n].last().is_some_and(|before| is_row(before, &values[n]));
    if is_second || ends_row || values.get(n + 1).is_some_and(|next| is_row(&values[n], next)) {
        return true;
    }
    let sentence = text[..span.start].rfind(['!', '?', '\n']).map_or(0, |at| at + 1);
    let sentence = text[sentence..span.start].rfind(". ").map_or(sentence, |at| sentence + at + 2);
    if words!("mail/dates.the day before").stand_in(&text[sentence..span.start].to_lowercase()) {
        return true;
    }
    let Value::Date(Date { on: Some(own), .. }) = values[n].value else { return false };
    values[..n].iter().rev().any(|f| {
        let on = match &f.value {
            Value::Range(ends) => match &ends.1 {
                Value::Date(Date { on: Some(on), day: Some(_), .. }) => *on,
                _ => return false,
            },
            Value::Date(Date { on: Some(on), month: Some(_), day: Some(_), .. }) => *on,
            _ => return false,
        };
        let is_begin = text[f.span.end..].trim_start_matches(')').starts_with("부터") && f.span.start >= sentence;
        let days = on.signed_duration_since(own).num_days();
        days > BACK as i64 || is_begin && days > 0
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
    let next = values.get(n + 1).filter(|f| near(text.get(span.end..f.span.start)));
    last.into_iter().chain(next)
}

/// Whether it is a day of the month, and nothing else of the date is said.
const fn is_bare_day(value: &Value) -> bool {
    matches!(value, Value::Date(Date { day: Some(_), month: None, weekday: None, shift: None, .. }))
}

/// The day of "last Monday": 지난 월요일 is the latest; in English none, where it may be that of this week or of the last.
fn last_weekday(said: &str, weekday: u8, today: NaiveDate) -> Option<Option<NaiveDate>> {
    let since = (7 + today.weekday().num_days_from_monday() - u32::from(weekday)) % 7;
    let latest = today.checked_sub_days(Days::new(if since == 0 { 7 } else { since.into() }));
    let is_this_week = u32::from(weekday) < today.weekday().num_days_from_monday();
    let korean = said.starts_with(is_hangul);
    match said.contains("주 ") || said.contains("주의") || said.to_lowercase().contains("week") {
        true => None,
        false if korean => Some(latest),
        false => is_this_week.then_some(None),
    }
}

/// Whether figures tell an hour: "Saturday 9:30", 목요일 3시.
fn is_clock(rest: &str) -> bool {
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    [":", ".", "시", "am", "pm", " am", " pm", "h", "-", "~", "–"].iter().any(|w| after.starts_with(w))
}

/// Whether the clause tells what was done on the day: "finished on Monday", "fitted it thursday", "월요일에 만났습니다", "our letter of
/// the 14th".
fn is_told_as_past(text: &str, start: usize, end: usize) -> bool {
    let tail: String = text[end..].chars().take(40).collect();
    if let Some(rest) = tail.strip_prefix('에') {
        let clause = rest.split(['.', ',', '!', '?', '\n']).next().unwrap_or_default();
        // "화요일에 온 손님": one who came.
        let next = rest.split_whitespace().next().unwrap_or_default();
        if rest.starts_with(' ') && words!("mail/dates.done before").contains(&next) {
            return true;
        }
        return is_told_in_past(clause);
    }
    // "화요일 총회에서 정해진 것": a meeting that is over.
    let clause = tail.split(['.', ',', '!', '?', '\n']).next().unwrap_or_default();
    if let Some((_, after)) = clause.split_once("에서 ") {
        let next = after.split_whitespace().next().unwrap_or_default();
        return words!("mail/dates.done there").contains(&next);
    }
    let head = clean::tail(&text[..start], NEAR).to_lowercase();
    let clause = head.rsplit(['.', ',', ';', ':', '!', '?', '\n']).next().unwrap_or_default();
    let mut words: Vec<&str> = clause.split_whitespace().filter(|w| *w != "the").collect();
    if is_thanked_for(&words) {
        return true;
    }
    static PAST: &Words = words!("mail/dates.past");
    match words.last() {
        Some(&"since") => return true,
        Some(&"of") => return words.iter().rev().nth(1).is_some_and(|w| words!("mail/dates.letters").contains(w)),
        Some(&"on") => {
            words.pop();
        }
        Some(word) if words!("mail/dates.towards").contains(word) => return false,
        Some(_) => {}
        None => return false,
    }
    let is_ahead = |w: &&str| TO_COME.contains(w) || ["'ll", "’ll", "'d", "’d"].iter().any(|end| w.ends_with(end));
    let back: Vec<&str> = words.into_iter().rev().take(VERB).collect();
    let verb = back.iter().position(|w| is_ahead(w) || PAST.contains(w) || w.len() > 4 && w.ends_with("ed"));
    // "I'll put it": what stands before the verb tells as well.
    verb.is_some_and(|at| !back[at..].iter().take(3).any(is_ahead))
}

static TO_COME: &Words = words!("mail/dates.ahead");

/// "Thank you for letting him look around Saturday", and not "thanks for agreeing to come on Saturday".
fn is_thanked_for(clause: &[&str]) -> bool {
    let thanks = |w: &[&str]| matches!(w, ["thanks" | "you", "for", doing] if doing.ends_with("ing"));
    let at = clause.windows(3).position(thanks).filter(|_| clause.iter().any(|w| w.starts_with("thank")));
    at.is_some_and(|at| !clause[at + 3..].iter().any(|w| TO_COME.contains(w)))
}

/// Whether a Korean clause tells what happened, and not what was said or arranged of a day.
fn is_told_in_past(clause: &str) -> bool {
    let happened = |c: char| c != '있' && c != '겠' && jamo(c).is_some_and(|(.., last)| last == DOUBLE_S);
    !words!("mail/dates.arranged").stand_in(clause)
        && (words!("mail/dates.done").stand_in(clause) || clause.chars().any(happened))
}

#[cfg(test)]
mod tests {
    use super::super::when::values;
    use super::*;
    use crate::language::Reference;
    use crate::model::Zone;

    /// The days of a mail of Monday, 9 March 2026, in their order.
    fn days(text: &str) -> Vec<Option<String>> {
        let at = Reference { now: "2026-03-09T01:00:00Z".parse().unwrap(), zone: Zone::default() };
        let of = |f: &Found| match &f.value {
            Value::Date(d) => Some(d.on.map(|on| on.format("%m-%d").to_string())),
            _ => None,
        };
        values(text, Some(at)).iter().filter_map(of).collect()
    }

    #[test]
    fn a_bare_day_or_weekday_is_the_one_that_is_meant() {
        for (text, day) in [
            // What was done was done on the one before.
            ("He fitted the valve thursday, took him 40 mins.", "03-05"),
            ("The van failed friday on a tyre.", "03-06"),
            ("We had the scan on Tuesday, there's two of them.", "03-03"),
            ("I put forty of it in Ann's hand on Saturday.", "03-07"),
            ("Dad was taken in on Friday night.", "03-06"),
            ("Further to our letter of the 14th, the desk is shut.", "02-14"),
            ("The figure arrived on the 4th.", "03-04"),
            ("Mine came home from Leicester on Saturday.", "03-07"),
            // What is to come is ahead.
            ("Your appointment has been moved to Friday.", "03-13"),
            ("I'll put it in the post on Saturday.", "03-14"),
            ("They said they'd come on Saturday.", "03-14"),
            ("The vigil is on the 28th.", "03-28"),
            ("They want it by the 12th.", "03-12"),
            // A month or a weekday beside it tells which.
            ("7월 3일에 도착해서 7일에 돌아가요.", "07-03 07-07"),
            ("4월 30일에 와서 2일에 가요.", "04-30 05-02"),
            ("26일 일요일에 와요.", "04-26"),
            ("사월 25일에 이사 나갑니다.", "04-25"),
            ("도장은 오월 십이일 화요일에 찍어요.", "05-12"),
            // A weekday close by tells of which month a day is: 19 March is one, 19 April is none.
            ("The opening's now the 22nd, still the Sunday.", "03-22"),
            ("The opening's now the 19th, still the Sunday.", "04-19"),
            ("대회는 일요일로요 (19일).", "04-19"),
            ("The 10th of July, not the 3rd.", "07-10 07-03"),
            ("It starts on 3 July (not the 16th of the list).", "07-03 07-16"),
            ("Thank you for letting her look around Saturday.", "03-07"),
            ("See you tomorrow, the 10th.", "03-10 03-10"),
            ("It is on Wednesday 1 April and not this Monday.", "04-01 03-09"),
            ("They came this Sunday.", "03-08"),
            ("They come this Sunday.", "03-15"),
            ("이번 일요일에 만나요.", "03-15"),
            ("Thanks for agreeing to come on Saturday.", "03-14"),
            ("Further to yours of Friday, the lease is ready.", "03-06"),
            ("수요일에 실밥 뽑았고 이제 안 와도 된대.", "03-04"),
            ("15일에 실밥 뽑았고 이제 안 와도 된대.", "02-15"),
            ("토요일에 찾으러 갈게요.", "03-14"),
            ("금요일 총회에서 정해진 것 알립니다.", "03-06"),
            ("지난 금요일 일은 미안합니다.", "03-06"),
            ("No van on Thursday, he's at a funeral, so Friday the 27th.", "03-12 03-27"),
        ] {
            let found: Vec<String> = days(text).into_iter().flatten().collect();
            assert_eq!(found.join(" "), day, "{text}");
        }
    }

    #[test]
    fn a_weekday_behind_a_day_far_away_is_not_that_of_the_mail() {
        for (text, found) in [
            ("휴진은 4월 6일입니다. 수요일에는 문을 엽니다.", "04-06"),
            ("3월 18일부터 다시 수요일 8시 체육관입니다.", "03-18"),
            ("3월 12일에 갑니다. 금요일까지 있습니다.", "03-12 03-13"),
        ] {
            let all: Vec<String> = days(text).into_iter().flatten().collect();
            assert_eq!(all.join(" "), found, "{text}");
        }
    }

    #[test]
    fn where_two_are_as_likely_there_is_none() {
        for text in [
            "The Drill Hall is ours for the Saturday after instead.",
            "Could it be the Monday of that week?",
            "They've eaten my Tuesday mornings.",
            "The mill lost its Thursday driver.",
            "That's Easter Monday.",
            "평소 토요일 18시는 그대로입니다.",
            "맨 처음 잡았던 토요일로 돌아갑시다.",
            "수요일 오후마다 회의가 있어요.",
            "화요일은 그대로.",
            "3월 목요일 다 야간 됐어.",
            "같은 주 금요일 오전에 들어갑니다.",
            "시작일을 13일 늦추고 종료일도 늦춥니다.",
            "품목 | 수량 | 1일 요금",
            "Following Monday's consultation we have booked it.",
            "Here are the notes from Friday's call.",
            "So we pull it forward a day. Tuesday then, same hour.",
            "Coming up the day before, so be in on Sunday evening?",
            "Deliveries are Tuesdays and Fri, same as ever.",
            "Tues and Fri hen, ring by four.",
            "No van on the Thursday, he's at a funeral.",
            "They have a match that Saturday, the cheek.",
            "수요일, 금요일은 평소대로입니다.",
            "하루씩 당겨서 수요일에 할게요.",
            "금요일에 몸살로 못 오셔서 내 도장만 찍음.",
            "On the Thursday of next week, or the one after.",
            "They want it on the 28th, a week later than the ticket.",
            "Friday as before.",
            // Today is the ninth.
            "9일 저녁 그 시간 그대로고요.",
            "The desk comes on the 9th.",
            "Twelve, the 10th, I'll sign whatever.",
        ] {
            let found: Vec<String> = days(text).into_iter().flatten().collect();
            assert_eq!(found.join(" "), "", "{text}");
        }
    }
}
