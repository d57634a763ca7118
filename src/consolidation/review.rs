//! The owner's review of decisions: the queue, and the plan of a verdict.

use super::entry::{Action, LogEntry, Standing, Status, Trigger};
use super::undoing::{Reversal, taken_back};
use super::{Act, ChangeSet, Expectation};
use crate::decision::{Analyst, Decision, Reason};
use crate::model::{Draft, Edge, Id, Ids, Memory, Relation};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::str::FromStr;

/// The owner's verdict on a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerVerdict {
    /// It was right. A withheld change is made.
    Accept,
    /// It was wrong, and nothing replaces it.
    Reject,
    /// This decision replaces it.
    Change(Decision),
}

impl FromStr for OwnerVerdict {
    type Err = Error;
    fn from_str(s: &str) -> Result<Self> {
        Ok(match s {
            "accept" => Self::Accept,
            "reject" => Self::Reject,
            "CREATE" => Self::Change(Decision::Create),
            "UPDATE" => Self::Change(Decision::Update),
            "SKIP" => Self::Change(Decision::Skip),
            "CREATE_AND_LINK" => Self::Change(Decision::CreateAndLink),
            _ => return Err(Error::field("verdict", "is not accept, reject, CREATE, UPDATE, SKIP or CREATE_AND_LINK")),
        })
    }
}

/// The step that a verdict requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewStep {
    /// No change.
    Keep,
    /// Undo the decision.
    TakeBack,
    /// Undo the decision if it wrote anything, and apply this one.
    Decide(Decision),
}

/// What a verdict requires. `later` is the log after the entry; `elsewhere`: the owner chose another target.
pub fn step(entry: &LogEntry, later: &[LogEntry], verdict: OwnerVerdict, elsewhere: bool) -> Result<ReviewStep> {
    let gone = taken_back(later);
    if gone.contains(&entry.id) {
        return Err(Error::new(Code::AlreadyUndone, format!("entry {} was taken back", entry.id)));
    }
    if later.iter().any(|e| e.action == Action::Review && e.about == Some(entry.id) && !gone.contains(&e.id)) {
        return Err(Error::new(Code::AlreadySettled, format!("entry {} was settled before", entry.id)));
    }
    if entry.redacted.is_some() {
        return Err(Error::new(Code::Forgotten, "what the entry was about is forgotten"));
    }
    if entry.action != Action::Consolidate || entry.status == Status::DryRun {
        return Err(Error::new(Code::InvalidInput, "the entry is no decision about a new memory"));
    }
    let wrote = !entry.touched.is_empty();
    let withheld = entry.decision == Decision::Update && !wrote;
    let suspected = entry.reasons.contains(&Reason::Suspected);
    Ok(match verdict {
        OwnerVerdict::Accept if suspected => ReviewStep::Decide(Decision::Create),
        OwnerVerdict::Accept if withheld => ReviewStep::Decide(Decision::Update),
        OwnerVerdict::Accept => ReviewStep::Keep,
        OwnerVerdict::Reject if wrote => ReviewStep::TakeBack,
        OwnerVerdict::Reject => ReviewStep::Keep,
        OwnerVerdict::Change(decision) if decision == entry.decision && !withheld && !elsewhere => ReviewStep::Keep,
        OwnerVerdict::Change(Decision::Skip) if !wrote => ReviewStep::Keep,
        OwnerVerdict::Change(decision) if entry.status != Status::Error => ReviewStep::Decide(decision),
        OwnerVerdict::Change(_) => {
            return Err(Error::new(Code::InvalidInput, "the input could not be read; try it again"));
        }
    })
}

/// Whether an entry may wait for the owner's review, or end the wait of another: all that [`open_reviews`] needs.
pub fn bears_on_reviews(entry: &LogEntry) -> bool {
    let settles = |r: &Reason| matches!(r, Reason::Confirmed { .. } | Reason::Settled { .. });
    entry.needs_review || matches!(entry.action, Action::Review | Action::Undo) || entry.reasons.iter().any(settles)
}

