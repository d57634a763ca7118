//! Keeps summaries consistent: when a source changes, its summary is deleted in the same commit and
//! the other sources are restored.

use super::Engine;
use crate::Result;
use crate::consolidation::{Action, ChangeSet, amend};
use crate::model::{Edge, EdgeKind, Generation, Id, Memory, NodeType};
use crate::store::Store;

impl<S: Store> Engine<S> {
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

    /// Returns a memory as a change set will leave it.
    async fn as_planned(&self, set: &ChangeSet, id: Id) -> Result<Option<Memory>> {
        match set.memories.iter().find(|m| m.id == id) {
            Some(planned) => Ok(Some(planned.clone())),
            None => self.stored(id).await,
        }
    }
}
