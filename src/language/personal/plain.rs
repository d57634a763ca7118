//! A text normalised character by character, with the byte range of each.

use crate::language::text::folded::plain;
use crate::language::words;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonalKind {
    Email,
    Phone,
    Card,
    /// A resident, foreigner, social security or driving licence number.
    Id,
    Account,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Personal {
    pub kind: PersonalKind,
    pub range: Range<usize>,
    /// Normalised form, equal for different spellings.
    pub key: String,
}

pub(super) struct PersonalHit {
    pub(super) kind: PersonalKind,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) key: String,
}

pub(super) struct PlainText {
    pub(super) chars: Vec<char>,
    pub(super) places: Vec<(usize, usize)>,
    /// For each character, whether a web address started earlier in the same word.
    pub(super) linked: Vec<bool>,
}

/// The zeros of other scripts; each is followed by its digits 1–9.
const ZEROS: &str = "٠۰߀०০੦૦௦౦೦๐໐０𝟎𝟘𝟢𝟬𝟶";

fn digit(c: char) -> Option<char> {
    if c.is_ascii_digit() {
        return Some(c);
    }
    let ten = |zero: char| (c as u32).checked_sub(zero as u32).filter(|n| *n < 10);
    ZEROS.chars().find_map(ten).and_then(|n| char::from_digit(n, 10))
}

impl PlainText {
    pub(super) fn new(text: &str) -> Self {
        let (mut chars, mut places) = (Vec::new(), Vec::new());
        for (at, c) in text.char_indices() {
            let c = match digit(c).or_else(|| plain(c)) {
                Some('\0') => continue,
                Some(p) => p,
                None => c.to_ascii_lowercase(),
            };
            chars.push(c);
            places.push((at, at + text[at..].chars().next().map_or(0, char::len_utf8)));
        }
        let mut plain = Self { chars, places, linked: Vec::new() };
        let mut linked = false;
        for n in 0..plain.chars.len() {
            plain.linked.push(linked);
            linked = (linked || plain.starts(n, "://")) && !plain.at(n).is_whitespace();
        }
        plain
    }

    pub(super) fn at(&self, n: usize) -> char {
        self.chars.get(n).copied().unwrap_or('\n')
    }

    /// The character before `n`; a line break at the start.
    pub(super) fn before(&self, n: usize) -> char {
        n.checked_sub(1).map_or('\n', |n| self.at(n))
    }

    pub(super) fn bytes(&self, start: usize, end: usize) -> Range<usize> {
        let place = |n: usize| self.places.get(n).copied().unwrap_or_default();
        place(start).0..place(end.saturating_sub(1)).1
    }

    pub(super) fn starts(&self, n: usize, word: &str) -> bool {
        word.chars().enumerate().all(|(i, c)| self.at(n + i) == c)
    }

    /// The position after an @ or a spelling of it such as "(at)".
    pub(super) fn past_at(&self, n: usize) -> Option<usize> {
        let word = words!("personal.at").iter().find(|w| self.starts(n, w))?;
        Some(n + word.chars().count())
    }
}
