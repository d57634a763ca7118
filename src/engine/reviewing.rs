//! The review queue, and the owner's verdict on a decision.

use super::Engine;
use crate::analysis;
use crate::consolidation::{
    Act, Action, ChangeSet, ChangeVerdict, ContentMerge, Input, LogEntry, MergeStrategy, OwnerVerdict, Reversal,
    ReviewOptions, ReviewStep, VersionStep, Wording, bears_on_reviews, join_before, open_reviews, plan, review, said,
    step, taken_back,
};
use crate::decision::{Analyst, Decided, Decision, Link, Policy, Reason, Ruling, is_contested};
use crate::model::{Claim, Conflict, Draft, Edge, EdgeKind, Id, Ids, Memory, Relation, Relationship, Source};
use crate::store::LogRange;
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// A decision that waits for the owner's review.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ReviewItem {
    /// The decision and its reasons.
    pub entry: LogEntry,
    /// The new statement.
    pub draft: Draft,
    /// The target memory.
    pub existing: Option<Memory>,
    /// The memory created from the statement.
    pub memory: Option<Memory>,
}

pub(super) fn by_owner(decision: Decision, about: Option<&Memory>) -> Decided {
    Decided { decision, target: about.map(|m| m.id), analyst: Analyst::User, confidence: 1.0, ..Decided::default() }
}

/// The owner's update of a memory. It is a contradiction if one side finds one.
fn update_by_owner(old: &Memory, new: &Claim<'_>, conflict: Conflict) -> Decided {
    let found = analysis::analyse(&Claim::from(old), new);
    let contradicts = [conflict, found.conflict].contains(&Conflict::Contradiction);
    Decided {
        subject_a: Some(found.subject_a),
        subject_b: Some(found.subject_b),
        relationship: Relationship::Identical,
        conflict: if contradicts { Conflict::Contradiction } else { Conflict::Update },
        changes: found.changes,
        ..by_owner(Decision::Update, Some(old))
    }
}

impl Engine {
    /// Returns the open reviews, oldest first; for each matter only the most important one.
    pub async fn reviews(&self) -> Result<Vec<ReviewItem>> {
        let log = self.log_where(0, bears_on_reviews).await?;
        let (mut open, mut slices) = (Vec::<(Vec<Id>, ReviewItem)>::new(), self.slices());
        for entry in open_reviews(&log) {
            slices.next().await;
            open.extend(self.open_question(entry).await?);
        }
        // A suspected fraud outweighs a doubt, and a later question an earlier one.
        open.sort_by(|(_, a), (_, b)| {
            let weight = |e: &LogEntry| (e.confirmation == Some(Ruling::Review), e.seq);
            weight(&b.entry).cmp(&weight(&a.entry))
        });
        let (mut matters, mut items) = (Vec::<Id>::new(), Vec::new());
        for (heads, item) in open {
            if heads.iter().all(|id| !matters.contains(id)) {
                items.push(item);
            }
            matters.extend(heads);
        }
        items.sort_by_key(|item: &ReviewItem| item.entry.seq);
        Ok(items)
    }

