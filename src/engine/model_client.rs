//! Calls the model: within budgets, several at once, with at most one repair of a malformed reply.

use super::budget::TokenBudget;
use super::outbox::OutgoingRequest;
use super::{Cancel, Engine, MOST_AT_ONCE};
use crate::Result;
use crate::consolidation::{Record, Shelf, hex};
use crate::decision::{Prompt, Refusal, ReplyFault, tokens};
use crate::language::values;
use crate::llm::{Earlier, MailQuestion, Model, SealedPrompt};
use crate::mail::{Account, Mail, Person, passages};
use crate::model::{Time, is_relay};
use crate::store::Store;
use async_lock::Semaphore;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Shortest time left for a repair call, in milliseconds.
const SHORTEST_RETRY: f64 = 500.0;
/// Consecutive malformed replies from which each starts a pause, and its duration in milliseconds.
const MOST_MALFORMED: u32 = 3;
const PAUSE: i64 = 30_000;
const MOST_PREFETCHED: usize = 64;
/// Estimated tokens of a reply, if the prompt has no example.
pub(super) const REPLY: u32 = 200;

/// Pauses calls after malformed replies, so that a model that answers in prose is not asked about every mail.
#[derive(Debug, Default)]
struct MalformedBackoff {
    malformed: Cell<u32>,
    until: Cell<Option<Time>>,
}

impl MalformedBackoff {
    fn until(&self, now: Time) -> Option<Time> {
        self.until.get().filter(|until| now < *until)
    }

