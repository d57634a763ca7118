//! Extends an owner's verdict to its whole matter: closes rival memories and open questions.
//!
//! Nothing is erased; undoing the entry opens them again.

use super::Engine;
use super::comparison_input::ComparisonInput;
use crate::Result;
use crate::analysis::{Outcome, analyse};
use crate::consolidation::{ChangeSet, LogEntry, open_reviews};
use crate::decision::{Decision, Reason, Ruling, is_contested, name_others};
use crate::model::{Claim, EdgeKind, Id, Memory, NodeType};
use crate::store::{LogRange, Store};

/// Probabilities from which a linked or an unlinked memory belongs to the matter.
const LINKED: f32 = 0.5;
const UNLINKED: f32 = 0.65;

impl<S: Store> Engine<S> {
    /// Closes all rivals of a version by the owner, and all questions about its matter.
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
            set.close(&rival, gone, new.created_at);
        }
        let log = self.store.log(LogRange::default()).await?;
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

    /// Returns the current memories that contradict a version of the same matter.
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
        let vector = self.embedder.vector(&draft.content);
        let (_, known) = self.compare_with_stored(&draft, &vector, &ComparisonInput::default()).await?;
        for (candidate, memory) in known.pairs {
            let is_one = candidate.analysis.as_ref().is_some_and(|a| a.same_subject() >= UNLINKED);
            if is_one && is_rival(&memory, &rivals) {
                rivals.push(memory);
            }
        }
        Ok(rivals)
    }
}
