//! Compares two parsed values.

use super::number::Number;
use super::value::{
    Clock, Date, Duration, Identifier, Match, On, Period, PeriodKind, Recurrence, Unit, Value, ValueKind,
};
use chrono::Datelike;

impl Value {
    /// Its kind; for a range, the kind of its ends.
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::Range(ends) => ends.0.kind(),
            one => one.into(),
        }
    }

    /// Whether it identifies an instance (an identifier, period, ordinal, version) rather than being a property that
    /// may change.
    pub fn names_an_instance(&self) -> bool {
        matches!(self.kind(), ValueKind::Identifier | ValueKind::Period | ValueKind::Ordinal | ValueKind::Version)
    }

    pub fn amount(&self) -> Option<Number> {
        match self {
            Self::Money { number, .. }
            | Self::Quantity { number, .. }
            | Self::Percent(number)
            | Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn agrees(&self, other: &Self) -> bool {
        matches!(self.compare(other), Match::Same | Match::Compatible)
    }

    pub fn compare(&self, other: &Self) -> Match {
        use Value::*;
        match (self, other) {
            (Money { number: a, currency: c, per: p }, Money { number: b, currency: d, per: q }) => {
                let by_other = p.is_some() && q.is_some() && p != q;
                match (c == d, a == b) {
                    (true, true) if p == q => Match::Same,
                    (true, true) => compatible_if(!by_other),
                    // The same amount may be meant per month in one text and per year in the other.
                    (true, false) if by_other => Match::Unlike,
                    _ => Match::Different,
                }
            }
            (Quantity { number: a, unit: u }, Quantity { number: b, unit: v }) => units(u, v, *a == *b, a.is_about(*b)),
            (Percent(a), Percent(b)) | (Number(a), Number(b)) => equal(a == b),
            (Number(a), Money { number: b, .. } | Quantity { number: b, .. } | Percent(b))
            | (Money { number: a, .. } | Quantity { number: a, .. } | Percent(a), Number(b)) => {
                compatible_or_unlike(a == b)
            }
            (Clock(a), Clock(b)) => a.compare(*b),
            (Date(a), Date(b)) => a.compare(b),
            (Date(d), Period(p)) | (Period(p), Date(d)) => within(d, p),
            (Date(d), Weekdays(w)) | (Weekdays(w), Date(d)) => {
                d.week_day().map_or(Match::Unlike, |n| compatible_if(w.0 & (1 << n) != 0))
            }
            (Date(d), Recurrence(r)) | (Recurrence(r), Date(d)) => match (d.week_day(), r.on) {
                (Some(n), On::Weekdays(w)) if d.month.is_none() && d.day.is_none() => {
                    compatible_if(w.0 & (1 << n) != 0)
                }
                _ => Match::Unlike,
            },
            (Weekdays(w), Recurrence(r)) | (Recurrence(r), Weekdays(w)) => match r.on {
                On::Weekdays(v) => compatible_if(v == *w),
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
                compatible_or_unlike(a.trim_end_matches(".0") == b.to_string())
            }
            (Identifier(a), Identifier(b)) => a.compare(b),
            (Identifier(i), Number(n)) | (Number(n), Identifier(i)) => compatible_or_unlike(*i.key == *n.to_string()),
            (Ordinal { number: a, of: r }, Ordinal { number: b, of: s }) if r == s => equal(a == b),
            (Ordinal { number: a, of: "" }, Ordinal { number: b, .. })
            | (Ordinal { number: a, .. }, Ordinal { number: b, of: "" }) => compatible_if(a == b),
            (Status { state: a, negated: n }, Status { state: b, negated: m }) if a == b => equal(n == m),
            (Status { state: a, .. }, Status { state: b, .. }) if a.track() == b.track() => Match::Different,
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

/// Compatible or different: for values of unequal precision.
fn compatible_if(same: bool) -> Match {
    if same { Match::Compatible } else { Match::Different }
}

fn compatible_or_unlike(same: bool) -> Match {
    if same { Match::Compatible } else { Match::Unlike }
}

/// Different counting units may count the same things (150대, 150 loggers).
fn units(a: &Unit, b: &Unit, same: bool, about: bool) -> Match {
    if a == b {
        return equal(same || (about && a.is_physical()));
    }
    compatible_or_unlike(same && !a.is_physical() && !b.is_physical())
}

impl Clock {
    /// Compares two times; as moments if both have a zone.
    pub fn compare(self, other: Self) -> Match {
        let (a, b) = match (self.zone, other.zone) {
            (Some(a), Some(b)) => {
                (self.seconds as i32 - i32::from(a.minutes) * 60, other.seconds as i32 - i32::from(b.minutes) * 60)
            }
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
    /// The weekday if known, 0 is Monday.
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
        let parts = |d: &Self| {
            let said = |part: Option<u8>| part.map(i32::from);
            match d.on {
                Some(on) => [on.year(), on.month() as i32, on.day() as i32].map(Some),
                None => [d.year.map(i32::from), said(d.month), said(d.day)],
            }
            .into_iter()
            .chain([said(d.week_day())])
        };
        let both = || parts(self).zip(parts(other));
        if both().any(|(x, y)| x.zip(y).is_some_and(|(x, y)| x != y)) {
            Match::Different
        } else if !both().any(|(x, y)| x.is_some() && y.is_some())
            || self.shift != other.shift && self.on.is_none() && other.on.is_none()
        {
            Match::Unlike
        } else if both().any(|(x, y)| x.is_some() != y.is_some()) {
            Match::Compatible
        } else {
            Match::Same
        }
    }
}

/// Compares a date with a period, by whether the date lies in it.
fn within(date: &Date, period: &Period) -> Match {
    match (date.on, period.span) {
        (Some(on), Some((from, to))) => compatible_if(from <= on && on < to),
        _ => match (date.month.or(date.on.map(|d| d.month() as u8)), period.kind, period.month) {
            (Some(m), PeriodKind::Month | PeriodKind::PartOfMonth | PeriodKind::Week, Some(n)) => compatible_if(m == n),
            (Some(m), PeriodKind::Quarter, _) => compatible_if((m as i8 + 2) / 3 == period.number),
            (Some(m), PeriodKind::Half, _) => compatible_if((m as i8 + 5) / 6 == period.number),
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
        let years = self.year.zip(other.year).is_none_or(|(a, b)| a == b);
        if let (Some(a), Some(b)) = (self.span, other.span) {
            if a == b {
                return Match::Same;
            }
            // A guessed year does not make two periods different.
            let guessed =
                self.shift.is_none() && other.shift.is_none() && (self.year.is_none() || other.year.is_none());
            if !guessed {
                return Match::Different;
            }
        }
        let same = self.number == other.number && self.month == other.month;
        if self.month.is_some() != other.month.is_some() || same && self.shift != other.shift {
            return Match::Unlike;
        }
        if !years || !same {
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
        let open = self.on == On::Any || other.on == On::Any;
        let as_often = (self.every, self.unit, self.times) == (other.every, other.unit, other.times);
        if self == other { Match::Same } else { compatible_if(as_often && open) }
    }
}

impl Duration {
    /// The duration in days; a month counts as 30.44.
    pub fn days(self) -> f64 {
        f64::from(self.months) * 30.436_875 + self.seconds as f64 / 86_400.0
    }

    fn compare(self, other: Self) -> Match {
        if self == other {
            return Match::Same;
        }
        // 4 weeks and a month, 180 days and 6 months: compatible, not the same.
        let (a, b) = (self.days(), other.days());
        let mixed = (self.months > 0) != (other.months > 0);
        compatible_if(mixed && (a - b).abs() <= 0.035 * a.max(b))
    }
}

impl Identifier {
    fn compare(&self, other: &Self) -> Match {
        let heads = self.head == other.head || self.head.is_empty() || other.head.is_empty();
        if self.key == other.key {
            return if self.head == other.head { Match::Same } else { compatible_or_unlike(heads) };
        }
        // "70418" can be short for SK-70418.
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
