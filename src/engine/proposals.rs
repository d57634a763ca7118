//! Tracks mail's proposed changes that wait for the owner's review.
//!
//! The model sees them with the next mail of the thread, but they never count as current.

use super::Engine;
use crate::Result;
use crate::consolidation::{Action, LogEntry, open_reviews};
use crate::decision::{Decision, Reason};
use crate::model::{Draft, Id, Memory, Source};
use crate::store::{LogRange, Seq, Store};

/// The waiting changes, up to the log entry `seen`.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    seen: Seq,
    waiting: Vec<WaitingChange>,
    /// Memories not valid until the owner confirms them, such as a new bank account or a date in the future.
    suspected: Vec<Id>,
}

#[derive(Debug)]
struct WaitingChange {
    target: Id,
    draft: Draft,
}

fn suspected(entry: &LogEntry) -> Option<Id> {
    let is = |r: &Reason| matches!(r, Reason::SensitiveChange { .. } | Reason::DateAhead);
    entry.memory_id.filter(|_| entry.decision != Decision::Update && entry.reasons.iter().any(is))
}

fn proposed(entry: &LogEntry) -> Option<WaitingChange> {
    let withheld = entry.decision == Decision::Update && entry.touched.is_empty() && entry.needs_review;
    let draft = entry.draft.as_ref().filter(|_| withheld && entry.redacted.is_none())?;
    Some(WaitingChange { target: entry.target_id?, draft: (**draft).clone() })
}

impl<S: Store> Engine<S> {
    /// Returns a memory with its latest proposed change applied, if there is one.
    pub(super) async fn as_proposed(&self, memory: &Memory) -> Result<Option<Memory>> {
        if memory.source_type == Source::Realtime {
            return Ok(None);
        }
        self.read_proposals().await?;
        let kept = self.mirror.proposals.borrow();
        // A later statement of the owner overrides the proposal.
        let is_newer = |p: &&WaitingChange| p.draft.stated_at.is_none_or(|said| said >= memory.own_time());
        let of = kept.waiting.iter().filter(|p| p.target == memory.id && is_newer(p));
        let newest = of.max_by_key(|p| p.draft.stated_at);
        Ok(newest.map(|WaitingChange { draft, .. }| Memory {
            content: draft.content.clone(),
            category: draft.category.min(memory.category),
            stated_at: draft.stated_at,
            occurred_at: draft.occurred_at.unwrap_or(memory.occurred_at),
            valid_until: draft.valid_until,
            ..memory.clone()
        }))
    }

    /// Returns the memories that withheld changes of this thread target.
    pub(super) async fn proposed_in(&self, thread: &str) -> Result<Vec<Id>> {
        self.read_proposals().await?;
        let kept = self.mirror.proposals.borrow();
        let of = |p: &&WaitingChange| p.draft.thread_id.as_deref() == Some(thread);
        Ok(kept.waiting.iter().filter(of).map(|p| p.target).collect())
    }

    /// Returns which of these memories are not valid until the owner confirms them.
    pub(super) async fn suspected(&self, ids: &[Id]) -> Result<Vec<Id>> {
        self.read_proposals().await?;
        let kept = self.mirror.proposals.borrow();
        Ok(ids.iter().filter(|id| kept.suspected.contains(id)).copied().collect())
    }

    async fn read_proposals(&self) -> Result<()> {
        let after = self.mirror.proposals.borrow().seen;
        let head = self.mirror.seen();
        if head != after {
            let mut log = self.store.log(LogRange::since(after.min(head))).await?;
            // Undo, forget and reviews may concern any earlier entry, so the whole log is read again.
            let is_plain = |e: &LogEntry| e.about.is_none() && !matches!(e.action, Action::Forget | Action::Undo);
            let starts_anew = head < after || !log.iter().all(is_plain);
            if starts_anew && after > 0 {
                log = self.store.log(LogRange::default()).await?;
            }
            let mut kept = self.mirror.proposals.borrow_mut();
            if starts_anew {
                kept.waiting.clear();
                kept.suspected.clear();
            }
            let open = open_reviews(&log);
            kept.suspected.extend(open.iter().copied().filter_map(suspected));
            kept.waiting.extend(open.into_iter().filter_map(proposed));
            kept.seen = log.last().map_or(0, |e| e.seq).max(if starts_anew { 0 } else { after });
        }
        Ok(())
    }
}
