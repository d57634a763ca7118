//! Consolidates one draft: finds candidates, decides, plans and commits.

use super::deciding::{ComparedMemories, QuestionState};
use super::embeddings::keeps_no_vector;
use super::model_client::store_answers;
use super::removing::changeable_head;
use super::speaking::may_repeat;
use super::{Consolidate, Engine, Receipt};
use super::{MAX_ATTEMPTS, outrun, unless_outrun};
use crate::Result;
use crate::analysis::{Analysis, Outcome, Reading, compare};
use crate::consolidation::{Act, ChangeSet, ContentMerge, Input, LogEntry, Planned, Status, Wording, plan};
use crate::decision::{Candidate, Decided, Decision, Marked, Ruling, apply_candidate_rules, marked, was_said_before};
use crate::model::{Claim, Draft, Id, Ids, Memory, NodeType, Retention, Source};
use crate::search::{Row, TopicTerms};
use crate::similarity::{cosine, factors, rank, score};
use std::cell::LazyCell;

/// Candidates by vector, and (`BY_TERMS`) by shared terms.
const BY_VECTOR: usize = 10;
/// Similarity of texts that share letters but no topic words; below the link band.
const BY_CHANCE: f32 = 0.45;
const BY_TERMS: usize = 6;
const MAX_CANDIDATES: usize = 20;
/// Importance from which replacing a stored memory takes extra care.
const IMPORTANT: f32 = 0.7;

impl Engine {
    /// Compares a new memory with the stored ones and writes the decision in one commit; starts over if others wrote.
    pub async fn consolidate(&self, draft: Draft, how: &Consolidate<'_>) -> Result<Receipt> {
        let mut asked = QuestionState::default();
        if let Some(id) = how.replaces {
            asked.replaces = Some(changeable_head(&self.chain_over(id, &[]).await?, id)?.id);
        }
        self.consolidate_with(draft, how, &mut asked).await
    }

    pub(super) async fn consolidate_with(
        &self,
        mut draft: Draft,
        how: &Consolidate<'_>,
        asked: &mut QuestionState,
    ) -> Result<Receipt> {
        draft.validate()?;
        let started = self.platform.ticks();
        let meant = self.meant_by(&draft, how).await?;
        let mut turn = Some(self.mirror.turn.lock().await);
        for _ in 0..MAX_ATTEMPTS {
            how.cancel.check()?;
            self.catch_up().await?;
            let base = self.mirror.seen();
            if let Some(entry) = self.handled_before(how.key.as_deref()).await? {
                return self.replay(entry).await;
            }
            let named = asked.referenced_memories();
            let mut known = Box::pin(self.compare_with_stored(&draft, meant.as_deref(), &named)).await?;
            if self.options.policy.use_property_analysis {
                apply_candidate_rules(&mut known.pairs, &draft, &|m| self.mirror.reading(m));
            }
            let Some(settled) = self.decide_or_ask(&mut draft, &known, asked, &mut turn, how.cancel).await? else {
                continue;
            };
            let told = settled.next_draft(&draft);
            let unconfirmed = self.confirmed_target(&settled.decided, &known).await?;
            let decided = self.limit_to_authority(&told, &settled, unconfirmed.as_ref(), &known, asked, how);
            let may_replace = decided.decision == Decision::Update || decided.links.iter().any(|l| l.may_replace);
            let again = settled.again && may_repeat(&told, &decided, &known, how);
            let heard = (settled.wording.as_ref(), again);
            let mut planned = self.plan(&told, decided, known.pairs, heard, how).await?;
            // A search has read a commit of another tab that was never compared.
            if planned.set.base != Some(base) {
                continue;
            }
            settled.note_input(&draft, &mut planned.set.entry);
            planned.set.entry.processing_ms = self.platform.ticks() - started;
            let tokens = asked.unlogged;
            planned.set.entry.tokens = tokens;
            // Another import may have compared it by now, with the memories of that time.
            if draft.is_minor && (!may_replace || self.are_minor_compared(&asked.minor_key).await?) {
                let entry = LogEntry { status: Status::DryRun, ..planned.set.entry };
                return Ok(Receipt { entry, memory: None, replayed: false });
            }
            if how.dry_run {
                asked.mark_logged(tokens);
                let entry = self.log_dry_run(planned.set.entry).await?;
                return Ok(Receipt { entry, memory: planned.memory, replayed: false });
            }
            planned.set.records.extend(store_answers(&*self.store, asked.cache_texts.clone()).await?);
            match unless_outrun(self.commit(planned.set).await)? {
                Some(Ok(entry)) => {
                    asked.mark_logged(tokens);
                    drop(turn);
                    // A merge has changed the text.
                    if planned.memory.as_ref().is_some_and(|m| m.content != draft.content) {
                        // The version is written; without a vector it waits for `reembed`.
                        let _ = self.embed_merged(entry.memory_id.as_slice(), how.cancel).await;
                    }
                    return Ok(Receipt { entry, memory: planned.memory, replayed: false });
                }
                Some(Err(earlier)) => return self.replay(earlier).await,
                None => {}
            }
        }
        Err(outrun())
    }

