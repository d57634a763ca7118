//! Asks the questions that waited for a model, and settles each like an owner's review.
//!
//! Decisions that the owner has reviewed, or that later ones build on, are left alone.

use super::budget::TokenBudget;
use super::deciding::{ComparedMemories, DraftDecision, QuestionState};
use super::embeddings::HeadAnswers;
use super::{Cancel, ComparisonInput, Engine, MAX_ATTEMPTS, outrun, unless_outrun};
use crate::consolidation::{
    Act, ChangeSet, Input, LogEntry, OwnerVerdict, Record, Reversal, Shelf, answered, plan, review, said, step,
};
use crate::decision::{Analyst, Basis, Candidate, Decision, Reason, guard};
use crate::model::{Draft, Edge, Id, Ids, Memory, Time};
use crate::store::{LogRange, Store};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

const AT_A_TIME: usize = 8;

/// Limits for asking waiting questions. All fields are optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct PendingOptions {
    /// Most calls; without limit by default.
    pub max_calls: Option<u32>,
    /// Most tokens; by default only the daily limit applies.
    pub max_tokens: Option<u32>,
}

/// The result of asking waiting questions.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PendingReport {
    /// Calls sent.
    pub calls: u32,
    /// Tokens used.
    pub tokens: u32,
    /// Decisions settled, each by its own log entry.
    pub settled: u32,
    /// Questions dropped without a change: the owner has settled them, later decisions build on
    /// them, or the answer needs the owner.
    pub left: u32,
    /// Questions still waiting.
    pub waiting: u32,
    /// When the model may be asked again, if it is paused: its endpoint failed, or three replies in
    /// a row were malformed.
    pub rests_until: Option<Time>,
}

#[derive(Clone, Copy, PartialEq)]
enum QuestionOutcome {
    Answered,
    Dropped,
    Waiting,
}

/// A decision reverted in memory, ready to be decided again.
struct ReopenedDecision {
    entry: LogEntry,
    draft: Draft,
    read: Vec<Memory>,
    back: Reversal,
    edges: Vec<Edge>,
    known: ComparedMemories,
}

impl<S: Store> Engine<S> {
    /// Asks the waiting questions, oldest first, and settles those answered. Stops at the first
    /// temporary failure; the remaining questions wait on.
    pub async fn ask_pending(&self, options: &PendingOptions, cancel: Cancel<'_>) -> Result<PendingReport> {
        if self.client.model.is_none() {
            return Err(Error::new(Code::Unsupported, "there is no model to ask; open with `model`"));
        }
        let mut report = PendingReport::default();
        let (most, most_calls) = (options.max_tokens, options.max_calls);
        let mut asked = QuestionState::with_budget(TokenBudget { most, most_calls, ..TokenBudget::default() });
        let mut after: Option<String> = None;
        loop {
            let page = self.store.records(Shelf::Waiting, after.as_deref(), AT_A_TIME).await?;
            let Some((last, _)) = page.last() else { break };
            after = Some(last.clone());
            let mut touched = Vec::new();
            let mut stuck = false;
            for (key, _) in &page {
                cancel.check()?;
                match self.settle_pending(key, &mut asked, &mut touched, cancel).await? {
                    QuestionOutcome::Answered => report.settled += 1,
                    QuestionOutcome::Dropped => report.left += 1,
                    QuestionOutcome::Waiting => {
                        stuck = true;
                        break;
                    }
                }
            }
            self.embed_merged(&touched, cancel).await?;
            if stuck {
                break;
            }
        }
        (report.calls, report.tokens) = (asked.budget.calls, asked.budget.tokens);
        let usage = self.usage().await?;
        (report.waiting, report.rests_until) = (usage.waiting, usage.rests_until);
        Ok(report)
    }

    /// Reverts the decision of a waiting question in memory; `None` if the model may no longer decide it.
    async fn reopen_decision(&self, key: &str, judged: &HeadAnswers) -> Result<Option<ReopenedDecision>> {
        let entry = match key.parse::<Id>() {
            Ok(id) => self.store.entry(id).await?,
            Err(_) => None,
        };
        let Some(entry) = entry else { return Ok(None) };
        let later = self.store.log(LogRange::since(entry.seq)).await?;
        let made = self.get_any(entry.memory_id).await?;
        if step(&entry, &later, OwnerVerdict::Reject, false).is_err() || made.as_ref().is_some_and(|m| !m.is_current())
        {
            return Ok(None);
        }
        let now: Time = self.platform.now();
        let (read, back, edges) = match self.reversal(&entry, now).await {
            Ok(found) => found,
            Err(e) if matches!(e.code, Code::AlreadyUndone | Code::HasDependents | Code::Forgotten) => return Ok(None),
            Err(e) => return Err(e),
        };
        let draft = said(&entry, made.as_ref());
        let vector = self.embedder.vector(&draft.content);
        let mut more = Vec::new();
        for m in back.memories.iter().filter(|m| m.is_current()) {
            more.push((m.clone(), self.embedder.vector(&m.content)));
        }
        let (extra, excluded, judgements) = (&more[..], &entry.touched[..], Some(judged));
        let input = ComparisonInput { extra, excluded, judgements, ..ComparisonInput::default() };
        let mut known = Box::pin(self.candidates(&draft, &vector, &input)).await?;
        // Later memories were themselves compared with this one.
        known.pairs.retain(|(_, m)| m.created_at <= entry.time);
        Ok(Some(ReopenedDecision { entry, draft, read, back, edges, known }))
    }

