//! How two values stand to each other, and how a value is written plainly.
//!
//! It compares what was read; it never reads text.

use super::value::{Clock, Date, Duration, Identifier, Match, On, Period, PeriodKind, Recurrence, Unit, Value};
use chrono::Datelike;

/// A coarse kind, by which values of two texts are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum ValueKind {
    Money,
    Quantity,
    Percent,
    Number,
    Clock,
    Date,
    Weekdays,
    Period,
    Recurrence,
    Duration,
    Version,
    Identifier,
    Ordinal,
    Status,
    Email,
    Phone,
    Url,
}

impl Value {
    /// Its kind; a range has the kind of its ends.
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::Money { .. } => ValueKind::Money,
            Self::Quantity { .. } => ValueKind::Quantity,
            Self::Percent(_) => ValueKind::Percent,
            Self::Number(_) => ValueKind::Number,
            Self::Clock(_) => ValueKind::Clock,
            Self::Date(_) => ValueKind::Date,
            Self::Weekdays(_) => ValueKind::Weekdays,
            Self::Period(_) => ValueKind::Period,
            Self::Recurrence(_) => ValueKind::Recurrence,
            Self::Duration(_) => ValueKind::Duration,
            Self::Range(ends) => ends.0.kind(),
            Self::Version(_) => ValueKind::Version,
            Self::Identifier(_) => ValueKind::Identifier,
            Self::Ordinal { .. } => ValueKind::Ordinal,
            Self::Status { .. } => ValueKind::Status,
            Self::Email(_) => ValueKind::Email,
            Self::Phone(_) => ValueKind::Phone,
            Self::Url(_) => ValueKind::Url,
        }
    }

    /// Whether it tells instances of one sort apart (an identifier, a period, an ordinal, a version)
    /// rather than being a property that may change.
    pub fn names_an_instance(&self) -> bool {
        matches!(self.kind(), ValueKind::Identifier | ValueKind::Period | ValueKind::Ordinal | ValueKind::Version)
    }

    /// How this stands to the other.
    pub fn compare(&self, other: &Self) -> Match {
        use Value::*;
        match (self, other) {
            (Money { number: a, currency: c, per: p }, Money { number: b, currency: d, per: q }) => {
                if c != d {
                    Match::Different
                } else if a != b {
                    // A twelfth by the month is the same as the whole by the year.
                    match (p, q) {
                        (Some(p), Some(q)) if p != q => Match::Unlike,
                        _ => Match::Different,
                    }
                } else if p == q {
                    Match::Same
                } else if p.is_none() || q.is_none() {
                    Match::Compatible
                } else {
                    Match::Different
                }
            }
            (Quantity { number: a, unit: u }, Quantity { number: b, unit: v }) => units(u, v, *a == *b, a.is_about(*b)),
            (Percent(a), Percent(b)) | (Number(a), Number(b)) => equal(a == b),
            (Number(a), Money { number: b, .. } | Quantity { number: b, .. } | Percent(b))
            | (Money { number: a, .. } | Quantity { number: a, .. } | Percent(a), Number(b)) => {
                if a == b {
                    Match::Compatible
                } else {
                    Match::Unlike
                }
            }
            (Clock(a), Clock(b)) => a.compare(*b),
            (Date(a), Date(b)) => a.compare(b),
            (Date(d), Period(p)) | (Period(p), Date(d)) => within(d, p),
            (Date(d), Weekdays(w)) | (Weekdays(w), Date(d)) => match d.week_day() {
                Some(n) if w.0 & (1 << n) != 0 => Match::Compatible,
                Some(_) => Match::Different,
                None => Match::Unlike,
            },
            (Date(d), Recurrence(r)) | (Recurrence(r), Date(d)) => match (d.week_day(), r.on) {
                (Some(n), On::Weekdays(w)) if d.month.is_none() && d.day.is_none() => {
                    if w.0 & (1 << n) != 0 {
                        Match::Compatible
                    } else {
                        Match::Different
                    }
                }
                _ => Match::Unlike,
            },
            (Weekdays(w), Recurrence(r)) | (Recurrence(r), Weekdays(w)) => match r.on {
                On::Weekdays(v) => {
                    if v == *w {
                        Match::Compatible
                    } else {
                        Match::Different
                    }
                }
                _ => Match::Unlike,
            },
            (Weekdays(a), Weekdays(b)) => equal(a == b),
            (Period(a), Period(b)) => a.compare(b),
            (Recurrence(a), Recurrence(b)) => a.compare(b),
            (Duration(a), Duration(b)) => a.compare(*b),
            (Range(a), Range(b)) => match (a.0.compare(&b.0), a.1.compare(&b.1)) {
                (Match::Unlike, _) | (_, Match::Unlike) => Match::Unlike,
                (Match::Different, _) | (_, Match::Different) => Match::Different,
                (Match::Same, Match::Same) => Match::Same,
                _ => Match::Compatible,
            },
            (Range(a), one) | (one, Range(a)) => match (a.0.compare(one), a.1.compare(one)) {
                (Match::Unlike, Match::Unlike) => Match::Unlike,
                (Match::Same | Match::Compatible, _) | (_, Match::Same | Match::Compatible) => Match::Compatible,
                _ => Match::Different,
            },
            (Version(a), Version(b)) => equal(a.trim_end_matches(".0") == b.trim_end_matches(".0")),
            (Version(a), Number(b)) | (Number(b), Version(a)) => {
                if a.trim_end_matches(".0") == b.to_string() {
                    Match::Compatible
                } else {
                    Match::Unlike
                }
            }
            (Identifier(a), Identifier(b)) => a.compare(b),
            (Identifier(i), Number(n)) | (Number(n), Identifier(i)) => {
                if *i.key == *n.to_string() {
                    Match::Compatible
                } else {
                    Match::Unlike
                }
            }
            (Ordinal { number: a, of: r }, Ordinal { number: b, of: s }) => {
                if r == s {
                    equal(a == b)
                } else if r.is_empty() || s.is_empty() {
                    if a == b { Match::Compatible } else { Match::Different }
                } else {
                    Match::Unlike
                }
            }
            (Status { state: a, negated: n }, Status { state: b, negated: m }) => {
                if a == b {
                    equal(n == m)
                } else if a.track() == b.track() {
                    Match::Different
                } else {
                    Match::Unlike
                }
            }
            (Email(a), Email(b)) | (Url(a), Url(b)) => equal(a == b),
            (Phone(a), Phone(b)) => {
                let tail = |s: &str| s.len().saturating_sub(8);
                equal(a == b || (a.len().min(b.len()) >= 8 && a.get(tail(a)..) == b.get(tail(b)..)))
            }
            _ => Match::Unlike,
        }
    }
}

