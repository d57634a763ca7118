//! Finds details that a wrong SKIP would lose: other codes, names, negating prefixes and scripts.

use super::align::Alignment;
use super::reading::Reading;
use super::words::{Kind, Mark, Word};
use crate::language::words;

/// From this length, a word with letters and digits is a code even if only its first letter differs.
const CODE: usize = 6;

/// What SKIP would lose, as stored → new.
pub(super) fn find_loss(a: &Reading, b: &Reading, al: &Alignment) -> Option<String> {
    let shown = |was: &str, is: &str| [was, " → ", is].concat();
    code_in_other_case(a, b).or_else(|| unsupported_words(a, b)).map(|(was, is)| shown(was, is)).or_else(|| {
        similar_words(a, b, al).or_else(|| possessive_change(a, b, al)).map(|(was, is)| shown(&was.text, &is.text))
    })
}

/// Codes or addresses that differ only in case: K7x and k7X, `/x` and `/X`.
pub(super) fn code_in_other_case<'a>(a: &'a Reading, b: &'a Reading) -> Option<(&'a str, &'a str)> {
    let codes = |text: &'a str| text.split_whitespace().filter(|w| is_code(w)).collect::<Vec<&str>>();
    let known = codes(&a.content);
    codes(&b.content).into_iter().find_map(|new| {
        if known.contains(&new) {
            return None;
        }
        known.iter().find(|old| old.eq_ignore_ascii_case(new) && differs(old, new)).map(|old| (*old, new))
    })
}

/// Letters together with a digit, slash or underscore.
fn is_code(word: &str) -> bool {
    let has = |is: fn(char) -> bool| word.chars().any(is);
    has(|c| c.is_ascii_alphabetic()) && has(|c| c.is_ascii_digit() || matches!(c, '/' | '_'))
}

/// Whether two spellings differ by more than the initial of a short word: Q1 and q1 are equal.
fn differs(one: &str, other: &str) -> bool {
    let whole = |w: &str| w.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let rest_differs = || one.chars().skip(1).ne(other.chars().skip(1));
    !whole(one) && !whole(other) && (one.len() >= CODE || rest_differs())
}

fn unsupported_words<'a>(a: &'a Reading, b: &'a Reading) -> Option<(&'a str, &'a str)> {
    let runs = |text: &'a str| {
        let runs = text.split(|c: char| !c.is_alphabetic() || is_supported(c));
        runs.filter(|run| !run.is_empty()).collect::<Vec<&str>>()
    };
    let known = runs(&a.content);
    let new = runs(&b.content).into_iter().find(|run| !known.contains(run))?;
    Some((known.first().copied().unwrap_or_default(), new))
}

/// Latin including accented letters, and Hangul.
fn is_supported(c: char) -> bool {
    c.is_ascii()
        || matches!(c, '\u{c0}'..='\u{24f}' | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}')
}

/// Two names or opposites that match by spelling alone: Anna and Hanna, drinkable and undrinkable.
fn similar_words<'a>(a: &'a Reading, b: &'a Reading, al: &Alignment) -> Option<(&'a Word, &'a Word)> {
    let named = |r: &Reading, w: &Word| r.content[w.start..].starts_with(char::is_uppercase);
    b.words.iter().enumerate().find_map(|(n, new)| {
        let old = &a.words[al.matches[al.of_b.get(n).copied().flatten()?].a];
        let latin = old.kind == Kind::Latin && new.kind == Kind::Latin && !old.function && !new.function;
        let is_one = old.hash == new.hash || old.shares_sense(new);
        if !latin || is_one || old.number.is_some() || new.number.is_some() {
            return None;
        }
        let names = named(a, old) && named(b, new) && !old.is(Mark::Verb) && !new.is(Mark::Verb);
        (names || is_negated_form(&old.text, &new.text) || is_negated_form(&new.text, &old.text)).then_some((old, new))
    })
}

pub(super) fn is_negated_form(word: &str, other: &str) -> bool {
    words!("analysis/words.denying prefixes").iter().any(|p| other.strip_prefix(*p) == Some(word))
}

/// A person in one text and what is theirs in the other: "Ann's mother is a doctor", "Ann is a doctor".
fn possessive_change<'a>(a: &'a Reading, b: &'a Reading, al: &Alignment) -> Option<(&'a Word, &'a Word)> {
    let owns = |r: &Reading, w: &Word| {
        let written = r.content[w.start..].split_whitespace().next().unwrap_or_default();
        ["'s", "’s"].iter().any(|s| written.ends_with(s))
    };
    let unmet =
        |words: &[Word], scores: &[f32]| words.iter().zip(scores).filter(|(w, s)| !w.function && **s == 0.0).count();
    if unmet(&a.words, &al.scores_a) + unmet(&b.words, &al.scores_b) != 1 {
        return None;
    }
    b.words.iter().enumerate().find_map(|(n, new)| {
        let at = al.matches[al.of_b.get(n).copied().flatten()?].a;
        let old = &a.words[at];
        let of_old = owns(a, old) && a.words.get(at + 1).is_some_and(|w| !w.function && !al.met_a(at + 1));
        let of_new = owns(b, new) && b.words.get(n + 1).is_some_and(|w| !w.function && !al.met_b(n + 1));
        (old.hash == new.hash && (of_old && !owns(b, new) || of_new && !owns(a, old))).then_some((old, new))
    })
}
