//! Whom the engine asks: a model within its budgets, a few calls at once, with one repair at most.
//!
//! It never knows what is asked: a question brings its prompt and reads its reply.

use super::answers::Replies;
use super::budget::{Budget, Purse};
use super::env::Env;
use super::outbox::{Out, Outbox};
use super::recent::Recent;
use super::threads::Threads;
use super::{Cancel, Platform};
use crate::Result;
use crate::consolidation::Action;
use crate::decision::{Prompt, Refusal, ReplyFault, tokens};
use crate::llm::{MailQuestion, Model};
use crate::mail::Mail;
use crate::model::Time;
use crate::store::Store;
use async_lock::Semaphore;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Calls that are out at the same time.
const AT_ONCE: usize = super::limits::MOST_AT_ONCE;
/// Milliseconds under which a second try is not worth beginning.
const SOON: f64 = 500.0;
/// Malformed replies in a row after which nothing is sent for a while, and milliseconds of that: doubled with each further
/// malformed reply, up to the second figure.
const MOST_MALFORMED: u32 = 3;
const REST: i64 = 30_000;
const LONGEST_REST: i64 = 600_000;
/// Replies that are kept until the turn of their mails.
const MOST_PREFETCHED: usize = 64;
/// Tokens of a reply where no example tells.
pub(super) const REPLY: u32 = 200;

/// Rests after replies that could not be read: a model that answers in prose is not asked about every mail.
#[derive(Debug, Default)]
struct Rest {
    /// Malformed replies in a row, and rests after the last readable one.
    malformed: Cell<u32>,
    rests: Cell<u32>,
    until: Cell<Option<Time>>,
}

impl Rest {
    /// When the rest ends, if one is on.
    fn until(&self, now: Time) -> Option<Time> {
        self.until.get().filter(|until| now < *until)
    }

    fn readable(&self) {
        self.malformed.set(0);
        self.rests.set(0);
    }

    fn malformed(&self, now: Time) {
        self.malformed.set(self.malformed.get() + 1);
        if self.malformed.get() >= MOST_MALFORMED && self.until(now).is_none() {
            let rests = self.rests.get();
            let ms = (REST << rests.min(16)).min(LONGEST_REST);
            self.until.set(Some(now.plus_millis(ms)));
            self.rests.set(rests + 1);
        }
    }
}

/// A model, if there is one, and what is known of its answers.
#[derive(Debug, Clone, Default)]
pub(super) struct ModelClient {
    pub model: Option<Rc<dyn Model>>,
    /// Counts what would be asked, instead of asking.
    pub gauge: Option<Rc<Gauge>>,
    /// What was said last in the threads that were read.
    pub threads: RefCell<Threads>,
    /// Replies to mails whose turn has not come, by the key of the first draft of the mail.
    pub prefetched: RefCell<Recent<Rc<Prefetched>, MOST_PREFETCHED>>,
    pub outbox: Outbox,
    pub shared: Rc<Shared>,
}

/// What a rehearsal shares with the engine that it copies.
#[derive(Debug)]
pub(super) struct Shared {
    pub replies: RefCell<Replies>,
    pub budget: Budget,
    rest: Rest,
    slots: Semaphore,
}

impl Default for Shared {
    fn default() -> Self {
        let (replies, budget, rest) = (RefCell::default(), Budget::default(), Rest::default());
        Self { replies, budget, rest, slots: Semaphore::new(AT_ONCE) }
    }
}

/// The reply to a question about a mail whose turn had not come yet, or why there is none.
#[derive(Debug)]
pub(super) struct Prefetched {
    pub question: MailQuestion,
    pub came: Result<String, ReplyFault>,
    /// What it used.
    pub used: Purse,
}

