//! Deciding with a model: what it found of a new memory, or what is decided without its word.
//!
//! It holds no rule: a reply is checked by its question, a finding is decided and permitted like any other.

use super::answers::shelving;
use super::applied_entries::{AppliedEntries, ReadFinding};
use super::budget::Purse;
use super::embeddings::HeadAnswers;
use super::{Cancel, Engine, Platform};
use crate::Result;
use crate::analysis::{self, KeyFactor, Outcome, Reading};
use crate::consolidation::{LogEntry, Record, Shelf, Wording};
use crate::decision::{Candidate, Decided, Decision, Finding, Reason, Refusal, beside, cut, triage};
use crate::embed::Embedder;
use crate::language::Reference;
use crate::llm::{KnownMemory, MailEntry, MailQuestion, MailReply, Op, Party, Passage};
use crate::mail::is_suspicious;
use crate::model::{DayOrTime, Draft, Id, Memory, Relation, Source, WrittenBy};
use crate::store::Store;

/// Questions about one new memory: the second where another writer changed what the first was about.
const MAX_ROUNDS: usize = 2;

/// What one call has asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// How often the new memory was asked about by itself.
    rounds: usize,
    /// What its questions may use and have used.
    pub purse: Purse,
    /// Tokens that stand in no entry yet.
    unlogged: u32,
    /// What was found of the new memory by whoever read it.
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
    /// Questions that may use so much.
    pub fn within(purse: Purse) -> Self {
        Self { purse, ..Self::default() }
    }

    /// The tokens that the next entry bears.
    pub fn owed(&self) -> u32 {
        self.unlogged
    }

    /// An entry with these tokens is written.
    pub fn log(&mut self, tokens: u32) {
        self.unlogged -= tokens.min(self.unlogged);
        self.along.clear();
    }

    /// Keeps a text with the first entry.
    pub fn keep(&mut self, key: String, text: String) {
        self.along.push((key, text));
    }

    /// Something was read by a call that used so many tokens.
    pub fn read(&mut self, tokens: u32) {
        self.unlogged = self.unlogged.saturating_add(tokens);
    }

    /// What was found of the next new memory; or why no model's word stands for it: then nobody is asked about it.
    /// `beside`: it replaces nothing.
    pub fn about(&mut self, found: Option<ReadFinding>, refused: Option<Refusal>, beside: bool) {
        (self.found, self.refused, self.beside, self.rounds) = (found, refused, beside, 0);
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
    /// Why its question waits for an answer, if it does.
    waits: Option<Refusal>,
    /// What was said, where the new memory is worded by somebody else.
    pub wording: Option<Wording>,
    /// That wording, where the draft has its own words still.
    text: Option<String>,
    /// Whether what is stored is only said again.
    pub again: bool,
}

impl Settled {
    /// A decision without a model's word.
    fn unasked(decided: Decided, waits: Option<Refusal>) -> Self {
        Self { decided, waits, wording: None, text: None, again: false }
    }

    /// Whether an answer may still come.
    pub fn waits(&self) -> bool {
        self.waits.is_some()
    }

    /// The draft as its next version is to read.
    pub fn told(&self, draft: &Draft) -> Draft {
        Draft { content: self.text.as_ref().unwrap_or(&draft.content).clone(), ..draft.clone() }
    }

    /// Notes the draft in its own words, where its next version reads otherwise.
    pub fn note_input(&self, draft: &Draft, entry: &mut LogEntry) {
        if self.text.is_some() {
            entry.input.clone_from(&draft.content);
            entry.draft.iter_mut().for_each(|kept| kept.content.clone_from(&draft.content));
        }
    }
}

