//! English words: units after a number, and words that begin a value.
//!
//! Tables only; their rows are `data/english`.

use super::{
    lexicon::{DayHalf, Lex, Sort, Suffix},
    number::Number,
    value::{Cycle, Per, PeriodKind, State, Summer},
};
use crate::language::text::{
    list::Words,
    table::{Table, table},
};

/// What may follow a number.
pub(in crate::language) static UNITS: Table<Suffix> = table!("english/units");

/// Words that begin a value.
pub(in crate::language) static WORDS: Table<Lex> = table!("english/values");

/// Places that name a zone ("3 pm London", "Seoul time").
pub(in crate::language) static PLACES: Table<Lex> = table!("english/places");

/// What comes again, behind every.
pub(in crate::language) static CYCLES: Table<Lex> = table!("english/cycles");

/// Powers of ten behind digits, and parts of a whole.
pub(in crate::language) static POWERS: Table<Lex> = table!("english/powers");
pub(in crate::language) static PARTS: Table<Lex> = table!("english/parts");

/// What an amount is paid by: behind a stroke or per, and right behind the amount.
pub(in crate::language) static PER: Table<Per> = table!("rates");
pub(in crate::language) static RATES: Table<Per> = table!("english/rates");

/// Parts of the day after a time ("7 in the evening").
pub(in crate::language) const HALVES: &[(&str, DayHalf)] = &[
    ("in the morning", DayHalf::Morning),
    ("in the afternoon", DayHalf::Afternoon),
    ("in the evening", DayHalf::Afternoon),
    ("at night", DayHalf::Night),
    ("tonight", DayHalf::Afternoon),
];

/// Whether a word names a time: a month, a day, noon, tomorrow, next.
pub(in crate::language) fn is_time_word(word: &str) -> bool {
    matches!(
        WORDS.meaning(word),
        Some(
            Lex::Month(_)
                | Lex::Weekday(..)
                | Lex::Clock(_)
                | Lex::Days(_)
                | Lex::DayPart(_)
                | Lex::Shift(_)
                | Lex::EndOfDay
                | Lex::YearEnd
                | Lex::Part(_)
                | Lex::PartOfMonth(_)
        )
    ) || matches!(word, "end" | "spring" | "summer" | "autumn" | "winter" | "q" | "mid")
}
