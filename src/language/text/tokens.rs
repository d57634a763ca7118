//! Search tokens of Korean and English text, with a crude stem as a key for comparison.

use super::{
    folded::Folded,
    hash::{SEED, fnv},
    list::{Words, words},
    runs::{Script, Split, runs},
    stem::{english_stem, korean_stem, stem_of},
};
use crate::language::values::value::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its bytes in the original text.
    pub span: Span,
    pub script: Script,
    /// Hash of the stem; equal for words with the same stem.
    pub key: u64,
    /// Whether it is a stop word (the, 그리고, 합니다).
    pub stop: bool,
    /// Its bytes in the folded text.
    start: u32,
    end: u32,
    /// The end of the stem, and the character that replaces its last one.
    stem: u32,
    last: Option<char>,
}

impl Token {
    pub fn word<'f>(&self, folded: &'f Folded<'_>) -> &'f str {
        folded.text().get(self.start as usize..self.end as usize).unwrap_or("")
    }

    pub fn stem(&self, folded: &Folded<'_>) -> String {
        let mut stem = folded.text().get(self.start as usize..self.stem as usize).unwrap_or("").to_owned();
        if let Some(last) = self.last {
            stem.pop();
            stem.push(last);
        }
        stem
    }

    /// Its bytes in the folded text.
    pub fn range(&self) -> (usize, usize) {
        (self.start as usize, self.end as usize)
    }
}

pub fn tokens(folded: &Folded<'_>) -> Vec<Token> {
    let text = folded.text();
    let mut found = Vec::with_capacity(text.len() / 5);
    for run in runs(text, &Split::TOKENS) {
        let Span { start, end } = run.span;
        let word = run.span.of(text);
        let script = run.script();
        let (stem, last) = match script {
            Script::Korean => korean_stem(word, text[..start].ends_with(|c: char| c.is_ascii_digit())),
            Script::Latin => english_stem(word),
            Script::Digits => (word.len(), None),
        };
        let bare = &word[..stem];
        let span = Span { start: folded.source(start), end: folded.source(end) };
        let is_in = |list: &Words, word: &str| list.binary_search(&word).is_ok();
        found.push(Token {
            span,
            script,
            key: key_of(bare, last),
            stop: match script {
                Script::Korean => is_in(KOREAN_STOPS, bare) || is_in(KOREAN_STOPS, word),
                Script::Latin => is_in(ENGLISH_STOPS, word) && !is_named(folded.original(), span),
                Script::Digits => false,
            },
            start: start as u32,
            end: end as u32,
            stem: (start + stem) as u32,
            last,
        });
    }
    found
}

/// Whether a word is spelt like a name: capitals among lower-case words (the PM), or a capital within a sentence (May).
pub fn is_named(text: &str, span: Span) -> bool {
    let is_capital = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase());
    let is_letter = |c: char| c.is_alphanumeric() || c == '\'';
    let (Some(before), Some(after)) = (text.get(..span.start), text.get(span.end..)) else { return false };
    let word = span.of(text);
    // "3 PM" is a time.
    let hour = before.trim_end().ends_with(|c: char| c.is_ascii_digit());
    let last = before.trim_end_matches(|c| !is_letter(c)).rsplit(|c| !is_letter(c)).next();
    let next = after.trim_start_matches(|c| !is_letter(c)).split(|c| !is_letter(c)).next();
    if is_capital(word) {
        return word.len() > 1 && !hour && !last.is_some_and(is_capital) && !next.is_some_and(is_capital);
    }
    let within = before.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | ';'));
    let is_title = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    is_title(word) && within && !last.is_some_and(is_title) && !next.is_some_and(is_title)
}

pub fn telling_keys(folded: &Folded<'_>) -> Vec<u64> {
    tokens(folded).iter().filter(|t| !t.stop).map(|t| t.key).collect()
}

pub fn key(word: &str) -> u64 {
    let (stem, last) = stem_of(word);
    key_of(&word[..stem], last)
}

/// Hash of the characters without thousands commas.
fn key_of(stem: &str, last: Option<char>) -> u64 {
    let mut chars = stem.chars();
    if last.is_some() {
        chars.next_back();
    }
    fnv(SEED, chars.filter(|c| *c != ',').chain(last))
}

/// Words that end a noun phrase: a unit never starts with one of these.
pub(in crate::language) static ENGLISH_STOPS: &Words = words!("english/stops");

static KOREAN_STOPS: &Words = words!("korean/stops");
