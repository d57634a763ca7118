//! What a piece of text can say: amounts, times, dates, names of instances, states; equal meanings are equal values.

use super::number::Number;
use crate::language::text::list::words;
use crate::model::{Time, Zone};
use chrono::NaiveDate;
use std::borrow::Cow;

/// A stretch of the text given, in UTF-8 bytes, on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The words at this span; empty where the text is another one.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }

    /// Whether the byte lies in it.
    pub fn holds(self, at: usize) -> bool {
        (self.start..self.end).contains(&at)
    }

    /// Whether all of a stretch lies in it.
    pub fn covers(self, start: usize, end: usize) -> bool {
        self.start <= start && end <= self.end
    }

    /// Whether some of a stretch lies in it.
    pub fn meets(self, start: usize, end: usize) -> bool {
        self.start < end && start < self.end
    }
}

/// The moment and the zone from which relative dates count: a mail's date and zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// When it was said.
    pub now: Time,
    /// Where it was said.
    pub zone: Zone,
}

impl Reference {
    /// The day on which it was said.
    pub fn day(self) -> NaiveDate {
        self.now.day(self.zone)
    }
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its words, without particles.
    pub span: Span,
    /// What they mean.
    pub value: Value,
    /// Whether it is the amount itself or a bound on it.
    pub bound: Bound,
}

/// How a number is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Bound {
    /// As it stands.
    #[default]
    Exact,
    /// 약, 쯤, about.
    About,
    /// 이상, 최소, at least.
    AtLeast,
    /// 이하, 최대, up to.
    AtMost,
    /// 초과, 넘게, more than.
    Over,
    /// 미만, under.
    Under,
}

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// 5000만원, $1.1m, EUR 9,265.00; `per` where it is a rate (월 330만원).
    Money {
        /// The amount in the currency's main unit.
        number: Number,
        /// ISO 4217.
        currency: &'static str,
        /// What it is paid for.
        per: Option<Per>,
    },
    /// 80대, 150 loggers, 20 km; physical units are reduced to a base unit.
    Quantity {
        /// How many, in base units.
        number: Number,
        /// Of what.
        unit: Unit,
    },
    /// 20%, twenty per cent.
    Percent(Number),
    /// A number with no unit: 150, 6천만, three quarters.
    Number(Number),
    /// A time of day.
    Clock(Clock),
    /// A day, perhaps only partly known.
    Date(Date),
    /// Several days of the week: 월·수·금, weekdays, 주말.
    Weekdays(Weekdays),
    /// A stretch of the calendar that has a name: Q1, 3월, this week, FY25.
    Period(Period),
    /// 매주 화요일, every other Tuesday, monthly, twice a week.
    Recurrence(Recurrence),
    /// A length of time.
    Duration(Duration),
    /// From the first to the second, both of one kind, both included.
    Range(Box<(Value, Value)>),
    /// v2.3, 3.8 버전; without the v.
    Version(Box<str>),
    /// A name of one instance: INV-20871, #1031, room 3, 청구서 2207호.
    Identifier(Identifier),
    /// A place in a row: 2차, second round, 3번째, Sprint 31.
    Ordinal {
        /// Which one; −1 is the last.
        number: i32,
        /// In which row; empty where none is named.
        of: &'static str,
    },
    /// A state word: 승인됨, under review, cancelled.
    Status {
        /// Which state.
        state: State,
        /// Whether it is denied ("not approved").
        negated: bool,
    },
    /// An e-mail address, lower case.
    Email(Box<str>),
    /// A telephone number: its digits, with the plus of a country code.
    Phone(Box<str>),
    /// A web address or host name, lower case.
    Url(Box<str>),
}

/// What a rate counts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Per {
    /// 시간당.
    Hour,
    /// 하루.
    Day,
    /// 주.
    Week,
    /// 월.
    Month,
    /// 분기.
    Quarter,
    /// 연.
    Year,
    /// 1인당.
    Person,
    /// 개당, each.
    Item,
}

/// What is counted: a base unit (`m`, `g`, `l`, `°C` …), a counter (`person`, `대` …) or the stem of an English noun.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unit(pub Cow<'static, str>);

impl Unit {
    /// Whether it is a physical unit, which converts, rather than a counter of things.
    pub fn is_physical(&self) -> bool {
        words!("units.convertible").contains(&self.0.as_ref())
    }
}

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Clock {
    /// Seconds after midnight, 0–86,400.
    pub seconds: u32,
    /// Whether the half of the day is known: "7시" may be either.
    pub sure: bool,
    /// The zone, where one was named.
    pub zone: Option<ClockZone>,
}

/// The zone of a time of day, by its name or place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClockZone {
    /// Minutes east of UTC without summer time.
    pub standard: i16,
    /// When summer time holds there.
    pub summer: Summer,
    /// Minutes east of UTC on the reference day.
    pub minutes: i16,
}

/// Which rule of summer time a place keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Summer {
    /// None.
    Never,
    /// Last Sunday of March to last Sunday of October.
    Europe,
    /// Second Sunday of March to first Sunday of November.
    America,
    /// First Sunday of October to first Sunday of April.
    Australia,
}

/// A day as far as it is known. With a [`Reference`], `on` holds it in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Date {
    /// The year that was said.
    pub year: Option<i16>,
    /// The month that was said, 1–12.
    pub month: Option<u8>,
    /// The day of the month that was said, 1–31; 32 is the last.
    pub day: Option<u8>,
    /// The day of the week that was said, 0 is Monday.
    pub weekday: Option<u8>,
    /// How it was said in relation to the reference day.
    pub shift: Option<Shift>,
    /// The day itself.
    pub on: Option<NaiveDate>,
}

