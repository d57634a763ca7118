//! Reading Korean and English: normal forms, tokens, particles, amounts, dates and times.
//!
//! The base that similarity, analysis, mail and search share. It never compares two texts.

mod calendar;
mod case;
mod compare;
mod cues;
mod english;
mod folded;
mod korean;
mod lexicon;
mod list;
mod normal;
mod number;
mod particles;
mod personal;
mod scan;
mod table;
mod time_phrase;
mod tokens;
mod value;
mod values;

pub use case::{Lower, lower};
pub use compare::Kind;
pub use cues::{Cue, CueKind, cues};
pub use folded::Folded;
pub use list::Words;
pub(crate) use list::words;
pub use normal::{fold, nfc, nfkc};
pub use number::Number;
pub(crate) use particles::is_tail;
pub use personal::{Personal, PersonalKind, personal};
pub use time_phrase::{TimePhrase, time_phrase};
pub use tokens::{Script, Token, key, tokens};
pub use value::{
    Bound, Clock, Cycle, Date, Duration, Found, Identifier, Match, On, Per, Period, PeriodKind, Recurrence, Reference,
    Shift, Span, State, Track, Unit, Value, Weekdays, moment,
};
pub use values::{values, values_in};
