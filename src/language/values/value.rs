//! The values that text can state: amounts, times, dates, identifiers, states. Equal meanings are equal values.

use super::number::Number;
use crate::language::text::list::words;
use crate::model::{Time, Zone};
use chrono::NaiveDate;
use std::borrow::Cow;

/// A range of UTF-8 bytes in the given text, on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    /// The text at this span; empty if the span does not fit the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }

    pub fn holds(self, at: usize) -> bool {
        (self.start..self.end).contains(&at)
    }

    pub fn covers(self, start: usize, end: usize) -> bool {
        self.start <= start && end <= self.end
    }

    /// Whether it covers a range and more.
    pub fn exceeds(self, at: &std::ops::Range<usize>) -> bool {
        self.covers(at.start, at.end) && self.end - self.start > at.len()
    }

    pub fn meets(self, start: usize, end: usize) -> bool {
        self.start < end && start < self.end
    }
}

/// The moment and zone that relative dates count from, such as a mail's date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    pub now: Time,
    pub zone: Zone,
}

impl Reference {
    pub fn day(self) -> NaiveDate {
        self.now.day(self.zone)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its bytes, without particles.
    pub span: Span,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, strum::EnumDiscriminants)]
#[strum_discriminants(name(ValueKind), derive(Hash, PartialOrd, Ord))]
pub enum Value {
    /// 5000만원, $1.1m, EUR 9,265.00; `per` if it is a rate (월 330만원).
    Money {
        number: Number,
        currency: &'static str,
        per: Option<Per>,
    },
    /// 80대, 150 loggers, 20 km; physical units are converted to a base unit.
    Quantity {
        number: Number,
        unit: Unit,
    },
    Percent(Number),
    /// A number without a unit: 150, 6천만, three quarters.
    Number(Number),
    Clock(Clock),
    Date(Date),
    Weekdays(Weekdays),
    /// A calendar period: Q1, 3월, this week, FY25.
    Period(Period),
    Recurrence(Recurrence),
    Duration(Duration),
    Range(Box<(Value, Value)>),
    /// v2.3, 3.8 버전; stored without the v.
    Version(Box<str>),
    Identifier(Identifier),
    /// A position in a series: 2차, second round, 3번째, Sprint 31.
    Ordinal {
        /// The position; −1 is the last.
        number: i32,
        /// The series; empty if unnamed.
        of: &'static str,
    },
    Status {
        state: State,
        /// Whether the state is negated ("not approved").
        negated: bool,
    },
    Email(Box<str>),
    /// A phone number: its digits, with a plus before a country code.
    Phone(Box<str>),
    Url(Box<str>),
}

