//! How many mails of an import each word stands in.
//!
//! It compares no mails; [`super::prefetch`] does.

use std::collections::{HashMap, HashSet};

/// A word that so many mails have, and one in so many of all, says nothing of what they are about.
const FEW: usize = 2;
const COMMON: usize = 8;
/// Words that are counted.
const MOST_WORDS: usize = 100_000;

/// In how many mails of an import each word stood so far.
#[derive(Debug, Default)]
pub(super) struct WordCounts {
    mails: usize,
    words: HashMap<u64, usize>,
}

impl WordCounts {
    /// Counts the words of one more mail.
    pub(super) fn add(&mut self, words: &HashSet<u64>) {
        self.mails += 1;
        for word in words {
            if self.words.len() < MOST_WORDS || self.words.contains_key(word) {
                *self.words.entry(*word).or_default() += 1;
            }
        }
    }

    /// Whether so many mails have it that it says nothing of what one is about.
    pub(super) fn is_common(&self, word: u64) -> bool {
        self.words.get(&word).is_some_and(|mails| *mails > FEW + self.mails / COMMON)
    }
}
