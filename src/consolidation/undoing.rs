//! Taking an entry back: what depends on it, and the plan that puts everything where it stood.
//!
//! An undo is an entry like any other, so taking it back is the redo. Nothing here removes an entry.

use super::entry::{Action, LogEntry, Standing, Status};
use super::{Act, ChangeSet};
use crate::language::{has_hangul, shown};
use crate::model::{Edge, Generation, Id, Ids, Memory, StorageTier, Time};
use crate::{Code, Error, Result};
use std::collections::HashSet;

/// The entries of a log, or of its end, that later entries took back; an undo that was itself undone does not count.
pub fn taken_back(log: &[LogEntry]) -> HashSet<Id> {
    let mut gone = HashSet::new();
    for e in log.iter().rev().filter(|e| e.action == Action::Undo) {
        if !gone.contains(&e.id) {
            gone.extend(e.about);
        }
    }
    gone
}

/// The entries that are taken back, each with the entry that did so; `log` is the log from them on.
pub fn undone_by(log: &[LogEntry]) -> Vec<(Id, Id)> {
    let gone = taken_back(log);
    let undone = log.iter().filter(|e| e.action == Action::Undo && !gone.contains(&e.id));
    undone.filter_map(|e| e.about.map(|about| (about, e.id))).collect()
}

/// The entries of `later` that build on what `entry` wrote: in force, about the same memories.
pub fn dependents<'a>(entry: &LogEntry, later: &'a [LogEntry]) -> Vec<&'a LogEntry> {
    let gone = taken_back(later);
    let known: HashSet<Id> = later.iter().map(|e| e.id).collect();
    let builds = |e: &&LogEntry| {
        // An undo of something later cancels out with it; an import that moved nothing repeats what earlier entries wrote.
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

/// Whether a later entry changed nothing that taking `entry` back would put back otherwise: counters and tiers, the day on
/// which something was said last, and a summary, unless it took the place of one that `entry` dissolved.
fn is_upkeep(entry: &LogEntry, later: &LogEntry) -> bool {
    let dissolved = || {
        let stood = |s: &Standing| s.generation == Some(Generation::Archived) && later.touched.contains(&s.id);
        entry.before.iter().any(stood)
    };
    match later.action {
        Action::Tend => true,
        Action::Consolidate if later.dates() => entry.before.iter().all(|s| s.stated_at.is_none()),
        Action::Adopt => entry.action != Action::Adopt,
        Action::Merge => entry.action != Action::Merge && !dissolved(),
        _ => entry.action == Action::Tend && later.action != Action::Forget,
    }
}

/// Checks that `entry` can be taken back. `later` is the log after it, `read` are the memories that it touched.
///
/// # Errors
/// [`Code::AlreadyUndone`], [`Code::Forgotten`], [`Code::HasDependents`] with their ids, or
/// [`Code::InvalidInput`] for an entry that did nothing.
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
    // An entry from elsewhere may be logged after what it touched was forgotten here. An import brings tombstones itself.
    let lost =
        |m: &Memory| m.is_forgotten() && (entry.action != Action::Import || entry.before.iter().any(|s| s.id == m.id));
    let forgotten = dependents.iter().any(|e| e.action == Action::Forget) || read.iter().any(lost);
    if entry.action == Action::Forget || forgotten {
        return Err(Error::new(Code::Forgotten, "what is forgotten cannot be brought back"));
    }
    if dependents.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = dependents.iter().map(|e| e.id.to_string()).collect();
    let message = format!("later entries build on this one: {}", ids.join(", "));
    Err(Error::new(Code::HasDependents, message).with_dependents(ids))
}

/// What taking an entry back changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reversal {
    /// The memories, as they will be.
    pub memories: Vec<Memory>,
    /// Edges to put.
    pub edges: Vec<Edge>,
    /// Edges to remove.
    pub removed_edges: Vec<Id>,
    /// The edges that are moved or removed, as they were.
    pub edges_before: Vec<Edge>,
}

/// Puts back what `entry` changed. `read` are the memories that it touched, `edges` those at the ones it made, and
/// `about` is the entry that it took back, if it is an undo.
pub fn reverse(entry: &LogEntry, about: Option<&LogEntry>, read: &[Memory], edges: &[Edge], now: Time) -> Reversal {
    let stood = |id: Id| entry.before.iter().find(|s| s.id == id);
    let made = |id: Id| entry.touched.contains(&id) && stood(id).is_none();
    let mut back = Reversal { edges: entry.edges_before.clone(), ..Reversal::default() };
    // A tombstone that came with an import stays one.
    for memory in read.iter().filter(|m| !m.is_forgotten()) {
        let mut m = memory.clone();
        let whole = entry.texts.iter().find(|t| t.id == m.id && !t.content.is_empty());
        match stood(m.id) {
            // Upkeep leaves what was said since as it is; a text that it cut is whole again, and fresh.
            _ if entry.action == Action::Tend => match whole {
                Some(whole) if m.storage_tier == StorageTier::Stub && m.is_current() => {
                    m.content.clone_from(&whole.content);
                    m.statements.clone_from(&whole.statements);
                    (m.storage_tier, m.accessed_at) = (StorageTier::Hot, Some(now));
                }
                _ => continue,
            },
            Some(standing) => standing.put_back(&mut m),
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
    // Edges that an undo put back go again with it.
    let restored = about.into_iter().flat_map(|a| &a.edges_before);
    for edge in restored.filter(|e| entry.edges_before.iter().all(|b| b.id != e.id)) {
        back.removed_edges.push(edge.id);
        back.edges_before.push(edge.clone());
    }
    back
}

impl Reversal {
    /// Versions that were made and follow nothing any more are counted from one.
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

    /// What was linked to a version since it was made belongs to the version before it.
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

/// Plans to take `entry` back.
pub fn undo(entry: &LogEntry, read: &[Memory], back: Reversal, act: Act<'_>, ids: &mut Ids) -> ChangeSet {
    let korean = has_hangul(&entry.reason);
    let undo = LogEntry {
        about: Some(entry.id),
        target_id: entry.target_id,
        category: entry.category,
        source_id: entry.source_id.clone(),
        before: read.iter().map(|m| Standing::as_told(m, entry)).collect(),
        reason: shown::TAKEN_BACK.text(korean).to_owned(),
        edges_before: back.edges_before,
        ..act.entry(Action::Undo, entry.decision, "", ids)
    };
    ChangeSet { edges: back.edges, removed_edges: back.removed_edges, ..act.set(read, back.memories, undo) }
}
