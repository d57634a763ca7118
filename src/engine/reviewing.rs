//! The review queue and the owner's word on a decision.

use super::{Cancel, Engine, LogQuery, Platform};
use crate::analysis;
use crate::consolidation::{
    Act, Action, ChangeSet, ChangeVerdict, Input, LogEntry, MergeStrategy, OwnerVerdict, Reversal, ReviewOptions, ReviewStep, Wording,
    absorb, is_label, join_before, label, labelled, open_reviews, plan, review, said, step, taken_back,
};
use crate::decision::{Analyst, Decided, Decision, Link, Policy, Reason, Ruling};
use crate::embed::Embedder;
use crate::model::{Claim, Conflict, Draft, Edge, EdgeKind, Id, Ids, Memory, Relation, Relationship};
use crate::store::{LogRange, Store};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// A decision that waits for its owner's word.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ReviewItem {
    /// What was decided, and why.
    pub entry: LogEntry,
    /// What was said.
    pub draft: Draft,
    /// The memory that it is about.
    pub existing: Option<Memory>,
    /// The memory that was made of it.
    pub memory: Option<Memory>,
    /// The memory that a model takes for one matter with the existing one; both as they stand now.
    pub other: Option<Memory>,
}

/// A decision of the owner's that says nothing else yet.
pub(super) fn by_owner(decision: Decision, about: Option<&Memory>) -> Decided {
    Decided { decision, target: about.map(|m| m.id), analyst: Analyst::User, confidence: 1.0, ..Decided::default() }
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// What waits for its owner's word: unsure decisions, withheld changes, mail that could not be read. Oldest first.
    pub async fn reviews(&self) -> Result<Vec<ReviewItem>> {
        let log = self.log(&LogQuery::default()).await?;
        let mut items = Vec::new();
        for entry in open_reviews(&log) {
            let memory = self.get_any(entry.memory_id).await?;
            let mut existing = self.get_any(entry.target_id).await?;
            let mut other = None;
            if let Some((one, two)) = entry.target_id.zip(entry.one_with()) {
                existing = self.head(one).await?;
                other = self.head(two).await?;
                // What became one since, or is gone, nobody need be asked about.
                let two = existing.as_ref().zip(other.as_ref());
                if two.is_none_or(|(a, b)| a.id == b.id || !a.is_current() || !b.is_current()) {
                    continue;
                }
            }
            let draft = said(entry, memory.as_ref());
            items.push(ReviewItem { draft, existing, memory, other, entry: entry.clone() });
        }
        Ok(items)
    }

    /// Carries out its owner's word on a decision, in one step. Undoing the review takes that back.
    ///
    /// # Errors
    /// [`Code::NotFound`], [`Code::AlreadyUndone`], [`Code::AlreadySettled`], [`Code::HasDependents`],
    /// [`Code::Forgotten`], [`Code::InvalidField`] where a target is needed, [`Code::InvalidInput`] for an entry that
    /// is no decision about a new memory; those of the store and the embedder.
    pub async fn review(&self, id: Id, verdict: OwnerVerdict, options: &ReviewOptions) -> Result<LogEntry> {
        let done = self.reviewed(id, verdict, options).await?;
        self.embed_merged(&done.touched, Cancel::default()).await?;
        Ok(done)
    }

    async fn reviewed(&self, id: Id, verdict: OwnerVerdict, options: &ReviewOptions) -> Result<LogEntry> {
        self.act(async |act, ids| {
            let entry = self.logged(id).await?;
            let later = self.store.log(LogRange::since(entry.seq)).await?;
            let word = match verdict {
                OwnerVerdict::Accept => Some(ChangeVerdict::Confirm),
                OwnerVerdict::Reject => Some(ChangeVerdict::Revert),
                OwnerVerdict::Change(_) => None,
            };
            let made = entry.memory_id.filter(|_| entry.confirmation == Some(Ruling::Provisional));
            if let (Some(word), Some(made), false) = (word, made, taken_back(&later).contains(&id)) {
                return self.settling_change(made, word, act, ids).await;
            }
            let elsewhere = options.target.is_some_and(|t| Some(t) != entry.target_id);
            let step = step(&entry, &later, verdict, elsewhere)?;
            if let ReviewStep::Decide(Decision::Update) = step
                && let Some(set) = self.joined(&entry, act, ids).await?.filter(|_| !elsewhere)
            {
                return Ok(review(&entry, verdict, (&[], Reversal::default(), &[]), Some(set), act, ids));
            }
            let (read, back, edges) = match step {
                ReviewStep::Keep => Default::default(),
                ReviewStep::TakeBack | ReviewStep::Decide(_) => self.reversal(&entry, act.now).await?,
            };
            let instead = match step {
                ReviewStep::Decide(decision) => Some(self.instead(&entry, decision, &back, options, act, ids).await?),
                _ => None,
            };
            let mut set = review(&entry, verdict, (&read, back, &edges), instead, act, ids);
            // Both are to stay: neither is outdated by the other any more.
            if let (ReviewStep::Keep, Some(made)) = (step, entry.memory_id) {
                for edge in self.store.edges(made).await?.into_iter().filter(|e| e.kind == EdgeKind::MayReplace) {
                    set.edges.push(Edge { kind: EdgeKind::RelatedTo, ..edge.clone() });
                    set.entry.edges_before.push(edge);
                }
            }
            Ok(set)
        })
        .await
    }

    /// Whether whoever read a mail told the whole of a memory anew, and that is withheld, or stands beside the memory.
    async fn is_told_anew(&self, entry: &LogEntry) -> Result<bool> {
        if !entry.reasons.contains(&Reason::ModelRead) {
            return Ok(false);
        }
        let Some(made) = entry.memory_id else { return Ok(entry.decision == Decision::Update) };
        let edges = self.store.edges(made).await?;
        Ok(edges.iter().any(|e| e.kind == EdgeKind::MayReplace && e.to == made && Some(e.from) == entry.target_id))
    }

    /// The versions of a memory that was kept beside what it would have replaced, and was gone on from since: they become
    /// further versions of that, as they stand. Absent where there is nothing to join.
    async fn joined(&self, entry: &LogEntry, act: Act<'_>, ids: &mut Ids) -> Result<Option<ChangeSet>> {
        let Some((first, target)) = entry.memory_id.zip(entry.target_id) else { return Ok(None) };
        if !self.is_told_anew(entry).await? {
            return Ok(None);
        }
        let chain = self.chain_over(first, &[]).await?;
        let earlier = self.head(target).await?;
        let (Some(made), Some(earlier)) = (chain.last().filter(|_| chain.len() > 1), earlier) else { return Ok(None) };
        let follows = earlier.first_said() <= chain[0].first_said();
        if !(made.is_current() && earlier.is_current() && follows && chain.iter().all(|m| m.id != earlier.id)) {
            return Ok(None);
        }
        let entry = LogEntry {
            target_id: Some(earlier.id),
            memory_id: Some(made.id),
            ..act.entry(Action::Review, Decision::Update, &entry.input, ids)
        };
        let mut set = ChangeSet::new(entry);
        join_before(&mut set, chain, earlier, act.now);
        Ok(Some(set))
    }

    /// What the owner's decision writes, over a store in which the entry's was taken back.
    async fn instead(
        &self,
        entry: &LogEntry,
        decision: Decision,
        back: &Reversal,
        options: &ReviewOptions,
        act: Act<'_>,
        ids: &mut Ids,
    ) -> Result<ChangeSet> {
        if let Some((one, two)) = entry.target_id.zip(entry.one_with()) {
            return self.united(one, two, back, act, ids).await;
        }
        let made = self.get_any(entry.memory_id).await?;
        let mut draft = said(entry, made.as_ref());
        let chain = match options.target.or(entry.target_id) {
            Some(target) if decision != Decision::Create => self.chain_over(target, &back.memories).await?,
            None if decision != Decision::Create => return Err(Error::field("target", "is needed")),
            _ => Vec::new(),
        };
        let head = chain.last();
        if decision != Decision::Create && head.is_none_or(|h| h.deleted_at.is_some()) {
            return Err(Error::new(Code::NotFound, "the memory that it is about is not there"));
        }
        let (subject_a, subject_b) = (entry.subject_a.clone(), entry.subject_b.clone());
        let mut decided = Decided { subject_a, subject_b, ..by_owner(decision, head) };
        match (decision, head) {
            (Decision::Update, Some(head)) => {
                let found = analysis::analyse(&Claim::from(head), &Claim::from(&draft));
                let denied = [entry.conflict, found.conflict].contains(&Conflict::Contradiction);
                decided.conflict = if denied { Conflict::Contradiction } else { Conflict::Update };
                decided.relationship = Relationship::Identical;
                decided.changes = found.changes;
                // The owner's word gives the change the standing of what it replaces.
                draft.source_type = draft.source_type.min(head.source_type);
            }
            (Decision::Skip, _) => {
                (decided.relationship, decided.conflict) = (Relationship::Identical, Conflict::Overlap);
            }
            (Decision::CreateAndLink, Some(head)) => {
                let relation = options.relation.or(entry.relation).unwrap_or(Relation::Reference);
                decided.relationship = relation.relationship();
                decided.conflict = relation.conflict();
                decided.links.push(Link { id: head.id, relation: Some(relation), weight: 1.0, may_replace: false });
            }
            _ => {}
        }
        // Whoever read the mail told the whole memory as it stands then: nothing is put together anew.
        let is_same = chain.iter().any(|m| Some(m.id) == entry.target_id);
        let whole = decision == Decision::Update && is_same && self.is_told_anew(entry).await?;
        let said = made.as_ref().and_then(|m| m.statements.first()).map(|s| s.text.clone());
        let said = said.or_else(|| draft.evidence.as_ref().map(|e| e.text.clone())).unwrap_or_default();
        let wording = whole.then(|| Wording { said, at: None, gone: Vec::new(), no_day: false });
        let set = self.owned((decided, wording.as_ref()), &draft, &chain, self.options.merge, act, ids);
        self.embedded(&draft, set).await
    }

    /// What a decision of the owner's writes, worded so; `chain` ends in the memory that it is about.
    pub(super) fn owned(
        &self,
        (decided, wording): (Decided, Option<&Wording>),
        draft: &Draft,
        chain: &[Memory],
        strategy: MergeStrategy,
        act: Act<'_>,
        ids: &mut Ids,
    ) -> ChangeSet {
        let known = chain.last().map(std::slice::from_ref).unwrap_or_default();
        let policy = &Policy { respect_source_priority: false, ..self.options.policy };
        plan(decided, Input { known, policy, strategy, wording, ..self.input(draft, chain, act) }, ids).set
    }

    /// Two memories as one: what was said last becomes the next version of the other.
    async fn united(&self, one: Id, two: Id, back: &Reversal, act: Act<'_>, ids: &mut Ids) -> Result<ChangeSet> {
        let gone = || Error::new(Code::NotFound, "one of the two memories is not there");
        let first = self.chain_over(one, &back.memories).await?;
        let second = self.chain_over(two, &back.memories).await?;
        let (Some(a), Some(b)) = (first.last(), second.last()) else { return Err(gone()) };
        if !a.is_current() || !b.is_current() {
            return Err(gone());
        }
        if a.id == b.id {
            return Err(Error::new(Code::InvalidInput, "the two memories are one already"));
        }
        let (chain, old, new) = if a.own_time() <= b.own_time() { (&first, a, b) } else { (&second, b, a) };
        let source_type = new.source_type.min(old.source_type);
        let draft = Draft { source_type, ..new.to_draft(None) };
        let found = analysis::analyse(&Claim::from(old), &Claim::from(new));
        let denied = found.conflict == Conflict::Contradiction;
        let decided = Decided {
            relationship: Relationship::Identical,
            conflict: if denied { Conflict::Contradiction } else { Conflict::Update },
            changes: found.changes,
            ..by_owner(Decision::Update, Some(old))
        };
        let mut set = self.owned((decided, None), &draft, chain, self.options.merge, act, ids);
        absorb(&mut set, new.clone());
        self.embedded(&draft, set).await
    }

    /// Whether it was asked before if these two are one matter, whatever the owner has said.
    pub(super) async fn proposed_before(&self, decided: &Decided) -> Result<bool> {
        let other = decided.reasons.iter().find_map(|r| match r {
            Reason::OneMatter { with } => Some(*with),
            _ => None,
        });
        let Some((one, two)) = decided.target.zip(other) else { return Ok(false) };
        let log = self.store.log(LogRange::default()).await?;
        let gone = taken_back(&log);
        let before = log.iter().filter(|e| e.redacted.is_none() && !gone.contains(&e.id));
        for (a, b) in before.filter_map(|e| e.target_id.zip(e.one_with())) {
            let (a, b) = (self.head(a).await?.map(|m| m.id), self.head(b).await?.map(|m| m.id));
            if (a, b) == (Some(one), Some(two)) || (b, a) == (Some(one), Some(two)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The current version of what a memory has become.
    async fn head(&self, id: Id) -> Result<Option<Memory>> {
        Ok(self.chain_over(id, &[]).await?.pop())
    }

    /// Every pair that its owner has labelled by a review, as JSON Lines: to fit the local analyst on, or as examples.
    pub async fn corrections(&self) -> Result<String> {
        let log = self.log(&LogQuery::default()).await?;
        let gone = taken_back(&log);
        let mut lines = String::new();
        for review in log.iter().filter(|e| is_label(e) && !gone.contains(&e.id)) {
            let Some(entry) = log.iter().find(|e| Some(e.id) == review.about && e.redacted.is_none()) else { continue };
            let existing = self.get_any(review.target_id.or(entry.target_id)).await?;
            let made = self.get_any(entry.memory_id).await?;
            if let Some(existing) = existing.filter(|m| !m.is_forgotten()) {
                let line = label(review, &existing, &labelled(review, entry, made.as_ref()));
                lines.push_str(&crate::json::write(&line)?);
                lines.push('\n');
            }
        }
        Ok(lines)
    }
}
