//! Sorted tables that map words and phrases to meanings, with longest-match look-up.

use super::{
    hash::short,
    list::Words,
    scan::{Scan, is_latin},
};
use std::sync::OnceLock;

/// Words sorted by bytes, with a meaning each; made by [`table!`].
pub(in crate::language) struct Table<T: 'static> {
    words: Words,
    meanings: &'static [T],
    index: OnceLock<TableIndex>,
}

/// A `static` table from a file in `language/data`.
macro_rules! table {
    ($key:literal) => {
        include!(concat!(env!("OUT_DIR"), "/words/", $key, ".rs"))
    };
}
pub(in crate::language) use table;

/// Hash index into a table: the first entry for each first character, and for each first word of
/// plain letters. Built on first use.
#[derive(Debug)]
struct TableIndex {
    characters: Vec<u16>,
    words: Vec<u16>,
}

const SLOTS: usize = 1 << 11;

fn slot(beginning: &str) -> usize {
    short(beginning) as usize % SLOTS
}

fn is_plain_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())
}

/// The first character as a string.
fn first_character(text: &str) -> &str {
    text.get(..text.chars().next().map_or(0, char::len_utf8)).unwrap_or("")
}

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

    /// The index of the first entry that starts with `beginning`; the number of entries if none
    /// does.
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

    /// See [`Table::longest`]; returns an index.
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

    /// See [`phrase`]; returns an index.
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
    /// A table of sorted words and as many meanings.
    pub const fn new(words: Words, meanings: &'static [T]) -> Self {
        Self { words, meanings, index: OnceLock::new() }
    }

    fn index(&self) -> &TableIndex {
        self.index.get_or_init(|| TableIndex::of(&self.words))
    }

    /// The words whose meaning fits.
    pub fn words_of(&'static self, fits: impl Fn(&T) -> bool) -> impl Iterator<Item = &'static str> {
        self.words.iter().zip(self.meanings).filter(move |(_, m)| fits(m)).map(|(w, _)| *w)
    }

    pub fn meaning(&self, word: &str) -> Option<&'static T> {
        self.words.binary_search(&word).ok().and_then(|n| self.meanings.get(n))
    }

    /// The longest entry that the text starts with and that fits: its length and meaning.
    pub fn longest(&self, text: &str, fits: impl Fn(usize, &'static T) -> bool) -> Option<(usize, &'static T)> {
        let fits = |n: usize, len| self.meanings.get(n).is_some_and(|m| fits(len, m));
        let (len, n) = self.index().longest(&self.words, text, &fits)?;
        Some((len, self.meanings.get(n)?))
    }
}

static NUMERALS: Table<u16> = table!("numerals");

/// The number that a numeral word means.
pub fn numeral(word: &str) -> Option<u16> {
    NUMERALS.meaning(word).copied()
}

/// The longest entry that starts with the whole word `word` and matches `text` up to the end of a
/// word.
pub(in crate::language) fn phrase<T>(table: &Table<T>, word: &str, text: &str) -> Option<(usize, &'static T)> {
    let (len, n) = table.index().phrase(&table.words, word, text)?;
    Some((len, table.meanings.get(n)?))
}
