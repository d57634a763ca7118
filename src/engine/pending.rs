//! Questions that wait: asked once there is somebody to ask, and settled as a review by their owner would be.
//!
//! It goes as far as the answer could have gone in time, and no further: what the owner has looked at, and what later
//! decisions build on, is left alone.

use super::budget::Purse;
use super::deciding::{Asked, Known, NextStep, Settled};
use super::embeddings::HeadAnswers;
use super::{Beside, Cancel, Engine, MAX_ATTEMPTS, Platform, outrun, unless_outrun};
use crate::consolidation::{
    Act, ChangeSet, Input, LogEntry, OwnerVerdict, Record, Reversal, Shelf, answered, plan, review, said, step,
};
use crate::decision::{Analyst, Basis, Candidate, Decision, Reason, guard};
use crate::embed::Embedder;
use crate::model::{Draft, Edge, Id, Ids, Memory, Time};
use crate::store::{LogRange, Store};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// Questions that are looked at together.
const AT_A_TIME: usize = 8;

/// How much of what waits is asked. All fields are optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct PendingOptions {
    /// Calls that may go out; without limit where absent.
    pub max_calls: Option<u32>,
    /// Tokens that may be used; without limit, but for the day's, where absent.
    pub max_tokens: Option<u32>,
}

/// What came of asking what waits.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PendingReport {
    /// Calls that went out.
    pub calls: u32,
    /// Tokens that they used.
    pub tokens: u32,
    /// Decisions that were settled, each by an entry of its own.
    pub settled: u32,
    /// Questions that wait no longer, though nothing was changed: settled since by their owner, built on by later
    /// decisions, or answered in a way that is the owner's to judge.
    pub left: u32,
    /// Questions that still wait.
    pub waiting: u32,
    /// Until when nothing is sent, where the model rests: its endpoint failed, or three replies in a row could not be read.
    pub rests_until: Option<Time>,
}

/// What became of a question that waited.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Settled,
    Left,
    Waits,
}

/// A decision as it would stand had it not been taken: what was said, and what is there to compare it with.
struct Reopened {
    entry: LogEntry,
    draft: Draft,
    vector: Vec<f32>,
    read: Vec<Memory>,
    back: Reversal,
    edges: Vec<Edge>,
    known: Known,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Asks the questions that wait, oldest first, and settles what is answered. It stops where an answer fails to come for a
    /// reason that may pass; what then waits, waits on.
    ///
    /// # Errors
    /// [`Code::Unsupported`] where there is no model; [`Code::Aborted`]; those of the store and the embedder.
    pub async fn ask_pending(&self, options: &PendingOptions, cancel: Cancel<'_>) -> Result<PendingReport> {
        if self.client.model.is_none() {
            return Err(Error::new(Code::Unsupported, "there is no model to ask; open with `endpoint` or `analyst`"));
        }
        let mut report = PendingReport::default();
        let (most, most_calls) = (options.max_tokens, options.max_calls);
        let mut asked = Asked::within(Purse { most, most_calls, ..Purse::default() });
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
                    Fate::Settled => report.settled += 1,
                    Fate::Left => report.left += 1,
                    Fate::Waits => {
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
        (report.calls, report.tokens) = (asked.purse.calls, asked.purse.tokens);
        let usage = self.usage().await?;
        (report.waiting, report.rests_until) = (usage.waiting, usage.rests_until);
        Ok(report)
    }

    /// The decision of a question that waits, taken back in thought; absent where it is no longer the model's to take.
    async fn reopened(&self, key: &str, judged: &mut HeadAnswers) -> Result<Option<Reopened>> {
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
        let vector = self.embed_one(&draft.content).await?;
        let mut more = Vec::new();
        for m in back.memories.iter().filter(|m| m.is_current()) {
            more.push((m.clone(), self.embed_one(&m.content).await?));
        }
        let known = loop {
            let beside = Beside { more: &more, without: &entry.touched, judged: Some(judged), ..Beside::default() };
            let (_, mut known) = Box::pin(self.candidates(&draft, &vector, &beside)).await?;
            // What came later was compared with this one then.
            known.pairs.retain(|(_, m)| m.created_at <= entry.time);
            if !self.recall_judgements(&draft, &known.pairs, judged).await? {
                break known;
            }
        };
        Ok(Some(Reopened { entry, draft, vector, read, back, edges, known }))
    }

    /// Asks one question and settles it with the answer, if one comes.
    async fn settle_pending(
        &self,
        key: &str,
        asked: &mut Asked,
        touched: &mut Vec<Id>,
        cancel: Cancel<'_>,
    ) -> Result<Fate> {
        let done = Record::gone(Shelf::Waiting, key);
        asked.about(None, None, false);
        let mut _turn = self.mirror.turn.lock().await;
        for _ in 0..MAX_ATTEMPTS {
            self.catch_up().await?;
            let Some(mut open) = self.reopened(key, &mut asked.judged).await? else {
                self.store.keep(vec![done]).await?;
                return Ok(Fate::Left);
            };
            let settled = match self.decide(&open.draft, &mut open.known, asked) {
                NextStep::Decided(settled) => settled,
                NextStep::Ask(question) => {
                    drop(_turn);
                    self.ask_model(question, &open.draft, asked, cancel).await?;
                    _turn = self.mirror.turn.lock().await;
                    continue;
                }
            };
            if settled.waits() {
                return Ok(Fate::Waits);
            }
            let now = self.platform.now();
            let act = self.act_at(now);
            let Some(mut set) = self.settling(open, &settled, act).await? else {
                self.store.keep(vec![done]).await?;
                return Ok(Fate::Left);
            };
            set.records.push(done.clone());
            set.entry.tokens = asked.owed();
            if let Some(Ok(entry) | Err(entry)) = unless_outrun(self.commit(set).await)? {
                asked.log(entry.tokens);
                touched.extend(entry.touched);
                return Ok(Fate::Settled);
            }
        }
        Err(outrun())
    }

    /// What an answer that came late writes; nothing where it is its owner's to judge.
    async fn settling(&self, open: Reopened, settled: &Settled, act: Act<'_>) -> Result<Option<ChangeSet>> {
        let said = settled.wording.as_ref().map(|w| w.said.as_str());
        let told = settled.told(&open.draft);
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
        let Reopened { entry, draft, vector, read, back, edges, known } = open;
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
            self.embed_planned(&draft, &vector, &mut set).await?;
            review(&entry, OwnerVerdict::Change(decided.decision), (&read, back, &edges), Some(set), act, &mut ids)
        };
        Ok(Some(answered(set, decided, &draft.content)))
    }
}
