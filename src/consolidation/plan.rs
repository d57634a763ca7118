//! Turns a decision into the change set that carries it out.

use super::entry::{Alternative, LogEntry, Score, Standing, Status, VersionStep};
use super::merge::{self, MergeStrategy};
use super::provisional::{confirmed_by, confirmed_version, repeats_earlier, settle};
use super::statements::Wording;
use super::{Act, ChangeSet, Expectation, statements};
use crate::analysis;
use crate::decision::{
    Analyst, Candidate, Decided, Decision, Link, Policy, Reason, Ruling, TrustRule, may_also_replace, was_said_before,
};
use crate::language::fold;
use crate::model::{
    Claim, Confirmation, Conflict, Draft, Edge, EdgeKind, Id, Ids, Memory, Relation, Retention, Statement, Zone,
};
use crate::similarity::{Factors, rounded};
use std::collections::HashSet;

/// The inputs of a plan besides the decision.
#[derive(Debug)]
pub struct Input<'a> {
    /// The new memory.
    pub draft: Draft,
    /// Its idempotency key.
    pub key: Option<String>,
    /// The owner, the time of planning and the last commit that the plan has seen.
    pub act: Act<'a>,
    /// The owner's time zone.
    pub zone: Zone,
    /// The candidates that the decision considered, best first.
    pub candidates: &'a [Candidate],
    /// The memories that the decision references (target and links), as they were read.
    pub known: &'a [Memory],
    /// The target's chain, oldest first; required if the draft is older or the target has earlier versions.
    pub chain: &'a [Memory],
    /// The entries of the target's provisional changes.
    pub waiting: &'a [Id],
    /// The policy in force.
    pub policy: &'a Policy,
    /// How fields are merged.
    pub strategy: MergeStrategy,
    /// The quoted source, if a model worded the draft's text.
    pub wording: Option<&'a Wording>,
    /// Whether an authorised sender only repeats the target.
    pub again: bool,
}

impl Input<'_> {
    fn read(&self, id: Id) -> Option<&Memory> {
        self.known.iter().chain(self.chain).find(|m| m.id == id)
    }

    fn target(&self, decided: &Decided) -> Option<&Memory> {
        decided.target.and_then(|id| self.known.iter().find(|m| m.id == id))
    }

    fn source_text(&self) -> &str {
        self.wording.map(|w| w.said.as_str()).filter(|said| !said.is_empty()).unwrap_or(&self.draft.content)
    }
}

/// The set to commit and the memory that the caller receives.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The set to commit.
    pub set: ChangeSet,
    /// The created memory, or the stored one for a SKIP or a withheld change.
    pub memory: Option<Memory>,
}

/// Plans what a decision writes, without vectors. It expects the revisions of all that it depends on.
pub fn plan(mut decided: Decided, input: Input<'_>, ids: &mut Ids) -> Planned {
    if repeats_past_version(&decided, &input) {
        (decided.decision, decided.changes) = (Decision::Skip, Vec::new());
        decided.reasons.insert(0, Reason::OlderThanStored);
    }
    if restores_outdated_value(&decided, &input) {
        (decided.decision, decided.changes) = (Decision::Skip, Vec::new());
        (decided.ruling, decided.rule, decided.needs_review) = (None, None, false);
        decided.reasons.insert(0, Reason::RepeatsEarlier);
    }
    let confirmed = confirmed_by_repetition(&decided, &input);
    if confirmed.is_some() {
        decided.decision = Decision::Update;
    }
    let target = input.target(&decided).cloned();
    let entry = entry(&decided, &input, ids.mint());
    let mut writer = Writer { input, decided, entry, ids, memories: Vec::new(), edges: Vec::new() };
    let memory = match (writer.decided.decision, target) {
        (Decision::Update, Some(old)) => Some(match confirmed {
            Some(statements) => writer.confirm(old, statements),
            None => writer.update(old),
        }),
        (Decision::Skip, target) => {
            writer.entry.status = Status::Skipped;
            target.map(|stored| if writer.input.again { writer.date(stored) } else { stored })
        }
        _ => Some(writer.create()),
    };
    Planned { set: writer.finish(), memory }
}

