//! The change set: everything that one decision writes.

use super::Redacted;
use super::entry::{LogEntry, Standing, Status, Trigger};
use crate::decision::{Decision, Reason};
use crate::json::wire;
use crate::language::{has_hangul, shown};
use crate::model::{Draft, Edge, Id, Memory, Retention, Time};
use crate::{Result, json};
use serde::Serialize;

/// The revision of a memory that a change set was planned against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expectation {
    /// The memory.
    pub id: Id,
    /// Its revision; `None` requires that no such memory exists.
    pub revision: Option<u64>,
}

wire! {
    /// The purpose of a side record. Each shelf has its own keys.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Shelf {
        /// Model answers, by the hash of the question.
        Answers = "answers",
        /// Requests that left this device, by ascending id.
        Sent = "sent",
        /// The packed vector index, by part.
        Codes = "codes",
        /// Session graphs, by session name.
        Sessions = "sessions",
        /// The sleep cycle's cursor, model texts and daily counters.
        Sleep = "sleep",
        /// Quantised vectors of host embedders, by memory and embedder.
        Vectors = "vectors",
        /// Full-precision vectors of earlier builds, only to be deleted.
        Wholes = "wholes",
        /// Calibration of host embedders.
        Embedders = "embedders",
        /// How far this store and its peers have synchronised.
        Sync = "sync",
        /// Records and notes of the sealed sync that earlier versions had.
        Held = "held",
        /// Whom the owner has written to, by the hash of the address.
        Correspondents = "correspondents",
        /// The time since which this store keeps dates as days.
        Format = "format",
        /// Per account hash, how many mails carried authentication results of the account's host.
        Hosts = "hosts",
        /// Marks the mails whose minor drafts were compared, by the hash of the mail's key.
        Minor = "minor",
        /// The log entry that wrote a provisional version, by the version's id.
        Provisional = "provisional",
    }
}

/// A side record, such as an answer or a counter. Losing one loses no memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its purpose.
    pub shelf: Shelf,
    /// Its key on the shelf; ASCII.
    pub key: String,
    /// The value to write; `None` removes the record.
    pub value: Option<Vec<u8>>,
    /// The value that must be stored for the set to commit: `Some(None)`: no record; `None`: any.
    pub expect: Option<Option<Vec<u8>>>,
}

impl Record {
    /// A record that overwrites any stored value.
    pub fn put(shelf: Shelf, key: impl Into<String>, value: Vec<u8>) -> Self {
        Self { shelf, key: key.into(), value: Some(value), expect: None }
    }

    /// A JSON record that overwrites any stored value.
    pub fn json(shelf: Shelf, key: impl Into<String>, value: &impl Serialize) -> Result<Self> {
        Ok(Self::put(shelf, key, json::write(value)?.into_bytes()))
    }

    /// A removal, whatever the stored value.
    pub fn gone(shelf: Shelf, key: impl Into<String>) -> Self {
        Self { shelf, key: key.into(), value: None, expect: None }
    }

    /// Commits only if `stood` is the stored value.
    #[must_use]
    pub fn over(self, stood: Option<Vec<u8>>) -> Self {
        Self { expect: Some(stood), ..self }
    }
}

/// Everything that one decision writes, including its log entry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeSet {
    /// The idempotency key: a set whose key was used before changes nothing.
    pub key: Option<String>,
    /// The last commit that the plan has seen; `None` if later commits do not matter.
    pub base: Option<u64>,
    /// The revisions that the plan depends on.
    pub expect: Vec<Expectation>,
    /// Memories to write, by id.
    pub memories: Vec<Memory>,
    /// Edges to write, by id.
    pub edges: Vec<Edge>,
    /// Edges to remove, by id; missing ones are ignored.
    pub removed_edges: Vec<Id>,
    /// Earlier log entries to replace by redacted ones, by `seq`. Only `forget` sets them.
    pub redacted: Vec<Redacted>,
    /// Side records to write or remove in the same commit.
    pub records: Vec<Record>,
    /// The log entry of the decision. The store sets its `seq` and its `key`.
    pub entry: LogEntry,
}