/// A relation to the reference day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shift {
    /// Tomorrow is 1.
    Days(i32),
    /// Next week's is 1, for a weekday.
    Weeks(i32),
    /// Next month's is 1, for a day of the month.
    Months(i32),
    /// Next year's is 1, for a month and day.
    Years(i32),
}

/// A set of days of the week; bit 0 is Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Weekdays(pub u8);

impl Weekdays {
    /// Monday to Friday.
    pub const WORKING: Self = Self(0b001_1111);
    /// Saturday and Sunday.
    pub const WEEKEND: Self = Self(0b110_0000);
}

/// A stretch of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    /// What it is a stretch of.
    pub kind: PeriodKind,
    /// The year, where it was said.
    pub year: Option<i16>,
    /// The month, where it was said.
    pub month: Option<u8>,
    /// Which one: the quarter, the half, the week of the month; −1 the last, 0 where it does not apply.
    pub number: i8,
    /// In relation to the reference day: next week is 1.
    pub shift: Option<i32>,
    /// From the first day to the day after the last, where the reference tells.
    pub span: Option<(NaiveDate, NaiveDate)>,
}

/// What a period is a stretch of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeriodKind {
    /// 2025년.
    Year,
    /// FY25, 회계연도.
    FiscalYear,
    /// 상반기, H2.
    Half,
    /// 1분기, Q1.
    Quarter,
    /// 3월, March.
    Month,
    /// 초, 중순, 말; `number` 1–3.
    PartOfMonth,
    /// A week: of a month, of the year (no month), or relative.
    Week,
    /// A weekend.
    Weekend,
    /// 1학기, spring term.
    Term,
    /// 봄, summer; `number` 1–4 from spring.
    Season,
    /// 3학년도, school year.
    SchoolYear,
}

/// Something that comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Recurrence {
    /// Every how many units.
    pub every: u16,
    /// The unit.
    pub unit: Cycle,
    /// On which days of it.
    pub on: On,
    /// How often in it.
    pub times: u16,
}

/// The unit of a recurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cycle {
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days.
    Day,
    /// Weeks.
    Week,
    /// Months.
    Month,
    /// Quarters.
    Quarter,
    /// Years.
    Year,
}

/// The days of a recurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum On {
    /// Not said.
    Any,
    /// Days of the week.
    Weekdays(Weekdays),
    /// The day of the month; 32 is the last.
    Day(u8),
    /// The n-th (−1: the last) such weekday of the month.
    Nth(i8, Weekdays),
    /// A month and a day.
    Yearly(u8, u8),
}

/// A length of time; hours and weeks are seconds, quarters and years are months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Duration {
    /// The part that counts in months.
    pub months: u32,
    /// The part that counts in seconds.
    pub seconds: u64,
}

/// The name of one instance.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identifier {
    /// What it names (`invoice`, `room`, `floor` …), one word for both languages; empty where nothing is said.
    pub head: Cow<'static, str>,
    /// The number or code, upper case, without # and No.
    pub key: Box<str>,
}

/// A state that something can be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum State {
    Planned,
    Draft,
    Proposed,
    Submitted,
    Review,
    Pending,
    Tentative,
    Approved,
    Accepted,
    Rejected,
    Confirmed,
    Signed,
    Unsigned,
    Started,
    Underway,
    OnHold,
    Postponed,
    Cancelled,
    Done,
    Failed,
    Passed,
    Fixed,
    Open,
    Closed,
    Released,
    Shipped,
    Delivered,
    Paid,
    Unpaid,
    Refunded,
    Expired,
    Renewed,
    Terminated,
    Booked,
    Full,
    Unavailable,
    Extended,
    Resumed,
    Withdrawn,
}

/// The line of events that a state lies on; two states of one line exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Track {
    /// Draft, review, approval, signature.
    Approval,
    /// Planned, under way, held, done.
    Progress,
    /// Sent, delivered.
    Delivery,
    /// Owed, paid, refunded.
    Payment,
    /// Open or closed, working or not.
    Access,
    /// Running, renewed, ended.
    Term,
}

impl State {
    /// The line that it lies on.
    pub const fn track(self) -> Track {
        use State::*;
        match self {
            Draft | Proposed | Submitted | Review | Pending | Tentative | Approved | Accepted | Rejected
            | Confirmed | Signed | Unsigned | Booked | Withdrawn => Track::Approval,
            Planned | Started | Underway | OnHold | Postponed | Cancelled | Done | Failed | Passed | Fixed
            | Resumed => Track::Progress,
            Released | Shipped | Delivered => Track::Delivery,
            Paid | Unpaid | Refunded => Track::Payment,
            Open | Closed | Full | Unavailable => Track::Access,
            Expired | Renewed | Terminated | Extended => Track::Term,
        }
    }

    /// 1 for what goes forward, −1 for what stops or denies, 0 for what is not settled.
    pub const fn polarity(self) -> i8 {
        use State::*;
        match self {
            Approved | Accepted | Confirmed | Signed | Started | Done | Passed | Fixed | Open | Released | Shipped
            | Delivered | Paid | Renewed | Booked | Extended | Resumed => 1,
            Rejected | OnHold | Postponed | Cancelled | Failed | Closed | Unpaid | Refunded | Expired | Terminated
            | Full | Unavailable | Unsigned | Withdrawn => -1,
            Planned | Draft | Proposed | Submitted | Review | Pending | Tentative | Underway => 0,
        }
    }
}

/// How two values stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Match {
    /// They say the same.
    Same,
    /// One says more, and nothing speaks against the other: 20일 and 3월 20일, 80 and 80대.
    Compatible,
    /// They are of one kind and differ.
    Different,
    /// They cannot be compared.
    Unlike,
}

impl Match {
    /// Whether one may say what the other says.
    pub const fn agrees(self) -> bool {
        matches!(self, Self::Same | Self::Compatible)
    }
}
