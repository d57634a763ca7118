//! Undoes and redoes log entries.

use super::removing::missing;
use super::{Engine, PAGE, unless_outrun};
use crate::consolidation::{Action, LogEntry, Reversal, reverse, taken_back, undo, undoable};
use crate::model::{Edge, Id, Ids, Memory, Time};
use crate::store::{LogRange, Store};
use crate::{Code, Error, Result};
use serde::Serialize;
use std::collections::HashSet;

const GROUP: usize = 64;

/// The result of undoing several entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, tsify::Tsify)]
pub struct Undone {
    /// The undo entries, in order. Undoing these redoes everything.
    pub entries: Vec<Id>,
    /// The entries not undone because later ones build on them.
    pub kept: Vec<Id>,
}

impl<S: Store> Engine<S> {
    /// Undoes an entry: deletes what it created and restores what it changed. Undoing the undo redoes it.
    pub async fn undo(&self, id: Id) -> Result<LogEntry> {
        self.act(async |act, ids| {
            let entry = self.logged(id).await?;
            let (memories, back, _) = self.reversal(&entry, act.now).await?;
            Ok(undo(&entry, &memories, back, act, ids))
        })
        .await
    }

    /// Undoes up to 1,000 entries, latest first. Skips entries that are unknown, already undone,
    /// forgotten or without effect.
    pub async fn undo_all(&self, ids: &[Id]) -> Result<Undone> {
        if ids.is_empty() || ids.len() > PAGE {
            return Err(Error::field("ids", format!("must be 1 to {PAGE} ids")));
        }
        let mut asked: Vec<LogEntry> = Vec::new();
        for id in ids {
            asked.extend(self.store.entry(*id).await?);
        }
        asked.sort_by_key(|e| std::cmp::Reverse(e.seq));
        asked.dedup_by_key(|e| e.seq);
        let (mut done, mut later, mut rest) = (Undone::default(), Vec::new(), &asked[..]);
        while let Some(first) = rest.first() {
            let many = match unless_outrun(self.undo_together(rest, &mut later, &mut done).await)? {
                Some(many) => many,
                // Another tab wrote, or two entries share a neighbour: undo the first on its own.
                None => {
                    later.clear();
                    done.add(first.id, self.undo(first.id).await.map(|e| e.id))?;
                    1
                }
            };
            rest = &rest[many..];
        }
        Ok(done)
    }

    /// Undoes the first entries that touch nothing in common in one transaction; returns how many
    /// it has handled. `later` caches the log after the oldest entry.
    async fn undo_together(&self, of: &[LogEntry], later: &mut Vec<LogEntry>, done: &mut Undone) -> Result<usize> {
        let _turn = self.turn().await?;
        let now = self.platform.now();
        let (act, mut minted) = (self.act_at(now), Ids::new(now, self.platform.seed()));
        if later.last().is_none_or(|e| e.seq != act.base) {
            let oldest = of.last().map_or(act.base, |e| e.seq);
            *later = self.store.log(LogRange::since(oldest)).await?;
        }
        let (mut sets, mut touched, mut many) = (Vec::new(), HashSet::new(), 0);
        let mut group = Undone::default();
        for entry in of.iter().take(GROUP) {
            if reach(entry).any(|id| touched.contains(&id)) {
                break;
            }
            many += 1;
            let behind = later.partition_point(|e| e.seq <= entry.seq);
            match self.reversal_before(entry, &later[behind..], now).await {
                Ok((memories, back, _)) => {
                    let set = undo(entry, &memories, back, act, &mut minted);
                    touched.extend(reach(&set.entry).chain(set.edges.iter().flat_map(|e| [e.from, e.to])));
                    group.entries.push(set.entry.id);
                    later.push(LogEntry { seq: act.base + group.entries.len() as u64, ..set.entry.clone() });
                    sets.push(set);
                }
                Err(e) => group.add(entry.id, Err(e))?,
            }
        }
        if !sets.is_empty() {
            self.commit_all(sets).await?;
        }
        done.entries.append(&mut group.entries);
        done.kept.append(&mut group.kept);
        Ok(many)
    }

    /// Redoes an undone entry. `id` is the entry or its undo.
    pub async fn redo(&self, id: Id) -> Result<LogEntry> {
        let entry = self.logged(id).await?;
        let later = self.store.log(LogRange::since(entry.seq)).await?;
        let gone = taken_back(&later);
        let undo =
            later.iter().rev().find(|e| e.action == Action::Undo && e.about == Some(id) && !gone.contains(&e.id));
        match undo {
            Some(undo) => self.undo(undo.id).await,
            None if entry.action == Action::Undo => self.undo(id).await,
            None => Err(Error::new(Code::InvalidInput, format!("entry {id} was not undone"))),
        }
    }

    pub(super) async fn logged(&self, id: Id) -> Result<LogEntry> {
        self.store.entry(id).await?.ok_or_else(|| missing(id))
    }

    /// Returns the memories an entry touched, what undoing it changes, and the edges of the memories it created.
    pub(super) async fn reversal(&self, entry: &LogEntry, now: Time) -> Result<(Vec<Memory>, Reversal, Vec<Edge>)> {
        let later = self.store.log(LogRange::since(entry.seq)).await?;
        self.reversal_before(entry, &later, now).await
    }

    /// Like [`Self::reversal`], with the log after the entry given as `later`.
    async fn reversal_before(
        &self,
        entry: &LogEntry,
        later: &[LogEntry],
        now: Time,
    ) -> Result<(Vec<Memory>, Reversal, Vec<Edge>)> {
        let memories = self.store.found(&entry.touched).await?;
        undoable(entry, later, &memories)?;
        let mut edges: Vec<Edge> = Vec::new();
        for made in memories.iter().filter(|m| entry.before.iter().all(|s| s.id != m.id)) {
            edges.extend(self.store.edges(made.id).await?);
        }
        let about = match entry.about {
            Some(id) => self.store.entry(id).await?,
            None => None,
        };
        let mut back = reverse(entry, about.as_ref(), &memories, &edges, now);
        // A memory at the other end may have been forgotten since.
        let ends: Vec<Id> = back.edges.iter().flat_map(|e| [e.from, e.to]).collect();
        let ends = self.store.memories(&ends).await?;
        let lost = |id: Id| ends.iter().flatten().all(|m| m.id != id || m.is_forgotten());
        back.edges.retain(|e| !lost(e.from) && !lost(e.to));
        Ok((memories, back, edges))
    }
}

impl Undone {
    fn add(&mut self, id: Id, done: Result<Id>) -> Result<()> {
        match done {
            Ok(by) => self.entries.push(by),
            Err(e) if e.code == Code::HasDependents => self.kept.push(id),
            Err(e) if matches!(e.code, Code::AlreadyUndone | Code::Forgotten | Code::InvalidInput) => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }
}

/// Returns the memories an entry touched, and both ends of the edges it changed.
fn reach(entry: &LogEntry) -> impl Iterator<Item = Id> + '_ {
    entry.touched.iter().copied().chain(entry.edges_before.iter().flat_map(|e| [e.from, e.to]))
}
