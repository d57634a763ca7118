//! Records the questions, tags and hits of a session in a side record, and adopts the useful ones when it ends.

use super::removing::missing;
use super::{Engine, Hit, PAGE, retried};
use crate::consolidation::{Action, Record, Shelf, UpkeepChange, tend};
use crate::language::{Folded, telling_keys};
use crate::model::{Edge, EdgeKind, Id, Ids, Limits, Memory, NodeType, Retention, StorageTier, Time};
use crate::similarity::{cosine, rank};
use crate::sleep::{SessionGraph, canonical_key, is_one_tag, same_query};
use crate::{Code, Error, Result, json, sleep};
pub use ending::Finalized;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod ending;

const MAX_REINFORCED_HITS: usize = 3;

impl Engine {
    /// Records a search: its question becomes a session node, and its hits are reinforced later.
    pub(super) async fn record(&self, text: &str, hits: &[Hit], session: &str) -> Result<()> {
        if canonical_key(text).is_empty() {
            return Ok(());
        }
        let is_found = hits.first().is_some_and(|h| answers_question(text, &h.memory));
        self.change_session(session, |graph, now, ids| {
            let query = self.record_question(graph, text, now, ids).id;
            graph.searches += 1;
            graph.hits += u32::from(is_found);
            // A hit without a common word was shown, not found.
            for hit in hits.iter().take(MAX_REINFORCED_HITS).filter(|h| answers_question(text, &h.memory)) {
                graph.found.push(hit.memory.id);
                graph.link(EdgeKind::Found, query, hit.memory.id, hit.score.clamp(0.0, 1.0), now, ids);
            }
            Ok(())
        })
        .await
    }

    fn record_question(&self, graph: &mut SessionGraph, text: &str, now: Time, ids: &mut Ids) -> Memory {
        let same = same_query(text, graph.nodes.iter(), self.options.tau_dup, &|text| self.embedder.vector(text));
        let node = graph.record_query(text, same.map(|n| n.id), now, ids);
        self.tag_questions(graph, self.options.tagging.window as usize, now, ids);
        node
    }

    /// Records the owner's rating of a memory. `query` and `session` name the search that found it.
    pub async fn feedback(&self, id: Id, up: bool, query: Option<&str>, session: Option<&str>) -> Result<Memory> {
        if let (Some(query), Some(session)) = (query, session) {
            sleep::checked("query", query)?;
            self.change_session(session, |graph, now, ids| {
                let node = self.record_question(graph, query, now, ids);
                graph.rate_query(node.id, up);
                Ok(())
            })
            .await?;
        }
        self.act(async |act, ids| {
            let old = self.get(id).await?.filter(|m| m.deleted_at.is_none()).ok_or_else(|| missing(id))?;
            let new = sleep::judged(&old, up);
            Ok(tend(Action::Tend, vec![UpkeepChange { old, new }], Default::default(), act, ids))
        })
        .await?;
        self.stored(id).await?.ok_or_else(|| missing(id))
    }

    async fn reinforced_memories(&self, graph: &SessionGraph, now: Time) -> Result<Vec<UpkeepChange>> {
        let mut counts: BTreeMap<Id, u32> = BTreeMap::new();
        for id in &graph.found {
            *counts.entry(*id).or_default() += 1;
        }
        let ids: Vec<Id> = counts.keys().copied().collect();
        let mut found = self.store.found(&ids).await?;
        found.retain(|m| m.deleted_at.is_none());
        let change = |old: Memory| {
            let mut new = sleep::reinforced(&old, counts[&old.id], graph.last.min(now));
            if sleep::is_promotable(&new) {
                new.retention = Retention::Core;
                if new.storage_tier != StorageTier::Stub {
                    new.storage_tier = StorageTier::Hot;
                }
            }
            UpkeepChange { old, new }
        };
        Ok(found.into_iter().map(change).collect())
    }

    /// Loads questions, tags and summaries by their notes, if the index was loaded from a pack.
    pub(super) async fn read_nodes(&self) -> Result<()> {
        let noted = self.store.records(Shelf::Sleep, Some(NOTE_PREFIX), usize::MAX).await?;
        let here = noted.iter().map_while(|(key, _)| key.strip_prefix(NOTE_PREFIX));
        let ids: Vec<Id> = here.filter_map(|id| id.parse().ok()).collect();
        for ids in ids.chunks(PAGE) {
            let nodes = self.store.found(ids).await?;
            let (summaries, nodes): (Vec<_>, Vec<_>) =
                nodes.into_iter().partition(|m| m.node_type == NodeType::Summary);
            for summary in &summaries {
                self.mirror.nodes.borrow_mut().take(summary);
            }
            self.index_all(&nodes);
        }
        Ok(())
    }

