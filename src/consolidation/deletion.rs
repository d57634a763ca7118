//! Plans the owner's deletions and erasures. A model deletes only in a reread, and only what rules made of that mail.

use super::entry::{Action, Cascade, LogEntry, Standing, Status, Trigger};
use super::{ChangeSet, Expectation};
use crate::decision::{Analyst, Decision, Reason};
use crate::language::{
    has_hangul,
    shown::{self, ShownText},
};
use crate::model::{Edge, Id, Ids, Memory, Time};

/// The actor, time and store state that a plan is made for.
#[derive(Debug, Clone, Copy)]
pub struct Act<'a> {
    /// The owner of the memories.
    pub user_id: &'a str,
    /// The time of planning.
    pub now: Time,
    /// The number of the last commit that the plan has seen.
    pub base: u64,
}

impl Act<'_> {
    pub(crate) fn entry(&self, action: Action, decision: Decision, input: &str, ids: &mut Ids) -> LogEntry {
        let (analyst, confidence, trigger) = (Analyst::User, 1.0, Some(Trigger::UserRequest));
        let entry = LogEntry::new(ids.mint(), self.now, self.user_id, input);
        LogEntry { action, decision, analyst, confidence, trigger, ..entry }
    }

    pub(super) fn set(&self, read: &[Memory], memories: Vec<Memory>, mut entry: LogEntry) -> ChangeSet {
        entry.touched = memories.iter().map(|m| m.id).collect();
        let expect = read.iter().map(|m| Expectation { id: m.id, revision: Some(m.revision) }).collect();
        ChangeSet { base: Some(self.base), expect, memories, ..ChangeSet::new(entry) }
    }
}

/// Plans to delete `memories` (all versions of their chains) with their `edges`. They can be restored.
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
    entry.reason = localized_reason(memories, shown::DELETED);
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

/// Plans to erase `memories` with their edges and log texts. Keys stay, so that the same mail restores nothing.
pub fn forget(memories: &[Memory], edges: &[Edge], log: &[LogEntry], act: Act<'_>, ids: &mut Ids) -> ChangeSet {
    let mut entry = act.entry(Action::Forget, Decision::Delete, "", ids);
    entry.cascade = Some(Cascade::RemoveEdges);
    entry.target_id = head(memories);
    entry.reason = localized_reason(memories, shown::ERASED);
    let named = || log.iter().filter(|e| may_repeat(e, memories));
    // Reviews quote the entry they are about, so both ends of the reference are redacted.
    let said: Vec<Id> = named().map(|e| e.id).chain(named().filter_map(|e| e.about)).collect();
    let repeats = |e: &&LogEntry| {
        e.redacted.is_none() && (said.contains(&e.id) || e.about.is_some_and(|about| said.contains(&about)))
    };
    ChangeSet {
        removed_edges: edges.iter().map(|e| e.id).collect(),
        redacted: log.iter().filter(repeats).map(LogEntry::redact).collect(),
        ..act.set(memories, memories.iter().map(|m| m.forgotten(act.now)).collect(), entry)
    }
}

/// The memories that contain text of `gone`, or come from the same input as one of `asked`.
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

/// Whether a log entry may contain text of one of these memories.
pub fn may_repeat(e: &LogEntry, memories: &[Memory]) -> bool {
    let one = |id: Id| memories.iter().any(|m| m.id == id);
    // Without a target, the reasons are about the nearest candidate.
    let nearest = e.alternatives.first().filter(|_| e.target_id.is_none()).map(|a| a.id);
    let same_source = || e.source_id.is_some() && memories.iter().any(|m| m.source_id == e.source_id);
    let named = [e.memory_id, e.target_id, nearest].into_iter().flatten();
    named.chain(e.touched.iter().copied()).any(one)
        || ((e.status == Status::Error || e.reasons.contains(&Reason::Suspected)) && same_source())
}

/// The current version among the versions of one or several chains.
fn head(memories: &[Memory]) -> Option<Id> {
    memories.iter().find(|m| m.superseded_by.is_none()).map(|m| m.id)
}

fn localized_reason(memories: &[Memory], what: ShownText) -> String {
    what.text(memories.iter().any(|m| has_hangul(&m.content))).to_owned()
}
