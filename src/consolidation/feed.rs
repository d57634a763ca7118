//! [`Feed`]: what one store tells another of its changes, and which of them hang together.
//!
//! It never decides between two versions: where both sides changed the same chain, `join` does.

use super::{Action, LogEntry, Standing};
use crate::model::{Edge, Id, Memory, Time};
use serde::{Deserialize, Serialize};

/// A stretch of a store's log with the memories that it touched, as they are now, and all edges at these.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Feed {
    /// The format's number.
    pub format: u32,
    /// The store that tells.
    pub from: Id,
    /// The store that is told, where it is known.
    pub to: Option<Id>,
    /// The stretch begins after this number.
    pub after: u64,
    /// The number of its last entry.
    pub upto: u64,
    /// Whether the log goes on.
    pub more: bool,
    /// How much of the receiver's log the sender has taken in.
    pub seen: u64,
    /// The entries, oldest first.
    pub entries: Vec<LogEntry>,
    /// The memories.
    pub memories: Vec<Memory>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// Memories of the receiver, each with the one of the sender that is the same, since both handled one input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<(Id, Id)>,
    /// Which key the sender seals its own memories with, if it does: then it tells nothing else here.
    pub key: Option<String>,
    /// Memories of the receiver that such a sender has heard of, and forgotten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forget: Vec<Id>,
}

/// The format that this version writes and reads.
pub const FEED_FORMAT: u32 = 1;

impl Feed {
    /// A feed that tells nothing after this number.
    pub fn new(from: Id, after: u64) -> Self {
        Self { format: FEED_FORMAT, from, after, upto: after, ..Self::default() }
    }
}

/// Whether two copies of a memory say the same. Tombstones do, whenever they were made.
pub fn same(a: &Memory, b: &Memory) -> bool {
    (a.is_forgotten() && b.is_forgotten()) || *a == Memory { revision: a.revision, ..b.clone() }
}

/// What a memory names.
pub fn named(m: &Memory) -> Vec<Id> {
    [m.previous_version_id, m.superseded_by, m.contradicted_by].into_iter().flatten().collect()
}

/// What a memory names, and itself.
pub fn with_named(m: &Memory) -> Vec<Id> {
    let mut ids = named(m);
    ids.push(m.id);
    ids
}

/// These ids, and those of all memories that hang together with one of them, over what came and what is here.
pub fn tangled(came: &[Memory], here: &[Memory], mut ids: Vec<Id>) -> Vec<Id> {
    loop {
        let before = ids.len();
        for m in came.iter().chain(here) {
            if with_named(m).iter().any(|id| ids.contains(id)) {
                for id in with_named(m) {
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                }
            }
        }
        if ids.len() == before {
            return ids;
        }
    }
}

/// When the owner last acted on a memory, by these entries.
pub fn last_act<'a>(entries: impl Iterator<Item = &'a LogEntry>, id: Id) -> Option<Time> {
    let act = |e: &&LogEntry| matches!(e.action, Action::Delete | Action::Undo | Action::Review);
    entries.filter(act).filter(|e| e.touched.contains(&id)).map(|e| e.time).max()
}

/// Takes from entries that meet one of `ids` what they say they did: there it was done to something else. Gives what else
/// they had touched, of which no entry tells any more.
pub fn disown(entries: &mut [LogEntry], ids: &[Id]) -> Vec<Id> {
    let mut untold = Vec::new();
    for e in entries {
        if e.action == Action::Sync {
            // It only says where each stood.
            e.touched.retain(|id| !ids.contains(id));
            e.before.retain(|s| !ids.contains(&s.id));
        } else if e.touched.iter().any(|id| ids.contains(id)) {
            untold.append(&mut e.touched);
            e.before.clear();
            if e.action == Action::Undo {
                e.about = None;
            }
        }
    }
    untold.retain(|id| !ids.contains(id));
    untold
}

/// Where stored memories stood that are changed, and not by what `entries` say: an entry that began elsewhere tells of
/// something else.
pub fn moved(stored: &[Memory], written: &[Memory], entries: &[LogEntry]) -> Vec<Standing> {
    let told = |m: &Memory| match entries.iter().flat_map(|e| &e.before).find(|s| s.id == m.id) {
        Some(began) => began.place() == Standing::of(m).place(),
        None => {
            entries.iter().any(|e| e.touched.contains(&m.id)) && written.iter().all(|w| w.id != m.id || stays(m, w))
        }
    };
    stored.iter().filter(|m| written.iter().any(|w| w.id == m.id) && !told(m)).map(Standing::of).collect()
}

/// Whether a memory stands where it stood.
pub fn stays(a: &Memory, b: &Memory) -> bool {
    Standing::of(a).place() == Standing::of(b).place()
}

/// A tombstone without its place in a chain.
pub fn alone(m: Memory) -> Memory {
    Memory { version: 1, previous_version_id: None, superseded_by: None, ..m }
}

/// A stored tombstone where another copy of it stands in its chain.
pub fn in_the_place_of(other: &Memory, stored: &Memory) -> Memory {
    Memory {
        revision: stored.revision + 1,
        version: other.version,
        previous_version_id: other.previous_version_id,
        superseded_by: other.superseded_by,
        ..stored.clone()
    }
}

/// Whether two copies have the same place in their chains.
pub fn stands_as(a: &Memory, b: &Memory) -> bool {
    let place = |m: &Memory| (m.version, m.previous_version_id, m.superseded_by);
    place(a) == place(b)
}
