//! Deciding with a model: which question is open, who has answered it before, what came of asking.
//!
//! It holds no rule: what is asked and what an answer may do is `decision`'s.

use super::{Cancel, Engine, Platform};
use crate::Result;
use crate::decision::{Candidate, Decided, Proposal, Question, Refusal, Triage, triage};
use crate::embed::Embedder;
use crate::llm::Masks;
use crate::model::{Draft, Memory, Time};
use crate::store::{LogRange, Store};

/// Answers that are kept; one takes about a kilobyte.
const MOST: usize = 256;
/// Questions that one call asks: the second where another writer changed what the first was about.
const MAX_ASKED: usize = 2;

type Key = [u8; 32];

/// The last answers, by the hash of what was asked.
#[derive(Debug, Default)]
pub(super) struct Answers {
    kept: Vec<(Key, Proposal)>,
    next: usize,
}

impl Answers {
    fn put(&mut self, key: Key, answer: Proposal) {
        if self.kept.len() < MOST {
            self.kept.push((key, answer));
        } else {
            self.kept[self.next] = (key, answer);
            self.next = (self.next + 1) % MOST;
        }
    }
}

/// What one call has asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    answers: Vec<(Key, Result<Proposal, Refusal>)>,
    /// Tokens that were used.
    pub tokens: u32,
}

/// A decision, or what must be asked first.
pub(super) enum Step {
    Decided(Decided),
    Ask(Question),
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The decision under the engine's policy, as far as it can be taken with the answers there are.
    pub(super) fn decide(&self, draft: &Draft, known: &mut [(Candidate, Memory)], asked: &Asked) -> Step {
        let policy = &self.options.policy;
        let candidates: Vec<Candidate> = known.iter().map(|(c, _)| c.clone()).collect();
        let ask = match triage(&candidates, policy) {
            Triage::Ask(ask) if self.model.is_some() => ask,
            judged => return Step::Decided(judged.unanswered()),
        };
        let question = Question::new(ask, draft, known);
        let key = key(&question);
        let now = asked.answers.iter().find(|(k, _)| *k == key).map(|(_, a)| a.clone());
        let kept = self.answers.borrow().kept.iter().find(|(k, _)| *k == key).map(|(_, a)| Ok(a.clone()));
        Step::Decided(match kept.clone().or(now) {
            Some(Ok(answer)) => {
                let decided = question.settle(&answer, known, policy);
                // Kept now, not when it came: what it is about may have been forgotten meanwhile.
                if kept.is_none() {
                    self.answers.borrow_mut().put(key, answer);
                }
                decided
            }
            Some(Err(refusal)) => question.unanswered(refusal),
            None if asked.answers.len() < MAX_ASKED => return Step::Ask(question),
            None => question.unanswered(Refusal::Moved),
        })
    }

    /// Asks a question and keeps what came of it.
    ///
    /// # Errors
    /// Those of the store, where it counts the day's tokens.
    pub(super) async fn ask(&self, question: &Question, asked: &mut Asked, cancel: Cancel<'_>) -> Result<()> {
        let Some(model) = &self.model else { return Ok(()) };
        if let Some(most) = self.options.daily_tokens
            && self.used_today().await?.saturating_add(asked.tokens) >= most
        {
            asked.answers.push((key(question), Err(Refusal::OverBudget)));
            return Ok(());
        }
        let seed = self.platform.seed();
        let fence: String = seed[..8].iter().zip(&seed[8..]).map(|(a, b)| format!("{:02x}", a ^ b)).collect();
        let mut sent = question.clone();
        let masks = if self.options.mask { Masks::hide(&mut sent.texts_mut()) } else { Masks::default() };
        let prompt = sent.prompt(&fence);
        let rest = prompt.system.len() + prompt.schema.len();
        let rest = prompt.examples.iter().fold(rest, |sum, e| sum + e.text.len() + e.reply.len());
        let from = (model.origin(), model.name());
        let out = self.sending(from, "decisions", vec![prompt.text.clone()], rest).await?;
        let answer = match cancel.unless_gone(model.ask(&prompt)).await {
            // Whoever gave up is told so before the next step.
            None => return self.came_back(out, Some("given_up"), 0).await,
            Some(Ok(reply)) => {
                self.came_back(out, Some("answered"), reply.tokens).await?;
                asked.tokens = asked.tokens.saturating_add(reply.tokens);
                question.read(&masks.restore(&reply.text), &fence)
            }
            Some(Err(refusal)) => {
                let outcome = (refusal != Refusal::Resting).then_some(refusal.as_str());
                self.came_back(out, outcome, 0).await?;
                Err(refusal)
            }
        };
        asked.answers.push((key(question), answer));
        Ok(())
    }

    /// Tokens that the log says were used since midnight, by whatever engine.
    pub(super) async fn used_today(&self) -> Result<u32> {
        let zone = self.options.zone;
        let midnight = Time::from_local(self.platform.now().day(zone).and_time(chrono::NaiveTime::MIN), zone);
        let mut limit = 256;
        loop {
            let range = LogRange { limit: Some(limit), newest_first: true, ..LogRange::default() };
            let entries = self.store.log(range).await?;
            if entries.len() < limit || entries.last().is_some_and(|e| e.time < midnight) {
                let today = entries.iter().take_while(|e| e.time >= midnight);
                return Ok(today.fold(0, |sum, e| sum.saturating_add(e.tokens)));
            }
            limit *= 4;
        }
    }
}

fn key(question: &Question) -> Key {
    hmac_sha256::Hash::hash(question.text().as_bytes())
}
