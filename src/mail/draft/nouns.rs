//! Words without their Korean particles and titles, for entities, keywords and topics.
//!
//! It cuts by lists; a word that only looks inflected (온도, 회의, 휴가) stays whole.

use crate::language::{Lower, Words, has_final, is_hangul, words};

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
                out.push(Word { start: from, written, stem: stem(written) });
                start = None;
            }
            _ => {}
        }
        previous = c;
    }
    out
}

/// Particles and the endings of "to be", longest first.
static TAILS: Words = words!("korean/particles.after a noun");

/// Nouns that end in what looks like a particle; the last syllables are given.
static WHOLE: Words = words!("korean/particles.whole nouns");

/// The word without particles. Words of other scripts lose the Korean particle glued to them.
pub(super) fn stem(word: &str) -> &str {
    let Some(last) = word.chars().next_back() else { return word };
    if !is_hangul(last) {
        return word;
    }
    // "Skarvik의", "DL-2를": what is Hangul at the end of another script is a particle, or a counter that belongs to it.
    let hangul_at = word.char_indices().rev().take_while(|(_, c)| is_hangul(*c)).last().map_or(word.len(), |(i, _)| i);
    let (foreign, hangul) = word.split_at(hangul_at);
    if !foreign.is_empty() {
        let letter = foreign.chars().next_back().is_some_and(|c| c.is_alphabetic());
        if TAILS.contains(&hangul) && (letter || !matches!(hangul, "요" | "야" | "만" | "의")) {
            return foreign;
        }
    }
    for tail in TAILS.iter() {
        let Some(head) = word.strip_suffix(tail) else { continue };
        let left = head.chars().count();
        let syllables = tail.chars().count();
        if left < 2 || syllables == 1 && WHOLE.iter().any(|w| word.ends_with(w)) {
            continue;
        }
        // 은 and 을 follow a final consonant, 는 and 를 a vowel; the others tell in the same way.
        let consonant = head.chars().next_back().is_some_and(has_final);
        let fits = match *tail {
            "은" | "이" | "을" | "과" | "으로" => consonant || !head.ends_with(is_hangul),
            "는" | "가" | "를" | "와" => !consonant,
            _ => true,
        };
        if fits {
            return head;
        }
    }
    word
}

/// Titles after a Korean name or in place of one.
pub(super) static TITLES: Words = words!("korean/names.titles");

/// A Korean name without its title; `None` where the word is no name.
pub(super) fn korean_name(word: &str) -> Option<&str> {
    let bare = stem(word);
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
    fn particles_are_cut_and_nouns_stay() {
        for (word, bare) in [
            ("예산은", "예산"),
            ("예산이", "예산"),
            ("회의를", "회의"),
            ("회의", "회의"),
            ("착수회의는", "착수회의"),
            ("온도가", "온도"),
            ("온도", "온도"),
            ("휴가", "휴가"),
            ("물류센터에서는", "물류센터"),
            ("한결약품의", "한결약품"),
            ("서울로", "서울"),
            ("금요일까지", "금요일"),
            ("DL-2를", "DL-2"),
            ("Skarvik의", "Skarvik"),
            ("FrostEye", "FrostEye"),
            ("결과와", "결과"),
            ("결과", "결과"),
            ("가을", "가을"),
            ("이천", "이천"),
            ("강의", "강의"),
        ] {
            assert_eq!(stem(word), bare, "{word}");
        }
    }

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