/// Whether an update only repeats an earlier version of the target, such as a forwarded original.
fn repeats_past_version(decided: &Decided, input: &Input<'_>) -> bool {
    let said = fold(&input.draft.content);
    let tells = |m: &Memory| fold(&m.content) == said || m.said().iter().any(|s| fold(&s.text) == said);
    let past = || input.chain.iter().filter(|m| Some(m.id) != decided.target).any(tells);
    let older = || input.target(decided).is_some_and(|m| was_said_before(&input.draft, m, input.policy));
    decided.decision == Decision::Update && past() && older()
}

/// Whether an update only restores an outdated value. Only the owner may revert a provisional change.
fn restores_outdated_value(decided: &Decided, input: &Input<'_>) -> bool {
    let Some(head) = input.target(decided).filter(|_| decided.decision == Decision::Update) else { return false };
    let is_stranger = decided.ruling == Some(Ruling::Provisional);
    if decided.rule == Some(TrustRule::Owner) || decided.ruling.is_none() || !(is_stranger || head.is_provisional()) {
        return false;
    }
    let versions = input.chain.iter().filter(|m| m.id != head.id).map(|m| m.content.as_str());
    let earlier: Vec<&str> = match head.is_provisional() && !is_stranger {
        true => vec![head.confirmed()],
        false => versions.chain([head.confirmed()]).collect(),
    };
    repeats_earlier(input.source_text(), &head.content, &earlier)
}

/// The target's statements, confirming the provisional ones that an authorised sender repeats.
fn confirmed_by_repetition(decided: &Decided, input: &Input<'_>) -> Option<Vec<Statement>> {
    let says_again = decided.decision == Decision::Skip && decided.ruling == Some(Ruling::Confirmed);
    let head = input.target(decided).filter(|_| says_again)?;
    let base = confirmed_version(input.chain);
    confirmed_by(head, input.source_text(), base.as_ref().map_or(head.confirmed(), |m| &m.content))
}

struct Writer<'a, 'i> {
    input: Input<'a>,
    decided: Decided,
    entry: LogEntry,
    ids: &'i mut Ids,
    memories: Vec<Memory>,
    edges: Vec<Edge>,
}

impl Writer<'_, '_> {
    fn create(&mut self) -> Memory {
        let mut memory = Memory::from_draft(self.ids.mint(), self.input.draft.clone(), self.input.act.now);
        memory.statements = statements::source_statements(&self.input.draft, self.input.wording);
        self.put_new(memory.clone());
        self.link(memory.id, None);
        memory
    }

    /// Moves the statement date of a repeated memory to the draft's date if that is later.
    fn date(&mut self, stored: Memory) -> Memory {
        let days = stored.stated_at.zip(self.input.draft.stated_at).filter(|(before, now)| now > before);
        let stands =
            self.input.policy.respect_source_priority && stored.source_type.outranks(self.input.draft.source_type);
        let Some((before, now)) = days.filter(|_| !stands) else { return stored };
        self.entry.status = Status::Success;
        self.entry.reasons.push(Reason::SaidAgain);
        self.entry.before.push(Standing::with_dates(&stored));
        // A memory without an event date is dated by its statement.
        let occurred_at = if stored.occurred_at == before { now.into() } else { stored.occurred_at };
        let (revision, updated_at) = (stored.revision + 1, self.input.act.now);
        let dated = Memory { stated_at: Some(now), occurred_at, revision, updated_at, ..stored };
        self.memories.push(dated.clone());
        dated
    }

