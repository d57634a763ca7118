//! What the words of the tables mean; the tables themselves are one module a language.

use super::{
    number::Number,
    value::{Cycle, PeriodKind, State, Summer},
};

/// What follows a number.
#[derive(Debug, Clone, Copy)]
pub(in crate::language) enum Suffix {
    /// A unit and what one of it is in base units.
    Unit(&'static str, Number),
    /// Degrees Fahrenheit.
    Fahrenheit,
    /// A counter.
    Count(&'static str),
    /// So many seconds.
    Seconds(u32),
    /// So many months.
    Months(u16),
    /// A currency and the power of ten of its named part.
    Money(&'static str, i8),
    /// Per cent, per mille, tenths: the power of ten to one per cent.
    Percent(i8),
    /// A place in a row.
    Ordinal(&'static str),
    /// The name of an instance.
    Head(&'static str),
    /// A numbered stretch of the calendar.
    Period(PeriodKind),
    /// 분의, the bottom of a fraction.
    Fraction,
    /// 배, times as much.
    Times,
    /// 회, times.
    Often,
    /// 번: times after a native numeral, else the name of an instance.
    Numbered,
}

/// What begins a value.
#[derive(Debug, Clone, Copy)]
pub(in crate::language) enum Lex {
    /// A cardinal number.
    Cardinal(i32),
    /// A power of ten: hundred, million.
    Scale(i8),
    /// A dozen.
    Dozen,
    /// Half.
    Half,
    /// A quarter, of an hour or of a year.
    Quarter,
    /// The word in, before a length of time.
    In,
    /// Early, mid, late 1–3, before a month.
    Part(i8),
    /// alternate Thursdays.
    Alternate,
    /// The fiscal year whose number follows.
    Fiscal,
    /// A month.
    Month(u8),
    /// A day of the week, as a name or an abbreviation.
    Weekday(u8, Sort),
    /// Days of the week.
    Weekdays(u8),
    /// A place in a row.
    Ordinal(i32),
    /// Noon is 43,200.
    Clock(u32),
    /// A day counted from the reference day.
    Days(i32),
    /// A day counted, and the part of it (tonight, 어젯밤).
    DayPart(i32),
    /// this 0, next 1, last −1.
    Shift(i32),
    /// A stretch of the calendar, counted from the reference day.
    Relative(PeriodKind, i32),
    /// A numbered stretch of the calendar.
    Period(PeriodKind, i8),
    /// The last day of the current month (3), its first days (1) …
    PartOfMonth(i8),
    /// The end of the day.
    EndOfDay,
    /// The last day of the year (12, 31), its beginning.
    YearEnd,
    /// Every so many units.
    Every(u16, Cycle),
    /// The word every.
    Each,
    /// How often: once 1, twice 2.
    Often(u16),
    /// A length of so many seconds.
    Length(u32),
    /// A part of the day: the hours to add, by [`Half`].
    Half12(DayHalf),
    /// A state; `weak` ones count only as a predicate.
    State(State, bool),
    /// A noun that a number names an instance of.
    Head(&'static str),
    /// A noun that a number makes a place in a row.
    Series(&'static str),
    /// A currency before its amount.
    Money(&'static str),
    /// A zone before or after a time of day.
    Zone(i16, Summer),
    /// A version.
    Version,
    /// Below zero.
    Minus,
    /// Above zero.
    Plus,
}

/// A Korean numeral.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::language) enum Numeral {
    /// 일, 이, 삼.
    Digit(i64),
    /// 십, 백, 만: a power of ten.
    Power(i32),
    /// 열, 스물.
    Tens(i64),
    /// 하나, 한.
    Ones(i64),
    /// 석, 스무: before some counters.
    Short(i64),
}

/// How a word may be told from its look-alikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::language) enum Sort {
    /// Monday.
    Full,
    /// Mondays.
    Plural,
    /// Mon.
    Short,
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::language) enum DayHalf {
    /// 오전, a.m., 아침, 새벽.
    Morning,
    /// 낮, 점심: 10 to 12 in the morning, 1 to 4 in the afternoon.
    Noon,
    /// 오후, p.m., 저녁.
    Afternoon,
    /// 밤: 6 to 11 in the evening, 12 to 5 in the morning.
    Night,
}

impl DayHalf {
    /// The hour of the day that `hour` means in this part of it.
    pub(in crate::language) const fn hour(self, hour: u32) -> u32 {
        match (self, hour) {
            (Self::Morning, 12) => 0,
            (Self::Noon, 1..=5) | (Self::Afternoon, 1..=11) | (Self::Night, 6..=11) => hour + 12,
            (Self::Night, 12) => 24,
            _ => hour,
        }
    }
}
