//! The dates of a statement and what they mean for it: when it happens, from when and until when it holds.
//!
//! A relative date counts from the mail's date; what it resolves to is written beside it, so that it can be found.

use super::counted::{counts_from_another, is_habit, is_moved, weekday_alone};
use super::plain::Plain;
use super::{meant, nouns};
use crate::language::{self, Clock, Date, Found, Reference, Value, Words, is_hangul, moment, words};
use crate::mail::clean;
use crate::model::{DayOrTime, Zone};
use chrono::NaiveDate;
use std::cell::OnceCell;

/// What a date does in its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateRole {
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
pub(super) struct Moment {
    pub start: usize,
    pub end: usize,
    pub day: NaiveDate,
    pub clock: Option<Clock>,
    pub role: DateRole,
}

impl Moment {
    /// The day, or the time where one stands beside it.
    pub fn at(&self, home: Zone) -> Option<DayOrTime> {
        let Some(clock) = &self.clock else { return Some(DayOrTime::Day(self.day)) };
        moment(&Date { on: Some(self.day), ..Date::default() }, clock, home).map(DayOrTime::Time)
    }
}

/// The values of the text as a mail means them: no lunar dates, days as [`meant`] tells them.
pub(super) fn values(text: &str, at: Option<Reference>) -> Vec<Found> {
    corrected(text, language::values(text, at), at)
}

/// See [`values`].
pub(super) fn corrected(text: &str, mut found: Vec<Found>, at: Option<Reference>) -> Vec<Found> {
    let days: Vec<(usize, usize)> =
        found.iter().filter(|f| is_day(&f.value)).map(|f| (f.span.start, f.span.end)).collect();
    // "by tomorrow EOD" names one day.
    found.retain(|f| {
        let of_day = matches!(&*f.span.of(text).to_lowercase(), "eod" | "cob" | "end of day" | "end of the day");
        let beside = |(from, to): &(usize, usize)| {
            *to <= f.span.start && f.span.start - to <= 8 || *from >= f.span.end && from - f.span.end <= 8
        };
        !(of_day && days.iter().any(beside))
    });
    let meant: Vec<Option<Option<NaiveDate>>> = (0..found.len()).map(|n| meant::meant(text, &found, n, at?)).collect();
    for (one, meant) in found.iter_mut().zip(meant) {
        let start = one.span.start;
        let head = clean::tail(text[..start].trim_end(), 16).to_lowercase();
        let lunar = ["음력", "lunar"].iter().any(|w| head.ends_with(w));
        let bare = weekday_alone(&one.value).is_some();
        let from_another = matches!(&one.value, Value::Date(d) if d.shift.is_some()) && counts_from_another(text, one);
        let Value::Date(date) = &mut one.value else { continue };
        if lunar || from_another {
            // Which day that is in the year is for an almanac to say.
            date.on = None;
        } else if bare && head.ends_with("a week from") {
            date.on = date.on.and_then(|d| d.checked_add_days(chrono::Days::new(7)));
        } else if let Some(day) = meant {
            date.on = day;
        }
    }
    found
}

fn is_day(value: &Value) -> bool {
    matches!(value, Value::Date(d) if d.on.is_some())
}

/// Bytes around a date that may tell its role.
const NEAR: usize = 400;

/// The days named in the text, each with the time of day that stands beside it.
pub(super) fn moments(text: &str, values: &[Found], at: Option<Reference>) -> Vec<Moment> {
    let mut out: Vec<Moment> = Vec::new();
    let (moved, about) = (is_moved(text), About::default());
    for (n, found) in values.iter().enumerate() {
        if is_habit(text, values, n) {
            continue;
        }
        let mut days = days_of(&found.value);
        // "moves from Tuesday to Thursday" names two days, not three.
        let target = target(found.span.of(text), at).filter(|_| moved && days.len() != 1);
        if let Some(day) = target {
            days = vec![(day, None)];
        } else if days.is_empty() {
            out.extend(end_of_period(text, found, at).or_else(|| end_of_term(text, &about, found, at)));
        }
        let several = days.len();
        for (k, (day, clock)) in days.into_iter().enumerate() {
            let clock = clock.or_else(|| beside(text, &about, values, n));
            let role = if several == 2 && k == 1 {
                last_role(text, found.span.end)
            } else {
                role(text, found.span.start, found.span.end)
            };
            let role = match () {
                () if target.is_some() => DateRole::Event,
                () if several == 2 && k == 0 => DateRole::From,
                // "26 May to 6 June" lasts until then.
                () if several == 2 && role == DateRole::Event => DateRole::Until,
                () => role,
            };
            let moment = Moment { start: found.span.start, end: found.span.end, day, clock, role };
            // "tomorrow, Thursday" and "어젯밤(3월 15일)" name one day twice.
            match out.last_mut() {
                Some(last) if several == 1 && last.day == day && found.span.start.saturating_sub(last.end) <= 12 => {
                    last.end = found.span.end;
                    last.clock = last.clock.or(clock);
                    if last.role == DateRole::Event {
                        last.role = role;
                    }
                }
                _ => out.push(moment),
            }
        }
    }
    out
}

