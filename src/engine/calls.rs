//! Calling a model: within budgets, a few at once, with one repair at most; and what was used today.
//!
//! It never knows what is asked: a question brings its prompt and reads its reply.

use super::answers::{Answers, Replies};
use super::outbox::Out;
use super::{Cancel, Engine, MAX_ATTEMPTS, Platform, outrun};
use crate::consolidation::{Action, Record, Shelf, is_label, labelled, taken_back};
use crate::decision::{Decision, Lesson, Prompt, Refusal, Shown, Verdict, tokens};
use crate::embed::Embedder;
use crate::llm::Model;
use crate::model::{Claim, Conflict, Time};
use crate::store::{LogRange, Store};
use crate::{Code, Result, json};
use async_lock::Semaphore;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};

/// Calls that are out at the same time.
const AT_ONCE: usize = super::limits::MOST_AT_ONCE;
/// Entries of the log among which corrections are looked for, and how many of a language go along.
const LOOK_BACK: usize = 512;
const LESSONS: usize = 2;
/// Milliseconds under which a second try is not worth beginning.
const SOON: f64 = 500.0;
/// Tokens of a reply where no example tells.
pub(super) const REPLY: u32 = 200;
/// Questions that are counted as waiting.
const MOST_WAITING: usize = 10_000;

/// What all calls share, those of a rehearsal with those of the engine that it copies.
#[derive(Debug)]
pub(super) struct Calls {
    pub answers: RefCell<Answers>,
    pub replies: RefCell<Replies>,
    slots: Semaphore,
    /// What a rehearsal has used, whose own store is thrown away, and answers that were found instead of asked for.
    pending: Cell<Used>,
    lessons: RefCell<Option<Vec<Lesson>>>,
}

impl Default for Calls {
    fn default() -> Self {
        let slots = Semaphore::new(AT_ONCE);
        Self {
            answers: RefCell::default(),
            replies: RefCell::default(),
            slots,
            pending: Cell::default(),
            lessons: RefCell::default(),
        }
    }
}

impl Calls {
    /// Lets go of what an act of this kind makes untrue, or must not outlive.
    pub fn heed(&self, action: Action) {
        if action == Action::Forget {
            self.answers.take();
            self.replies.take();
        }
        if action != Action::Consolidate {
            self.lessons.take();
        }
    }
}

/// A reply that came ahead of its mail's turn, or why none did.
#[derive(Debug)]
pub(super) struct Ahead {
    /// What names the question.
    pub hash: String,
    pub came: Result<String, Refusal>,
    /// What it used.
    pub used: Purse,
}

impl Ahead {
    /// Whether it is the answer to this question: it went out, or somebody was asked in the end.
    pub fn serves(&self, hash: &str) -> bool {
        self.hash == hash && !matches!(self.came, Err(Refusal::Resting | Refusal::OverBudget))
    }
}

/// What a call may use and has used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Purse {
    /// Tokens that may be used; without limit where absent.
    pub most: Option<u32>,
    /// Calls that may go out; without limit where absent.
    pub most_calls: Option<u32>,
    /// Tokens that were used.
    pub tokens: u32,
    /// Calls that went out.
    pub calls: u32,
}

/// What an import would ask, counted instead of asked.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    pub calls: Cell<u32>,
    pub tokens: Cell<u32>,
}

/// What was used on one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Used {
    calls: u32,
    tokens: u32,
    cached: u32,
}

