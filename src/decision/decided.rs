//! The input and output of triage: candidates, and a decision with its reasons.

use super::{Analyst, Decision, Reason, Ruling, TrustRule};
use crate::analysis::{Analysis, Change};
use crate::model::{Conflict, Id, Relation, Relationship};
use crate::similarity::Factors;

/// A stored memory compared with the new one.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Id of the memory.
    pub id: Id,
    /// Similarity of the two memories.
    pub score: f32,
    /// The components of the score.
    pub factors: Factors,
    /// Whether both share a thread, entity, subject or identifier, regardless of the score.
    pub structural: bool,
    /// Whether the stored memory is more important than most.
    pub important: bool,
    /// The local analysis of the pair; `None` if the policy disables it.
    pub analysis: Option<Analysis>,
}

/// A link to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The stored memory.
    pub id: Id,
    /// The type of the link, if known.
    pub relation: Option<Relation>,
    /// Strength, 0–1.
    pub weight: f32,
    /// Whether the new memory may replace the stored one, which may be outdated.
    pub may_replace: bool,
}

impl Link {
    /// A link to a memory that may be outdated.
    pub fn of_doubt(id: Id, weight: f32) -> Self {
        Self { id, relation: Some(Relation::Alternative), weight, may_replace: true }
    }
}

/// The decision on one new memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// The candidate that is updated, repeated or linked first.
    pub target: Option<Id>,
    /// The links to draw, the target first.
    pub links: Vec<Link>,
    /// The changed properties, main one first.
    pub changes: Vec<Change>,
    /// The subject of the target, according to the analyst.
    pub subject_a: Option<String>,
    /// The subject of the new memory.
    pub subject_b: Option<String>,
    /// The relationship between the subjects.
    pub relationship: Relationship,
    /// Whether the new memory contradicts the target.
    pub conflict: Conflict,
    /// The analyst that decided.
    pub analyst: Analyst,
    /// Confidence, 0–1.
    pub confidence: f32,
    /// Whether a person should review it.
    pub needs_review: bool,
    /// The reasons.
    pub reasons: Vec<Reason>,
    /// The reasoning of the model, if one was asked.
    pub reasoning: Option<String>,
    /// The ruling on a change to a stored memory; `None` if no trust rule ran.
    pub ruling: Option<Ruling>,
    /// The trust rule behind the ruling.
    pub rule: Option<TrustRule>,
    /// The displayed sender address of a provisional change.
    pub reported_by: Option<String>,
}
