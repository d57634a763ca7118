//! Points in time. Nothing here reads a clock.

use super::Zone;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// A point in time with millisecond precision; as JSON, ISO 8601 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, tsify::Tsify)]
pub struct Time(#[tsify(type = "string")] i64);

impl Time {
    /// The first moment of the year 0.
    pub const MIN: Self = Self(-62_167_219_200_000);
    /// The last moment of the year 9999.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// From milliseconds since the Unix epoch; clamped to [`Time::MIN`] and [`Time::MAX`].
    pub const fn from_millis(millis: i64) -> Self {
        let (min, max) = (Self::MIN.0, Self::MAX.0);
        Self(if millis < min {
            min
        } else if millis > max {
            max
        } else {
            millis
        })
    }

    /// Milliseconds since the Unix epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// This time, `millis` later.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// The wall clock at this time in `zone`.
    pub fn local(self, zone: Zone) -> NaiveDateTime {
        let utc = DateTime::<Utc>::from_timestamp_millis(self.0).unwrap_or_default();
        utc.naive_utc() + chrono::Duration::minutes(i64::from(zone.offset_at(self.0)))
    }

    /// The day of this time in `zone`.
    pub fn day(self, zone: Zone) -> NaiveDate {
        self.local(zone).date()
    }

    /// The time at which the wall clock of `zone` shows `local`. If the clock is set back, the first of two; in the gap
    /// when it is set forward, as long after the gap as `local` lies in it.
    pub fn from_local(local: NaiveDateTime, zone: Zone) -> Self {
        let wall = local.and_utc().timestamp_millis();
        Self::from_millis(wall - i64::from(zone.offset_of_local(wall)) * 60_000)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = self.local(Zone::default());
        let (millis, second) = (self.0.rem_euclid(1000), t.second());
        let (year, month, day, hour, minute) = (t.year(), t.month(), t.day(), t.hour(), t.minute());
        // Formatted by hand, which is ten times faster; a search formats about thirty times.
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let parts =
            [(3, year as u32), (6, month), (9, day), (12, hour), (15, minute), (18, second), (22, millis as u32)];
        for (mut at, mut rest) in parts {
            while rest > 0 {
                text[at] = b'0' + (rest % 10) as u8;
                (rest, at) = (rest / 10, at.wrapping_sub(1));
            }
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl FromStr for Time {
    type Err = crate::Error;
    /// Parses ISO 8601 with an offset, or a day (midnight in UTC).
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let wrong = || crate::Error::new(crate::Code::InvalidField, format!("`{s}` is not an ISO 8601 time"));
        iso8601(s).ok_or_else(wrong)
    }
}

/// Parses `2025-01-22T14:00:00.5+09:00` or `2025-01-22`.
fn iso8601(s: &str) -> Option<Time> {
    let (date, clock) = s.split_at_checked(10)?;
    let day = NaiveDate::from_ymd_opt(digits(date, 0, 4)? as i32, digits(date, 5, 2)?, digits(date, 8, 2)?)?;
    if (date.as_bytes()[4], date.as_bytes()[7]) != (b'-', b'-') {
        return None;
    }
    if clock.is_empty() {
        return Some(Time::from_local(day.and_hms_opt(0, 0, 0)?, Zone::default()));
    }
    let (clock, rest) = clock.split_at_checked(9)?;
    if !matches!(clock.as_bytes(), [b'T' | b't' | b' ', _, _, b':', _, _, b':', ..]) {
        return None;
    }
    // A leap second counts as the first second of the next minute.
    let (second, leap) = match digits(clock, 7, 2)? {
        60 => (59, 1000),
        second => (second, 0),
    };
    let local = day.and_hms_opt(digits(clock, 1, 2)?, digits(clock, 4, 2)?, second)?;
    let (part, zone) = rest.split_at(rest.find(['Z', 'z', '+', '-'])?);
    let millis: i64 = match part.as_bytes() {
        [] => 0,
        [b'.', part @ ..] if !part.is_empty() && part.iter().all(u8::is_ascii_digit) => {
            part.iter().zip([100, 10, 1]).map(|(digit, worth)| i64::from(digit - b'0') * worth).sum()
        }
        _ => return None,
    };
    let east = match zone.as_bytes() {
        [b'Z' | b'z'] => 0,
        [sign, _, _, b':', _, _] => {
            let (hours, minutes) = (digits(zone, 1, 2)?, digits(zone, 4, 2).filter(|m| *m < 60)?);
            let east = i64::from(hours * 60 + minutes);
            if *sign == b'-' { -east } else { east }
        }
        _ => return None,
    };
    let utc = local.and_utc().timestamp_millis() - east * 60_000;
    Some(Time::from_millis(utc + millis + leap))
}

/// Parses `count` ASCII digits at `at`.
pub(crate) fn digits(text: &str, at: usize, count: usize) -> Option<u32> {
    let digits = text.as_bytes().get(at..at + count)?;
    digits.iter().try_fold(0u32, |n, b| {
        let digit = b.is_ascii_digit().then(|| u32::from(b - b'0'))?;
        Some(n.wrapping_mul(10).wrapping_add(digit))
    })
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        text.parse().map_err(|e: crate::Error| de::Error::custom(e))
    }
}
