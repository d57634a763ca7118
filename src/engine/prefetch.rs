//! Prefetches an import: asks the model at once about the next mails that cannot affect each other.
//!
//! Mails are handled in order. Only mails and memories decide what is prefetched, so `concurrency` changes no result.

use super::MOST_AT_ONCE;
use super::budget::TokenBudget;
use super::intake::IncomingMail;
use super::intake::WordCounts;
use super::model_client::{Prefetched, REPLY};
use super::recalling::given_names;
use super::rule_memories::draft_key;
use super::{Cancel, Engine, Intake, MailReceipt};
use crate::Result;
use crate::analysis::{Own, Sought};
use crate::decision::Mode;
use crate::llm::MailQuestion;
use crate::mail::{Account, Charset, Mail, Piece, is_promotion, is_settled, passages};
use crate::model::Id;
use futures_lite::future::zip;
use std::collections::{HashSet, VecDeque};
use std::pin::Pin;
use std::rc::Rc;

struct EarlyQuestion {
    key: String,
    question: MailQuestion,
    near: Vec<Id>,
    tokens: u32,
}

struct WaitingMail {
    arrived: IncomingMail,
    people: Vec<String>,
    words: HashSet<u64>,
}

impl WaitingMail {
    /// Whether an earlier mail cannot affect this one: other thread, other people, other words.
    fn is_independent_of(&self, earlier: &Self, counts: &WordCounts) -> bool {
        let (Ok(own), Ok(before)) = (&self.arrived.mail, &earlier.arrived.mail) else { return true };
        own.thread_id != before.thread_id
            && self.people.iter().all(|p| !earlier.people.contains(p))
            && self.words.intersection(&earlier.words).all(|word| counts.is_common(*word))
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

type PrefetchRequest<'a> = Pin<Box<dyn Future<Output = Result<Rc<Prefetched>>> + 'a>>;

async fn join_all(mut requests: Vec<PrefetchRequest<'_>>) -> Vec<Result<Rc<Prefetched>>> {
    let Some(last) = requests.pop() else { return Vec::new() };
    let (mut done, last) = zip(Box::pin(join_all(requests)), last).await;
    done.push(last);
    done
}

impl Engine {
    /// Handles mails of an import in order: extracts their drafts and consolidates each under its own key. A model is
    /// asked about several mails at once.
    pub async fn ingest_all(
        &self,
        intake: &mut Intake,
        pieces: Vec<Piece>,
        charset: &dyn Charset,
        cancel: Cancel<'_>,
    ) -> Result<Vec<MailReceipt>> {
        let parse = |piece| self.parse_incoming(intake, piece, charset);
        let mails: Vec<IncomingMail> = pieces.into_iter().map(parse).collect();
        self.introduce(intake, &mails).await?;
        let (mut mails, mut window) = (mails.into_iter(), VecDeque::<WaitingMail>::new());
        let (mut receipts, mut answers) = (Vec::new(), true);
        loop {
            while window.len() < MOST_AT_ONCE {
                let Some(arrived) = mails.next() else { break };
                let mail = arrived.mail.as_ref().ok();
                let people = mail.map_or(Vec::new(), |mail| people(mail, &intake.account));
                let words = mail.map(words).unwrap_or_default();
                intake.words.add(&words);
                window.push_back(WaitingMail { arrived, people, words });
            }
            if answers {
                answers = self.prefetch(intake, window.make_contiguous(), cancel).await?;
            }
            let Some(WaitingMail { arrived, .. }) = window.pop_front() else { return Ok(receipts) };
            let paid = intake.budget.tokens;
            receipts.push(self.handle_mail(intake, arrived, cancel).await?);
            // After a failed request, nothing is prefetched until a call succeeds.
            answers |= intake.budget.tokens > paid;
        }
    }

    /// If the first mail must be asked about, asks about it and about those that it and the mails between cannot affect,
    /// all at once. Returns whether all requests were answered.
    async fn prefetch(&self, intake: &mut Intake, window: &[WaitingMail], cancel: Cancel<'_>) -> Result<bool> {
        if self.options.policy.mode == Mode::Fast || self.client.model.is_none() || self.client.gauge.is_some() {
            return Ok(true);
        }
        let is_apart =
            |at: &usize| window[..*at].iter().all(|before| window[*at].is_independent_of(before, &intake.words));
        let Some(last) = (1..window.len()).rev().find(is_apart) else { return Ok(true) };
        let width = intake.options.concurrency.map_or(MOST_AT_ONCE, |n| n as usize);
        let mut left = self.import_tokens_left(intake).await?;
        let (mut early, mut chosen) = (Vec::<Option<EarlyQuestion>>::new(), Vec::new());
        for at in 0..=last {
            early.push(self.early_question(intake, &window[at].arrived).await?);
            let Some(own) = &early[at] else {
                if at == 0 {
                    return Ok(true);
                }
                continue;
            };
            // Earlier mails have the first claim to the budget.
            left = left.map(|left| left.saturating_sub(own.tokens));
            if left == Some(0) || chosen.len() == width {
                break;
            }
            let is_shown = |id: &Id| early[..at].iter().flatten().any(|before| before.near.contains(id));
            if is_apart(&at) && !own.near.iter().any(is_shown) {
                chosen.push(at);
            }
        }
        if chosen.len() < 2 {
            return Ok(true);
        }
        let asked: Vec<&EarlyQuestion> = chosen.iter().filter_map(|at| early[*at].as_ref()).collect();
        let requests = asked.iter().map(|early| Box::pin(self.request_reply(early, cancel)) as PrefetchRequest<'_>);
        let replies = join_all(requests.collect()).await;
        cancel.check()?;
        let mut answers = true;
        for (early, reply) in asked.iter().zip(replies) {
            let reply = reply?;
            answers &= reply.came.is_ok();
            intake.budget = intake.budget.plus(reply.used.calls, reply.used.tokens);
            self.client.prefetched.borrow_mut().put(&early.key, reply);
        }
        Ok(answers)
    }

    /// Builds the question about a mail; `None` if no model is asked, or its reply is stored.
    async fn early_question(&self, intake: &Intake, arrived: &IncomingMail) -> Result<Option<EarlyQuestion>> {
        let Ok(mail) = &arrived.mail else { return Ok(None) };
        let again = self.rule_memories(intake, mail).await?;
        let key = draft_key(intake.name(), mail, 0, again.is_some());
        let stored = self.client.prefetched.borrow().of(&key);
        let is_stored = stored.is_some_and(|early| early.answers(mail));
        if is_settled(mail) || is_promotion(mail) || is_stored || self.was_read(&key).await? {
            return Ok(None);
        }
        let (question, mut near) = self.mail_question(mail, &intake.account).await?;
        near.extend(again.unwrap_or_default());
        let (hash, tokens) = self.cache_key(&question);
        // A dry run may have cached the reply.
        let is_answered = self.client.shared.replies.borrow().of(&hash).is_some();
        let tokens = if is_answered { 0 } else { tokens + 2 * REPLY };
        Ok(Some(EarlyQuestion { key, question, near, tokens }))
    }

    async fn request_reply(&self, early: &EarlyQuestion, cancel: Cancel<'_>) -> Result<Rc<Prefetched>> {
        cancel.check()?;
        let mut used = TokenBudget::default();
        let (came, _) = self.reply_to(&early.question, &mut used, cancel).await?;
        let reply = Rc::new(Prefetched { question: early.question.clone(), came, used });
        // Kept even if the caller aborts before the others are answered.
        if reply.came.is_ok() {
            self.client.prefetched.borrow_mut().put(&early.key, Rc::clone(&reply));
        }
        Ok(reply)
    }
}
