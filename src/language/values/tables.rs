//! The word tables of both languages: units, and words that start a value. Their rows are in `data`.

use super::{
    lexicon::{DayHalf, Lex, Numeral, Sort, Suffix},
    number::Number,
    value::{Cycle, Per, PeriodKind, State, Summer},
};
use crate::language::text::{
    list::{Words, words},
    table::{Table, table},
};

pub mod english {
    use crate::language::values::tables::*;

    pub static UNITS: Table<Suffix> = table!("english/units");
    pub static WORDS: Table<Lex> = table!("english/values");
    /// Places that name a zone ("3 pm London", "Seoul time").
    pub static PLACES: Table<Lex> = table!("english/places");
    /// Units of recurrence after "every", and periods after "next".
    pub static CYCLES: Table<Lex> = table!("english/cycles");
    pub static STRETCHES: Table<Lex> = table!("english/stretches");
    /// Powers of ten after digits, and fractions.
    pub static POWERS: Table<Lex> = table!("english/powers");
    pub static PARTS: Table<Lex> = table!("english/parts");
    /// Rate units directly after an amount.
    pub static RATES: Table<Per> = table!("english/rates");
    /// Currency symbols, and parts of the day after a time ("7 in the evening").
    pub static SYMBOLS: Table<Lex> = table!("english/symbols");
    pub static HALVES: Table<Lex> = table!("english/halves");
}

pub mod korean {
    use crate::language::values::tables::*;

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
    /// Rate units before an amount.
    pub static RATES: Table<Per> = table!("korean/rates");
}

/// Rate units of both languages: after a slash or "per", and before 당.
pub static PER: Table<Per> = table!("rates");
