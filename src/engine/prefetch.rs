//! Prefetches an import: asks the model about the next mails while the current one is handled.
//!
//! Mails are handled in order; an early reply waits for its mail. Only mails and memories decide
//! what is prefetched, so `concurrency` changes no result.

use super::MOST_AT_ONCE;
use super::budget::TokenBudget;
use super::intake::IncomingMail;
use super::intake::WordCounts;
use super::model_client::{Prefetched, REPLY};
use super::recalling::given_names;
use super::rule_memories::draft_key;
use super::{Cancel, Engine, Intake, MailReceipt};
use crate::analysis::{Own, Sought};
use crate::decision::Mode;
use crate::llm::MailQuestion;
use crate::mail::{Account, Charset, Mail, Piece, is_promotion, is_settled, passages};
use crate::model::Id;
use crate::store::{Seq, Store};
use crate::{Code, Result};
use futures_lite::future::or;
use std::collections::{HashSet, VecDeque};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

struct EarlyQuestion {
    question: MailQuestion,
    /// The memories that it shows or nearly shows.
    near: Vec<Id>,
    tokens: u32,
    /// The newest log entry when it was built.
    seen: Seq,
}

struct WaitingMail {
    arrived: IncomingMail,
    /// Sender and receivers without the owner.
    people: Vec<String>,
    /// The search keys of its words.
    words: HashSet<u64>,
    early: Option<EarlyQuestion>,
    is_sent: bool,
}

impl WaitingMail {
    /// Whether an earlier mail cannot affect this one: other thread, other people, other words.
    fn is_independent_of(&self, earlier: &Self, counts: &WordCounts) -> bool {
        let (Ok(own), Ok(before)) = (&self.arrived.mail, &earlier.arrived.mail) else { return true };
        own.thread_id != before.thread_id
            && self.people.iter().all(|p| !earlier.people.contains(p))
            && self.words.intersection(&earlier.words).all(|word| counts.is_common(*word))
    }

    /// Whether it shares no shown memory with an earlier mail, which might change that memory.
    fn shows_other_memories_than(&self, earlier: &Self) -> bool {
        let near = |mail: &Self, id: &Id| mail.early.as_ref().is_some_and(|early| early.near.contains(id));
        self.early.iter().flat_map(|early| &early.near).all(|id| !near(earlier, id))
    }
}

fn people(mail: &Mail, account: &Account) -> Vec<String> {
    let others = mail.parties().filter(|p| !account.is_owner(&p.address));
    others.map(|p| p.address.trim().to_lowercase()).collect()
}

fn words(mail: &Mail) -> HashSet<u64> {
    let said = passages(mail).into_iter().map(|(_, text)| text).chain([mail.subject.clone()]);
    let keys = |text: String| {
        let text = [text.as_str(), &given_names(&text)].concat();
        Sought::new(&text, &Own::default()).keys().iter().map(|k| k.0).collect::<Vec<_>>()
    };
    said.flat_map(keys).collect()
}

type NextQuestion = (u32, String, MailQuestion);
type PrefetchRequest<'a> = Pin<Box<dyn Future<Output = Result<Rc<Prefetched>>> + 'a>>;

/// Prefetch requests by the index of their mail. They run only while they are polled here.
#[derive(Default)]
struct PrefetchRequests<'a> {
    running: Vec<(u32, PrefetchRequest<'a>)>,
    done: Vec<(u32, Result<Rc<Prefetched>>)>,
}

