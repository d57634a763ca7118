//! Detects whether a later message of a thread or author changes an earlier statement.
//!
//! A reply states its change in few words ("make it three instead"), so the analyst alone is seldom sure. Three signs
//! together suffice: the same thread or author, a cue of change, and another value of the same kind.

use super::repeat::ComparedSide;
use crate::analysis::{Analysis, Outcome, changes_between};
use crate::language::{CueKind, Text};

/// Minimum probability of the same subject.
const MAY_BE_SAME: f32 = 0.4;
/// Confidence of such an update: a base, plus a share of the subject's probability. High enough to be written if no
/// model is available, and low enough to be asked about.
pub(super) const LEAST: f32 = 0.81;
pub(super) const MORE: f32 = 0.03;

/// Changes an analysis to UPDATE if the new memory changes an earlier statement of its thread or author.
pub fn unless_turned(found: Analysis, stored: &ComparedSide<'_>, new: &ComparedSide<'_>) -> Analysis {
    let settled = found.sure && matches!(found.outcome, Outcome::Update | Outcome::Skip);
    if settled
        || !new.shares_thread_or_author(stored)
        || found.same_subject() < MAY_BE_SAME
        || !says_otherwise(&new.reading.content)
    {
        return found;
    }
    let changes = changes_between(stored.reading, new.reading);
    if !changes.iter().any(|c| c.change.old_value.is_some() && c.change.new_value.is_some()) {
        return found;
    }
    let confidence = LEAST + MORE * found.same_subject();
    Analysis { changes, ..found.settled(Outcome::Update, confidence) }
}

/// Whether the text states a change rather than a proposal.
fn says_otherwise(text: &Text) -> bool {
    let found = text.cues();
    found.iter().any(|c| c.kind.changes()) && found.iter().all(|c| c.kind != CueKind::Proposal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Reading;
    use crate::analysis::analyse;
    use crate::model::Claim;
    use crate::model::Draft;

    fn turned(stored: &str, new: &str, thread: Option<&str>) -> Outcome {
        let draft =
            |text: &str, thread: Option<&str>| Draft { thread_id: thread.map(str::to_owned), ..Draft::new(text) };
        let (stored, new) = (draft(stored, Some("t1")), draft(new, thread));
        let (stored, new) = (Claim::from(&stored), Claim::from(&new));
        let unsure = Analysis {
            outcome: Outcome::CreateAndLink,
            probabilities: [0.05, 0.4, 0.5, 0.05],
            confidence: 0.5,
            sure: false,
            ..analyse(&stored, &new)
        };
        let side = |claim, reading| ComparedSide { claim, reading };
        unless_turned(unsure, &side(stored, &Reading::of(&stored)), &side(new, &Reading::of(&new))).outcome
    }

    #[test]
    fn what_turns_its_thread_is_an_update() {
        let stored = "The mover's quote is 620만원 for two trucks.";
        let new = "The mover's quote was raised to 710만원.";
        assert_eq!(turned(stored, new, Some("t1")), Outcome::Update);
        assert_eq!(turned(stored, new, Some("t2")), Outcome::CreateAndLink);
        assert_eq!(turned(stored, new, None), Outcome::CreateAndLink);
        assert_eq!(turned(stored, "The mover's quote is 710만원.", Some("t1")), Outcome::CreateAndLink);
    }
}
