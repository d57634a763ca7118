//! Where memories are kept: one trait, one writing verb, one conformance list for all backends.
//!
//! Backends never decide anything and do not know each other.

mod check;
#[cfg(target_arch = "wasm32")]
mod durable;
#[cfg(target_arch = "wasm32")]
mod indexeddb;
mod memory;

#[cfg(target_arch = "wasm32")]
pub use durable::{DurableStore, Storage as DurableStorage};
#[cfg(target_arch = "wasm32")]
pub use indexeddb::{DurabilityOption, IndexedDbStore};
pub use memory::MemoryStore;

use crate::consolidation::{ChangeSet, LogEntry, Record, Shelf, Vector};
use crate::model::{Edge, Id, Memory};
use crate::{Code, Error, Result};

/// The number of a commit; the first is 1. The log entry of a commit carries the same number.
pub type Seq = u64;

/// What [`Store::commit`] did.
#[derive(Debug, Clone, PartialEq)]
pub enum Committed {
    /// The set was written as commit number `seq`.
    Written(Seq),
    /// The set's idempotency key was used before; nothing was written. This is the entry written then.
    Replayed(Box<LogEntry>),
}

/// Which log entries are wanted; an empty query means all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogRange {
    /// Only entries with a greater number.
    pub after: Seq,
    /// At most this many; all where absent.
    pub limit: Option<usize>,
    /// The newest first.
    pub newest_first: bool,
}

impl LogRange {
    /// Every entry with a greater number, the oldest first.
    pub const fn since(after: Seq) -> Self {
        Self { after, limit: None, newest_first: false }
    }
}

/// A store of memories, their vectors, the edges between them and the log of decisions.
///
/// All methods may be called concurrently, also by other tabs and workers on the same database. A method that
/// cannot do its work returns an error with a code of [`crate::Code`]: `closed` after [`Store::close`],
/// `connection_lost` when the host took the connection away, `quota_exceeded`, `storage`, `corrupt`.
#[allow(async_fn_in_trait, reason = "one thread, in the browser and out: no future needs to be Send")]
pub trait Store {
    /// Writes one change set whole, or not at all. It and [`Store::commit_all`], of which it is the case of one, are the
    /// only way anything is ever written.
    async fn commit(&self, set: ChangeSet) -> Result<Committed> {
        let done = self.commit_all(vec![set]).await?.pop();
        done.ok_or_else(|| Error::new(Code::Internal, "a store said nothing of a set"))
    }

    /// Writes change sets in their order, in one transaction: all of them or, where one is refused, none. Each meets
    /// what those before it leave, has its own entry, and is answered in its place.
    ///
    /// Of each: if `key` was used before, nothing is written and the earlier entry comes back
    /// ([`Committed::Replayed`]); if the log's head is not `base` (where given), or a memory's revision is not
    /// what `expect` says (`None`: it must not exist), or a side record is not what it expects, or the log has an entry of this id, or lacks one to redact,
    /// nothing is written and the error is [`crate::Code::Conflict`]; else memories and edges are put by id (replacing what was there),
    /// vectors and side records are put or removed, edges are removed after others are put, redacted entries are put at their `seq`
    /// (and are found by their keys as before), and the entry is appended with the next number as its `seq` and the
    /// set's key as its `key`. A set with a number that is not finite is [`crate::Code::InvalidField`] before all else.
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>>;

    /// The number of the last commit; 0 where there is none.
    async fn head(&self) -> Result<Seq>;

    /// The memories of these ids, in the order asked; `None` where there is none.
    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>>;

    /// Those of these memories that there are, in the order asked.
    async fn found(&self, ids: &[Id]) -> Result<Vec<Memory>> {
        Ok(self.memories(ids).await?.into_iter().flatten().collect())
    }

    /// The number of the last commit and the memories of these ids, as [`Store::head`] and [`Store::memories`] give them,
    /// both of one moment.
    async fn snapshot(&self, ids: &[Id]) -> Result<(Seq, Vec<Option<Memory>>)> {
        loop {
            let head = self.head().await?;
            let found = self.memories(ids).await?;
            if self.head().await? == head {
                return Ok((head, found));
            }
        }
    }

    /// Up to `limit` memories with an id greater than `after`, by ascending id; fewer mean the end.
    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>>;

    /// The vectors of these ids, in the order asked; `None` where there is none.
    async fn vectors(&self, ids: &[Id]) -> Result<Vec<Option<Vector>>>;

    /// The edges that start or end at `id`, by ascending edge id; empty where there are none.
    async fn edges(&self, id: Id) -> Result<Vec<Edge>>;

    /// The edges that start or end at one of these, by ascending edge id, each once.
    async fn edges_at(&self, ids: &[Id]) -> Result<Vec<Edge>> {
        let mut edges = Vec::new();
        for id in ids {
            edges.extend(self.edges(*id).await?);
        }
        edges.sort_by_key(|edge| edge.id);
        edges.dedup_by_key(|e| e.id);
        Ok(edges)
    }

    /// Up to `limit` edges with an id greater than `after`, by ascending id; fewer mean the end.
    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>>;

    /// Log entries by ascending number (descending with `newest_first`).
    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>>;

    /// The number and the hash of the entry of this number, of the last where absent; `None` where there is none. An
    /// entry may be as long as what it wrote; of this one nothing else is read.
    async fn link(&self, seq: Option<Seq>) -> Result<Option<(Seq, String)>> {
        let after = seq.map_or(0, |seq| seq.saturating_sub(1));
        let range = LogRange { after, limit: Some(1), newest_first: seq.is_none() };
        let entry = self.log(range).await?.pop().filter(|e| seq.is_none_or(|seq| seq == e.seq));
        Ok(entry.map(|e| (e.seq, e.hash)))
    }

    /// The entry of this id, or `None`.
    async fn entry(&self, id: Id) -> Result<Option<LogEntry>>;

    /// The entry that was written with this idempotency key, or `None`.
    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>>;

    /// The side record of this key, or `None`.
    async fn record(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>>;

    /// The side records of these keys, in the order asked; `None` where there is none.
    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            found.push(self.record(shelf, key).await?);
        }
        Ok(found)
    }

    /// Up to `limit` side records of a shelf with a key greater than `after`, by ascending key; fewer mean the end.
    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>>;

    /// Puts and removes side records, all or none: [`crate::Code::Conflict`] where one is not what it expects.
    /// No decision is taken by this, so that there is no log entry; memories, edges and the log are out of its reach.
    async fn keep(&self, records: Vec<Record>) -> Result<()>;

    /// Releases the connection. Every later call gets [`crate::Code::Closed`]; closing again does nothing.
    async fn close(&self) -> Result<()>;
}

fn closed() -> Error {
    Error::new(Code::Closed, "the store is closed")
}

fn conflict(what: impl Into<String>) -> Error {
    Error::new(Code::Conflict, what)
}
