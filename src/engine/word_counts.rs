//! Counts in how many mails of an import each word occurs; used by [`super::prefetch`].

use std::collections::{HashMap, HashSet};

/// A word is common if it occurs in more than `FEW` mails plus one in `COMMON`.
const FEW: usize = 2;
const COMMON: usize = 8;
const MOST_WORDS: usize = 100_000;

/// Mails so far, and in how many of them each word occurs.
#[derive(Debug, Default)]
pub(super) struct WordCounts {
    mails: usize,
    words: HashMap<u64, usize>,
}

impl WordCounts {
    pub(super) fn add(&mut self, words: &HashSet<u64>) {
        self.mails += 1;
        for word in words {
            if self.words.len() < MOST_WORDS || self.words.contains_key(word) {
                *self.words.entry(*word).or_default() += 1;
            }
        }
    }

    /// Whether a word is too common to tell what a mail is about.
    pub(super) fn is_common(&self, word: u64) -> bool {
        self.words.get(&word).is_some_and(|mails| *mails > FEW + self.mails / COMMON)
    }
}
