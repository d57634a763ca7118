//! Finds the type of a link where the wording makes it plain; the classifier handles the rest.

use super::align::Alignment;
use super::phrases::{Sign, says};
use super::reading::Reading;
use crate::language::CueKind;
use crate::model::Relation;

/// Maximum content words of a preference that a habit can elaborate ("likes green tea").
const FEW: usize = 6;

/// The relation of the new memory `b` to the stored `a`; `None` if the wording does not show it.
pub fn relation(a: &Reading, b: &Reading, al: &Alignment) -> Option<Relation> {
    let (was, is) = (a.marked(), b.marked());
    if says(was, Sign::Permission) && !says(is, Sign::Permission) && says(is, Sign::Beginning) {
        return Some(Relation::Prerequisite);
    }
    let habit = says(is, Sign::Habit) && !says(was, Sign::Habit) && elaborates(a, b, al);
    habit.then_some(Relation::Elaboration)
}

/// Whether the new memory covers most of a short stored one, and gives no reason.
fn elaborates(a: &Reading, b: &Reading, al: &Alignment) -> bool {
    let telling: Vec<usize> = (0..a.words.len()).filter(|i| !a.words[*i].function).collect();
    let met = telling.iter().filter(|i| al.met_a(**i)).count();
    let reasoned = b.content.cues().iter().any(|c| c.kind == CueKind::Cause);
    !reasoned && telling.len() <= FEW && 2 * met >= telling.len() && met > 0
}
