//! Sorted tables that map words and phrases to meanings, with longest-match look-up.

use super::{list::Words, scan::is_latin};

/// Words sorted by bytes, with a meaning each; made by [`table!`].
pub(in crate::language) struct Table<T: 'static> {
    words: Words,
    meanings: &'static [T],
}

/// A `static` table from a file in `language/data`.
macro_rules! table {
    ($key:literal) => {
        include!(concat!(env!("OUT_DIR"), "/words/", $key, ".rs"))
    };
}
pub(in crate::language) use table;

impl<T> Table<T> {
    pub const fn new(words: Words, meanings: &'static [T]) -> Self {
        Self { words, meanings }
    }

    pub fn words_of(&'static self, fits: impl Fn(&T) -> bool) -> impl Iterator<Item = &'static str> {
        self.words.iter().zip(self.meanings).filter(move |(_, m)| fits(m)).map(|(w, _)| *w)
    }

    pub fn meaning(&self, word: &str) -> Option<&'static T> {
        self.words.binary_search(&word).ok().and_then(|n| self.meanings.get(n))
    }

    /// The entries that start with `beginning`, each with its meaning.
    fn starting<'b>(
        &'static self,
        beginning: &'b str,
    ) -> impl Iterator<Item = (&'static str, &'static T)> + use<'b, T> {
        let first = self.words.partition_point(|w| *w < beginning);
        let entries = self.words.iter().copied().zip(self.meanings).skip(first);
        entries.take_while(move |(word, _)| word.starts_with(beginning))
    }

    /// The longest entry that the text starts with and that fits: its length and meaning.
    pub fn longest(&'static self, text: &str, fits: impl Fn(usize, &'static T) -> bool) -> Option<(usize, &'static T)> {
        let first = text.chars().next()?.len_utf8();
        let found = self.starting(&text[..first]).map(|(word, meaning)| (word.len(), meaning, text.starts_with(word)));
        let found = found.filter(|(len, meaning, is_there)| *is_there && fits(*len, meaning));
        found.max_by_key(|(len, ..)| *len).map(|(len, meaning, _)| (len, meaning))
    }
}

static NUMERALS: Table<u16> = table!("numerals");

pub fn numeral(word: &str) -> Option<u16> {
    NUMERALS.meaning(word).copied()
}

/// The longest entry that starts with the whole word `word` and matches `text` up to the end of a word.
pub(in crate::language) fn phrase<T>(table: &'static Table<T>, word: &str, text: &str) -> Option<(usize, &'static T)> {
    let is_whole = |entry: &str| {
        !entry[word.len()..].starts_with(is_latin)
            && text.strip_prefix(entry).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    table.starting(word).filter(|(entry, _)| is_whole(entry)).last().map(|(entry, meaning)| (entry.len(), meaning))
}
