//! Finds texts whose only date is a bare day of the month ("the 22nd"), which may be of several
//! months.

use crate::language::{Found, Value, values};

/// Bytes between a day and the weekday that tells its month.
const BESIDE: usize = 16;

/// Whether a text names a day of the month without a month, and no date besides.
pub fn names_bare_day(text: &str) -> bool {
    let found = values(text, None);
    let is_bare = |v: &Value| matches!(v, Value::Date(d) if d.day.is_some() && d.month.is_none() && d.weekday.is_none() && d.shift.is_none());
    let is_whole = |v: &Value| matches!(v, Value::Date(d) if d.month.is_some() || d.shift.is_some()) || is_month(v);
    // "Saturday the 22nd": the weekday tells the month.
    let is_weekday = |f: &Found| matches!(&f.value, Value::Date(d) if d.weekday.is_some());
    let beside = |f: &Found| {
        let near = |o: &Found| o.span.start.saturating_sub(f.span.end).max(f.span.start.saturating_sub(o.span.end));
        found.iter().any(|o| is_weekday(o) && near(o) <= BESIDE)
    };
    !found.iter().any(|f| is_whole(&f.value)) && found.iter().any(|f| is_bare(&f.value) && !beside(f))
}

fn is_month(v: &Value) -> bool {
    matches!(v, Value::Period(p) if p.month.is_some())
}
