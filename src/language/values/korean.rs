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
pub(in crate::language) const NATIVE_TENS: &[(&str, i64)] = &[
    ("열", 10),
    ("스물", 20),
    ("스무", 20),
    ("서른", 30),
    ("마흔", 40),
    ("쉰", 50),
    ("예순", 60),
    ("일흔", 70),
    ("여든", 80),
    ("아흔", 90),
];

/// See [`NATIVE_TENS`].
pub(in crate::language) const NATIVE_ONES: &[(&str, i64)] = &[
    ("하나", 1),
    ("한", 1),
    ("둘", 2),
    ("두", 2),
    ("셋", 3),
    ("세", 3),
    ("석", 3),
    ("서", 3),
    ("넷", 4),
    ("네", 4),
    ("넉", 4),
    ("너", 4),
    ("다섯", 5),
    ("여섯", 6),
    ("일곱", 7),
    ("여덟", 8),
    ("아홉", 9),
];

/// First, second … as words of their own (첫째, 둘째).
pub(in crate::language) const NATIVE_ORDINALS: &[(&str, i32)] = &[
    ("첫 번째", 1),
    ("첫번째", 1),
    ("첫째", 1),
    ("둘째", 2),
    ("셋째", 3),
    ("넷째", 4),
    ("다섯째", 5),
    ("여섯째", 6),
    ("일곱째", 7),
    ("여덟째", 8),
    ("아홉째", 9),
    ("열째", 10),
    ("마지막", -1),
    ("첫", 1),
];
