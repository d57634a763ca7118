//! Deleting and forgetting at the owner's word, as plans.
//!
//! No mail and no model leads here: nothing in `decision` calls this module.

use super::entry::{Action, Cascade, LogEntry, Standing, Status, Trigger};
use super::{ChangeSet, Expectation};
use crate::decision::{Analyst, Decision, Reason};
use crate::language::{
    has_hangul,
    shown::{self, ShownText},
};
use crate::model::{Edge, Id, Ids, Memory, Time};

/// Who acts, when, and on what was seen.
#[derive(Debug, Clone, Copy)]
pub struct Act<'a> {
    /// Whose memory it is.
    pub user_id: &'a str,
    /// The time of planning.
    pub now: Time,
    /// The number of the last commit that was seen.
    pub base: u64,
}

impl Act<'_> {
    /// The entry of something that the owner did.
    pub(crate) fn entry(&self, action: Action, decision: Decision, input: &str, ids: &mut Ids) -> LogEntry {
        let (analyst, confidence, trigger) = (Analyst::User, 1.0, Some(Trigger::UserRequest));
        let entry = LogEntry::new(ids.mint(), self.now, self.user_id, input);
        LogEntry { action, decision, analyst, confidence, trigger, ..entry }
    }

    /// A set over the changed memories, given as they were read and as they are to be.
    pub(super) fn set(&self, read: &[Memory], memories: Vec<Memory>, mut entry: LogEntry) -> ChangeSet {
        entry.touched = memories.iter().map(|m| m.id).collect();
        let expect = read.iter().map(|m| Expectation { id: m.id, revision: Some(m.revision) }).collect();
        ChangeSet { base: Some(self.base), expect, memories, ..ChangeSet::new(entry) }
    }
}

/// Plans to delete these memories (all versions of their chains), which have these edges. They can be restored.
pub fn delete(
    memories: &[Memory],
    edges: Vec<Edge>,
    cascade: Cascade,
    request: &str,
    act: Act<'_>,
    ids: &mut Ids,
) -> ChangeSet {
    let mut entry = act.entry(Action::Delete, Decision::Delete, request, ids);
    entry.target_id = head(memories);
    entry.reason = said(memories, shown::DELETED);
    entry.before = memories.iter().map(Standing::of).collect();
    entry.cascade = Some(cascade);
    let gone =
        |m: &Memory| Memory { deleted_at: Some(act.now), updated_at: act.now, revision: m.revision + 1, ..m.clone() };
    let mut set = act.set(memories, memories.iter().map(gone).collect(), entry);
    if cascade == Cascade::RemoveEdges {
        set.removed_edges = edges.iter().map(|e| e.id).collect();
        set.entry.edges_before = edges;
    }
    set
}

/// Plans to erase these memories (all versions of their chains) for good, with their vectors, their edges and the
/// texts of every log entry that could repeat them. What stays says nothing: ids, and the keys of what was handled,
/// so that taking the same mail in again does not bring them back.
pub fn forget(memories: &[Memory], edges: &[Edge], log: &[LogEntry], act: Act<'_>, ids: &mut Ids) -> ChangeSet {
    let mut entry = act.entry(Action::Forget, Decision::Delete, "", ids);
    entry.cascade = Some(Cascade::RemoveEdges);
    entry.target_id = head(memories);
    entry.reason = said(memories, shown::ERASED);
    let named = || log.iter().filter(|e| may_repeat(e, memories));
    // A review quotes what it is about, and what it is about said it first.
    let said: Vec<Id> = named().map(|e| e.id).chain(named().filter_map(|e| e.about)).collect();
    let repeats = |e: &&LogEntry| {
        e.redacted.is_none() && (said.contains(&e.id) || e.about.is_some_and(|about| said.contains(&about)))
    };
    ChangeSet {
        vectors: memories.iter().map(|m| (m.id, None)).collect(),
        removed_edges: edges.iter().map(|e| e.id).collect(),
        redacted: log.iter().filter(repeats).map(LogEntry::redact).collect(),
        ..act.set(memories, memories.iter().map(|m| m.forgotten(act.now)).collect(), entry)
    }
}

/// The memories into which words of `gone` went: versions made of them, and what reviews made of the same input as one
/// of `asked`. They may have left the chain since.
pub fn derived(asked: &[Id], gone: &[Id], log: &[LogEntry]) -> Vec<Id> {
    let input_of = |e: &LogEntry| if e.action == Action::Review { e.about } else { Some(e.id) };
    let made = || log.iter().filter_map(|e| Some((e, e.memory_id?)));
    let inputs: Vec<Option<Id>> = made().filter(|(_, id)| asked.contains(id)).map(|(e, _)| input_of(e)).collect();
    let words = |e: &LogEntry| {
        let merged = e.decision == Decision::Update && !e.reasons.contains(&Reason::OlderThanStored);
        e.target_id.is_some_and(|id| merged && gone.contains(&id)) || inputs.contains(&input_of(e))
    };
    made().filter(|(e, id)| !gone.contains(id) && words(e)).map(|(_, id)| id).collect()
}

/// Whether an entry may hold words of one of these memories.
pub fn may_repeat(e: &LogEntry, memories: &[Memory]) -> bool {
    let one = |id: Id| memories.iter().any(|m| m.id == id);
    // Without a target, the reasons are about the nearest candidate.
    let nearest = e.alternatives.first().filter(|_| e.target_id.is_none()).map(|a| a.id);
    let same_source = || e.source_id.is_some() && memories.iter().any(|m| m.source_id == e.source_id);
    e.memory_id
        .into_iter()
        .chain(e.target_id)
        .chain(e.one_with())
        .chain(nearest)
        .chain(e.touched.iter().copied())
        .any(one)
        || ((e.status == Status::Error || e.reasons.contains(&Reason::Suspected)) && same_source())
}

/// The current version among the versions of one chain or of several.
fn head(memories: &[Memory]) -> Option<Id> {
    memories.iter().find(|m| m.superseded_by.is_none()).map(|m| m.id)
}

/// A sentence in the language of the memories.
fn said(memories: &[Memory], what: ShownText) -> String {
    what.text(memories.iter().any(|m| has_hangul(&m.content))).to_owned()
}
