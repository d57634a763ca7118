//! Conflict rules: which of two statements is newer, and how a new memory affects other memories.

use super::{Candidate, Policy};
use crate::analysis::Outcome;
use crate::model::{Conflict, Draft, Memory, Retention, StorageTier};

/// Minimum content similarity of a conflicting memory.
const ALIKE: f32 = 0.60;
/// A conflicting memory must be more important than this, or core.
const WORTH: f32 = 0.5;

/// Whether the draft was stated before the stored memory. Always false if the policy ranks their sources differently.
pub fn was_said_before(draft: &Draft, stored: &Memory, policy: &Policy) -> bool {
    let own_time = draft.own_time();
    let ranked = policy.respect_source_priority && stored.source_type != draft.source_type;
    !ranked && own_time.is_some_and(|t| t < stored.own_time())
}

/// Whether a sure update may also replace `stored`, an important memory that is not its target.
pub fn may_also_replace(c: &Candidate, stored: &Memory) -> bool {
    let matters = stored.importance > WORTH || stored.retention == Retention::Core;
    let whole = stored.is_current() && stored.storage_tier != StorageTier::Stub;
    let judged = c.analysis.as_ref().filter(|a| a.sure && a.outcome == Outcome::Update);
    let stands_against = |c: Conflict| matches!(c, Conflict::Update | Conflict::Contradiction);
    matters && whole && c.factors.content >= ALIKE && judged.is_some_and(|a| stands_against(a.conflict))
}
