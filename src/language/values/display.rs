//! Writes values as text; equal values yield equal text.

use super::value::{Clock, Date, Duration, On, Period, Recurrence, Shift, Value, Weekdays};
use std::fmt;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Money { number, currency, per } => {
                write!(f, "money {number} {currency}")?;
                per.map_or(Ok(()), |p| write!(f, " per {}", format!("{p:?}").to_ascii_lowercase()))
            }
            Self::Quantity { number, unit } => write!(f, "quantity {number} {}", unit.0),
            Self::Percent(n) => write!(f, "percent {n}"),
            Self::Number(n) => write!(f, "number {n}"),
            Self::Clock(c) => write!(f, "clock {c}"),
            Self::Date(d) => write!(f, "date {d}"),
            Self::Weekdays(w) => write!(f, "weekdays {w}"),
            Self::Period(p) => write!(f, "period {p}"),
            Self::Recurrence(r) => write!(f, "recurrence {r}"),
            Self::Duration(d) => write!(f, "duration {d}"),
            Self::Range(ends) => write!(f, "{} .. {}", ends.0, ends.1),
            Self::Version(v) => write!(f, "version {v}"),
            Self::Identifier(i) => write!(f, "id {}{}{}", i.head, if i.head.is_empty() { "" } else { " " }, i.key),
            Self::Ordinal { number, of } => write!(f, "ordinal {number}{}{of}", if of.is_empty() { "" } else { " " }),
            Self::Status { state, negated } => {
                write!(f, "status {}{}", if *negated { "not " } else { "" }, format!("{state:?}").to_ascii_lowercase())
            }
            Self::Email(e) => write!(f, "email {e}"),
            Self::Phone(p) => write!(f, "phone {p}"),
            Self::Url(u) => write!(f, "url {u}"),
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (h, m, s) = (self.seconds / 3600, self.seconds / 60 % 60, self.seconds % 60);
        write!(f, "{}{h:02}:{m:02}", if self.sure { "" } else { "~" })?;
        if s > 0 {
            write!(f, ":{s:02}")?;
        }
        self.zone.map_or(Ok(()), |z| write!(f, "{:+03}:{:02}", z.minutes / 60, z.minutes.unsigned_abs() % 60))
    }
}

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

fn day_name(n: u8) -> &'static str {
    DAYS.get(usize::from(n)).copied().unwrap_or("?")
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(on) = self.on {
            return write!(f, "{on}");
        }
        let mut parts = Vec::new();
        if self.year.is_some() || self.month.is_some() || self.day.is_some() {
            let part = |n: Option<u8>| n.map_or("--".to_owned(), |n| format!("{n:02}"));
            let year = self.year.map_or("----".to_owned(), |y| format!("{y:04}"));
            parts.push(format!("{year}-{}-{}", part(self.month), part(self.day)));
        }
        if let Some(w) = self.weekday {
            parts.push(day_name(w).to_owned());
        }
        match self.shift {
            Some(Shift::Days(n)) => parts.push(format!("{n:+}d")),
            Some(Shift::Weeks(n)) => parts.push(format!("{n:+}w")),
            Some(Shift::Months(n)) => parts.push(format!("{n:+}m")),
            Some(Shift::Years(n)) => parts.push(format!("{n:+}y")),
            None => {}
        }
        f.write_str(&parts.join(" "))
    }
}

impl fmt::Display for Weekdays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days: Vec<_> = (0..7).filter(|n| self.0 & (1 << n) != 0).map(day_name).collect();
        f.write_str(&days.join("+"))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", format!("{:?}", self.kind).to_ascii_lowercase())?;
        if let Some(y) = self.year {
            write!(f, " {y}")?;
        }
        if let Some(m) = self.month {
            write!(f, " m{m}")?;
        }
        if self.number != 0 {
            write!(f, " n{}", self.number)?;
        }
        match (self.shift, self.span) {
            (_, Some((from, to))) => write!(f, " [{from}, {to})"),
            (Some(shift), None) => write!(f, " {shift:+}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Recurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.times > 1 {
            write!(f, "{}x ", self.times)?;
        }
        write!(f, "every {} {}", self.every, format!("{:?}", self.unit).to_ascii_lowercase())?;
        match self.on {
            On::Any => Ok(()),
            On::Weekdays(w) => write!(f, " {w}"),
            On::Day(32) => write!(f, " last day"),
            On::Day(d) => write!(f, " day {d}"),
            On::Nth(n, w) => write!(f, " {n}. {w}"),
            On::Yearly(m, d) => write!(f, " {m:02}-{d:02}"),
        }
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.months > 0 {
            parts.push(format!("{}mo", self.months));
        }
        for (size, within, name) in [(86_400, u64::MAX, "d"), (3600, 86_400, "h"), (60, 3600, "m"), (1, 60, "s")] {
            let n = self.seconds % within / size;
            if n > 0 {
                parts.push(format!("{n}{name}"));
            }
        }
        f.write_str(if parts.is_empty() { "0".to_owned() } else { parts.join(" ") }.as_str())
    }
}
