//! Versions of memories: chains, earlier states, and undo.

use super::removing::missing;
use super::{Engine, PAGE};
use crate::consolidation::{
    Act, Action, ChangeSet, LogEntry, Reversal, View, When, amend, holds_at, reverse, taken_back, undo, undoable,
};
use crate::model::{Edge, EdgeKind, Generation, Id, Ids, Memory, NodeType, Time};
use crate::store::LogRange;
use crate::{Code, Error, Result};
use serde::Serialize;

pub(super) fn is_memory(m: &Memory) -> bool {
    matches!(m.node_type, NodeType::Memory | NodeType::Summary)
}

impl Engine {
    /// Returns all versions of a memory, oldest first. If another memory has superseded it, that memory's versions too.
    pub async fn history(&self, id: Id) -> Result<Vec<Memory>> {
        self.history_with(id, &[], &View::default()).await
    }

    /// The versions that were known at another time (`as_of`), or the one that was true then (`valid_at`).
    pub async fn history_at(&self, id: Id, when: &When) -> Result<Vec<Memory>> {
        let seen = self.view(when).await?;
        let line = self.history_with(id, &[], &seen).await?;
        let known = |m: &Memory| when.as_of.is_none() || m.deleted_at.is_none();
        let wanted = |n: usize, m: &Memory| match when.valid_at {
            Some(at) => holds_at(m, line.get(n + 1), at, self.options.zone),
            None => known(m),
        };
        Ok(line.iter().enumerate().filter(|(n, m)| wanted(*n, m)).map(|(_, m)| m.clone()).collect())
    }

    pub(super) async fn view(&self, when: &When) -> Result<View> {
        Ok(match when.as_of {
            Some(then) => View::at(then, &self.store.log(LogRange::default()).await?),
            None => View::default(),
        })
    }

    pub(super) async fn held(&self, memory: &Memory, seen: &View, at: Time) -> Result<bool> {
        let next = self.get_any(memory.superseded_by).await?.and_then(|m| seen.stood(m));
        Ok(holds_at(memory, next.as_ref(), at, self.options.zone))
    }

    /// The versions before and after a memory, as seen then. `changed` replaces stored memories.
    pub(super) async fn history_with(&self, id: Id, changed: &[Memory], seen: &View) -> Result<Vec<Memory>> {
        let read = async |id: Option<Id>| {
            let found = match id.and_then(|id| changed.iter().find(|m| m.id == id)) {
                Some(memory) => Some(memory.clone()),
                None => self.get_any(id).await?,
            };
            // In the present, tombstones keep their place.
            Ok::<_, crate::Error>(found.and_then(|m| if seen.is_present() { Some(m) } else { seen.stood(m) }))
        };
        let mut line: Vec<Memory> = read(Some(id)).await?.into_iter().collect();
        // A chain never visits a memory twice; the bound guards against a cycle in bad data.
        while let Some(first) = line.last().filter(|_| line.len() < PAGE) {
            match read(first.previous_version_id).await? {
                Some(previous) => line.push(previous),
                None => break,
            }
        }
        line.reverse();
        while let Some(last) = line.last().filter(|_| line.len() < 2 * PAGE) {
            match read(last.superseded_by).await? {
                Some(next) => line.push(next),
                None => break,
            }
        }
        Ok(line)
    }

    /// The chain of the head that a memory leads to. `changed` replaces stored memories.
    pub(super) async fn chain_over(&self, id: Id, changed: &[Memory]) -> Result<Vec<Memory>> {
        match self.history_with(id, changed, &View::default()).await?.last() {
            Some(head) => self.history_with(head.id, changed, &View::default()).await,
            None => Ok(Vec::new()),
        }
    }

    /// All versions with the same head as this one, also of other chains that it superseded.
    pub(super) async fn family(&self, id: Id) -> Result<Vec<Memory>> {
        let mut family = self.history(id).await?;
        loop {
            let more: Vec<Id> = {
                let index = self.mirror.index.borrow();
                let here = |id: Id| family.iter().any(|m| m.id == id);
                let before = family.iter().filter_map(|m| m.previous_version_id).filter(|id| !here(*id));
                let ids: Vec<Id> = family.iter().map(|m| m.id).collect();
                let beside = index.replaced_by(&ids).into_iter().filter(|id| !here(*id));
                before.chain(beside).collect()
            };
            let found = self.store.found(&more).await?;
            if found.is_empty() {
                return Ok(family);
            }
            for memory in found {
                if family.iter().all(|m| m.id != memory.id) {
                    family.push(memory);
                }
            }
        }
    }

    pub(super) async fn get_any(&self, id: Option<Id>) -> Result<Option<Memory>> {
        match id {
            Some(id) => self.stored(id).await,
            None => Ok(None),
        }
    }

