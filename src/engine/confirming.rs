//! What somebody without standing has said, once somebody who has it goes on from there.

use super::deciding::Settled;
use super::{Consolidate, Engine, Platform};
use crate::Result;
use crate::consolidation::{ChangeSet, LogEntry, Status, join_before, taken_back};
use crate::decision::{Decision, Reason};
use crate::embed::Embedder;
use crate::model::{Draft, EdgeKind, Id, Memory, Source};
use crate::store::{LogRange, Store};

/// A change that was kept beside what it would have replaced, and is gone on from.
pub(super) struct Unsettled {
    /// The entry that kept it.
    entry: Id,
    /// The versions made of it, oldest first, as they were read.
    chain: Vec<Memory>,
    /// What it would have replaced.
    earlier: Memory,
}

impl Unsettled {
    /// Lets the change stand, where a set goes on from it and nobody has to look at that: what it would have replaced becomes
    /// the first of its versions.
    pub fn confirm<P: Platform>(self, set: &mut ChangeSet, platform: &P) {
        let entry = &set.entry;
        if entry.decision == Decision::Update && entry.status == Status::Success && !entry.needs_review {
            set.entry.reasons.push(Reason::Confirmed { entry: self.entry });
            join_before(set, self.chain, self.earlier, platform.now());
        }
    }
}

/// Whether an entry kept a change beside what it would have replaced, for nothing but its speaker's standing.
fn lacked_standing(entry: &LogEntry) -> bool {
    let has = |is: fn(&Reason) -> bool| entry.reasons.iter().any(is);
    entry.redacted.is_none()
        && has(|r| matches!(r, Reason::NoStanding { .. }))
        && !has(|r| matches!(r, Reason::SensitiveChange { .. } | Reason::DateAhead))
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The change that waits where a model has read one as going on from it, and whoever speaks may replace what that change
    /// would have replaced.
    pub(super) async fn gone_on_from(
        &self,
        draft: &Draft,
        settled: &Settled,
        how: &Consolidate<'_>,
    ) -> Result<Option<Unsettled>> {
        let decided = &settled.decided;
        let replaces = settled.wording.is_some() && decided.decision == Decision::Update;
        let Some(target) = decided.target.filter(|_| replaces) else { return Ok(None) };
        let chain = self.chain_over(target, &[]).await?;
        let Some(first) = chain.first().map(|m| m.id) else { return Ok(None) };
        let doubts = self.store.edges_at(&[first]).await?;
        if !doubts.iter().any(|e| e.kind == EdgeKind::MayReplace && e.to == first) {
            return Ok(None);
        }
        let log = self.store.log(LogRange::default()).await?;
        let gone = taken_back(&log);
        let kept = |e: &&LogEntry| e.memory_id == Some(first) && !gone.contains(&e.id) && lacked_standing(e);
        let Some(waiting) = log.iter().find(kept) else { return Ok(None) };
        let may = |m: &Memory| how.speaker.as_ref().is_none_or(|speaker| speaker.may_replace(draft, m));
        let open = |m: &Memory| m.is_current() && m.source_type == Source::Realtime && may(m);
        let earlier = self.get_any(waiting.target_id).await?.filter(open);
        Ok(earlier.map(|earlier| Unsettled { entry: waiting.id, chain, earlier }))
    }
}