impl Value {
    pub fn identifier(head: impl Into<Cow<'static, str>>, key: &str) -> Self {
        Self::Identifier(Identifier { head: head.into(), key: key.to_ascii_uppercase().into() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Per {
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Person,
    /// 개당, each.
    Item,
}

/// A base unit (`m`, `g`, `l`, `°C` …), a counter (`person`, `대` …) or the singular of an English noun.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unit(pub Cow<'static, str>);

impl Unit {
    /// Whether it is a physical unit, which can be converted, rather than a counter.
    pub fn is_physical(&self) -> bool {
        words!("units.convertible").contains(&self.0.as_ref())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Clock {
    /// Seconds after midnight, 0–86,400.
    pub seconds: u32,
    /// Whether am or pm is known: "7시" may be either.
    pub sure: bool,
    pub zone: Option<ClockZone>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClockZone {
    /// Minutes east of UTC without summer time.
    pub standard: i16,
    pub summer: Summer,
    /// Minutes east of UTC on the reference day.
    pub minutes: i16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Summer {
    Never,
    /// Last Sunday of March to last Sunday of October.
    Europe,
    /// Second Sunday of March to first Sunday of November.
    America,
    /// First Sunday of October to first Sunday of April.
    Australia,
}

/// A possibly partial date. With a [`Reference`], `on` has the full date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Date {
    pub year: Option<i16>,
    pub month: Option<u8>,
    /// The stated day of the month, 1–31; 32 is the last day.
    pub day: Option<u8>,
    /// The stated weekday, 0 is Monday.
    pub weekday: Option<u8>,
    pub shift: Option<Shift>,
    pub on: Option<NaiveDate>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shift {
    /// Tomorrow is 1.
    Days(i32),
    /// For a weekday: next week is 1.
    Weeks(i32),
    /// For a day of the month: next month is 1.
    Months(i32),
    /// For a month and day: next year is 1.
    Years(i32),
}

/// A set of weekdays; bit 0 is Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Weekdays(pub u8);

impl Weekdays {
    pub const WEEKEND: Self = Self(0b110_0000);

    pub fn range(from: u8, to: u8) -> Self {
        let (from, to) = (from % 7, to % 7);
        Self((0..=(to + 7 - from) % 7).fold(0, |days, n| days | 1 << ((from + n) % 7)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    pub kind: PeriodKind,
    pub year: Option<i16>,
    pub month: Option<u8>,
    /// Index of the quarter, half or week; −1 is the last, 0 if not applicable.
    pub number: i8,
    pub shift: Option<i32>,
    pub span: Option<(NaiveDate, NaiveDate)>,
}

impl Period {
    pub const fn new(kind: PeriodKind, number: i8) -> Self {
        Self { kind, year: None, month: None, number, shift: None, span: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::EnumString, strum::FromRepr)]
#[strum(serialize_all = "lowercase")]
pub enum PeriodKind {
    Year,
    Half,
    Quarter,
    Month,
    /// 초, 중순, 말: `number` is 1–3.
    #[strum(serialize = "part")]
    PartOfMonth,
    /// A week of a month, of the year (no month), or relative.
    Week,
    Weekend,
    Term,
    /// 봄, summer: `number` is 1–4 from spring.
    Season,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Recurrence {
    pub every: u16,
    pub unit: Cycle,
    pub on: On,
    pub times: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::EnumString, strum::FromRepr)]
#[strum(serialize_all = "lowercase")]
pub enum Cycle {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum On {
    Any,
    Weekdays(Weekdays),
    /// A day of the month; 32 is the last day.
    Day(u8),
    /// The n-th (−1: the last) of these weekdays in the month.
    Nth(i8, Weekdays),
    /// A month and a day; day 0 if only the month is stated.
    Yearly(u8, u8),
}

/// A duration. Hours to weeks are stored as seconds, quarters and years as months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Duration {
    pub months: u32,
    pub seconds: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identifier {
    /// Kind of thing (`invoice`, `room`, `floor` …), the same word in both languages; empty if not stated.
    pub head: Cow<'static, str>,
    /// The number or code, upper case, without # and No.
    pub key: Box<str>,
}

/// The states by their tracks.
macro_rules! states {
    ($($track:ident: $($state:ident)*;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum State { $($($state,)*)* }

        /// A sequence of states; two states on one track exclude each other.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Track { $($track,)* }

        impl State {
            pub const fn track(self) -> Track {
                match self { $($(Self::$state)|* => Track::$track,)* }
            }
        }
    };
}
states! {
    Approval: Draft Proposed Submitted Review Pending Tentative Approved Accepted Rejected Confirmed Signed Unsigned
        Booked Withdrawn;
    Progress: Planned Started Underway OnHold Postponed Cancelled Done Failed Passed Fixed Resumed;
    Delivery: Released Shipped Delivered;
    Payment: Paid Unpaid Refunded;
    Access: Open Closed Full Unavailable;
    Term: Expired Renewed Terminated Extended;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Match {
    Same,
    /// One is more precise, without contradiction: 20일 and 3월 20일, 80 and 80대.
    Compatible,
    Different,
    Unlike,
}

impl Match {
    pub const fn agrees(self) -> bool {
        matches!(self, Self::Same | Self::Compatible)
    }
}
