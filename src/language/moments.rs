//! Finds the moments in a sentence: its days, with their roles and times of day. "Send it by Friday 3 pm" has one
//! moment: Friday at 15:00, a deadline.

use super::{around::Around, dates::is_moved};
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
    let (is_moved, lower) = (is_moved(text), text.to_ascii_lowercase());
    for here in Around::all(&lower, values).filter(|here| !here.is_recurring_weekday()) {
        let Span { start, end } = here.span;
        let mut days = days_of(here.value());
        // "moves from Tuesday to Thursday" has one new day, Thursday.
        let move_target = move_target(here.span.of(text), at).filter(|_| is_moved);
        if let Some(day) = move_target {
            days = vec![day];
        } else if days.is_empty() {
            out.extend(here.period_boundary(at));
        }
        let (several, clock) = (days.len(), here.clock());
        for (k, day) in days.into_iter().enumerate() {
            let role = if several == 2 && k == 1 { here.role_after() } else { here.role() };
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

/// Returns the new day of a moved event: Thursday in "Tuesday to Thursday", 목요일 in "화요일에서 목요일로".
fn move_target(span: &str, at: Option<Reference>) -> Option<NaiveDate> {
    let (_, to) = span.split_once(" to ").or_else(|| span.split_once("에서 "))?;
    language::values(to, at).iter().flat_map(|f| days_of(&f.value)).next()
}

fn days_of(value: &Value) -> Vec<NaiveDate> {
    match value {
        Value::Date(date) => date.on.into_iter().collect(),
        Value::Range(ends) => {
            let both = [days_of(&ends.0), days_of(&ends.1)].concat();
            if both.len() == 2 { both } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}

/// Whether the words around a value mark it as former: "instead of £50", "not Thursdays", 50만원에서.
pub fn is_former(text: &str, span: Span) -> bool {
    let lower = text.to_ascii_lowercase();
    let here = Around { text: &lower, values: &[], span, n: 0 };
    let before = here.before().trim_end();
    here.role() == DateRole::Former
        || before.ends_with(" not")
        || before.ends_with(" from") && here.after().trim_start().starts_with("to ")
}

impl Around<'_> {
    /// Returns the day on which a period or term starts or ends: "6월부터", "until July", "payable within 14 days".
    fn period_boundary(self, at: Option<Reference>) -> Option<Moment> {
        let (day, role) = match self.value() {
            Value::Period(Period { span: Some((from, to)), .. }) => match self.role() {
                DateRole::From if at.is_some_and(|a| *to > a.day()) => (*from, DateRole::From),
                role @ (DateRole::Deadline | DateRole::Until) => (to.pred_opt()?, role),
                _ => return None,
            },
            Value::Duration(length) => {
                let days = length.seconds / 86_400;
                let is_whole = length.months == 0 && days > 0 && length.seconds == days * 86_400;
                let is_business = ["working", "business", "영업일"].iter().any(|w| stands_in(self.text, w));
                let is_due = words!("mail/dates.due words").stand_whole_in(self.text) && !is_business;
                let day = at?.day().checked_add_days(Days::new(days))?;
                (is_whole && is_due && self.is_limit()).then_some((day, DateRole::Deadline))?
            }
            _ => return None,
        };
        Some(Moment { start: self.span.start, end: self.span.end, day, clock: None, role })
    }

    /// Whether the words around a duration make it a limit: "within 14 days", 14일 이내.
    fn is_limit(self) -> bool {
        words!("bounds.at most").begin(self.after().trim_start_matches(['을', '를']).trim_start())
            || words!("bounds.before at most").end_whole(self.before().trim_end())
    }

    /// Returns the time of day that a neighbouring value gives.
    fn clock(self) -> Option<Clock> {
        let Self { text, values, span, n } = self;
        let clock = |f: &Found| match &f.value {
            Value::Clock(c) => Some(self.resolve_half_day(*c)),
            Value::Range(ends) => match &ends.0 {
                Value::Clock(c) => Some(self.resolve_half_day(*c)),
                _ => None,
            },
            _ => None,
        };
        let close = |from: usize, to: usize, limit: usize| {
            text.get(from..to).is_some_and(|gap| gap.chars().count() <= limit && !gap.contains(['.', ';', '\n']))
        };
        for next in &values[n + 1..] {
            match &next.value {
                Value::Weekdays(_) | Value::Identifier(_) | Value::Quantity { .. } => {}
                _ if clock(next).is_some() && close(span.end, next.span.start, 16) => return clock(next),
                // "Same hour, 16:00 in Seoul" may follow in the next sentence.
                _ if clock(next).is_some() => {
                    let gap = text.get(span.end..next.span.start).filter(|gap| gap.len() < 30)?;
                    return clock(next).filter(|_| gap.contains("same"));
                }
                _ => break,
            }
        }
        let previous = values[..n].last()?;
        let is_one_clause = !text[previous.span.end..span.start].contains(',');
        clock(previous).filter(|_| is_one_clause && close(previous.span.end, span.start, 8))
    }

    /// Chooses AM or PM for an ambiguous time by the subject of the text.
    fn resolve_half_day(self, clock: Clock) -> Clock {
        let hour = clock.seconds / 3600;
        let is_after_noon = !clock.sure
            && (1..12).contains(&hour)
            && !words!("mail/dates.early").stand_whole_in(self.text)
            && (hour <= 6 || words!("mail/dates.late").stand_whole_in(self.text));
        Clock { seconds: clock.seconds + if is_after_noon { 43_200 } else { 0 }, ..clock }
    }

    /// Returns the role of a date from the words before and after it.
    fn role(self) -> DateRole {
        let before = self.before().trim_end_matches([' ', '(', ':', '~', '-', '*', ',']);
        // The noun before the date, without its particle: 제출일이, 기한을.
        let noun = language::without_particle(before.rsplit([' ', '\n', '(']).next().unwrap_or_default());
        if words!("mail/dates.ends").contains(&noun) {
            return DateRole::Until;
        }
        if words!("mail/dates.due phrases").contains(&noun) {
            return DateRole::Deadline;
        }
        let near = &before[before.ceil_char_boundary(before.len().saturating_sub(40))..];
        let is_due_on =
            before.ends_with(" on") && !near.contains('.') && ["due", "payable"].iter().any(|w| stands_in(near, w));
        match self.role_after() {
            DateRole::Event if words!("mail/dates.until").end_whole(before) => DateRole::Until,
            DateRole::Event if words!("mail/dates.by").end_whole(before) || is_due_on => DateRole::Deadline,
            DateRole::Event if words!("mail/dates.former").end_whole(before) => DateRole::Former,
            DateRole::Event if words!("mail/dates.since").end_whole(before) => DateRole::From,
            role => role,
        }
    }

    /// Returns the role that the words after a date give it.
    fn role_after(self) -> DateRole {
        let after = self.after().trim_start_matches([')', ' ', '"', '\'']);
        // Skip a weekday or time before the particle: "(금)까지", "3월 4일(화) 18시까지".
        let inside =
            after.strip_prefix('(').and_then(|t| t.split_once(')')).filter(|(day, _)| day.chars().count() <= 4);
        let after = inside.map_or(after, |(_, after)| after);
        let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || "시분오전후 정각반:".contains(c));
        if let Some(what) = rest.strip_prefix("까지").filter(|_| after.len() - rest.len() <= 30) {
            let is_valid = ["유효", "사용", "효력"].iter().any(|w| what.trim_start().starts_with(w));
            let is_usable = ["이용할", "쓸 수"].iter().any(|w| what.contains(w));
            return if is_valid || is_usable { DateRole::Until } else { DateRole::Deadline };
        }
        let roles: [(&language::Words, DateRole); 3] = [
            (words!("mail/dates.behind a deadline"), DateRole::Deadline),
            (words!("mail/dates.behind a start"), DateRole::From),
            (words!("mail/dates.behind a former day"), DateRole::Former),
        ];
        roles.iter().find(|(list, _)| list.begin(after)).map_or(DateRole::Event, |(_, role)| *role)
    }
}
