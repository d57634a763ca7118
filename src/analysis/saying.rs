//! Checks whether a text states a value: "can" is not in "can't", "5" neither in "15" nor in "5M".

use crate::language::{Words, fold, is_hangul, is_lone_letter, is_tail, values, words};
use std::ops::Range;

/// Particles allowed after a number or a word of one syllable.
static PARTICLES: &Words = words!("analysis/words.particles");

/// Whether `text` contains `words` as whole words, or an equal value (a time, a sum).
pub fn says(text: &str, words: &str) -> bool {
    let (text, words) = (fold(text), fold(words));
    if place(&text, &words).is_some() {
        return true;
    }
    let read = values(&words, None);
    let [one] = read.as_slice() else { return false };
    let whole = one.span.start == 0 && one.span.end == words.len();
    whole && values(&text, None).iter().any(|v| v.value == one.value)
}

/// The byte range of the first whole-word occurrence of `words` in `text`.
pub fn place(text: &str, words: &str) -> Option<Range<usize>> {
    let ranges = text.match_indices(words).map(|(at, found)| at..at + found.len());
    ranges.into_iter().find(|range| is_whole(text, range))
}

/// Whether a range of a text starts and ends at word boundaries and contains a letter or digit.
pub fn is_whole(text: &str, at: &Range<usize>) -> bool {
    let stretch = text.get(at.clone()).unwrap_or_default();
    stretch.contains(char::is_alphanumeric) && begins(text, at.start) && ends(text, at)
}

/// Character classes; a change of class may end a word without a space.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    None,
    Digit,
    Hangul,
    Latin,
    /// Scripts written without spaces between words.
    Other,
}

fn letter(c: Option<char>) -> Letter {
    match c {
        Some(c) if is_hangul(c) || is_lone_letter(c) => Letter::Hangul,
        Some('\u{1100}'..='\u{11ff}' | '\u{3164}'..='\u{318e}') => Letter::Hangul,
        Some(c) if c.is_numeric() => Letter::Digit,
        Some(c) if c.is_alphabetic() && c < '\u{2e80}' => Letter::Latin,
        // A combining accent belongs to the letter before it.
        Some('\u{300}'..='\u{36f}') => Letter::Latin,
        Some(c) if c.is_alphabetic() => Letter::Other,
        _ => Letter::None,
    }
}

fn begins(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let next = letter(after.chars().next());
    let mut back = before.chars().rev();
    let prev = back.next();
    match (letter(prev), next) {
        (Letter::None, Letter::Digit) => !(prev.is_some_and(is_in_figure) && letter(back.next()) == Letter::Digit),
        (Letter::None, Letter::Latin) => !(prev.is_some_and(is_apostrophe) && letter(back.next()) == Letter::Latin),
        (Letter::None, _) | (_, Letter::None) | (Letter::Other, Letter::Other) => true,
        // After a code such as Q1 a word may start; after a plain number its unit follows.
        (Letter::Digit, Letter::Hangul) => {
            letter(before.chars().rev().find(|c| letter(Some(*c)) != Letter::Digit)) == Letter::Latin
        }
        (Letter::Digit, _) => false,
        (p, n) => p != n && (p, n) != (Letter::Latin, Letter::Digit),
    }
}

fn ends(text: &str, at: &Range<usize>) -> bool {
    let (before, after) = text.split_at(at.end);
    let mut ahead = after.chars();
    let next = ahead.next();
    match (letter(before.chars().next_back()), letter(next)) {
        (Letter::Digit, Letter::None) => {
            let marked = next.is_some_and(is_in_figure) && letter(ahead.next()) == Letter::Digit;
            !marked && !matches!(next, Some('%' | '％' | '‰'))
        }
        (Letter::Latin, Letter::None) if next.is_some_and(is_apostrophe) => {
            let rest: String = ahead.take_while(|c| c.is_alphabetic()).collect();
            rest.is_empty() || rest.eq_ignore_ascii_case("s")
        }
        (Letter::None, _) | (_, Letter::None) | (Letter::Other, Letter::Other) => true,
        (Letter::Digit, Letter::Hangul) => PARTICLES.contains(&hangul(after)),
        (Letter::Hangul, Letter::Hangul) => ends_korean(text, at, hangul(after)),
        (Letter::Digit, _) => false,
        (p, n) => p != n && (p, n) != (Letter::Latin, Letter::Digit),
    }
}

/// Whether the rest of a run of Hangul is only particles and endings.
fn ends_korean(text: &str, at: &Range<usize>, rest: &str) -> bool {
    let short = text[at.clone()].chars().count() < 2;
    let titled = words!("analysis/words.titles").iter().find_map(|t| rest.strip_prefix(t));
    if short {
        return PARTICLES.contains(&rest);
    }
    // 예산서 and 예산안 are documents about 예산, not forms of it.
    let tail = is_tail(rest) && !words!("analysis/words.no endings").begin(rest);
    tail || words!("analysis/words.whole endings").contains(&rest)
        || titled.is_some_and(|rest| is_tail(rest) || words!("analysis/words.behind a title").contains(&rest))
        || words!("analysis/words.endings").begin(rest)
}

fn hangul(text: &str) -> &str {
    let end = text.find(|c| letter(Some(c)) != Letter::Hangul).unwrap_or(text.len());
    &text[..end]
}

/// Separators within one number.
fn is_in_figure(c: char) -> bool {
    matches!(c, '.' | ',' | ':')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}
