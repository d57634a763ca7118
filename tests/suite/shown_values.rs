//! Writes values as text, for the corpus and the golden hashes; equal values yield equal text.

use memfold::language::{Clock, Date, Duration, On, Period, Recurrence, Shift, Value, Weekdays};
use std::fmt;

/// A value or part of one, to be shown.
pub struct Shown<'v, T>(pub &'v T);

impl fmt::Display for Shown<'_, Value> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(it) = self;
        match it {
            Value::Money { number, currency, per } => {
                write!(f, "money {number} {currency}")?;
                per.map_or(Ok(()), |p| write!(f, " per {}", format!("{p:?}").to_ascii_lowercase()))
            }
            Value::Quantity { number, unit } => write!(f, "quantity {number} {}", unit.0),
            Value::Percent(n) => write!(f, "percent {n}"),
            Value::Number(n) => write!(f, "number {n}"),
            Value::Clock(c) => write!(f, "clock {}", Shown(c)),
            Value::Date(d) => write!(f, "date {}", Shown(d)),
            Value::Weekdays(w) => write!(f, "weekdays {}", Shown(w)),
            Value::Period(p) => write!(f, "period {}", Shown(p)),
            Value::Recurrence(r) => write!(f, "recurrence {}", Shown(r)),
            Value::Duration(d) => write!(f, "duration {}", Shown(d)),
            Value::Range(ends) => write!(f, "{} .. {}", Shown(&ends.0), Shown(&ends.1)),
            Value::Version(v) => write!(f, "version {v}"),
            Value::Identifier(i) => write!(f, "id {}{}{}", i.head, if i.head.is_empty() { "" } else { " " }, i.key),
            Value::Ordinal { number, of } => write!(f, "ordinal {number}{}{of}", if of.is_empty() { "" } else { " " }),
            Value::Status { state, negated } => {
                write!(f, "status {}{}", if *negated { "not " } else { "" }, format!("{state:?}").to_ascii_lowercase())
            }
            Value::Email(e) => write!(f, "email {e}"),
            Value::Phone(p) => write!(f, "phone {p}"),
            Value::Url(u) => write!(f, "url {u}"),
        }
    }
}

impl fmt::Display for Shown<'_, Clock> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(it) = self;
        let (h, m, s) = (it.seconds / 3600, it.seconds / 60 % 60, it.seconds % 60);
        write!(f, "{}{h:02}:{m:02}", if it.sure { "" } else { "~" })?;
        if s > 0 {
            write!(f, ":{s:02}")?;
        }
        it.zone.map_or(Ok(()), |z| write!(f, "{:+03}:{:02}", z.minutes / 60, z.minutes.unsigned_abs() % 60))
    }
}

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

fn day_name(n: u8) -> &'static str {
    DAYS.get(usize::from(n)).copied().unwrap_or("?")
}

impl fmt::Display for Shown<'_, Date> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(it) = self;
        if let Some(on) = it.on {
            return write!(f, "{on}");
        }
        let mut parts = Vec::new();
        if it.year.is_some() || it.month.is_some() || it.day.is_some() {
            let part = |n: Option<u8>| n.map_or("--".to_owned(), |n| format!("{n:02}"));
            let year = it.year.map_or("----".to_owned(), |y| format!("{y:04}"));
            parts.push(format!("{year}-{}-{}", part(it.month), part(it.day)));
        }
        if let Some(w) = it.weekday {
            parts.push(day_name(w).to_owned());
        }
        match it.shift {
            Some(Shift::Days(n)) => parts.push(format!("{n:+}d")),
            Some(Shift::Weeks(n)) => parts.push(format!("{n:+}w")),
            Some(Shift::Months(n)) => parts.push(format!("{n:+}m")),
            Some(Shift::Years(n)) => parts.push(format!("{n:+}y")),
            None => {}
        }
        f.write_str(&parts.join(" "))
    }
}

impl fmt::Display for Shown<'_, Weekdays> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(it) = self;
        let days: Vec<_> = (0..7).filter(|n| it.0 & (1 << n) != 0).map(day_name).collect();
        f.write_str(&days.join("+"))
    }
}

impl fmt::Display for Shown<'_, Period> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(it) = self;
        write!(f, "{}", format!("{:?}", it.kind).to_ascii_lowercase())?;
        if let Some(y) = it.year {
            write!(f, " {y}")?;
        }
        if let Some(m) = it.month {
            write!(f, " m{m}")?;
        }
        if it.number != 0 {
            write!(f, " n{}", it.number)?;
        }
        match (it.shift, it.span) {
            (_, Some((from, to))) => write!(f, " [{from}, {to})"),
            (Some(shift), None) => write!(f, " {shift:+}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Shown<'_, Recurrence> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(it) = self;
        if it.times > 1 {
            write!(f, "{}x ", it.times)?;
        }
        write!(f, "every {} {}", it.every, format!("{:?}", it.unit).to_ascii_lowercase())?;
        match it.on {
            On::Any => Ok(()),
            On::Weekdays(w) => write!(f, " {}", Shown(&w)),
            On::Day(32) => write!(f, " last day"),
            On::Day(d) => write!(f, " day {d}"),
            On::Nth(n, w) => write!(f, " {n}. {}", Shown(&w)),
            On::Yearly(m, d) => write!(f, " {m:02}-{d:02}"),
        }
    }
}

impl fmt::Display for Shown<'_, Duration> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(it) = self;
        let mut parts = Vec::new();
        if it.months > 0 {
            parts.push(format!("{}mo", it.months));
        }
        for (size, within, name) in [(86_400, u64::MAX, "d"), (3600, 86_400, "h"), (60, 3600, "m"), (1, 60, "s")] {
            let n = it.seconds % within / size;
            if n > 0 {
                parts.push(format!("{n}{name}"));
            }
        }
        f.write_str(if parts.is_empty() { "0".to_owned() } else { parts.join(" ") }.as_str())
    }
}
