//! Long-term questions and tags, and the open sessions.

use crate::model::{Id, Memory, NodeType};
use crate::sleep::{SessionGraph, is_one_tag};

/// The number of long-term nodes above which no new tags are created.
const MAX_LONG_TERM_NODES: usize = 4_000;

/// The long-term questions and tags, the ids of summaries, and the open sessions.
#[derive(Debug, Default)]
pub(in crate::engine) struct Nodes {
    pub rows: Vec<NodeRow>,
    pub summaries: Vec<Id>,
    pub(super) open_sessions: Vec<OpenSession>,
}

/// A long-term question or tag.
#[derive(Debug)]
pub(in crate::engine) struct NodeRow {
    pub node: Memory,
    pub vector: Option<Vec<f32>>,
}

/// A session that is open in this engine.
#[derive(Debug)]
pub(super) struct OpenSession {
    pub(super) name: String,
    pub(super) graph: SessionGraph,
    pub(super) vectors: Vec<(Id, Vec<f32>)>,
    /// Searches since it was last written.
    pub(super) unwritten: u32,
}

impl Nodes {
    /// Adds a question or tag, or notes a summary. Returns whether `memory` is such a node, which
    /// no memory search finds.
    pub fn take(&mut self, memory: &Memory, vector: Option<&[f32]>) -> bool {
        match memory.node_type {
            NodeType::Memory => false,
            NodeType::Summary => {
                if !self.is_summary(memory.id) {
                    self.summaries.push(memory.id);
                    self.summaries.sort_unstable();
                }
                false
            }
            NodeType::Query | NodeType::Entity | NodeType::Person => {
                let old = self.rows.iter().position(|r| r.node.id == memory.id).map(|at| self.rows.swap_remove(at));
                if memory.deleted_at.is_none() {
                    let vector = vector.map(<[f32]>::to_vec).or(old.and_then(|r| r.vector));
                    self.rows.push(NodeRow { node: memory.clone(), vector });
                }
                true
            }
        }
    }

    /// Whether this id is a summary.
    pub fn is_summary(&self, id: Id) -> bool {
        self.summaries.binary_search(&id).is_ok()
    }

    /// The long-term tag with this key.
    pub fn tag(&self, key: &str) -> Option<&Memory> {
        let tags = || self.rows.iter().map(|r| &r.node).filter(|n| n.node_type == NodeType::Entity);
        let by = |is: &dyn Fn(&String) -> bool| tags().find(|n| n.keywords.first().is_some_and(is));
        by(&|k| k == key).or_else(|| by(&|k| is_one_tag(k, key)))
    }

    /// The long-term person with this key.
    pub fn person(&self, key: &str) -> Option<&Memory> {
        let is = |n: &Memory| n.node_type == NodeType::Person && n.keywords.first().is_some_and(|k| k == key);
        self.rows.iter().map(|r| &r.node).find(|n| is(n))
    }

    /// The names of the long-term tags, most used first.
    pub fn tag_names(&self) -> Vec<String> {
        let tags = self.rows.iter().map(|r| &r.node).filter(|n| n.node_type == NodeType::Entity);
        let mut tags: Vec<(u32, &str)> = tags.map(|n| (n.repeat, n.content.as_str())).collect();
        tags.sort_by(|a, b| b.cmp(a));
        tags.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    /// Whether another long-term tag may be created.
    pub fn has_room(&self) -> bool {
        self.rows.len() < MAX_LONG_TERM_NODES
    }
}
