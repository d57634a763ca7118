//! Decides a draft with a model's finding, or locally without one.

use super::budget::TokenBudget;
use super::{Cancel, Engine};
use crate::analysis::Outcome;
use crate::consolidation::{LogEntry, Wording};
use crate::decision::{Analyst, Candidate, Decided, Decision, Finding, Reason, Refusal, cut, triage, without_open_day};
use crate::language::Reference;
use crate::llm::{KnownMemory, LinkEnd, MailEntry, MailQuestion, MailReply, Op, Party, Passage};
use crate::mail::is_suspicious;
use crate::model::{Claim, Conflict, DayOrTime, Draft, Id, Memory, Relation, Relationship, Source, Time, WrittenBy};
use crate::{Result, analysis};
use async_lock::MutexGuard;

/// Most questions about one draft. The second one follows a concurrent change of its target.
const MAX_ROUNDS: usize = 2;

#[derive(Debug, Default)]
pub(super) struct QuestionState {
    rounds: usize,
    pub budget: TokenBudget,
    /// Tokens not in any log entry yet.
    pub unlogged: u32,
    found: Option<ModelFinding>,
    refused: Option<Refusal>,
    pub replaces_nothing: bool,
    /// The current version that the caller names as replaced.
    pub replaces: Option<Id>,
    /// The key of the record that says that an import has compared the mail's minor drafts.
    pub minor_key: String,
    /// Cache texts stored with the first entry, by key.
    pub cache_texts: Vec<(String, String)>,
}

impl QuestionState {
    pub fn with_budget(budget: TokenBudget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Marks these tokens as recorded in a written entry.
    pub fn mark_logged(&mut self, tokens: u32) {
        self.unlogged -= tokens.min(self.unlogged);
        self.cache_texts.clear();
    }

    pub fn add_tokens(&mut self, tokens: u32) {
        self.unlogged = self.unlogged.saturating_add(tokens);
    }

    /// Starts the next draft with its finding, or with the reason why no model is asked.
    pub fn start_draft(&mut self, found: Option<ModelFinding>, refused: Option<Refusal>, replaces_nothing: bool) {
        (self.found, self.refused, self.replaces_nothing, self.rounds) = (found, refused, replaces_nothing, 0);
    }

    /// Whether a model has a finding about the current draft, or the caller has decided.
    pub fn has_finding(&self) -> bool {
        self.found.is_some() || self.replaces.is_some()
    }

    pub fn referenced_memories(&self) -> Vec<Id> {
        self.found.iter().flat_map(|f| f.finding.names()).chain(self.replaces).collect()
    }

    /// Returns the other memories that the finding's text relies on.
    pub fn borrowed(&self) -> &[Id] {
        self.found.as_ref().map_or(&[], |f| &f.finding.borrowed)
    }

    /// Returns the other authors that the finding's text relies on.
    pub fn heard_from(&self) -> &[String] {
        self.found.as_ref().map_or(&[], |f| &f.finding.heard_from)
    }
}

pub(super) struct ComparedMemories {
    pub pairs: Vec<(Candidate, Memory)>,
}

pub(super) struct DraftDecision {
    pub decided: Decided,
    /// The evidence, if the model words the new memory.
    pub wording: Option<Wording>,
    /// The model's text, while the draft still has its own.
    text: Option<String>,
    /// Whether the draft only repeats the stored memory.
    pub again: bool,
}

impl DraftDecision {
    fn unasked(decided: Decided) -> Self {
        Self { decided, wording: None, text: None, again: false }
    }

    pub fn next_draft(&self, draft: &Draft) -> Draft {
        Draft { content: self.text.as_ref().unwrap_or(&draft.content).clone(), ..draft.clone() }
    }

    /// Logs the draft's original text if its next version reads differently.
    pub fn note_input(&self, draft: &Draft, entry: &mut LogEntry) {
        if self.text.is_some() {
            entry.input.clone_from(&draft.content);
            entry.draft.iter_mut().for_each(|kept| kept.content.clone_from(&draft.content));
        }
    }
}

enum NextStep {
    Decided(DraftDecision),
    Ask(MailQuestion),
}

fn replacement(old: &Memory, draft: &Draft) -> Decided {
    Decided {
        decision: Decision::Update,
        target: Some(old.id),
        relationship: Relationship::Identical,
        conflict: Conflict::Update,
        changes: analysis::differences(&Claim::from(old), &Claim::from(draft)),
        analyst: Analyst::Local,
        confidence: 1.0,
        ..Decided::default()
    }
}

impl Engine {
    /// Decides a draft. `None` if the head or the model was asked meanwhile, so that the caller compares again.
    pub(super) async fn decide_or_ask<'a>(
        &'a self,
        draft: &mut Draft,
        known: &ComparedMemories,
        asked: &mut QuestionState,
        turn: &mut Option<MutexGuard<'a, ()>>,
        cancel: Cancel<'_>,
    ) -> Result<Option<DraftDecision>> {
        let mut pairs = Vec::new();
        if !asked.has_finding() {
            pairs = self.open_pairs(draft, &known.pairs);
            if pairs.is_empty() {
                without_open_day(draft, &known.pairs);
            }
        }
        let question = match pairs.is_empty().then(|| self.decide(draft, known, asked)) {
            Some(NextStep::Decided(settled)) => return Ok(Some(settled)),
            Some(NextStep::Ask(question)) => Some(question),
            None => None,
        };
        *turn = None;
        match question {
            Some(question) => self.ask_model(question, draft, asked, cancel).await?,
            None => self.ask_head(pairs, cancel).await,
        }
        *turn = Some(self.mirror.turn.lock().await);
        Ok(None)
    }

