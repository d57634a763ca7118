//! The store that the options choose.

use super::options::{Backend, DurabilityOption, OpenOptions};
use crate::Result;
use crate::consolidation::{ChangeSet, LogEntry, Record, Shelf, Vector};
use crate::model::{Edge, Id, Memory};
use crate::store::{
    Committed, Durability, DurableStorage, DurableStore, IndexedDbStore, LogRange, MemoryStore, Seq, Store,
};
use std::pin::Pin;

/// One of the stores that this build has.
#[derive(Debug)]
pub(super) enum AnyStore {
    IndexedDb(IndexedDbStore),
    Durable(DurableStore),
    Memory(MemoryStore),
}

impl AnyStore {
    /// Opens what the options ask for, in a Durable Object where its storage is given.
    pub(super) async fn open(options: &OpenOptions, object: Option<DurableStorage>) -> Result<Self> {
        if let Some(storage) = object {
            return Ok(Self::Durable(DurableStore::open(storage)?));
        }
        let has_indexeddb = js_sys::Reflect::get(&js_sys::global(), &"indexedDB".into()).is_ok_and(|v| v.is_object());
        let default = if has_indexeddb { Backend::Indexeddb } else { Backend::Memory };
        Ok(match options.store.unwrap_or(default) {
            Backend::Memory => Self::Memory(MemoryStore::default()),
            Backend::Indexeddb => {
                let durability = match options.durability.unwrap_or_default() {
                    DurabilityOption::Relaxed => Durability::Relaxed,
                    DurabilityOption::Strict => Durability::Strict,
                };
                Self::IndexedDb(IndexedDbStore::open(options.database()?, durability).await?)
            }
        })
    }
}

/// A call of a store under way. In a box, so that those who wait for it do not hold its states in theirs.
type Call<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + 'a>>;

/// Passes a call on to the store there is.
macro_rules! pass {
    ($self:ident . $method:ident ( $($arg:expr),* )) => {{
        let call: Call<'_, _> = match $self {
            Self::IndexedDb(store) => Box::pin(store.$method($($arg),*)),
            Self::Durable(store) => Box::pin(store.$method($($arg),*)),
            Self::Memory(store) => Box::pin(store.$method($($arg),*)),
        };
        call.await
    }};
}

impl Store for AnyStore {
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        pass!(self.commit_all(sets))
    }
    async fn head(&self) -> Result<Seq> {
        pass!(self.head())
    }
    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        pass!(self.memories(ids))
    }
    async fn snapshot(&self, ids: &[Id]) -> Result<(Seq, Vec<Option<Memory>>)> {
        pass!(self.snapshot(ids))
    }
    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        pass!(self.page(after, limit))
    }
    async fn vectors(&self, ids: &[Id]) -> Result<Vec<Option<Vector>>> {
        pass!(self.vectors(ids))
    }
    async fn edges(&self, id: Id) -> Result<Vec<Edge>> {
        pass!(self.edges(id))
    }
    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        pass!(self.edge_page(after, limit))
    }
    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        pass!(self.log(range))
    }
    async fn link(&self, seq: Option<Seq>) -> Result<Option<(Seq, String)>> {
        pass!(self.link(seq))
    }
    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        pass!(self.entry(id))
    }
    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        pass!(self.entry_by_key(key))
    }
    async fn record(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>> {
        pass!(self.record(shelf, key))
    }
    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        pass!(self.each_record(shelf, keys))
    }
    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        pass!(self.records(shelf, after, limit))
    }
    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        pass!(self.keep(records))
    }
    async fn close(&self) -> Result<()> {
        pass!(self.close())
    }
}
