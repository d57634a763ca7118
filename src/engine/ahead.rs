//! Mails of an import that are asked about ahead of their turn, so that several calls are out at the same time.
//!
//! Mails are handled in their order. A reply that came early is kept for its mail and checked against the memories as they are
//! when its turn comes; no mail is asked about twice. A question is made where the mails before it say nothing of the same, and
//! which one it is does not depend on how many may be out at once.

use super::budget::Purse;
use super::burst::goes_with;
use super::ingest::Arrived;
use super::limits::MOST_AT_ONCE;
use super::model_client::{Prefetched, REPLY};
use super::recalling::given_names;
use super::word_counts::WordCounts;
use super::{Cancel, Engine, Intake, MailReceipt, Platform};
use crate::analysis::{Own, Sought};
use crate::decision::Mode;
use crate::embed::Embedder;
use crate::llm::BurstQuestion;
use crate::mail::{Account, Charset, Mail, Piece, is_promotion, is_settled, passages};
use crate::model::Id;
use crate::store::{Seq, Store};
use crate::{Code, Result};
use std::collections::{HashSet, VecDeque};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};

/// A question about mails whose turn it has not been yet.
struct EarlyQuestion {
    question: BurstQuestion,
    /// By which its reply is kept.
    key: String,
    /// What is shown or near to it.
    near: Vec<Id>,
    /// Tokens that it may use.
    tokens: u32,
    /// What the store held when it was made.
    seen: Seq,
}

/// A message that waits for its turn, or several of one thread that are read together.
struct WaitingMails {
    arrived: Vec<Arrived>,
    people: Vec<String>,
    /// The keys of what they say.
    words: HashSet<u64>,
    look: Option<EarlyQuestion>,
    is_out: bool,
}

impl WaitingMails {
    fn new(arrived: Arrived, account: &Account) -> Self {
        let (people, words) = (Vec::new(), HashSet::new());
        let mut waiting = Self { arrived: Vec::new(), people, words, look: None, is_out: false };
        waiting.push(arrived, account);
        waiting
    }

    fn push(&mut self, arrived: Arrived, account: &Account) {
        self.people.extend(arrived.mail.iter().flat_map(|mail| people(mail, account)));
        self.words.extend(arrived.mail.iter().flat_map(words));
        self.arrived.push(arrived);
    }

    /// Its place, which is that of its first message.
    fn place(&self) -> u32 {
        self.arrived.first().map_or(0, |a| a.index)
    }

    fn mails(&self) -> Vec<&Mail> {
        self.arrived.iter().filter_map(|a| a.mail.as_ref().ok()).collect()
    }

    /// Whether a message is read together with it.
    fn takes(&self, next: &Arrived) -> bool {
        next.mail.as_ref().is_ok_and(|next| goes_with(&self.mails(), next))
    }

    /// Whether what an earlier one does cannot concern it, by who writes in which thread.
    fn is_apart_from(&self, earlier: &Self) -> bool {
        let thread = |w: &Self| w.mails().first().map(|m| m.thread_id.clone());
        let (Some(own), Some(before)) = (thread(self), thread(earlier)) else { return true };
        own != before && self.people.iter().all(|p| !earlier.people.contains(p))
    }

    /// Whether it would hardly be shown what an earlier one brings, by its words.
    fn is_told_apart_from(&self, earlier: &Self, counts: &WordCounts) -> bool {
        self.words.intersection(&earlier.words).all(|word| counts.is_common(*word))
    }

    /// Whether it is shown nothing that an earlier one is shown.
    fn is_shown_apart_from(&self, earlier: &Self) -> bool {
        let near = |w: &Self| w.look.as_ref().map_or(Vec::new(), |look| look.near.clone());
        let before = near(earlier);
        near(self).iter().all(|id| !before.contains(id))
    }
}

/// Everybody but the owner who wrote or received a mail.
fn people(mail: &Mail, account: &Account) -> Vec<String> {
    let all = mail.parties();
    all.filter(|p| !account.is_owner(&p.address)).map(|p| p.address.trim().to_lowercase()).collect()
}

/// The keys by which what a mail says is found, as [`Engine::recalled`] looks for it.
fn words(mail: &Mail) -> HashSet<u64> {
    let said = passages(mail).into_iter().map(|(_, text)| text).chain([mail.subject.clone()]);
    let keys = |text: String| {
        let text = [text.as_str(), &given_names(&text)].concat();
        Sought::new(&text, &Own::default()).keys().iter().map(|k| k.0).collect::<Vec<_>>()
    };
    said.flat_map(keys).collect()
}

type Flight<'a> = Pin<Box<dyn Future<Output = Result<Rc<Prefetched>>> + 'a>>;