/// A decision, or what must be asked first.
pub(super) enum NextStep {
    Decided(Settled),
    Ask(MailQuestion),
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The decision under the engine's policy, as far as it can be taken with the answers there are.
    pub(super) fn decide(&self, draft: &Draft, known: &mut Known, asked: &Asked) -> NextStep {
        let judged = triage(known.pairs.iter().map(|(c, _)| c), &self.options.policy);
        let is_alone = asked.rounds > 0;
        if let Some(found) = &asked.found {
            let content = found.text.as_ref().unwrap_or(&draft.content);
            if let Some(mut decided) = found.finding.decided(&known.pairs, content) {
                if is_alone {
                    decided = self.beside_local(decided, &found.finding, draft, (known, &asked.judged));
                }
                let (wording, text, again) = (found.wording.clone(), found.text.clone(), found.finding.again);
                return NextStep::Decided(Settled { wording, text, again, ..Settled::unasked(decided, None) });
            }
            // What was read about has moved since: a single memory is looked at anew, else both are kept, for a person to look at.
            if !is_alone || asked.rounds >= MAX_ROUNDS && !judged.open.is_empty() {
                let mut decided = judged.decided;
                decided.reasons.push(Reason::ModelRefused { error: Refusal::Moved.as_str().to_owned() });
                decided.needs_review = true;
                return NextStep::Decided(Settled::unasked(decided, is_alone.then_some(Refusal::Moved)));
            }
        }
        if asked.refused.is_none() && !judged.open.is_empty() && self.client.may_ask() {
            return NextStep::Ask(self.question_of_draft(draft, known, &judged.open));
        }
        let is_open = !judged.open.is_empty();
        let mut decided = judged.decided;
        // Of all candidates one is told of.
        let told = decided.target.or(known.pairs.first().map(|(c, _)| c.id));
        let factors = self.tell(draft, known, &asked.judged, |id| Some(id) == told);
        decided.reasons.extend(factors.into_iter().map(Reason::Feature));
        if let Some(refusal) = asked.refused {
            decided.reasons.push(Reason::ModelRefused { error: refusal.as_str().to_owned() });
            // What may pass says nothing of the mail, nor does a model that found nothing in a note.
            decided.needs_review |= is_open || !refusal.may_pass() && refusal != Refusal::NothingFound;
        }
        NextStep::Decided(Settled::unasked(decided, asked.refused.filter(|r| is_open && r.may_pass())))
    }

