//! Mails of an import that are asked about ahead of their turn, so that several calls are out at the same time.
//!
//! It changes no result: when a mail's turn comes its question is made anew, and a reply that came ahead counts only where
//! the question is the same. A mail waits for earlier ones that share its thread, its people or what it is shown.

use super::budget::Purse;
use super::burst::goes_with;
use super::ingest::Arrived;
use super::limits::MOST_AT_ONCE;
use super::model_client::{Ahead, REPLY};
use super::{Cancel, Engine, Intake, MailReceipt, Platform};
use crate::analysis::{Own, Sought};
use crate::decision::Mode;
use crate::embed::Embedder;
use crate::language::Lower;
use crate::llm::BurstQuestion;
use crate::mail::{Account, Charset, Mail, Piece, is_promotion, is_settled, passages};
use crate::model::Id;
use crate::store::{Seq, Store};
use crate::{Code, Result};
use std::collections::{HashSet, VecDeque};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// A question about mails whose turn it has not been yet.
struct EarlyQuestion {
    question: BurstQuestion,
    hash: String,
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
    look: Option<EarlyQuestion>,
    is_out: bool,
}

impl WaitingMails {
    fn new(arrived: Arrived, account: &Account) -> Self {
        let mut waiting = Self { arrived: Vec::new(), people: Vec::new(), look: None, is_out: false };
        waiting.push(arrived, account);
        waiting
    }

    fn push(&mut self, arrived: Arrived, account: &Account) {
        self.people.extend(arrived.mail.iter().flat_map(|mail| people(mail, account)));
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

    /// Whether it is shown nothing that an earlier one is shown. Who is shown nothing at all would be shown whatever an
    /// earlier one with a word in common brings.
    fn is_shown_apart_from(&self, earlier: &Self) -> bool {
        let Some(own) = &self.look else { return true };
        if own.near.is_empty() {
            let words = |w: &Self| w.mails().into_iter().flat_map(words).collect::<HashSet<u64>>();
            let before = words(earlier);
            return words(self).iter().all(|key| !before.contains(key));
        }
        earlier.look.as_ref().is_none_or(|before| own.near.iter().all(|id| !before.near.contains(id)))
    }
}

/// Everybody but the owner who wrote or received a mail.
fn people(mail: &Mail, account: &Account) -> Vec<String> {
    let all = mail.parties();
    all.filter(|p| !account.is_owner(&p.address)).map(|p| p.address.trim().lower()).collect()
}

/// The keys of what a mail says.
fn words(mail: &Mail) -> HashSet<u64> {
    let said = passages(mail).into_iter().map(|(_, text)| text).chain([mail.subject.clone()]);
    said.flat_map(|text| Sought::new(&text, &Own::default()).keys().iter().map(|k| k.0).collect::<Vec<_>>()).collect()
}

type Flight<'a> = Pin<Box<dyn Future<Output = Result<Ahead>> + 'a>>;

/// Calls that are out, by the place of their mail; they go on while anything else is waited for through here.
#[derive(Default)]
struct Flights<'a> {
    flights: Vec<(u32, Flight<'a>)>,
    landed: Vec<(u32, Result<Ahead>)>,
}

impl Flights<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) {
        let mut at = 0;
        while let Some((place, flight)) = self.flights.get_mut(at) {
            match flight.as_mut().poll(cx) {
                Poll::Ready(came) => {
                    self.landed.push((*place, came));
                    drop(self.flights.swap_remove(at));
                }
                Poll::Pending => at += 1,
            }
        }
    }

    async fn beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|cx| {
            self.poll(cx);
            work.as_mut().poll(cx)
        })
        .await
    }

    /// What came of the call about a mail, once it has; nothing where none went out.
    async fn landed(&mut self, place: u32) -> Option<Result<Ahead>> {
        poll_fn(|cx| {
            self.poll(cx);
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
        poll_fn(|cx| {
            self.poll(cx);
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
        let (mut out, mut receipts, mut answers) = (Flights::default(), Vec::new(), true);
        loop {
            while let Some(arrived) = next.take() {
                let is_full = window.len() == width;
                match window.back_mut().filter(|last| joins && last.takes(&arrived)) {
                    Some(last) => last.push(arrived, intake.account()),
                    None if is_full => {
                        next = Some(arrived);
                        break;
                    }
                    None => window.push_back(WaitingMails::new(arrived, intake.account())),
                }
                next = read(intake);
            }
            if window.len() > 1 && answers {
                for (place, look) in out.beside(self.may_go(intake, &mut window)).await? {
                    out.flights.push((place, Box::pin(self.sent_ahead(look, cancel))));
                }
            }
            let Some(first) = window.pop_front() else { return Ok(receipts) };
            if let Some(came) = out.landed(first.place()).await {
                let ahead = came?;
                // An endpoint that fails is asked about one mail at a time.
                answers = ahead.came.is_ok();
                intake.pay(ahead);
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
            let (ahead, mut purse) = (intake.ahead.take(), intake.purse);
            let burst = self.read_burst(&mails, intake.account(), ahead, &mut purse, cancel).await;
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

    /// The questions about waiting mails that may go out now, each with the place of its mail.
    async fn may_go(&self, intake: &Intake, window: &mut VecDeque<WaitingMails>) -> Result<Vec<(u32, BurstQuestion)>> {
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
                && apart(window, WaitingMails::is_shown_apart_from);
            if !may {
                continue;
            }
            if look.seen != self.mirror.seen() {
                window[at].look = self.look(intake, &window[at]).await?;
            }
            let free = apart(window, WaitingMails::is_shown_apart_from);
            if let Some(look) = window[at].look.as_ref().filter(|_| free) {
                go.push((window[at].place(), look.question.clone()));
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
        let (question, near) = self.question_of_all(&mails, intake.account()).await?;
        let (hash, tokens) = self.named(&question);
        let look = EarlyQuestion { question, hash, near, tokens: tokens + 2 * REPLY, seen };
        Ok(Some(look).filter(|look| !self.is_answered(&look.hash)))
    }

    /// Asks about a mail ahead of its turn.
    async fn sent_ahead(&self, question: BurstQuestion, cancel: Cancel<'_>) -> Result<Ahead> {
        let mut used = Purse::default();
        let came = self.ask_about(&question, &mut used, cancel).await?;
        Ok(Ahead { hash: self.named(&question).0, came, used })
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
