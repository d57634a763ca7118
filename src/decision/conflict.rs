//! Conflict rules: which of two statements is the newer one, and what a new memory does to stored ones besides the
//! one that it updates.
//!
//! It never looks beyond the candidates that were judged, and decides nothing about the best match.

use super::{Candidate, Policy};
use crate::analysis::{self, Change, Outcome, analyse};
use crate::model::{ChangeType, Conflict, Draft, Memory, Retention, StorageTier};

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

/// From this probability on two memories are two wordings of one thing.
const ONE_THING: f32 = 0.35;
/// The most characters of a value that other memories may state.
const LONGEST_VALUE: usize = 60;

/// The values that an update takes away.
#[derive(Debug)]
pub struct GoneValues<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

impl<'a> GoneValues<'a> {
    /// Those of some changes, but for what the new text says itself.
    pub fn of(changes: &'a [Change], content: &str) -> Self {
        let replaces = |c: &&Change| c.change.change_type != ChangeType::Addition;
        let old = changes.iter().filter(replaces).filter_map(|c| c.change.old_value.as_deref());
        let old = old.filter(|v| v.chars().count() <= LONGEST_VALUE && !analysis::says(content, v)).collect();
        let new = changes.iter().filter_map(|c| c.change.new_value.as_deref()).collect();
        Self { old, new }
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &'a str> {
        self.old.iter().copied()
    }

    /// Whether a memory states one of them of the same property of the same thing as `old`, and none of those in their place.
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
