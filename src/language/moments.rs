//! Finds the moments in a sentence: its days, with their roles and times of day. "Send it by Friday 3 pm" has one
//! moment: Friday at 15:00, a deadline.

use super::dates::{CONTEXT_BYTES, head, is_moved, is_recurring_weekday, tail};
use crate::language::{self, Clock, Date, Found, Period, Reference, Span, Value, moment, stands_in, words};
use crate::model::{DayOrTime, Zone};
use chrono::{Days, NaiveDate};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateRole {
    Event,
    /// Due date: 까지, by.
    Deadline,
    /// End of validity: 유효, valid until.
    Until,
    /// Start: 부터, from.
    From,
    /// The former date of a moved event: moved from …, instead of ….
    Former,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    pub start: usize,
    pub end: usize,
    pub day: NaiveDate,
    /// The time of day next to the date.
    pub clock: Option<Clock>,
    pub role: DateRole,
}

impl Moment {
    /// Returns the point in time in `zone`, or the whole day without a time of day.
    pub fn at(&self, zone: Zone) -> Option<DayOrTime> {
        let Some(clock) = &self.clock else { return Some(DayOrTime::Day(self.day)) };
        moment(&Date { on: Some(self.day), ..Date::default() }, clock, zone).map(DayOrTime::Time)
    }
}

