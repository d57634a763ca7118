//! Usage statistics over the daily counters and the log.

use super::budget::{DAYS, Day};
use super::{Engine, LogQuery};
use crate::Result;
use crate::consolidation::{Action, Analyst, Shelf, Status, open_reviews};
use crate::decision::Decision;
use crate::json::read_kept;
use crate::model::Limits;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Usage statistics of the last days.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Pulse {
    /// Current counts of the store.
    pub now: Census,
    /// The days with any activity, oldest first.
    pub days: Vec<Day>,
    /// The sums over these days.
    pub total: Day,
    /// The share of recorded searches with a hit, 0–1; absent if there were none.
    pub hit_rate: Option<f32>,
}

impl Engine {
    /// Returns merges, calls, tokens and the hit rate over the last `days` (1 to 730) with activity.
    pub async fn pulse(&self, days: u32) -> Result<Pulse> {
        Limits::range("days", days, (1, 730))?;
        self.catch_up().await?;
        let days = self.days(days as usize).await?;
        let total = sum(&days);
        let hit_rate = (total.searches > 0).then(|| total.hits as f32 / total.searches as f32);
        Ok(Pulse { now: self.census(), hit_rate, total, days })
    }

    async fn days(&self, most: usize) -> Result<Vec<Day>> {
        let kept = self.store.records(Shelf::Sleep, Some(DAYS), usize::MAX).await?;
        let counted = kept.iter().take_while(|(key, _)| key.starts_with(DAYS));
        let mut days: Vec<Day> = counted.filter_map(|(_, value)| read_kept(value)).collect();
        let from = days.len().saturating_sub(most);
        Ok(days.split_off(from))
    }

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
        for e in &entries {
            let done = e.action == Action::Consolidate && e.status != Status::DryRun;
            if done || matches!(e.action, Action::Delete | Action::Forget) {
                *a.by_decision.entry(e.decision).or_default() += 1;
            }
            *a.by_status.entry(e.status).or_default() += 1;
            a.model_calls += u32::from(e.analyst == Analyst::Model);
            a.tokens += e.tokens;
        }
        a.needs_review = open_reviews(&entries).len() as u32;
        let index = self.mirror.index.borrow();
        a.stored_memories = index.len() as u32;
        a.current_memories = index.rows().filter(|r| r.is_current() && !r.is_archived()).count() as u32;
        Ok(a)
    }
}

/// The counts of memories and nodes in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Census {
    /// Searchable memories and summaries.
    pub active: u32,
    /// Memories covered by a summary.
    pub archived: u32,
    /// Summaries.
    pub summaries: u32,
    /// Active memories of which only a stub is kept.
    pub stubs: u32,
    /// Long-term questions.
    pub queries: u32,
    /// Long-term tags.
    pub tags: u32,
    /// People of long-term memories.
    pub persons: u32,
}

fn sum(days: &[Day]) -> Day {
    days.iter().fold(Day::default(), |a, b| Day {
        day: String::new(),
        searches: a.searches + b.searches,
        hits: a.hits + b.hits,
        merges: a.merges + b.merges,
        calls: a.calls + b.calls,
        tokens: a.tokens + b.tokens,
        sleep_tokens: a.sleep_tokens + b.sleep_tokens,
        cached: a.cached + b.cached,
    })
}

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
    /// Entries decided by a model.
    pub model_calls: u32,
    /// Tokens that models used.
    pub tokens: u32,
    /// Current memories and summaries, archived ones excluded.
    pub current_memories: u32,
    /// Stored memories, all versions included.
    pub stored_memories: u32,
}
