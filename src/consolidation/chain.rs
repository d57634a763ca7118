//! The changes that clients with a shared key exchange, and the merge of their duplicates.

use super::join::{index_by_id, redirect, relink};
use super::{Action, JoinRules, LogEntry, Standing, join};
use crate::model::{Edge, Id, Memory, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A memory with all its edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Node {
    /// The step of the sync chain that wrote it last; 0 if none did.
    #[serde(default)]
    pub at: u64,
    /// The memory.
    pub memory: Memory,
    /// The edges that start or end at it.
    pub edges: Vec<Edge>,
}

/// The changes that one client sends to the others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientChanges {
    /// Entries of its log, oldest first.
    pub entries: Vec<LogEntry>,
    /// The memories that these touched, in their current state.
    pub nodes: Vec<Node>,
}

/// The most memories in one commit, unless more of them are connected.
const PART: usize = 500;

impl ClientChanges {
    /// The current edges of these memories. The end that was written at the later step tells whether an edge exists.
    pub fn edges(&self) -> Vec<Edge> {
        let mut nodes: Vec<&Node> = self.nodes.iter().collect();
        nodes.sort_by_key(|node| node.memory.id);
        let written = |id: Id| nodes.binary_search_by(|n| n.memory.id.cmp(&id)).map_or(0, |at| nodes[at].at);
        let mut found: Vec<&Edge> = Vec::new();
        for node in &nodes {
            let tells = |e: &&Edge| written(if e.from == node.memory.id { e.to } else { e.from }) <= node.at;
            found.extend(node.edges.iter().filter(tells));
        }
        found.sort_by_key(|found| found.id);
        found.dedup_by_key(|e| e.id);
        found.into_iter().cloned().collect()
    }

    /// Splits the memories into parts for successive commits. Connected memories stay in one part.
    pub fn parts(&self) -> Vec<Vec<Memory>> {
        let mut beside: Vec<(Id, usize)> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            beside.extend(own_and_referenced_ids(&node.memory).into_iter().map(|id| (id, at)));
        }
        beside.sort_by_key(|b| b.0);
        let (mut parts, mut taken) = (Vec::<Vec<Memory>>::new(), vec![false; self.nodes.len()]);
        for start in 0..self.nodes.len() {
            let (mut tied, mut open) = (Vec::new(), vec![start]);
            while let Some(at) = open.pop() {
                if std::mem::replace(&mut taken[at], true) {
                    continue;
                }
                let memory = &self.nodes[at].memory;
                for id in own_and_referenced_ids(memory) {
                    let first = beside.partition_point(|(other, _)| *other < id);
                    open.extend(beside[first..].iter().take_while(|(other, _)| *other == id).map(|(_, at)| *at));
                }
                tied.push(memory.clone());
            }
            match parts.last_mut() {
                Some(last) if last.len() + tied.len() <= PART => last.append(&mut tied),
                _ if tied.is_empty() => {}
                _ => parts.push(tied),
            }
        }
        parts
    }
}

/// The changes that replace duplicates by one memory each.
#[derive(Debug, Default)]
pub struct TwinChanges {
    /// The changed memories in their new state.
    pub memories: Vec<Memory>,
    /// Edges that move to the remaining memory. Other edges of a replaced memory are dropped.
    pub edges: Vec<Edge>,
}

/// Duplicates and the memories connected with them.
#[derive(Debug)]
pub struct TwinReplacement<'a> {
    /// Pairs (replaced id, remaining id).
    pub pairs: &'a [(Id, Id)],
    /// All memories connected with either of a pair.
    pub here: &'a [Memory],
    /// All edges of either.
    pub links: &'a [Edge],
    /// The memories that only this client knows.
    pub own: &'a [Id],
    /// The standings of the other memories at the other clients.
    pub there: &'a [Standing],
}

