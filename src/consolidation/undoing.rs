//! Plans the undo of a log entry and finds the entries that depend on it.
//!
//! An undo is a log entry too, so undoing it is the redo. No entry is ever removed.

use super::entry::{Action, LogEntry, Standing, Status};
use super::{Act, ChangeSet};
use crate::language::{has_hangul, shown};
use crate::model::{Edge, Generation, Id, Ids, Memory, StorageTier, Time};
use crate::{Code, Error, Result};
use std::collections::HashSet;

/// The entries that later entries of `log` undid. An undo that was itself undone does not count.
pub fn taken_back(log: &[LogEntry]) -> HashSet<Id> {
    let mut gone = HashSet::new();
    for e in log.iter().rev().filter(|e| e.action == Action::Undo) {
        if !gone.contains(&e.id) {
            gone.extend(e.about);
        }
    }
    gone
}

/// Pairs (undone entry, undo entry). `log` starts at or before the undone entries.
pub fn undone_by(log: &[LogEntry]) -> Vec<(Id, Id)> {
    let gone = taken_back(log);
    let undone = log.iter().filter(|e| e.action == Action::Undo && !gone.contains(&e.id));
    undone.filter_map(|e| e.about.map(|about| (about, e.id))).collect()
}

/// The entries of `later` that are in force and build on what `entry` wrote.
pub fn dependents<'a>(entry: &LogEntry, later: &'a [LogEntry]) -> Vec<&'a LogEntry> {
    let gone = taken_back(later);
    let known: HashSet<Id> = later.iter().map(|e| e.id).collect();
    let builds = |e: &&LogEntry| {
        // An undo within `later` cancels out. An import without standings repeats earlier entries.
        let cancels = e.action == Action::Undo && e.about.is_some_and(|id| known.contains(&id));
        !gone.contains(&e.id)
            && !cancels
            && !is_upkeep(entry, e)
            && (e.action != Action::Sync || !e.before.is_empty())
            && (e.action != Action::Import || entry.action == Action::Import || !e.before.is_empty())
            && e.written().any(|id| entry.touched.contains(&id))
    };
    later.iter().filter(builds).collect()
}

/// Whether undoing `entry` leaves `later` valid: counters, tiers, a moved statement date or a
/// summary. A summary that replaced one which `entry` dissolved does not qualify.
fn is_upkeep(entry: &LogEntry, later: &LogEntry) -> bool {
    let dissolved = || {
        let stood = |s: &Standing| s.generation == Some(Generation::Archived) && later.touched.contains(&s.id);
        entry.before.iter().any(stood)
    };
    match later.action {
        Action::Tend => true,
        Action::Consolidate if later.only_moves_date() => entry.before.iter().all(|s| s.stated_at.is_none()),
        Action::Adopt => entry.action != Action::Adopt,
        Action::Merge => entry.action != Action::Merge && !dissolved(),
        _ => entry.action == Action::Tend && later.action != Action::Forget,
    }
}

/// Checks that `entry` can be undone. `later` is the log after it, `read` its memories.
pub fn undoable(entry: &LogEntry, later: &[LogEntry], read: &[Memory]) -> Result<()> {
    if !matches!(entry.status, Status::Success | Status::Skipped) {
        return Err(Error::new(Code::InvalidInput, "the entry is of something that was not done"));
    }
    if entry.action == Action::Sync {
        return Err(Error::new(Code::InvalidInput, "take back what came from the other store, not that it came"));
    }
    if taken_back(later).contains(&entry.id) {
        return Err(Error::new(Code::AlreadyUndone, format!("entry {} was taken back before", entry.id)));
    }
    let dependents = dependents(entry, later);
    // A synced entry may arrive after its memories were forgotten. An import brings tombstones.
    let lost =
        |m: &Memory| m.is_forgotten() && (entry.action != Action::Import || entry.before.iter().any(|s| s.id == m.id));
    let forgotten = dependents.iter().any(|e| e.action == Action::Forget) || read.iter().any(lost);
    if entry.action == Action::Forget || forgotten {
        return Err(Error::new(Code::Forgotten, "what is forgotten cannot be brought back"));
    }
    // An entry that came from another store may be numbered before the one that it builds on.
    let is_made = |m: &&Memory| entry.touched.contains(&m.id) && entry.before.iter().all(|s| s.id != m.id);
    let is_elsewhere = |id: &Id| !entry.touched.contains(id);
    let is_chained = read.iter().filter(is_made).any(|m| m.superseded_by.as_ref().is_some_and(is_elsewhere));
    if dependents.is_empty() && !is_chained {
        return Ok(());
    }
    let ids: Vec<String> = dependents.iter().map(|e| e.id.to_string()).collect();
    let message = format!("later entries build on this one: {}", ids.join(", "));
    Err(Error::new(Code::HasDependents, message).with_dependents(ids))
}

