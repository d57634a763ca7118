//! Combines values: ranges, and parts that a text states only once for several values.

use super::{
    ValueHit, ValueReader,
    number::Number,
    parts::slot::TO,
    value::{self, Clock, Date, PeriodKind, Value, Weekdays},
};
use crate::language::words;

const HALF_DAY: u32 = 43_200;

impl ValueReader<'_> {
    /// Extends a value to a range if a link and a second value follow.
    pub fn extend(&self, hit: &mut ValueHit) {
        let Some((at, parts)) = self.match_rule("link", hit.start, hit.end) else { return };
        let Some(second) = self.s.char(at).and_then(|c| self.read(at, c)) else { return };
        let is_range = parts.slots[TO].is_some();
        if is_range && self.tells_a_move(hit, &second) {
            return;
        }
        if let Some(value) = join(&hit.value, &second.value, is_range) {
            // "between 3 and 7 April", "from 6 to 17 October": the words before are left out.
            *hit = ValueHit { start: hit.start.min(second.start), end: second.end, value };
        }
    }

    /// Whether the value changed to the second one rather than reaching to it: "9월 25일에서 10월 2일로", "moved from 25
    /// September to 2 October".
    fn tells_a_move(&self, hit: &ValueHit, second: &ValueHit) -> bool {
        let s = self.s;
        if s.eat_any(hit.end, words!("korean/grammar.move from")).is_some() {
            // A weekday in brackets may come between.
            let after = if s.char(second.end) == Some('(') { s.spaces(second.end + 5) } else { second.end };
            return s.eat_any(after, words!("korean/grammar.move to")).is_some();
        }
        let before = s.head(s.blank_before(hit.start));
        let Some(before) = before.strip_suffix("from").map(str::trim_end) else { return false };
        let verb = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        words!("english/grammar.moves").contains(&verb)
    }
}

fn join(first: &Value, second: &Value, is_range: bool) -> Option<Value> {
    let (a, b) = align(first, second)?;
    let range = |a: Value, b: Value| Some(Value::Range(Box::new((a, b))));
    if !is_range {
        // Adjacent days form a range: 14 and 15 May; anything else is a list.
        let (Value::Date(x), Value::Date(y)) = (&a, &b) else { return None };
        let next = y.day.zip(x.day).is_some_and(|(y, x)| y == x + 1) && (x.month.is_none() || x.month == y.month);
        return if next { range(a, b) } else { None };
    }
    if let (Value::Date(x), Value::Date(y)) = (&a, &b)
        && let (Some(p), Some(q), None, None, None) = (x.weekday, y.weekday, x.day, y.day, x.shift)
    {
        return Some(Value::Weekdays(Weekdays::range(p, q)));
    }
    range(a, b)
}

/// Completes each end with what only the other states: 3~5일, 10~14시, 23–25 May, 300만~400만원.
fn align(first: &Value, second: &Value) -> Option<(Value, Value)> {
    use Value::*;
    Some(match (first, second) {
        (Number(a), Number(b)) if a >= b => return None,
        (Date(_) | Clock(_) | Money { .. }, Number(n)) => (first.clone(), counted_like(*n, first)?),
        (Date(a), Date(b)) => {
            let (mut a, mut b) = (*a, *b);
            if b.month.is_none() && b.day.is_some() {
                b.month = a.month;
            } else if a.month.is_none() && a.day.is_some() {
                a.month = b.month;
            }
            a.year = a.year.or(b.year);
            b.year = b.year.or(a.year);
            let one_stretch = b.weekday.is_some() && a.weekday.is_some() || b.day.is_some() && b.month.is_none();
            b.shift = b.shift.or(a.shift.filter(|_| one_stretch));
            (Date(a), Date(b))
        }
        (Clock(a), Clock(b)) => {
            let (mut a, mut b) = (*a, *b);
            // "2–4 pm", "오후 3시부터 5시": am or pm applies to both.
            if a.sure && !b.sure && (b.seconds..b.seconds + HALF_DAY).contains(&a.seconds) {
                b.seconds += HALF_DAY;
            } else if b.sure && !a.sure && a.seconds + HALF_DAY < b.seconds {
                a.seconds += HALF_DAY;
            }
            let (sure, zone) = (a.sure || b.sure, a.zone.or(b.zone));
            (Clock(value::Clock { sure, zone, ..a }), Clock(value::Clock { sure, zone: b.zone.or(zone), ..b }))
        }
        (Period(a), Period(b)) if a.kind == b.kind => {
            let year = |own: Option<i16>| own.or(a.year).or(b.year);
            (Period(value::Period { year: year(a.year), ..*a }), Period(value::Period { year: year(b.year), ..*b }))
        }
        (Money { currency: a, .. }, Money { currency: b, .. }) if a != b => return None,
        (Quantity { unit: a, .. }, Quantity { unit: b, .. }) if a != b => return None,
        (Number(_), Number(_))
        | (Money { .. }, Money { .. })
        | (Quantity { .. }, Quantity { .. })
        | (Percent(_), Percent(_))
        | (Duration(_), Duration(_))
        | (Version(_), Version(_)) => (first.clone(), second.clone()),
        (Number(n), _) => (counted_like(*n, second)?, second.clone()),
        _ => return None,
    })
}

