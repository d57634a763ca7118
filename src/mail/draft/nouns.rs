//! Words without their Korean particles and titles, for entities, keywords and topics.
//!
//! It cuts by lists; a word that only looks inflected (온도, 회의, 휴가) stays whole.

use crate::language::{Lower, Words, is_hangul, without_particle, words};

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
    let inside = |c: char| matches!(c, '-' | '.' | '&' | '_' | '\'' | '’' | '/' | '#' | '@' | '+' | '%');
    let mut out = Vec::new();
    let mut start = None;
    let mut previous = ' ';
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let next = text[at..].chars().nth(1).unwrap_or(' ');
        let belongs = c.is_alphanumeric()
            || start.is_some() && c == ',' && next.is_ascii_digit() && previous.is_ascii_digit()
            || start.is_some()
                && inside(c)
                && next.is_alphanumeric()
                && previous.is_alphanumeric()
                && !(c == '/' && is_hangul(next))
            || start.is_none() && c == '#' && next.is_ascii_digit()
            || start.is_some() && matches!(c, '%' | '+') && previous.is_ascii_alphanumeric();
        match (belongs, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let written = &text[from..at];
                out.push(Word { start: from, written, stem: without_particle(written) });
                start = None;
            }
            _ => {}
        }
        previous = c;
    }
    out
}

/// Titles after a Korean name or in place of one.
pub(super) static TITLES: Words = words!("korean/names.titles");

/// What is put behind a name or a title: 님, 씨.
pub(super) static HONORIFICS: Words = words!("korean/names.honorifics");

/// A word without what honours whom it names.
pub(super) fn without_honorific(word: &str) -> &str {
    HONORIFICS.first().and_then(|h| word.strip_suffix(h)).unwrap_or(word)
}

/// A Korean name without its title; `None` where the word is no name.
pub(super) fn korean_name(word: &str) -> Option<&str> {
    let bare = without_honorific(without_particle(word));
    let untitled = TITLES.iter().find_map(|t| bare.strip_suffix(t)).unwrap_or(bare);
    is_full_name(untitled).then_some(untitled)
}

/// Three syllables that begin with a family name, or four with one of two syllables.
pub(super) fn is_full_name(word: &str) -> bool {
    static FAMILY: [Words; 3] =
        [words!("korean/names.common family"), words!("korean/names.usual family"), words!("korean/names.rare family")];
    static DOUBLE: Words = words!("korean/names.family of two syllables");
    let count = word.chars().count();
    word.chars().all(is_hangul)
        && (count == 3 && FAMILY.iter().any(|f| f.begin(word)) || (3..=4).contains(&count) && DOUBLE.begin(word))
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