    /// Adds a version of `old`, as its head or in its history, unless `old` outranks the draft.
    fn update(&mut self, old: Memory) -> Memory {
        let respect = self.input.policy.respect_source_priority;
        let is_ruled = self.decided.rule == Some(TrustRule::HigherSource);
        if is_ruled || respect && old.source_type.outranks(self.input.draft.source_type) {
            if self.entry.confirmation.is_some() {
                (self.entry.confirmation, self.entry.rule) = (Some(Ruling::Review), Some(TrustRule::HigherSource));
            }
            self.entry.status = Status::Skipped;
            self.entry.needs_review = true;
            self.entry.reasons.insert(0, Reason::SourceOutranks);
            return old;
        }
        if self.is_older_than(&old) { self.insert_into_history(&old) } else { self.supersede(old) }
    }

    /// Whether the draft was stated before `stored`, by a source that does not outrank it. A draft
    /// accepted by the owner is compared with the first statement, not with repetitions.
    fn is_older_than(&self, stored: &Memory) -> bool {
        if self.decided.analyst == Analyst::User {
            return self.input.draft.stated_at.is_some_and(|said| said < stored.first_said());
        }
        was_said_before(&self.input.draft, stored, self.input.policy)
    }

    /// The new head of the chain; the old one is demoted and points to it.
    fn supersede(&mut self, mut old: Memory) -> Memory {
        let Input { draft, strategy, zone, .. } = &self.input;
        // Decisions by similarity bands or by the owner come without property changes.
        if self.decided.changes.is_empty() {
            self.decided.changes = analysis::differences(&Claim::from(&old), &Claim::from(draft));
        }
        let (changes, conflict) = (&self.decided.changes, self.decided.conflict);
        let (statements, content) = match self.input.wording {
            Some(wording) => statements::reworded(&old, draft, wording, changes, strategy.content),
            None => statements::revise(&old, draft, changes, conflict, strategy.content),
        };
        let worded = self.input.wording.map(|w| w.no_day);
        let merged = merge::merge(&old, draft.clone(), content, (*strategy, *zone), worded);
        let mut new = Memory::from_draft(self.ids.mint(), merged, self.input.act.now);
        let is_provisional = self.decided.ruling == Some(Ruling::Provisional);
        new.statements = if is_provisional {
            self.provisional(statements)
        } else {
            let base = confirmed_version(self.input.chain).filter(|_| old.is_provisional());
            let base = base.as_ref().map_or(old.confirmed(), |m| &m.content);
            settle(statements, &old.statements, &new.content, self.input.source_text(), base)
        };
        self.follow(&old, &mut new);
        if is_provisional {
            // A sender without authority changes only the text.
            new.importance = old.importance;
            new.importance_factors.clone_from(&old.importance_factors);
            new.retention = old.retention;
            new.people.clone_from(&old.people);
            new.thread_id.clone_from(&old.thread_id);
            new.subject.clone_from(&old.subject);
            new.event.clone_from(&old.event);
        } else {
            let denied = matches!(self.decided.conflict, Conflict::Update | Conflict::Contradiction);
            demote(&mut old, &mut new, denied);
            self.mark_others(old.id);
        }
        self.replace(old, new)
    }

    fn replace(&mut self, mut old: Memory, new: Memory) -> Memory {
        let replaced = old.id;
        old.superseded_by = Some(new.id);
        self.put_old(old);
        self.put_new(new.clone());
        self.link(new.id, Some(replaced));
        new
    }

    /// The next version of a memory with the same text and new statements.
    fn confirm(&mut self, mut old: Memory, statements: Vec<Statement>) -> Memory {
        let draft = Draft { stated_at: self.input.draft.stated_at.max(old.stated_at), ..old.to_draft(None) };
        let mut new = Memory::from_draft(self.ids.mint(), draft, self.input.act.now);
        new.source_id.clone_from(&self.input.draft.source_id);
        new.statements = statements;
        self.follow(&old, &mut new);
        demote(&mut old, &mut new, true);
        self.replace(old, new)
    }