/// "6월부터", "until July": the day on which a period begins or ends, where that is what is said.
fn end_of_period(text: &str, found: &Found, at: Option<Reference>) -> Option<Moment> {
    let Value::Period(period) = &found.value else { return None };
    let (from, to) = period.span?;
    let (start, end) = (found.span.start, found.span.end);
    let role = role(text, start, end);
    let day = match role {
        DateRole::From if at.is_some_and(|a| to > a.day()) => from,
        DateRole::Deadline | DateRole::Until => to.pred_opt()?,
        _ => return None,
    };
    Some(Moment { start, end, day, clock: None, role })
}

/// "payable within 14 days", "10일 이내 납부": the day on which a term ends that is counted from the mail.
fn end_of_term(text: &str, about: &About, found: &Found, at: Option<Reference>) -> Option<Moment> {
    let Value::Duration(length) = &found.value else { return None };
    let days = length.seconds / 86_400;
    let whole = length.months == 0 && days > 0 && length.seconds == days * 86_400;
    if !whole || found.bound != language::Bound::AtMost || !about.is_term(text) {
        return None;
    }
    let day = at?.day().checked_add_days(chrono::Days::new(days))?;
    Some(Moment { start: found.span.start, end: found.span.end, day, clock: None, role: DateRole::Deadline })
}

/// The day after "to" in "Tuesday to Thursday", or after 에서 in "화요일에서 목요일로".
fn target(span: &str, at: Option<Reference>) -> Option<NaiveDate> {
    let (_, to) = span.split_once(" to ").or_else(|| span.split_once("에서 "))?;
    let found = language::values(to, at);
    found.iter().flat_map(|f| days_of(&f.value)).map(|(day, _)| day).next()
}