fn equal(same: bool) -> Match {
    if same { Match::Same } else { Match::Different }
}

/// Counters of different words may count the same things (150대, 150 loggers).
fn units(a: &Unit, b: &Unit, same: bool, about: bool) -> Match {
    if a == b {
        return equal(same || (about && a.is_physical()));
    }
    if a.is_physical() || b.is_physical() {
        return Match::Unlike;
    }
    if same { Match::Compatible } else { Match::Unlike }
}

impl Clock {
    /// How this stands to the other; with two zones, as moments.
    pub fn compare(self, other: Self) -> Match {
        let (a, b) = match (self.zone, other.zone) {
            (Some(a), Some(b)) => (self.seconds as i32 - i32::from(a) * 60, other.seconds as i32 - i32::from(b) * 60),
            _ => (self.seconds as i32, other.seconds as i32),
        };
        const DAY: i32 = 86_400;
        let sure = self.sure && other.sure;
        let round = if sure { DAY } else { DAY / 2 };
        if (a - b).rem_euclid(round) != 0 {
            Match::Different
        } else if self.sure == other.sure {
            Match::Same
        } else {
            Match::Compatible
        }
    }
}

impl Date {
    /// The day of the week, 0 is Monday, where it is known.
    pub fn week_day(&self) -> Option<u8> {
        self.on.map(|d| d.weekday().num_days_from_monday() as u8).or(self.weekday)
    }

    fn compare(&self, other: &Self) -> Match {
        if let (Some(a), Some(b)) = (self.on, other.on) {
            return equal(a == b);
        }
        if self == other {
            return Match::Same;
        }
        let parts = |d: &Self| match d.on {
            Some(on) => (Some(on.year() as i16), Some(on.month() as u8), Some(on.day() as u8), d.week_day()),
            None => (d.year, d.month, d.day, d.weekday),
        };
        let (a, b) = (parts(self), parts(other));
        let mut common = 0;
        let mut differs = false;
        let mut extra = false;
        let mut part = |x: Option<i32>, y: Option<i32>| match (x, y) {
            (Some(x), Some(y)) => {
                common += 1;
                differs |= x != y;
            }
            (None, None) => {}
            _ => extra = true,
        };
        part(a.0.map(i32::from), b.0.map(i32::from));
        part(a.1.map(i32::from), b.1.map(i32::from));
        part(a.2.map(i32::from), b.2.map(i32::from));
        part(a.3.map(i32::from), b.3.map(i32::from));
        if differs {
            Match::Different
        } else if common == 0 || self.shift != other.shift && self.on.is_none() && other.on.is_none() {
            Match::Unlike
        } else if extra {
            Match::Compatible
        } else {
            Match::Same
        }
    }
}

