//! Search terms of a text: word stems and pairs of Hangul syllables.

use crate::language::{Folded, SEED, Script, fnv, fold, key, tokens, words};
use crate::model::Claim;
use std::collections::HashSet;

/// The terms that a text with this person's name must contain: its words, or the syllable pairs of a longer Korean
/// word, which match with any particle.
pub(super) fn person_terms(name: &str) -> Vec<u64> {
    let folded = Folded::new(name);
    let mut out = Vec::new();
    for token in tokens(&folded) {
        let stem: Vec<char> = token.stem(&folded).chars().collect();
        if token.script == Script::Korean && stem.len() > 2 {
            out.extend(stem.windows(2).map(|two| key(&two.iter().collect::<String>())));
        } else if !token.stop {
            out.push(token.key);
        }
    }
    out
}

#[derive(Debug, Clone, Copy)]
pub struct Term {
    pub key: u64,
    /// The byte position of the term's word.
    pub start: usize,
    /// Whether it is a syllable pair rather than a stem.
    pub pair: bool,
}

/// Whether the script puts no blanks between words: kana, Chinese characters, Thai.
const fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// Whether a text is mostly Korean, even with Latin names in it.
pub fn is_korean(text: &str) -> bool {
    let (mut hangul, mut latin) = (0usize, 0usize);
    for c in text.chars() {
        hangul += usize::from(matches!(c, '\u{ac00}'..='\u{d7a3}'));
        latin += usize::from(c.is_ascii_alphabetic());
    }
    // A syllable counts as two to three letters.
    2 * hangul > latin
}

/// The terms of a text without stop words, with repeats. Syllable pairs match compounds that are spaced differently,
/// and words of scripts without blanks.
pub fn terms(text: &str) -> Vec<Term> {
    let folded = Folded::new(text);
    let mut out = Vec::new();
    let mut pair = String::new();
    for token in tokens(&folded).iter().filter(|t| !t.stop) {
        let start = token.span.start;
        out.push(Term { key: token.key, start, pair: false });
        let stem = token.stem(&folded);
        if token.script == Script::Korean || stem.starts_with(is_unspaced) {
            let stem: Vec<char> = stem.chars().collect();
            for two in stem.windows(2).filter(|_| stem.len() > 2) {
                pair.clear();
                pair.extend(two);
                out.push(Term { key: key(&pair), start, pair: true });
            }
        }
    }
    out
}

/// The terms that tell what a text is about.
#[derive(Debug)]
pub struct TopicTerms(HashSet<u64>);

impl TopicTerms {
    pub fn of(text: &str) -> Self {
        // Skip the speaker's name, which is in every note of an assistant ("User …").
        let idle: Vec<u64> = words!("speakers").iter().flat_map(|w| terms(w)).map(|t| t.key).collect();
        Self(terms(text).into_iter().map(|t| t.key).filter(|key| !idle.contains(key)).collect())
    }

    pub fn meet(&self, text: &str) -> bool {
        terms(text).iter().any(|t| self.0.contains(&t.key))
    }
}

/// The name keys of a claim: thread, subject and entities.
pub(super) fn name_keys(s: &Claim<'_>) -> Vec<u64> {
    let thread = s.thread_id.map(|t| name(b'T', t));
    let subject = s.subject.map(fold).filter(|s| !s.is_empty()).map(|s| name(b'S', &s));
    let entities = s.entities.iter().map(|e| name(b'E', &fold(e)));
    thread.into_iter().chain(subject).chain(entities).collect()
}

/// The key of a term in a person's name.
pub fn of_person(term: u64) -> u64 {
    term.rotate_left(29) ^ 0x9e37_79b9_7f4a_7c15
}

/// The key of a name: a hash of its kind and bytes, mixed so that it does not collide with word keys.
pub(super) fn name(kind: u8, text: &str) -> u64 {
    let hash = fnv(SEED, [kind].into_iter().chain(text.bytes()));
    (hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
