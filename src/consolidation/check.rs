//! Checks the invariants of a whole store.

use super::{Action, LogEntry};
use crate::model::{Edge, EdgeKind, Generation, Id, Memory};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// An invariant of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Adjacent versions reference each other, and their numbers ascend to one head.
    Chain,
    /// Referenced memories exist.
    Reference,
    /// Both ends of an edge exist.
    Edge,
    /// Forgotten memories are erased completely.
    Forgotten,
    /// The log is numbered from 1 without a gap.
    Sequence,
    /// No log entry was changed, removed or inserted.
    Seal,
    /// Each idempotency key belongs to one entry.
    HandledOnce,
    /// The memories that an entry wrote exist.
    Written,
    /// The counters add up.
    Counter,
    /// The sources of a summary are current, and every archived memory has a summary.
    Summary,
}

/// A violated invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The invariant.
    pub rule: Rule,
    /// The memory, edge or entry that violates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// One sentence for people.
    pub message: String,
}

fn problem(rule: Rule, id: Id, message: impl Into<String>) -> Problem {
    Problem { rule, id: Some(id), message: message.into() }
}

/// Checks a store, sorted by id and number, step by step, so that the caller can pause.
pub fn check<'a>(
    memories: &'a [Memory],
    edges: &'a [Edge],
    log: &'a [LogEntry],
) -> impl Iterator<Item = Vec<Problem>> + 'a {
    let by_id: Rc<HashMap<Id, &Memory>> = Rc::new(memories.iter().map(|m| (m.id, m)).collect());
    let (for_memories, for_edges, for_log) = (by_id.clone(), by_id.clone(), by_id.clone());
    let each_memory = memories.iter().map(move |m| check_memory(m, &for_memories, log));
    let each_edge = edges.iter().map(move |e| check_edge(e, &for_edges));
    let summaries = std::iter::once_with(move || check_summaries(memories, edges, &by_id));
    let (mut previous, mut keys) = ("", HashSet::new());
    let each_entry = (1..).zip(log).map(move |(due, e)| {
        let mut found = check_entry(e, &for_log);
        if e.seq != due {
            found.push(problem(Rule::Sequence, e.id, format!("has the number {} where {due} is due", e.seq)));
        }
        if !e.follows(std::mem::replace(&mut previous, &e.hash)) {
            found.push(problem(Rule::Seal, e.id, "was changed, or the entry before it was"));
        }
        if e.key.as_deref().is_some_and(|key| !keys.insert(key)) {
            found.push(problem(Rule::HandledOnce, e.id, "has the key of an earlier entry"));
        }
        found
    });
    each_memory.chain(each_edge).chain(summaries).chain(each_entry)
}

fn check_edge(e: &Edge, by_id: &HashMap<Id, &Memory>) -> Vec<Problem> {
    let wrong = |end: Id| match by_id.get(&end) {
        None => Some(problem(Rule::Edge, e.id, format!("leads to {end}, which is missing"))),
        Some(m) if m.is_forgotten() => Some(problem(Rule::Edge, e.id, format!("leads to {end}, which is forgotten"))),
        Some(_) => None,
    };
    [e.from, e.to].into_iter().filter_map(wrong).collect()
}

fn check_entry(e: &LogEntry, by_id: &HashMap<Id, &Memory>) -> Vec<Problem> {
    let mut found = Vec::new();
    for id in e.touched.iter().chain(&e.memory_id).filter(|id| !by_id.contains_key(id)) {
        found.push(problem(Rule::Written, e.id, format!("wrote {id}, which is missing")));
    }
    if e.action == Action::Forget && e.written().any(|id| by_id.get(&id).is_some_and(|m| !m.is_forgotten())) {
        found.push(problem(Rule::Forgotten, e.id, "forgot a memory that is there again"));
    }
    found
}

fn check_summaries(memories: &[Memory], edges: &[Edge], by_id: &HashMap<Id, &Memory>) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut held: HashSet<Id> = HashSet::new();
    for e in edges.iter().filter(|e| e.kind == EdgeKind::ConsolidatedInto) {
        let (Some(source), Some(summary)) = (by_id.get(&e.from), by_id.get(&e.to)) else { continue };
        if !summary.is_current() {
            continue;
        }
        held.insert(source.id);
        if !source.is_current() {
            let message = format!("stands for {}, which is not known any more", source.id);
            found.push(problem(Rule::Summary, summary.id, message));
        }
    }
    for m in memories.iter().filter(|m| m.generation == Generation::Archived && m.is_current()) {
        if !held.contains(&m.id) {
            found.push(problem(Rule::Summary, m.id, "is archived, and no summary stands for it"));
        }
    }
    found
}

fn check_memory(m: &Memory, by_id: &HashMap<Id, &Memory>, log: &[LogEntry]) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut chain = |other: Id, back: Option<Id>, ascends: bool| {
        if back != Some(m.id) || !ascends {
            found.push(problem(Rule::Chain, m.id, format!("and {other} do not follow each other")));
        }
    };
    let mut missing = None;
    for (name, id) in [
        ("previousVersionId", m.previous_version_id),
        ("supersededBy", m.superseded_by),
        ("contradictedBy", m.contradicted_by),
    ] {
        let Some(id) = id else { continue };
        match (name, by_id.get(&id)) {
            (_, None) => missing = Some(problem(Rule::Reference, m.id, format!("`{name}` is {id}, which is missing"))),
            ("previousVersionId", Some(p)) => chain(id, p.superseded_by, p.version + 1 == m.version),
            ("supersededBy", Some(n)) if n.previous_version_id.is_none_or(|p| p == m.id) => {
                chain(id, n.previous_version_id, m.version + 1 == n.version);
            }
            // A version may supersede heads of other chains if one entry touched both.
            ("supersededBy", Some(n)) => {
                let together = log.iter().any(|e| e.touched.contains(&m.id) && e.touched.contains(&n.id));
                chain(id, Some(m.id), together && has_head(n, by_id));
            }
            _ => {}
        }
    }
    if m.previous_version_id.is_none() && m.version != 1 {
        found.push(problem(Rule::Chain, m.id, format!("is version {} with none before it", m.version)));
    }
    found.extend(missing);
    if m.is_forgotten() && *m != (Memory { revision: m.revision, ..m.forgotten(m.updated_at) }) {
        found.push(problem(Rule::Forgotten, m.id, "is forgotten, but not all of it"));
    }
    found
}

/// Whether the sequence of superseding versions ends.
fn has_head(m: &Memory, by_id: &HashMap<Id, &Memory>) -> bool {
    let mut line = std::iter::successors(Some(m), |m| by_id.get(&m.superseded_by?).copied());
    line.nth(by_id.len()).is_none()
}
