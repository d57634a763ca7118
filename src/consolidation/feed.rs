//! The feed that two synchronised stores exchange, and how copies of a memory from both relate.

use super::{Action, LogEntry, Standing};
use crate::model::{Edge, Id, Memory, Time};
use serde::{Deserialize, Serialize};

/// A range of a store's log, with the current state and edges of the memories that it touched.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Feed {
    /// The format number.
    pub format: u32,
    /// The sending store.
    pub from: Id,
    /// The receiving store, if known.
    pub to: Option<Id>,
    /// The range begins after this commit number.
    pub after: u64,
    /// The number of its last entry.
    pub upto: u64,
    /// Whether more entries follow.
    pub more: bool,
    /// How much of the receiver's log the sender has applied.
    pub seen: u64,
    /// The entries, oldest first.
    pub entries: Vec<LogEntry>,
    /// The memories.
    pub memories: Vec<Memory>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// Pairs (receiver's memory, sender's memory) that both stores made from the same input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<(Id, Id)>,
}

/// The format that this version writes and reads.
pub const FEED_FORMAT: u32 = 1;

impl Feed {
    /// An empty feed after this commit number.
    pub fn new(from: Id, after: u64) -> Self {
        Self { format: FEED_FORMAT, from, after, upto: after, ..Self::default() }
    }
}

/// Whether two copies of a memory are equal apart from the revision. Tombstones are always equal.
pub fn same(a: &Memory, b: &Memory) -> bool {
    (a.is_forgotten() && b.is_forgotten()) || *a == Memory { revision: a.revision, ..b.clone() }
}

/// The memories that a memory references.
pub fn named(m: &Memory) -> Vec<Id> {
    [m.previous_version_id, m.superseded_by, m.contradicted_by].into_iter().flatten().collect()
}

/// The memories that a memory references, and itself.
pub fn own_and_referenced_ids(m: &Memory) -> Vec<Id> {
    let mut ids = named(m);
    ids.push(m.id);
    ids
}

/// These ids and all memories connected with one of them, over both sides.
pub fn connected_ids(came: &[Memory], here: &[Memory], mut ids: Vec<Id>) -> Vec<Id> {
    loop {
        let before = ids.len();
        for m in came.iter().chain(here) {
            let (known, new): (Vec<Id>, Vec<Id>) =
                own_and_referenced_ids(m).into_iter().partition(|id| ids.contains(id));
            ids.extend(new.into_iter().filter(|_| !known.is_empty()));
        }
        if ids.len() == before {
            return ids;
        }
    }
}

/// When the owner last acted on a memory, according to these entries.
pub fn last_owner_action<'a>(entries: impl Iterator<Item = &'a LogEntry>, id: Id) -> Option<Time> {
    let act = |e: &&LogEntry| matches!(e.action, Action::Delete | Action::Undo | Action::Review);
    entries.filter(act).filter(|e| e.touched.contains(&id)).map(|e| e.time).max()
}

/// Clears the recorded effects of entries that touch one of `ids`, since they happened to another memory.
pub fn clear_effects(entries: &mut [LogEntry], ids: &[Id]) {
    for e in entries {
        if e.action == Action::Sync {
            // A sync entry only records standings.
            e.touched.retain(|id| !ids.contains(id));
            e.before.retain(|s| !ids.contains(&s.id));
        } else if e.touched.iter().any(|id| ids.contains(id)) {
            e.touched.clear();
            e.before.clear();
            if e.action == Action::Undo {
                e.about = None;
            }
        }
    }
}

/// The standings of changed memories that no entry explains from their stored position on.
pub fn moved(stored: &[Memory], written: &[Memory], entries: &[LogEntry]) -> Vec<Standing> {
    let told = |m: &Memory| match entries.iter().flat_map(|e| &e.before).find(|s| s.id == m.id) {
        Some(began) => began.place() == Standing::of(m).place(),
        None => {
            let stays = |w: &Memory| w.id != m.id || Standing::of(m).place() == Standing::of(w).place();
            entries.iter().any(|e| e.touched.contains(&m.id)) && written.iter().all(stays)
        }
    };
    stored.iter().filter(|m| written.iter().any(|w| w.id == m.id) && !told(m)).map(Standing::of).collect()
}

/// A stored tombstone at the chain position of another copy.
pub fn at_position_of(other: &Memory, stored: &Memory) -> Memory {
    Memory {
        revision: stored.revision + 1,
        version: other.version,
        previous_version_id: other.previous_version_id,
        superseded_by: other.superseded_by,
        ..stored.clone()
    }
}

/// Whether two copies have the same position in their chains.
pub fn has_same_position(a: &Memory, b: &Memory) -> bool {
    let place = |m: &Memory| (m.version, m.previous_version_id, m.superseded_by);
    place(a) == place(b)
}
