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

/// Units that may follow a number.
pub(in crate::language) static UNITS: Table<Suffix> = table!("english/units");

pub(in crate::language) static WORDS: Table<Lex> = table!("english/values");

/// Places that name a zone ("3 pm London", "Seoul time").
pub(in crate::language) static PLACES: Table<Lex> = table!("english/places");

/// Units of recurrence after "every".
pub(in crate::language) static CYCLES: Table<Lex> = table!("english/cycles");

/// Powers of ten after digits, and fractions.
pub(in crate::language) static POWERS: Table<Lex> = table!("english/powers");
pub(in crate::language) static PARTS: Table<Lex> = table!("english/parts");

/// Rate units: after a slash or "per", and directly after the amount.
pub(in crate::language) static PER: Table<Per> = table!("rates");
pub(in crate::language) static RATES: Table<Per> = table!("english/rates");

/// Currency symbols, and parts of the day after a time ("7 in the evening").
pub(in crate::language) static SYMBOLS: Table<Lex> = table!("english/symbols");
pub(in crate::language) static HALVES: Table<Lex> = table!("english/halves");