    /// Appends a version to its predecessor. Counters carry over, and confirmed changes are logged.
    fn follow(&mut self, old: &Memory, new: &mut Memory) {
        new.follow(old);
        self.entry.versions = Some(VersionStep { before: old.version, after: new.version });
        if !new.statements.iter().any(Statement::is_provisional) {
            new.note_confirmation(None);
            if old.is_provisional() {
                self.entry.reasons.extend(self.input.waiting.iter().map(|entry| Reason::Confirmed { entry: *entry }));
            }
            return;
        }
        let chain = if self.input.chain.is_empty() { std::slice::from_ref(old) } else { self.input.chain };
        new.confirmation = Confirmation::Provisional;
        let line: Vec<Memory> = chain.iter().chain([&*new]).cloned().collect();
        new.note_confirmation(confirmed_version(&line).map(|m| m.content));
    }

    /// Marks the first statement as provisional, with its reporter.
    fn provisional(&self, mut statements: Vec<Statement>) -> Vec<Statement> {
        if let Some(said) = statements.first_mut() {
            said.confirmation = Confirmation::Provisional;
            said.reported_by.clone_from(&self.decided.reported_by);
        }
        statements
    }

    /// Links other memories that the new version may outdate; an update replaces only one without asking.
    fn mark_others(&mut self, target: Id) {
        let seen = self.input.candidates.iter().filter(|c| c.id != target);
        let others = seen.filter(|c| {
            self.input.read(c.id).is_some_and(|stored| may_also_replace(c, stored) && !self.is_older_than(stored))
        });
        let others: Vec<Link> = others.map(|c| Link::of_doubt(c.id, c.score)).collect();
        if others.is_empty() {
            return;
        }
        self.decided.links.retain(|l| others.iter().all(|o| o.id != l.id));
        self.entry.needs_review = true;
        self.entry.reasons.push(Reason::MayAlsoReplace { memories: others.len() as u32 });
        self.decided.links.splice(0..0, others);
    }

    /// Inserts a statement older than the head between the versions before and after it.
    fn insert_into_history(&mut self, head: &Memory) -> Memory {
        self.entry.reasons.insert(0, Reason::OlderThanStored);
        let mut late = Memory::from_draft(self.ids.mint(), self.input.draft.clone(), self.input.act.now);
        late.statements = statements::source_statements(&self.input.draft, self.input.wording);
        if self.decided.ruling == Some(Ruling::Provisional) {
            late.statements = self.provisional(late.statements);
            late.note_confirmation(None);
        }
        let chain = if self.input.chain.is_empty() { std::slice::from_ref(head) } else { self.input.chain };
        let place = chain.partition_point(|m| m.own_time() <= late.own_time()).min(chain.len() - 1);
        let (before, after) = chain.split_at(place);
        (late.version, late.superseded_by) = (after[0].version, Some(after[0].id));
        if let Some(mut previous) = before.last().cloned() {
            late.previous_version_id = Some(previous.id);
            previous.superseded_by = Some(late.id);
            self.put_old(previous);
        }
        for (n, m) in after.iter().enumerate() {
            let previous_version_id = if n == 0 { Some(late.id) } else { m.previous_version_id };
            self.put_old(Memory { version: m.version + 1, previous_version_id, ..m.clone() });
        }
        self.put_new(late.clone());
        late
    }

    fn put_new(&mut self, memory: Memory) {
        self.entry.memory_id = Some(memory.id);
        self.memories.push(memory);
    }

    fn put_old(&mut self, mut memory: Memory) {
        self.entry.before.extend(self.input.read(memory.id).map(Standing::of));
        memory.revision += 1;
        memory.updated_at = self.input.act.now;
        self.memories.push(memory);
    }

    /// Creates the decided edges of the new memory, except to the version that it replaces.
    fn link(&mut self, new: Id, replaced: Option<Id>) {
        let own_time = self.input.draft.own_time();
        for Link { id, relation, weight, may_replace } in self.decided.links.clone() {
            if Some(id) == replaced {
                continue;
            }
            // `from` is the earlier memory by statement date, or else the stored one.
            let stored_first =
                self.input.known.iter().find(|m| m.id == id).is_none_or(|m| own_time.is_none_or(|t| m.own_time() <= t));
            let (from, to) = if stored_first { (id, new) } else { (new, id) };
            let relation = Some(relation.unwrap_or(Relation::Reference));
            let edge = Edge {
                id: self.ids.mint(),
                from,
                to,
                kind: if may_replace { EdgeKind::MayReplace } else { EdgeKind::RelatedTo },
                relation,
                weight: weight.clamp(0.0, 1.0),
                created_at: self.input.act.now,
            };
            self.entry.linked_ids.push(id);
            self.edges.push(edge);
        }
    }