/// The entries that wait for the owner's review, oldest first.
pub fn open_reviews(log: &[LogEntry]) -> Vec<&LogEntry> {
    let gone = taken_back(log);
    let stands = || log.iter().filter(|e| !gone.contains(&e.id));
    let by_others = stands().flat_map(|e| &e.reasons).filter_map(|r| match r {
        Reason::Confirmed { entry } | Reason::Settled { entry } => Some(*entry),
        _ => None,
    });
    let reviewed = stands().filter(|e| e.action == Action::Review).filter_map(|e| e.about);
    let settled: HashSet<Id> = reviewed.chain(by_others).collect();
    let waits =
        |e: &&LogEntry| e.needs_review && e.redacted.is_none() && !gone.contains(&e.id) && !settled.contains(&e.id);
    log.iter().filter(waits).collect()
}

/// The input's draft, from the log entry or else from the memory that was created.
pub fn said(entry: &LogEntry, memory: Option<&Memory>) -> Draft {
    match (&entry.draft, memory) {
        (Some(draft), _) => (**draft).clone(),
        (None, Some(memory)) => memory.to_draft(Some(&entry.input)),
        (None, None) => {
            let source_id = entry.source_id.clone();
            Draft { category: entry.category, source_id, ..Draft::new(&entry.input) }
        }
    }
}

/// Plans a verdict. `back` reverts the decision on the memories `read`, with their `edges`; `instead` replaces it.
pub fn review(
    entry: &LogEntry,
    verdict: OwnerVerdict,
    (read, back, edges): (&[Memory], Reversal, &[Edge]),
    instead: Option<ChangeSet>,
    act: Act<'_>,
    ids: &mut Ids,
) -> ChangeSet {
    let decision = match verdict {
        OwnerVerdict::Change(decision) => decision,
        _ => entry.decision,
    };
    let replaced = instead.is_some();
    let mut set = instead.unwrap_or_else(|| {
        let kept = LogEntry {
            target_id: entry.target_id,
            reason: entry.reason.clone(),
            relation: entry.relation,
            relationship: entry.relationship,
            conflict: entry.conflict,
            ..act.entry(Action::Review, decision, &entry.input, ids)
        };
        ChangeSet::new(kept)
    });
    // Standings come from the memories as read, not from the reverted state.
    let seen = |id: Id| read.iter().any(|m| m.id == id);
    set.expect.retain(|e| !seen(e.id));
    set.expect.extend(read.iter().map(|m| Expectation { id: m.id, revision: Some(m.revision) }));
    set.entry.before.retain(|s| !seen(s.id));
    set.entry.before.extend(read.iter().map(|m| Standing::with_fields_like(m, entry)));
    let heir = set.entry.memory_id.or(set.entry.target_id).filter(|_| replaced);
    let unmade = |id: Id| back.memories.iter().any(|m| m.id == id) && entry.before.iter().all(|s| s.id != id);
    for edge in edges.iter().filter(|e| e.created_at != entry.time && back.edges.iter().all(|b| b.id != e.id)) {
        let end = |id: Id| heir.filter(|_| unmade(id)).unwrap_or(id);
        let moved = Edge { from: end(edge.from), to: end(edge.to), ..edge.clone() };
        if moved != *edge && moved.from != moved.to {
            set.entry.edges_before.push(edge.clone());
            set.edges.push(moved);
        }
    }
    let written: Vec<Id> = set.memories.iter().map(|m| m.id).collect();
    set.memories.extend(back.memories.into_iter().filter(|m| !written.contains(&m.id)));
    set.edges.extend(back.edges);
    set.removed_edges.extend(back.removed_edges);
    set.entry.edges_before.extend(back.edges_before);
    set.base = Some(act.base);
    set.key = None;
    let mut reasons = vec![match verdict {
        OwnerVerdict::Accept => Reason::Accepted,
        OwnerVerdict::Reject => Reason::Rejected,
        OwnerVerdict::Change(_) => Reason::Corrected,
    }];
    reasons.append(&mut set.entry.reasons);
    set.entry = LogEntry {
        action: Action::Review,
        trigger: Some(Trigger::UserRequest),
        about: Some(entry.id),
        analyst: Analyst::User,
        confidence: 1.0,
        category: entry.category,
        source_id: entry.source_id.clone(),
        key: None,
        needs_review: false,
        touched: set.memories.iter().map(|m| m.id).collect(),
        reasons,
        ..set.entry
    };
    set
}

/// Optional arguments of a review.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewOptions {
    /// The target memory; the entry's target if absent.
    pub target: Option<Id>,
    /// The type of the link, if one is created.
    pub relation: Option<Relation>,
}
