//! Finds where the subject part of a statement ends: at 은/는/이/가 in Korean, before the first verb in
//! English.

use super::words::{Kind, Mark, Part, Word};
use crate::language::words;

/// One past the last word of the subject part.
pub fn subject_end(words: &[Word]) -> usize {
    let korean = words.iter().filter(|w| w.kind == Kind::Hangul).count() * 2 >= words.len();
    let end = if korean {
        words.iter().position(|w| matches!(w.part, Part::Topic | Part::Subject) && !w.function).map(|i| i + 1)
    } else {
        words
            .iter()
            .enumerate()
            .skip(1)
            .position(|(_, w)| {
                (w.function && words!("english/grammar.auxiliaries").contains(&w.text.as_str()))
                    || w.clause > words[0].clause
                    || (!w.capital && w.is(Mark::Verb) && w.text != w.stem)
            })
            .map(|i| i + 1)
    };
    end.unwrap_or(words.len().div_ceil(3)).min(words.len())
}
