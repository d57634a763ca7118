//! Lists of Korean family names, titles and honorifics. Callers decide whether a word is a name in context.

use super::{
    hangul::is_hangul,
    list::{Words, words},
};

/// Family names of one syllable, most frequent first, and of two.
static FAMILIES: &Words = words!("korean/names.families");
static LONG_FAMILIES: &Words = words!("korean/names.long families");

/// Titles used after a Korean name or instead of one.
pub static TITLES: &Words = words!("korean/names.titles");

/// Suffixes after a name; the first also follows a title.
pub static HONORIFICS: &Words = words!("korean/names.honorifics");

/// How frequent a family name must be to mark a word as a name: 사무실 is an office, though 사 is also a family name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearers {
    /// Very frequent names: without further evidence.
    Many = 48,
    /// Any family name: next to a title.
    Any = u8::MAX as isize,
}

/// The given name in a word that may be a full Korean name: three syllables, or four after a two-syllable family name.
pub fn given_name(word: &str, bearers: Bearers) -> Option<&str> {
    let after = |family: &&str| word.strip_prefix(*family);
    let given = match word.chars().count() {
        3 => FAMILIES.iter().take(bearers as usize).chain(LONG_FAMILIES.iter()).find_map(after),
        4 => LONG_FAMILIES.iter().find_map(after),
        _ => None,
    };
    given.filter(|_| word.chars().all(is_hangul))
}
