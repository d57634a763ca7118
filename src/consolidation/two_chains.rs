//! Extends a change set so that its new version also continues another chain of versions.

use super::entry::Standing;
use super::{ChangeSet, Expectation, statements};
use crate::model::{Memory, Retention, Statement, Time, content_of};

/// Lets the created version also supersede `other`, a head of another chain whose text it contains.
pub fn absorb(set: &mut ChangeSet, mut other: Memory) {
    let made = set.entry.memory_id;
    let Some(new) = set.memories.iter_mut().find(|m| Some(m.id) == made) else { return };
    let apart: Vec<Statement> = other.said().into_iter().chain(new.statements.iter().skip(1).cloned()).collect();
    // Separate statements stay separate if they give the same text.
    if content_of(&apart) == new.content && apart.len() <= statements::MAX_STATEMENTS {
        new.statements = apart;
    }
    new.access_count += other.access_count;
    new.repeat += other.repeat;
    set.expect.push(Expectation { id: other.id, revision: Some(other.revision) });
    set.entry.before.push(Standing::of(&other));
    if other.retention == Retention::Core {
        (new.retention, other.retention) = (Retention::Core, Retention::Semantic);
    }
    other.superseded_by = made;
    (other.revision, other.updated_at) = (other.revision + 1, new.created_at);
    set.entry.touched.push(other.id);
    set.memories.push(other);
}

/// Prepends `earlier` to the chain that the set extends, because its first version replaces
/// `earlier`. `chain` holds the versions as read, oldest first.
pub fn join_before(set: &mut ChangeSet, chain: Vec<Memory>, earlier: Memory, now: Time) {
    let Some(first) = chain.first().map(|m| m.id) else { return };
    let further = earlier.version;
    for version in chain {
        if set.memories.iter().all(|m| m.id != version.id) {
            set.touch(version, now);
        }
    }
    let made = set.entry.memory_id;
    set.touch(earlier.clone(), now);
    let core = earlier.retention == Retention::Core;
    for m in &mut set.memories {
        if m.id == earlier.id {
            m.superseded_by = Some(first);
            m.contradicted_by = Some(first);
            m.retention = if core { Retention::Semantic } else { m.retention };
            continue;
        }
        m.version += further;
        if m.id == first {
            m.previous_version_id = Some(earlier.id);
        }
        if Some(m.id) == made && core {
            m.retention = Retention::Core;
            if m.importance < earlier.importance {
                let raised = set.entry.before.iter_mut().filter(|s| s.id == m.id);
                raised.for_each(|s| s.importance = Some(m.importance));
                m.importance = earlier.importance;
            }
        }
    }
    if let Some(step) = &mut set.entry.versions {
        (step.before, step.after) = (step.before + further, step.after + further);
    }
}
