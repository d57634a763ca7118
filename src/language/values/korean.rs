//! Korean words: units after a number, and words that begin a value.
//!
//! Tables only; their rows are `data/korean`. Particles are told by `particles`.

use super::{
    lexicon::{DayHalf, Lex, Sort, Suffix, Summer},
    number::Number,
    value::{Cycle, PeriodKind, State},
};
use crate::language::text::{
    list::Words,
    table::{Table, table},
};

/// What may follow a number.
pub(in crate::language) static UNITS: Table<Suffix> = table!("korean/units");

/// Words that begin a value.
pub(in crate::language) static WORDS: Table<Lex> = table!("korean/values");

/// One-syllable days of the week, for lists such as 월·수·금.
pub(in crate::language) const DAYS: [&str; 7] = ["월", "화", "수", "목", "금", "토", "일"];

/// Native numerals up to 99: the tens, then the ones, each with its attributive forms.
pub(in crate::language) static NATIVE_TENS: Table<i64> = table!("korean/tens");
pub(in crate::language) static NATIVE_ONES: Table<i64> = table!("korean/ones");

/// First, second … as words of their own (첫째, 둘째).
pub(in crate::language) static NATIVE_ORDINALS: Table<i32> = table!("korean/ordinals");

/// Stretches of the calendar behind 이번, 다음.
pub(in crate::language) static STRETCHES: Table<PeriodKind> = table!("korean/stretches");

/// Sino-Korean digits, and the powers of ten behind them.
pub(in crate::language) static SINO: Table<i64> = table!("korean/sino");
pub(in crate::language) static SCALES: Table<i32> = table!("korean/scales");