impl ChangeSet {
    /// A set that writes only this entry.
    pub fn new(entry: LogEntry) -> Self {
        Self { entry, ..Self::default() }
    }

    /// Writes `as_it_is` in place of `read`, which must not have changed since it was read.
    pub fn replace_read(&mut self, read: &Memory, as_it_is: Memory, now: Time) {
        self.expect.retain(|e| e.id != read.id);
        self.expect.push(Expectation { id: read.id, revision: Some(read.revision) });
        self.entry.before.push(Standing::of(read));
        self.entry.touched.push(read.id);
        self.memories.push(Memory { revision: read.revision + 1, updated_at: now, ..as_it_is });
    }
}

/// The log entry of a suspicious passage. A memory is created only if the owner accepts it.
pub fn suspect(draft: Draft, key: String, entry: LogEntry) -> ChangeSet {
    let reason = shown::SUSPECTED.text(has_hangul(&draft.content));
    let (reasons, source) = (vec![Reason::Suspected], draft.source_id.clone());
    let set = unwritten(reasons, reason, source, Some(key), entry);
    let entry = LogEntry { needs_review: true, draft: Some(Box::new(draft)), ..set.entry };
    ChangeSet { entry, ..set }
}

/// The log entry of a mail, or a part of it, that became no memory. Without a key, the input can be added again.
pub fn unwritten(
    reasons: Vec<Reason>,
    why: &str,
    source_id: Option<String>,
    key: Option<String>,
    entry: LogEntry,
) -> ChangeSet {
    let (decision, status, trigger) = (Decision::Skip, Status::Skipped, Some(Trigger::NewMail));
    let entry = LogEntry { decision, status, trigger, source_id, reasons, reason: why.to_owned(), ..entry };
    ChangeSet { key, ..ChangeSet::new(entry) }
}

/// The log entry of an input that failed. It has no idempotency key, so the input can be retried.
pub fn failure(error: &crate::Error, entry: LogEntry) -> ChangeSet {
    let reason = Reason::Failed { error: error.code.as_str().to_owned(), message: error.message.clone() };
    let entry = LogEntry {
        status: Status::Error,
        needs_review: true,
        reasons: vec![reason],
        reason: error.message.clone(),
        ..entry
    };
    ChangeSet::new(entry)
}

/// Prepends `earlier`, which it replaces, to the chain that the set extends (as read, oldest first).
pub fn join_before(set: &mut ChangeSet, chain: Vec<Memory>, earlier: Memory, now: Time) {
    let Some(first) = chain.first().map(|m| m.id) else { return };
    let further = earlier.version;
    for version in chain {
        if set.memories.iter().all(|m| m.id != version.id) {
            set.replace_read(&version.clone(), version, now);
        }
    }
    let made = set.entry.memory_id;
    set.replace_read(&earlier, earlier.clone(), now);
    let core = earlier.retention == Retention::Core;
    for m in &mut set.memories {
        if m.id == earlier.id {
            m.superseded_by = Some(first);
            m.contradicted_by = Some(first);
            m.retention = if core { Retention::Semantic } else { m.retention };
            continue;
        }
        m.version += further;
        if m.id == first {
            m.previous_version_id = Some(earlier.id);
        }
        if Some(m.id) == made && core {
            m.retention = Retention::Core;
            if m.importance < earlier.importance {
                let raised = set.entry.before.iter_mut().filter(|s| s.id == m.id);
                raised.for_each(|s| s.importance = Some(m.importance));
                m.importance = earlier.importance;
            }
        }
    }
    if let Some(step) = &mut set.entry.versions {
        (step.before, step.after) = (step.before + further, step.after + further);
    }
}