    /// The stored record of a session and its graph, which is empty for a new session.
    async fn session(&self, name: &str) -> Result<(Option<Vec<u8>>, SessionGraph)> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Err(Error::field("session", "is not 1 to 64 of A–Z, a–z, 0–9, `-`, `_`, `.`"));
        }
        let stored = self.store.record(Shelf::Sessions, name).await?;
        let graph = stored.as_deref().map(parse_session).transpose()?;
        Ok((stored, graph.unwrap_or_else(|| SessionGraph::new(self.platform.now()))))
    }

    /// Changes the graph of a session, again if another call or tab has changed it meanwhile.
    async fn change_session<T>(
        &self,
        name: &str,
        change: impl Fn(&mut SessionGraph, Time, &mut Ids) -> Result<T>,
    ) -> Result<T> {
        retried(async || {
            let (stored, mut graph) = self.session(name).await?;
            let now = self.platform.now();
            let done = change(&mut graph, now, &mut Ids::new(now, self.platform.seed()))?;
            self.store.keep(vec![Record::json(Shelf::Sessions, name, &graph)?.over(stored)]).await?;
            Ok(done)
        })
        .await
    }

    /// The session records without the questions that found only memories in `gone`.
    pub(super) async fn without(&self, gone: &[Id]) -> Result<Vec<Record>> {
        let lost = |graph: &SessionGraph| -> Vec<Id> {
            let found = |e: &&Edge| e.kind == EdgeKind::Found;
            let by = graph.edges.iter().filter(found).filter(|e| gone.contains(&e.to)).map(|e| e.from);
            by.filter(|id| graph.edges.iter().filter(found).filter(|e| e.from == *id).all(|e| gone.contains(&e.to)))
                .collect()
        };
        let strip = |graph: &mut SessionGraph| {
            let lost = lost(graph);
            graph.nodes.retain(|n| !lost.contains(&n.id));
            graph.edges.retain(|e| !lost.contains(&e.from) && !gone.contains(&e.to));
            graph.found.retain(|id| !gone.contains(id));
            graph.untagged.retain(|id| !lost.contains(id));
        };
        let mut records = Vec::new();
        for (key, stored) in self.store.records(Shelf::Sessions, None, usize::MAX).await? {
            let mut graph = parse_session(&stored)?;
            strip(&mut graph);
            let record = Record::json(Shelf::Sessions, key, &graph)?;
            if record.value.as_ref() != Some(&stored) {
                records.push(record.over(Some(stored)));
            }
        }
        Ok(records)
    }

    /// Adds a question to a session, or raises the repeat count of an equal one ([`super::Options::tau_dup`]).
    pub async fn upsert_query(&self, text: &str, session: &str) -> Result<Memory> {
        sleep::checked("query", text)?;
        self.change_session(session, |graph, now, ids| Ok(self.record_question(graph, text, now, ids))).await
    }

    /// Adds a tag to a session, or raises the repeat count of the tag with the same canonical key.
    pub async fn upsert_tag(&self, name: &str, session: &str) -> Result<Memory> {
        sleep::checked("name", name)?;
        self.change_session(session, |graph, now, ids| Ok(graph.record_tag(name, now, ids))).await
    }

    /// Links a question of a session to one of its tags. Linking them again strengthens the edge.
    pub async fn link_tag_to_query(&self, tag: Id, query: Id, weight: f32, session: &str) -> Result<Edge> {
        Limits::unit("weight", weight)?;
        self.change_session(session, |graph, now, ids| {
            for (id, kind) in [(query, NodeType::Query), (tag, NodeType::Entity)] {
                graph.node(id).filter(|n| n.node_type == kind).ok_or_else(|| missing(id))?;
            }
            Ok(graph.link(EdgeKind::TaggedWith, query, tag, weight, now, ids))
        })
        .await
    }

    /// The edges of a node or a memory, in long-term memory or in a session.
    pub async fn edges_at(&self, id: Id, session: Option<&str>) -> Result<Vec<Edge>> {
        let Some(session) = session else { return self.store.edges(id).await };
        let mut edges = self.session(session).await?.1.edges;
        edges.retain(|e| e.from == id || e.to == id);
        Ok(edges)
    }

    /// Finds questions or tags, best first.
    pub async fn nodes(&self, query: &NodeQuery) -> Result<Vec<NodeHit>> {
        let kind = query.kind.unwrap_or(NodeType::Query);
        if !matches!(kind, NodeType::Query | NodeType::Entity | NodeType::Person) {
            return Err(Error::field("kind", "is not `query`, `entity` or `person`"));
        }
        let limit = query.limit.unwrap_or(20);
        Limits::range("limit", limit, (1, 1_000))?;
        let asked = match &query.text {
            Some(text) => {
                sleep::checked("text", text)?;
                Some((canonical_key(text), self.embedder.vector(text)))
            }
            None => None,
        };
        self.catch_up().await?;
        let now = self.platform.now();
        let score = |node: &Memory| {
            let rank = sleep::rank_of(node, now);
            let Some((key, asked)) = &asked else { return rank };
            let near = self.embedder.calibration().apply(cosine(asked, &self.embedder.vector(&node.content)));
            let likeness = if node.keywords.first() == Some(key) { 1.0 } else { near };
            0.7 * likeness + 0.3 * rank
        };
        let nodes = match &query.session {
            Some(session) => self.session(session).await?.1.nodes,
            None => self.mirror.nodes.borrow().rows.clone(),
        };
        let wanted = nodes.into_iter().filter(|n| n.node_type == kind && n.is_current());
        Ok(rank(wanted.map(|node| NodeHit { score: score(&node), node }).collect(), limit as usize, |h| {
            (h.score, h.node.id)
        }))
    }
}

