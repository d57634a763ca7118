//! Points in time and zones, as values: nothing here reads a clock.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// A point in time with millisecond precision; ISO 8601 in UTC on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Time(#[cfg_attr(target_arch = "wasm32", tsify(type = "string"))] i64);

/// The difference between local time and UTC, in minutes east (Seoul: 540).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Zone(i16);

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
        utc.naive_utc() + chrono::Duration::minutes(i64::from(zone.0))
    }

    /// The day of this time in `zone`.
    pub fn day(self, zone: Zone) -> NaiveDate {
        self.local(zone).date()
    }

    /// The time at which the wall clock of `zone` shows `local`.
    pub fn from_local(local: NaiveDateTime, zone: Zone) -> Self {
        Self::from_millis(local.and_utc().timestamp_millis() - i64::from(zone.0) * 60_000)
    }
}

impl Zone {
    /// From minutes east of UTC; clamped to ±18 hours.
    pub const fn from_minutes(minutes: i32) -> Self {
        Self(if minutes < -1080 {
            -1080
        } else if minutes > 1080 {
            1080
        } else {
            minutes as i16
        })
    }

    /// Minutes east of UTC.
    pub const fn minutes(self) -> i32 {
        self.0 as i32
    }

    /// The zone that a timestamp with an offset was written in.
    pub fn of(offset: FixedOffset) -> Self {
        Self::from_minutes(offset.local_minus_utc() / 60)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let utc = DateTime::<Utc>::from_timestamp_millis(self.0).unwrap_or_default();
        f.write_str(&utc.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromStr for Time {
    type Err = crate::Error;
    /// Reads ISO 8601 with an offset, or a bare day (its midnight in UTC).
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let whole = if s.len() == 10 { format!("{s}T00:00:00Z") } else { s.to_owned() };
        DateTime::parse_from_rfc3339(&whole)
            .map(|t| Self::from_millis(t.timestamp_millis()))
            .map_err(|_| crate::Error::new(crate::Code::InvalidField, format!("`{s}` is not an ISO 8601 time")))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        text.parse().map_err(|e: crate::Error| de::Error::custom(e.message))
    }
}