fn small(n: &Number, max: i64) -> Option<u8> {
    n.as_whole().filter(|n| (1..=max).contains(n)).and_then(|n| u8::try_from(n).ok())
}

fn counted_like(n: Number, end: &Value) -> Option<Value> {
    use Value::*;
    Some(match end {
        Date(d) if d.day.is_some() => Date(with_day(d, &n)?),
        Clock(c) => Clock(hour_like(&n, c)?),
        Money { number, currency, per } => Money { number: scaled_like(n, *number), currency, per: *per },
        Quantity { unit, .. } => Quantity { number: n, unit: unit.clone() },
        Percent(_) => Percent(n),
        Duration(d) => {
            let units = [2_592_000_u64, 604_800, 86_400, 3600, 60];
            let n = u64::try_from(n.as_whole()?).ok()?;
            let unit = units.into_iter().find(|u| d.seconds > 0 && d.seconds % u == 0);
            let months = if d.months % 12 == 0 { 12 } else { 1 };
            Duration(match unit {
                Some(unit) => value::Duration { months: 0, seconds: n.checked_mul(unit)? },
                None => value::Duration { months: u32::try_from(n).ok()?.checked_mul(months)?, seconds: 0 },
            })
        }
        Period(p) if p.kind == PeriodKind::Month => Period(value::Period { month: Some(small(&n, 12)?), ..*p }),
        Period(p) if p.number > 0 => Period(value::Period { number: small(&n, 53)? as i8, ..*p }),
        Ordinal { of, .. } => Ordinal { number: i32::try_from(n.as_whole()?).ok()?, of },
        _ => return None,
    })
}

fn with_day(date: &Date, day: &Number) -> Option<Date> {
    Some(Date { day: Some(small(day, 31)?), weekday: None, on: None, ..*date })
}

/// "3 to 5 pm": the first hour is also pm.
fn hour_like(n: &Number, end: &Clock) -> Option<Clock> {
    let hour = n.as_whole().filter(|h| (0..=24).contains(h)).and_then(|h| u32::try_from(h).ok())?;
    let mut seconds = hour * 3600;
    // 9~22시 starts in the morning.
    if end.sure && hour < 12 && seconds + HALF_DAY < end.seconds {
        seconds += HALF_DAY;
    }
    Some(Clock { seconds, sure: end.sure || hour > 12, zone: end.zone })
}

/// "3 to 4 million", "300~400만원": a small first number shares the second's power of ten.
fn scaled_like(first: Number, second: Number) -> Number {
    let fits = |power: &i32| second >= first.shifted(*power) && second >= Number::ONE.shifted(*power);
    let power = [8, 6, 4, 3].into_iter().find(fits).filter(|_| first <= Number::whole(999));
    first.shifted(power.unwrap_or_default())
}
