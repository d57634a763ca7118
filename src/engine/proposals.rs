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
    /// What would be changed, and the text that it would have; the oldest first.
    waiting: Vec<(Id, String)>,
}

/// The text of a change that is withheld from a memory.
fn proposed(entry: &LogEntry) -> Option<(Id, String)> {
    let withheld = entry.decision == Decision::Update && entry.touched.is_empty() && entry.needs_review;
    let draft = entry.draft.as_ref().filter(|_| withheld && entry.redacted.is_none())?;
    Some((entry.target_id?, draft.content.clone()))
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// What would be the text of some of these memories, were their owner to agree; the newest of each.
    pub(super) async fn proposals(&self, memories: &[Memory]) -> Result<Vec<(Id, String)>> {
        if memories.iter().all(|m| m.source_type == Source::Realtime) {
            return Ok(Vec::new());
        }
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
        let kept = self.mirror.proposals.borrow();
        let newest = |m: &Memory| kept.waiting.iter().rev().find(|(id, _)| *id == m.id).cloned();
        Ok(memories.iter().filter_map(newest).collect())
    }
}
