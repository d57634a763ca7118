//! What mail has said of memories that only their owner changes, and waits for their word: [`Proposals`].
//!
//! Whoever reads the next mail is shown it. It is never taken for what holds.

use super::{Engine, Platform};
use crate::Result;
use crate::consolidation::{Action, LogEntry, open_reviews};
use crate::decision::Decision;
use crate::embed::Embedder;
use crate::model::{Id, Memory, Source};
use crate::store::{LogRange, Seq, Store};

/// The changes that wait, as far as the log was read.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    seen: Seq,
    /// The oldest first.
    waiting: Vec<WaitingChange>,
}

/// A change that is withheld from a memory.
#[derive(Debug)]
struct WaitingChange {
    target: Id,
    /// The text that it would have.
    text: String,
    thread: Option<String>,
}

fn proposed(entry: &LogEntry) -> Option<WaitingChange> {
    let withheld = entry.decision == Decision::Update && entry.touched.is_empty() && entry.needs_review;
    let draft = entry.draft.as_ref().filter(|_| withheld && entry.redacted.is_none())?;
    Some(WaitingChange { target: entry.target_id?, text: draft.content.clone(), thread: draft.thread_id.clone() })
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// What would be the text of some of these memories, were their owner to agree; the newest of each.
    pub(super) async fn proposals(&self, memories: &[Memory]) -> Result<Vec<(Id, String)>> {
        if memories.iter().all(|m| m.source_type == Source::Realtime) {
            return Ok(Vec::new());
        }
        self.read_proposals().await?;
        let kept = self.mirror.proposals.borrow();
        let newest = |m: &Memory| kept.waiting.iter().rev().find(|p| p.target == m.id).map(|p| (m.id, p.text.clone()));
        Ok(memories.iter().filter_map(newest).collect())
    }

    /// The memories that a mail of this thread would have changed, had it the owner's word.
    pub(super) async fn proposed_in(&self, thread: &str) -> Result<Vec<Id>> {
        self.read_proposals().await?;
        let kept = self.mirror.proposals.borrow();
        let of = |p: &&WaitingChange| p.thread.as_deref() == Some(thread);
        Ok(kept.waiting.iter().filter(of).map(|p| p.target).collect())
    }

    /// Reads what the log has of them since the last time.
    async fn read_proposals(&self) -> Result<()> {
        let after = self.mirror.proposals.borrow().seen;
        let head = self.mirror.seen();
        if head != after {
            let mut log = self.store.log(LogRange { after: after.min(head), ..LogRange::default() }).await?;
            // What takes an entry back, settles or empties it may be about any before.
            let is_plain = |e: &LogEntry| e.about.is_none() && !matches!(e.action, Action::Forget | Action::Undo);
            let starts_anew = head < after || !log.iter().all(is_plain);
            if starts_anew && after > 0 {
                log = self.store.log(LogRange::default()).await?;
            }
            let mut kept = self.mirror.proposals.borrow_mut();
            if starts_anew {
                kept.waiting.clear();
            }
            kept.waiting.extend(open_reviews(&log).into_iter().filter_map(proposed));
            kept.seen = log.last().map_or(0, |e| e.seq).max(if starts_anew { 0 } else { after });
        }
        Ok(())
    }
}
