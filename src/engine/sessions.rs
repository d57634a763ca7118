//! Questions, tags and sessions: what was asked, what it found, and what of a session is kept for good.
//!
//! A session's graph lives beside the memories and is written now and then; no search waits for the disk. What is
//! adopted, and what was found how often, is written once, when the session ends.

use super::day::Day;
use super::removing::missing;
use super::{Engine, Hit, MAX_ATTEMPTS, PAGE, Platform, outrun};
use crate::consolidation::{Act, Adopted, ChangeSet, Record, Shelf, Tended, adopt, tend};
use crate::embed::Embedder;
use crate::graph::{self, Young, canonical_key, same_query, stronger};
use crate::language::{Folded, tokens};
use crate::model::{Edge, EdgeKind, Id, Ids, Memory, NodeType, StorageTier, Time};
use crate::order::Within;
use crate::similarity::{cosine, rank};
use crate::store::Store;
use crate::{Code, Error, Result, json, order};
use serde::{Deserialize, Serialize};

/// Searches of a session after which its graph is written.
const WRITTEN_EVERY: u32 = 8;
/// Hits that a search reinforces.
const FOUND: usize = 3;
/// Tags of the long term beyond which no new ones are made.
const MOST_LONG_TAGS: usize = 4_000;

/// The questions and tags of the long term, which summaries there are, and the sessions under way.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub rows: Vec<Row>,
    pub summaries: Vec<Id>,
    live: Vec<Live>,
}

/// A question or a tag of the long term.
#[derive(Debug)]
pub(super) struct Row {
    pub node: Memory,
    pub vector: Option<Vec<f32>>,
}

/// A session under way in this engine.
#[derive(Debug)]
struct Live {
    name: String,
    young: Young,
    vectors: Vec<(Id, Vec<f32>)>,
    /// Searches since it was written.
    unwritten: u32,
}

impl Nodes {
    /// Takes a question or a tag, which no search of memories finds; notes a summary. Whether it was taken.
    pub fn take(&mut self, memory: &Memory, vector: Option<&[f32]>) -> bool {
        match memory.node_type {
            NodeType::Memory => false,
            NodeType::Summary => {
                if !self.is_summary(memory.id) {
                    self.summaries.push(memory.id);
                    order::sort(&mut self.summaries, Id::cmp);
                }
                false
            }
            NodeType::Query | NodeType::Entity | NodeType::Person => {
                let old = self.rows.iter().position(|r| r.node.id == memory.id).map(|at| self.rows.swap_remove(at));
                if memory.deleted_at.is_none() {
                    let vector = vector.map(<[f32]>::to_vec).or(old.and_then(|r| r.vector));
                    self.rows.push(Row { node: memory.clone(), vector });
                }
                true
            }
        }
    }

    /// Whether this is a summary.
    pub fn is_summary(&self, id: Id) -> bool {
        self.summaries.binary_search(&id).is_ok()
    }

    /// The tag of the long term with this key.
    pub fn tag(&self, key: &str) -> Option<&Memory> {
        let is = |n: &Memory| n.node_type == NodeType::Entity && n.keywords.first().is_some_and(|k| k == key);
        self.rows.iter().map(|r| &r.node).find(|n| is(n))
    }

    /// The names of the tags of the long term, those of most memories first.
    pub fn tag_names(&self) -> Vec<String> {
        let tags = self.rows.iter().map(|r| &r.node).filter(|n| n.node_type == NodeType::Entity);
        let mut tags: Vec<(u32, &str)> = tags.map(|n| (n.repeat, n.content.as_str())).collect();
        order::sort(&mut tags, |a, b| b.cmp(a));
        tags.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    /// Whether there is room for another tag of the long term.
    pub fn has_room(&self) -> bool {
        self.rows.len() < MOST_LONG_TAGS
    }
}

/// A question or a tag, and how well it fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct NodeHit {
    /// The node.
    pub node: Memory,
    /// .7 likeness + .3 rank where a text was given, else the rank; 0–1.
    pub score: f32,
}

/// Which nodes are wanted. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeQuery {
    /// `query` (where absent) or `entity`.
    pub kind: Option<NodeType>,
    /// What they should be like.
    pub text: Option<String>,
    /// Those of this session instead of the long term.
    pub session: Option<String>,
    /// At most this many; 20 where absent.
    pub k: Option<u32>,
}