    async fn settle_pending(
        &self,
        key: &str,
        asked: &mut QuestionState,
        touched: &mut Vec<Id>,
        cancel: Cancel<'_>,
    ) -> Result<QuestionOutcome> {
        let done = Record::gone(Shelf::Waiting, key);
        asked.start_draft(None, None, false);
        let mut turn = Some(self.mirror.turn.lock().await);
        for _ in 0..MAX_ATTEMPTS {
            self.catch_up().await?;
            let base = self.mirror.seen();
            let Some(mut open) = self.reopen_decision(key, &asked.judged).await? else {
                self.store.keep(vec![done]).await?;
                return Ok(QuestionOutcome::Dropped);
            };
            let ReopenedDecision { draft, known, .. } = &mut open;
            let Some(settled) = self.decide_or_ask(draft, known, asked, &mut turn, cancel).await? else { continue };
            if settled.waits() {
                return Ok(QuestionOutcome::Waiting);
            }
            let now = self.platform.now();
            let act = self.act_at(now);
            let Some(mut set) = self.plan_late_answer(open, &settled, act).await? else {
                self.store.keep(vec![done]).await?;
                return Ok(QuestionOutcome::Dropped);
            };
            if set.base != Some(base) {
                continue;
            }
            set.records.push(done.clone());
            set.entry.tokens = asked.unlogged;
            if let Some(Ok(entry) | Err(entry)) = unless_outrun(self.commit(set).await)? {
                asked.mark_logged(entry.tokens);
                touched.extend(entry.touched);
                return Ok(QuestionOutcome::Answered);
            }
        }
        Err(outrun())
    }

    /// Builds the change set of a late answer; `None` if the owner must decide.
    async fn plan_late_answer(
        &self,
        open: ReopenedDecision,
        settled: &DraftDecision,
        act: Act<'_>,
    ) -> Result<Option<ChangeSet>> {
        let said = settled.wording.as_ref().map(|w| w.said.as_str());
        let told = settled.next_draft(&open.draft);
        let known = &open.known.pairs;
        let basis = Basis { draft: &told, said, speaker: None, lenders: &[], known, confirmed: None };
        let decided = &guard(settled.decided.clone(), &basis);
        let guarded = |r: &Reason| {
            matches!(r, Reason::NoStanding { .. } | Reason::Unproven { .. } | Reason::SensitiveChange { .. })
        };
        let guarded = open.entry.reasons.iter().any(guarded);
        if decided.analyst != Analyst::Model || decided.needs_review || guarded {
            return Ok(None);
        }
        let ReopenedDecision { entry, draft, read, back, edges, known } = open;
        let mut ids = Ids::new(act.now, self.platform.seed());
        let relation = decided.links.first().and_then(|l| l.relation);
        let wrote = !entry.touched.is_empty() || entry.decision == Decision::Skip;
        let stays =
            wrote && (decided.decision, decided.target, relation) == (entry.decision, entry.target_id, entry.relation);
        let set = if stays {
            review(&entry, OwnerVerdict::Accept, (&[], Reversal::default(), &[]), None, act, &mut ids)
        } else {
            let chain = match decided.target {
                Some(target) if decided.decision == Decision::Update => self.chain_over(target, &back.memories).await?,
                _ => Vec::new(),
            };
            let (seen, known): (Vec<Candidate>, Vec<Memory>) = known.pairs.into_iter().unzip();
            let wording = settled.wording.as_ref();
            let input = Input { candidates: &seen, known: &known, wording, ..self.input(&told, &chain, act) };
            let mut set = plan(decided.clone(), input, &mut ids).set;
            settled.note_input(&draft, &mut set.entry);
            if set.entry.needs_review {
                return Ok(None);
            }
            self.embed_planned(&mut set);
            review(&entry, OwnerVerdict::Change(decided.decision), (&read, back, &edges), Some(set), act, &mut ids)
        };
        Ok(Some(answered(set, decided, &draft.content)))
    }
}