    /// Logs the decision of a dry run. The entry references no unwritten memory and needs no review.
    pub(super) async fn log_dry_run(&self, planned: LogEntry) -> Result<LogEntry> {
        let shown = LogEntry { status: Status::DryRun, ..planned };
        let mut entry = LogEntry { key: None, memory_id: None, needs_review: false, ..shown.clone() };
        (entry.touched, entry.before) = Default::default();
        Ok(match unless_outrun(self.commit(ChangeSet::new(entry)).await)? {
            Some(Ok(written)) => LogEntry { seq: written.seq, ..shown },
            // Two dry runs at the same moment: the second entry is not logged.
            Some(Err(_)) | None => shown,
        })
    }

    /// Returns the memories worth comparing with a draft, best first, ties by id: the `required` ones, the nearest and
    /// those sharing terms, thread, subject or entity. `meant` is the remote embedder's vector.
    pub(super) async fn compare_with_stored(
        &self,
        draft: &Draft,
        meant: Option<&[f32]>,
        required: &[Id],
    ) -> Result<ComparedMemories> {
        let (new, vector) = (Claim::from(draft), self.embedder.vector(&draft.content));
        let here = |r: &Row| self.mirror.is_whole(r);
        let known = |id: Id| self.mirror.index.borrow().row(id).is_some_and(here);
        let structural = self.mirror.index.borrow().structural(&new);
        let near: Vec<Id> = self.nearest(&vector, BY_VECTOR, &here).into_iter().map(|m| m.id).collect();
        let mut others = self.nearest_meant(meant, BY_VECTOR, &known);
        others.extend(self.mirror.index.borrow().lexical(&draft.content, BY_TERMS, &here));
        let mut ids = [&structural[..], required].concat();
        ids.extend(others.into_iter().map(|m| m.id));
        let mut all = [&ids[..], &near[..]].concat();
        all.sort_unstable();
        all.dedup();
        let calibration = self.embedder.calibration();
        let told = LazyCell::new(|| TopicTerms::of(&draft.content));
        let exact = |m: Memory| {
            let cosine = if keeps_no_vector(&m) { 0.0 } else { cosine(&vector, &self.embedder.vector(&m.content)) };
            (m, cosine)
        };
        let mut read: Vec<(Memory, f32)> = self.store.found(&all).await?.into_iter().map(exact).collect();
        let nearest = read.iter().filter(|(m, _)| near.contains(&m.id)).map(|(m, cosine)| (m.id, *cosine)).collect();
        let nearest = rank(nearest, BY_VECTOR, |(id, cosine): &(Id, f32)| (*cosine, *id));
        read.retain(|(m, _)| {
            let is_wanted = ids.contains(&m.id) || nearest.iter().any(|(id, _)| *id == m.id);
            is_wanted && m.is_current() && m.node_type == NodeType::Memory
        });
        let mut found: Vec<(Candidate, Memory)> = Vec::new();
        for (m, cosine) in read {
            let spelled = || self.spelling_similarity(calibration.apply(cosine), &m.content, &told);
            let content = self.meant_similarity(meant, m.id).unwrap_or_else(spelled);
            let factors = factors(content, &Claim::from(&m), &new);
            let important = m.importance >= IMPORTANT || m.retention == Retention::Core;
            let (id, score, structural) = (m.id, score(&factors), structural.contains(&m.id));
            found.push((Candidate { id, score, factors, structural, important, analysis: None }, m));
        }
        let mut found =
            rank(found, MAX_CANDIDATES, |(c, _)| (c.score + f32::from(u8::from(required.contains(&c.id))), c.id));
        let new = self.options.policy.use_property_analysis.then(|| Reading::of(&new));
        if let Some(new) = &new {
            for (candidate, memory) in &mut found {
                let head = self.head_answer(draft, memory);
                candidate.analysis = Some(self.analysed(draft, new, memory, head));
            }
        }
        Ok(ComparedMemories { pairs: found })
    }

