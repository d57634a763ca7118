//! Looking around in folded text without ever slicing inside a character.
//!
//! It reads characters, runs and table words; it does not know what they mean.

use std::sync::OnceLock;

/// A folded text to look around in. Positions outside of it, or inside a character, read as nothing.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a>(pub &'a str);

/// Whether a character is a Hangul syllable.
pub(super) const fn is_hangul(c: char) -> bool {
    matches!(c, '가'..='힣')
}

/// Whether a character is a letter of a script written with blanks other than Hangul.
pub(super) fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || (!c.is_ascii() && c.is_alphabetic() && !is_hangul(c))
}

impl<'a> Scan<'a> {
    /// The text from a position on.
    pub fn rest(self, at: usize) -> &'a str {
        self.0.get(at..).unwrap_or("")
    }

    /// The text between two positions.
    pub fn slice(self, start: usize, end: usize) -> &'a str {
        self.0.get(start..end).unwrap_or("")
    }

    /// The text up to a position.
    pub fn head(self, at: usize) -> &'a str {
        self.0.get(..at).unwrap_or("")
    }

    /// The byte at a position.
    pub fn byte(self, at: usize) -> u8 {
        self.0.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The character at a position.
    pub fn char(self, at: usize) -> Option<char> {
        self.rest(at).chars().next()
    }

    /// The character before a position.
    pub fn before(self, at: usize) -> Option<char> {
        self.head(at).chars().next_back()
    }

    /// The position after `word`, where it stands at `at`.
    pub fn eat(self, at: usize, word: &str) -> Option<usize> {
        self.rest(at).starts_with(word).then_some(at + word.len())
    }

    /// The position after the first of `words` that stands at `at`.
    pub fn eat_any(self, at: usize, words: &[&str]) -> Option<usize> {
        words.iter().find_map(|w| self.eat(at, w))
    }

    /// The position after the first of `words` that stands at `at` as a whole word.
    pub fn eat_word(self, at: usize, words: &[&str]) -> Option<usize> {
        let end = self.latin_end(at);
        words.contains(&self.slice(at, end)).then_some(end)
    }

    /// Past blanks and at most one line break.
    pub fn blank(self, mut at: usize) -> usize {
        let mut lines = 0;
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\r' => at += 1,
                b'\n' if lines == 0 => {
                    lines = 1;
                    at += 1;
                }
                _ => return at,
            }
        }
    }

    /// Past blanks of the same line.
    pub fn spaces(self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }

    /// Back over blanks and at most one line break.
    pub fn blank_before(self, mut at: usize) -> usize {
        let mut lines = 0;
        while at > 0 {
            match self.byte(at - 1) {
                b' ' | b'\t' | b'\r' => at -= 1,
                b'\n' if lines == 0 => {
                    lines = 1;
                    at -= 1;
                }
                _ => break,
            }
        }
        at
    }

    /// The end of the run of digits.
    pub fn digits_end(self, mut at: usize) -> usize {
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        at
    }

    /// The end of the run of letters other than Hangul.
    pub fn latin_end(self, at: usize) -> usize {
        self.run_end(at, is_latin)
    }

    /// The end of the run of Hangul.
    pub fn hangul_end(self, at: usize) -> usize {
        self.run_end(at, is_hangul)
    }

    /// The end of the run of characters that are `in_run`.
    pub fn run_end(self, at: usize, in_run: impl Fn(char) -> bool) -> usize {
        let rest = self.rest(at);
        at + rest.find(|c| !in_run(c)).unwrap_or(rest.len())
    }

    /// The start of the run of letters (of either script) that ends at `at`.
    pub fn letters_start(self, at: usize) -> usize {
        let head = self.head(at);
        head.rfind(|c: char| !c.is_alphabetic()).map_or(0, |p| p + head[p..].chars().next().map_or(1, char::len_utf8))
    }

    /// The word before a position, blanks between left out; empty at the start or after punctuation.
    pub fn word_before(self, at: usize) -> &'a str {
        let end = self.blank_before(at);
        self.slice(self.letters_start(end), end)
    }

    /// Whether no letter or digit stands right before.
    pub fn starts_word(self, at: usize) -> bool {
        !self.before(at).is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    /// Whether no letter or digit stands right at this place.
    pub fn ends_word(self, at: usize) -> bool {
        !self.char(at).is_some_and(|c| c.is_alphanumeric() || c == '_')
    }
}