/// Replaces memories that only this client knows by the shared twin. The order of shared versions
/// stays. Local versions follow the twin of their predecessor.
pub fn replace_twins(twins: &TwinReplacement<'_>, rules: JoinRules) -> TwinChanges {
    let TwinReplacement { pairs, here, links, own, there } = *twins;
    let mut known = index_by_id(here);
    for (gone, stays) in pairs {
        let mine = chain(&known, *gone);
        let head = mine[mine.len() - 1];
        // Only across chains: within the chain, nothing follows the head.
        let beside = known.get(&head).and_then(|m| m.superseded_by);
        let (Some(old), Some(_)) = (known.remove(gone), known.get(stays)) else { continue };
        // References move to the remaining memory.
        for m in known.values_mut() {
            redirect(m, |id| if id == *gone { *stays } else { id });
        }
        let rest = || mine.iter().copied().filter(|id| id != gone);
        if mine.contains(stays) {
            relink(&mut known, &rest().collect::<Vec<_>>(), beside);
        } else {
            let (moves, remain): (Vec<Id>, Vec<Id>) = rest().partition(|id| follows_replaced(&mine, *id, *gone, own));
            let came: Vec<Memory> = moves.iter().filter_map(|id| known.remove(id)).collect();
            relink(&mut known, &remain, beside.filter(|_| remain.contains(&head)));
            let loses =
                |id: &&Id| mine.iter().skip_while(|m| m != id).nth(1).is_some_and(|next| !remain.contains(next));
            for id in remain.iter().filter(loses) {
                let m = known.get_mut(id).filter(|m| !m.is_forgotten());
                if let (Some(m), Some(stood)) = (m, there.iter().find(|s| s.id == *id)) {
                    (m.retention, m.contradicted_by) = (stood.retention, stood.contradicted_by);
                }
            }
            let stored: Vec<Memory> = chain(&known, *stays).iter().filter_map(|id| known.remove(id)).collect();
            let joined = join(&stored, came, rules);
            for m in stored.into_iter().chain(joined.fresh).chain(joined.grown) {
                known.insert(m.id, m);
            }
        }
        if let Some(m) = known.get_mut(stays).filter(|m| rules.keep_importance && !m.is_forgotten()) {
            m.importance = m.importance.max(old.importance);
        }
        if let Some(by) = beside.filter(|_| head == *gone) {
            supersede_across_chains(&mut known, &old, *stays, by, rules.now);
        }
    }
    let mut unified = TwinChanges::default();
    let stood = |m: &Memory| here.iter().find(|h| h.id == m.id);
    let changed = |m: &Memory| stood(m).is_some_and(|stood| *stood != Memory { revision: stood.revision, ..m.clone() });
    // A memory that gains references is written too, so that one log entry covers both.
    let names = |id: Id| known.values().any(|m| m.superseded_by == Some(id) && changed(m));
    for m in known.values().filter(|m| changed(m) || pairs.iter().any(|(_, stays)| *stays == m.id && names(m.id))) {
        let revision = stood(m).map_or(1, |stood| stood.revision + 1);
        unified.memories.push(Memory { revision, updated_at: rules.now, ..m.clone() });
    }
    let stands = |id: Id| pairs.iter().find(|(gone, _)| *gone == id).map_or(id, |(_, stays)| *stays);
    for e in links {
        let moved = Edge { from: stands(e.from), to: stands(e.to), ..e.clone() };
        let same = |o: &Edge| (o.from, o.to) == (moved.from, moved.to);
        if moved != *e && moved.from != moved.to && !links.iter().chain(&unified.edges).any(same) {
            unified.edges.push(moved);
        }
    }
    unified
}

/// The versions of a chain, oldest first.
fn chain(known: &BTreeMap<Id, Memory>, of: Id) -> Vec<Id> {
    let mut chain = vec![of];
    while let Some(id) = known.get(&chain[0]).and_then(|m| m.previous_version_id).filter(|id| !chain.contains(id)) {
        chain.insert(0, id);
    }
    loop {
        let last = chain[chain.len() - 1];
        let next = known.get(&last).and_then(|m| known.get(&m.superseded_by?));
        // A superseding version with another predecessor belongs to another chain.
        match next.filter(|m| m.previous_version_id == Some(last) && !chain.contains(&m.id)) {
            Some(next) => chain.push(next.id),
            None => return chain,
        }
    }
}