    /// Returns the memories that a draft may change, each with its weighed marks. Writes nothing.
    pub async fn may_change(&self, draft: &Draft) -> Result<Vec<(Memory, Marked)>> {
        let known = self.compare_with_stored(draft, None, &[]).await?;
        let marked = marked(&known.pairs, draft, &|m| self.mirror.reading(m));
        Ok(marked.into_iter().map(|m| (known.pairs[m.at].1.clone(), m)).collect())
    }

    /// Caps spelling similarity where no topic word is shared: short texts share letters by chance.
    pub(super) fn spelling_similarity(&self, content: f32, stored: &str, told: &TopicTerms) -> f32 {
        if content < self.options.policy.bands.link || told.meet(stored) { content } else { BY_CHANCE }
    }

    pub(super) fn analysed(&self, draft: &Draft, new: &Reading, memory: &Memory, head: Option<[f32; 4]>) -> Analysis {
        let stored = self.mirror.reading(memory);
        // A statement older than the stored one cannot change it, but may itself have been changed by it.
        let late = was_said_before(draft, memory, &self.options.policy);
        let turned = late.then(|| compare(new, &stored, head.as_ref()).turned());
        let turned = turned.filter(|a| a.outcome != Outcome::Skip);
        // The judgement head was asked in one direction only; drop its answer for late statements.
        turned.unwrap_or_else(|| compare(&stored, new, head.as_ref().filter(|_| !late)))
    }

    pub(super) async fn plan(
        &self,
        draft: &Draft,
        decided: Decided,
        candidates: Vec<(Candidate, Memory)>,
        (wording, again): (Option<&Wording>, bool),
        how: &Consolidate<'_>,
    ) -> Result<Planned> {
        let target = decided.target.and_then(|id| candidates.iter().find(|(_, m)| m.id == id)).map(|(_, m)| m);
        let own_time = draft.own_time();
        let chain = match target {
            // Earlier versions matter only for late statements, provisional targets and provisional rulings.
            Some(t)
                if t.previous_version_id.is_some()
                    && (own_time.is_some_and(|x| x < t.own_time())
                        || t.is_provisional()
                        || decided.ruling == Some(Ruling::Provisional)) =>
            {
                self.chain_over(t.id, &[]).await?
            }
            _ => Vec::new(),
        };
        let waiting = match target.filter(|t| t.is_provisional()) {
            Some(_) => self.provisional_entries(&chain).await?,
            None => Vec::new(),
        };
        // A mail sent by the owner changes an owner's note as another note would.
        let says = how.speaker.as_ref().is_some_and(|s| s.is_vouched)
            && matches!(decided.decision, Decision::Update | Decision::Skip);
        let noted = target.map(|t| t.source_type).filter(|class| says && *class == Source::UserInput);
        let act = self.act_at(self.platform.now());
        let (seen, known): (Vec<Candidate>, Vec<Memory>) = candidates.into_iter().unzip();
        let (key, mut input) = (how.key.clone(), self.input(draft, &chain, act));
        input.draft.source_type = noted.unwrap_or(input.draft.source_type);
        let waiting = &waiting;
        if how.replaces.is_some() {
            input.strategy.content = ContentMerge::Latest;
        }
        let input = Input { key, candidates: &seen, known: &known, waiting, wording, again, ..input };
        Ok(plan(decided, input, &mut Ids::new(act.now, self.platform.seed())))
    }

    pub(super) fn input<'a>(&'a self, draft: &Draft, chain: &'a [Memory], act: Act<'a>) -> Input<'a> {
        Input {
            draft: draft.clone(),
            key: None,
            act,
            zone: self.options.zone,
            candidates: &[],
            known: &[],
            chain,
            waiting: &[],
            policy: &self.options.policy,
            strategy: self.options.merge,
            wording: None,
            again: false,
        }
    }

    pub(super) async fn handled_before(&self, key: Option<&str>) -> Result<Option<LogEntry>> {
        match key {
            Some(key) => self.store.entry_by_key(key).await,
            None => Ok(None),
        }
    }

    pub(super) async fn replay(&self, entry: LogEntry) -> Result<Receipt> {
        let memory = self.get_any(entry.memory_id.or(entry.target_id)).await?;
        Ok(Receipt { entry, memory, replayed: true })
    }
}
