//! [`AnyStore`]: the storage backend chosen by the options.

use super::error::write;
use super::options::{Backend, OpenOptions};
use super::platform::Host;
use crate::Result;
use crate::consolidation::{Action, ChangeSet, LogEntry, Record, Shelf};
use crate::decision::Decision;
use crate::engine::Platform;
use crate::model::{Edge, Id, Memory, Time, Zone};
use crate::store::{AdapterStore, Committed, DurableStore, IndexedDbStore, LogRange, MemoryStore, Seq, Store};
use async_trait::async_trait;
use js_sys::Function;
use serde::Serialize;
use std::cell::Cell;
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue};

#[derive(Debug)]
pub(super) struct AnyStore {
    inner: Box<dyn Store>,
    pub(super) is_in_process: bool,
    listener: Option<Function>,
    format: StoredFormat,
}

/// Tracks memories of format 1, which stored days as times in the owner's zone, and converts them on reading.
#[derive(Debug, Default)]
struct StoredFormat {
    zone: Zone,
    /// Memories last updated before this time are of format 1; `None` if there are none.
    before: Option<Time>,
    noted: Cell<bool>,
}

const DAYS_SINCE: &str = "days";

impl StoredFormat {
    async fn read(store: &AnyStore, zone: Zone) -> Result<Self> {
        let noted = store.record(Shelf::Format, DAYS_SINCE).await?;
        let before = match &noted {
            Some(time) => std::str::from_utf8(time).ok().and_then(|time| time.parse().ok()),
            None if store.head().await? > 0 => Some(Host.now()),
            None => None,
        };
        Ok(Self { zone, before, noted: Cell::new(noted.is_some()) })
    }

    fn current(&self, memory: Memory) -> Memory {
        if self.before.is_some_and(|t| memory.updated_at < t) { memory.of_format_1(self.zone) } else { memory }
    }
}

/// The result of a commit, for change listeners.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// The number of the commit.
    pub seq: u64,
    /// The id of its log entry.
    pub entry: Id,
    /// The action.
    pub action: Action,
    /// The decision.
    pub decision: Decision,
    /// The ids of all written memories.
    pub ids: Vec<Id>,
}

impl AnyStore {
    pub(super) async fn open(
        options: &OpenOptions,
        zone: Zone,
        storage: Option<js_sys::Object>,
        listener: Option<Function>,
    ) -> Result<Self> {
        let (inner, is_in_process) = Self::backend(options, storage).await?;
        let store = Self { inner, is_in_process, listener, format: StoredFormat::default() };
        let format = StoredFormat::read(&store, zone).await?;
        Ok(Self { format, ..store })
    }

    async fn backend(options: &OpenOptions, storage: Option<js_sys::Object>) -> Result<(Box<dyn Store>, bool)> {
        if let Some(storage) = storage {
            let has_tables = js_sys::Reflect::has(&storage, &"sql".into()).unwrap_or(false);
            let store: Box<dyn Store> = if has_tables {
                Box::new(DurableStore::open(storage.unchecked_into())?)
            } else {
                Box::new(AdapterStore::open(storage.unchecked_into()).await?)
            };
            return Ok((store, false));
        }
        let has_indexeddb = js_sys::Reflect::get(&js_sys::global(), &"indexedDB".into()).is_ok_and(|v| v.is_object());
        let default = if has_indexeddb { Backend::Indexeddb } else { Backend::Memory };
        Ok(match options.store.unwrap_or(default) {
            Backend::Memory => (Box::new(MemoryStore::default()), true),
            Backend::Indexeddb => {
                let durability = options.durability.unwrap_or_default();
                (Box::new(IndexedDbStore::open(options.database()?, durability).await?), false)
            }
        })
    }

    /// Notifies the listener; it cannot make the commit fail.
    fn notify(&self, written: Vec<Written>) {
        if let Some(listener) = self.listener.as_ref().filter(|_| !written.is_empty())
            && let Ok(value) = write(&written)
        {
            let _ = listener.call1(&JsValue::UNDEFINED, &value);
        }
    }
}

#[async_trait(?Send)]
impl Store for AnyStore {
    async fn commit_all(&self, mut sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        if let Some(first) = sets.first_mut().filter(|_| !self.format.noted.get()) {
            let since = self.format.before.unwrap_or(Time::MIN).to_string().into_bytes();
            first.records.push(Record::put(Shelf::Format, DAYS_SINCE, since));
        }
        let about = |set: &ChangeSet| {
            let e = &set.entry;
            Written { seq: 0, entry: e.id, action: e.action, decision: e.decision, ids: e.touched.clone() }
        };
        let planned: Vec<Written> = sets.iter().filter(|_| self.listener.is_some()).map(about).collect();
        let done = self.inner.commit_all(sets).await?;
        self.format.noted.set(true);
        let mut written = Vec::new();
        for (what, done) in planned.into_iter().zip(&done) {
            if let Committed::Written(seq) = done {
                written.push(Written { seq: *seq, ..what });
            }
        }
        self.notify(written);
        Ok(done)
    }
    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        let found = self.inner.memories(ids).await?;
        Ok(found.into_iter().map(|m| m.map(|m| self.format.current(m))).collect())
    }
    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        Ok(self.inner.page(after, limit).await?.into_iter().map(|m| self.format.current(m)).collect())
    }
    async fn head(&self) -> Result<Seq> {
        self.inner.head().await
    }
    async fn edges(&self, id: Id) -> Result<Vec<Edge>> {
        self.inner.edges(id).await
    }
    async fn edges_at(&self, ids: &[Id]) -> Result<Vec<Edge>> {
        self.inner.edges_at(ids).await
    }
    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        self.inner.edge_page(after, limit).await
    }
    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        self.inner.log(range).await
    }
    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        self.inner.entry(id).await
    }
    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        self.inner.entry_by_key(key).await
    }
    async fn record(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>> {
        self.inner.record(shelf, key).await
    }
    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        self.inner.each_record(shelf, keys).await
    }
    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        self.inner.records(shelf, after, limit).await
    }
    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        self.inner.keep(records).await
    }
    async fn close(&self) -> Result<()> {
        self.inner.close().await
    }
}
