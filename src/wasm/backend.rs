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
use js_sys::Function;
use serde::Serialize;
use std::cell::Cell;
use std::pin::Pin;
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue};

#[derive(Debug)]
enum StoreKind {
    IndexedDb(IndexedDbStore),
    Durable(DurableStore),
    Adapter(AdapterStore),
    Memory(MemoryStore),
}

#[derive(Debug)]
pub(super) struct AnyStore {
    kind: StoreKind,
    listener: Option<Function>,
    format: StoredFormat,
}

/// Tracks memories of format 1, which stored days as times in the owner's zone, and converts them on reading.
#[derive(Debug, Default)]
struct StoredFormat {
    zone: Zone,
    /// Memories last updated before this time are of format 1; `None` if there are none.
    before: Option<Time>,
    /// Whether the store already has the format record.
    noted: Cell<bool>,
}

/// The key of the record with the time of the switch to format 2.
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
        let kind = Self::kind(options, storage).await?;
        let store = Self { kind, listener, format: StoredFormat::default() };
        let format = StoredFormat::read(&store, zone).await?;
        Ok(Self { format, ..store })
    }

    async fn kind(options: &OpenOptions, storage: Option<js_sys::Object>) -> Result<StoreKind> {
        if let Some(storage) = storage {
            let has_tables = js_sys::Reflect::has(&storage, &"sql".into()).unwrap_or(false);
            return Ok(if has_tables {
                StoreKind::Durable(DurableStore::open(storage.unchecked_into())?)
            } else {
                StoreKind::Adapter(AdapterStore::open(storage.unchecked_into()).await?)
            });
        }
        let has_indexeddb = js_sys::Reflect::get(&js_sys::global(), &"indexedDB".into()).is_ok_and(|v| v.is_object());
        let default = if has_indexeddb { Backend::Indexeddb } else { Backend::Memory };
        Ok(match options.store.unwrap_or(default) {
            Backend::Memory => StoreKind::Memory(MemoryStore::default()),
            Backend::Indexeddb => {
                let durability = options.durability.unwrap_or_default();
                StoreKind::IndexedDb(IndexedDbStore::open(options.database()?, durability).await?)
            }
        })
    }

    /// A temporary in-memory store without a listener.
    pub(super) fn scratch() -> Self {
        Self { kind: StoreKind::Memory(MemoryStore::default()), listener: None, format: StoredFormat::default() }
    }

    pub(super) fn is_in_process(&self) -> bool {
        matches!(self.kind, StoreKind::Memory(_))
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

/// The boxed future of a store call, which keeps the callers' futures small.
type Call<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + 'a>>;

macro_rules! dispatch {
    ($self:ident . $method:ident ( $($arg:expr),* )) => {{
        let call: Call<'_, _> = match &$self.kind {
            StoreKind::IndexedDb(store) => Box::pin(store.$method($($arg),*)),
            StoreKind::Durable(store) => Box::pin(store.$method($($arg),*)),
            StoreKind::Adapter(store) => Box::pin(store.$method($($arg),*)),
            StoreKind::Memory(store) => Box::pin(store.$method($($arg),*)),
        };
        call.await
    }};
}

/// Implements methods that only forward to the backend.
macro_rules! forward {
    ($($method:ident($($arg:ident: $of:ty),*) -> $gives:ty;)+) => {
        $(async fn $method(&self, $($arg: $of),*) -> Result<$gives> {
            dispatch!(self.$method($($arg),*))
        })+
    };
}

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
        let done = dispatch!(self.commit_all(sets))?;
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
        let found = dispatch!(self.memories(ids))?;
        Ok(found.into_iter().map(|m| m.map(|m| self.format.current(m))).collect())
    }
    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        Ok(dispatch!(self.page(after, limit))?.into_iter().map(|m| self.format.current(m)).collect())
    }
    forward! {
        head() -> Seq;
        edges(id: Id) -> Vec<Edge>;
        edges_at(ids: &[Id]) -> Vec<Edge>;
        edge_page(after: Option<Id>, limit: usize) -> Vec<Edge>;
        log(range: LogRange) -> Vec<LogEntry>;
        entry(id: Id) -> Option<LogEntry>;
        entry_by_key(key: &str) -> Option<LogEntry>;
        record(shelf: Shelf, key: &str) -> Option<Vec<u8>>;
        each_record(shelf: Shelf, keys: &[String]) -> Vec<Option<Vec<u8>>>;
        records(shelf: Shelf, after: Option<&str>, limit: usize) -> Vec<(String, Vec<u8>)>;
        keep(records: Vec<Record>) -> ();
        close() -> ();
    }
}