impl Prefetched {
    /// Whether a request was sent about this mail, so that it is not asked about again.
    pub fn answers(&self, mail: &Mail) -> bool {
        self.question.source.as_ref() == Some(&mail.message_id)
            && self.came.as_ref().err().is_none_or(|f| !matches!(f.refusal, Refusal::Resting | Refusal::OverBudget))
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
            self.shared.replies.take();
            self.threads.take();
            self.prefetched.take();
        }
    }

    /// The same for a rehearsal.
    pub fn lent(&self) -> Self {
        // Memories of a rehearsal have ids of their own.
        Self { gauge: None, prefetched: RefCell::default(), ..self.clone() }
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
        read: &mut dyn FnMut(&str) -> Result<(), ReplyFault>,
    ) -> Result<Result<(), ReplyFault>> {
        if let Some(gauge) = &self.gauge {
            gauge.calls.set(gauge.calls.get() + 1);
            let reply = prompt.examples.first().map_or(REPLY, |e| tokens(&e.reply));
            gauge.tokens.set(gauge.tokens.get().saturating_add(prompt.tokens() + reply));
            return Ok(Err(Refusal::OverBudget.into()));
        }
        let Some(model) = &self.model else { return Ok(Err(Refusal::Failed.into())) };
        // Whoever gave up is told so before the next step.
        let Some(_slot) = cancel.unless_gone(Box::pin(self.shared.slots.acquire())).await else {
            return Ok(Err(Refusal::Failed.into()));
        };
        if self.shared.rest.until(env.platform.now()).is_some() {
            return Ok(Err(Refusal::Resting.into()));
        }
        if self.shared.budget.is_spent(env, purse).await? {
            return Ok(Err(Refusal::OverBudget.into()));
        }
        let started = env.platform.ticks();
        let reply = match self.send(env, model.as_ref(), prompt, fence, purse, cancel).await? {
            Ok(reply) => reply,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        let fault = match self.heard(env, read(&reply)) {
            Err(fault) if fault.refusal.is_unreadable() && !reply.trim().is_empty() => fault,
            done => return Ok(done),
        };
        let left = model.patience().map(|most| most - (env.platform.ticks() - started));
        let rests = self.shared.rest.until(env.platform.now()).is_some();
        if rests || left.is_some_and(|ms| ms < SOON) || self.shared.budget.is_spent(env, purse).await? {
            return Ok(Err(fault));
        }
        let again = prompt.again(&reply, &fault.told(), left);
        Ok(match self.send(env, model.as_ref(), &again, fence, purse, cancel).await? {
            Ok(reply) => self.heard(env, read(&reply)),
            Err(_) => Err(fault),
        })
    }

    /// Counts a reply that could not be read, and ends the count with one that could.
    fn heard<S, P: Platform>(&self, env: Env<'_, S, P>, read: Result<(), ReplyFault>) -> Result<(), ReplyFault> {
        match &read {
            Err(fault) if fault.refusal.is_malformed() => self.shared.rest.malformed(env.platform.now()),
            _ => self.shared.rest.readable(),
        }
        read
    }

    /// Until when nothing is sent, where that is so: the endpoint failed, or its replies could not be read.
    pub fn rests_until(&self, now: Time) -> Option<Time> {
        let left = self.model.as_ref().and_then(|m| m.rests_for());
        let endpoint = left.map(|ms| now.plus_millis(ms as i64));
        self.shared.rest.until(now).max(endpoint)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_malformed_replies_in_a_row_begin_a_rest_that_doubles_until_one_can_be_read() {
        let (rest, now) = (Rest::default(), |seconds: i64| Time::from_millis(seconds * 1_000));
        let ends = |at: i64| rest.until(now(at)).map(|until| until.millis() / 1_000);
        rest.malformed(now(0));
        rest.malformed(now(0));
        assert_eq!(ends(0), None);
        rest.malformed(now(0));
        // Of several that are out at once each comes back.
        rest.malformed(now(1));
        assert_eq!([0, 29, 30].map(ends), [Some(30), Some(30), None]);
        for (at, end) in [(30, 90), (90, 210), (210, 450), (450, 930), (930, 1_530), (1_530, 2_130)] {
            rest.malformed(now(at));
            assert_eq!(ends(at), Some(end));
        }
        rest.readable();
        rest.malformed(now(2_130));
        assert_eq!(ends(2_130), None);
    }
}
