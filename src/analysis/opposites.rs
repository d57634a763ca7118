//! Finds words and phrases with opposite meanings, and whether a text negates. It reads one text at
//! a time.

use super::phrases::{Sign, says};
use std::collections::HashMap;
use std::sync::LazyLock;

/// One pair of opposites a line: `words,of,one side ! words,of,the other`. With `!!`, an action
/// against a trait.
const TEXT: &str = include_str!("opposites.txt");

/// For each word, its pairs and its side in each; `true` is the second side. The pair of a trait and an action is odd.
static SIDES: LazyLock<HashMap<&'static str, Vec<(u16, bool)>>> = LazyLock::new(|| {
    let mut sides: HashMap<&'static str, Vec<(u16, bool)>> = HashMap::new();
    for (n, line) in (0..).zip(TEXT.lines()) {
        let pair = line.split_once(" ! ").map(|pair| (2 * n, pair));
        let trait_pair = || line.split_once(" !! ").map(|pair| (2 * n + 1, pair));
        let Some((pair, (one, other))) = pair.or_else(trait_pair) else { continue };
        for (words, second) in [(one, false), (other, true)] {
            for word in words.split(',').filter(|w| !w.is_empty()) {
                sides.entry(word).or_default().push((pair, second));
            }
        }
    }
    sides
});

/// The longest phrase of the table, in words.
const MOST_WORDS: usize = 4;

/// The opposites found in a text, and whether the text negates.
#[derive(Debug, Clone, Default)]
pub struct Polarity {
    /// Pair, side and phrase of each match.
    sides: Vec<(u16, bool, String)>,
    pub denies: bool,
}

impl Polarity {
    /// Parses a text prepared by [`marked`](super::phrases::marked).
    pub fn of(marked: &str) -> Self {
        let words: Vec<&str> = marked.split_whitespace().collect();
        let mut sides = Vec::new();
        for at in 0..words.len() {
            for length in 1..=MOST_WORDS.min(words.len() - at) {
                let phrase = words[at..at + length].join(" ");
                sides.extend(lookup(&phrase).iter().map(|(pair, second)| (*pair, *second, phrase.clone())));
            }
        }
        Self { sides, denies: says(marked, Sign::Denial) && !says(marked, Sign::NoDenial) }
    }

    /// The phrases by which two texts contradict each other; each text must be on one side only.
    pub fn opposed<'a>(&'a self, other: &'a Self) -> Option<(&'a str, &'a str)> {
        self.opposed_by(other, |_| true)
    }

    pub fn contradicts_trait(&self, other: &Self) -> bool {
        self.opposed_by(other, |pair| pair % 2 == 1).is_some()
    }

    fn opposed_by<'a>(&'a self, other: &'a Self, counts: impl Fn(u16) -> bool) -> Option<(&'a str, &'a str)> {
        let only = |of: &Self, pair: u16, second: bool| of.sides.iter().all(|(p, s, _)| *p != pair || *s == second);
        self.sides.iter().filter(|(pair, ..)| counts(*pair)).find_map(|(pair, second, word)| {
            let theirs = other.sides.iter().find(|(p, s, _)| p == pair && s != second)?;
            (only(self, *pair, *second) && only(other, *pair, !*second)).then_some((word.as_str(), theirs.2.as_str()))
        })
    }

    /// Whether a word is part of a matched phrase.
    pub fn has(&self, word: &str) -> bool {
        self.sides.iter().any(|(_, _, phrase)| phrase.split(' ').any(|w| w.starts_with(word) || word.starts_with(w)))
    }
}

/// The pairs of a phrase; Korean words match by their longest listed prefix, since an ending
/// follows.
fn lookup(phrase: &str) -> &'static [(u16, bool)] {
    let ends = phrase.char_indices().map(|(at, _)| at).skip(2).filter(|_| !phrase.is_ascii());
    let parts = ends.collect::<Vec<_>>().into_iter().rev().map(|end| &phrase[..end]);
    // "likes", "hated": the word without its English ending.
    let bare = ["s", "d", "ed"].into_iter().filter_map(|end| phrase.strip_suffix(end)).filter(|w| w.len() > 3);
    std::iter::once(phrase).chain(bare).chain(parts).find_map(|part| SIDES.get(part)).map_or(&[], Vec::as_slice)
}
