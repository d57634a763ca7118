//! Korean word tables: units, and words that start a value. Their rows are in `data/korean`; `particles` handles
//! particles.

use super::{
    lexicon::{DayHalf, Lex, Numeral, Sort, Suffix},
    number::Number,
    value::{Cycle, Per, PeriodKind, State, Summer},
};
use crate::language::text::{
    list::{Words, words},
    table::{Table, table},
};

pub static UNITS: Table<Suffix> = table!("korean/units");

pub static WORDS: Table<Lex> = table!("korean/values");

/// One-syllable weekdays, for lists such as 월·수·금.
pub static DAYS: &Words = words!("korean/grammar.weekdays");

pub static NUMERALS: Table<Numeral> = table!("korean/numerals");

/// Ordinals as words (첫째, 둘째), and what they count.
pub static ORDINALS: Table<Lex> = table!("korean/ordinals");
pub static OF_ORDINALS: Table<Lex> = table!("korean/of_ordinals");

/// Words after 제 and a number.
pub static NTH: Table<Lex> = table!("korean/nth");

/// Calendar periods after 다음, and parts of a month after its name.
pub static STRETCHES: Table<Lex> = table!("korean/stretches");
pub static MONTH_PARTS: Table<Lex> = table!("korean/month_parts");

/// Cycles before a frequency: 주 2회.
pub static CYCLES: Table<Lex> = table!("korean/cycles");

/// Rate units before an amount, and before 당.
pub static RATES: Table<Per> = table!("korean/rates");
pub static EACH: Table<Per> = table!("korean/each");
