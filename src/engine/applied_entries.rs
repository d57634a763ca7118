//! Turns the entries of a model's reply into findings, each based on what the earlier entries changed.

use crate::analysis::Outcome;
use crate::consolidation::Wording;
use crate::decision::{Finding, Refusal};
use crate::llm::{LinkEnd, MailEntry, Op};
use crate::model::{Id, Relation, Time};

/// What a model found about one memory, from a mail or a single draft.
#[derive(Debug, Clone)]
pub(super) struct ModelFinding {
    pub finding: Finding,
    /// The evidence, if the model rewords a memory.
    pub wording: Option<Wording>,
    /// The new text of a memory that was asked about on its own.
    pub text: Option<String>,
}

/// The memories that the applied entries of one reply have created or changed.
#[derive(Debug, Default)]
pub(super) struct AppliedEntries {
    /// Memories by the position of their entry.
    places: Vec<(usize, Id)>,
    /// Old versions with the versions that replaced them.
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
            Op::Repeat | Op::Same => Outcome::Skip,
        };
        let wording = Wording {
            said: entry.evidence.clone(),
            at: said.filter(|_| entry.now),
            gone: entry.gone.clone(),
            no_day: entry.no_day,
        };
        let (target, with, again) = (entry.of.map(now), entry.with.map(now), entry.op == Op::Repeat);
        let withheld = entry.shortened.then_some(Refusal::NoEvidence);
        let (inferred, analysis) = (entry.inferred, entry.analysis.clone());
        let borrowed = entry.borrowed.iter().copied().map(now).collect();
        let heard_from = entry.heard_from.clone();
        let finding =
            Finding { outcome, target, links, inferred, withheld, again, with, borrowed, heard_from, analysis };
        ModelFinding { finding, wording: Some(wording), text: None }
    }
}
