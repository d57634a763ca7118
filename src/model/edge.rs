//! [`Edge`]: a link between two nodes of the memory graph.

use super::{Id, Relation, Time};
use serde::{Deserialize, Serialize};

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
