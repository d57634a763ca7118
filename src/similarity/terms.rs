//! The terms by which a text is found: stems of words, and pairs of Hangul syllables.

use crate::language::{Folded, Script, key, tokens};

/// What a text that names a person must have: its words; of longer Korean ones their pairs of syllables, whatever
/// particle follows.
pub(super) fn asked_name(name: &str) -> Vec<u64> {
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

/// The terms of a text, with repeats; stop words are left out. Pairs of syllables let compounds meet that are
/// spaced or put together differently.
pub(super) fn terms(text: &str) -> Vec<u64> {
    let folded = Folded::new(text);
    let mut out = Vec::new();
    let mut pair = String::new();
    for token in tokens(&folded).iter().filter(|t| !t.stop) {
        out.push(token.key);
        if token.script == Script::Korean {
            let stem: Vec<char> = token.stem(&folded).chars().collect();
            for two in stem.windows(2).filter(|_| stem.len() > 2) {
                pair.clear();
                pair.extend(two);
                out.push(key(&pair));
            }
        }
    }
    out
}