fn days_of(value: &Value) -> Vec<(NaiveDate, Option<Clock>)> {
    match value {
        Value::Date(date) => date.on.map(|d| (d, None)).into_iter().collect(),
        Value::Range(ends) => {
            let (a, b) = (days_of(&ends.0), days_of(&ends.1));
            match (a.first(), b.first()) {
                (Some(a), Some(b)) => vec![*a, *b],
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The time of day that belongs to the `n`-th value: the next or the previous value, close by.
fn beside(text: &str, about: &About, values: &[Found], n: usize) -> Option<Clock> {
    let clock = |f: &Found| match &f.value {
        Value::Clock(c) => Some(*c),
        Value::Range(ends) => match &ends.0 {
            Value::Clock(c) => Some(*c),
            _ => None,
        },
        _ => None,
    };
    let close = |a: usize, b: usize, limit: usize| {
        let near =
            |gap: &str| gap.len() <= limit * 4 && gap.chars().count() <= limit && !gap.contains(['.', ';', '\n']);
        b >= a && text.get(a..b).is_some_and(near)
    };
    let clock = |f: &Found| clock(f).map(|c| about.settled(c, text));
    let here = &values[n];
    let mut end = here.span.end;
    for next in &values[n + 1..] {
        match &next.value {
            // Another name of the same day may stand between.
            Value::Date(d) if days_of(&here.value).first().is_some_and(|(day, _)| Some(*day) == d.on) => {
                end = next.span.end
            }
            // "same hour, 16:00 in Seoul" stands in the next sentence.
            _ if clock(next).is_some()
                && (close(end, next.span.start, 16)
                    || text
                        .get(end..next.span.start)
                        .is_some_and(|g| g.len() < 30 && g.to_lowercase().contains("same"))) =>
            {
                return clock(next);
            }
            Value::Weekdays(_) | Value::Identifier(_) | Value::Quantity { .. } => {}
            _ => break,
        }
    }
    let previous = n.checked_sub(1).and_then(|p| values.get(p))?;
    let same_clause = !text[previous.span.end..here.span.start].contains(',');
    clock(previous).filter(|_| same_clause && close(previous.span.end, here.span.start, 8))
}

/// What a text is about, as far as its dates and times ask for it; each is found out once.
#[derive(Debug, Default)]
struct About {
    halves: OnceCell<(bool, bool)>,
    term: OnceCell<bool>,
}

impl About {
    /// A clock whose half of the day is not said, by what the text is about: dinner is in the evening, and nobody meets
    /// at three in the morning.
    fn settled(&self, clock: Clock, text: &str) -> Clock {
        let hour = clock.seconds / 3600;
        if clock.sure || !(1..12).contains(&hour) {
            return clock;
        }
        let (early, late) = *self.halves.get_or_init(|| {
            let plain = Plain::new(text);
            (plain.has(words!("mail/dates.early")), plain.has(words!("mail/dates.late")))
        });
        let after_noon = !early && (late || hour <= 6);
        Clock { seconds: clock.seconds + if after_noon { 43_200 } else { 0 }, ..clock }
    }

    /// Whether something is to be paid, handed in or answered, in days of the calendar.
    fn is_term(&self, text: &str) -> bool {
        *self.term.get_or_init(|| {
            let plain = Plain::new(text);
            plain.has(words!("mail/dates.due words")) && !plain.has(&["working", "business", "영업일"])
        })
    }
}

fn role(text: &str, start: usize, end: usize) -> DateRole {
    let head = clean::tail(&text[..start], NEAR).to_lowercase();
    let head = head.trim_end_matches([' ', '(', ':', '~', '-', '*', ',']);
    // 제출일이, 기한을: the noun before the date, whatever its particle.
    let noun = nouns::words(clean::tail(head, 80)).last().map(|w| w.stem.to_owned()).unwrap_or_default();
    if head.ends_with(&noun) || head.ends_with(is_hangul) {
        if words!("mail/dates.ends").contains(&noun.as_str()) {
            return DateRole::Until;
        }
        if words!("mail/dates.due phrases").contains(&noun.as_str()) {
            return DateRole::Deadline;
        }
    }
    let role = last_role(text, end);
    if role != DateRole::Event {
        return role;
    }
    let ends = |list: &[&str]| {
        list.iter().any(|w| head.strip_suffix(w).is_some_and(|h| !h.ends_with(|c: char| c.is_ascii_alphanumeric())))
    };
    static BY: &Words = words!("mail/dates.by");
    let near: String = head.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
    if ends(words!("mail/dates.until")) {
        DateRole::Until
    } else if ends(BY) || ends(&["on"]) && !near.contains('.') && Plain::new(&near).has(&["due", "payable"]) {
        DateRole::Deadline
    } else if ends(words!("mail/dates.former")) {
        DateRole::Former
    } else if ends(words!("mail/dates.since")) {
        DateRole::From
    } else {
        DateRole::Event
    }
}

/// The role that what stands after a date gives it.
fn last_role(text: &str, end: usize) -> DateRole {
    let tail = clean::cut(&text[end..], NEAR).trim_start_matches([')', ' ', '"', '\'']);
    // "(금)까지", "3월 4일(화) 18시까지": the time of day may stand between.
    let tail = tail
        .strip_prefix('(')
        .and_then(|t| t.split_once(')'))
        .map_or(tail, |(inside, after)| if inside.chars().count() <= 4 { after } else { tail });
    let near: String = tail.chars().take(16).collect();
    let until = near
        .find("까지")
        .filter(|at| near[..*at].chars().all(|c| c.is_ascii_digit() || "시분오전후 정각반:".contains(c)));
    if until.is_some() {
        let after = tail.split_once("까지").map_or("", |(_, a)| a);
        let valid = ["유효", "사용", "효력"].iter().any(|w| after.trim_start().starts_with(w))
            || ["이용할", "쓸 수"].iter().any(|w| after.contains(w));
        return if valid { DateRole::Until } else { DateRole::Deadline };
    }
    if ["이내", "내로", "안으로", "전까지", "이전까지"].iter().any(|w| tail.starts_with(w)) {
        return DateRole::Deadline;
    }
    if ["부터", "이후", "자로", "字로"].iter().any(|w| tail.starts_with(w)) {
        return DateRole::From;
    }
    if ["에서 ", "이 아니라", "가 아니라", "이 아닌", "말고", " 대신", "였던", "이었던", "예정이던"]
        .iter()
        .any(|w| tail.starts_with(w))
    {
        // "3월 4일에서 3월 6일로" moves a date; "3월 4일에서 만난" would not be said.
        return DateRole::Former;
    }
    DateRole::Event
}