/// The changes of an undo.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reversal {
    /// The memories in their new state.
    pub memories: Vec<Memory>,
    /// Edges to write.
    pub edges: Vec<Edge>,
    /// Edges to remove.
    pub removed_edges: Vec<Id>,
    /// The moved or removed edges as they were before.
    pub edges_before: Vec<Edge>,
}

/// Plans the undo of `entry`; the undo of an undo of `about` does `about` again. `read` are the memories that `entry`
/// touched, `edges` the edges of the memories that it created.
pub fn reverse(entry: &LogEntry, about: Option<&LogEntry>, read: &[Memory], edges: &[Edge], now: Time) -> Reversal {
    let stood = |id: Id| entry.before.iter().find(|s| s.id == id);
    let made = |id: Id| entry.touched.contains(&id) && stood(id).is_none();
    let mut back = Reversal { edges: entry.edges_before.clone(), ..Reversal::default() };
    // An imported tombstone stays a tombstone.
    for memory in read.iter().filter(|m| !m.is_forgotten()) {
        let mut m = memory.clone();
        let whole = entry.texts.iter().find(|t| t.id == m.id && !t.content.is_empty());
        match stood(m.id) {
            // Undoing upkeep keeps later changes. It restores a shortened text, as if accessed now.
            _ if entry.action == Action::Tend => match whole {
                Some(whole) if m.storage_tier == StorageTier::Stub && m.is_current() => {
                    m.content.clone_from(&whole.content);
                    m.statements.clone_from(&whole.statements);
                    (m.storage_tier, m.accessed_at) = (StorageTier::Hot, Some(now));
                }
                _ => continue,
            },
            Some(standing) => standing.restore(&mut m),
            None => {
                let previous = m.previous_version_id.filter(|id| !made(*id));
                back.move_edges(edges, m.id, previous, entry.time);
                m.deleted_at = m.deleted_at.or(Some(now));
                m.previous_version_id = m.previous_version_id.filter(|id| made(*id));
                m.superseded_by = m.superseded_by.filter(|id| made(*id));
            }
        }
        (m.revision, m.updated_at) = (memory.revision + 1, now);
        back.memories.push(m);
    }
    back.renumber(made);
    // Undoing an undo removes the edges that it restored.
    let restored = about.into_iter().flat_map(|a| &a.edges_before);
    for edge in restored.filter(|e| entry.edges_before.iter().all(|b| b.id != e.id)) {
        back.removed_edges.push(edge.id);
        back.edges_before.push(edge.clone());
    }
    back
}

impl Reversal {
    /// Numbers created versions from one if they no longer have a predecessor.
    fn renumber(&mut self, made: impl Fn(Id) -> bool) {
        let starts = |m: &Memory| made(m.id) && m.previous_version_id.is_none();
        let firsts: Vec<Id> = self.memories.iter().filter(|m| starts(m)).map(|m| m.id).collect();
        for first in firsts {
            let mut next = Some(first);
            for version in 1..=self.memories.len() as u32 {
                let Some(m) = self.memories.iter_mut().find(|m| Some(m.id) == next) else { break };
                m.version = version;
                next = m.superseded_by.filter(|id| made(*id));
            }
        }
    }

    /// Moves edges that were added to a created version since to its predecessor.
    fn move_edges(&mut self, edges: &[Edge], from: Id, to: Option<Id>, made: Time) {
        let Some(to) = to else { return };
        let kept: Vec<Id> = self.edges.iter().map(|e| e.id).collect();
        let here = |e: &&Edge| (e.from == from || e.to == from) && e.created_at != made && !kept.contains(&e.id);
        for edge in edges.iter().filter(here) {
            let end = |id: Id| if id == from { to } else { id };
            self.edges_before.push(edge.clone());
            self.edges.push(Edge { from: end(edge.from), to: end(edge.to), ..edge.clone() });
        }
    }
}

/// Plans to undo `entry` by the changes in `back`.
pub fn undo(entry: &LogEntry, read: &[Memory], back: Reversal, act: Act<'_>, ids: &mut Ids) -> ChangeSet {
    let korean = has_hangul(&entry.reason);
    let undo = LogEntry {
        about: Some(entry.id),
        target_id: entry.target_id,
        category: entry.category,
        source_id: entry.source_id.clone(),
        before: read.iter().map(|m| Standing::with_fields_like(m, entry)).collect(),
        reason: shown::TAKEN_BACK.text(korean).to_owned(),
        edges_before: back.edges_before,
        ..act.entry(Action::Undo, entry.decision, "", ids)
    };
    ChangeSet { edges: back.edges, removed_edges: back.removed_edges, ..act.set(read, back.memories, undo) }
}
