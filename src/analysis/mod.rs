//! The local analyst: what two memories are about, which properties differ, and what follows.
//!
//! [`analyse`] is a function from two statements to one [`Analysis`]; nothing here waits, stores or decides
//! for good: `decision` turns an analysis into a decision under a policy.

use crate::model::{Conflict, PropertyChange, Relation, Relationship, Statement};
use serde::{Deserialize, Serialize};

/// The four outcomes an analyst can find. There is no variant for delete, source, priority or core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// Says nothing new.
    Skip,
    /// The same entity with another property.
    Update,
    /// Another entity that belongs to it.
    CreateAndLink,
    /// No connection.
    Create,
}

/// A property change with the places of its values, in bytes of the two contents, so that a merge can use them.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The change in the mail's own words.
    pub change: PropertyChange,
    /// Where the old value stands in the stored content.
    pub old_span: Option<(usize, usize)>,
    /// Where the new value stands in the new content.
    pub new_span: Option<(usize, usize)>,
}

/// A feature that weighed in the decision. The name is a stable code; the reader's language is chosen when shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyFactor {
    /// The feature's code, such as `other_period` or `money_changed`.
    pub code: String,
    /// What it added to the decision's log-odds against the runner-up.
    pub weight: f32,
    /// The words it was seen in, stored → new, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// What an analyst found about a stored and a new memory; the local and the model analyst give the same type.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The most probable outcome.
    pub outcome: Outcome,
    /// Calibrated probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE; they sum to 1.
    pub probabilities: [f32; 4],
    /// The probability of `outcome`.
    pub confidence: f32,
    /// Whether the confidence passes the threshold whose precision was measured.
    pub sure: bool,
    /// What the stored memory is about.
    pub subject_a: String,
    /// What the new memory is about.
    pub subject_b: String,
    /// How the subjects relate.
    pub relationship: Relationship,
    /// The type of link, where the outcome is a link.
    pub relation: Option<Relation>,
    /// The properties that differ, the main one first.
    pub changes: Vec<Change>,
    /// Whether the new memory stands against the stored one.
    pub conflict: Conflict,
    /// The features that weighed most, heaviest first.
    pub key_factors: Vec<KeyFactor>,
}

/// Compares a stored and a new memory.
pub fn analyse(a: &Statement<'_>, b: &Statement<'_>) -> Analysis {
    let same = a.content == b.content;
    Analysis {
        outcome: if same { Outcome::Skip } else { Outcome::CreateAndLink },
        probabilities: if same { [1.0, 0.0, 0.0, 0.0] } else { [0.25; 4] },
        confidence: if same { 1.0 } else { 0.25 },
        sure: same,
        subject_a: a.subject.unwrap_or_default().to_owned(),
        subject_b: b.subject.unwrap_or_default().to_owned(),
        relationship: if same { Relationship::Identical } else { Relationship::Thematic },
        relation: None,
        changes: Vec::new(),
        conflict: Conflict::None,
        key_factors: Vec::new(),
    }
}
