//! Taking entries of the log back, and back again.

use super::removing::missing;
use super::{Engine, PAGE, Platform, unless_outrun};
use crate::consolidation::{Action, LogEntry, Reversal, reverse, taken_back, undo, undoable};
use crate::embed::Embedder;
use crate::model::{Edge, Id, Ids, Memory, Time};
use crate::store::{LogRange, Store};
use crate::{Code, Error, Result};
use serde::Serialize;
use std::collections::HashSet;

/// Entries that are taken back in one transaction.
const GROUP: usize = 64;

/// What became of many entries that were to be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, tsify::Tsify)]
pub struct Undone {
    /// The entries that did so, in the order in which that was done. Taking these back does all of it again.
    pub entries: Vec<Id>,
    /// Those that stay, since later entries build on them.
    pub kept: Vec<Id>,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Takes an entry back: what it created is deleted, what it changed stands as it stood. Undoing the undo does it again.
    ///
    /// # Errors
    /// [`Code::NotFound`], [`Code::AlreadyUndone`], [`Code::HasDependents`] with the entries that build on it,
    /// [`Code::Forgotten`], [`Code::InvalidInput`] for an entry that did nothing; those of the store.
    pub async fn undo(&self, id: Id) -> Result<LogEntry> {
        self.act(async |act, ids| {
            let entry = self.logged(id).await?;
            let (memories, back, _) = self.reversal(&entry, act.now).await?;
            Ok(undo(&entry, &memories, back, act, ids))
        })
        .await
    }

    /// Takes many entries back, the latest first. What is not there, was taken back before, is forgotten or did nothing is left out.
    ///
    /// # Errors
    /// Those of the store; what was taken back by then stays so.
    pub async fn undo_all(&self, ids: &[Id]) -> Result<Undone> {
        if ids.is_empty() || ids.len() > PAGE {
            return Err(Error::field("ids", format!("are not 1 to {PAGE}")));
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
                // Another tab writes, or two of them change one thing beside them: by itself then.
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

    /// Takes back as many of the first of these as touch nothing in common, in one transaction; gives how many it has looked at.
    /// `later` is the log behind the last of all, as far as it was read.
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

    /// Does again what was taken back; `id` is that of the entry or of its undo.
    ///
    /// # Errors
    /// Those of [`Engine::undo`]; [`Code::InvalidInput`] for an entry that is in force.
    pub async fn redo(&self, id: Id) -> Result<LogEntry> {
        let entry = self.logged(id).await?;
        let later = self.store.log(LogRange::since(entry.seq)).await?;
        let gone = taken_back(&later);
        let undo =
            later.iter().rev().find(|e| e.action == Action::Undo && e.about == Some(id) && !gone.contains(&e.id));
        match undo {
            Some(undo) => self.undo(undo.id).await,
            None if entry.action == Action::Undo => self.undo(id).await,
            None => Err(Error::new(Code::InvalidInput, format!("entry {id} was not taken back"))),
        }
    }

    pub(super) async fn logged(&self, id: Id) -> Result<LogEntry> {
        self.store.entry(id).await?.ok_or_else(|| missing(id))
    }

    /// The memories that an entry touched, what taking it back changes, and the edges at the memories it made.
    pub(super) async fn reversal(&self, entry: &LogEntry, now: Time) -> Result<(Vec<Memory>, Reversal, Vec<Edge>)> {
        let later = self.store.log(LogRange::since(entry.seq)).await?;
        self.reversal_before(entry, &later, now).await
    }

    /// The same, of an entry before `later`, the log behind it.
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
        // What is at the other end may have been forgotten since.
        let ends: Vec<Id> = back.edges.iter().flat_map(|e| [e.from, e.to]).collect();
        let ends = self.store.memories(&ends).await?;
        let lost = |id: Id| ends.iter().flatten().all(|m| m.id != id || m.is_forgotten());
        back.edges.retain(|e| !lost(e.from) && !lost(e.to));
        Ok((memories, back, edges))
    }
}

impl Undone {
    /// Notes what became of one.
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

/// The memories that an entry touched, and those at the ends of the edges that it moved or removed.
fn reach(entry: &LogEntry) -> impl Iterator<Item = Id> + '_ {
    entry.touched.iter().copied().chain(entry.edges_before.iter().flat_map(|e| [e.from, e.to]))
}
