//! Whether a later message of a thread changes what was said in it before.
//!
//! A reply tells its news in few words ("make it three instead"), so the analyst alone is seldom sure. That it speaks in
//! the thread, says that something is otherwise, and has a value of its own of the same kind, is enough.

use crate::analysis::{Analysis, Outcome, differences};
use crate::language::{CueKind, Folded, cues};
use crate::model::{Claim, Conflict, Relationship};

/// From this probability on that both speak of one thing a turn in the thread settles it.
const MAY_BE_SAME: f32 = 0.45;
/// How sure it is at least, and what certainty about the subject adds.
const LEAST: f32 = 0.82;
const MORE: f32 = 0.12;

/// What the analyst says, unless the new memory turns what its thread said before.
pub fn unless_turned(found: Analysis, stored: &Claim<'_>, new: &Claim<'_>) -> Analysis {
    let same_thread = new.thread_id.is_some() && new.thread_id == stored.thread_id;
    let settled = found.sure && matches!(found.outcome, Outcome::Update | Outcome::Skip);
    if found.by_model || settled || !same_thread || found.same_subject() < MAY_BE_SAME || !says_otherwise(new.content) {
        return found;
    }
    let changes = differences(stored, new);
    if !changes.iter().any(|c| c.change.old_value.is_some() && c.change.new_value.is_some()) {
        return found;
    }
    let confidence = LEAST + MORE * found.same_subject();
    let rest = (1.0 - confidence) / 3.0;
    Analysis {
        outcome: Outcome::Update,
        probabilities: [rest, confidence, rest, rest],
        confidence,
        sure: false,
        relationship: Relationship::Identical,
        relation: None,
        changes,
        conflict: Conflict::Update,
        ..found
    }
}

/// Whether the text says that something is otherwise now.
fn says_otherwise(text: &str) -> bool {
    use CueKind::{Change, Correction, Decrease, Earlier, Increase, Later, NoLonger, Replace};
    #[rustfmt::skip]
    const TURNS: [CueKind; 8] = [Change, Correction, Decrease, Earlier, Increase, Later, NoLonger, Replace];
    let found = cues(&Folded::new(text));
    found.iter().any(|c| TURNS.contains(&c.kind)) && found.iter().all(|c| c.kind != CueKind::Proposal)
}
