//! Records the questions, tags and hits of sessions in a side record, so that no search waits for storage, and
//! adopts the useful ones when the session ends.

use super::removing::missing;
use super::{Engine, Hit, PAGE};
use crate::consolidation::{Record, Shelf, UpkeepChange, tend};
use crate::language::{Folded, telling_keys};
use crate::model::{Edge, EdgeKind, Id, Ids, Memory, NodeType, Retention, StorageTier, Time};
use crate::similarity::{cosine, rank};
use crate::sleep::{SessionGraph, canonical_key, is_one_tag, same_query};
use crate::{Code, Error, Result, json, sleep};
pub use ending::Finalized;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod ending;

/// The searches between two writes of a session's graph. The first search writes it too.
const WRITE_INTERVAL: u32 = 8;
const MAX_REINFORCED_HITS: usize = 3;

impl Engine {
    /// Records a search: its question becomes a session node, and its hits are reinforced later.
    pub(super) async fn record(&self, text: &str, hits: &[Hit], session: &str) -> Result<()> {
        if canonical_key(text).is_empty() {
            return Ok(());
        }
        let query = self.upsert_query(text, session).await?;
        let (now, mut ids) = self.moment();
        let found = hits.first().is_some_and(|h| answers_question(text, &h.memory));
        self.with_session(session, |open| {
            open.graph.searches += 1;
            open.graph.hits += u32::from(found);
            open.unwritten += 1;
            // A hit without a common word was shown, not found.
            for hit in hits.iter().take(MAX_REINFORCED_HITS).filter(|h| answers_question(text, &h.memory)) {
                open.graph.found.push(hit.memory.id);
                open.graph.link(EdgeKind::Found, query.id, hit.memory.id, hit.score.clamp(0.0, 1.0), now, &mut ids);
            }
        })?;
        self.write_session(session, false).await
    }

    /// Records the owner's rating of a memory. `query` and `session` name the search that found it.
    pub async fn feedback(&self, id: Id, up: bool, query: Option<&str>, session: Option<&str>) -> Result<Memory> {
        if let (Some(query), Some(session)) = (query, session) {
            let node = self.upsert_query(query, session).await?;
            self.with_session(session, |open| open.graph.rate_query(node.id, up))?;
        }
        self.act(async |act, ids| {
            let old = self.get(id).await?.filter(|m| m.deleted_at.is_none()).ok_or_else(|| missing(id))?;
            let new = sleep::judged(&old, u32::from(up), u32::from(!up));
            Ok(tend(vec![UpkeepChange { old, new }], act, ids))
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
                self.mirror.nodes.borrow_mut().take(summary, None);
            }
            self.index_all(&nodes);
        }
        Ok(())
    }

    async fn load(&self, session: &str) -> Result<()> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if session.is_empty() || session.len() > 64 || !session.chars().all(plain) {
            return Err(Error::field("session", "is not 1 to 64 of A–Z, a–z, 0–9, `-`, `_`, `.`"));
        }
        if self.mirror.nodes.borrow().open_sessions.iter().any(|l| l.name == session) {
            return Ok(());
        }
        let graph = match self.store.record(Shelf::Sessions, session).await? {
            Some(stored) => parse_session(&stored)?,
            None => SessionGraph::new(self.platform.now()),
        };
        let mut vectors = Vec::new();
        for node in graph.nodes.iter().filter(|n| n.node_type == NodeType::Query) {
            vectors.push((node.id, self.embedder.vector(&node.content)));
        }
        let open = OpenSession { name: session.to_owned(), graph, vectors, unwritten: 0 };
        let mut nodes = self.mirror.nodes.borrow_mut();
        // Another call may have loaded it meanwhile.
        if nodes.open_sessions.iter().all(|l| l.name != session) {
            nodes.open_sessions.push(open);
        }
        Ok(())
    }

    fn with_session<T>(&self, session: &str, work: impl FnOnce(&mut OpenSession) -> T) -> Result<T> {
        let mut nodes = self.mirror.nodes.borrow_mut();
        let open = nodes.open_sessions.iter_mut().find(|l| l.name == session);
        open.map(work).ok_or_else(|| Error::new(Code::Conflict, "the session has ended"))
    }

    /// Writes a session's graph, if `now` is set or enough searches were added.
    async fn write_session(&self, session: &str, now: bool) -> Result<()> {
        let record = self.with_session(session, |open| {
            let first = open.graph.searches == 1 && open.unwritten > 0;
            let due = now || first || open.unwritten >= WRITE_INTERVAL;
            if due {
                open.unwritten = 0;
            }
            due.then(|| Record::json(Shelf::Sessions, session, &open.graph))
        })?;
        match record.transpose()? {
            Some(record) => self.store.keep(vec![record]).await,
            None => Ok(()),
        }
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
        for open in &mut self.mirror.nodes.borrow_mut().open_sessions {
            strip(&mut open.graph);
        }
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

    fn moment(&self) -> (Time, Ids) {
        let now = self.platform.now();
        (now, Ids::new(now, self.platform.seed()))
    }

    /// Adds a question to a session, or raises the repeat count of an equal one ([`super::Options::tau_dup`]).
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
        let limit = query.limit.unwrap_or(20) as usize;
        if !(1..=1_000).contains(&limit) {
            return Err(Error::field("limit", "is not from 1 to 1000"));
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
        Ok(rank(hits, limit, |h| (h.score, h.node.id)))
    }
}

/// The key prefix of notes on questions, tags and summaries.
const NOTE_PREFIX: &str = "node/";

/// The note that a question, a tag or a summary exists.
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

#[derive(Debug, Default)]
pub(in crate::engine) struct Nodes {
    pub rows: Vec<NodeRow>,
    pub summaries: Vec<Id>,
    pub(super) open_sessions: Vec<OpenSession>,
}

#[derive(Debug)]
pub(in crate::engine) struct NodeRow {
    pub node: Memory,
    pub vector: Option<Vec<f32>>,
}

#[derive(Debug)]
pub(super) struct OpenSession {
    pub(super) name: String,
    pub(super) graph: SessionGraph,
    pub(super) vectors: Vec<(Id, Vec<f32>)>,
    /// Searches since it was last written.
    pub(super) unwritten: u32,
}

impl Nodes {
    /// Adds a question or tag, or notes a summary. Returns whether `memory` is a node, which no search finds.
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
        self.rows.iter().map(|r| &r.node).find(is)
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
