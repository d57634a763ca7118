//! Plans what the sleep cycle writes: summaries, adopted questions and tags, counters and tiers.

use super::entry::{Action, LogEntry, Standing, Trigger, Whole};
use super::merge::union;
use super::seal::hex;
use super::{Act, ChangeSet, Expectation};
use crate::decision::{Analyst, Decision, Reason};
use crate::language::{has_hangul, shown};
use crate::model::{Edge, EdgeKind, Feedback, Generation, Id, Ids, Memory, NodeType, Retention, StorageTier, Time};

const STUB_CHARS: usize = 200;

/// Memories to merge into one summary.
#[derive(Debug)]
pub struct Merge<'a> {
    /// All sources of the summary.
    pub sources: &'a [Memory],
    /// The text of the summary.
    pub text: String,
    /// The author of the text.
    pub analyst: Analyst,
    /// Tokens that a model used.
    pub tokens: u32,
    /// Why a model's text was refused, if it was.
    pub refused: Option<&'a str>,
    /// The hash of the sources; the idempotency key of the merge.
    pub key: String,
}

/// Plans a summary with its edges and the archived sources, as one entry that can be undone.
pub fn merge_into(merge: Merge<'_>, act: Act<'_>, ids: &mut Ids) -> ChangeSet {
    let summary = summary_of(&merge, act.now, ids.mint());
    let edge = |ids: &mut Ids, from: Id| Edge {
        id: ids.mint(),
        from,
        to: summary.id,
        kind: EdgeKind::ConsolidatedInto,
        relation: None,
        weight: 1.0,
        created_at: act.now,
    };
    let edges: Vec<Edge> = merge.sources.iter().map(|m| edge(ids, m.id)).collect();
    let archived = |m: &Memory| Memory {
        generation: Generation::Archived,
        revision: m.revision + 1,
        updated_at: act.now,
        ..m.clone()
    };
    let memories: Vec<Memory> = merge.sources.iter().map(archived).collect();
    let mut entry = upkeep(&act, Action::Merge, ids);
    entry.decision = Decision::Create;
    entry.analyst = merge.analyst;
    entry.tokens = merge.tokens;
    entry.input.clone_from(&summary.content);
    entry.category = summary.category;
    entry.memory_id = Some(summary.id);
    entry.before = merge.sources.iter().map(Standing::of).collect();
    entry.reasons = vec![Reason::Merged { memories: merge.sources.len() as u32 }];
    entry.reasons.extend(merge.refused.map(|error| Reason::ModelRefused { error: error.to_owned() }));
    let count = merge.sources.len().to_string();
    entry.reason = shown::FOLDED.with(has_hangul(&summary.content), &[&count]);
    // All sources must be unchanged since they were read.
    let mut set = act.set(merge.sources, memories, entry);
    set.expect.push(Expectation { id: summary.id, revision: None });
    set.entry.touched.push(summary.id);
    set.memories.push(summary);
    set.edges = edges;
    set.key = Some(merge.key);
    set
}

/// The summary node. It takes the lowest trust of its sources and the sum of their counts.
fn summary_of(merge: &Merge<'_>, now: Time, id: Id) -> Memory {
    let all = merge.sources;
    let newest = all.iter().max_by_key(|s| (s.own_time(), s.id)).unwrap_or(&all[0]);
    let mut m = Memory::from_draft(id, newest.to_draft(Some(&merge.text)), now);
    for s in all {
        m.source_type = m.source_type.max(s.source_type);
        m.importance = m.importance.max(s.importance);
        m.confidence = m.confidence.min(s.confidence);
        m.stability = m.stability.max(s.stability);
        m.repeat = m.repeat.saturating_add(s.repeat);
        m.access_count = m.access_count.saturating_add(s.access_count);
        m.session_count = m.session_count.max(s.session_count);
        // A summary counts as accessed when its most recent source was.
        m.accessed_at = m.accessed_at.max(Some(s.last_met()));
        m.feedback = Feedback {
            up: m.feedback.up.saturating_add(s.feedback.up),
            down: m.feedback.down.saturating_add(s.feedback.down),
        };
        m.people = union(&m.people, &s.people);
        m.entities = union(&m.entities, &s.entities);
        m.keywords = union(&m.keywords, &s.keywords);
        if newest.thread_id != s.thread_id {
            m.thread_id = None;
        }
        if s.retention != Retention::Episodic {
            m.retention = Retention::Semantic;
        }
    }
    m.node_type = NodeType::Summary;
    m.generation = Generation::Old;
    m.category = newest.category;
    m.subject.clone_from(&newest.subject);
    (m.occurred_at, m.stated_at) = (newest.occurred_at, newest.stated_at);
    (m.valid_from, m.valid_until) = (None, None);
    // A summary derives from memories, not from a passage of one mail.
    (m.source_id, m.evidence) = (None, None);
    m.properties.clear();
    m.importance_factors.clear();
    m
}