    /// Returns the open question of a decision and the memories of its matter; `None` if it is obsolete.
    async fn open_question(&self, entry: &LogEntry) -> Result<Option<(Vec<Id>, ReviewItem)>> {
        let memory = self.get_any(entry.memory_id).await?;
        let mut existing = self.get_any(entry.target_id).await?;
        let draft = said(entry, memory.as_ref());
        let made = self.head(memory.as_ref().map(|m| m.id)).await?;
        let told = self.head(existing.as_ref().map(|m| m.id)).await?;
        let is_current = |m: &Option<Memory>| m.as_ref().is_none_or(Memory::is_current);
        let is_one = made.is_some() && made.as_ref().map(|m| m.id) == told.as_ref().map(|m| m.id);
        let both = made.as_ref().zip(told.as_ref());
        let differs = both.is_none_or(|(new, old)| is_contested(&Claim::from(old), &Claim::from(new)));
        let by_rule = entry.confirmation == Some(Ruling::Review);
        if entry.decision == Decision::CreateAndLink {
            let doubts = entry.conflict == Conflict::Overlap && !by_rule;
            let is_note = made.as_ref().is_some_and(|m| m.source_type != Source::Realtime);
            if is_one || !is_current(&made) || doubts && (!is_current(&told) || !differs && !is_note) {
                return Ok(None);
            }
            existing = told.clone().filter(|m| !m.is_forgotten()).or(existing);
        } else if entry.decision == Decision::Update && entry.memory_id.is_some() {
            // Changed since, so the question is obsolete.
            if memory.as_ref().is_none_or(|m| !m.is_current()) {
                return Ok(None);
            }
        } else if entry.decision == Decision::Update && !is_current(&told) {
            return Ok(None);
        }
        // A rule may have linked the new memory to one of another matter.
        let told = told.filter(|_| !by_rule || differs);
        let heads = [&made, &told].into_iter().flatten().map(|m| m.id).collect();
        Ok(Some((heads, ReviewItem { draft, existing, memory, entry: entry.clone() })))
    }

    /// Carries out the owner's verdict on a decision in one commit. Undoing the review reverts it.
    pub async fn review(&self, id: Id, verdict: OwnerVerdict, options: &ReviewOptions) -> Result<LogEntry> {
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
                return self.plan_change_verdict(made, word, act, ids).await;
            }
            let elsewhere = options.target.is_some_and(|t| Some(t) != entry.target_id);
            let step = step(&entry, &later, verdict, elsewhere)?;
            if let ReviewStep::Decide(Decision::Update) = step
                && let Some(set) = self.join_versions(&entry, act, ids).await?.filter(|_| !elsewhere)
            {
                let mut set = review(&entry, verdict, (&[], Reversal::default(), &[]), Some(set), act, ids);
                self.settle_matter(&mut set).await?;
                return Ok(set);
            }
            let (read, back, edges) = match step {
                ReviewStep::Keep => Default::default(),
                ReviewStep::TakeBack | ReviewStep::Decide(_) => self.reversal(&entry, &later, act.now).await?,
            };
            let instead = match step {
                ReviewStep::Decide(decision) => {
                    Some(self.plan_instead(&entry, decision, &back, options, act, ids).await?)
                }
                _ => None,
            };
            let mut set = review(&entry, verdict, (&read, back, &edges), instead, act, ids);
            self.settle_matter(&mut set).await?;
            // The owner keeps both, so the doubt becomes a plain link.
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

    /// Whether a model reworded a whole memory, and that text is withheld or stored as a separate memory.
    async fn is_reworded(&self, entry: &LogEntry) -> Result<bool> {
        if !entry.reasons.contains(&Reason::ModelRead) {
            return Ok(false);
        }
        let Some(made) = entry.memory_id else { return Ok(entry.decision == Decision::Update) };
        let edges = self.store.edges(made).await?;
        Ok(edges.iter().any(|e| e.kind == EdgeKind::MayReplace && e.to == made && Some(e.from) == entry.target_id))
    }

    /// Joins a memory to the one it would have replaced, as its further versions; `None` if they cannot be joined.
    async fn join_versions(&self, entry: &LogEntry, act: Act<'_>, ids: &mut Ids) -> Result<Option<ChangeSet>> {
        let Some((first, target)) = entry.memory_id.zip(entry.target_id) else { return Ok(None) };
        let chain = self.chain_over(first, &[]).await?;
        let earlier = self.head(Some(target)).await?;
        let (Some(made), Some(earlier)) = (chain.last(), earlier) else { return Ok(None) };
        let follows = earlier.first_said() <= chain[0].first_said() && !earlier.source_type.outranks(made.source_type);
        let is_apart = chain.iter().all(|m| m.id != earlier.id);
        if !(made.is_current() && earlier.is_current() && follows && is_apart) {
            return Ok(None);
        }
        let decided = update_by_owner(&earlier, &Claim::from(made), entry.conflict);
        let entry = LogEntry {
            target_id: Some(earlier.id),
            memory_id: Some(made.id),
            category: made.category,
            subject_a: decided.subject_a,
            subject_b: decided.subject_b,
            relationship: decided.relationship,
            conflict: decided.conflict,
            property_changes: decided.changes.into_iter().map(|c| c.change).collect(),
            versions: Some(VersionStep { before: made.version, after: made.version }),
            ..act.entry(Action::Review, Decision::Update, &entry.input, ids)
        };
        let mut set = ChangeSet::new(entry);
        join_before(&mut set, chain, earlier, act.now);
        Ok(Some(set))
    }

