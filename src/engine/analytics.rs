//! Counts and means over the log.

use super::{Engine, LogQuery};
use crate::Result;
use crate::consolidation::{Action, Analyst, Status, open_reviews};
use crate::decision::Decision;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts and means over the log.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Analytics {
    /// Log entries counted.
    pub total_entries: u32,
    /// Decisions carried out, by kind: those about new memories, and the owner's deletions.
    pub by_decision: BTreeMap<Decision, u32>,
    /// Entries by status.
    pub by_status: BTreeMap<Status, u32>,
    /// Entries that need a review by the owner.
    pub needs_review: u32,
    /// The mean similarity score, 0–1, of the entries that have one; 0 if none has.
    pub average_score: f32,
    /// The mean time of a decision, in milliseconds.
    pub average_processing_ms: f64,
    /// Entries decided by a model.
    pub model_calls: u32,
    /// Tokens that models used.
    pub tokens: u32,
    /// Current memories and summaries, archived ones excluded.
    pub current_memories: u32,
    /// Stored memories, all versions included.
    pub stored_memories: u32,
}

impl<S: Store> Engine<S> {
    /// Counts and means over the log entries that match a query.
    pub async fn analytics(&self, query: &LogQuery) -> Result<Analytics> {
        self.catch_up().await?;
        let entries = self.log(query).await?;
        let mut a = Analytics { total_entries: entries.len() as u32, ..Analytics::default() };
        // Kinds that never occurred are reported as 0.
        for decision in Decision::ALL {
            a.by_decision.entry(decision).or_default();
        }
        for status in Status::ALL {
            a.by_status.entry(status).or_default();
        }
        let (mut scored, mut scores, mut millis) = (0u32, 0.0f64, 0.0f64);
        for e in &entries {
            let done = e.action == Action::Consolidate && e.status != Status::DryRun;
            if done || matches!(e.action, Action::Delete | Action::Forget) {
                *a.by_decision.entry(e.decision).or_default() += 1;
            }
            *a.by_status.entry(e.status).or_default() += 1;
            a.model_calls += u32::from(e.analyst == Analyst::Model);
            a.tokens += e.tokens;
            millis += e.processing_ms;
            if let Some(s) = e.similarity {
                scored += 1;
                scores += f64::from(s.score);
            }
        }
        a.needs_review = open_reviews(&entries).len() as u32;
        a.average_score = (scores / f64::from(scored.max(1))) as f32;
        a.average_processing_ms = millis / f64::from(a.total_entries.max(1));
        let index = self.mirror.index.borrow();
        a.stored_memories = index.len() as u32;
        a.current_memories = index.rows().filter(|r| r.is_current() && !r.is_archived()).count() as u32;
        Ok(a)
    }
}
