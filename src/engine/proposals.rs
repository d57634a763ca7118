//! What mail has said of memories that only their owner changes, and waits for their word: [`Proposals`].
//!
//! Whoever reads the next mail is shown it. It is never taken for what holds.

use super::{Engine, Platform};
use crate::Result;
use crate::consolidation::{Action, LogEntry, open_reviews};
use crate::decision::{Decision, Reason};
use crate::embed::Embedder;
use crate::model::{Draft, Id, Memory, Source};
use crate::store::{LogRange, Seq, Store};

/// The changes that wait, as far as the log was read.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    seen: Seq,
    /// The oldest first.
    waiting: Vec<WaitingChange>,
    /// Memories of which nothing holds until their owner says so: another bank account, a day that had not come.
    suspected: Vec<Id>,
}

/// A change that is withheld from a memory.
#[derive(Debug)]
struct WaitingChange {
    target: Id,
    /// What it would be made of.
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

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// A memory as it would stand, were its owner to agree to what was said last.
    pub(super) async fn as_proposed(&self, memory: &Memory) -> Result<Option<Memory>> {
        if memory.source_type == Source::Realtime {
            return Ok(None);
        }
        self.read_proposals().await?;
        let kept = self.mirror.proposals.borrow();
        // What the owner has noted since stands.
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

    /// The memories that a mail of this thread would have changed, had it the owner's word.
    pub(super) async fn proposed_in(&self, thread: &str) -> Result<Vec<Id>> {
        self.read_proposals().await?;
        let kept = self.mirror.proposals.borrow();
        let of = |p: &&WaitingChange| p.draft.thread_id.as_deref() == Some(thread);
        Ok(kept.waiting.iter().filter(of).map(|p| p.target).collect())
    }

    /// Those of these memories of which nothing holds until their owner says so.
    pub(super) async fn suspected(&self, ids: &[Id]) -> Result<Vec<Id>> {
        self.read_proposals().await?;
        let kept = self.mirror.proposals.borrow();
        Ok(ids.iter().filter(|id| kept.suspected.contains(id)).copied().collect())
    }

    /// Reads what the log has of them since the last time.
    async fn read_proposals(&self) -> Result<()> {
        let after = self.mirror.proposals.borrow().seen;
        let head = self.mirror.seen();
        if head != after {
            let mut log = self.store.log(LogRange::since(after.min(head))).await?;
            // What takes an entry back, settles or empties it may be about any before.
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
