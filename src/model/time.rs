//! Points in time. Nothing here reads a clock.

use super::Zone;
use chrono::{DateTime, NaiveDate, NaiveDateTime, SecondsFormat, Utc};
use serde_with::{DeserializeFromStr, SerializeDisplay};
use std::{fmt, str::FromStr};

/// A point in time with millisecond precision; as JSON, ISO 8601 in UTC.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    SerializeDisplay,
    DeserializeFromStr,
    tsify::Tsify,
)]
pub struct Time(#[tsify(type = "string")] i64);

impl Time {
    /// The first moment of the year 0.
    pub const MIN: Self = Self(-62_167_219_200_000);
    /// The last moment of the year 9999.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// From milliseconds since the Unix epoch; clamped to [`Time::MIN`] and [`Time::MAX`].
    pub const fn from_millis(millis: i64) -> Self {
        match millis {
            ..=-62_167_219_200_000 => Self::MIN,
            253_402_300_799_999.. => Self::MAX,
            _ => Self(millis),
        }
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
        f.write_str(&self.local(Zone::default()).and_utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromStr for Time {
    type Err = crate::Error;
    /// Parses ISO 8601 with an offset, or a day (midnight in UTC).
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let whole = if s.len() == 10 { format!("{s}T00:00:00Z") } else { s.to_owned() };
        let time = DateTime::parse_from_rfc3339(&whole)
            .map_err(|_| crate::Error::new(crate::Code::InvalidField, format!("`{s}` is not an ISO 8601 time")))?;
        Ok(Self::from_millis(time.timestamp_millis()))
    }
}
