//! The meanings in the word tables; each language has a module with its tables.

use super::{
    number::Number,
    value::{Cycle, PeriodKind, State, Summer},
};

#[derive(Debug, Clone, Copy)]
pub enum Suffix {
    /// A unit, and its size in base units.
    Unit(&'static str, Number),
    Count(&'static str),
    Seconds(u32),
    Months(u16),
    /// A currency, and the power of ten of the named denomination.
    Money(&'static str, i8),
    /// Per cent, per mille, tenths: the power of ten relative to one per cent.
    Percent(i8),
    Ordinal(&'static str),
    Head(&'static str),
    Period(PeriodKind),
    /// 분의: the number before it is a denominator.
    Fraction,
    /// 배: a factor.
    Times,
    /// 회: a count of occasions.
    Often,
    /// 번: a count of occasions after a native numeral, else an identifier.
    Numbered,
}

/// What a word says. `times.peg` has a rule by the name of each for values that start with such a word.
#[derive(Debug, Clone, Copy, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Lex {
    Cardinal(i32),
    Scale(i8),
    Dozen,
    Half,
    /// A quarter of an hour or year.
    Quarter,
    /// The preposition "in" before a duration.
    In,
    /// Early, mid, late (1–3) before a month.
    Part(i8),
    /// "alternate", as in alternate Thursdays.
    Alternate,
    Month(u8),
    Weekday(u8, Sort),
    Weekdays(u8),
    Ordinal(i32),
    /// A time of day in seconds; noon is 43,200.
    Clock(u32),
    Days(i32),
    /// this 0, next 1, last −1.
    Shift(i32),
    Relative(PeriodKind, i32),
    Period(PeriodKind, i8),
    /// A part of the current month: its last day (3), its first days (1).
    PartOfMonth(i8),
    EndOfDay,
    YearEnd,
    /// A cycle of so many units.
    Every(u16, Cycle),
    Each,
    /// A frequency: once 1, twice 2.
    Often(u16),
    Length(u32),
    /// A part of the day, which gives the hours to add.
    Half12(DayHalf),
    /// A state. The flag marks English words that count only as predicates, and Korean words that need no ending.
    State(State, bool),
    /// A noun that forms an identifier with a number.
    Head(&'static str),
    /// A noun that forms an ordinal with a number.
    Series(&'static str),
    Money(&'static str),
    /// A time zone before or after a time: minutes east of UTC, and its summer time.
    Zone(i16, Summer),
    Version,
    Minus,
    Plus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numeral {
    /// 일, 이, 삼.
    Digit(i64),
    /// 십, 백, 만: powers of ten.
    Power(i32),
    /// 열, 스물.
    Tens(i64),
    /// 하나, 한.
    Ones(i64),
    /// 석, 스무: forms before some counters.
    Short(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Full,
    Short,
    Plural,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayHalf {
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
    /// The hour of the day, 0–24, that `hour` means in this part of the day.
    pub const fn hour(self, hour: u32) -> u32 {
        match (self, hour) {
            (Self::Morning, 12) => 0,
            (Self::Noon, 1..=5) | (Self::Afternoon, 1..=11) | (Self::Night, 6..=11) => hour + 12,
            (Self::Night, 12) => 24,
            _ => hour,
        }
    }
}
