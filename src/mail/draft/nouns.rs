//! Words without their Korean particles and titles, for entities, keywords and topics.
//!
//! It cuts by lists; a word that only looks inflected (온도, 회의, 휴가) stays whole.

use crate::language::{Bearers, HONORIFICS, Split, TITLES, TextRun, given_name, is_hangul, runs, without_particle};

/// A word of a text, with its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NounWord<'a> {
    pub start: usize,
    /// As written, punctuation around it left out.
    pub written: &'a str,
    /// Without particles.
    pub stem: &'a str,
}

impl NounWord<'_> {
    pub fn is_korean(&self) -> bool {
        self.stem.contains(is_hangul)
    }

    /// In lower case, for comparing.
    pub fn key(&self) -> String {
        self.stem.to_lowercase()
    }

    /// Whether a particle was cut off that marks a topic or a subject.
    pub fn tail(&self) -> &str {
        &self.written[self.stem.len()..]
    }
}

/// The words of a text. Marks inside a word (`DL-2`, `3.8`, `Q&A`) belong to it.
pub(super) fn words(text: &str) -> Vec<NounWord<'_>> {
    let word = |run: TextRun| {
        let written = run.span.of(text);
        NounWord { start: run.span.start, written, stem: without_particle(written) }
    };
    runs(text, &Split::MARKED).map(word).collect()
}

/// The words of a text, for comparing.
pub(super) fn keys(text: &str) -> Vec<String> {
    words(text).iter().map(NounWord::key).collect()
}

/// A word without what honours whom it names.
pub(super) fn without_honorific(word: &str) -> &str {
    HONORIFICS.first().and_then(|h| word.strip_suffix(h)).unwrap_or(word)
}

/// A Korean name without its title; `None` where the word is no name.
pub(super) fn korean_name(word: &str) -> Option<&str> {
    let bare = without_honorific(without_particle(word));
    let untitled = TITLES.iter().find_map(|t| bare.strip_suffix(t)).unwrap_or(bare);
    given_name(untitled, Bearers::Any).and(Some(untitled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_marks() {
        let found: Vec<&str> =
            words("DL-2(3.8%), Q&A/#12 'a-b'. 오송·부산 의약품").into_iter().map(|w| w.written).collect();
        assert_eq!(found, ["DL-2", "3.8%", "Q&A", "#12", "a-b", "오송", "부산", "의약품"]);
    }

    #[test]
    fn names_are_told_from_titles() {
        assert_eq!(korean_name("곽도경과장님"), Some("곽도경"));
        assert_eq!(korean_name("최이람은"), Some("최이람"));
        assert_eq!(korean_name("팀장님"), None);
        assert_eq!(korean_name("남궁민수"), Some("남궁민수"));
    }
}