/// Finds the days of a text, each with its role and adjacent time of day. Recurring weekdays are skipped.
pub fn moments(text: &str, values: &[Found], at: Option<Reference>) -> Vec<Moment> {
    let mut out: Vec<Moment> = Vec::new();
    let is_moved = is_moved(text);
    for (n, found) in values.iter().enumerate() {
        if is_recurring_weekday(text, values, n) {
            continue;
        }
        let (start, end) = (found.span.start, found.span.end);
        let mut days = days_of(&found.value);
        // "moves from Tuesday to Thursday" has one new day, Thursday.
        let move_target = move_target(found.span.of(text), at).filter(|_| is_moved);
        if let Some(day) = move_target {
            days = vec![(day, None)];
        } else if days.is_empty() {
            out.extend(period_boundary(text, found, at));
        }
        let several = days.len();
        for (k, (day, clock)) in days.into_iter().enumerate() {
            let clock = clock.or_else(|| adjacent_clock(text, values, n));
            let role = if several == 2 && k == 1 { role_after(text, end) } else { role(text, start, end) };
            let role = match role {
                _ if move_target.is_some() => DateRole::Event,
                _ if several == 2 && k == 0 => DateRole::From,
                // "26 May to 6 June": the second day is the end.
                DateRole::Event if several == 2 => DateRole::Until,
                role => role,
            };
            // "tomorrow, Thursday" and "어젯밤(3월 15일)" name the same day twice.
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

/// Returns the day on which a period or term starts or ends: "6월부터", "until July", "payable within 14 days".
fn period_boundary(text: &str, found: &Found, at: Option<Reference>) -> Option<Moment> {
    let (start, end) = (found.span.start, found.span.end);
    let (day, role) = match &found.value {
        Value::Period(Period { span: Some((from, to)), .. }) => match role(text, start, end) {
            DateRole::From if at.is_some_and(|a| *to > a.day()) => (*from, DateRole::From),
            role @ (DateRole::Deadline | DateRole::Until) => (to.pred_opt()?, role),
            _ => return None,
        },
        Value::Duration(length) => {
            let lower = text.to_lowercase();
            let days = length.seconds / 86_400;
            let is_whole = length.months == 0 && days > 0 && length.seconds == days * 86_400;
            let is_business = ["working", "business", "영업일"].iter().any(|w| stands_in(&lower, w));
            let is_due = words!("mail/dates.due words").stand_whole_in(&lower) && !is_business;
            let day = at?.day().checked_add_days(Days::new(days))?;
            (is_whole && is_due && is_limit(text, found)).then_some((day, DateRole::Deadline))?
        }
        _ => return None,
    };
    Some(Moment { start, end, day, clock: None, role })
}

/// Whether the words around a duration make it a limit: "within 14 days", 14일 이내.
fn is_limit(text: &str, found: &Found) -> bool {
    let (before, after) = (text[..found.span.start].to_lowercase(), text[found.span.end..].to_lowercase());
    words!("bounds.at most").begin(after.trim_start_matches(['을', '를']).trim_start())
        || words!("bounds.before at most").end_whole(before.trim_end())
}

/// Returns the new day of a moved event: Thursday in "Tuesday to Thursday", 목요일 in "화요일에서 목요일로".
fn move_target(span: &str, at: Option<Reference>) -> Option<NaiveDate> {
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

/// Returns the time of day of the `n`th value, if a neighbouring value gives it.
fn adjacent_clock(text: &str, values: &[Found], n: usize) -> Option<Clock> {
    let clock = |f: &Found| match &f.value {
        Value::Clock(c) => Some(resolve_half_day(*c, text)),
        Value::Range(ends) => match &ends.0 {
            Value::Clock(c) => Some(resolve_half_day(*c, text)),
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
            // Skip a second name of the same day.
            Value::Date(d) if days_of(&here.value).first().is_some_and(|(day, _)| Some(*day) == d.on) => {
                end = next.span.end;
            }
            _ if clock(next).is_some() && close(end, next.span.start, 16) => return clock(next),
            // "Same hour, 16:00 in Seoul" may follow in the next sentence.
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

/// Chooses AM or PM for an ambiguous time by the subject of the text.
fn resolve_half_day(clock: Clock, text: &str) -> Clock {
    let hour = clock.seconds / 3600;
    if clock.sure || !(1..12).contains(&hour) {
        return clock;
    }
    let lower = text.to_lowercase();
    let is_after_noon = !words!("mail/dates.early").stand_whole_in(&lower)
        && (hour <= 6 || words!("mail/dates.late").stand_whole_in(&lower));
    Clock { seconds: clock.seconds + if is_after_noon { 43_200 } else { 0 }, ..clock }
}

/// Whether the text says that a value no longer holds: "instead of £50", "not Thursdays", 50만원에서.
pub fn is_former(text: &str, Span { start, end }: Span) -> bool {
    let before = tail(&text[..start], CONTEXT_BYTES).trim_end().to_lowercase();
    let is_left = || before.ends_with(" from") && text[end..].trim_start().starts_with("to ");
    role(text, start, end) == DateRole::Former || before.ends_with(" not") || is_left()
}

/// Returns the role of a date from the words before and after it.
fn role(text: &str, start: usize, end: usize) -> DateRole {
    let before = tail(&text[..start], CONTEXT_BYTES).to_lowercase();
    let before = before.trim_end_matches([' ', '(', ':', '~', '-', '*', ',']);
    // The noun before the date, without its particle: 제출일이, 기한을.
    let noun = language::without_particle(before.rsplit([' ', '\n', '(']).next().unwrap_or_default());
    if words!("mail/dates.ends").contains(&noun) {
        return DateRole::Until;
    }
    if words!("mail/dates.due phrases").contains(&noun) {
        return DateRole::Deadline;
    }
    let near = tail(before, 40);
    let is_due_on =
        before.ends_with(" on") && !near.contains('.') && ["due", "payable"].iter().any(|w| stands_in(near, w));
    match role_after(text, end) {
        DateRole::Event if words!("mail/dates.until").end_whole(before) => DateRole::Until,
        DateRole::Event if words!("mail/dates.by").end_whole(before) || is_due_on => DateRole::Deadline,
        DateRole::Event if words!("mail/dates.former").end_whole(before) => DateRole::Former,
        DateRole::Event if words!("mail/dates.since").end_whole(before) => DateRole::From,
        role => role,
    }
}

/// Returns the role that the words after a date give it.
fn role_after(text: &str, end: usize) -> DateRole {
    let after = head(&text[end..], CONTEXT_BYTES).trim_start_matches([')', ' ', '"', '\'']);
    // Skip a weekday or time before the particle: "(금)까지", "3월 4일(화) 18시까지".
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
