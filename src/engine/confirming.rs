//! Provisional changes: lists them, and applies the owner's verdict.

use super::Engine;
use super::deciding::ComparedMemories;
use super::removing::changeable_head;
use crate::analysis::{Outcome, analyse};
use crate::consolidation::{
    Act, ChangeSet, ChangeVerdict, LogEntry, Shelf, bears_on_reviews, confirmed_version, open_reviews, settle_changes,
};
use crate::decision::{Decided, Decision, Reason, Ruling, is_contested, name_others};
use crate::model::{Claim, EdgeKind, Id, Ids, Memory, NodeType, Statement};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// A memory with provisional statements. An authorised sender may confirm them; the owner may confirm or revert them.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ChangeToConfirm {
    /// The memory as it reads now.
    pub memory: Memory,
    /// Its text without the provisional statements.
    pub confirmed: String,
    /// Addresses of the senders who reported them, latest first.
    pub reported_by: Vec<String>,
    /// The log entry of the latest one.
    pub entry: Option<LogEntry>,
    /// Whether the confirmed value was repeated since.
    pub disputed: bool,
}

impl Engine {
    /// Returns the target of an update or skip without its provisional statements, if it has any.
    pub(super) async fn confirmed_target(&self, decided: &Decided, known: &ComparedMemories) -> Result<Option<Memory>> {
        let about = matches!(decided.decision, Decision::Update | Decision::Skip);
        let target = decided.target.filter(|_| about);
        let target = target.and_then(|id| known.pairs.iter().find(|(c, _)| c.id == id)).map(|(_, m)| m);
        match target.filter(|m| m.is_provisional()) {
            Some(memory) => Ok(confirmed_version(&self.chain_over(memory.id, &[]).await?)),
            None => Ok(None),
        }
    }

    pub(super) async fn provisional_entries(&self, chain: &[Memory]) -> Result<Vec<Id>> {
        let since = chain.iter().rposition(|m| !m.is_provisional()).map_or(0, |at| at + 1);
        let versions = &chain[since.min(chain.len())..];
        if versions.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<String> = versions.iter().map(|m| m.id.to_string()).collect();
        let written = self.store.each_record(Shelf::Provisional, &keys).await?;
        let id_of = |bytes: Option<Vec<u8>>| std::str::from_utf8(&bytes?).ok()?.parse().ok();
        if let Some(ids) = written.into_iter().map(id_of).collect() {
            return Ok(ids);
        }
        // Written by an earlier release, or by a peer.
        let wrote = |e: &LogEntry| is_provisional(e) && versions.iter().any(|m| Some(m.id) == e.memory_id);
        Ok(self.entries_in_force(wrote).await?.into_iter().map(|e| e.id).collect())
    }

    /// Returns the memories with provisional statements, the latest change first.
    pub async fn changes_to_confirm(&self) -> Result<Vec<ChangeToConfirm>> {
        let log = self.entries_in_force(|e| is_provisional(e) || e.reasons.contains(&Reason::RepeatsEarlier)).await?;
        let mut found: Vec<ChangeToConfirm> = Vec::new();
        for entry in log.iter().rev().filter(|e| is_provisional(e)) {
            let Some(made) = entry.memory_id else { continue };
            let chain = self.chain_over(made, &[]).await?;
            let is_open = |m: &&Memory| m.is_current() && m.is_provisional();
            let Some(head) = chain.last().filter(is_open) else { continue };
            if found.iter().any(|f| f.memory.id == head.id) {
                continue;
            }
            let reporters = head.statements.iter().filter(|s| s.is_provisional()).filter_map(Statement::reporter);
            let mut reported_by: Vec<String> = Vec::new();
            reporters.for_each(|r| {
                if reported_by.iter().all(|known| known != r) {
                    reported_by.push(r.to_owned())
                }
            });
            let is_of_it = |e: &LogEntry| e.target_id.is_some_and(|id| chain.iter().any(|m| m.id == id));
            let disputes = |e: &&LogEntry| e.seq > entry.seq && e.reasons.contains(&Reason::RepeatsEarlier);
            let disputed = log.iter().filter(disputes).any(is_of_it);
            let (confirmed, entry) = (head.confirmed().to_owned(), Some(entry.clone()));
            found.push(ChangeToConfirm { memory: head.clone(), confirmed, reported_by, entry, disputed });
        }
        Ok(found)
    }