/// What models have been asked today, in the owner's zone, by whatever engine over the same store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Calls that went out, those for embeddings included.
    pub calls: u32,
    /// Tokens that they used; estimated where an endpoint does not say, and for embeddings.
    pub tokens: u32,
    /// The day's budget, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub daily_tokens: Option<u32>,
    /// What is left of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_left: Option<u32>,
    /// Answers that were kept from an earlier call and not asked for again.
    pub cached: u32,
    /// Questions that wait for an answer, at most 10,000; `model.askPending` asks them.
    pub waiting: u32,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// What models were asked today, what is left, and what waits.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn usage(&self) -> Result<Usage> {
        let (_, _, used) = self.used().await?;
        let waiting = self.store.records(Shelf::Waiting, None, MOST_WAITING).await?.len() as u32;
        let daily_tokens = self.options.daily_tokens;
        let tokens = self.used_today().await?;
        let tokens_left = daily_tokens.map(|most| most.saturating_sub(tokens));
        Ok(Usage { calls: used.calls, tokens, daily_tokens, tokens_left, cached: used.cached, waiting })
    }

    /// Counts an answer that was found and need not be asked for.
    pub(super) fn hit(&self) {
        if self.gauge.is_none() {
            let pending = self.calls.pending.get();
            self.calls.pending.set(Used { cached: pending.cached.saturating_add(1), ..pending });
        }
    }

    /// Whether there is anybody to ask.
    pub(super) fn may_ask(&self) -> bool {
        self.model.is_some() || self.gauge.is_some()
    }

    /// Asks, and lets `read` read the reply; once more where it could not be read and there is time. The inner error is
    /// why no answer came.
    ///
    /// # Errors
    /// Those of the store, where it counts what is used.
    pub(super) async fn call(
        &self,
        prompt: &Prompt,
        fence: &str,
        purse: &mut Purse,
        cancel: Cancel<'_>,
        read: &mut dyn FnMut(&str) -> Result<(), Refusal>,
    ) -> Result<Result<(), Refusal>> {
        if let Some(gauge) = &self.gauge {
            gauge.calls.set(gauge.calls.get() + 1);
            let one = prompt.examples.first().map_or(REPLY, |e| tokens(&e.reply));
            let reply = one * prompt.memories.len().max(1) as u32;
            gauge.tokens.set(gauge.tokens.get().saturating_add(prompt.tokens() + reply));
            return Ok(Err(Refusal::OverBudget));
        }
        let Some(model) = &self.model else { return Ok(Err(Refusal::Failed)) };
        // Whoever gave up is told so before the next step.
        let Some(_slot) = cancel.unless_gone(Box::pin(self.calls.slots.acquire())).await else {
            return Ok(Err(Refusal::Failed));
        };
        if self.is_spent(purse).await? {
            return Ok(Err(Refusal::OverBudget));
        }
        let started = self.platform.ticks();
        let reply = match self.send(model.as_ref(), prompt, fence, purse, cancel).await? {
            Ok(reply) => reply,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let fault = match read(&reply) {
            Err(refusal) if refusal.is_unreadable() && !reply.trim().is_empty() => refusal,
            done => return Ok(done),
        };
        let left = model.patience().map(|most| most - (self.platform.ticks() - started));
        if left.is_some_and(|ms| ms < SOON) || self.is_spent(purse).await? {
            return Ok(Err(fault));
        }
        let again = prompt.again(&reply, fault.as_str(), left);
        Ok(match self.send(model.as_ref(), &again, fence, purse, cancel).await? {
            Ok(reply) => read(&reply),
            Err(_) => Err(fault),
        })
    }

    /// Sends one prompt and counts it.
    async fn send(
        &self,
        model: &dyn Model,
        prompt: &Prompt,
        fence: &str,
        purse: &mut Purse,
        cancel: Cancel<'_>,
    ) -> Result<Result<String, Refusal>> {
        let out = self.goes_out(model, prompt).await?;
        let (said, used) = match cancel.unless_gone(model.ask(prompt)).await {
            None => {
                self.came_back(out, Some("given_up"), 0).await?;
                return Ok(Err(Refusal::Failed));
            }
            Some(Ok(reply)) if reply.tokens > 0 => (Ok(reply.text), reply.tokens),
            Some(Ok(reply)) => {
                let used = prompt.tokens().saturating_add(tokens(&reply.text));
                (Ok(reply.text), used)
            }
            // Nothing went out.
            Some(Err(Refusal::Resting)) => {
                self.came_back(out, None, 0).await?;
                return Ok(Err(Refusal::Resting));
            }
            Some(Err(refusal)) => (Err(refusal), 0),
        };
        let outcome = said.as_ref().map_or_else(|refusal| refusal.as_str(), |_| "answered");
        self.came_back(out, Some(outcome), used).await?;
        purse.tokens = purse.tokens.saturating_add(used);
        purse.calls += 1;
        self.count(Used { calls: 1, tokens: used, cached: 0 }).await?;
        Ok(said.and_then(|text| if prompt.leaks(&text, fence) { Err(Refusal::Leak) } else { Ok(text) }))
    }

    /// Notes what is about to leave this device: all texts that are not the same for everybody.
    async fn goes_out(&self, model: &dyn Model, prompt: &Prompt) -> Result<Out> {
        let (ours, theirs) = prompt.examples.split_at(prompt.ours.min(prompt.examples.len()));
        let ours: usize = ours.iter().map(|e| e.text.len() + e.reply.len()).sum();
        let mut texts = vec![prompt.text.clone()];
        for example in theirs {
            texts.extend([example.text.clone(), example.reply.clone()]);
        }
        let rest = prompt.system.len() + prompt.schema.len() + ours;
        self.sending((model.origin(), model.name()), prompt.task.as_str(), texts, rest).await
    }

    async fn is_spent(&self, purse: &Purse) -> Result<bool> {
        let full = |most: Option<u32>, used: u32| most.is_some_and(|most| used >= most);
        if full(purse.most, purse.tokens) || full(purse.most_calls, purse.calls) {
            return Ok(true);
        }
        self.is_day_spent().await
    }

    /// Whether the tokens of the day are used up.
    pub(super) async fn is_day_spent(&self) -> Result<bool> {
        match self.options.daily_tokens {
            Some(most) => Ok(self.used_today().await? >= most),
            None => Ok(false),
        }
    }

    /// Tokens that were used since midnight, by whatever engine: those of calls, or what the log says if that is more.
    pub(super) async fn used_today(&self) -> Result<u32> {
        let zone = self.options.zone;
        let midnight = Time::from_local(self.platform.now().day(zone).and_time(chrono::NaiveTime::MIN), zone);
        let counted = self.used().await?.2.tokens;
        let mut limit = 256;
        loop {
            let range = LogRange { limit: Some(limit), newest_first: true, ..LogRange::default() };
            let entries = self.store.log(range).await?;
            if entries.len() < limit || entries.last().is_some_and(|e| e.time < midnight) {
                let today = entries.iter().take_while(|e| e.time >= midnight);
                return Ok(today.fold(0, |sum: u32, e| sum.saturating_add(e.tokens)).max(counted));
            }
            limit *= 4;
        }
    }

    /// A mark that no text can know.
    pub(super) fn fence(&self) -> String {
        let seed = self.platform.seed();
        seed[..8].iter().zip(&seed[8..]).map(|(a, b)| format!("{:02x}", a ^ b)).collect()
    }

    /// The day, what its record holds, and what was used on it.
    async fn used(&self) -> Result<(String, Option<Vec<u8>>, Used)> {
        let day = self.platform.now().day(self.options.zone).to_string();
        let record = self.store.record(Shelf::Usage, &day).await?;
        let text = record.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let used: Used = text.and_then(|text| json::read(text, "usage").ok()).unwrap_or_default();
        let (a, b) = (used, self.calls.pending.get());
        let used = Used {
            calls: a.calls.saturating_add(b.calls),
            tokens: a.tokens.saturating_add(b.tokens),
            cached: a.cached.saturating_add(b.cached),
        };
        Ok((day, record, used))
    }

    /// Tells the store of a rehearsal what was used today.
    pub(super) async fn lend_count(&self, scratch: &S) -> Result<()> {
        let (key, value, _) = self.used().await?;
        scratch.keep(vec![Record { shelf: Shelf::Usage, key, value, expect: None }]).await
    }

    /// Counts a request to an embedder, and the tokens of the texts that it took.
    pub(super) async fn count_embedded(&self, tokens: u32) -> Result<()> {
        self.count(Used { calls: 1, tokens, cached: 0 }).await
    }

    async fn count(&self, more: Used) -> Result<()> {
        let pending = self.calls.pending.get();
        let sum = Used {
            calls: pending.calls.saturating_add(more.calls),
            tokens: pending.tokens.saturating_add(more.tokens),
            cached: pending.cached,
        };
        self.calls.pending.set(sum);
        // What is rehearsed is counted where it is rehearsed for.
        if self.rehearses { Ok(()) } else { self.count_pending().await }
    }

    /// Writes down what is counted in this process alone.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn count_pending(&self) -> Result<()> {
        for _ in 0..MAX_ATTEMPTS {
            if self.calls.pending.get() == Used::default() {
                return Ok(());
            }
            let (day, before, used) = self.used().await?;
            let taken = self.calls.pending.take();
            let mut records = Vec::new();
            if before.is_none() {
                let old = self.store.records(Shelf::Usage, None, 64).await?.into_iter().filter(|(key, _)| *key != day);
                records.extend(old.map(|(key, _)| Record { shelf: Shelf::Usage, key, value: None, expect: None }));
            }
            let value = Some(json::write(&used)?.into_bytes());
            records.push(Record { shelf: Shelf::Usage, key: day, value, expect: Some(before) });
            match self.store.keep(records).await {
                Ok(()) => return Ok(()),
                Err(e) => {
                    let since = self.calls.pending.get();
                    self.calls.pending.set(Used {
                        calls: taken.calls.saturating_add(since.calls),
                        tokens: taken.tokens.saturating_add(since.tokens),
                        cached: taken.cached.saturating_add(since.cached),
                    });
                    if e.code != Code::Conflict {
                        return Err(e);
                    }
                }
            }
        }
        Err(outrun())
    }

    /// The last corrections by the owner, as examples.
    pub(super) async fn lessons(&self) -> Result<Vec<Lesson>> {
        if let Some(known) = self.calls.lessons.borrow().clone() {
            return Ok(known);
        }
        let range = LogRange { limit: Some(LOOK_BACK), newest_first: true, ..LogRange::default() };
        let mut log = self.store.log(range).await?;
        log.reverse();
        let gone = taken_back(&log);
        let mut lessons: Vec<Lesson> = Vec::new();
        for review in log.iter().rev().filter(|e| is_label(e) && !gone.contains(&e.id)) {
            let Some(entry) = self.store.entry(review.about.unwrap_or(review.id)).await? else { continue };
            let existing = self.get_any(review.target_id.or(entry.target_id)).await?;
            let made = self.get_any(entry.memory_id).await?;
            let whole = |m: &&crate::model::Memory| !m.is_forgotten();
            let (Some(existing), None) = (existing.as_ref().filter(whole), &entry.redacted) else { continue };
            let new = labelled(review, &entry, made.as_ref());
            let outcome = match review.decision {
                Decision::Update => crate::analysis::Outcome::Update,
                Decision::Skip => crate::analysis::Outcome::Skip,
                Decision::CreateAndLink => crate::analysis::Outcome::CreateAndLink,
                _ => crate::analysis::Outcome::Create,
            };
            let updates = review.decision == Decision::Update;
            let verdict = Verdict {
                handle: "A".to_owned(),
                outcome,
                relation: review.relation.filter(|_| review.decision == Decision::CreateAndLink),
                conflict: if updates { review.conflict } else { Conflict::None },
                subject_a: String::new(),
                subject_b: String::new(),
                // Who finds an update right says of what it changed that it did.
                changes: match updates {
                    true if review.property_changes.is_empty() => entry.property_changes.clone(),
                    true => review.property_changes.clone(),
                    false => Vec::new(),
                },
                merged: None,
                confidence: 1.0,
            };
            let shown = |s: Claim<'_>| Shown::new(&s, false);
            let lesson = Lesson::new(shown(Claim::from(existing)), shown(Claim::from(&new)), verdict);
            let Some(lesson) = lesson else { continue };
            if lessons.iter().filter(|l| l.language() == lesson.language()).count() < LESSONS {
                lessons.push(lesson);
            }
        }
        self.calls.lessons.replace(Some(lessons.clone()));
        Ok(lessons)
    }
}
