//! Finds street addresses in a text.

use crate::language::{fold, is_hangul, words};

/// Maximum words between the house number and the street word.
const MOST_WORDS: usize = 4;
/// Maximum bytes of a house number.
const MOST_DIGITS: usize = 9;

/// The street addresses in a text, folded.
pub(super) fn places(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words: Vec<&str> = folded
        .split(|c: char| c.is_whitespace() || ",;()".contains(c))
        .map(|w| w.trim_matches(['.', '"', '\'']))
        .filter(|w| !w.is_empty())
        .collect();
    (0..words.len()).filter_map(|n| english(&words[n..]).or_else(|| korean(&words[n..]))).collect()
}

/// `14 mill lane`, `unit 7`, `po box 12`.
fn english(words: &[&str]) -> Option<String> {
    let is_number = |w: &str| {
        w.starts_with(|c: char| c.is_ascii_digit())
            && w.len() <= 6
            && w.chars().all(|c| c.is_ascii_alphanumeric() || "-/".contains(c))
    };
    let [first, rest @ ..] = words else { return None };
    if words!("accounts.boxes").contains(first) {
        let number = rest.iter().take(2).find(|w| is_number(w))?;
        return Some([first, " ", number].concat());
    }
    if !is_number(first) {
        return None;
    }
    let is_name = |w: &&str| {
        !words!("accounts.no streets").contains(w) && w.chars().all(|c| c.is_alphabetic() || "'’-.".contains(c))
    };
    let street =
        rest.iter().take(MOST_WORDS).take_while(|w| is_name(w)).position(|w| words!("accounts.streets").contains(w))?;
    (street > 0).then(|| words[..street + 2].join(" "))
}

/// `월드컵로 1`, `월드컵북로12길 34-5`, `역삼동 823-4`.
fn korean(words: &[&str]) -> Option<String> {
    let [street, rest @ ..] = words else { return None };
    let name = street.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let kind = words!("accounts.streets in Korean").iter().find(|s| name.ends_with(**s))?;
    let is_name = name.chars().count() > kind.chars().count() && street.starts_with(is_hangul);
    if !is_name || name.ends_with("으로") || words!("accounts.no streets in Korean").contains(&name) {
        return None;
    }
    let behind = if name.len() < street.len() { &street[name.len()..] } else { rest.first()? };
    let length = behind.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(behind.len());
    let (number, more) = behind.split_at(length);
    // A lot has two numbers, while a house on a street may have one.
    let is_lot = number.contains('-') || more.starts_with("번지") || kind.ends_with(['로', '길']);
    let is_house = number.starts_with(|c: char| c.is_ascii_digit()) && is_lot && number.len() < MOST_DIGITS;
    (is_house && !words!("accounts.counted").begin(more)).then(|| [name, " ", number].concat())
}