impl PrefetchRequests<'_> {
    fn poll(&mut self, cx: &mut Context<'_>, most: usize) {
        let (mut at, mut end) = (0, most.min(self.running.len()));
        while at < end {
            let (index, request) = &mut self.running[at];
            match request.as_mut().poll(cx) {
                Poll::Ready(came) => {
                    self.done.push((*index, came));
                    drop(self.running.remove(at));
                    end -= 1;
                }
                Poll::Pending => at += 1,
            }
        }
    }

    /// Awaits `work` while the first `most` requests progress.
    async fn while_running<T>(&mut self, most: usize, work: impl Future<Output = T>) -> T {
        let requests = poll_fn(|cx| {
            self.poll(cx, most);
            Poll::Pending
        });
        or(work, requests).await
    }

    /// Runs the first `most` requests until `is_so` holds.
    async fn run_until(&mut self, most: usize, is_so: impl Fn(&Self) -> bool) {
        poll_fn(|cx| {
            self.poll(cx, most);
            if is_so(self) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Awaits the request about a mail; `None` if there is none.
    async fn result_of(&mut self, index: u32, most: usize) -> Option<Result<Rc<Prefetched>>> {
        if let Some(at) = self.running.iter().position(|(of, _)| *of == index) {
            self.running[..=at].rotate_right(1);
            self.run_until(most, |r| r.running.first().is_none_or(|(of, _)| *of != index)).await;
        }
        let at = self.done.iter().position(|(of, _)| *of == index)?;
        Some(self.done.swap_remove(at).1)
    }
}

impl<S: Store> Engine<S> {
    /// Handles mails of an import in order, as [`Engine::ingest`] does, and asks about several at once.
    pub async fn ingest_all(
        &self,
        intake: &mut Intake,
        pieces: Vec<Piece>,
        charset: &dyn Charset,
        cancel: Cancel<'_>,
    ) -> Result<Vec<MailReceipt>> {
        self.introduce(intake, &pieces, charset).await?;
        let width = intake.options.concurrency.map_or(MOST_AT_ONCE, |n| (n as usize).clamp(1, MOST_AT_ONCE));
        let (mut pieces, mut window) = (pieces.into_iter(), VecDeque::<WaitingMail>::new());
        let (mut requests, mut receipts, mut answers) = (PrefetchRequests::default(), Vec::new(), true);
        loop {
            while window.len() < MOST_AT_ONCE {
                let Some(piece) = pieces.next() else { break };
                let arrived = self.parse_incoming(intake, piece, charset);
                let mail = arrived.mail.as_ref().ok();
                let people = mail.map_or(Vec::new(), |mail| people(mail, &intake.account));
                let words = mail.map(words).unwrap_or_default();
                intake.words.add(&words);
                window.push_back(WaitingMail { arrived, people, words, early: None, is_sent: false });
            }
            if window.len() > 1 && answers {
                let next = self.next_questions(intake, window.make_contiguous());
                for (index, key, question) in requests.while_running(width - 1, next).await? {
                    requests.running.push((index, Box::pin(self.prefetch(key, question, cancel))));
                }
            }
            let Some(WaitingMail { arrived, .. }) = window.pop_front() else { return Ok(receipts) };
            if let Some(came) = requests.result_of(arrived.index, width).await {
                let reply = came?;
                // After a failed request, nothing is prefetched until a call succeeds.
                answers = reply.came.is_ok();
                intake.budget = intake.budget.plus(reply.used.calls, reply.used.tokens);
                if let Ok(mail) = &arrived.mail {
                    let key = self.first_key(intake, mail).await?;
                    self.client.prefetched.borrow_mut().put(&key, reply);
                }
            }
            let paid = intake.budget.tokens;
            let done = requests.while_running(width - 1, self.handle_mail(intake, arrived, cancel)).await;
            if done.as_ref().is_err_and(|e| e.code == Code::Aborted) {
                requests.run_until(usize::MAX, |r| r.running.is_empty()).await;
            }
            receipts.push(done?);
            answers |= intake.budget.tokens > paid;
        }
    }

    /// Returns the questions that may be sent now, each with its mail's index and reply key.
    async fn next_questions(&self, intake: &Intake, window: &mut [WaitingMail]) -> Result<Vec<NextQuestion>> {
        let mut next = Vec::new();
        if self.options.policy.mode == Mode::Fast || self.client.model.is_none() || self.client.gauge.is_some() {
            return Ok(next);
        }
        let mut left = self.import_tokens_left(intake).await?;
        for at in 0..window.len() {
            if window[at].early.is_none() {
                window[at].early = self.early_question(intake, &window[at].arrived).await?;
            }
            // Earlier mails have the first claim to the budget.
            let Some(early) = &window[at].early else { continue };
            left = left.map(|left| left.saturating_sub(early.tokens));
            if left == Some(0) {
                break;
            }
            let is_apart = |w: &[WaitingMail]| (0..at).all(|n| w[at].shows_other_memories_than(&w[n]));
            let is_independent = |n| window[at].is_independent_of(&window[n], &intake.words);
            if at == 0 || window[at].is_sent || !(0..at).all(is_independent) || !is_apart(window) {
                continue;
            }
            if early.seen != self.mirror.seen() {
                window[at].early = self.early_question(intake, &window[at].arrived).await?;
            }
            let is_free = is_apart(window);
            let WaitingMail { arrived, early, is_sent, .. } = &mut window[at];
            if let (Some(early), Ok(mail), true) = (early, &arrived.mail, is_free) {
                next.push((arrived.index, self.first_key(intake, mail).await?, early.question.clone()));
                *is_sent = true;
            }
        }
        Ok(next)
    }

    /// Builds the question about a mail; `None` if no model is asked, or its reply is stored.
    async fn early_question(&self, intake: &Intake, arrived: &IncomingMail) -> Result<Option<EarlyQuestion>> {
        let Ok(mail) = &arrived.mail else { return Ok(None) };
        let again = self.rule_memories(intake, mail).await?;
        let (key, seen) = (draft_key(intake.name(), mail, 0, again.is_some()), self.mirror.seen());
        let stored = self.client.prefetched.borrow().of(&key);
        let is_stored = stored.is_some_and(|early| early.came.is_ok() && early.answers(mail));
        if is_settled(mail) || is_promotion(mail) || is_stored || self.was_read(&key).await? {
            return Ok(None);
        }
        let (question, mut near) = self.mail_question(mail, &intake.account).await?;
        near.extend(again.unwrap_or_default());
        let (hash, tokens) = self.cache_key(&question);
        // A dry run may have cached the reply.
        let is_answered = self.client.shared.replies.borrow().of(&hash).is_some();
        let tokens = if is_answered { 0 } else { tokens + 2 * REPLY };
        Ok(Some(EarlyQuestion { question, near, tokens, seen }))
    }

    async fn prefetch(&self, key: String, question: MailQuestion, cancel: Cancel<'_>) -> Result<Rc<Prefetched>> {
        cancel.check()?;
        let mut used = TokenBudget::default();
        let (came, _) = self.reply_to(&question, &mut used, cancel).await?;
        let reply = Rc::new(Prefetched { question, came, used });
        if reply.came.is_ok() {
            self.client.prefetched.borrow_mut().put(&key, Rc::clone(&reply));
        }
        Ok(reply)
    }
}
