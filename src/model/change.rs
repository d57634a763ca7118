//! How two memories relate: property changes, relationships, link types and conflict labels.

use super::{Id, Time};
use serde::{Deserialize, Serialize};

/// A property whose value differs between the stored and the new memory, quoted from the mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PropertyChange {
    /// The property's name, such as `budget` or `시간`.
    pub property: String,
    /// The stored value; absent for an addition.
    pub old_value: Option<String>,
    /// The new value; absent for a removal.
    pub new_value: Option<String>,
    /// The kind of change.
    pub change_type: ChangeType,
}

impl PropertyChange {
    /// A change whose kind follows from the values that are given; `None` without a value.
    pub fn of(property: &str, old_value: Option<String>, new_value: Option<String>) -> Option<Self> {
        let change_type = match (&old_value, &new_value) {
            (Some(_), Some(_)) => ChangeType::ValueChange,
            (Some(_), None) => ChangeType::Removal,
            (None, Some(_)) => ChangeType::Addition,
            (None, None) => return None,
        };
        Some(Self { property: property.to_owned(), old_value, new_value, change_type })
    }
}

/// The kind of a property change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum ChangeType {
    /// One value replaced another.
    ValueChange,
    /// A property that the stored memory lacks.
    Addition,
    /// A part or participant was dropped.
    Removal,
    /// The property was extended (3 features → 5 features).
    Expansion,
}

/// How the subjects of two memories are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Relationship {
    /// The same entity or event instance.
    Identical,
    /// The next in a sequence (Q1 → Q2).
    Sequential,
    /// Cause and effect, or a precondition and its result.
    Causal,
    /// A whole and its part.
    Hierarchical,
    /// One mentions the other.
    Reference,
    /// The same theme with another focus.
    Thematic,
    /// No connection worth showing.
    #[default]
    Unrelated,
}

/// The type of a link between two memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The next in a sequence.
    Sequential,
    /// The first is the reason for the second.
    Causal,
    /// The first is a precondition of the second.
    Prerequisite,
    /// An independent detail.
    Elaboration,
    /// One mentions the other.
    Reference,
    /// Another option.
    Alternative,
}

impl Relation {
    /// The relationship that corresponds to this link type.
    pub const fn relationship(self) -> Relationship {
        match self {
            Self::Sequential => Relationship::Sequential,
            Self::Causal | Self::Prerequisite => Relationship::Causal,
            Self::Elaboration => Relationship::Hierarchical,
            Self::Reference => Relationship::Reference,
            Self::Alternative => Relationship::Thematic,
        }
    }

    /// The conflict label that corresponds to this link type.
    pub const fn conflict(self) -> Conflict {
        match self {
            Self::Elaboration | Self::Alternative => Conflict::Overlap,
            _ => Conflict::None,
        }
    }
}

/// The conflict between a new memory and the stored one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "UPPERCASE")]
pub enum Conflict {
    /// The new memory denies that the stored one was true or still applies.
    Contradiction,
    /// The new memory is a newer version of the same fact.
    Update,
    /// Similar topics without a conflict.
    Overlap,
    /// No overlap.
    #[default]
    None,
}

/// The kind of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// Two memories are related; `relation` is the type of the link.
    RelatedTo,
    /// `to` may replace `from`; the owner should decide.
    MayReplace,
    /// A memory was merged into a summary.
    ConsolidatedInto,
    /// A node has a tag.
    TaggedWith,
    /// A query found a memory.
    Found,
}

/// A typed, weighted edge. `from` is the earlier memory, the cause, the precondition or the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edge {
    /// The id of the edge.
    pub id: Id,
    /// The start node.
    pub from: Id,
    /// The end node.
    pub to: Id,
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// The type of a link between memories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
    /// The strength, 0–1.
    pub weight: f32,
    /// When it was stored.
    pub created_at: Time,
}
