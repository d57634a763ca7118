//! Words for the same in two languages that search knows beside those of the lexicon. The analyst's weights are fitted on
//! the lexicon as it is; a line here changes no decision.
//!
//! `synonyms.txt` holds one meaning a line, English words before Korean ones.

use super::words::{Kind, Word};
use crate::language::{particles, stem};
use std::collections::HashMap;
use std::sync::LazyLock;

const TEXT: &str = include_str!("synonyms.txt");

/// A word in more lines than these tells too little.
const MOST_LINES: usize = 6;

/// The lines of each word: English by its stem, Korean as it is listed.
static LINES: LazyLock<HashMap<String, Vec<u16>>> = LazyLock::new(|| {
    let mut lines: HashMap<String, Vec<u16>> = HashMap::new();
    for (n, line) in TEXT.lines().enumerate() {
        for word in line.split(' ') {
            let found = lines.entry(if word.is_ascii() { stem(word) } else { word.to_owned() }).or_default();
            if found.last() != Some(&(n as u16)) {
                found.push(n as u16);
            }
        }
    }
    lines.retain(|_, lines| lines.len() <= MOST_LINES);
    lines
});

fn of(word: &str) -> Option<&'static [u16]> {
    LINES.get(word).map(Vec::as_slice)
}

/// The lines that the `n`th word of a text stands in, in Korean with the word behind it where that is one; a compound those of
/// its end.
pub(super) fn synonyms(words: &[Word], n: usize) -> &'static [u16] {
    let Some(word) = words.get(n) else { return &[] };
    let found = match word.kind {
        Kind::Latin => of(&word.stem),
        Kind::Hangul => {
            let bare = |text: &str| particles(text).find_map(|(rest, _)| of(rest));
            let next = words.get(n + 1).filter(|next| next.kind == Kind::Hangul && !word.joined);
            // Compounds are written with blanks or without.
            let joined = || next.and_then(|next| of(&[&*word.text, &*next.text].concat()));
            let last = |text: &str| text.char_indices().rev().nth(1).and_then(|(at, _)| of(&text[at..]));
            let end = || last(&word.text).or_else(|| particles(&word.text).find_map(|(rest, _)| last(rest)));
            joined().or_else(|| of(&word.text)).or_else(|| of(&word.stem)).or_else(|| bare(&word.text)).or_else(end)
        }
        Kind::Number | Kind::Code => None,
    };
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{LINES, TEXT, synonyms};
    use crate::analysis::words::words;

    #[test]
    fn words_of_a_line_are_synonyms_in_any_form() {
        let same = |a: &str, b: &str| synonyms(&words(a), 0).iter().any(|n| synonyms(&words(b), 0).contains(n));
        for (a, b) in [
            ("kickoff", "착수회의를"),
            ("loggers", "로거"),
            ("pharmaceuticals", "새빛제약"),
            ("meeting", "점검회의는"),
            ("negotiations", "협상은"),
            ("analysed", "분석"),
            ("deposit", "보증금을"),
            ("wholesale", "도매 판매는"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        assert!(!same("kickoff", "협상"));
    }

    #[test]
    fn each_line_has_words_of_both_languages() {
        for line in TEXT.lines() {
            assert!(!line.is_ascii() && line.split(' ').any(str::is_ascii), "{line}");
        }
        assert!(LINES.len() > TEXT.lines().count());
    }
}
