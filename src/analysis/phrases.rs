//! Phrases that the analyst's rules search for in one text.

use crate::language::{Phrases, fold, phrases};

/// The meaning of a phrase; a row of `phrases.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Moved,
    KoreanMoved,
    /// Unsettled or negated.
    Open,
    /// Next to a value that is replaced.
    GivenUpBefore,
    GivenUpAfter,
    /// Next to a value that is a deadline.
    DueBefore,
    DueAfter,
    /// Something ended permanently, or perhaps only once.
    GoneForGood,
    CalledOff,
    /// Phrases that resemble the two above but remove nothing.
    NothingGone,
    Widened,
    Permission,
    Beginning,
    Denial,
    NoDenial,
}

static SIGNS: Phrases<Sign> = phrases!("analysis/phrases");

/// Whether a marked text contains a phrase of this meaning.
pub(super) fn says(marked: &str, sign: Sign) -> bool {
    SIGNS.says(marked, &sign)
}

/// Folds a text and turns punctuation into spaces, with a space at both ends.
pub(super) fn marked(text: &str) -> String {
    let folded = fold(text);
    let mut out = String::with_capacity(folded.len() + 2);
    out.push(' ');
    for c in folded.chars() {
        out.push(if matches!(c, ',' | '.' | ';' | ':' | '!' | '(' | ')' | '"') { ' ' } else { c });
    }
    out.push(' ');
    out
}
