//! Splits text into words and removes their Korean particles, for names and topics.

use crate::language::{Split, TextRun, is_hangul, runs, without_particle};

/// A word with its byte offset. It includes inner punctuation (`DL-2`, `3.8`, `Q&A`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NounWord<'a> {
    pub start: usize,
    pub written: &'a str,
    /// The word without particles.
    pub stem: &'a str,
}

impl<'a> NounWord<'a> {
    pub fn key(&self) -> String {
        self.stem.to_lowercase()
    }

    pub fn particle(&self) -> &'a str {
        &self.written[self.stem.len()..]
    }

    pub fn end(&self) -> usize {
        self.start + self.written.len()
    }

    pub fn is_capital(&self) -> bool {
        self.stem.starts_with(|c: char| c.is_ascii_uppercase())
    }
}

pub(super) fn nouns(text: &str) -> Vec<NounWord<'_>> {
    let word = |run: TextRun| {
        let written = run.span.of(text);
        NounWord { start: run.span.start, written, stem: without_particle(written) }
    };
    runs(text, &Split::MARKED).map(word).collect()
}

pub(super) fn keys(text: &str) -> Vec<String> {
    nouns(text).iter().map(NounWord::key).collect()
}

/// Whether two words match: equal, plural (bracket, brackets), or a Korean compound and its part (온도로거, 로거).
pub(super) fn is_same_word(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if short == long || !short.chars().all(is_hangul) {
        let is_plural = short.len() >= 3 && long.starts_with(short) && long.len() - short.len() <= 3 && long.is_ascii();
        return short == long || is_plural;
    }
    short.chars().count() >= 2 && (long.ends_with(short) || long.starts_with(short))
}
