//! Deciding with a model: which question is open, who has answered it before, what came of asking.
//!
//! It holds no rule: what is asked and what an answer may do is `decision`'s.

use super::answers::{key, shelved, shelving, written};
use super::budget::Purse;
use super::embeddings::HeadAnswers;
use super::{Cancel, Engine, Platform};
use crate::analysis::{self, KeyFactor, Reading};
use crate::consolidation::{LogEntry, Record, Shelf, Wording};
use crate::decision::{
    Batch, Candidate, Decided, Finding, Lesson, PairAnswer, Question, Reason, Refusal, Triage, triage,
};
use crate::embed::Embedder;
use crate::model::{Draft, Id, Memory};
use crate::store::Store;
use crate::{Result, json};

/// Rounds of questions of one call: the second where another writer changed what the first was about.
const MAX_ROUNDS: usize = 2;

/// What one call has asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// For each pair that was asked about or looked up, what came of it.
    pairs: Vec<(String, Result<PairAnswer, Refusal>)>,
    rounds: usize,
    /// What its questions may use and have used.
    pub purse: Purse,
    /// Tokens that stand in no entry yet.
    unlogged: u32,
    /// Whether several memories share it.
    together: bool,
    /// Whether the first entry bears what it has used.
    has_read: bool,
    /// What was found of the new memory by whoever read its mail.
    found: Option<ReadFinding>,
    /// Why nobody is asked.
    refused: Option<Refusal>,
    /// Whether what is new replaces nothing.
    pub beside: bool,
    /// What the head of an embedder has said of pairs.
    pub judged: HeadAnswers,
    /// What else is kept with the first entry, by its key.
    along: Vec<(String, String)>,
}

impl Asked {
    /// For a mail, whose questions go out together and may use so much.
    pub fn together(purse: Purse) -> Self {
        Self { purse, together: true, ..Self::default() }
    }

    /// Other questions may be asked.
    pub fn reopen(&mut self) {
        self.rounds = 0;
    }

    /// Nothing more is asked.
    pub fn close(&mut self) {
        self.rounds = MAX_ROUNDS;
    }

    /// The tokens that an entry bears; of a mail's, one whose question was asked.
    pub fn owed(&self, raised: bool) -> u32 {
        if raised || self.has_read || !self.together { self.unlogged } else { 0 }
    }

    /// An entry with these tokens is written.
    pub fn log(&mut self, tokens: u32) {
        self.unlogged -= tokens.min(self.unlogged);
        self.has_read = false;
        self.along.clear();
    }

    /// Keeps a text with the first entry.
    pub fn keep(&mut self, key: String, text: String) {
        self.along.push((key, text));
    }

    /// The mail was read by a call that used so many tokens.
    pub fn read(&mut self, tokens: u32) {
        self.unlogged = self.unlogged.saturating_add(tokens);
        self.has_read = true;
    }

    /// What was found of the next new memory; or why no model's word stands for it: then nobody is asked about it.
    /// `beside`: it replaces nothing.
    pub fn about(&mut self, found: Option<ReadFinding>, refused: Option<Refusal>, beside: bool) {
        (self.found, self.refused, self.beside) = (found, refused, beside);
        self.rounds = if refused.is_some() { MAX_ROUNDS } else { 0 };
    }

    /// Whether a model has said what the next new memory is, and when.
    pub fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// The memories that what was found names.
    pub fn named(&self) -> Vec<Id> {
        self.found.iter().flat_map(|f| f.finding.names()).collect()
    }

    /// Those of them from which it has taken what nobody else has said.
    pub fn borrowed(&self) -> &[Id] {
        self.found.as_ref().map_or(&[], |f| &f.finding.borrowed)
    }

    /// Others in whose words some of it was said.
    pub fn heard_from(&self) -> &[String] {
        self.found.as_ref().map_or(&[], |f| &f.finding.heard_from)
    }

    fn of(&self, key: &str) -> Option<&Result<PairAnswer, Refusal>> {
        self.pairs.iter().rev().find(|(k, _)| k == key).map(|(_, a)| a)
    }
}

/// What somebody who read a mail found of one new memory, and the words that it rests on.
#[derive(Debug, Clone)]
pub(super) struct ReadFinding {
    pub finding: Finding,
    pub wording: Wording,
}

/// What a new memory is compared with, best first.
pub(super) struct Known {
    pub pairs: Vec<(Candidate, Memory)>,
    /// The new one as the local analyst reads it, where the policy wants it.
    pub new: Option<Reading>,
}