const NOTE_PREFIX: &str = "node/";

pub(super) fn node_note(node: &Memory) -> Record {
    let value = (!node.is_forgotten()).then(Vec::new);
    Record { shelf: Shelf::Sleep, key: [NOTE_PREFIX, &node.id.to_string()].concat(), value, expect: None }
}

/// Whether a memory answers a question: it has at least half of the question's significant words.
fn answers_question(question: &str, memory: &Memory) -> bool {
    let keys = |text: &str| telling_keys(&Folded::new(text));
    let asked = keys(question);
    let mut said = keys(&memory.content);
    for name in memory.subject.iter().chain(&memory.entities).chain(&memory.people) {
        said.extend(keys(name));
    }
    let common = asked.iter().filter(|k| said.contains(k)).count();
    common > 0 && 2 * common >= asked.len()
}

pub(super) fn parse_session(stored: &[u8]) -> Result<SessionGraph> {
    let text =
        std::str::from_utf8(stored).map_err(|_| Error::new(Code::Corrupt, "a stored session is not valid UTF-8"))?;
    json::read(text, "session")
}

const MAX_LONG_TERM_NODES: usize = 4_000;

/// The long-term questions, tags and people, and the ids of all summaries.
#[derive(Debug, Default)]
pub(in crate::engine) struct Nodes {
    pub rows: Vec<Memory>,
    pub summaries: Vec<Id>,
}

impl Nodes {
    /// Adds a question or tag, or notes a summary. Returns whether `memory` is a node, which no search finds.
    pub fn take(&mut self, memory: &Memory) -> bool {
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
                self.rows.retain(|n| n.id != memory.id);
                self.rows.extend(memory.deleted_at.is_none().then(|| memory.clone()));
                true
            }
        }
    }

    pub fn is_summary(&self, id: Id) -> bool {
        self.summaries.binary_search(&id).is_ok()
    }

    pub fn tag(&self, key: &str) -> Option<&Memory> {
        self.node(NodeType::Entity, |k| k == key).or_else(|| self.node(NodeType::Entity, |k| is_one_tag(k, key)))
    }

    pub fn person(&self, key: &str) -> Option<&Memory> {
        self.node(NodeType::Person, |k| k == key)
    }

    fn node(&self, kind: NodeType, is_key: impl Fn(&str) -> bool) -> Option<&Memory> {
        let is = |n: &&Memory| n.node_type == kind && n.keywords.first().is_some_and(|k| is_key(k));
        self.rows.iter().find(is)
    }

    /// The names of the long-term tags, most used first.
    pub fn tag_names(&self) -> Vec<String> {
        let tags = self.rows.iter().filter(|n| n.node_type == NodeType::Entity);
        let mut tags: Vec<(u32, &str)> = tags.map(|n| (n.repeat, n.content.as_str())).collect();
        tags.sort_by(|a, b| b.cmp(a));
        tags.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    /// Whether another long-term tag may be created.
    pub fn has_room(&self) -> bool {
        self.rows.len() < MAX_LONG_TERM_NODES
    }
}

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
    pub limit: Option<u32>,
}