    /// Decides under the engine's policy, or returns the question to ask first.
    fn decide(&self, draft: &Draft, known: &ComparedMemories, asked: &QuestionState) -> NextStep {
        let named = known.pairs.iter().find(|(c, m)| Some(c.id) == asked.replaces && m.is_current());
        if let Some((_, old)) = named.filter(|(_, old)| old.content != draft.content) {
            return NextStep::Decided(DraftDecision::unasked(replacement(old, draft)));
        }
        let judged = triage(known.pairs.iter().map(|(c, _)| c), &self.options.policy);
        let is_alone = asked.rounds > 0;
        if let Some(found) = &asked.found {
            let content = found.text.as_ref().unwrap_or(&draft.content);
            if let Some(mut decided) = found.finding.decided(&known.pairs, content) {
                if is_alone {
                    let of_target = known.pairs.iter().filter(|(c, _)| Some(c.id) == decided.target);
                    let factors = of_target.filter_map(|(c, _)| c.analysis.as_ref()).flat_map(|a| &a.key_factors);
                    decided.reasons.extend(factors.cloned().map(Reason::Feature));
                }
                let (wording, text, again) = (found.wording.clone(), found.text.clone(), found.finding.again);
                return NextStep::Decided(DraftDecision { decided, wording, text, again });
            }
            // The target changed since the question. A single draft is asked about again; a mail's is left to a review.
            if !is_alone || asked.rounds >= MAX_ROUNDS && !judged.open.is_empty() {
                let mut decided = judged.decided;
                decided.reasons.push(Reason::ModelRefused { error: Refusal::Moved.as_str().to_owned() });
                decided.needs_review = true;
                return NextStep::Decided(DraftDecision::unasked(decided));
            }
        }
        if asked.refused.is_none() && !judged.open.is_empty() && self.client.may_ask() {
            return NextStep::Ask(self.draft_question(draft, known, &judged.open));
        }
        let is_open = !judged.open.is_empty();
        let mut decided = judged.decided;
        if let Some(refusal) = asked.refused {
            decided.reasons.push(Reason::ModelRefused { error: refusal.as_str().to_owned() });
            // Temporary failures say nothing about the mail, and a note may contain no fact; neither needs a review.
            decided.needs_review |= is_open || !refusal.may_pass() && refusal != Refusal::NothingFound;
        }
        NextStep::Decided(DraftDecision::unasked(decided))
    }

    /// Builds the question about a single draft: the open candidates first, then those the analyst finds related.
    fn draft_question(&self, draft: &Draft, known: &ComparedMemories, open: &[Id]) -> MailQuestion {
        let zone = self.options.zone;
        let is_near = |c: &Candidate| c.analysis.as_ref().is_some_and(|a| a.outcome != Outcome::Create);
        let near = known.pairs.iter().filter(|(c, _)| is_near(c)).map(|(c, _)| c.id);
        let ids = open.iter().copied().chain(near.filter(|id| !open.contains(id)));
        let memories = ids.filter_map(|id| known.pairs.iter().find(|(c, _)| c.id == id)).map(|(_, m)| m);
        let named = draft.author.as_deref().map(|a| a.split('@').next().unwrap_or(a));
        let from =
            Party { name: named.unwrap_or_default().to_owned(), is_owner: draft.source_type == Source::UserInput };
        // Dated by the day, so that the same question on the same day is answered from the cache.
        let now = draft.stated_at.unwrap_or_else(|| DayOrTime::Day(self.platform.now().day(zone)).begin(zone));
        MailQuestion {
            form: self.options.form,
            is_draft: true,
            source: draft.source_id.clone(),
            from,
            speaker: draft.author.clone(),
            subject: draft.subject.clone().unwrap_or_default(),
            at: Some(Reference { now, zone }),
            passages: vec![Passage { by: WrittenBy::Sender, text: cut(&draft.content, MailQuestion::MOST).to_owned() }],
            known: memories
                .take(self.options.form.most_shown())
                .map(|m| KnownMemory::new(m, draft.thread_id.as_deref(), zone))
                .collect(),
            ..MailQuestion::default()
        }
    }