/// A decision, and what is kept of how it came about.
pub(super) struct Settled {
    pub decided: Decided,
    /// Whether a question was raised.
    pub raised: bool,
    /// Answers to be kept with it.
    answers: Vec<(String, PairAnswer)>,
    /// Why its question waits for an answer, if it does.
    waits: Option<Refusal>,
    /// What was said, where the new memory is worded by somebody else.
    pub wording: Option<Wording>,
    /// Whether what is stored is only said again.
    pub again: bool,
}

impl Settled {
    /// A decision for which nobody was asked about a pair.
    fn unasked(decided: Decided) -> Self {
        Self { decided, raised: false, answers: Vec::new(), waits: None, wording: None, again: false }
    }

    /// Whether an answer may still come.
    pub fn waits(&self) -> bool {
        self.waits.is_some()
    }
}

/// A decision, or what must be asked first.
pub(super) enum NextStep {
    Decided(Settled),
    Ask(Question),
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The decision under the engine's policy, as far as it can be taken with the answers there are.
    pub(super) fn decide(&self, draft: &Draft, known: &mut Known, asked: &Asked) -> NextStep {
        let policy = &self.options.policy;
        if let Some(found) = &asked.found {
            if let Some(decided) = found.finding.decided(&known.pairs) {
                let (wording, again) = (Some(found.wording.clone()), found.finding.again);
                return NextStep::Decided(Settled { wording, again, ..Settled::unasked(decided) });
            }
            // What was read about has moved since: both are kept, for a person to look at.
            let mut decided = triage(known.pairs.iter().map(|(c, _)| c), policy).unanswered();
            decided.reasons.push(Reason::ModelRefused { error: Refusal::Moved.as_str().to_owned() });
            decided.needs_review = true;
            return NextStep::Decided(Settled::unasked(decided));
        }
        let judge = |known: &Known| triage(known.pairs.iter().map(|(c, _)| c), policy);
        let judged = judge(known);
        if matches!(judged, Triage::Settled(_)) || !self.client.may_ask() {
            let mut decided = judged.unanswered();
            // Of all candidates one is told of.
            let told = decided.target.or(known.pairs.first().map(|(c, _)| c.id));
            let factors = self.tell(draft, known, &asked.judged, |id| Some(id) == told);
            decided.reasons.extend(factors.into_iter().map(Reason::Feature));
            if let Some(refusal) = asked.refused {
                decided.reasons.push(Reason::ModelRefused { error: refusal.as_str().to_owned() });
                // What may pass says nothing of the mail, nor does a model that found nothing in a note.
                decided.needs_review |= !refusal.may_pass() && refusal != Refusal::NothingFound;
            }
            return NextStep::Decided(Settled::unasked(decided));
        }
        // What is asked about may be told of any in the end.
        self.tell(draft, known, &asked.judged, |_| true);
        let ask = match judge(known) {
            Triage::Ask(ask) => ask,
            Triage::Settled(decided) => {
                return NextStep::Decided(Settled::unasked(decided));
            }
        };
        let question = Question::new(ask, draft, &known.pairs);
        let keys: Vec<String> = self.keys(&question);
        let before: Vec<Option<PairAnswer>> = {
            let kept = self.client.shared.answers.borrow();
            keys.iter().map(|k| kept.of(k)).collect()
        };
        let now = |key: &String| asked.of(key).and_then(|a| a.as_ref().ok()).cloned();
        let answers: Vec<Option<PairAnswer>> = keys.iter().zip(&before).map(|(k, b)| b.clone().or(now(k))).collect();
        let open = |(key, answer): (&String, &Option<PairAnswer>)| answer.is_none() && asked.of(key).is_none();
        if keys.iter().zip(&answers).any(open) && asked.rounds < MAX_ROUNDS {
            return NextStep::Ask(question);
        }
        let refused = keys.iter().zip(&answers).find(|(_, a)| a.is_none()).map(|(key, _)| match asked.of(key) {
            Some(Err(refusal)) => *refusal,
            _ => asked.refused.unwrap_or(Refusal::Moved),
        });
        let waits = refused.filter(|r| r.may_pass());
        if answers.iter().all(Option::is_none) {
            let decided = question.unanswered(refused.unwrap_or(Refusal::Moved));
            return NextStep::Decided(Settled { raised: true, waits, ..Settled::unasked(decided) });
        }
        if before.iter().all(Option::is_some) && keys.iter().all(|key| asked.of(key).is_none()) {
            self.client.hit();
        }
        let decided = question.settle(&answers, &mut known.pairs, policy);
        let answers: Vec<(String, PairAnswer)> =
            keys.into_iter().zip(answers).filter_map(|(k, a)| Some((k, a?))).collect();
        // Kept now, not when they came: what they are about may have been forgotten meanwhile.
        for (key, answer) in &answers {
            self.client.shared.answers.borrow_mut().put(key, answer.clone());
        }
        let waits = waits.filter(|_| decided.needs_review);
        NextStep::Decided(Settled { raised: true, answers, waits, ..Settled::unasked(decided) })
    }

