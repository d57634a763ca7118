//! English words: units after a number, and words that begin a value.
//!
//! Tables only; their rows are `data/english`.

use super::{
    calendar::Summer,
    lexicon::{DayHalf, Lex, Sort, Suffix},
    list::{Words, words},
    number::Number,
    table::{Table, table},
    value::{Cycle, PeriodKind, State},
};

/// What may follow a number.
pub(super) static UNITS: Table<Suffix> = table!("english/units");

/// Words that begin a value.
pub(super) static WORDS: Table<Lex> = table!("english/values");

/// Places that name a zone ("3 pm London", "Seoul time").
pub(super) static PLACES: Table<Lex> = table!("english/places");

/// Parts of the day after a time ("7 in the evening").
pub(super) const HALVES: &[(&str, DayHalf)] = &[
    ("in the morning", DayHalf::Morning),
    ("in the afternoon", DayHalf::Afternoon),
    ("in the evening", DayHalf::Afternoon),
    ("at night", DayHalf::Night),
    ("tonight", DayHalf::Afternoon),
];

/// Words that end a noun phrase: what follows a number and begins with one of these is not what it counts.
pub(super) static STOPS: Words = words!("english/stops");

/// Whether a word names a time: a month, a day, noon, tomorrow, next.
pub(super) fn is_time_word(word: &str) -> bool {
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