/// A node as it was read (`None` for a new one) and in its new state.
pub type AdoptedNode = (Option<Memory>, Memory);

/// A change of counters, tiers or generations.
#[derive(Debug, Clone, PartialEq)]
pub struct UpkeepChange {
    /// The memory as it was read.
    pub old: Memory,
    /// The new state, with the full text.
    pub new: Memory,
}

/// Plans upkeep: changes of memories (`Tend`), or what a session leaves behind (`Adopt`), with nodes and edges for the
/// long term. A memory that becomes a stub keeps 200 characters; the entry keeps its full text.
pub fn tend(
    action: Action,
    tended: Vec<UpkeepChange>,
    (nodes, edges): (Vec<AdoptedNode>, Vec<Edge>),
    act: Act<'_>,
    ids: &mut Ids,
) -> ChangeSet {
    let mut entry = upkeep(&act, action, ids);
    let reason =
        if action == Action::Adopt { "Taken over for the long term." } else { "Counters, tiers and generations." };
    reason.clone_into(&mut entry.reason);
    let mut set = ChangeSet { base: Some(act.base), edges, ..ChangeSet::new(entry) };
    for (old, new) in nodes {
        set.entry.before.extend(old.as_ref().map(|m| Standing { repeat: Some(m.repeat), ..Standing::of(m) }));
        set.expect.push(Expectation { id: new.id, revision: old.map(|m| m.revision) });
        set.entry.touched.push(new.id);
        set.memories.push(new);
    }
    for UpkeepChange { old, mut new } in tended {
        if new.storage_tier == StorageTier::Stub && old.storage_tier != StorageTier::Stub {
            let whole = std::mem::take(&mut new.content);
            new.content = whole.chars().take(STUB_CHARS).collect();
            if new.content != whole {
                let statements = std::mem::take(&mut new.statements);
                set.entry.texts.push(Whole { id: new.id, content: whole, statements });
            }
        }
        set.replace_read(&old, new, act.now);
    }
    set
}

/// Changes one more memory in a planned set. If the set lacks it, `read` is the stored state.
pub fn amend(set: &mut ChangeSet, read: &Memory, change: impl Fn(&mut Memory)) {
    if let Some(planned) = set.memories.iter_mut().find(|m| m.id == read.id) {
        return change(planned);
    }
    let mut new = read.clone();
    change(&mut new);
    set.replace_read(read, new, set.entry.time);
}

fn upkeep(act: &Act<'_>, action: Action, ids: &mut Ids) -> LogEntry {
    let mut entry = act.entry(action, Decision::Skip, "", ids);
    entry.analyst = Analyst::Local;
    entry.trigger = Some(Trigger::Sleep);
    entry
}

/// The idempotency key of a merge of these memories.
pub fn merge_key(sources: &[Memory]) -> String {
    let mut all: Vec<&Memory> = sources.iter().collect();
    all.sort_by_key(|found| found.id);
    let mut hash = hmac_sha256::Hash::new();
    for m in all {
        hash.update(m.id.to_string());
        hash.update(m.content.len().to_be_bytes());
        hash.update(&m.content);
    }
    ["sleep/", &hex(&hash.finalize()[..16])].concat()
}
