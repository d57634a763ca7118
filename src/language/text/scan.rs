//! [`Scan`]: look-ahead and look-behind in folded text that never splits a character.

use super::hangul::is_hangul;

/// A folded text to scan. Positions outside of it or inside a character read as empty.
#[derive(Clone, Copy)]
pub(in crate::language) struct Scan<'a>(pub &'a str);

/// Whether a character is a letter other than Hangul.
pub(in crate::language) fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || (!c.is_ascii() && c.is_alphabetic() && !is_hangul(c))
}

impl<'a> Scan<'a> {
    pub fn rest(self, at: usize) -> &'a str {
        self.0.get(at..).unwrap_or("")
    }

    pub fn slice(self, start: usize, end: usize) -> &'a str {
        self.0.get(start..end).unwrap_or("")
    }

    pub fn head(self, at: usize) -> &'a str {
        self.0.get(..at).unwrap_or("")
    }

    /// The byte at a position; 0 at the end.
    pub fn byte(self, at: usize) -> u8 {
        self.0.as_bytes().get(at).copied().unwrap_or(0)
    }

    pub fn char(self, at: usize) -> Option<char> {
        self.rest(at).chars().next()
    }

    pub fn before(self, at: usize) -> Option<char> {
        self.head(at).chars().next_back()
    }

    pub fn eat(self, at: usize, word: &str) -> Option<usize> {
        self.rest(at).starts_with(word).then_some(at + word.len())
    }

    /// The position after the first of `words` that is at `at`.
    pub fn eat_any(self, at: usize, words: &[&str]) -> Option<usize> {
        words.iter().find_map(|w| self.eat(at, w))
    }

    /// The position after one of `words` that is at `at` as a whole word.
    pub fn eat_word(self, at: usize, words: &[&str]) -> Option<usize> {
        let end = self.latin_end(at);
        words.contains(&self.slice(at, end)).then_some(end)
    }

    fn skip(self, at: usize, of: &[u8]) -> usize {
        at + self.rest(at).bytes().take_while(|b| of.contains(b)).count()
    }

    /// Skips white space with at most one line break.
    pub fn blank(self, at: usize) -> usize {
        let end = self.skip(at, b" \t\r");
        if self.byte(end) == b'\n' { self.skip(end + 1, b" \t\r") } else { end }
    }

    /// Skips white space within the line.
    pub fn spaces(self, at: usize) -> usize {
        self.skip(at, b" \t")
    }

    /// Like [`Self::blank`], backwards.
    pub fn blank_before(self, at: usize) -> usize {
        let trim = |text: &'a str| text.trim_end_matches([' ', '\t', '\r']);
        let before = trim(self.head(at));
        before.strip_suffix('\n').map_or(before, trim).len()
    }

    pub fn digits_end(self, at: usize) -> usize {
        self.run_end(at, |c| c.is_ascii_digit())
    }

    pub fn latin_end(self, at: usize) -> usize {
        self.run_end(at, is_latin)
    }

    pub fn latin(self, at: usize) -> (&'a str, usize) {
        let end = self.latin_end(at);
        (self.slice(at, end), end)
    }

    pub fn digits(self, at: usize) -> (&'a str, usize) {
        let end = self.digits_end(at);
        (self.slice(at, end), end)
    }

    pub fn hangul_end(self, at: usize) -> usize {
        self.run_end(at, is_hangul)
    }

    pub fn run_end(self, at: usize, in_run: impl Fn(char) -> bool) -> usize {
        let rest = self.rest(at);
        at + rest.find(|c| !in_run(c)).unwrap_or(rest.len())
    }

    /// The end of a run of at most `most` bytes, else `None`.
    pub fn run_end_within(self, at: usize, most: usize, in_run: impl Fn(char) -> bool) -> Option<usize> {
        let rest = self.rest(at);
        let near = &rest[..rest.floor_char_boundary(most + 1)];
        match near.find(|c| !in_run(c)) {
            Some(end) => Some(at + end),
            None => (near.len() == rest.len()).then_some(at + rest.len()),
        }
    }

    /// The start of the run of letters, of any script, that ends at `at`.
    pub fn letters_start(self, at: usize) -> usize {
        self.head(at).trim_end_matches(char::is_alphabetic).len()
    }

    /// The word before a position, across white space; empty at the start or after punctuation.
    pub fn word_before(self, at: usize) -> &'a str {
        let end = self.blank_before(at);
        self.slice(self.letters_start(end), end)
    }

    /// Whether no letter, digit or underscore comes before `at`.
    pub fn starts_word(self, at: usize) -> bool {
        !self.before(at).is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    /// Whether no letter, digit or underscore is at `at`.
    pub fn ends_word(self, at: usize) -> bool {
        !self.char(at).is_some_and(|c| c.is_alphanumeric() || c == '_')
    }
}
