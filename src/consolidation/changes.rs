//! The change set: everything one decision writes, in one value.

use super::{LogEntry, Redacted, Standing};
use crate::Result;
use crate::json::{self, wire};
use crate::model::{Edge, Id, Memory, Time};
use serde::Serialize;
use std::sync::Arc;

/// The vector of a memory, tagged with the embedder that made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// The embedder's model; a change of model re-embeds.
    pub model: Arc<str>,
    /// The components; all finite.
    pub values: Vec<f32>,
}

/// What a change set was planned against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expectation {
    /// The memory.
    pub id: Id,
    /// Its revision; `None`: there must be no such memory.
    pub revision: Option<u64>,
}

wire! {
    /// What a side record is for. Each shelf has its own keys.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Shelf {
        /// What was answered, by the hash of what was asked.
        Answers = "answers",
        /// Questions that wait for an answer, by the id of their log entry.
        Waiting = "waiting",
        /// Requests that left this device, by ascending ids.
        Sent = "sent",
        /// The index, packed, by part.
        Codes = "codes",
        /// The young graphs of sessions, by the session's name.
        Sessions = "sessions",
        /// The sleep cycle's lease and place, what models wrote for it, and its counters by day.
        Sleep = "sleep",
        /// Codes of vectors of embedders that are somewhere else, by memory and embedder.
        Vectors = "vectors",
        /// The same vectors whole, by the same keys.
        Wholes = "wholes",
        /// What was measured of such an embedder.
        Embedders = "embedders",
        /// How far this store and others have told each other of their changes.
        Sync = "sync",
        /// What models were asked on a day, by the day.
        Usage = "usage",
        /// What clients have sealed and this store keeps for them, and what a client notes of where such lies.
        Held = "held",
        /// Whom the owner has written to, by the hash of the address.
        Correspondents = "correspondents",
        /// From when on this store keeps days as days.
        Format = "format",
        /// How many mails of an account came with results of its host's checks, by the hash of the account.
        Hosts = "hosts",
    }
}

/// Something kept beside the memories, which may be lost without losing one: an answer, a lease, a counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What it is for.
    pub shelf: Shelf,
    /// Its name on the shelf; ASCII.
    pub key: String,
    /// What is put; `None` removes it.
    pub value: Option<Vec<u8>>,
    /// What must stand there for anything to be written: `Some(None)`, nothing; absent, whatever.
    pub expect: Option<Option<Vec<u8>>>,
}

impl Record {
    /// What is put, whatever stands there.
    pub fn put(shelf: Shelf, key: impl Into<String>, value: Vec<u8>) -> Self {
        Self { shelf, key: key.into(), value: Some(value), expect: None }
    }

    /// The same of a value as JSON.
    pub fn json(shelf: Shelf, key: impl Into<String>, value: &impl Serialize) -> Result<Self> {
        Ok(Self::put(shelf, key, json::write(value)?.into_bytes()))
    }

    /// What is removed, whatever stands there.
    pub fn gone(shelf: Shelf, key: impl Into<String>) -> Self {
        Self { shelf, key: key.into(), value: None, expect: None }
    }

    /// The same, where nothing else stands there.
    #[must_use]
    pub fn over(self, stood: Option<Vec<u8>>) -> Self {
        Self { expect: Some(stood), ..self }
    }
}

/// Everything that one decision writes. The log entry rides inside, so that no effect is without its entry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeSet {
    /// The idempotency key: a set with a key that was used before changes nothing.
    pub key: Option<String>,
    /// The number of the last commit that the plan had seen; `None` where later commits do not matter.
    pub base: Option<u64>,
    /// The revisions that the plan rests on.
    pub expect: Vec<Expectation>,
    /// Memories to put, whole, by id.
    pub memories: Vec<Memory>,
    /// Vectors to put (`Some`) or to remove (`None`), by the id of their memory.
    pub vectors: Vec<(Id, Option<Vector>)>,
    /// Edges to put, by id.
    pub edges: Vec<Edge>,
    /// Edges to remove, by id; those that are not there do not matter.
    pub removed_edges: Vec<Id>,
    /// Earlier log entries to put in place of themselves without their texts, by `seq`: how `forget` reaches the log.
    pub redacted: Vec<Redacted>,
    /// Side records to put or remove along with it.
    pub records: Vec<Record>,
    /// The log entry of the decision. The store sets its `seq` and its `key`.
    pub entry: LogEntry,
}

impl ChangeSet {
    /// A set that writes this entry and nothing else.
    pub fn new(entry: LogEntry) -> Self {
        Self { entry, ..Self::default() }
    }

    /// Writes a stored memory anew, as it was read: it must not have changed since, and its entry can be undone.
    pub(super) fn touch(&mut self, read: Memory, now: Time) {
        self.touch_as(&read.clone(), read, now);
    }

    /// The same, replaced by what the set makes.
    pub fn close(&mut self, read: &Memory, replaced: Memory, now: Time) {
        self.touch_as(read, replaced, now);
    }

    /// The same, as it is to be.
    pub(super) fn touch_as(&mut self, read: &Memory, as_it_is: Memory, now: Time) {
        self.expect.retain(|e| e.id != read.id);
        self.expect.push(Expectation { id: read.id, revision: Some(read.revision) });
        self.entry.before.push(Standing::of(read));
        self.entry.touched.push(read.id);
        self.memories.push(Memory { revision: read.revision + 1, updated_at: now, ..as_it_is });
    }
}
