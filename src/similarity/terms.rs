//! The terms by which a text is found: stems of words, and pairs of Hangul syllables.

use crate::language::{Folded, Script, key, tokens};

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
