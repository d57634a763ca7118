//! The API for a session's questions and tags.

use crate::engine::Engine;
use crate::engine::removing::missing;
use crate::model::{Edge, EdgeKind, Id, Memory, NodeType};
use crate::similarity::{cosine, rank};
use crate::sleep::{self, canonical_key, same_query};
use crate::store::Store;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A question or a tag with its score.
#[derive(Debug, Clone, PartialEq, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct NodeHit {
    /// The node.
    pub node: Memory,
    /// .7 similarity + .3 rank if a text was given, otherwise the rank; 0–1.
    pub score: f32,
}

/// A query for nodes. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeQuery {
    /// `query` (default), `entity` or `person`.
    pub kind: Option<NodeType>,
    /// The text that nodes should be similar to.
    pub text: Option<String>,
    /// The session to search instead of the long-term nodes.
    pub session: Option<String>,
    /// The most results, 1–1000; default 20.
    pub k: Option<u32>,
}

impl<S: Store> Engine<S> {
    /// Adds a question to a session, or raises the repeat count of an equal one. Questions are equal with the same
    /// canonical key, or a cosine of at least [`super::super::Options::tau_dup`].
    pub async fn upsert_query(&self, text: &str, session: &str) -> Result<Memory> {
        sleep::checked("query", text)?;
        self.load(session).await?;
        let vector = self.embedder.vector(text);
        let (now, mut ids) = self.moment();
        let node = self.with_session(session, |open| {
            let vectors = &open.vectors;
            let of = |id: Id| vectors.iter().find(|(v, _)| *v == id).map(|(_, v)| v.as_slice());
            let nodes: Vec<(&Memory, Option<&[f32]>)> = open.graph.nodes.iter().map(|n| (n, of(n.id))).collect();
            let same = same_query(text, &vector, &nodes, self.options.tau_dup);
            let node = open.graph.record_query(text, same, now, &mut ids);
            if same.is_none() {
                open.vectors.push((node.id, vector));
            }
            node
        })?;
        self.tag_locally(session, self.options.tagging.window as usize);
        self.write_session(session, false).await?;
        Ok(node)
    }

    /// Adds a tag to a session, or raises the repeat count of the tag with the same canonical key.
    pub async fn upsert_tag(&self, name: &str, session: &str) -> Result<Memory> {
        sleep::checked("name", name)?;
        self.load(session).await?;
        let (now, mut ids) = self.moment();
        self.with_session(session, |open| open.graph.record_tag(name, now, &mut ids))
    }

    /// Links a question of a session to one of its tags. Linking them again strengthens the edge.
    pub async fn link_tag_to_query(&self, tag: Id, query: Id, weight: f32, session: &str) -> Result<Edge> {
        if !(0.0..=1.0).contains(&weight) {
            return Err(Error::field("weight", "is not a number from 0 to 1"));
        }
        self.load(session).await?;
        let (now, mut ids) = self.moment();
        self.with_session(session, |open| {
            let is = |id: Id, kind| open.graph.node(id).is_some_and(|n| n.node_type == kind);
            match (is(query, NodeType::Query), is(tag, NodeType::Entity)) {
                (false, _) => Err(missing(query)),
                (_, false) => Err(missing(tag)),
                _ => Ok(open.graph.link(EdgeKind::TaggedWith, query, tag, weight, now, &mut ids)),
            }
        })?
    }

    /// The edges of a node or a memory, in long-term memory or in a session.
    pub async fn edges_at(&self, id: Id, session: Option<&str>) -> Result<Vec<Edge>> {
        let Some(session) = session else { return self.store.edges(id).await };
        self.load(session).await?;
        let at = |e: &&Edge| e.from == id || e.to == id;
        self.with_session(session, |open| open.graph.edges.iter().filter(at).cloned().collect())
    }

    /// Finds questions or tags, best first.
    pub async fn nodes(&self, query: &NodeQuery) -> Result<Vec<NodeHit>> {
        let kind = query.kind.unwrap_or(NodeType::Query);
        if !matches!(kind, NodeType::Query | NodeType::Entity | NodeType::Person) {
            return Err(Error::field("kind", "is not `query`, `entity` or `person`"));
        }
        let k = query.k.unwrap_or(20) as usize;
        if !(1..=1_000).contains(&k) {
            return Err(Error::field("k", "is not from 1 to 1000"));
        }
        let asked = match &query.text {
            Some(text) => {
                sleep::checked("text", text)?;
                Some((canonical_key(text), self.embedder.vector(text)))
            }
            None => None,
        };
        self.catch_up().await?;
        let now = self.platform.now();
        let score = |node: &Memory, vector: Option<&[f32]>| {
            let rank = sleep::rank_of(node, now);
            let Some((key, asked)) = &asked else { return rank };
            let near = vector.map_or(0.0, |v| self.embedder.calibration().apply(cosine(asked, v)));
            let likeness = if node.keywords.first() == Some(key) { 1.0 } else { near };
            0.7 * likeness + 0.3 * rank
        };
        let mut hits: Vec<NodeHit> = Vec::new();
        let mut add = |node: &Memory, vector: Option<&[f32]>| {
            if node.node_type == kind && node.is_current() {
                hits.push(NodeHit { score: score(node, vector), node: node.clone() });
            }
        };
        match &query.session {
            Some(session) => {
                self.load(session).await?;
                self.with_session(session, |open| {
                    for node in &open.graph.nodes {
                        let vector = open.vectors.iter().find(|(id, _)| *id == node.id);
                        add(node, vector.map(|(_, v)| v.as_slice()));
                    }
                })?;
            }
            None => self.mirror.nodes.borrow().rows.iter().for_each(|r| add(&r.node, r.vector.as_deref())),
        }
        Ok(rank(hits, k, |h| (h.score, h.node.id)))
    }
}
