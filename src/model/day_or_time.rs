//! [`DayOrTime`]: the type of `occurredAt`, `validFrom` and `validUntil`.

use super::{Time, Zone};
use chrono::{Days, NaiveDate, NaiveTime, TimeDelta, Timelike};
use serde_with::{DeserializeFromStr, SerializeDisplay};
use std::{fmt, str::FromStr};

/// A calendar day, the same in every time zone (`2025-01-22`), or a point in time (ISO 8601 in UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, SerializeDisplay, DeserializeFromStr, tsify::Tsify)]
#[tsify(type = "string")]
pub enum DayOrTime {
    /// A calendar day.
    Day(NaiveDate),
    /// A point in time.
    Time(Time),
}

const DAY: i64 = 86_400_000;

impl DayOrTime {
    /// The day in `zone`.
    pub fn day(self, zone: Zone) -> NaiveDate {
        match self {
            Self::Day(day) => day,
            Self::Time(time) => time.day(zone),
        }
    }

    /// The first moment of the day in `zone`; a time itself.
    pub fn begin(self, zone: Zone) -> Time {
        match self {
            Self::Day(day) => Time::from_local(day.and_time(NaiveTime::MIN), zone),
            Self::Time(time) => time,
        }
    }

    /// The first moment after the day in `zone`; a time itself.
    pub fn end(self, zone: Zone) -> Time {
        match self {
            Self::Day(day) => match day.checked_add_days(Days::new(1)) {
                Some(next) => Self::Day(next).begin(zone),
                None => Time::MAX,
            },
            Self::Time(time) => time,
        }
    }

    /// Converts a value of format 1, which stored a day as its first moment or last second in the owner's zone.
    #[must_use]
    pub fn of_format_1(self, zone: Zone) -> Self {
        let Self::Time(time) = self else { return self };
        let local = time.local(zone);
        let is_day = matches!(local.num_seconds_from_midnight(), 0 | 86_399) && local.nanosecond() == 0;
        if is_day { Self::Day(local.date()) } else { self }
    }

    /// A time to sort by without a zone: a day counts as its first moment in UTC.
    pub fn utc(self) -> Time {
        self.begin(Zone::default())
    }

    /// The time, or `None` for a day.
    pub const fn time(self) -> Option<Time> {
        match self {
            Self::Day(_) => None,
            Self::Time(time) => Some(time),
        }
    }

    /// Whether this ends before `other` begins, in `zone`.
    pub fn ends_before(self, other: Self, zone: Zone) -> bool {
        match (self, other) {
            (Self::Time(a), Self::Time(b)) => a < b,
            _ => self.end(zone) <= other.begin(zone),
        }
    }

    /// Whether this ends before `other` begins, in every zone.
    pub fn is_before(self, other: Self) -> bool {
        match (self, other) {
            (Self::Day(a), Self::Day(b)) => a < b,
            (Self::Time(a), Self::Time(b)) => a < b,
            (a, b) => a.day(Zone::default()).succ_opt().is_some_and(|next| next < b.day(Zone::default())),
        }
    }

    /// Moves it by milliseconds of the wall clock of `zone`; a day moves by whole days.
    #[must_use]
    pub fn moved_by(self, millis: i64, zone: Zone) -> Self {
        match self {
            Self::Day(day) => Self::Day(day.checked_add_signed(TimeDelta::days(millis / DAY)).unwrap_or(day)),
            Self::Time(time) => {
                let local = TimeDelta::try_milliseconds(millis).and_then(|by| time.local(zone).checked_add_signed(by));
                Self::Time(local.map_or(time, |local| Time::from_local(local, zone)))
            }
        }
    }
}

/// A time span from `from` (inclusive) to `to` (exclusive), with its first and last day in a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    /// The inclusive start.
    pub from: Time,
    /// The exclusive end.
    pub to: Time,
    first: NaiveDate,
    last: NaiveDate,
}

impl TimeSpan {
    /// A span from the first time (inclusive) to the second (exclusive).
    pub fn new((from, to): (Time, Time), zone: Zone) -> Self {
        Self { from, to, first: from.day(zone), last: to.plus_millis(-1).day(zone) }
    }

    /// A span with optional bounds; `None` if both are missing.
    pub fn between(from: Option<DayOrTime>, to: Option<DayOrTime>, zone: Zone) -> Option<Self> {
        let begin = |at: DayOrTime| at.begin(zone);
        from.or(to).map(|_| Self::new((from.map_or(Time::MIN, begin), to.map_or(Time::MAX, begin)), zone))
    }

    /// The span of one day.
    pub fn of_day(day: NaiveDate, zone: Zone) -> Self {
        let whole = DayOrTime::Day(day);
        Self::new((whole.begin(zone), whole.end(zone)), zone)
    }

    /// Whether the span contains the time or overlaps the day.
    pub fn holds(&self, at: DayOrTime) -> bool {
        match at {
            DayOrTime::Day(day) => self.first <= day && day <= self.last && self.from < self.to,
            DayOrTime::Time(time) => self.from <= time && time < self.to,
        }
    }
}

impl Default for DayOrTime {
    fn default() -> Self {
        Self::Time(Time::default())
    }
}

impl From<Time> for DayOrTime {
    fn from(time: Time) -> Self {
        Self::Time(time)
    }
}

impl PartialEq<Time> for DayOrTime {
    fn eq(&self, other: &Time) -> bool {
        self.time() == Some(*other)
    }
}

impl fmt::Display for DayOrTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(_) => f.write_str(&self.utc().to_string()[..10]),
            Self::Time(time) => time.fmt(f),
        }
    }
}

impl FromStr for DayOrTime {
    type Err = crate::Error;
    /// Parses `2025-01-22`, or ISO 8601 with an offset.
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let time: Time = s.parse()?;
        Ok(if s.len() == 10 { Self::Day(time.day(Zone::default())) } else { Self::Time(time) })
    }
}