    async fn plan_instead(
        &self,
        entry: &LogEntry,
        decision: Decision,
        back: &Reversal,
        options: &ReviewOptions,
        act: Act<'_>,
        ids: &mut Ids,
    ) -> Result<ChangeSet> {
        let made = self.get_any(entry.memory_id).await?;
        let mut draft = said(entry, made.as_ref());
        if decision == Decision::Create && entry.reasons.contains(&Reason::Suspected) {
            // Accepted as genuine mail of its sender.
            let author = draft.author.clone().or_else(|| draft.people.first().cloned()).filter(|a| a.contains('@'));
            draft = Draft { author, source_type: Source::Realtime, ..self.read_note(draft, false)? };
        }
        if decision != Decision::Skip && draft.content.trim().is_empty() {
            return Err(Error::new(Code::InvalidInput, format!("entry {} has no text to store", entry.id)));
        }
        let is_withheld = entry.decision == Decision::Update && entry.touched.is_empty();
        let chain = match options.target.or(entry.target_id) {
            Some(target) if decision != Decision::Create => self.chain_over(target, &back.memories).await?,
            None if decision != Decision::Create => {
                return Err(Error::field("target", "is required for this decision"));
            }
            _ => Vec::new(),
        };
        let head = chain.last();
        if decision != Decision::Create && head.is_none_or(|h| h.deleted_at.is_some()) {
            return Err(Error::new(Code::NotFound, "the target memory is missing"));
        }
        let mut decided = by_owner(decision, head);
        match (decision, head) {
            (Decision::Update, Some(head)) => {
                decided = update_by_owner(head, &Claim::from(&draft), entry.conflict);
                // The owner's verdict gives the change the authority of the memory it replaces.
                draft.source_type = draft.source_type.min(head.source_type);
                // Accepting applies an old statement as the newest, unless a later version exists.
                if is_withheld && decision == Decision::Update && head.created_at <= entry.time {
                    draft.stated_at = draft.stated_at.map(|said| said.max(head.own_time()));
                }
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
        (decided.subject_a, decided.subject_b) = (entry.subject_a.clone(), entry.subject_b.clone());
        // A model's rewording is complete, so it is not merged with the stored text.
        let is_same = chain.iter().any(|m| Some(m.id) == entry.target_id);
        let whole = decision == Decision::Update && is_same && self.is_reworded(entry).await?;
        let said = made.as_ref().and_then(|m| m.statements.first()).map(|s| s.text.clone());
        let said = said.or_else(|| draft.evidence.as_ref().map(|e| e.text.clone())).unwrap_or_default();
        let wording = whole.then(|| Wording { said, at: None, gone: Vec::new(), no_day: false });
        // The new statement replaces the old one instead of being appended.
        let strategy = MergeStrategy { content: ContentMerge::Latest, ..self.options.merge };
        Ok(self.plan_owner_decision((decided, wording.as_ref()), &draft, &chain, strategy, act, ids))
    }

    pub(super) fn plan_owner_decision(
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

    async fn head(&self, id: Option<Id>) -> Result<Option<Memory>> {
        let Some(id) = id else { return Ok(None) };
        Ok(self.chain_over(id, &[]).await?.pop())
    }
}
