//! Word stems by rules and lists: keys for comparison, not words to show.

use super::{
    hangul::{is_hangul, jamo, syllable},
    list::{Words, words},
};

/// Particles and endings to cut, sorted for binary search; the longest match is cut.
static ENDINGS: &Words = words!("korean/endings");

/// Words that only look as if they ended in a particle.
static KEEP: &Words = words!("korean/whole_words");

pub fn stem(word: &str) -> String {
    let (end, last) = stem_of(word);
    let mut stem = word[..end].to_owned();
    if let Some(last) = last {
        stem.pop();
        stem.push(last);
    }
    stem
}

/// The length of a stem in bytes, and its last character if it changes.
pub(super) fn stem_of(word: &str) -> (usize, Option<char>) {
    match word.chars().next() {
        Some(c) if is_hangul(c) => korean_stem(word, false),
        Some(c) if c.is_alphabetic() => english_stem(word),
        _ => (word.len(), None),
    }
}

/// The length of an English stem, and its last character if it changes.
pub(super) fn english_stem(word: &str) -> (usize, Option<char>) {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let plain = word.len();
    if !word.is_ascii() || plain < 4 {
        return (plain, None);
    }
    let bytes = word.as_bytes();
    let vowel = |n: usize| bytes.get(n).is_some_and(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
    let has_vowel = |end: usize| (0..end).any(vowel);
    let mut end = plain;
    if word.ends_with("ies") && plain > 4 {
        // companies, company: y replaces i.
        return (plain - 2, Some('y'));
    }
    if word.ends_with("sses") || ["ches", "shes", "xes", "zes"].iter().any(|e| word.ends_with(e)) {
        end -= 2;
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|e| word.ends_with(e)) {
        end -= 1;
    }
    let cut = |end: usize, tail: &str| {
        bytes
            .get(..end)
            .and_then(|b| b.strip_suffix(tail.as_bytes()))
            .map(<[u8]>::len)
            .filter(|&n| n > 2 && has_vowel(n))
    };
    if let Some(n) = cut(end, "ied") {
        return (n + 1, Some('y'));
    }
    if let Some(n) = cut(end, "ing").or_else(|| cut(end, "ed")) {
        end = n;
        // planned → plan, but pass keeps its double s.
        let twin = end > 3 && bytes.get(end - 1) == bytes.get(end - 2) && !vowel(end - 1);
        if twin && !matches!(bytes.get(end - 1), Some(b's' | b'z')) {
            end -= 1;
        }
    }
    if end > 3 && bytes.get(end - 1) == Some(&b'e') && has_vowel(end - 1) {
        end -= 1;
    }
    (end, None)
}

/// The singular of an English plural noun; `None` for other words.
pub fn singular(word: &str) -> Option<String> {
    static ONE: &Words = words!("english/grammar.singulars");
    if let Some((_, one)) = words!("english/grammar.plurals").iter().zip(ONE.iter()).find(|(many, _)| **many == word) {
        return Some((*one).to_owned());
    }
    if word.len() < 4 || !word.is_ascii() || ["ss", "us", "is", "'s"].iter().any(|e| word.ends_with(e)) {
        return None;
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|s| s.len() > 1) {
        return Some(format!("{stem}y"));
    }
    if let Some(stem) =
        ["ses", "xes", "ches", "shes", "zes"].iter().find(|e| word.ends_with(**e)).and_then(|_| word.strip_suffix("es"))
    {
        return Some(stem.to_owned());
    }
    word.strip_suffix('s').map(str::to_owned)
}

/// A verb syllable without the ending contracted into it: 겼 → 기, 됐 → 되; 깁 → 기 before 니다, 긴 → 기 before 다.
fn plain_syllable(c: char, ending: &str) -> Option<char> {
    static A: &Words = words!("korean/after.taken up a vowel");
    let (initial, vowel, last) = jamo(c)?;
    let undone = match last {
        20 => true,
        17 => words!("korean/after.taken up b").begin(ending),
        4 => words!("korean/after.taken up n").begin(ending),
        0 => matches!(vowel, 6 | 14) && (ending.is_empty() || A.contains(&ending)),
        _ => false,
    };
    if !undone {
        return None;
    }
    let vowel = match vowel {
        6 => 20,
        14 => 13,
        9 => 8,
        10 => 11,
        1 if initial == 18 => 0,
        other => other,
    };
    syllable(initial, vowel, 0)
}

/// The length of a Korean stem in bytes, and its last syllable if it changes.
pub(super) fn korean_stem(word: &str, after_digit: bool) -> (usize, Option<char>) {
    let len = word.len();
    let count = len / 3;
    if count < 2 || KEEP.binary_search(&word).is_ok() {
        return (len, None);
    }
    let tail = |n: usize| len.checked_sub(n * 3).and_then(|at| word.get(at..));
    // 결과는 is 결과 plus a particle, not 결 plus 과는.
    for n in 1..=4.min(count - 1) {
        let (Some(suffix), rest) = (tail(n), len - n * 3) else { continue };
        if rest >= 6
            && KEEP.binary_search(&word.get(..rest).unwrap_or("")).is_ok()
            && ENDINGS.binary_search(&suffix).is_ok()
        {
            return (rest, None);
        }
    }
    for n in (1..=6.min(count - 1)).rev() {
        let (Some(suffix), rest) = (tail(n), len - n * 3) else { continue };
        if ENDINGS.binary_search(&suffix).is_err() {
            continue;
        }
        let before = word.get(..rest).unwrap_or("");
        let plain = before.chars().next_back().and_then(|c| plain_syllable(c, suffix));
        let single = n == 1 && rest == 3;
        if single && !after_digit && plain.is_none() && !words!("korean/after.one syllable").contains(&suffix) {
            continue;
        }
        return (rest, plain);
    }
    // 옮겨, 바꿔, 했 have the ending within the last syllable.
    let Some(last) = word.chars().next_back() else { return (len, None) };
    match jamo(last) {
        Some((18, 1, 20)) if count > 2 => (len - 3, None),
        Some((initial, 6 | 14, 0)) if !matches!(initial, 2 | 6 | 11) => (len, plain_syllable(last, "")),
        Some((_, _, 20)) => (len, plain_syllable(last, "")),
        _ => (len, None),
    }
}
