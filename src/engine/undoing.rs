//! Taking entries of the log back, and back again.

use super::removing::missing;
use super::{Engine, Platform};
use crate::consolidation::{Action, LogEntry, Reversal, reverse, taken_back, undo, undoable};
use crate::embed::Embedder;
use crate::model::{Edge, Id, Memory, Time};
use crate::store::{LogRange, Store};
use crate::{Code, Error, Result};

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
        let memories = self.store.found(&entry.touched).await?;
        undoable(entry, &later, &memories)?;
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