/// A sorted table of words and their meanings, with an index that is made at its first use.
pub(super) struct Table<T: 'static> {
    pub list: &'static [(&'static str, T)],
    index: OnceLock<Index>,
}

/// Where in a table the entries with a beginning start: by their first character, and by their first word where
/// that is of plain letters.
#[derive(Debug)]
struct Index {
    characters: Vec<u16>,
    words: Vec<u16>,
}

const SLOTS: usize = 1 << 11;

/// The first place to look for a beginning.
fn slot(beginning: &str) -> usize {
    let h = beginning.bytes().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
    (h ^ (h >> 15)) as usize % SLOTS
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

impl Index {
    fn of(entries: &mut dyn Iterator<Item = &'static str>) -> Self {
        let mut index = Self { characters: vec![u16::MAX; SLOTS], words: vec![u16::MAX; SLOTS] };
        let (mut character, mut word) = ("", "");
        for (n, entry) in entries.enumerate() {
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
}

impl<T> Table<T> {
    /// A table of entries in the order of their bytes.
    pub const fn new(list: &'static [(&'static str, T)]) -> Self {
        Self { list, index: OnceLock::new() }
    }

    /// The entries from the first on that begins with this character.
    pub fn starting(&self, character: &str) -> &'static [(&'static str, T)] {
        self.from(character, false)
    }

    /// The entries from the first on that has this beginning.
    fn from(&self, beginning: &str, word: bool) -> &'static [(&'static str, T)] {
        let index = self.index.get_or_init(|| Index::of(&mut self.list.iter().map(|e| e.0)));
        let slots = if word { &index.words } else { &index.characters };
        let mut at = slot(beginning);
        while let Some((entry, _)) = self.list.get(usize::from(slots[at])) {
            if (if word { first_word(entry) } else { first_character(entry) }) == beginning {
                return &self.list[usize::from(slots[at])..];
            }
            at = (at + 1) % SLOTS;
        }
        &[]
    }
}

/// Of the entries that the text begins with, the longest for which `fits(length)`.
pub(super) fn longest<T>(table: &Table<T>, text: &str, fits: impl Fn(usize) -> bool) -> Option<(usize, &'static T)> {
    let first = text.chars().next()?;
    let mut best: Option<(usize, &T)> = None;
    for (word, meaning) in table.starting(first_character(text)) {
        if !word.starts_with(first) {
            break;
        }
        if best.is_none_or(|(n, _)| n < word.len()) && text.starts_with(word) && fits(word.len()) {
            best = Some((word.len(), meaning));
        }
    }
    best
}

/// Of the entries that begin with the whole word `word` and stand in `text` up to the end of a word, the longest.
pub(super) fn phrase<T>(table: &Table<T>, word: &str, text: &str) -> Option<(usize, &'static T)> {
    let entries = if is_plain_word(word) {
        table.from(word, true)
    } else {
        table.list.get(table.list.partition_point(|(w, _)| *w < word)..)?
    };
    let mut best = None;
    for (entry, meaning) in entries {
        let Some(more) = entry.strip_prefix(word) else { break };
        if (more.is_empty() || !more.starts_with(is_latin)) && text.starts_with(entry) {
            let ends = !text.get(entry.len()..).unwrap_or("").starts_with(|c: char| c.is_alphanumeric());
            if ends {
                best = Some((entry.len(), meaning));
            }
        }
    }
    best
}

#[cfg(test)]
pub(super) fn assert_sorted<T>(name: &str, table: &Table<T>) {
    for pair in table.list.windows(2) {
        assert!(pair[0].0 < pair[1].0, "{name}: {} is not before {}", pair[0].0, pair[1].0);
    }
}
