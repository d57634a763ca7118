//! What somebody without standing has said, once somebody who has it goes on from there.

use super::deciding::Settled;
use super::{Consolidate, Engine, Platform};
use crate::Result;
use crate::analysis::words::{Kind, Word, words};
use crate::consolidation::{ChangeSet, LogEntry, Status, join_before, taken_back};
use crate::decision::{Decision, Reason};
use crate::embed::Embedder;
use crate::language::{Match, Reference, Value, values};
use crate::model::{Draft, EdgeKind, Id, Memory, Source, Zone};
use crate::store::{LogRange, Store};

/// Changes that are followed back.
const MOST_KEPT: usize = 4;

/// Changes that were kept beside what they would have replaced, each beside what the one before it was kept beside.
pub(super) struct Unsettled(Vec<KeptChange>);

/// One of them.
struct KeptChange {
    /// The entry that kept it.
    entry: Id,
    /// The versions made of it, oldest first, as they were read.
    chain: Vec<Memory>,
    /// What it would have replaced.
    earlier: Memory,
}

impl Unsettled {
    /// Lets the changes stand, where a set goes on from them and nobody has to look at that: what they would have replaced
    /// becomes the first of its versions. What was said before them goes on from nothing.
    pub fn confirm<P: Platform>(self, set: &mut ChangeSet, platform: &P) {
        let entry = &set.entry;
        let older = entry.reasons.contains(&Reason::OlderThanStored);
        if entry.decision == Decision::Update && entry.status == Status::Success && !entry.needs_review && !older {
            for KeptChange { entry, chain, earlier } in self.0 {
                set.entry.reasons.push(Reason::Confirmed { entry });
                join_before(set, chain, earlier, platform.now());
            }
        }
    }

    /// Whether a text has a value or a name from these changes that whoever goes on from there has not said: nobody with
    /// standing has.
    fn is_only_carried(&self, draft: &Draft, said: &str, zone: Zone) -> bool {
        let at = draft.stated_at.map(|now| Reference { now, zone });
        let has = |text: &str, value: &Value| {
            values(text, at).iter().any(|f| f.value == *value || f.value.compare(value) == Match::Same)
        };
        let before = self.0.last().map_or("", |change| &change.earlier.content);
        let kept = || self.0.iter().flat_map(|change| &change.chain);
        let carried = |value: &Value| {
            !has(said, value) && !has(before, value) && kept().any(|version| has(&version.content, value))
        };
        let names = |text: &str, name: &Word| words(text).iter().any(|w| w.stem == name.stem);
        let is_name = |w: &Word| {
            // Inside a sentence a capital letter makes a name of any word.
            let inside = !draft.content[..w.start].trim_end().ends_with(['.', '!', '?', ':', '·']) && w.start > 0;
            let capital = inside && draft.content[w.start..].starts_with(char::is_uppercase);
            !w.function && (w.kind == Kind::Latin && capital || w.kind == Kind::Hangul && w.sense.is_none())
        };
        let alone = |name: &Word| {
            !names(said, name) && !names(before, name) && kept().any(|version| names(&version.content, name))
        };
        values(&draft.content, at).iter().any(|f| carried(&f.value))
            || words(&draft.content).iter().any(|w| is_name(w) && alone(w))
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
    /// The changes that wait where a model has read one as going on from the last of them, and whoever speaks may replace what
    /// the first of them would have replaced.
    pub(super) async fn gone_on_from(
        &self,
        draft: &Draft,
        settled: &Settled,
        how: &Consolidate<'_>,
    ) -> Result<Option<Unsettled>> {
        let decided = &settled.decided;
        let replaces = settled.wording.is_some() && decided.decision == Decision::Update;
        let Some(target) = decided.target.filter(|_| replaces) else { return Ok(None) };
        let may = |m: &Memory| how.speaker.as_ref().is_none_or(|speaker| speaker.may_replace(draft, m));
        let (mut kept, mut last) = (Vec::new(), target);
        while kept.len() < MOST_KEPT {
            let Some(change) = self.kept_change(last).await? else { break };
            last = change.earlier.id;
            let settles = may(&change.earlier);
            kept.push(change);
            if settles {
                let said = settled.wording.as_ref().map_or("", |w| &w.said);
                return Ok(Some(Unsettled(kept)).filter(|kept| !kept.is_only_carried(draft, said, self.options.zone)));
            }
        }
        Ok(None)
    }

    /// The change that a memory was made of and that waits beside what it would have replaced.
    async fn kept_change(&self, memory: Id) -> Result<Option<KeptChange>> {
        let chain = self.chain_over(memory, &[]).await?;
        let Some(first) = chain.first().map(|m| m.id) else { return Ok(None) };
        let doubts = self.store.edges_at(&[first]).await?;
        if !doubts.iter().any(|e| e.kind == EdgeKind::MayReplace && e.to == first) {
            return Ok(None);
        }
        let log = self.store.log(LogRange::default()).await?;
        let gone = taken_back(&log);
        let waits = |e: &&LogEntry| e.memory_id == Some(first) && !gone.contains(&e.id) && lacked_standing(e);
        let Some(waiting) = log.iter().find(waits) else { return Ok(None) };
        let open = |m: &Memory| m.is_current() && m.source_type == Source::Realtime;
        let earlier = self.get_any(waiting.target_id).await?.filter(open);
        Ok(earlier.map(|earlier| KeptChange { entry: waiting.id, chain, earlier }))
    }
}
