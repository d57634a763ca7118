//! Parsing of Korean and English text: normal forms, tokens, particles, amounts, dates and times. Shared by similarity,
//! analysis, mail and search.

mod around;
mod cues;
mod dates;
mod inquiry;
mod moments;
mod personal;
mod read;
pub(crate) mod shown;
mod text;
mod time_phrase;
mod values;

pub use cues::{Cue, CueKind, cues};
pub use dates::{is_moved, meant_values, months_of, unless_of_months};
pub use inquiry::{AskedFor, Inquiry, Only, inquiry, names_owner};
pub use moments::{DateRole, Moment, is_former, moments};
pub use personal::{Personal, PersonalKind, personal};
pub use read::Text;
pub use shown::{day_in_words, month_in_words};
pub use text::{
    common::common_pairs,
    folded::{Folded, is_invisible},
    hangul::{has_final, has_hangul, is_hangul, is_lone_letter, jamo, syllable},
    list::Words,
    names::{Bearers, HONORIFICS, TITLES, given_name},
    ngrams::ngrams,
    normal::{digit, fold, nfkc, single_spaced, unmasked},
    particles::{Part, particles, without_particle},
    runs::{RunMark, Script, Split, TextRun, runs, split},
    stem::stem,
    table::numeral,
    tokens::{Token, is_named, key, telling_keys, tokens},
};
pub(crate) use text::{
    hash::{SEED, fnv, short},
    list::words,
    particles::is_tail,
    phrases::{PhraseHit, Phrases, phrases, stands_in},
};
pub use time_phrase::{TimePhrase, time_phrase};
pub(crate) use values::spelled::{english_number, is_sino, native_number, sino_amount, sino_month, sino_number};
pub use values::{
    calendar::moment,
    number::Number,
    value::{
        Clock, ClockZone, Cycle, Date, Duration, Found, Identifier, Match, On, Per, Period, PeriodKind, Recurrence,
        Reference, Shift, Span, State, Summer, Track, Unit, Value, ValueKind, Weekdays,
    },
    values, values_in,
};
pub(crate) use values::{calendar::nth_weekday, clock::zone_of_place, day_order::is_of_two_days};
