//! Words without their Korean particles and titles, for entities, keywords and topics.
//!
//! It cuts by lists; a word that only looks inflected (온도, 회의, 휴가) stays whole.

use crate::language::{Lower, Run, Split, Words, is_hangul, runs, without_particle, words};

/// A word of a text, with its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word<'a> {
    pub start: usize,
    /// As written, punctuation around it left out.
    pub written: &'a str,
    /// Without particles.
    pub stem: &'a str,
}

impl Word<'_> {
    pub fn is_korean(&self) -> bool {
        self.stem.contains(is_hangul)
    }

    /// In lower case, for comparing.
    pub fn key(&self) -> String {
        self.stem.lower()
    }

    /// Whether a particle was cut off that marks a topic or a subject.
    pub fn tail(&self) -> &str {
        &self.written[self.stem.len()..]
    }
}

/// The words of a text. Marks inside a word (`DL-2`, `3.8`, `Q&A`) belong to it.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let word = |run: Run| {
        let written = run.span.of(text);
        Word { start: run.span.start, written, stem: without_particle(written) }
    };
    runs(text, &Split::MARKED).map(word).collect()
}

/// Titles after a Korean name or in place of one.
pub(super) static TITLES: Words = words!("korean/names.titles");

/// A Korean name without its title; `None` where the word is no name.
pub(super) fn korean_name(word: &str) -> Option<&str> {
    let bare = without_particle(word);
    let bare = bare.strip_suffix("님").unwrap_or(bare);
    let untitled = TITLES.iter().find_map(|t| bare.strip_suffix(t)).unwrap_or(bare);
    is_full_name(untitled).then_some(untitled)
}

/// Three syllables that begin with a family name, or four with one of two syllables.
pub(super) fn is_full_name(word: &str) -> bool {
    const FAMILY: &str = "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진나지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용예경봉사부가복태목형피두감호";
    #[rustfmt::skip]
    const DOUBLE: [&str; 6] = [
        "남궁", "황보", "제갈", "선우", "독고", "사공",
    ];
    let count = word.chars().count();
    word.chars().all(is_hangul)
        && (count == 3 && word.starts_with(|c| FAMILY.contains(c))
            || (3..=4).contains(&count) && DOUBLE.iter().any(|d| word.starts_with(d)))
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
