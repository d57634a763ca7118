//! What triage goes by, and what it settles: candidates in, a decision with its reasons out.

use super::{Analyst, Decision, Reason, Ruling, TrustRule};
use crate::analysis::{Analysis, Change};
use crate::model::{Conflict, Id, Relation, Relationship};
use crate::similarity::Factors;

/// A stored memory that the new one is compared with.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The memory.
    pub id: Id,
    /// How alike the two are.
    pub score: f32,
    /// What the score is made of.
    pub factors: Factors,
    /// Whether structure names it (thread, entity, subject or identifier in common), whatever its score.
    pub structural: bool,
    /// Whether what is stored matters more than most.
    pub important: bool,
    /// What the local analyst says of the pair; absent where the policy leaves it out.
    pub analysis: Option<Analysis>,
}

/// A link that is to be drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The stored memory.
    pub id: Id,
    /// The type of the link, where one was found.
    pub relation: Option<Relation>,
    /// How strong, 0–1.
    pub weight: f32,
    /// Whether the new memory may be about the same thing, so that the stored one may be outdated.
    pub may_replace: bool,
}

impl Link {
    /// The link to a memory that may be outdated.
    pub fn of_doubt(id: Id, weight: f32) -> Self {
        Self { id, relation: Some(Relation::Alternative), weight, may_replace: true }
    }
}

/// What was decided about one new memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// The candidate it is about: updated, repeated or linked to first.
    pub target: Option<Id>,
    /// The links to draw, the target's first.
    pub links: Vec<Link>,
    /// Which properties changed, the main one first.
    pub changes: Vec<Change>,
    /// What the target is about, as the analyst reads it.
    pub subject_a: Option<String>,
    /// What the new memory is about.
    pub subject_b: Option<String>,
    /// How the subjects relate.
    pub relationship: Relationship,
    /// Whether the new memory stands against the target.
    pub conflict: Conflict,
    /// Who judged.
    pub analyst: Analyst,
    /// How sure, 0–1.
    pub confidence: f32,
    /// Whether a person should look at it.
    pub needs_review: bool,
    /// Why.
    pub reasons: Vec<Reason>,
    /// Why, in the words of a model that was asked.
    pub reasoning: Option<String>,
    /// What becomes of a change of something stored, and by which rule; absent where nobody was asked who says so.
    pub ruling: Option<Ruling>,
    /// The rule.
    pub rule: Option<TrustRule>,
    /// Who reports a provisional change: the address that its mail shows.
    pub reported_by: Option<String>,
}
