//! Edges between nodes.

use super::{Id, Relation, Time};
use serde::{Deserialize, Serialize};

/// What an edge says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// Two memories belong together; `relation` says how.
    RelatedTo,
    /// Two memories may be about the same thing, so that `from` may be outdated by `to`; a person should look.
    MayReplace,
    /// A memory was merged into a summary.
    ConsolidatedInto,
    /// A node carries a tag.
    TaggedWith,
    /// A question found a memory.
    Found,
}

/// A typed, weighted edge. `from` is the earlier node, the cause, the precondition or the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edge {
    /// The edge's own id.
    pub id: Id,
    /// Where it starts.
    pub from: Id,
    /// Where it ends.
    pub to: Id,
    /// What it says.
    pub kind: EdgeKind,
    /// The type of a link between memories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
    /// How strong, 0–1.
    pub weight: f32,
    /// When it was stored.
    pub created_at: Time,
}
