//! English word tables: units, and words that start a value. Their rows are in `data/english`.

use super::{
    lexicon::{DayHalf, Lex, Sort, Suffix},
    number::Number,
    value::{Cycle, Per, PeriodKind, State, Summer},
};
use crate::language::text::{
    list::Words,
    table::{Table, table},
};

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

/// Rate units: after a slash or "per", and directly after the amount.
pub static PER: Table<Per> = table!("rates");
pub static RATES: Table<Per> = table!("english/rates");

/// Currency symbols, and parts of the day after a time ("7 in the evening").
pub static SYMBOLS: Table<Lex> = table!("english/symbols");
pub static HALVES: Table<Lex> = table!("english/halves");