/// What became of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Finalized {
    /// Questions that were adopted.
    pub queries: u32,
    /// Tags that were adopted with them.
    pub tags: u32,
    /// Memories that were found, and are remembered better.
    pub reinforced: u32,
    /// Questions and tags that were not worth keeping.
    pub dropped: u32,
    /// The log entries; none where there was nothing to write.
    pub entries: Vec<Id>,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Adds a question to a session, or raises the repeat of the one that says the same: an equal canonical key, or a
    /// cosine of at least [`graph::TAU_DUP`].
    ///
    /// # Errors
    /// A text without a word, or too long; a bad session name; those of the store and the embedder.
    pub async fn upsert_query(&self, text: &str, session: &str) -> Result<Memory> {
        graph::checked("text", text)?;
        self.load(session).await?;
        let vector = self.embed_one(text).await?;
        let (now, mut ids) = self.moment();
        let node = self.live(session, |live| {
            let vectors = &live.vectors;
            let of = |id: Id| vectors.iter().find(|(v, _)| *v == id).map(|(_, v)| v.as_slice());
            let nodes: Vec<(&Memory, Option<&[f32]>)> = live.young.nodes.iter().map(|n| (n, of(n.id))).collect();
            let same = same_query(text, &vector, &nodes);
            let node = live.young.ask(text, same, now, &mut ids);
            if same.is_none() {
                live.vectors.push((node.id, vector));
            }
            node
        })?;
        self.tag_locally(session, graph::WINDOW)?;
        self.written(session, false).await?;
        Ok(node)
    }

    /// Adds a tag to a session, or raises the repeat of the one with the same canonical key.
    ///
    /// # Errors
    /// A name without a word, or too long; a bad session name; those of the store.
    pub async fn upsert_tag(&self, name: &str, session: &str) -> Result<Memory> {
        graph::checked("name", name)?;
        self.load(session).await?;
        let (now, mut ids) = self.moment();
        self.live(session, |live| live.young.tag(name, now, &mut ids))
    }

    /// Ties a question of a session to a tag of it; tying again strengthens.
    ///
    /// # Errors
    /// [`Code::NotFound`] for ids that name no such nodes of the session; those of the store.
    pub async fn link_tag_to_query(&self, tag: Id, query: Id, weight: f32, session: &str) -> Result<Edge> {
        if !(0.0..=1.0).contains(&weight) {
            return Err(Error::field("weight", "is not a number from 0 to 1"));
        }
        self.load(session).await?;
        let (now, mut ids) = self.moment();
        self.live(session, |live| {
            let is = |id: Id, kind| live.young.node(id).is_some_and(|n| n.node_type == kind);
            match (is(query, NodeType::Query), is(tag, NodeType::Entity)) {
                (false, _) => Err(missing(query)),
                (_, false) => Err(missing(tag)),
                _ => Ok(live.young.link(EdgeKind::TaggedWith, query, tag, weight, now, &mut ids)),
            }
        })?
    }

    /// The edges at a node or a memory: those of the long term, or of a session.
    ///
    /// # Errors
    /// A bad session name; those of the store.
    pub async fn edges_at(&self, id: Id, session: Option<&str>) -> Result<Vec<Edge>> {
        let Some(session) = session else { return self.store.edges(id).await };
        self.load(session).await?;
        let at = |e: &&Edge| e.from == id || e.to == id;
        self.live(session, |live| live.young.edges.iter().filter(at).cloned().collect())
    }

    /// Questions or tags, best first: by likeness and rank.
    ///
    /// # Errors
    /// A bad option; those of the store and the embedder.
    pub async fn nodes(&self, query: &NodeQuery) -> Result<Vec<NodeHit>> {
        let kind = query.kind.unwrap_or(NodeType::Query);
        if !matches!(kind, NodeType::Query | NodeType::Entity) {
            return Err(Error::field("kind", "is not `query` or `entity`"));
        }
        let k = query.k.unwrap_or(20) as usize;
        if !(1..=1_000).contains(&k) {
            return Err(Error::field("k", "is not from 1 to 1000"));
        }
        let asked = match &query.text {
            Some(text) => {
                graph::checked("text", text)?;
                Some((canonical_key(text), self.embed_one(text).await?))
            }
            None => None,
        };
        self.catch_up().await?;
        let now = self.platform.now();
        let score = |node: &Memory, vector: Option<&[f32]>| {
            let rank = graph::rank_of(node, now);
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
                self.live(session, |live| {
                    for node in &live.young.nodes {
                        let vector = live.vectors.iter().find(|(id, _)| *id == node.id);
                        add(node, vector.map(|(_, v)| v.as_slice()));
                    }
                })?;
            }
            None => self.graph.borrow().rows.iter().for_each(|r| add(&r.node, r.vector.as_deref())),
        }
        Ok(rank(hits, k, |h| (h.score, h.node.id)))
    }

    /// Records a search: its question is a node of the session, and what it found will be remembered better.
    pub(super) async fn record(&self, text: &str, hits: &[Hit], session: &str) -> Result<()> {
        if canonical_key(text).is_empty() {
            return Ok(());
        }
        let query = self.upsert_query(text, session).await?;
        let (now, mut ids) = self.moment();
        let found = hits.first().is_some_and(|h| answers(text, &h.memory));
        self.live(session, |live| {
            live.young.searches += 1;
            live.young.hits += u32::from(found);
            live.unwritten += 1;
            // What shares no word with a question was shown, not found.
            for hit in hits.iter().take(FOUND).filter(|h| answers(text, &h.memory)) {
                live.young.found.push(hit.memory.id);
                live.young.link(EdgeKind::Found, query.id, hit.memory.id, hit.score.within(0.0, 1.0), now, &mut ids);
            }
        })?;
        self.written(session, false).await
    }

    /// The owner's word on a memory that was found: that it was useful, or not. `query` and `session` say by what.
    ///
    /// # Errors
    /// [`Code::NotFound`], and those of the store.
    pub async fn feedback(&self, id: Id, up: bool, query: Option<&str>, session: Option<&str>) -> Result<Memory> {
        if let (Some(query), Some(session)) = (query, session) {
            let node = self.upsert_query(query, session).await?;
            self.live(session, |live| live.young.judge(node.id, up))?;
        }
        let _turn = self.turn.lock().await;
        for _ in 0..MAX_ATTEMPTS {
            self.catch_up().await?;
            let (now, mut ids) = self.moment();
            let old = self
                .get(id)
                .await?
                .filter(|m| !m.is_forgotten() && m.deleted_at.is_none())
                .ok_or_else(|| missing(id))?;
            let new = graph::judged(&old, u32::from(up), u32::from(!up));
            let act = Act { user_id: &self.options.user_id, now, base: self.seen.get() };
            let mut set = tend(vec![Tended { old, new: new.clone() }], act, &mut ids);
            set.records.push(self.counted(now, &|day| if up { day.up += 1 } else { day.down += 1 }).await?);
            match self.commit(set).await {
                Ok(_) => return Ok(Memory { revision: new.revision + 1, updated_at: now, ..new }),
                Err(e) if e.code == Code::Conflict => {}
                Err(e) => return Err(e),
            }
        }
        Err(outrun())
    }

    /// Names the tags of what was asked in a session so far.
    ///
    /// # Errors
    /// A bad session name; those of the store.
    pub async fn wait_for_tagging(&self, session: &str) -> Result<Vec<Memory>> {
        self.load(session).await?;
        self.tag_locally(session, 1)?;
        self.written(session, true).await?;
        self.live(session, |live| {
            live.young.nodes.iter().filter(|n| n.node_type == NodeType::Entity).cloned().collect()
        })
    }

    /// Ends a session: its hot questions and their tags go over into the long term with their weights, and what it found
    /// is remembered better. All of it is one commit, which also removes the session; ending it again does nothing.
    ///
    /// # Errors
    /// A bad session name; those of the store.
    pub async fn finalize_session(&self, session: &str) -> Result<Finalized> {
        let now = self.platform.now();
        self.finalize_at(session, now).await
    }

    pub(super) async fn finalize_at(&self, session: &str, now: Time) -> Result<Finalized> {
        self.wait_for_tagging(session).await?;
        let _turn = self.turn.lock().await;
        for _ in 0..MAX_ATTEMPTS {
            self.catch_up().await?;
            let Some(stored) = self.store.record(Shelf::Sessions, session).await? else {
                self.graph.borrow_mut().live.retain(|l| l.name != session);
                return Ok(Finalized::default());
            };
            let young = read_young(&stored)?;
            let mut report = Finalized::default();
            let gone =
                Record { shelf: Shelf::Sessions, key: session.to_owned(), value: None, expect: Some(Some(stored)) };
            let set = self.adoption(&young, now, &mut report).await?;
            let done = match set {
                Some(mut set) => {
                    let (searches, hits) = (young.searches, young.hits);
                    let counted = move |day: &mut Day| {
                        day.searches += searches;
                        day.hits += hits;
                    };
                    set.records.extend([gone, self.counted(now, &counted).await?]);
                    report.entries.push(set.entry.id);
                    self.commit(set).await.map(drop)
                }
                None => self.store.keep(vec![gone]).await,
            };
            match done {
                Ok(()) => {
                    self.graph.borrow_mut().live.retain(|l| l.name != session);
                    return Ok(report);
                }
                Err(e) if e.code == Code::Conflict => {}
                Err(e) => return Err(e),
            }
        }
        Err(outrun())
    }

    /// What a session hands on, in one set; `None` where it asked nothing.
    async fn adoption(&self, young: &Young, now: Time, report: &mut Finalized) -> Result<Option<ChangeSet>> {
        let hot: Vec<Memory> = young.hot(now).into_iter().cloned().collect();
        let is_tagged =
            |n: &Memory, e: &Edge| e.kind == EdgeKind::TaggedWith && e.to == n.id && hot.iter().any(|q| q.id == e.from);
        let tags = young.nodes.iter().filter(|n| young.edges.iter().any(|e| is_tagged(n, e))).cloned();
        let kept: Vec<Memory> = hot.iter().cloned().chain(tags).collect();
        let mut ids = Ids::new(now, self.platform.seed());
        let (mut nodes, mut places): (Vec<Adopted>, Vec<(Id, Id)>) = (Vec::new(), Vec::new());
        let mut vectors = Vec::new();
        for node in &kept {
            let vector = match node.node_type {
                NodeType::Query => Some(self.embed_one(&node.content).await?),
                _ => None,
            };
            let known = self.long_term(node, vector.as_deref());
            // What the session was told twice in other words is adopted once.
            let id = known.as_ref().map_or(node.id, |m| m.id);
            places.push((node.id, id));
            if let Some((_, new)) = nodes.iter_mut().find(|(_, new)| new.id == id) {
                *new = Memory { revision: new.revision, ..graph::adopted(node, Some(new), now) };
                continue;
            }
            let new = graph::adopted(node, known.as_ref(), now);
            *(if node.node_type == NodeType::Query { &mut report.queries } else { &mut report.tags }) += 1;
            if let (None, Some(vector)) = (&known, vector) {
                vectors.push((new.id, Some(self.vector_of(vector))));
            }
            nodes.push((known, new));
        }
        report.dropped = (young.nodes.len() - kept.len()) as u32;
        let place = |id: Id| places.iter().find(|(from, _)| *from == id).map(|(_, to)| *to);
        let found = self.found(young, now).await?;
        let mut edges: Vec<Edge> = Vec::new();
        for edge in &young.edges {
            let to = if edge.kind == EdgeKind::Found {
                found.iter().find(|t| t.old.id == edge.to).map(|t| t.old.id)
            } else {
                place(edge.to)
            };
            let (Some(from), Some(to)) = (place(edge.from), to) else { continue };
            let same = |e: &Edge| (e.kind, e.from, e.to) == (edge.kind, from, to);
            let known = self.store.edges(from).await?.into_iter().find(|e| same(e));
            match edges.iter_mut().find(|e| same(e)) {
                Some(e) => e.weight = stronger(e.weight, edge.weight),
                None => edges.push(match known {
                    Some(e) => Edge { weight: stronger(e.weight, edge.weight), ..e },
                    None => Edge { id: ids.mint(), from, to, ..edge.clone() },
                }),
            }
        }
        report.reinforced = found.len() as u32;
        if nodes.is_empty() && found.is_empty() && young.searches == 0 {
            return Ok(None);
        }
        let act = Act { user_id: &self.options.user_id, now, base: self.seen.get() };
        let mut set = adopt(nodes, edges, act, &mut ids);
        set.vectors = vectors;
        let counters = tend(found, act, &mut ids);
        set.entry.before.extend(counters.entry.before);
        set.entry.touched.extend(counters.entry.touched);
        set.expect.extend(counters.expect);
        set.memories.extend(counters.memories);
        Ok(Some(set))
    }

    /// What a session found, as it will be remembered.
    async fn found(&self, young: &Young, now: Time) -> Result<Vec<Tended>> {
        let mut counts: Vec<(Id, u32)> = Vec::new();
        for id in &young.found {
            match counts.iter_mut().find(|(known, _)| known == id) {
                Some((_, times)) => *times += 1,
                None => counts.push((*id, 1)),
            }
        }
        let ids: Vec<Id> = counts.iter().map(|(id, _)| *id).collect();
        let stored = self.store.memories(&ids).await?.into_iter().zip(counts);
        let alive = stored.filter_map(|(m, (_, times))| Some((m.filter(|m| m.deleted_at.is_none())?, times)));
        Ok(alive
            .map(|(old, times)| {
                let mut new = graph::reinforced(&old, times, young.last.min(now));
                if graph::is_promotable(&new) {
                    new.retention = crate::model::Retention::Core;
                    new.storage_tier =
                        if new.storage_tier == StorageTier::Stub { StorageTier::Stub } else { StorageTier::Hot };
                }
                Tended { old, new }
            })
            .collect())
    }

    /// Reads the questions, tags and summaries by their notes, where the index came packed and no memory was read.
    pub(super) async fn read_nodes(&self) -> Result<()> {
        let mut after = NOTED.to_owned();
        loop {
            let page = self.store.records(Shelf::Sleep, Some(&after), PAGE).await?;
            let here: Vec<&str> = page.iter().filter_map(|(key, _)| key.strip_prefix(NOTED)).collect();
            let end = here.len() < PAGE;
            let ids: Vec<Id> = here.iter().filter_map(|id| id.parse().ok()).collect();
            let nodes: Vec<Memory> = self.store.memories(&ids).await?.into_iter().flatten().collect();
            let (summaries, nodes) = nodes.into_iter().partition(|m| m.node_type == NodeType::Summary);
            let (summaries, nodes): (Vec<Memory>, Vec<Memory>) = (summaries, nodes);
            for summary in &summaries {
                self.graph.borrow_mut().take(summary, None);
            }
            self.index_all(&nodes).await?;
            match page.last() {
                Some((key, _)) if !end => after.clone_from(key),
                _ => return Ok(()),
            }
        }
    }

    /// The node of the long term that a young one is.
    fn long_term(&self, node: &Memory, vector: Option<&[f32]>) -> Option<Memory> {
        let graph = self.graph.borrow();
        match (node.node_type, vector) {
            (NodeType::Query, Some(vector)) => {
                let rows: Vec<(&Memory, Option<&[f32]>)> =
                    graph.rows.iter().map(|r| (&r.node, r.vector.as_deref())).collect();
                same_query(&node.content, vector, &rows).map(|at| rows[at].0.clone())
            }
            _ => graph.tag(node.keywords.first().map_or("", String::as_str)).cloned(),
        }
    }

    /// Names tags by rule once so many questions wait for them.
    fn tag_locally(&self, session: &str, least: usize) -> Result<()> {
        let (now, mut ids) = self.moment();
        let graph = &mut *self.graph.borrow_mut();
        let Some(at) = graph.live.iter().position(|l| l.name == session) else { return Ok(()) };
        if graph.live[at].young.untagged.len() < least {
            return Ok(());
        }
        let waiting = std::mem::take(&mut graph.live[at].young.untagged);
        let young = &graph.live[at].young;
        let batch: Vec<&Memory> = waiting.iter().filter_map(|id| young.node(*id)).collect();
        let known = |key: &str| {
            graph.tag(key).is_some()
                || young
                    .nodes
                    .iter()
                    .any(|n| n.node_type == NodeType::Entity && n.keywords.first().is_some_and(|k| k == key))
        };
        let found = graph::tags(&batch, &known, 1.5, graph::MOST_TAGS);
        let of: Vec<Id> = batch.iter().map(|n| n.id).collect();
        let young = &mut graph.live[at].young;
        for tag in found {
            let node = young.tag(&tag.name, now, &mut ids);
            for text in tag.texts {
                young.link(EdgeKind::TaggedWith, of[text], node.id, 0.5, now, &mut ids);
            }
        }
        Ok(())
    }

    /// Reads a session into memory, or begins it.
    async fn load(&self, session: &str) -> Result<()> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if session.is_empty() || session.len() > 64 || !session.chars().all(plain) {
            return Err(Error::field("session", "is not 1 to 64 of A–Z, a–z, 0–9, `-`, `_`, `.`"));
        }
        if self.graph.borrow().live.iter().any(|l| l.name == session) {
            return Ok(());
        }
        let young = match self.store.record(Shelf::Sessions, session).await? {
            Some(stored) => read_young(&stored)?,
            None => Young::new(self.platform.now()),
        };
        let mut vectors = Vec::new();
        for node in young.nodes.iter().filter(|n| n.node_type == NodeType::Query) {
            vectors.push((node.id, self.embed_one(&node.content).await?));
        }
        let live = Live { name: session.to_owned(), young, vectors, unwritten: 0 };
        let mut graph = self.graph.borrow_mut();
        // Another call may have been faster.
        if graph.live.iter().all(|l| l.name != session) {
            graph.live.push(live);
        }
        Ok(())
    }

    fn live<T>(&self, session: &str, work: impl FnOnce(&mut Live) -> T) -> Result<T> {
        let mut graph = self.graph.borrow_mut();
        let live = graph.live.iter_mut().find(|l| l.name == session);
        live.map(work).ok_or_else(|| Error::new(Code::Conflict, "the session was ended meanwhile"))
    }

    /// Writes a session's graph, now or where enough was asked since it was written.
    async fn written(&self, session: &str, now: bool) -> Result<()> {
        let text = self.live(session, |live| {
            let due = now || live.unwritten >= WRITTEN_EVERY;
            if due {
                live.unwritten = 0;
            }
            due.then(|| json::write(&live.young))
        })?;
        let Some(text) = text.transpose()? else { return Ok(()) };
        let record =
            Record { shelf: Shelf::Sessions, key: session.to_owned(), value: Some(text.into_bytes()), expect: None };
        self.store.keep(vec![record]).await
    }

    /// The sessions without the questions that found nothing but what goes, as they will be kept.
    pub(super) async fn without(&self, gone: &[Id]) -> Result<Vec<Record>> {
        let lost = |young: &Young| -> Vec<Id> {
            let found = |e: &&Edge| e.kind == EdgeKind::Found;
            let by = young.edges.iter().filter(found).filter(|e| gone.contains(&e.to)).map(|e| e.from);
            by.filter(|id| young.edges.iter().filter(found).filter(|e| e.from == *id).all(|e| gone.contains(&e.to)))
                .collect()
        };
        let strip = |young: &mut Young| {
            let lost = lost(young);
            young.nodes.retain(|n| !lost.contains(&n.id));
            young.edges.retain(|e| !lost.contains(&e.from) && !gone.contains(&e.to));
            young.found.retain(|id| !gone.contains(id));
            young.untagged.retain(|id| !lost.contains(id));
        };
        for live in &mut self.graph.borrow_mut().live {
            strip(&mut live.young);
        }
        let mut records = Vec::new();
        for (key, stored) in self.store.records(Shelf::Sessions, None, usize::MAX).await? {
            let mut young = read_young(&stored)?;
            strip(&mut young);
            let value = Some(json::write(&young)?.into_bytes());
            if value.as_ref() != Some(&stored) {
                records.push(Record { shelf: Shelf::Sessions, key, value, expect: Some(Some(stored)) });
            }
        }
        Ok(records)
    }

    /// The time, and a source of ids for it.
    fn moment(&self) -> (Time, Ids) {
        let now = self.platform.now();
        (now, Ids::new(now, self.platform.seed()))
    }

    /// A vector as it is stored.
    pub(super) fn vector_of(&self, values: Vec<f32>) -> crate::consolidation::Vector {
        crate::consolidation::Vector { model: self.embedder.model().into(), values }
    }
}

/// Under which names the nodes that are no memories are noted.
const NOTED: &str = "node/";

/// The note that there is a question, a tag or a summary.
pub(super) fn noted(node: &Memory) -> Record {
    let value = (!node.is_forgotten()).then(Vec::new);
    Record { shelf: Shelf::Sleep, key: [NOTED, &node.id.to_string()].concat(), value, expect: None }
}

/// Whether a memory speaks of what a question asks: half of its words that say anything stand in it.
fn answers(question: &str, memory: &Memory) -> bool {
    let keys =
        |text: &str| -> Vec<u64> { tokens(&Folded::new(text)).iter().filter(|t| !t.stop).map(|t| t.key).collect() };
    let asked = keys(question);
    let mut said = keys(&memory.content);
    for name in memory.subject.iter().chain(&memory.entities).chain(&memory.people) {
        said.extend(keys(name));
    }
    let common = asked.iter().filter(|k| said.contains(k)).count();
    common > 0 && 2 * common >= asked.len()
}

/// Reads a stored session.
pub(super) fn read_young(stored: &[u8]) -> Result<Young> {
    let text = std::str::from_utf8(stored).map_err(|_| Error::new(Code::Corrupt, "a session is not text"))?;
    json::read(text, "session")
}