/// Whether a local version moves along with `gone`: among shared versions and `gone`, `gone` is its
/// nearest predecessor, or else its nearest successor.
fn follows_replaced(chain: &[Id], id: Id, gone: Id, own: &[Id]) -> bool {
    let at = chain.iter().position(|c| *c == id).unwrap_or_default();
    let holds = |c: &&Id| **c == gone || !own.contains(c);
    let nearest = chain[..at].iter().rev().find(holds).or_else(|| chain[at + 1..].iter().find(holds));
    own.contains(&id) && nearest == Some(&gone)
}

/// If `by` of another chain superseded `old`, it also supersedes the head of the chain of `stays`.
fn supersede_across_chains(known: &mut BTreeMap<Id, Memory>, old: &Memory, stays: Id, by: Id, now: Time) {
    let line = chain(known, stays);
    let head = line[line.len() - 1];
    if line.contains(&by) {
        return;
    }
    let mut after = vec![by];
    while let Some(id) = known.get(&after[after.len() - 1]).and_then(|m| m.superseded_by) {
        if line.contains(&id) || after.contains(&id) {
            return;
        }
        after.push(id);
    }
    let Some(m) = known.get_mut(&head).filter(|m| m.superseded_by.is_none()) else { return };
    (m.superseded_by, m.contradicted_by) = (Some(by), m.contradicted_by.or(old.contradicted_by));
    m.leave_core();
    // Written too, so that one log entry covers both.
    if let Some(m) = known.get_mut(&by) {
        m.updated_at = now;
    }
}

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
    /// The id of the key that the sender seals its memories with. Such a feed contains no memories.
    pub key: Option<String>,
    /// Memories of the receiver that a sealing sender received and has forgotten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forget: Vec<Id>,
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
            if own_and_referenced_ids(m).iter().any(|id| ids.contains(id)) {
                for id in own_and_referenced_ids(m) {
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

/// When the owner last acted on a memory, according to these entries.
pub fn last_owner_action<'a>(entries: impl Iterator<Item = &'a LogEntry>, id: Id) -> Option<Time> {
    let act = |e: &&LogEntry| matches!(e.action, Action::Delete | Action::Undo | Action::Review);
    entries.filter(act).filter(|e| e.touched.contains(&id)).map(|e| e.time).max()
}

/// Clears the recorded effects of entries that touch one of `ids`, since they happened to another
/// memory. Returns the other memories that they had touched, which no entry covers any more.
pub fn clear_effects(entries: &mut [LogEntry], ids: &[Id]) -> Vec<Id> {
    let mut uncovered = Vec::new();
    for e in entries {
        if e.action == Action::Sync {
            // A sync entry only records standings.
            e.touched.retain(|id| !ids.contains(id));
            e.before.retain(|s| !ids.contains(&s.id));
        } else if e.touched.iter().any(|id| ids.contains(id)) {
            uncovered.append(&mut e.touched);
            e.before.clear();
            if e.action == Action::Undo {
                e.about = None;
            }
        }
    }
    uncovered.retain(|id| !ids.contains(id));
    uncovered
}

/// The standings of changed memories that `entries` do not explain. An entry explains a change only
/// if it began at the stored position.
pub fn moved(stored: &[Memory], written: &[Memory], entries: &[LogEntry]) -> Vec<Standing> {
    let told = |m: &Memory| match entries.iter().flat_map(|e| &e.before).find(|s| s.id == m.id) {
        Some(began) => began.place() == Standing::of(m).place(),
        None => {
            entries.iter().any(|e| e.touched.contains(&m.id)) && written.iter().all(|w| w.id != m.id || stays(m, w))
        }
    };
    stored.iter().filter(|m| written.iter().any(|w| w.id == m.id) && !told(m)).map(Standing::of).collect()
}

/// Whether two copies have the same chain position and retention.
pub fn stays(a: &Memory, b: &Memory) -> bool {
    Standing::of(a).place() == Standing::of(b).place()
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
