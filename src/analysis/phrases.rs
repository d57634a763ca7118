//! Turns of phrase that the rules of the analyst look for, in one text at a time.
//!
//! What they mean for a pair is for each rule to say.

use crate::language::{Phrases, fold, phrases};

/// What a turn of phrase says; a row of `phrases.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// A verb of a change.
    Moved,
    KoreanMoved,
    /// Not settled, or denied.
    Open,
    /// Beside a value that is given up.
    GivenUpBefore,
    GivenUpAfter,
    /// Beside a value that is a deadline.
    DueBefore,
    DueAfter,
    /// A place as a property.
    OfAPlace,
    AtAPlace,
    /// Something is no more: for good, or perhaps once.
    GoneForGood,
    CalledOff,
    /// What looks like one of these and is none.
    NothingGone,
    Widened,
    Permission,
    Beginning,
    Habit,
    Denial,
    NoDenial,
}

static SIGNS: Phrases<Sign> = phrases!("analysis/phrases");

/// Whether a marked text says this.
pub(super) fn says(marked: &str, sign: Sign) -> bool {
    SIGNS.says(marked, &sign)
}

/// What stands in a marked text behind the beginning of the first phrase that says this.
pub(super) fn behind(marked: &str, sign: Sign) -> Option<&str> {
    let mut at = None;
    SIGNS.any(marked, marked.len(), &mut |hit| {
        let found = SIGNS.meaning(hit.row) == Some(&sign);
        at = at.or(found.then_some(hit.start));
        found
    });
    marked.get(at? + 1..)
}

/// A text, folded, with a blank for what stands between its words, and at both ends.
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
