//! What people are called in Korean: family names, and the titles after a name or in its place.
//!
//! It goes by lists; whether a word is a name where it stands is for its users.

use super::{
    hangul::is_hangul,
    list::{Words, words},
};

/// Family names of one syllable, in the order of how many bear them, and of two.
static FAMILIES: &Words = words!("korean/names.families");
static LONG_FAMILIES: &Words = words!("korean/names.long families");

/// Titles after a Korean name or in place of one.
pub static TITLES: &Words = words!("korean/names.titles");

/// What stands behind a name; the first also behind a title.
pub static HONORIFICS: &Words = words!("korean/names.honorifics");

/// How many people must bear a family name for a word to be taken for a name by it: 사무실 is an office, though there are
/// families that are called 사.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearers {
    /// Very many: where nothing else tells that it is a name.
    Many = 48,
    /// Several: where a name that is none costs little.
    Several = 78,
    /// Any at all: where a title stands beside it.
    Any = u8::MAX as isize,
}

/// What a Korean is called after the family name, where a word may be a whole name: three syllables, or four after a
/// family name of two.
///
/// ```
/// use memfold::language::{Bearers, given_name};
/// let of = |word| given_name(word, Bearers::Many);
/// assert_eq!([of("김민지"), of("남궁민수"), of("회의")], [Some("민지"), Some("민수"), None]);
/// ```
pub fn given_name(word: &str, bearers: Bearers) -> Option<&str> {
    let after = |family: &&str| word.strip_prefix(*family);
    let given = match word.chars().count() {
        3 => FAMILIES.iter().take(bearers as usize).chain(LONG_FAMILIES.iter()).find_map(after),
        4 => LONG_FAMILIES.iter().find_map(after),
        _ => None,
    };
    given.filter(|_| word.chars().all(is_hangul))
}