    fn malformed(&self, now: Time) {
        self.malformed.set(self.malformed.get() + 1);
        if self.malformed.get() >= MOST_MALFORMED && self.until(now).is_none() {
            self.until.set(Some(now.plus_millis(PAUSE)));
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct ModelClient {
    pub model: Option<Rc<dyn Model>>,
    /// Set for a cost estimate: calls are counted instead of sent.
    pub gauge: Option<Rc<Cell<TokenBudget>>>,
    pub threads: RefCell<Threads>,
    /// Prefetched replies by the key of their mail's first draft.
    pub prefetched: RefCell<Recent<Rc<Prefetched>, MOST_PREFETCHED>>,
    /// Requests recorded in the outbox.
    pub recorded: Cell<u32>,
    pub shared: Rc<SharedClientState>,
}

#[derive(Debug)]
pub(super) struct SharedClientState {
    pub replies: RefCell<Replies>,
    backoff: MalformedBackoff,
    slots: Semaphore,
}

impl Default for SharedClientState {
    fn default() -> Self {
        let (replies, backoff) = Default::default();
        Self { replies, backoff, slots: Semaphore::new(MOST_AT_ONCE) }
    }
}

/// A prefetched reply to the question about a mail, or why there is none.
#[derive(Debug)]
pub(super) struct Prefetched {
    pub question: MailQuestion,
    pub came: Result<String, ReplyFault>,
    pub used: TokenBudget,
}

impl Prefetched {
    /// Whether a request about this mail was sent, so that it is not sent again.
    pub fn answers(&self, mail: &Mail) -> bool {
        self.question.source.as_ref() == Some(&mail.message_id)
            && self.came.as_ref().err().is_none_or(|f| !matches!(f.refusal, Refusal::Resting | Refusal::OverBudget))
    }
}

impl ModelClient {
    pub fn clear_caches(&self) {
        self.shared.replies.take();
        self.threads.take();
        self.prefetched.take();
    }

    pub fn for_dry_run(&self) -> Self {
        // Memory ids differ in the copy, so prefetched replies do not fit.
        Self { gauge: None, prefetched: RefCell::default(), ..self.clone() }
    }

    pub fn may_ask(&self) -> bool {
        self.model.is_some() || self.gauge.is_some()
    }

    pub fn name(&self) -> &str {
        self.model.as_ref().and_then(|m| m.name()).unwrap_or_default()
    }

    /// Returns when calls resume, if they are paused: the endpoint failed, or replies were malformed.
    pub fn rests_until(&self, now: Time) -> Option<Time> {
        let left = self.model.as_ref().and_then(|m| m.rests_for());
        let endpoint = left.map(|ms| now.plus_millis(ms as i64));
        self.shared.backoff.until(now).max(endpoint)
    }
}

impl Engine {
    /// Sends a prompt and parses its reply with `read`, with one repair. The inner error says why there is no answer.
    pub(super) async fn send_prompt(
        &self,
        sealed: &SealedPrompt,
        budget: &mut TokenBudget,
        cancel: Cancel<'_>,
        read: &mut dyn FnMut(&str) -> Result<(), ReplyFault>,
    ) -> Result<Result<(), ReplyFault>> {
        let SealedPrompt { prompt, fence, masks } = sealed;
        if let Some(gauge) = &self.client.gauge {
            let reply = prompt.examples.first().map_or(REPLY, |e| tokens(&e.reply));
            gauge.set(gauge.get().plus(1, prompt.tokens() + reply));
            return Ok(Err(Refusal::OverBudget.into()));
        }
        let Some(model) = &self.client.model else { return Ok(Err(Refusal::Failed.into())) };
        // Stop waiting for a slot once the caller aborts.
        let Some(_slot) = cancel.unless_gone(Box::pin(self.client.shared.slots.acquire())).await else {
            return Ok(Err(Refusal::Failed.into()));
        };
        if self.client.shared.backoff.until(self.platform.now()).is_some() {
            return Ok(Err(Refusal::Resting.into()));
        }
        if self.is_spent(budget).await? {
            return Ok(Err(Refusal::OverBudget.into()));
        }
        let started = self.platform.ticks();
        let reply = match self.send_once(model.as_ref(), prompt, fence, budget, cancel).await? {
            Ok(reply) => reply,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        let fault = match self.count_reply(read(&masks.restore(&reply))) {
            Err(fault) if fault.refusal.is_unreadable() && !reply.trim().is_empty() => fault,
            done => return Ok(done),
        };
        let left = model.patience().map(|most| most - (self.platform.ticks() - started));
        let is_paused = self.client.shared.backoff.until(self.platform.now()).is_some();
        if is_paused || left.is_some_and(|ms| ms < SHORTEST_RETRY) || self.is_spent(budget).await? {
            return Ok(Err(fault));
        }
        let again = prompt.again(&reply, &fault.told(), left);
        Ok(match self.send_once(model.as_ref(), &again, fence, budget, cancel).await? {
            Ok(reply) => self.count_reply(read(&masks.restore(&reply))),
            Err(_) => Err(fault),
        })
    }

    fn count_reply(&self, read: Result<(), ReplyFault>) -> Result<(), ReplyFault> {
        match &read {
            Err(fault) if fault.refusal.is_malformed() => self.client.shared.backoff.malformed(self.platform.now()),
            _ => self.client.shared.backoff.malformed.set(0),
        }
        read
    }

    async fn send_once(
        &self,
        model: &dyn Model,
        prompt: &Prompt,
        fence: &str,
        budget: &mut TokenBudget,
        cancel: Cancel<'_>,
    ) -> Result<Result<String, Refusal>> {
        let out = self.record_outgoing(model, prompt).await?;
        let (said, used) = match cancel.unless_gone(model.ask(prompt)).await {
            None => {
                self.note_outcome(out, Some("given_up"), 0).await?;
                return Ok(Err(Refusal::Failed));
            }
            Some(Ok(reply)) if reply.tokens > 0 => (Ok(reply.text), reply.tokens),
            Some(Ok(reply)) => {
                let used = prompt.tokens().saturating_add(tokens(&reply.text));
                (Ok(reply.text), used)
            }
            // No request was sent.
            Some(Err(Refusal::Resting)) => {
                self.note_outcome(out, None, 0).await?;
                return Ok(Err(Refusal::Resting));
            }
            Some(Err(refusal)) => (Err(refusal), 0),
        };
        let outcome = said.as_ref().map_or_else(|refusal| refusal.as_str(), |_| "answered");
        self.note_outcome(out, Some(outcome), used).await?;
        *budget = budget.plus(1, used);
        self.count_call(used).await?;
        Ok(said.and_then(|text| if prompt.leaks(&text, fence) { Err(Refusal::Leak) } else { Ok(text) }))
    }

    /// Records a request in the outbox, with every text that is not a fixed part of our prompts.
    async fn record_outgoing(&self, model: &dyn Model, prompt: &Prompt) -> Result<OutgoingRequest> {
        let (ours, theirs) = prompt.examples.split_at(prompt.ours.min(prompt.examples.len()));
        let ours: usize = ours.iter().map(|e| e.text.len() + e.reply.len()).sum();
        let mut texts = vec![prompt.text.clone()];
        for example in theirs {
            texts.extend([example.text.clone(), example.reply.clone()]);
        }
        let rest = prompt.system.len() + prompt.schema.len() + ours;
        self.note_sending((model.origin(), model.name()), prompt.task.as_str(), texts, rest).await
    }
}

/// Most threads remembered, and messages of each.
const MOST_THREADS: usize = 512;
const MOST_MESSAGES: usize = 6;
/// Messages of a thread shown to the model, and characters kept of each.
const SHOWN: usize = 2;
const KEPT: usize = 600;

#[derive(Debug, Clone, Default)]
pub(super) struct Threads {
    threads: Vec<(String, Vec<Earlier>)>,
}

impl Threads {
    pub fn before(&self, mail: &Mail) -> Vec<Earlier> {
        let Some((_, messages)) = self.threads.iter().find(|(id, _)| *id == mail.thread_id) else { return Vec::new() };
        let earlier = |e: &&Earlier| e.source != mail.message_id && e.date <= mail.date;
        let mut found: Vec<Earlier> = messages.iter().filter(earlier).cloned().collect();
        found.sort_by_key(|found| found.date);
        found.split_off(found.len().saturating_sub(SHOWN))
    }

    /// Whether the previous message is by someone else and has a value that a yes or no may settle.
    pub fn proposes(&self, mail: &Mail) -> bool {
        let from = mail.from.as_ref().map(format_person).unwrap_or_default();
        self.before(mail).last().is_some_and(|e| e.from != from && !values(&e.text, None).is_empty())
    }

    /// Remembers a message. `speaker` is the sender's address, or `None` if the sender is doubtful.
    pub fn keep(&mut self, mail: &Mail, speaker: Option<String>) {
        let text: String = passages(mail).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n");
        let from = mail.from.as_ref().map(format_person).unwrap_or_default();
        let (source, text) = (mail.message_id.clone(), text.chars().take(KEPT).collect());
        let message = Earlier { source, from, speaker, date: mail.date, text };
        let at = self.threads.iter().position(|(id, _)| *id == mail.thread_id);
        let mut thread = at.map_or_else(|| (mail.thread_id.clone(), Vec::new()), |at| self.threads.remove(at));
        if thread.1.iter().all(|e| e.source != message.source) {
            thread.1.push(message);
        }
        let excess = thread.1.len().saturating_sub(MOST_MESSAGES);
        thread.1.drain(..excess);
        self.threads.push(thread);
        let excess = self.threads.len().saturating_sub(MOST_THREADS);
        self.threads.drain(..excess);
    }
}

pub(super) fn format_person(person: &Person) -> String {
    match &person.name {
        Some(name) if person.address.is_empty() => name.clone(),
        Some(name) => format!("{name} <{}>", person.address),
        None => person.address.clone(),
    }
}

/// Returns a mail's only sender address, unless it is doubtful. Mailing lists ("Ann via heron") and
/// relays hide the sender, and the owner's own address needs proof.
pub(super) fn sender_address(mail: &Mail, account: &Account) -> Option<String> {
    let carries = |p: &&Person| {
        let is_own = account.is_owner(&p.address) && !account.wrote(mail);
        is_own || is_relay(&p.address) || p.name.as_deref().is_some_and(|n| n.contains(" via "))
    };
    let alone = mail.from.as_ref().filter(|_| mail.sender.alone).filter(|p| !carries(p));
    alone.map(|p| p.address.clone()).filter(|a| a.contains('@'))
}

const MOST_STORED: usize = 1_024;
const MOST_REPLIES: usize = 64;

pub(super) type Replies = Recent<String, MOST_REPLIES>;

pub(super) fn key(asked: &str) -> String {
    let hash = hmac_sha256::Hash::hash(asked.as_bytes());
    hex(&hash[..16])
}

pub(super) async fn shelved(store: &dyn Store, key: &str) -> Result<Option<String>> {
    let bytes = store.record(Shelf::Answers, key).await?;
    Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// Builds the records that store replies and evict others beyond the limit.
pub(super) async fn store_answers(store: &dyn Store, answers: Vec<(String, String)>) -> Result<Vec<Record>> {
    if answers.is_empty() {
        return Ok(Vec::new());
    }
    let there = store.records(Shelf::Answers, None, MOST_STORED + 1).await?;
    let excess = (there.len() + answers.len()).saturating_sub(MOST_STORED);
    // Keys are hashes, so evicting the keys after a new one is random eviction.
    let from = there.partition_point(|(key, _)| *key <= answers[0].0);
    let drawn = there.iter().cycle().skip(from).take(excess.min(there.len()));
    let gone = drawn.filter(|(key, _)| answers.iter().all(|(k, _)| k != key));
    let mut records: Vec<Record> = gone.map(|(key, _)| Record::gone(Shelf::Answers, key)).collect();
    records.extend(answers.into_iter().map(|(key, text)| Record::put(Shelf::Answers, key, text.into_bytes())));
    Ok(records)
}

pub(super) async fn clear_answers(store: &dyn Store) -> Result<Vec<Record>> {
    let all = store.records(Shelf::Answers, None, usize::MAX).await?;
    Ok(all.into_iter().map(|(key, _)| Record::gone(Shelf::Answers, key)).collect())
}

#[derive(Debug, Clone)]
pub(super) struct Recent<V, const MOST: usize>(VecDeque<(String, V)>);

impl<V, const MOST: usize> Default for Recent<V, MOST> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<V: Clone, const MOST: usize> Recent<V, MOST> {
    pub fn of(&self, key: &str) -> Option<V> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value.clone())
    }

    pub fn forget(&mut self, key: &str) {
        self.0.retain(|(k, _)| k != key);
    }

    pub fn put(&mut self, key: &str, value: V) {
        self.forget(key);
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((key.to_owned(), value));
    }
}
