//! How two memories relate: property changes, link types and conflict labels.

use serde::{Deserialize, Serialize};

/// One property whose value differs between the stored and the new memory, in the mail's own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PropertyChange {
    /// The property's name, such as `budget` or `시간`.
    pub property: String,
    /// What was stored; absent for an addition.
    pub old_value: Option<String>,
    /// What is said now; absent for a removal.
    pub new_value: Option<String>,
    /// What happened to it.
    pub change_type: ChangeType,
}

/// What happened to a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum ChangeType {
    /// One value replaced another.
    ValueChange,
    /// A property that was not stated before.
    Addition,
    /// A part or participant dropped.
    Removal,
    /// The same property, widened (3 features → 5 features).
    Expansion,
}

/// How the subjects of two memories relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Relationship {
    /// The same entity or event instance.
    Identical,
    /// The next in a row (Q1 → Q2).
    Sequential,
    /// Cause and effect, or a precondition and what it allows.
    Causal,
    /// A whole and its part.
    Hierarchical,
    /// One mentions the other.
    Reference,
    /// The same theme, another focus.
    Thematic,
    /// Nothing that a person would want connected.
    #[default]
    Unrelated,
}

/// The type of a link between two memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The next in a row.
    Sequential,
    /// The first is the reason for the second.
    Causal,
    /// The first allows the second.
    Prerequisite,
    /// A detail that stands by itself.
    Elaboration,
    /// One mentions the other.
    Reference,
    /// Another option.
    Alternative,
}

impl Relation {
    /// The relationship of the subjects that goes with this link type.
    pub const fn relationship(self) -> Relationship {
        match self {
            Self::Sequential => Relationship::Sequential,
            Self::Causal | Self::Prerequisite => Relationship::Causal,
            Self::Elaboration => Relationship::Hierarchical,
            Self::Reference => Relationship::Reference,
            Self::Alternative => Relationship::Thematic,
        }
    }

    /// The conflict label that goes with this link type.
    pub const fn conflict(self) -> Conflict {
        match self {
            Self::Elaboration | Self::Alternative => Conflict::Overlap,
            _ => Conflict::None,
        }
    }
}

/// Whether the new memory stands against the stored one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "UPPERCASE")]
pub enum Conflict {
    /// The new one denies the old one as having been true or lasting.
    Contradiction,
    /// The new one is the newer version of the same fact.
    Update,
    /// Similar ground, no conflict.
    Overlap,
    /// Nothing in common that matters.
    #[default]
    None,
}
