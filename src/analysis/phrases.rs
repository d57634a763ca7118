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
    OfAPlace,
    AtAPlace,
    /// Something ended permanently, or perhaps only once.
    GoneForGood,
    CalledOff,
    /// Phrases that resemble the two above but remove nothing.
    NothingGone,
    Widened,
    Permission,
    Beginning,
    Habit,
    Denial,
    NoDenial,
}

static SIGNS: Phrases<Sign> = phrases!("analysis/phrases");

/// Whether a marked text contains a phrase of this meaning.
pub(super) fn says(marked: &str, sign: Sign) -> bool {
    SIGNS.says(marked, &sign)
}

/// The rest of a marked text after the start of the first phrase of this meaning.
pub(super) fn behind(marked: &str, sign: Sign) -> Option<&str> {
    let mut at = None;
    SIGNS.any(marked, marked.len(), &mut |hit| {
        let found = SIGNS.meaning(hit.row) == Some(&sign);
        at = at.or(found.then_some(hit.start));
        found
    });
    marked.get(at? + 1..)
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