    async fn ask_model(
        &self,
        question: MailQuestion,
        draft: &Draft,
        asked: &mut QuestionState,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        let (came, tokens) = self.reply_to(&question, &mut asked.budget, cancel).await?;
        asked.add_tokens(tokens);
        asked.rounds += 1;
        let reply =
            came.and_then(|raw| question.read(&raw, &|name| self.has_name(name))).map_err(|fault| fault.refusal);
        match reply.and_then(|reply| read_draft_reply(&reply, draft)) {
            Ok(found) => (asked.found, asked.refused) = (Some(found), None),
            Err(refusal) => (asked.found, asked.refused) = (None, Some(refusal)),
        }
        Ok(())
    }
}

/// Reads a reply about a single draft. Only a single update entry provides the text; else the draft keeps its own.
fn read_draft_reply(reply: &MailReply, draft: &Draft) -> Result<ModelFinding, Refusal> {
    let refused = reply.entries.iter().find_map(|e| e.as_ref().err().copied());
    let entries: Vec<&MailEntry> = reply.entries.iter().flatten().collect();
    let writes = |e: &MailEntry| matches!(e.op, Op::Update | Op::Done);
    let first = entries.iter().position(|e| writes(e)).or(entries.iter().position(|e| e.op == Op::New)).unwrap_or(0);
    let Some(entry) = entries.get(first) else { return Err(refused.unwrap_or(Refusal::NothingFound)) };
    // Suspected prompt injections keep their own text, unless the owner wrote them.
    let may_word = draft.source_type == Source::UserInput || !is_suspicious(&entry.text);
    let ModelFinding { mut finding, wording, .. } = AppliedEntries::default().finding(entry, None);
    finding.withheld = finding.withheld.or(refused);
    if entries.len() == 1 && refused.is_none() && writes(entry) && may_word {
        let wording = wording.map(|wording| Wording { said: draft.content.clone(), ..wording });
        return Ok(ModelFinding { finding, wording, text: Some(entry.text.clone()) });
    }
    (finding.inferred, finding.borrowed, finding.heard_from) = (false, Vec::new(), Vec::new());
    for (_, other) in entries.iter().enumerate().filter(|(n, _)| *n != first && finding.outcome != Outcome::Skip) {
        let is_second = writes(other) && other.of != entry.of;
        finding.withheld = finding.withheld.or(is_second.then_some(Refusal::TwoUpdates));
        let found = AppliedEntries::default().finding(other, None).finding;
        let linked = found.target.map(|id| (id, Relation::Reference)).into_iter().chain(found.links);
        for link in linked.filter(|(id, _)| finding.names().all(|named| named != *id)).collect::<Vec<_>>() {
            finding.links.push(link);
        }
    }
    Ok(ModelFinding { finding, wording: None, text: None })
}

#[derive(Debug, Clone)]
pub(super) struct ModelFinding {
    pub finding: Finding,
    pub wording: Option<Wording>,
    /// The new text of a memory that was asked about on its own.
    pub text: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct AppliedEntries {
    places: Vec<(usize, Id)>,
    versions: Vec<(Id, Id)>,
}

impl AppliedEntries {
    pub fn note(&mut self, (place, entry): &(usize, MailEntry), memory: Id) {
        self.places.push((*place, memory));
        self.versions.extend(entry.of.map(|of| (of, memory)));
    }

    /// Returns the finding of an entry. `said` is the date of its mail.
    pub fn finding(&self, entry: &MailEntry, said: Option<Time>) -> ModelFinding {
        let now = |id: Id| self.versions.iter().find(|(old, _)| *old == id).map_or(id, |(_, new)| *new);
        let link = |to: LinkEnd| match to {
            LinkEnd::Memory(id) => Some(now(id)),
            LinkEnd::Entry(at) => self.places.iter().find(|(place, _)| *place == at).map(|(_, id)| *id),
        };
        let mut links: Vec<(Id, Relation)> = Vec::new();
        for l in &entry.links {
            if let Some(id) = link(l.to).filter(|id| links.iter().all(|(known, _)| known != id)) {
                links.push((id, l.relation));
            }
        }
        let outcome = match entry.op {
            Op::New if links.is_empty() => Outcome::Create,
            Op::New => Outcome::CreateAndLink,
            Op::Update | Op::Done => Outcome::Update,
            Op::Repeat => Outcome::Skip,
        };
        let wording = Wording {
            said: entry.evidence.clone(),
            at: said.filter(|_| entry.now),
            gone: entry.gone.clone(),
            no_day: entry.no_day,
        };
        let (target, again) = (entry.of.map(now), entry.op == Op::Repeat);
        let withheld = entry.shortened.then_some(Refusal::NoEvidence);
        let (inferred, analysis) = (entry.inferred, entry.analysis.clone());
        let borrowed = entry.borrowed.iter().copied().map(now).collect();
        let heard_from = entry.heard_from.clone();
        let finding = Finding { outcome, target, links, inferred, withheld, again, borrowed, heard_from, analysis };
        ModelFinding { finding, wording: Some(wording), text: None }
    }
}