/// Prefetch requests by the place of their mail; those that are out go on while anything else is waited for through here.
struct Flights<'a> {
    flights: Vec<(u32, Flight<'a>)>,
    landed: Vec<(u32, Result<Rc<Prefetched>>)>,
    /// How many requests may be out at once, that of the mail whose turn it is included.
    width: usize,
    /// How many are: the first of the list.
    out: usize,
}

impl Flights<'_> {
    fn at_once(width: usize) -> Self {
        Self { flights: Vec::new(), landed: Vec::new(), width, out: 0 }
    }

    fn poll(&mut self, cx: &mut Context<'_>, most: usize) {
        self.out = self.out.max(most.min(self.flights.len()));
        let mut at = 0;
        while at < self.out {
            let (place, flight) = &mut self.flights[at];
            match flight.as_mut().poll(cx) {
                Poll::Ready(came) => {
                    self.landed.push((*place, came));
                    drop(self.flights.remove(at));
                    self.out -= 1;
                }
                Poll::Pending => at += 1,
            }
        }
    }

    async fn beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|cx| {
            let done = work.as_mut().poll(cx);
            self.poll(cx, self.width - 1);
            done
        })
        .await
    }

    /// What came of the request about a mail, once it has; nothing where none was made.
    async fn landed(&mut self, place: u32) -> Option<Result<Rc<Prefetched>>> {
        let at = self.flights.iter().position(|(of, _)| *of == place);
        if at.is_none() && self.landed.iter().all(|(of, _)| *of != place) {
            return None;
        }
        if let Some(at) = at.filter(|at| *at > self.out) {
            let next = self.flights.remove(at);
            self.flights.insert(self.out, next);
        }
        poll_fn(|cx| {
            self.poll(cx, self.width);
            if self.flights.iter().any(|(of, _)| *of == place) {
                return Poll::Pending;
            }
            let at = self.landed.iter().position(|(of, _)| *of == place);
            Poll::Ready(at.map(|at| self.landed.swap_remove(at).1))
        })
        .await
    }

    /// Waits for all that is out.
    async fn end(&mut self) {
        self.flights.truncate(self.out);
        poll_fn(|cx| {
            self.poll(cx, self.out);
            if self.flights.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Handles messages of an import in their order, as [`Engine::ingest`] does one; several are asked about at once.
    ///
    /// # Errors
    /// As [`Engine::ingest`]; the messages before are done.
    pub async fn ingest_all(
        &self,
        intake: &mut Intake,
        pieces: Vec<Piece>,
        charset: &dyn Charset,
        cancel: Cancel<'_>,
    ) -> Result<Vec<MailReceipt>> {
        self.introduce(intake, &pieces, charset).await?;
        let width = intake.options().concurrency.map_or(MOST_AT_ONCE, |n| (n as usize).clamp(1, MOST_AT_ONCE));
        let (mut rest, mut window) = (pieces.into_iter(), VecDeque::<WaitingMails>::new());
        let mut read = |intake: &Intake| rest.next().map(|piece| self.arrived(intake, piece, charset));
        let (mut next, joins) = (read(intake), self.reads_bursts());
        let (mut out, mut receipts, mut answers) = (Flights::at_once(width), Vec::new(), true);
        loop {
            while let Some(arrived) = next.take() {
                let is_full = window.len() == MOST_AT_ONCE;
                let goes_with = window.back().is_some_and(|last| joins && last.takes(&arrived));
                if is_full && !goes_with {
                    next = Some(arrived);
                    break;
                }
                arrived.mail.iter().for_each(|mail| intake.words.add(&words(mail)));
                match window.back_mut().filter(|_| goes_with) {
                    Some(last) => last.push(arrived, intake.account()),
                    None => window.push_back(WaitingMails::new(arrived, intake.account())),
                }
                next = read(intake);
            }
            if window.len() > 1 && answers {
                for (place, key, question) in out.beside(self.may_go(intake, &mut window)).await? {
                    out.flights.push((place, Box::pin(self.prefetch(key, question, cancel))));
                }
            }
            let Some(first) = window.pop_front() else { return Ok(receipts) };
            if let Some(came) = out.landed(first.place()).await {
                let early = came?;
                // An endpoint that fails is asked about one mail at a time.
                answers = early.came.is_ok();
                intake.pay(early.used);
                if let Some(mail) = self.to_read(intake, &first.arrived).await?.first() {
                    self.client.prefetched.borrow_mut().put(&intake.key(mail), early);
                }
            }
            let paid = intake.purse.tokens;
            let done = out.beside(self.handle_all(intake, first.arrived, cancel, &mut receipts)).await;
            if let Err(e) = done {
                // Whoever has given up is told what went out; who cannot go on tells so at once.
                if e.code == Code::Aborted {
                    out.end().await;
                }
                return Err(e);
            }
            answers |= intake.purse.tokens > paid;
        }
    }

    /// Handles messages of one thread that were read, which one call is asked about where several are to be asked about.
    async fn handle_all(
        &self,
        intake: &mut Intake,
        together: Vec<Arrived>,
        cancel: Cancel<'_>,
        receipts: &mut Vec<MailReceipt>,
    ) -> Result<()> {
        cancel.check()?;
        intake.burst = None;
        let mails = self.to_read(intake, &together).await?;
        if mails.len() > 1 {
            let (key, mut purse) = (intake.key(mails[0]), intake.purse);
            let burst = self.read_together(&mails, intake.account(), &key, &mut purse, cancel).await;
            intake.purse = purse;
            intake.burst = Some(burst?);
        }
        for arrived in together {
            receipts.push(self.handle(intake, arrived, cancel).await?);
        }
        Ok(())
    }

    /// Those of some messages that a model is to be asked about.
    async fn to_read<'a>(&self, intake: &Intake, arrived: &'a [Arrived]) -> Result<Vec<&'a Mail>> {
        let mut mails = Vec::new();
        for mail in arrived.iter().filter_map(|a| a.mail.as_ref().ok()) {
            if !is_settled(mail) && !is_promotion(mail) && !self.was_read(&intake.key(mail)).await? {
                mails.push(mail);
            }
        }
        Ok(mails)
    }

    /// The questions about waiting mails that may go out now, each with the place of its first mail and the key of its reply.
    async fn may_go(
        &self,
        intake: &Intake,
        window: &mut VecDeque<WaitingMails>,
    ) -> Result<Vec<(u32, String, BurstQuestion)>> {
        let by_model =
            self.options.policy.mode != Mode::Fast && self.client.model.is_some() && self.client.gauge.is_none();
        if !by_model {
            return Ok(Vec::new());
        }
        let mut left = self.may_spend(intake).await?;
        let mut go = Vec::new();
        for at in 0..window.len() {
            if window[at].look.is_none() {
                window[at].look = self.look(intake, &window[at]).await?;
            }
            // What an earlier mail may use is not spent on a later one.
            let Some(look) = &window[at].look else { continue };
            left = left.map(|left| left.saturating_sub(look.tokens));
            if left == Some(0) {
                break;
            }
            let apart = |w: &VecDeque<WaitingMails>, by: fn(&WaitingMails, &WaitingMails) -> bool| {
                (0..at).all(|n| by(&w[at], &w[n]))
            };
            let may = at > 0
                && !window[at].is_out
                && apart(window, WaitingMails::is_apart_from)
                && (0..at).all(|n| window[at].is_told_apart_from(&window[n], &intake.words))
                && apart(window, WaitingMails::is_shown_apart_from);
            if !may {
                continue;
            }
            if look.seen != self.mirror.seen() {
                window[at].look = self.look(intake, &window[at]).await?;
            }
            let free = apart(window, WaitingMails::is_shown_apart_from);
            if let Some(look) = window[at].look.as_ref().filter(|_| free) {
                go.push((window[at].place(), look.key.clone(), look.question.clone()));
                window[at].is_out = true;
            }
        }
        Ok(go)
    }

    /// The question about a mail as it stands; none where nobody would be asked, or the answer is there.
    async fn look(&self, intake: &Intake, waiting: &WaitingMails) -> Result<Option<EarlyQuestion>> {
        let mails = self.to_read(intake, &waiting.arrived).await?;
        if mails.is_empty() {
            return Ok(None);
        }
        let seen = self.mirror.seen();
        let key = intake.key(mails[0]);
        let kept = self.client.prefetched.borrow().of(&key);
        if kept.is_some_and(|early| early.came.is_ok() && early.answers(&mails)) {
            return Ok(None);
        }
        let (question, near) = self.question_of_all(&mails, intake.account()).await?;
        let (hash, tokens) = self.named(&question);
        // A dry run may have asked the same.
        let tokens = if self.is_answered(&hash) { 0 } else { tokens + 2 * REPLY };
        Ok(Some(EarlyQuestion { question, key, near, tokens, seen }))
    }

    /// Asks about mails before their turn, and keeps the reply for it.
    async fn prefetch(&self, key: String, question: BurstQuestion, cancel: Cancel<'_>) -> Result<Rc<Prefetched>> {
        let mut used = Purse::default();
        let (came, _) = self.reply_to(&question, &mut used, cancel).await?;
        let early = Rc::new(Prefetched { question, came, used });
        if early.came.is_ok() {
            // Whoever gives up and comes back need not ask again.
            self.client.prefetched.borrow_mut().put(&key, Rc::clone(&early));
        }
        Ok(early)
    }

    /// Tokens that the import may still use; without limit where absent.
    async fn may_spend(&self, intake: &Intake) -> Result<Option<u32>> {
        let import = intake.tokens_left();
        Ok(match self.options.daily_tokens {
            Some(most) => {
                let day = most.saturating_sub(self.client.shared.budget.used_today(self.env()).await?);
                Some(import.map_or(day, |left| left.min(day)))
            }
            None => import,
        })
    }
}
