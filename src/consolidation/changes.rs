//! The change set: everything that one decision writes.

use super::{LogEntry, Redacted, Standing};
use crate::Result;
use crate::json::{self, wire};
use crate::model::{Edge, Id, Memory, Time};
use serde::Serialize;
use std::sync::Arc;

/// The embedding of a memory, tagged with its model.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// The embedding model; a change of model re-embeds.
    pub model: Arc<str>,
    /// The components; all finite.
    pub values: Vec<f32>,
}

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
        /// Questions that wait for an answer, by the id of their log entry.
        Waiting = "waiting",
        /// Requests that left this device, by ascending id.
        Sent = "sent",
        /// The packed vector index, by part.
        Codes = "codes",
        /// Session graphs, by session name.
        Sessions = "sessions",
        /// The sleep cycle's lease, cursor, model texts and daily counters.
        Sleep = "sleep",
        /// Quantised vectors of host embedders, by memory and embedder.
        Vectors = "vectors",
        /// Full-precision vectors of host embedders, by the same keys.
        Wholes = "wholes",
        /// Calibration of host embedders.
        Embedders = "embedders",
        /// How far this store and its peers have synchronised.
        Sync = "sync",
        /// Model usage, by day.
        Usage = "usage",
        /// Records that clients have sealed, and a client's notes on where they are.
        Held = "held",
        /// Whom the owner has written to, by the hash of the address.
        Correspondents = "correspondents",
        /// The time since which this store keeps dates as days.
        Format = "format",
        /// Per account hash, how many mails carried authentication results of the account's host.
        Hosts = "hosts",
        /// The numbers of a mail's minor drafts that changed nothing, by the hash of the mail's key.
        Minor = "minor",
    }
}

/// A side record, such as an answer, a lease or a counter. Losing one loses no memory.
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
    /// Vectors to write (`Some`) or to remove (`None`), by the id of their memory.
    pub vectors: Vec<(Id, Option<Vector>)>,
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

    /// Writes a stored memory unchanged with a new revision. Fails if it changed since `read`.
    pub(super) fn touch(&mut self, read: Memory, now: Time) {
        self.replace_read(&read.clone(), read, now);
    }

    /// Writes `replaced` as the memory that the set supersedes; `read` must not have changed.
    pub fn close(&mut self, read: &Memory, replaced: Memory, now: Time) {
        self.replace_read(read, replaced, now);
    }

    /// Writes `as_it_is` in place of `read`, which must not have changed since it was read.
    pub(super) fn replace_read(&mut self, read: &Memory, as_it_is: Memory, now: Time) {
        self.expect.retain(|e| e.id != read.id);
        self.expect.push(Expectation { id: read.id, revision: Some(read.revision) });
        self.entry.before.push(Standing::of(read));
        self.entry.touched.push(read.id);
        self.memories.push(Memory { revision: read.revision + 1, updated_at: now, ..as_it_is });
    }
}
