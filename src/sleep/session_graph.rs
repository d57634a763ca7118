//! The session graph: questions, tags and hits of one session, and what is adopted. Losing it loses no memory.

use super::clusters::rank_of;
use super::clusters::{canonical_key, is_one_tag, is_small_talk};
use crate::model::{Draft, Edge, EdgeKind, Feedback, Generation, Id, Ids, Limits, Memory, NodeType, Time};
use crate::similarity::{cosine, rank};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

const MAX_ADOPTED: usize = 16;
/// The most nodes of a session; the lowest-ranked node is evicted.
const MAX_NODES: usize = 256;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionGraph {
    pub last: Time,
    pub nodes: Vec<Memory>,
    /// The tags of a question and the memories that it found.
    pub edges: Vec<Edge>,
    /// Found memories, once per hit.
    pub found: Vec<Id>,
    /// Questions that are not tagged yet.
    pub untagged: Vec<Id>,
    pub searches: u32,
    /// The number of searches whose first hit answered the question.
    pub hits: u32,
}

impl SessionGraph {
    pub fn new(now: Time) -> Self {
        let (nodes, edges, found, untagged) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { last: now, nodes, edges, found, untagged, searches: 0, hits: 0 }
    }

    pub fn node(&self, id: Id) -> Option<&Memory> {
        self.nodes.iter().find(|n| n.id == id)
    }

    /// Records a question: raises the repeat count of node `same`, or adds a node.
    pub fn record_query(&mut self, text: &str, same: Option<Id>, now: Time, ids: &mut Ids) -> Memory {
        self.last = now;
        if let Some(node) = self.nodes.iter_mut().find(|n| Some(n.id) == same) {
            node.repeat = node.repeat.saturating_add(1);
            (node.revision, node.updated_at, node.accessed_at) = (node.revision + 1, now, Some(now));
            return node.clone();
        }
        let node = node_of(NodeType::Query, text, now, ids);
        self.push(node.clone(), now);
        self.untagged.push(node.id);
        node
    }

    /// Records a tag: raises the repeat count of the tag with an equal key, or adds one.
    pub fn record_tag(&mut self, name: &str, now: Time, ids: &mut Ids) -> Memory {
        let key = canonical_key(name);
        let same = |n: &&mut Memory| n.keywords.first().is_some_and(|known| is_one_tag(known, &key));
        let same = self.nodes.iter_mut().filter(|n| n.node_type == NodeType::Entity).find(same);
        if let Some(node) = same {
            node.repeat = node.repeat.saturating_add(1);
            (node.revision, node.updated_at) = (node.revision + 1, now);
            return node.clone();
        }
        let node = node_of(NodeType::Entity, name, now, ids);
        self.push(node.clone(), now);
        node
    }

    pub fn link(&mut self, kind: EdgeKind, from: Id, to: Id, weight: f32, now: Time, ids: &mut Ids) -> Edge {
        let same = self.edges.iter_mut().find(|e| (e.kind, e.from, e.to) == (kind, from, to));
        if let Some(edge) = same {
            edge.weight = combine_weights(edge.weight, weight);
            return edge.clone();
        }
        let edge = Edge { id: ids.mint(), from, to, kind, relation: None, weight, created_at: now };
        self.edges.push(edge.clone());
        edge
    }

    pub fn rate_query(&mut self, query: Id, up: bool) {
        if let Some(node) = self.nodes.iter_mut().find(|n| n.id == query) {
            node.feedback.add(up);
        }
    }

    /// The questions to adopt, best first: repeated, rated useful, or tagged.
    pub fn adoption_candidates(&self, now: Time) -> Vec<&Memory> {
        let tagged = |id: Id| self.edges.iter().any(|e| e.kind == EdgeKind::TaggedWith && e.from == id);
        let hot = |n: &&Memory| {
            n.node_type == NodeType::Query
                && !is_small_talk(&n.content)
                && n.feedback.up >= n.feedback.down
                && (n.repeat > 0 || n.feedback.up > n.feedback.down || tagged(n.id))
        };
        let found: Vec<&Memory> = self.nodes.iter().filter(hot).collect();
        rank(found, MAX_ADOPTED, |n| (rank_of(n, now), n.id))
    }

    fn push(&mut self, node: Memory, now: Time) {
        if self.nodes.len() >= MAX_NODES {
            let least = (0..self.nodes.len())
                .min_by(|a, b| rank_of(&self.nodes[*a], now).total_cmp(&rank_of(&self.nodes[*b], now)));
            if let Some(gone) = least.map(|at| self.nodes.remove(at).id) {
                self.edges.retain(|e| e.from != gone && e.to != gone);
                self.untagged.retain(|id| *id != gone);
            }
        }
        self.nodes.push(node);
    }
}

/// A new question or tag; its canonical key is its first keyword.
pub fn node_of(node_type: NodeType, text: &str, now: Time, ids: &mut Ids) -> Memory {
    let text = text.trim();
    let draft = Draft { keywords: vec![canonical_key(text)], importance: Some(0.0), ..Draft::new(text) };
    Memory { node_type, ..Memory::from_draft(ids.mint(), draft, now) }
}

/// An equal question: one with the same key, or with a similarity of at least `tau_dup`.
pub fn same_query<'a>(
    text: &str,
    nodes: impl Iterator<Item = &'a Memory> + Clone,
    tau_dup: f32,
    vector: &dyn Fn(&str) -> Vec<f32>,
) -> Option<&'a Memory> {
    let key = canonical_key(text);
    let mut queries = nodes.filter(|n| n.node_type == NodeType::Query && n.is_current());
    queries.clone().find(|n| !key.is_empty() && n.keywords.first() == Some(&key)).or_else(|| {
        let asked = vector(text);
        queries.find(|n| cosine(&vector(&n.content), &asked) >= tau_dup)
    })
}

/// A long-term node with the counts of a session node added; `old` is the stored node, if any.
#[must_use]
pub fn adopt_node(node: &Memory, old: Option<&Memory>, now: Time) -> Memory {
    let Some(old) = old else {
        return Memory { generation: Generation::Old, revision: 1, updated_at: now, ..node.clone() };
    };
    let mut m = old.clone();
    // Another session counts as one more repetition.
    m.repeat = m.repeat.saturating_add(node.repeat).saturating_add(1);
    m.feedback = Feedback {
        up: m.feedback.up.saturating_add(node.feedback.up),
        down: m.feedback.down.saturating_add(node.feedback.down),
    };
    m.accessed_at = m.accessed_at.max(Some(node.accessed_at.unwrap_or(node.created_at)));
    m.session_count = m.session_count.saturating_add(1);
    (m.generation, m.revision, m.updated_at) = (Generation::Old, old.revision + 1, now);
    m
}

/// Combines two edge weights: at least the larger one, and at most 1.
pub fn combine_weights(a: f32, b: f32) -> f32 {
    (1.0 - (1.0 - a.clamp(0.0, 1.0)) * (1.0 - b.clamp(0.0, 1.0))).clamp(0.0, 1.0)
}

/// Checks the text of a question or the name of a tag; [`crate::Code::InvalidField`] if it is empty, too long or wordless.
pub fn checked(field: &str, text: &str) -> Result<()> {
    Limits::name(field, text)?;
    if canonical_key(text).is_empty() {
        return Err(Error::field(field, "has no word"));
    }
    Ok(())
}
