//! Storage: the [`Store`] trait and its backends. Every backend passes the same conformance tests.

mod check;
#[cfg(target_arch = "wasm32")]
mod host;
mod memory;

#[cfg(target_arch = "wasm32")]
pub use host::{HostStorage, HostStore};
pub use memory::MemoryStore;

use crate::consolidation::{ChangeSet, LogEntry, Record, Shelf};
use crate::model::{Edge, Id, Memory};
use crate::{Code, Error, Result};
use async_trait::async_trait;
use std::fmt::Debug;

/// The number of a commit, starting at 1. The log entry of a commit carries the same number.
pub type Seq = u64;

/// The outcome of [`Store::commit`].
#[derive(Debug, Clone, PartialEq)]
pub enum Committed {
    /// The set was written as commit number `seq`.
    Written(Seq),
    /// The set's idempotency key was used before, so nothing was written. This is the earlier log entry.
    Replayed(Box<LogEntry>),
}

/// Selects log entries; the default selects all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogRange {
    /// Only entries with a number greater than this.
    pub after: Seq,
    /// At most this many entries; no limit if absent.
    pub limit: Option<usize>,
    /// Newest entries first; oldest first by default.
    pub newest_first: bool,
}

impl LogRange {
    /// All entries with a greater number, oldest first.
    pub const fn since(after: Seq) -> Self {
        Self { after, limit: None, newest_first: false }
    }
}

/// A store of memories, the edges between them and the log of decisions.
///
/// All methods may be called concurrently, also by other tabs and workers on the same database. On failure they return
/// an error with a code of [`crate::Code`]: `closed` after [`Store::close`], `connection_lost` when the host closed the
/// connection, `quota_exceeded`, `storage`, `corrupt`.
#[async_trait(?Send)]
pub trait Store: Debug {
    /// Writes one change set atomically; the same as [`Store::commit_all`] with one set. Decisions are written by no
    /// other method.
    async fn commit(&self, set: ChangeSet) -> Result<Committed> {
        let done = self.commit_all(vec![set]).await?.pop();
        done.ok_or_else(|| Error::new(Code::Internal, "a store said nothing of a set"))
    }

    /// Writes change sets in order, in one transaction: all of them, or none if one is refused. Each set sees the
    /// effects of the sets before it and gets its own log entry. Results come in the order of the sets.
    ///
    /// For each set:
    /// - If its idempotency `key` was used before, nothing is written and the result is [`Committed::Replayed`].
    /// - Memories and edges are put by id, replacing earlier ones. Side records are put or removed. Edges are removed
    ///   after others are put. A vector that an earlier version stored of an erased memory is removed.
    /// - Redacted entries are put at their `seq` and keep their keys. The set's own entry is appended with the next
    ///   number as its `seq` and the set's `key`.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`] if the log's head is not `base` (where given), a memory's revision is not what
    /// `expect` says (`None`: it must not exist), a side record is not what it expects, the log already has an entry of
    /// this id, or an entry to redact is missing. [`crate::Code::InvalidField`], before anything else, for a number
    /// that is not finite.
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>>;

    /// The number of the last commit; 0 if there is none.
    async fn head(&self) -> Result<Seq>;

    /// The memories of these ids, in the given order; `None` for a missing one.
    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>>;

    /// The existing memories of these ids, in the given order.
    async fn found(&self, ids: &[Id]) -> Result<Vec<Memory>> {
        Ok(self.memories(ids).await?.into_iter().flatten().collect())
    }

    /// Up to `limit` memories with an id greater than `after`, by ascending id. Fewer than `limit` mean the last page.
    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>>;

    /// The edges that start or end at `id`, by ascending edge id.
    async fn edges(&self, id: Id) -> Result<Vec<Edge>> {
        self.edges_at(&[id]).await
    }

    /// The edges that start or end at one of these memories, by ascending edge id, without duplicates.
    async fn edges_at(&self, ids: &[Id]) -> Result<Vec<Edge>>;

    /// Up to `limit` edges with an id greater than `after`, by ascending id. Fewer than `limit` mean the last page.
    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>>;

    /// Log entries by ascending number (descending with `newest_first`).
    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>>;

    /// The number and hash of the log entry with this number, by default of the last.
    async fn link(&self, seq: Option<Seq>) -> Result<Option<(Seq, String)>> {
        let after = seq.map_or(0, |seq| seq.saturating_sub(1));
        let range = LogRange { after, limit: Some(1), newest_first: seq.is_none() };
        let entry = self.log(range).await?.pop().filter(|e| seq.is_none_or(|seq| seq == e.seq));
        Ok(entry.map(|e| (e.seq, e.hash)))
    }

    /// The log entry of this id.
    async fn entry(&self, id: Id) -> Result<Option<LogEntry>>;

    /// The log entry written with this idempotency key.
    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>>;

    /// The side record of this key.
    async fn record(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.each_record(shelf, &[key.to_owned()]).await?.pop().flatten())
    }

    /// The side records of these keys, in the given order; `None` for a missing one.
    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>>;

    /// Up to `limit` side records of a shelf with a key greater than `after`, by ascending key. Fewer than `limit` mean
    /// the last page.
    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>>;

    /// Puts and removes side records, all or none, without a log entry. Memories, edges and the log stay unchanged.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`] if a record is not what it expects.
    async fn keep(&self, records: Vec<Record>) -> Result<()>;

    /// Closes the connection. Every later call returns [`crate::Code::Closed`]; closing again does nothing.
    async fn close(&self) -> Result<()>;
}

fn closed() -> Error {
    Error::new(Code::Closed, "the store is closed")
}

fn conflict(what: impl Into<String>) -> Error {
    Error::new(Code::Conflict, what)
}
