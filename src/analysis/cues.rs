//! Turns of phrase that tell how a statement is meant: settled or proposed, cause or condition, again or anew.
//!
//! Phrases are looked for in one text at a time; what they mean for a pair is for the model to weigh.

use crate::language::{Phrases, phrases};

/// How many cues there are.
pub const CUES: usize = 20;

/// Their names, in order.
pub const NAMES: [&str; CUES] = [
    // Not settled: somebody would like, suggests, considers.
    "proposal",
    // Asked.
    "question",
    // Holds only if something else does.
    "condition",
    // Something is needed first.
    "need",
    // Denied.
    "negation",
    // As before, still, again the same.
    "echo",
    // Something is no longer as it was.
    "change",
    // For the reason that.
    "cause",
    // Speaks about another text.
    "reference",
    // A part of something.
    "portion",
    // The next, another, too.
    "sequence",
    // Instead, rather, the other choice.
    "alternative",
    // What was said was wrong.
    "correction",
    // Somebody says so.
    "report",
    // Done, signed, decided.
    "settled",
    // Please.
    "request",
    // Advertising.
    "advert",
    // Somebody else's wish.
    "wish",
    // Going up or down, wider or narrower.
    "degree",
    // Called off.
    "cancelled",
];

/// The phrases of each, in that order.
static PHRASES: Phrases<&str> = phrases!("analysis/cues");

/// How often each cue shows in a folded text, at most three times.
pub fn cues(folded: &str) -> [u8; CUES] {
    let mut padded = String::with_capacity(folded.len() + 2);
    padded.push(' ');
    padded.extend(folded.chars().map(|c| if matches!(c, ',' | '.' | ';' | ':' | '!' | '(' | ')') { ' ' } else { c }));
    padded.push(' ');
    let mut out = [0u8; CUES];
    let mut seen = vec![false; PHRASES.len()];
    PHRASES.any(&padded, padded.len(), &mut |hit| {
        if !std::mem::replace(&mut seen[hit.phrase], true) {
            out[hit.row] = (out[hit.row] + 1).min(3);
        }
        false
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cue_has_its_row() {
        for (n, name) in NAMES.iter().enumerate() {
            assert_eq!(PHRASES.meaning(n), Some(name));
        }
        assert_eq!(PHRASES.meaning(CUES), None);
    }
}
