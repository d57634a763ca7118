//! What somebody who read a whole mail found: [`Finding`], as a decision.
//!
//! It never looks at words: they were checked where the reply was read.

use super::{Analyst, Candidate, Decided, Decision, Link, Reason, Refusal};
use crate::analysis::Outcome;
use crate::model::{Conflict, Id, Memory, Relation, Relationship};

/// What a link counts for that was found.
const FOUND: f32 = 0.8;

/// What a reader found of one new memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What it is to the memory that is meant.
    pub outcome: Outcome,
    /// The memory that is meant; absent for something new.
    pub target: Option<Id>,
    /// What it belongs to.
    pub links: Vec<(Id, Relation)>,
    /// Whether something of it is inferred.
    pub inferred: bool,
    /// Whether a sentence of it was left out, for which there was no evidence.
    pub shortened: bool,
    /// Whether the memory that is meant is only said again.
    pub again: bool,
    /// Another memory of the same matter.
    pub with: Option<Id>,
    /// Other memories without which nobody has said all of it.
    pub borrowed: Vec<Id>,
    /// The addresses of others in whose words some of it was said; empty where nobody knows whose words they are.
    pub heard_from: Vec<String>,
}

impl Finding {
    /// How sure a finding counts as: its words stand in what was sent, and nobody has weighed it otherwise.
    pub const CONFIDENCE: f32 = 0.9;

    /// The memories that it names.
    pub fn names(&self) -> impl Iterator<Item = Id> + '_ {
        let others = self.links.iter().map(|(id, _)| *id).chain(self.borrowed.iter().copied());
        self.target.into_iter().chain(self.with).chain(others)
    }

    /// The decision; absent where what is meant is not current any more.
    pub fn decided(&self, known: &[(Candidate, Memory)]) -> Option<Decided> {
        let current = |id: Id| known.iter().find(|(c, m)| c.id == id && m.is_current());
        let target = self.target.filter(|id| current(*id).is_some());
        let with = self.with.filter(|id| target.is_some() && current(*id).is_some());
        // Of two that may be one nothing new was said, wherever they are now.
        if target != self.target && self.with.is_none() {
            return None;
        }
        let link = |(id, relation): &(Id, Relation)| {
            let link = Link { id: *id, relation: Some(*relation), weight: FOUND, may_replace: false };
            current(*id).map(|_| link)
        };
        let links: Vec<Link> = self.links.iter().filter(|(id, _)| Some(*id) != self.target).filter_map(link).collect();
        let (decision, relationship, conflict) = match self.outcome {
            Outcome::Update => (Decision::Update, Relationship::Identical, Conflict::Update),
            Outcome::Skip => (Decision::Skip, Relationship::Identical, Conflict::Overlap),
            _ => match links.first().and_then(|l| l.relation) {
                Some(relation) => (Decision::CreateAndLink, relation.relationship(), relation.conflict()),
                None => (Decision::Create, Relationship::Unrelated, Conflict::None),
            },
        };
        let first = links.first().map(|l| l.id);
        let mut reasons = vec![Reason::ModelRead];
        reasons.extend(self.inferred.then_some(Reason::Inferred));
        let unfounded = || Reason::ModelRefused { error: Refusal::NoEvidence.as_str().to_owned() };
        reasons.extend(self.shortened.then(unfounded));
        reasons.extend(with.map(|with| Reason::OneMatter { with }));
        if with != self.with {
            reasons.push(Reason::ModelRefused { error: Refusal::Moved.as_str().to_owned() });
        }
        Some(Decided {
            decision,
            target: target.or(first),
            links,
            relationship,
            conflict,
            analyst: Analyst::Model,
            confidence: Self::CONFIDENCE,
            needs_review: self.inferred || self.shortened || with.is_some(),
            reasons,
            ..Decided::default()
        })
    }
}
