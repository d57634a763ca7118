//! Ends a session and adopts its useful nodes into long-term memory.

use super::parse_session;
use crate::Result;
use crate::consolidation::{Act, Action, AdoptedNode, ChangeSet, Record, Shelf, tend};
use crate::engine::Engine;
use crate::engine::budget::Day;
use crate::model::{Edge, EdgeKind, Id, Ids, Memory, NodeType, Time};
use crate::sleep::{self, SessionGraph, combine_weights, same_query};
use serde::Serialize;

/// The result of ending a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Finalized {
    /// Questions that were adopted.
    pub queries: u32,
    /// Tags that were adopted with them.
    pub tags: u32,
    /// Found memories that were reinforced.
    pub reinforced: u32,
    /// Questions and tags that were dropped.
    pub dropped: u32,
    /// The log entries; empty if there was nothing to write.
    pub entries: Vec<Id>,
}

impl Engine {
    /// Tags the session's questions so far and returns its tags.
    pub async fn wait_for_tagging(&self, session: &str) -> Result<Vec<Memory>> {
        self.change_session(session, |graph, now, ids| {
            self.tag_questions(graph, 1, now, ids);
            Ok(graph.nodes.iter().filter(|n| n.node_type == NodeType::Entity).cloned().collect())
        })
        .await
    }

    /// Ends a session in one commit: adopts its hot questions and their tags, and reinforces found memories.
    pub async fn finalize_session(&self, session: &str) -> Result<Finalized> {
        let now = self.platform.now();
        self.finalize_at(session, now).await
    }

    pub(in crate::engine) async fn finalize_at(&self, session: &str, now: Time) -> Result<Finalized> {
        self.wait_for_tagging(session).await?;
        let mut report = Finalized::default();
        let plan = async |act: Act<'_>, ids: &mut Ids| {
            report = Finalized::default();
            let Some(stored) = self.store.record(Shelf::Sessions, session).await? else { return Ok(None) };
            let graph = parse_session(&stored)?;
            let gone = Record::gone(Shelf::Sessions, session).over(Some(stored));
            let Some(mut set) = self.plan_adoption(&graph, act, ids, &mut report).await? else {
                self.store.keep(vec![gone]).await?;
                return Ok(None);
            };
            let counted = |day: &mut Day| {
                day.searches += graph.searches;
                day.hits += graph.hits;
            };
            set.records.extend([gone, self.counted(now, &counted).await?]);
            report.entries.push(set.entry.id);
            Ok(Some(set))
        };
        self.act_if(|| now, plan).await?;
        Ok(report)
    }

    /// The change set of a session's end; `None` if nothing was asked.
    async fn plan_adoption(
        &self,
        graph: &SessionGraph,
        act: Act<'_>,
        ids: &mut Ids,
        report: &mut Finalized,
    ) -> Result<Option<ChangeSet>> {
        let now = act.now;
        let hot: Vec<Memory> = graph.adoption_candidates(now).into_iter().cloned().collect();
        let is_tagged =
            |n: &Memory, e: &Edge| e.kind == EdgeKind::TaggedWith && e.to == n.id && hot.iter().any(|q| q.id == e.from);
        let tags = graph.nodes.iter().filter(|n| graph.edges.iter().any(|e| is_tagged(n, e))).cloned();
        let kept: Vec<Memory> = hot.iter().cloned().chain(tags).collect();
        let (mut nodes, mut places): (Vec<AdoptedNode>, Vec<(Id, Id)>) = (Vec::new(), Vec::new());
        for node in &kept {
            let known = self.long_term(node);
            // Several session nodes may equal one long-term node, which is adopted once.
            let id = known.as_ref().map_or(node.id, |m| m.id);
            places.push((node.id, id));
            if let Some((_, new)) = nodes.iter_mut().find(|(_, new)| new.id == id) {
                *new = Memory { revision: new.revision, ..sleep::adopt_node(node, Some(new), now) };
                continue;
            }
            let new = sleep::adopt_node(node, known.as_ref(), now);
            *(if node.node_type == NodeType::Query { &mut report.queries } else { &mut report.tags }) += 1;
            nodes.push((known, new));
        }
        report.dropped = (graph.nodes.len() - kept.len()) as u32;
        let place = |id: Id| places.iter().find(|(from, _)| *from == id).map(|(_, to)| *to);
        let found = self.reinforced_memories(graph, now).await?;
        let mut edges: Vec<Edge> = Vec::new();
        for edge in &graph.edges {
            let to = if edge.kind == EdgeKind::Found {
                found.iter().find(|t| t.old.id == edge.to).map(|t| t.old.id)
            } else {
                place(edge.to)
            };
            let (Some(from), Some(to)) = (place(edge.from), to) else { continue };
            let same = |e: &Edge| (e.kind, e.from, e.to) == (edge.kind, from, to);
            let known = self.store.edges(from).await?.into_iter().find(|e| same(e));
            match edges.iter_mut().find(|e| same(e)) {
                Some(e) => e.weight = combine_weights(e.weight, edge.weight),
                None => edges.push(match known {
                    Some(e) => Edge { weight: combine_weights(e.weight, edge.weight), ..e },
                    None => Edge { id: ids.mint(), from, to, ..edge.clone() },
                }),
            }
        }
        report.reinforced = found.len() as u32;
        if nodes.is_empty() && found.is_empty() && graph.searches == 0 {
            return Ok(None);
        }
        Ok(Some(tend(Action::Adopt, found, (nodes, edges), act, ids)))
    }

    fn long_term(&self, node: &Memory) -> Option<Memory> {
        let nodes = self.mirror.nodes.borrow();
        let vector = |text: &str| self.embedder.vector(text);
        match node.node_type {
            NodeType::Query => same_query(&node.content, nodes.rows.iter(), self.options.tau_dup, &vector).cloned(),
            _ => nodes.tag(node.keywords.first().map_or("", String::as_str)).cloned(),
        }
    }

    /// Tags questions by rule once `least` of them wait.
    pub(super) fn tag_questions(&self, graph: &mut SessionGraph, least: usize, now: Time, ids: &mut Ids) {
        if graph.untagged.len() < least {
            return;
        }
        let waiting = std::mem::take(&mut graph.untagged);
        let batch: Vec<&Memory> = waiting.iter().filter_map(|id| graph.node(*id)).collect();
        let nodes = self.mirror.nodes.borrow();
        let known = |key: &str| {
            let is_it = |n: &Memory| n.node_type == NodeType::Entity && n.keywords.first().is_some_and(|k| k == key);
            nodes.tag(key).is_some() || graph.nodes.iter().any(is_it)
        };
        let found = sleep::tags(&batch, &known, 1.5, self.options.tagging.max_tags_per_batch as usize);
        let of: Vec<Id> = batch.iter().map(|n| n.id).collect();
        for tag in found {
            let node = graph.record_tag(&tag.name, now, ids);
            for text in tag.texts {
                graph.link(EdgeKind::TaggedWith, of[text], node.id, 0.5, now, ids);
            }
        }
    }
}
