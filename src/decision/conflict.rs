//! Conflict rules: which of two statements is newer, and how a new memory affects memories other than its target.
//!
//! They consider only analysed candidates and never change the decision on the best match.

use super::{Candidate, Policy};
use crate::analysis::{self, Change, Outcome, analyse};
use crate::model::{ChangeType, Conflict, Draft, Memory, Retention, StorageTier};

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

/// Whether a new memory may also replace `stored`, which is not its target. The analyst must be sure of an update,
/// and the contents similar. The stored memory must be important, complete and current.
pub fn may_also_replace(c: &Candidate, stored: &Memory) -> bool {
    let matters = stored.importance > WORTH || stored.retention == Retention::Core;
    let whole = stored.is_current() && stored.storage_tier != StorageTier::Stub;
    let judged = c.analysis.as_ref().filter(|a| a.sure && a.outcome == Outcome::Update);
    let stands_against = |c: Conflict| matches!(c, Conflict::Update | Conflict::Contradiction);
    matters && whole && c.factors.content >= ALIKE && judged.is_some_and(|a| stands_against(a.conflict))
}

/// Minimum probability that two memories describe the same thing.
const ONE_THING: f32 = 0.35;
/// Maximum characters of a value that is searched for in other memories.
const LONGEST_VALUE: usize = 60;

/// The values that an update removes.
#[derive(Debug)]
pub struct GoneValues<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

impl<'a> GoneValues<'a> {
    /// Collects the old values of changes, except those that the new text repeats.
    pub fn of(changes: &'a [Change], content: &str) -> Self {
        let replaces = |c: &&Change| c.change.change_type != ChangeType::Addition;
        let old = changes.iter().filter(replaces).filter_map(|c| c.change.old_value.as_deref());
        let old = old.filter(|v| v.chars().count() <= LONGEST_VALUE && !analysis::says(content, v)).collect();
        let new = changes.iter().filter_map(|c| c.change.new_value.as_deref()).collect();
        Self { old, new }
    }

    /// The removed values.
    pub fn values(&self) -> impl Iterator<Item = &'a str> {
        self.old.iter().copied()
    }

    /// Whether a memory still states a removed value of the same property as `old`, and no replacement.
    pub fn is_stated_by(&self, m: &Memory, old: &Memory) -> bool {
        let says = |v: &&str| analysis::says(&m.content, v);
        let Some(value) = self.old.iter().find(|v| says(v)) else { return false };
        if self.new.iter().any(says) || m.source_id.is_some() && m.source_id == old.source_id {
            return false;
        }
        analyse(&m.into(), &old.into()).same_subject() >= ONE_THING
            || analysis::tell_one_property(&m.content, &old.content, value)
    }
}