    fn finish(mut self) -> ChangeSet {
        let links = self.decided.links.iter().map(|l| l.id);
        let rests_on = self.decided.target.into_iter().chain(links).chain(self.memories.iter().map(|m| m.id));
        let mut seen = HashSet::new();
        let expectation = |id| Expectation { id, revision: self.input.read(id).map(|m| m.revision) };
        let expect = rests_on.filter(|id| seen.insert(*id)).map(expectation).collect();
        // A new memory equals its draft. In other cases the log keeps the draft.
        if self.entry.memory_id.is_none() || self.decided.decision == Decision::Update {
            self.entry.draft = Some(Box::new(self.input.draft));
        }
        self.entry.touched = self.memories.iter().map(|m| m.id).collect();
        ChangeSet {
            key: self.input.key,
            base: Some(self.input.act.base),
            expect,
            memories: self.memories,
            edges: self.edges,
            ..ChangeSet::new(self.entry)
        }
    }
}

/// Takes `old` out of core memory. If `denied`, core retention passes to `new`.
pub(super) fn demote(old: &mut Memory, new: &mut Memory, denied: bool) {
    if denied {
        old.contradicted_by = Some(new.id);
        // Core facts stay core, whatever their current value.
        if old.retention == Retention::Core {
            new.retention = Retention::Core;
            new.importance = new.importance.max(old.importance);
        }
    }
    old.leave_core();
}

fn entry(decided: &Decided, input: &Input<'_>, id: Id) -> LogEntry {
    let about = decided.target.and_then(|id| input.candidates.iter().find(|c| c.id == id));
    let similarity = about.or(input.candidates.first()).map(|c| {
        let factors = Factors { content: rounded(c.factors.content), ..c.factors };
        Score { score: rounded(c.score), factors }
    });
    let repeats = decided.decision == Decision::Skip && decided.target.is_some();
    LogEntry {
        decision: decided.decision,
        trigger: Some(input.draft.source_type.into()),
        duplicate_score: similarity.filter(|_| repeats).map(|s| s.score),
        analyst: decided.analyst,
        category: input.draft.category,
        source_id: input.draft.source_id.clone(),
        key: input.key.clone(),
        target_id: decided.target,
        similarity,
        confidence: decided.confidence,
        reasons: decided.reasons.clone(),
        reason: decided.in_words(&input.draft.content),
        subject_a: decided.subject_a.clone(),
        subject_b: decided.subject_b.clone(),
        relationship: decided.relationship,
        relation: decided.links.first().and_then(|l| l.relation),
        conflict: decided.conflict,
        property_changes: decided.changes.iter().map(|c| c.change.clone()).collect(),
        alternatives: alternatives(decided, input.candidates),
        needs_review: decided.needs_review,
        confirmation: decided.ruling.filter(|_| decided.decision != Decision::Skip),
        rule: decided.rule.filter(|_| decided.decision != Decision::Skip),
        ..LogEntry::new(id, input.act.now, input.act.user_id, &input.draft.content)
    }
}

const MAX_ALTERNATIVES: usize = 3;

fn alternatives(decided: &Decided, candidates: &[Candidate]) -> Vec<Alternative> {
    let alternative = |c: &Candidate| Alternative {
        id: c.id,
        score: rounded(c.score),
        decision: c.analysis.as_ref().map_or(Decision::Create, |a| a.outcome.into()),
        probability: c.analysis.as_ref().map(|a| rounded(a.confidence)),
    };
    candidates.iter().filter(|c| Some(c.id) != decided.target).take(MAX_ALTERNATIVES).map(alternative).collect()
}
