//! Checks the invariants of a whole store.

use super::{Action, LogEntry};
use crate::model::{Edge, EdgeKind, Generation, Id, Memory};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

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

/// All violations in a store. Memories are sorted by id, log entries by number.
pub fn check(memories: &[Memory], edges: &[Edge], log: &[LogEntry]) -> Vec<Problem> {
    let by_id: HashMap<Id, &Memory> = memories.iter().map(|m| (m.id, m)).collect();
    let (mut found, mut keys) = (Vec::new(), HashSet::new());
    for m in memories {
        check_memory(m, &by_id, log, &mut found);
    }
    for e in edges {
        for end in [e.from, e.to] {
            match by_id.get(&end) {
                None => found.push(problem(Rule::Edge, e.id, format!("leads to {end}, which is missing"))),
                Some(m) if m.is_forgotten() => {
                    found.push(problem(Rule::Edge, e.id, format!("leads to {end}, which is forgotten")));
                }
                Some(_) => {}
            }
        }
    }
    check_summaries(memories, edges, &by_id, &mut found);
    let mut previous = "";
    for (due, e) in (1..).zip(log) {
        if e.seq != due {
            found.push(problem(Rule::Sequence, e.id, format!("has the number {} where {due} is due", e.seq)));
        }
        if !e.follows(previous) {
            found.push(problem(Rule::Seal, e.id, "was changed, or the entry before it was"));
        }
        previous = &e.hash;
        if e.key.as_deref().is_some_and(|key| !keys.insert(key)) {
            found.push(problem(Rule::HandledOnce, e.id, "has the key of an earlier entry"));
        }
        for id in e.touched.iter().chain(&e.memory_id).filter(|id| !by_id.contains_key(id)) {
            found.push(problem(Rule::Written, e.id, format!("wrote {id}, which is missing")));
        }
        if e.action == Action::Forget && e.written().any(|id| by_id.get(&id).is_some_and(|m| !m.is_forgotten())) {
            found.push(problem(Rule::Forgotten, e.id, "forgot a memory that is there again"));
        }
    }
    found
}

fn check_summaries(memories: &[Memory], edges: &[Edge], by_id: &HashMap<Id, &Memory>, found: &mut Vec<Problem>) {
    let mut held: HashSet<Id> = HashSet::new();
    for e in edges.iter().filter(|e| e.kind == EdgeKind::ConsolidatedInto) {
        let (Some(source), Some(summary)) = (by_id.get(&e.from), by_id.get(&e.to)) else { continue };
        if !summary.is_current() {
            continue;
        }
        held.insert(source.id);
        if !source.is_current() {
            found.push(problem(
                Rule::Summary,
                summary.id,
                format!("stands for {}, which is not known any more", source.id),
            ));
        }
    }
    for m in memories.iter().filter(|m| m.generation == Generation::Archived && m.is_current()) {
        if !held.contains(&m.id) {
            found.push(problem(Rule::Summary, m.id, "is archived, and no summary stands for it"));
        }
    }
}

fn check_memory(m: &Memory, by_id: &HashMap<Id, &Memory>, log: &[LogEntry], found: &mut Vec<Problem>) {
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
}

/// Whether the sequence of superseding versions ends.
fn has_head(m: &Memory, by_id: &HashMap<Id, &Memory>) -> bool {
    let mut next = m.superseded_by;
    for _ in 0..by_id.len() {
        match next.and_then(|id| by_id.get(&id)) {
            Some(n) => next = n.superseded_by,
            None => return true,
        }
    }
    next.is_none()
}