    /// Gives the analyses of some candidates their key factors, and tells them.
    fn tell(
        &self,
        draft: &Draft,
        known: &mut Known,
        judged: &HeadAnswers,
        whose: impl Fn(Id) -> bool,
    ) -> Vec<KeyFactor> {
        let mut told = Vec::new();
        let Some(new) = &known.new else { return told };
        for (c, memory) in known.pairs.iter_mut().filter(|(c, _)| whose(c.id)) {
            if let Some(analysis) = &mut c.analysis {
                let analyse = (analysis::compare_judged as _, self.head_answer(draft, memory, judged));
                analysis.key_factors = self.analysed(draft, new, memory, analyse).key_factors;
                told.extend_from_slice(&analysis.key_factors);
            }
        }
        told
    }

    fn keys(&self, question: &Question) -> Vec<String> {
        let name = self.client.name();
        question.pairs(name).map(|pair| key(&pair)).collect()
    }

    /// Asks what is still open of these questions, in as few calls as may be, and keeps what came of it.
    pub(super) async fn ask_model(
        &self,
        questions: Vec<Question>,
        asked: &mut Asked,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        asked.rounds += 1;
        let mut open = Vec::new();
        for question in questions {
            let mut found = true;
            for key in self.keys(&question) {
                let known =
                    self.client.shared.answers.borrow().of(&key).is_some() || matches!(asked.of(&key), Some(Ok(_)));
                let kept = if known { None } else { shelved(&self.store, &key).await? };
                if let Some(answer) = kept.and_then(|text| json::read(&text, "answer").ok()) {
                    asked.pairs.push((key, Ok(answer)));
                } else {
                    found &= known;
                }
            }
            if found {
                self.client.hit();
            } else {
                open.push(question);
            }
        }
        let mut rest = &open[..];
        while !rest.is_empty() {
            let batch = Batch::of(rest);
            let (sent, later) = rest.split_at(batch.len());
            rest = later;
            let fence = self.env().fence();
            let (mut shown, mut lessons) = (batch.clone(), self.lessons().await?);
            lessons.retain(|l| l.language() == batch.language());
            let sent_texts = shown.texts_mut().chain(lessons.iter_mut().flat_map(Lesson::texts_mut));
            let masks = self.options.masks(&mut sent_texts.collect::<Vec<_>>());
            let prompt = shown.prompt(&fence, &lessons);
            let spent = asked.purse.tokens;
            let mut answers = Vec::new();
            let read = &mut |reply: &str| {
                answers = batch.read(&masks.restore(reply))?;
                // A reply of which something can be used is not asked for again.
                let usable = answers.iter().any(Result::is_ok);
                answers.iter().find_map(|a| a.as_ref().err()).filter(|_| !usable).map_or(Ok(()), |e| Err((*e).into()))
            };
            let came = self.client.call(self.env(), &prompt, &fence, &mut asked.purse, cancel, read).await?;
            let came = came.map_err(Refusal::from);
            asked.unlogged = asked.unlogged.saturating_add(asked.purse.tokens - spent);
            for (n, question) in sent.iter().enumerate() {
                let of_this = answers.get(n).cloned().unwrap_or(Err(came.err().unwrap_or(Refusal::Failed)));
                for (at, key) in self.keys(question).into_iter().enumerate() {
                    let answer = match &of_this {
                        Ok(given) => given.get(at).cloned().flatten().ok_or(Refusal::Unanswered),
                        Err(refusal) => Err(*refusal),
                    };
                    asked.pairs.push((key, answer));
                }
            }
        }
        Ok(())
    }

    /// The side records of a decision: the answers that it rests on, and its question, where that waits.
    pub(super) async fn beside(&self, entry: &LogEntry, settled: &Settled, asked: &Asked) -> Result<Vec<Record>> {
        let mut kept = asked.along.clone();
        // Answers of a model without a name may be those of any.
        if self.client.model.as_ref().is_some_and(|m| m.name().is_some()) {
            for (key, answer) in &settled.answers {
                kept.push((key.clone(), written(answer)?));
            }
        }
        if settled.waits() {
            kept.extend(asked.judged.written()?);
        }
        let mut records = shelving(&self.store, kept).await?;
        let waits = |why: Refusal| Record::put(Shelf::Waiting, entry.id.to_string(), why.as_str().as_bytes().to_vec());
        records.extend(settled.waits.map(waits));
        Ok(records)
    }
}
