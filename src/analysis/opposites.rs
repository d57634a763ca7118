//! Words and phrases that say the opposite of each other, and whether a text denies what it says.
//!
//! It compares no texts: it says which side of which opposites a text is on.

use super::cues::Phrases;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A line a pair of opposites: `words,of,one side ! words,of,the other`; with `!!` a deed against what somebody is.
const TEXT: &str = include_str!("opposites.txt");

/// Words that deny, as they stand between the marks of words.
const DENIALS: &str = "_not_ _n't_ _never_ _cannot_ _no_longer_ _isn't_ _aren't_ _wasn't_ _weren't_ _don't_ _doesn't_ _didn't_ _won't_ _can't_ _couldn't_ _hasn't_ _haven't_ _hadn't_ _shouldn't_ _wouldn't_ _isnt_ _dont_ _neither_ _has_no_ _have_no_ _had_no_ _is_no_ _are_no_ _with_no_ _no_ _nobody_ _none_ _nothing_ 지_않 지_못 지는_않 지는_못 지도_않 _안_ _못_ 없 아니 아닌 아닙 않습 않는 않은 않아 않을 않았 못합 못해 못하 못했";
/// What looks like a denial and is none.
const NO_DENIALS: &str = "_not_only _why_not_ _if_not_ _whether_or_not_ _not_sure _not_yet_sure _no_doubt _no_problem 지_않을까 지_않나요 지_않습니까 아닐까 아닌가 아니면 문제_없 다름_없 상관_없 뿐만_아니라";

static DENIED: LazyLock<Phrases> = LazyLock::new(|| Phrases::listed(DENIALS));
static NOT_DENIED: LazyLock<Phrases> = LazyLock::new(|| Phrases::listed(NO_DENIALS));

/// The side of each pair by word: the first or the other.
static SIDES: LazyLock<HashMap<&'static str, Vec<(u16, bool)>>> = LazyLock::new(|| {
    let mut sides: HashMap<&'static str, Vec<(u16, bool)>> = HashMap::new();
    for (n, line) in TEXT.lines().enumerate() {
        let Some((one, other)) = line.split_once(" ! ").or_else(|| line.split_once(DEED)) else { continue };
        for (words, second) in [(one, false), (other, true)] {
            for word in words.split(',').filter(|w| !w.is_empty()) {
                sides.entry(word).or_default().push((n as u16, second));
            }
        }
    }
    sides
});

/// Between what somebody is and a deed that denies it.
const DEED: &str = " !! ";

/// The lines of such deeds.
static DEEDS: LazyLock<Vec<bool>> = LazyLock::new(|| TEXT.lines().map(|line| line.contains(DEED)).collect());

/// The longest phrase of the table, in words.
const MOST_WORDS: usize = 4;

/// Which side of which opposites a text is on, and whether it denies.
#[derive(Debug, Clone, Default)]
pub struct Polarity {
    /// Pairs with the side and the words.
    sides: Vec<(u16, bool, String)>,
    /// Whether it denies what it says.
    pub denies: bool,
}

impl Polarity {
    /// Reads a text that is [marked](super::cues::marked).
    pub fn of(marked: &str) -> Self {
        let words: Vec<&str> = marked.split('_').filter(|w| !w.is_empty()).collect();
        let mut sides = Vec::new();
        for at in 0..words.len() {
            for length in 1..=MOST_WORDS.min(words.len() - at) {
                let phrase = words[at..at + length].join(" ");
                sides.extend(lookup(&phrase).iter().map(|(pair, second)| (*pair, *second, phrase.clone())));
            }
        }
        Self { sides, denies: DENIED.is_in(marked) && !NOT_DENIED.is_in(marked) }
    }

    /// The words by which two texts say the opposite: each on one side alone.
    pub fn opposed<'a>(&'a self, other: &'a Self) -> Option<(&'a str, &'a str)> {
        self.opposed_by(other, |_| true)
    }

    /// Whether a deed in one text denies what the other says that somebody is.
    pub fn is_denied_by_a_deed(&self, other: &Self) -> bool {
        self.opposed_by(other, |pair| DEEDS.get(usize::from(pair)).is_some_and(|deed| *deed)).is_some()
    }

    fn opposed_by<'a>(&'a self, other: &'a Self, counts: impl Fn(u16) -> bool) -> Option<(&'a str, &'a str)> {
        let only = |of: &Self, pair: u16, second: bool| of.sides.iter().all(|(p, s, _)| *p != pair || *s == second);
        self.sides.iter().filter(|(pair, ..)| counts(*pair)).find_map(|(pair, second, word)| {
            let theirs = other.sides.iter().find(|(p, s, _)| p == pair && s != second)?;
            (only(self, *pair, *second) && only(other, *pair, !*second)).then_some((word.as_str(), theirs.2.as_str()))
        })
    }

    /// Whether a word of a text stands on a side of some pair.
    pub fn has(&self, word: &str) -> bool {
        self.sides.iter().any(|(_, _, phrase)| phrase.split(' ').any(|w| w.starts_with(word) || word.starts_with(w)))
    }
}

/// The pairs of a phrase: a Korean word by its longest beginning, since an ending follows it.
fn lookup(phrase: &str) -> &'static [(u16, bool)] {
    let ends = phrase.char_indices().map(|(at, _)| at).skip(2).filter(|_| !phrase.is_ascii());
    let parts = ends.collect::<Vec<_>>().into_iter().rev().map(|end| &phrase[..end]);
    std::iter::once(phrase).chain(parts).find_map(|part| SIDES.get(part)).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::cues::marked;

    fn polarity(text: &str) -> Polarity {
        Polarity::of(&marked(text))
    }

    #[test]
    fn opposites_are_found_whatever_ending_they_have() {
        let opposed = |a: &str, b: &str| polarity(a).opposed(&polarity(b)).is_some();
        for (a, b) in [
            ("주차는 가능합니다", "주차는 불가능합니다"),
            ("Sora is dating Minho", "Sora and Minho broke up"),
            ("엄마가 입원하셨어요", "엄마가 퇴원하셨어요"),
            ("The offer was approved", "The offer was rejected"),
            ("회의실 예약이 승인되었습니다", "회의실 예약이 반려되었습니다"),
        ] {
            assert!(opposed(a, b) && opposed(b, a), "{a} / {b}");
        }
        for (a, b) in [
            ("The shop is open", "The shop opens at nine"),
            ("주차는 가능합니다", "주차가 가능해요"),
            ("The gate is open or closed", "The gate is closed"),
        ] {
            assert!(!opposed(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn a_denial_is_told_from_what_looks_like_one() {
        for (text, denies) in [
            ("Mina is not allergic to shrimp", true),
            ("민아는 새우 알레르기가 없다", true),
            ("참석하지 않습니다", true),
            ("Why not meet at noon?", false),
            ("참석하지 않을까요?", false),
            ("안내문을 확인했습니다", false),
            ("The note is here", false),
        ] {
            assert_eq!(polarity(text).denies, denies, "{text}");
        }
    }
}
