//! Detects a bare day of the month ("the 22nd") whose month is ambiguous.
//!
//! Such a draft gets no date, because a wrong date in a calendar is worse than none.

use super::Candidate;
use crate::language::{Date, Found, Value, values};
use crate::model::{DayOrTime, Draft, Memory, Time, Zone};
use chrono::Datelike;

/// From this probability of the same subject, a memory counts when resolving the month.
const MAY_BE_SAME: f32 = 0.35;
const MAX_MONTHS_AHEAD: u32 = 6;
/// Maximum bytes between a day and the weekday that determines its month.
const WEEKDAY_DISTANCE: usize = 16;

/// Removes the date of a draft that names only a day of the month, if a related memory happens in another month.
pub fn without_open_day(draft: &mut Draft, known: &[(Candidate, Memory)]) {
    let Some((at, said)) = draft.happens_at().zip(draft.stated_at) else { return };
    if !names_bare_day(&draft.content) || !known.iter().any(|(c, m)| is_of_another_month(c, m, draft, at, said)) {
        return;
    }
    draft.occurred_at = draft.stated_at.map(DayOrTime::Time);
    (draft.valid_from, draft.valid_until) = (None, None);
}

/// Whether a text names a day of the month, but no month and no other date.
pub fn names_bare_day(text: &str) -> bool {
    let found = values(text, None);
    let is_bare = |v: &Value| matches!(v, Value::Date(d) if d.day.is_some() && d.month.is_none() && d.weekday.is_none() && d.shift.is_none());
    let is_whole = |v: &Value| match v {
        Value::Date(d) => d.month.is_some() || d.shift.is_some(),
        Value::Period(p) => p.month.is_some(),
        _ => false,
    };
    // In "Saturday the 22nd", the weekday determines the month.
    let is_weekday = |f: &Found| matches!(&f.value, Value::Date(d) if d.weekday.is_some());
    let beside = |f: &Found| {
        let near = |o: &Found| o.span.start.saturating_sub(f.span.end).max(f.span.start.saturating_sub(o.span.end));
        found.iter().any(|o| is_weekday(o) && near(o) <= WEEKDAY_DISTANCE)
    };
    !found.iter().any(|f| is_whole(&f.value)) && found.iter().any(|f| is_bare(&f.value) && !beside(f))
}

/// Whether all dates of a text are plain weekdays: "on Saturday", and not "next Saturday".
pub fn names_bare_weekday(text: &str) -> bool {
    let found = values(text, None);
    let mut dates = found.iter().filter_map(|f| match &f.value {
        Value::Date(date) => Some(date),
        _ => None,
    });
    let is_bare = |d: &Date| d.weekday.is_some() && d.day.is_none() && d.month.is_none() && d.shift.is_none();
    dates.next().is_some_and(is_bare) && dates.all(is_bare)
}

fn is_of_another_month(c: &Candidate, m: &Memory, draft: &Draft, at: DayOrTime, said: Time) -> bool {
    let thread = m.thread_id.is_some() && m.thread_id == draft.thread_id;
    if !thread && c.analysis.as_ref().is_none_or(|a| a.same_subject() < MAY_BE_SAME) {
        return false;
    }
    let month = |at: DayOrTime| at.day(Zone::default()).month();
    let is_other = |other: u32| other != month(at) && (other + 12 - month(said.into())) % 12 <= MAX_MONTHS_AHEAD;
    let happens = m.happens_at().is_some_and(|at| !at.is_before(said.into()) && is_other(month(at)));
    happens
        || values(&m.content, None).iter().any(|f| match &f.value {
            Value::Date(d) => d.month.is_some_and(|n| is_other(n.into())),
            Value::Period(p) => p.month.is_some_and(|n| is_other(n.into())),
            _ => false,
        })
}