    /// Confirms or reverts the provisional statements of a memory, given by any version. It can be undone.
    pub async fn settle_change(&self, id: Id, verdict: ChangeVerdict) -> Result<LogEntry> {
        self.act(async |act, ids| self.plan_change_verdict(id, verdict, act, ids).await).await
    }

    pub(super) async fn plan_change_verdict(
        &self,
        id: Id,
        verdict: ChangeVerdict,
        act: Act<'_>,
        ids: &mut Ids,
    ) -> Result<ChangeSet> {
        let chain = self.chain_over(id, &[]).await?;
        changeable_head(&chain, id)?;
        let waiting = self.provisional_entries(&chain).await?;
        let set = settle_changes(&chain, &waiting, verdict, act, ids);
        let nothing = || Error::new(Code::AlreadySettled, format!("memory {id} has no unconfirmed changes"));
        let mut set = set.ok_or_else(nothing)?;
        self.settle_matter(&mut set).await?;
        Ok(set)
    }

    pub(super) async fn settle_matter(&self, set: &mut ChangeSet) -> Result<()> {
        let made = set.entry.memory_id;
        let new = set.memories.iter().find(|m| Some(m.id) == made && m.is_current()).cloned();
        let Some(new) = new.filter(|_| set.entry.decision == Decision::Update) else { return Ok(()) };
        let mut family: Vec<Id> = set.memories.iter().map(|m| m.id).collect();
        if let Some(target) = set.entry.target_id {
            family.extend(self.chain_over(target, &[]).await?.iter().map(|m| m.id));
        }
        let mut closed = family.clone();
        for rival in self.rivals(&new, &family).await? {
            let chain = self.chain_over(rival.id, &[]).await?;
            closed.extend(chain.iter().map(|m| m.id));
            let mut gone = rival.clone();
            (gone.superseded_by, gone.contradicted_by) = (made, made);
            gone.leave_core();
            set.replace_read(&rival, gone, new.created_at);
        }
        let log = self.log_where(0, bears_on_reviews).await?;
        let settles = |e: &&LogEntry| {
            let is_of_it = e.ids().iter().any(|id| closed.contains(id));
            // Memories a rule kept for review stay in question while they are current.
            let stays = e.confirmation == Some(Ruling::Review) && e.memory_id.is_some_and(|id| !closed.contains(&id));
            Some(e.id) != set.entry.about && is_of_it && !stays
        };
        let settled: Vec<Id> = open_reviews(&log).into_iter().filter(settles).map(|e| e.id).collect();
        set.entry.reasons.extend(settled.into_iter().map(|entry| Reason::Settled { entry }));
        Ok(())
    }

    async fn rivals(&self, new: &Memory, family: &[Id]) -> Result<Vec<Memory>> {
        let mut rivals: Vec<Memory> = Vec::new();
        let is_rival = |m: &Memory, rivals: &[Memory]| {
            let known = family.contains(&m.id) || rivals.iter().any(|r| r.id == m.id);
            m.is_current()
                && m.node_type == NodeType::Memory
                && !known
                && is_contested(&Claim::from(m), &Claim::from(new))
                // Memories about other people are no rivals, nor are pairs the analyst would not update.
                && !name_others(&m.content, &new.content)
                && analyse(&Claim::from(m), &Claim::from(new)).outcome == Outcome::Update
        };
        for edge in self.store.edges_at(family).await? {
            if edge.kind != EdgeKind::MayReplace || edge.weight < LINKED {
                continue;
            }
            let other = if family.contains(&edge.from) { edge.to } else { edge.from };
            let head = self.chain_over(other, &[]).await?.pop();
            rivals.extend(head.filter(|m| is_rival(m, &rivals)));
        }
        let draft = new.to_draft(None);
        for (candidate, memory) in self.compare_with_stored(&draft, None, &[]).await?.pairs {
            let is_one = candidate.analysis.as_ref().is_some_and(|a| a.same_subject() >= UNLINKED);
            if is_one && is_rival(&memory, &rivals) {
                rivals.push(memory);
            }
        }
        Ok(rivals)
    }
}

fn is_provisional(entry: &LogEntry) -> bool {
    entry.confirmation == Some(Ruling::Provisional)
}

/// Probabilities from which a linked or an unlinked memory belongs to the matter.
const LINKED: f32 = 0.5;
const UNLINKED: f32 = 0.65;