/// Whether a day lies in a period.
fn within(date: &Date, period: &Period) -> Match {
    let inside = |yes: bool| if yes { Match::Compatible } else { Match::Different };
    match (date.on, period.span) {
        (Some(on), Some((from, to))) => inside(from <= on && on < to),
        _ => match (date.month.or(date.on.map(|d| d.month() as u8)), period.kind, period.month) {
            (Some(m), PeriodKind::Month | PeriodKind::PartOfMonth | PeriodKind::Week, Some(n)) => inside(m == n),
            (Some(m), PeriodKind::Quarter, _) => inside((m as i8 + 2) / 3 == period.number),
            (Some(m), PeriodKind::Half, _) => inside((m as i8 + 5) / 6 == period.number),
            _ => Match::Unlike,
        },
    }
}

impl Period {
    fn compare(&self, other: &Self) -> Match {
        if self.kind != other.kind {
            return match (self.span, other.span) {
                (Some(a), Some(b)) if a == b => Match::Same,
                (Some(a), Some(b)) if (a.0 <= b.0 && b.1 <= a.1) || (b.0 <= a.0 && a.1 <= b.1) => Match::Compatible,
                _ => Match::Unlike,
            };
        }
        let years = match (self.year, other.year) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        if let (Some(a), Some(b)) = (self.span, other.span) {
            if a == b {
                return Match::Same;
            }
            // A year that was only guessed does not tell two apart.
            let guessed =
                self.shift.is_none() && other.shift.is_none() && (self.year.is_none() || other.year.is_none());
            if !guessed {
                return Match::Different;
            }
        }
        let months = match (self.month, other.month) {
            (Some(a), Some(b)) => a == b,
            (None, None) => true,
            _ => return Match::Unlike,
        };
        if self.shift != other.shift && self.number == other.number && self.month == other.month {
            return Match::Unlike;
        }
        if !years || !months || self.number != other.number {
            Match::Different
        } else if self.year == other.year {
            Match::Same
        } else {
            Match::Compatible
        }
    }
}

impl Recurrence {
    fn compare(&self, other: &Self) -> Match {
        if self == other {
            return Match::Same;
        }
        if (self.every, self.unit, self.times) == (other.every, other.unit, other.times)
            && (self.on == On::Any || other.on == On::Any)
        {
            return Match::Compatible;
        }
        Match::Different
    }
}

impl Duration {
    /// The length in days, a month being 30.44 of them.
    pub fn days(self) -> f64 {
        f64::from(self.months) * 30.436_875 + self.seconds as f64 / 86_400.0
    }

    fn compare(self, other: Self) -> Match {
        if self == other {
            return Match::Same;
        }
        // 4 weeks and a month, 180 days and 6 months: alike, not the same.
        let (a, b) = (self.days(), other.days());
        let mixed = (self.months > 0) != (other.months > 0);
        if mixed && (a - b).abs() <= 0.035 * a.max(b) { Match::Compatible } else { Match::Different }
    }
}

impl Identifier {
    fn compare(&self, other: &Self) -> Match {
        let heads = self.head == other.head || self.head.is_empty() || other.head.is_empty();
        if self.key == other.key {
            return if self.head == other.head {
                Match::Same
            } else if heads {
                Match::Compatible
            } else {
                Match::Unlike
            };
        }
        // "70418" is SK-70418 for short.
        let (short, long) =
            if self.key.len() < other.key.len() { (&self.key, &other.key) } else { (&other.key, &self.key) };
        let tail = long.strip_suffix(&**short).and_then(|head| head.chars().next_back());
        if short.len() >= 3 && heads && tail.is_some_and(|c| !c.is_ascii_digit()) {
            return Match::Compatible;
        }
        let shape = |k: &str| k.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        if self.head == other.head && (!self.head.is_empty() || shape(&self.key) == shape(&other.key)) {
            Match::Different
        } else {
            Match::Unlike
        }
    }
}