    /// What a model found of a memory that was asked about by itself, beside what the local analyst says of it: where that is
    /// sure of another outcome, the model's word is written and its owner is asked to look.
    fn beside_local(
        &self,
        mut decided: Decided,
        found: &Finding,
        draft: &Draft,
        (known, judged): (&mut Known, &HeadAnswers),
    ) -> Decided {
        let target = decided.target;
        let factors = self.tell(draft, known, judged, |id| Some(id) == target);
        decided.reasons.extend(factors.into_iter().map(Reason::Feature));
        let writes = matches!(decided.decision, Decision::Update | Decision::Skip);
        let about = known.pairs.iter().find(|(c, _)| writes && Some(c.id) == target).map(|(c, _)| c);
        let is_low = |c: &&Candidate| c.score < self.options.policy.min_update_score;
        // Two analysts that find the same by themselves need no score.
        let agrees = |c: &Candidate| c.analysis.as_ref().is_some_and(|a| a.sure && a.outcome == found.outcome);
        if about.filter(is_low).is_some_and(|c| !agrees(c)) {
            let confidence = decided.confidence;
            decided.decision = Decision::Update;
            decided = beside(decided, Reason::NotSure { confidence });
        }
        let names = |id: Id| found.names().any(|named| named == id);
        let sure = known.pairs.iter().filter_map(|(c, _)| Some((c.id, c.analysis.as_ref().filter(|a| a.sure)?)));
        let against = sure.filter(|(id, a)| {
            a.outcome != found.outcome_of(*id) && (names(*id) || matches!(a.outcome, Outcome::Update | Outcome::Skip))
        });
        if let Some((_, sure)) = against.max_by(|(_, a), (_, b)| a.confidence.total_cmp(&b.confidence)) {
            decided.needs_review = true;
            decided.reasons.insert(1, Reason::AnalystsDisagree { local: sure.outcome, confidence: sure.confidence });
        }
        decided
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

    /// The question about a single new memory beside those that it may be about: the open ones, then whatever the local
    /// analyst finds related.
    fn question_of_draft(&self, draft: &Draft, known: &Known, open: &[Id]) -> MailQuestion {
        let zone = self.options.zone;
        let is_near = |c: &Candidate| c.analysis.as_ref().is_some_and(|a| a.outcome != Outcome::Create);
        let near = known.pairs.iter().filter(|(c, _)| is_near(c)).map(|(c, _)| c.id);
        let ids = open.iter().copied().chain(near.filter(|id| !open.contains(id)));
        let memories = ids.filter_map(|id| known.pairs.iter().find(|(c, _)| c.id == id)).map(|(_, m)| m);
        let named = draft.author.as_deref().map(|a| a.split('@').next().unwrap_or(a));
        let from =
            Party { name: named.unwrap_or_default().to_owned(), is_owner: draft.source_type == Source::UserInput };
        // Asked again on one day, it is the same question.
        let now = draft.stated_at.unwrap_or_else(|| DayOrTime::Day(self.platform.now().day(zone)).begin(zone));
        MailQuestion {
            form: self.options.form,
            is_draft: true,
            source: draft.source_id.clone(),
            from,
            speaker: draft.author.clone(),
            to: Vec::new(),
            is_answer: false,
            subject: draft.subject.clone().unwrap_or_default(),
            at: Some(Reference { now, zone }),
            passages: vec![Passage { by: WrittenBy::Sender, text: cut(&draft.content, MailQuestion::MOST).to_owned() }],
            signature: String::new(),
            before: Vec::new(),
            known: memories
                .take(self.options.form.most_shown())
                .map(|m| KnownMemory::new(m, draft.thread_id.as_deref(), zone))
                .collect(),
        }
    }

    /// Asks about a single new memory, and keeps what came of it.
    pub(super) async fn ask_model(
        &self,
        question: MailQuestion,
        draft: &Draft,
        asked: &mut Asked,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        let (came, tokens) = self.reply_to(&question, &mut asked.purse, cancel).await?;
        asked.read(tokens);
        asked.rounds += 1;
        let reply =
            came.and_then(|raw| question.read(&raw, &|name| self.has_name(name))).map_err(|fault| fault.refusal);
        match reply.and_then(|reply| found_alone(&reply, draft)) {
            Ok(found) => (asked.found, asked.refused) = (Some(found), None),
            Err(refusal) => (asked.found, asked.refused) = (None, Some(refusal)),
        }
        Ok(())
    }

    /// The side records of a decision: replies that are kept with it, and its question, where that waits.
    pub(super) async fn beside(&self, entry: &LogEntry, settled: &Settled, asked: &Asked) -> Result<Vec<Record>> {
        let mut kept = asked.along.clone();
        if settled.waits() {
            kept.extend(asked.judged.written()?);
        }
        let mut records = shelving(&self.store, kept).await?;
        let waits = |why: Refusal| Record::put(Shelf::Waiting, entry.id.to_string(), why.as_str().as_bytes().to_vec());
        records.extend(settled.waits.map(waits));
        Ok(records)
    }
}

/// What a reply found of a single memory. Where it is one entry that tells a stored memory anew, that is the next version's
/// text; else the new memory keeps its own words, so that nothing of it is lost.
fn found_alone(reply: &MailReply, draft: &Draft) -> Result<ReadFinding, Refusal> {
    let refused = reply.entries.iter().find_map(|e| e.as_ref().err().copied());
    let entries: Vec<&MailEntry> = reply.entries.iter().flatten().collect();
    let writes = |e: &MailEntry| matches!(e.op, Op::Update | Op::Done);
    let first = entries.iter().position(|e| writes(e)).or(entries.iter().position(|e| e.op == Op::New)).unwrap_or(0);
    let Some(entry) = entries.get(first) else { return Err(refused.unwrap_or(Refusal::NothingFound)) };
    // What speaks to an assistant is worded by its owner alone.
    let may_word = draft.source_type == Source::UserInput || !is_suspicious(&entry.text);
    let ReadFinding { mut finding, wording, .. } = AppliedEntries::default().finding(entry, None);
    finding.withheld = finding.withheld.or(refused);
    if entries.len() == 1 && refused.is_none() && writes(entry) && may_word {
        let wording = wording.map(|wording| Wording { said: draft.content.clone(), ..wording });
        return Ok(ReadFinding { finding, wording, text: Some(entry.text.clone()) });
    }
    (finding.inferred, finding.borrowed, finding.heard_from) = (false, Vec::new(), Vec::new());
    for (_, other) in entries.iter().enumerate().filter(|(n, _)| *n != first && finding.outcome != Outcome::Skip) {
        finding.with = finding.with.or(other.with);
        let is_second = writes(other) && other.of != entry.of;
        finding.withheld = finding.withheld.or(is_second.then_some(Refusal::TwoUpdates));
        let found = AppliedEntries::default().finding(other, None).finding;
        let linked = found.target.map(|id| (id, Relation::Reference)).into_iter().chain(found.links);
        for link in linked.filter(|(id, _)| finding.names().all(|named| named != *id)).collect::<Vec<_>>() {
            finding.links.push(link);
        }
    }
    Ok(ReadFinding { finding, wording: None, text: None })
}
