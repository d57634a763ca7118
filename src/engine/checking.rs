//! Verifies the invariants of the store.

use super::Engine;
use super::versions::is_memory;
use crate::Result;
use crate::consolidation::{Problem, Rule, StoreCheck};
use crate::model::Id;
use crate::store::Store;
use serde::{Deserialize, Serialize};

/// The result of [`Engine::check`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// Memories checked, all versions included.
    pub memories: u32,
    /// Edges checked.
    pub edges: u32,
    /// Log entries checked.
    pub entries: u32,
    /// Every violated invariant; empty if there is none.
    pub problems: Vec<Problem>,
}

impl<S: Store> Engine<S> {
    /// Verifies every invariant of the store and reports violations. Changes nothing.
    pub async fn check(&self) -> Result<CheckReport> {
        let _turn = self.turn().await?;
        let memories = self.everything().await?;
        let edges = self.all_edges().await?;
        let log = self.log_since(0).await?;
        let (mut checking, mut slices) = (StoreCheck::new(&memories, &edges, &log), self.slices());
        while checking.step() {
            slices.next().await;
        }
        let mut problems = checking.found;
        let mut wrong = |rule, id, message: String| problems.push(Problem { rule, id, message });
        let head = self.store.head().await?;
        if log.len() as u64 != head {
            wrong(Rule::Counter, None, format!("the store counts {head} commits but has {} log entries", log.len()));
        }
        let indexed = self.mirror.index.borrow().len();
        let count = memories.iter().filter(|m| is_memory(m)).count();
        if indexed != count {
            wrong(Rule::Counter, None, format!("{count} memories are stored but {indexed} are indexed"));
        }
        for e in log.iter().filter(|e| e.key.is_some()) {
            let found = self.store.entry_by_key(e.key.as_deref().unwrap_or_default()).await?;
            if found.is_none_or(|f| f.id != e.id) {
                wrong(Rule::HandledOnce, Some(e.id), "is not found by its key".to_owned());
            }
            slices.next().await;
        }
        let forgotten: Vec<Id> = memories.iter().filter(|m| m.is_forgotten()).map(|m| m.id).collect();
        for (id, vector) in forgotten.iter().zip(self.store.vectors(&forgotten).await?) {
            if vector.is_some() {
                wrong(Rule::Forgotten, Some(*id), "is forgotten but still has a vector".to_owned());
            }
            if !self.embedding_records(*id).await?.is_empty() {
                wrong(Rule::Forgotten, Some(*id), "is forgotten but still has a vector of another embedder".to_owned());
            }
            slices.next().await;
        }
        let (memories, edges, entries) = (memories.len() as u32, edges.len() as u32, log.len() as u32);
        Ok(CheckReport { memories, edges, entries, problems })
    }
}
