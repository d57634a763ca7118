//! Conflict rules: which of two statements is the newer one, and what a new memory does to stored ones besides the
//! one that it updates.
//!
//! It never looks beyond the candidates that were judged, and decides nothing about the best match.

use super::{Candidate, Policy};
use crate::analysis::Outcome;
use crate::model::{Conflict, Draft, Memory, Retention, StorageTier};

/// What is stored must be this much alike in content to stand in a conflict.
const ALIKE: f32 = 0.60;
/// What is stored must matter more than this, unless it is core.
const WORTH: f32 = 0.5;

/// Whether the draft was said before what is stored, by a source that the policy does not set apart from it.
pub fn was_said_before(draft: &Draft, stored: &Memory, policy: &Policy) -> bool {
    let own_time = draft.own_time();
    let ranked = policy.respect_source_priority && stored.source_type != draft.source_type;
    !ranked && own_time.is_some_and(|t| t < stored.own_time())
}

/// Whether a new memory may replace `stored` although another one is its target: the analyst is sure of an update, the
/// contents are alike, and the stored memory matters and is whole and current.
pub fn may_also_replace(c: &Candidate, stored: &Memory) -> bool {
    let matters = stored.importance > WORTH || stored.retention == Retention::Core;
    let whole = stored.is_current() && stored.storage_tier != StorageTier::Stub;
    let judged = c.analysis.as_ref().filter(|a| a.sure && a.outcome == Outcome::Update);
    let stands_against = |c: Conflict| matches!(c, Conflict::Update | Conflict::Contradiction);
    matters && whole && c.factors.content >= ALIKE && judged.is_some_and(|a| stands_against(a.conflict))
}
