//! Whom the engine asks: a model within its budgets, a few calls at once, with one repair at most.
//!
//! It never knows what is asked: a question brings its prompt and reads its reply.

use super::answers::{Answers, Replies};
use super::budget::{Budget, Purse};
use super::env::Env;
use super::outbox::{Out, Outbox};
use super::threads::Threads;
use super::{Cancel, Platform};
use crate::Result;
use crate::consolidation::Action;
use crate::decision::{Lesson, Prompt, Refusal, tokens};
use crate::llm::Model;
use crate::store::Store;
use async_lock::Semaphore;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Calls that are out at the same time.
const AT_ONCE: usize = super::limits::MOST_AT_ONCE;
/// Milliseconds under which a second try is not worth beginning.
const SOON: f64 = 500.0;
/// Tokens of a reply where no example tells.
pub(super) const REPLY: u32 = 200;

/// A model, if there is one, and what is known of its answers.
#[derive(Debug, Clone, Default)]
pub(super) struct ModelClient {
    pub model: Option<Rc<dyn Model>>,
    /// Counts what would be asked, instead of asking.
    pub gauge: Option<Rc<Gauge>>,
    /// What was said last in the threads that were read.
    pub threads: RefCell<Threads>,
    pub outbox: Outbox,
    pub shared: Rc<Shared>,
}

/// What a rehearsal shares with the engine that it copies.
#[derive(Debug)]
pub(super) struct Shared {
    pub answers: RefCell<Answers>,
    pub replies: RefCell<Replies>,
    /// What the owner has corrected.
    pub lessons: RefCell<Option<Vec<Lesson>>>,
    pub budget: Budget,
    slots: Semaphore,
}

impl Default for Shared {
    fn default() -> Self {
        let (answers, replies, lessons) = (RefCell::default(), RefCell::default(), RefCell::default());
        Self { answers, replies, lessons, budget: Budget::default(), slots: Semaphore::new(AT_ONCE) }
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

/// What an import would ask, counted instead of asked.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    pub calls: Cell<u32>,
    pub tokens: Cell<u32>,
}

impl ModelClient {
    /// Lets go of what an act of this kind makes untrue, or must not outlive.
    pub fn heed(&self, action: Action) {
        if action == Action::Forget {
            self.shared.answers.take();
            self.shared.replies.take();
            self.threads.take();
        }
        if action != Action::Consolidate {
            self.shared.lessons.take();
        }
    }

    /// The same for a rehearsal.
    pub fn lent(&self) -> Self {
        Self { gauge: None, ..self.clone() }
    }

    /// Whether there is anybody to ask.
    pub fn may_ask(&self) -> bool {
        self.model.is_some() || self.gauge.is_some()
    }

    /// What the model is called.
    pub fn name(&self) -> &str {
        self.model.as_ref().and_then(|m| m.name()).unwrap_or_default()
    }

    /// Counts an answer that was found and need not be asked for.
    pub fn hit(&self) {
        if self.gauge.is_none() {
            self.shared.budget.hit();
        }
    }

    /// Asks, and lets `read` read the reply; once more where it could not be read and there is time. The inner error is
    /// why no answer came.
    pub async fn call<S: Store, P: Platform>(
        &self,
        env: Env<'_, S, P>,
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
        let Some(_slot) = cancel.unless_gone(Box::pin(self.shared.slots.acquire())).await else {
            return Ok(Err(Refusal::Failed));
        };
        if self.shared.budget.is_spent(env, purse).await? {
            return Ok(Err(Refusal::OverBudget));
        }
        let started = env.platform.ticks();
        let reply = match self.send(env, model.as_ref(), prompt, fence, purse, cancel).await? {
            Ok(reply) => reply,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let fault = match read(&reply) {
            Err(refusal) if refusal.is_unreadable() && !reply.trim().is_empty() => refusal,
            done => return Ok(done),
        };
        let left = model.patience().map(|most| most - (env.platform.ticks() - started));
        if left.is_some_and(|ms| ms < SOON) || self.shared.budget.is_spent(env, purse).await? {
            return Ok(Err(fault));
        }
        let again = prompt.again(&reply, fault.as_str(), left);
        Ok(match self.send(env, model.as_ref(), &again, fence, purse, cancel).await? {
            Ok(reply) => read(&reply),
            Err(_) => Err(fault),
        })
    }

    /// Sends one prompt and counts it.
    async fn send<S: Store, P: Platform>(
        &self,
        env: Env<'_, S, P>,
        model: &dyn Model,
        prompt: &Prompt,
        fence: &str,
        purse: &mut Purse,
        cancel: Cancel<'_>,
    ) -> Result<Result<String, Refusal>> {
        let out = self.goes_out(env, model, prompt).await?;
        let (said, used) = match cancel.unless_gone(model.ask(prompt)).await {
            None => {
                self.outbox.came_back(env, out, Some("given_up"), 0).await?;
                return Ok(Err(Refusal::Failed));
            }
            Some(Ok(reply)) if reply.tokens > 0 => (Ok(reply.text), reply.tokens),
            Some(Ok(reply)) => {
                let used = prompt.tokens().saturating_add(tokens(&reply.text));
                (Ok(reply.text), used)
            }
            // Nothing went out.
            Some(Err(Refusal::Resting)) => {
                self.outbox.came_back(env, out, None, 0).await?;
                return Ok(Err(Refusal::Resting));
            }
            Some(Err(refusal)) => (Err(refusal), 0),
        };
        let outcome = said.as_ref().map_or_else(|refusal| refusal.as_str(), |_| "answered");
        self.outbox.came_back(env, out, Some(outcome), used).await?;
        purse.tokens = purse.tokens.saturating_add(used);
        purse.calls += 1;
        self.shared.budget.count_call(env, used).await?;
        Ok(said.and_then(|text| if prompt.leaks(&text, fence) { Err(Refusal::Leak) } else { Ok(text) }))
    }

    /// Notes what is about to leave this device: all texts that are not the same for everybody.
    async fn goes_out<S: Store, P: Platform>(
        &self,
        env: Env<'_, S, P>,
        model: &dyn Model,
        prompt: &Prompt,
    ) -> Result<Out> {
        let (ours, theirs) = prompt.examples.split_at(prompt.ours.min(prompt.examples.len()));
        let ours: usize = ours.iter().map(|e| e.text.len() + e.reply.len()).sum();
        let mut texts = vec![prompt.text.clone()];
        for example in theirs {
            texts.extend([example.text.clone(), example.reply.clone()]);
        }
        let rest = prompt.system.len() + prompt.schema.len() + ours;
        let mut sources = prompt.holds.clone();
        sources.extend(prompt.source.iter().filter(|s| !prompt.holds.contains(s)).cloned());
        self.outbox.sending(env, (model.origin(), model.name()), prompt.task.as_str(), (texts, sources), rest).await
    }
}
