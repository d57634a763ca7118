//! Sorted tables of words and their meanings, and the words of a table that stand at a place of a text.
//!
//! It finds what is in a table; what a meaning leads to is for the reader to judge.

use super::{
    hash::short,
    list::Words,
    scan::{Scan, is_latin},
};
use std::sync::OnceLock;

/// A table of words, in the order of their bytes, and their meanings; made by [`table!`].
pub(in crate::language) struct Table<T: 'static> {
    words: Words,
    meanings: &'static [T],
    index: OnceLock<TableIndex>,
}

/// A `static` table of `language/data`, by its file there.
macro_rules! table {
    ($key:literal) => {
        include!(concat!(env!("OUT_DIR"), "/words/", $key, ".rs"))
    };
}
pub(in crate::language) use table;

/// Where in a table the entries with a beginning start: by their first character, and by their first word where
/// that is of plain letters. Made at its first use.
#[derive(Debug)]
struct TableIndex {
    characters: Vec<u16>,
    words: Vec<u16>,
}

const SLOTS: usize = 1 << 11;

/// The first place to look for a beginning.
fn slot(beginning: &str) -> usize {
    short(beginning) as usize % SLOTS
}

fn is_plain_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())
}

/// The first character of a text, as a text.
fn first_character(text: &str) -> &str {
    text.get(..text.chars().next().map_or(0, char::len_utf8)).unwrap_or("")
}

/// The first word of a text.
fn first_word(text: &str) -> &str {
    Scan(text).slice(0, Scan(text).latin_end(0))
}

impl TableIndex {
    fn of(entries: &[&str]) -> Self {
        let mut index = Self { characters: vec![u16::MAX; SLOTS], words: vec![u16::MAX; SLOTS] };
        let (mut character, mut word) = ("", "");
        for (n, entry) in entries.iter().enumerate() {
            if first_character(entry) != character {
                character = first_character(entry);
                Self::put(&mut index.characters, character, n);
            }
            if first_word(entry) != word {
                word = first_word(entry);
                if is_plain_word(word) {
                    Self::put(&mut index.words, word, n);
                }
            }
        }
        index
    }

    fn put(slots: &mut [u16], beginning: &str, n: usize) {
        let mut at = slot(beginning);
        while slots[at] != u16::MAX {
            at = (at + 1) % SLOTS;
        }
        slots[at] = n as u16;
    }

    /// The first of the entries that has this beginning; their number if none has.
    fn first(&self, entries: &[&str], beginning: &str, word: bool) -> usize {
        let slots = if word { &self.words } else { &self.characters };
        let mut at = slot(beginning);
        while let Some(entry) = entries.get(usize::from(slots[at])) {
            if (if word { first_word(entry) } else { first_character(entry) }) == beginning {
                return usize::from(slots[at]);
            }
            at = (at + 1) % SLOTS;
        }
        entries.len()
    }

    /// See [`Table::longest`]; an entry is named by its place.
    #[inline(never)]
    fn longest(&self, entries: &[&str], text: &str, fits: &dyn Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
        let first = text.chars().next()?;
        let mut best: Option<(usize, usize)> = None;
        let start = self.first(entries, first_character(text), false);
        for (n, word) in entries.iter().enumerate().skip(start) {
            if !word.starts_with(first) {
                break;
            }
            if best.is_none_or(|(len, _)| len < word.len()) && text.starts_with(word) && fits(n, word.len()) {
                best = Some((word.len(), n));
            }
        }
        best
    }

    /// See [`phrase`]; an entry is named by its place.
    #[inline(never)]
    fn phrase(&self, entries: &[&str], word: &str, text: &str) -> Option<(usize, usize)> {
        let start =
            if is_plain_word(word) { self.first(entries, word, true) } else { entries.partition_point(|w| *w < word) };
        let mut best = None;
        for (n, entry) in entries.iter().enumerate().skip(start) {
            let Some(more) = entry.strip_prefix(word) else { break };
            if (more.is_empty() || !more.starts_with(is_latin)) && text.starts_with(entry) {
                let ends = !text.get(entry.len()..).unwrap_or("").starts_with(|c: char| c.is_alphanumeric());
                if ends {
                    best = Some((entry.len(), n));
                }
            }
        }
        best
    }
}

impl<T> Table<T> {
    /// A table of as many meanings as words, these in the order of their bytes.
    pub const fn new(words: Words, meanings: &'static [T]) -> Self {
        Self { words, meanings, index: OnceLock::new() }
    }

    fn index(&self) -> &TableIndex {
        self.index.get_or_init(|| TableIndex::of(&self.words))
    }

    /// The words of such meanings.
    pub fn words_of(&'static self, fits: impl Fn(&T) -> bool) -> impl Iterator<Item = &'static str> {
        self.words.iter().zip(self.meanings).filter(move |(_, m)| fits(m)).map(|(w, _)| *w)
    }

    /// The meaning of a word.
    pub fn meaning(&self, word: &str) -> Option<&'static T> {
        self.words.binary_search(&word).ok().and_then(|n| self.meanings.get(n))
    }

    /// Of the entries that the text begins with, the longest that fits, by its length and its meaning.
    pub fn longest(&self, text: &str, fits: impl Fn(usize, &'static T) -> bool) -> Option<(usize, &'static T)> {
        let fits = |n: usize, len| self.meanings.get(n).is_some_and(|m| fits(len, m));
        let (len, n) = self.index().longest(&self.words, text, &fits)?;
        Some((len, self.meanings.get(n)?))
    }
}

static NUMERALS: Table<u16> = table!("numerals");

/// The number that a word stands for by itself.
pub fn numeral(word: &str) -> Option<u16> {
    NUMERALS.meaning(word).copied()
}

/// Of the entries that begin with the whole word `word` and stand in `text` up to the end of a word, the longest.
pub(in crate::language) fn phrase<T>(table: &Table<T>, word: &str, text: &str) -> Option<(usize, &'static T)> {
    let (len, n) = table.index().phrase(&table.words, word, text)?;
    Some((len, table.meanings.get(n)?))
}