    /// Adds the effects on summaries to a change set. A summary lives while all its sources are
    /// current; a source stays archived while a summary covers it.
    pub(super) async fn update_summaries(&self, set: &mut ChangeSet) -> Result<()> {
        if matches!(set.entry.action, Action::Merge | Action::Adopt | Action::Tend | Action::Import) {
            return Ok(());
        }
        let mut summaries: Vec<Id> = Vec::new();
        for m in &set.memories {
            if m.node_type == NodeType::Summary {
                summaries.push(m.id);
            } else if m.generation == Generation::Archived || self.was_archived(set, m.id) {
                summaries.extend(self.folded(m.id, true).await?);
            }
        }
        let mut at = 0;
        while let Some(id) = summaries.get(at).copied() {
            at += 1;
            if summaries[..at - 1].contains(&id) {
                continue;
            }
            let Some(summary) = self.as_planned(set, id).await? else { continue };
            let mut sources = Vec::new();
            for source in self.folded(id, false).await? {
                sources.extend(self.as_planned(set, source).await?);
            }
            let sound = sources.iter().all(Memory::is_current);
            if summary.is_current() && sound {
                continue;
            }
            if summary.is_current() {
                let now = set.entry.time;
                amend(set, &summary, |m| m.deleted_at = Some(now));
            }
            for source in sources.iter().filter(|m| m.is_current() && m.generation == Generation::Archived) {
                let mut held = false;
                for other in self.folded(source.id, true).await?.into_iter().filter(|other| *other != id) {
                    held |= self.as_planned(set, other).await?.is_some_and(|m| m.is_current());
                }
                if !held {
                    amend(set, source, |m| m.generation = Generation::Old);
                }
            }
        }
        Ok(())
    }

    fn was_archived(&self, set: &ChangeSet, id: Id) -> bool {
        set.entry.before.iter().any(|s| s.id == id && s.generation == Some(Generation::Archived))
    }

    /// Returns the summaries of a memory (`up`), or the sources of a summary.
    pub(super) async fn folded(&self, id: Id, up: bool) -> Result<Vec<Id>> {
        let here = |e: &Edge| e.kind == EdgeKind::ConsolidatedInto && if up { e.from == id } else { e.to == id };
        let edges = self.store.edges(id).await?.into_iter().filter(here);
        Ok(edges.map(|e| if up { e.to } else { e.from }).collect())
    }

    /// Returns the summary of an archived memory together with that memory; other memories unchanged.
    pub(super) async fn folded_into(&self, memory: Memory) -> Result<(Memory, Option<Memory>)> {
        if memory.generation == Generation::Archived {
            let ids = self.folded(memory.id, true).await?;
            let known = self.store.found(&ids).await?.into_iter().find(Memory::is_current);
            if let Some(summary) = known {
                return Ok((summary, Some(memory)));
            }
        }
        Ok((memory, None))
    }

    async fn as_planned(&self, set: &ChangeSet, id: Id) -> Result<Option<Memory>> {
        match set.memories.iter().find(|m| m.id == id) {
            Some(planned) => Ok(Some(planned.clone())),
            None => self.stored(id).await,
        }
    }

    /// Undoes an entry: deletes what it created and restores what it changed. Undoing the undo redoes it.
    pub async fn undo(&self, id: Id) -> Result<LogEntry> {
        self.act(async |act, ids| {
            let entry = self.logged(id).await?;
            self.plan_undo(&entry, &self.store.log(LogRange::since(entry.seq)).await?, act, ids).await
        })
        .await
    }

    /// Plans the undo of an entry. `later` is the log after it.
    pub(super) async fn plan_undo(
        &self,
        entry: &LogEntry,
        later: &[LogEntry],
        act: Act<'_>,
        ids: &mut Ids,
    ) -> Result<ChangeSet> {
        let (memories, back, _) = self.reversal(entry, later, act.now).await?;
        Ok(undo(entry, &memories, back, act, ids))
    }

    /// Undoes up to 1,000 entries, latest first; skips those without effect.
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
        let (mut undone, mut later) = (Undone::default(), Vec::new());
        for entry in &asked {
            let plan = async |act: Act<'_>, minted: &mut Ids| {
                // The log is read once; the undos are appended.
                let last = later.last().or(asked.last()).map_or(entry.seq, |e: &LogEntry| e.seq);
                later.extend(self.store.log(LogRange::since(last)).await?);
                let behind = later.partition_point(|e| e.seq <= entry.seq);
                self.plan_undo(entry, &later[behind..], act, minted).await.map(Some)
            };
            match self.act_if(|| self.platform.now(), plan).await {
                Ok(done) => undone.entries.extend(done.map(|e| e.id)),
                Err(e) if e.code == Code::HasDependents => undone.kept.push(entry.id),
                Err(e) if matches!(e.code, Code::AlreadyUndone | Code::Forgotten | Code::InvalidInput) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(undone)
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

    /// The wanted log entries that were not undone.
    pub(super) async fn entries_in_force(&self, wanted: impl Fn(&LogEntry) -> bool) -> Result<Vec<LogEntry>> {
        let mut log = self.log_where(0, |e| e.action == Action::Undo || wanted(e)).await?;
        let gone = taken_back(&log);
        log.retain(|e| wanted(e) && !gone.contains(&e.id));
        Ok(log)
    }

    pub(super) async fn logged(&self, id: Id) -> Result<LogEntry> {
        self.store.entry(id).await?.ok_or_else(|| missing(id))
    }

    /// Returns the memories an entry touched, what undoing it changes, and the edges of the memories it created.
    pub(super) async fn reversal(
        &self,
        entry: &LogEntry,
        later: &[LogEntry],
        now: Time,
    ) -> Result<(Vec<Memory>, Reversal, Vec<Edge>)> {
        let memories = self.store.found(&entry.touched).await?;
        undoable(entry, later, &memories)?;
        let made = memories.iter().map(|m| m.id).filter(|id| entry.before.iter().all(|s| s.id != *id));
        let edges = self.store.edges_at(&made.collect::<Vec<_>>()).await?;
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

/// The result of undoing several entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, tsify::Tsify)]
pub struct Undone {
    /// The undo entries, in order. Undoing these redoes everything.
    pub entries: Vec<Id>,
    /// The entries not undone because later ones build on them.
    pub kept: Vec<Id>,
}
