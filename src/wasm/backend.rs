//! The store that the options choose.

use super::error::write;
use super::options::{Backend, OpenOptions};
use crate::Result;
use crate::consolidation::{Action, ChangeSet, LogEntry, Record, Shelf, Vector};
use crate::decision::Decision;
use crate::model::{Edge, Id, Memory};
use crate::store::{Committed, DurableStorage, DurableStore, IndexedDbStore, LogRange, MemoryStore, Seq, Store};
use js_sys::Function;
use serde::Serialize;
use std::pin::Pin;
use tsify::Tsify;
use wasm_bindgen::JsValue;

#[derive(Debug)]
enum StoreKind {
    IndexedDb(IndexedDbStore),
    Durable(DurableStore),
    Memory(MemoryStore),
}

/// One of the stores that this build has, and who hears what is written.
#[derive(Debug)]
pub(super) struct AnyStore {
    kind: StoreKind,
    told: Option<Function>,
}

/// What one commit wrote, for those who look at the memories.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// The number of the commit.
    pub seq: u64,
    /// Its entry in the log.
    pub entry: Id,
    /// What was done.
    pub action: Action,
    /// What was decided.
    pub decision: Decision,
    /// Every memory that was written.
    pub ids: Vec<Id>,
}

impl AnyStore {
    /// Opens what the options ask for, in a Durable Object where its storage is given.
    pub(super) async fn open(
        options: &OpenOptions,
        object: Option<DurableStorage>,
        told: Option<Function>,
    ) -> Result<Self> {
        if let Some(storage) = object {
            return Ok(Self { kind: StoreKind::Durable(DurableStore::open(storage)?), told });
        }
        let has_indexeddb = js_sys::Reflect::get(&js_sys::global(), &"indexedDB".into()).is_ok_and(|v| v.is_object());
        let default = if has_indexeddb { Backend::Indexeddb } else { Backend::Memory };
        let kind = match options.store.unwrap_or(default) {
            Backend::Memory => StoreKind::Memory(MemoryStore::default()),
            Backend::Indexeddb => {
                let durability = options.durability.unwrap_or_default();
                StoreKind::IndexedDb(IndexedDbStore::open(options.database()?, durability).await?)
            }
        };
        Ok(Self { kind, told })
    }

    /// A store of which nobody hears.
    pub(super) fn scratch() -> Self {
        Self { kind: StoreKind::Memory(MemoryStore::default()), told: None }
    }

    /// Whether it is gone with the process.
    pub(super) fn is_in_process(&self) -> bool {
        matches!(self.kind, StoreKind::Memory(_))
    }

    /// Says what was written. Whoever hears it cannot make it undone.
    fn tell(&self, written: Vec<Written>) {
        if let Some(told) = self.told.as_ref().filter(|_| !written.is_empty())
            && let Ok(value) = write(&written)
        {
            let _ = told.call1(&JsValue::UNDEFINED, &value);
        }
    }
}

/// A call of a store under way. In a box, so that those who wait for it do not hold its states in theirs.
type Call<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + 'a>>;

/// Passes a call on to the store there is.
macro_rules! pass {
    ($self:ident . $method:ident ( $($arg:expr),* )) => {{
        let call: Call<'_, _> = match &$self.kind {
            StoreKind::IndexedDb(store) => Box::pin(store.$method($($arg),*)),
            StoreKind::Durable(store) => Box::pin(store.$method($($arg),*)),
            StoreKind::Memory(store) => Box::pin(store.$method($($arg),*)),
        };
        call.await
    }};
}

/// The calls that are passed on as they are.
macro_rules! passed_on {
    ($($method:ident($($arg:ident: $of:ty),*) -> $gives:ty;)+) => {
        $(async fn $method(&self, $($arg: $of),*) -> Result<$gives> {
            pass!(self.$method($($arg),*))
        })+
    };
}

impl Store for AnyStore {
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        let about = |set: &ChangeSet| {
            let e = &set.entry;
            Written { seq: 0, entry: e.id, action: e.action, decision: e.decision, ids: e.touched.clone() }
        };
        let planned: Vec<Written> = sets.iter().filter(|_| self.told.is_some()).map(about).collect();
        let done = pass!(self.commit_all(sets))?;
        let mut written = Vec::new();
        for (what, done) in planned.into_iter().zip(&done) {
            if let Committed::Written(seq) = done {
                written.push(Written { seq: *seq, ..what });
            }
        }
        self.tell(written);
        Ok(done)
    }
    passed_on! {
        head() -> Seq;
        memories(ids: &[Id]) -> Vec<Option<Memory>>;
        snapshot(ids: &[Id]) -> (Seq, Vec<Option<Memory>>);
        page(after: Option<Id>, limit: usize) -> Vec<Memory>;
        vectors(ids: &[Id]) -> Vec<Option<Vector>>;
        edges(id: Id) -> Vec<Edge>;
        edges_at(ids: &[Id]) -> Vec<Edge>;
        edge_page(after: Option<Id>, limit: usize) -> Vec<Edge>;
        log(range: LogRange) -> Vec<LogEntry>;
        link(seq: Option<Seq>) -> Option<(Seq, String)>;
        entry(id: Id) -> Option<LogEntry>;
        entry_by_key(key: &str) -> Option<LogEntry>;
        record(shelf: Shelf, key: &str) -> Option<Vec<u8>>;
        each_record(shelf: Shelf, keys: &[String]) -> Vec<Option<Vec<u8>>>;
        records(shelf: Shelf, after: Option<&str>, limit: usize) -> Vec<(String, Vec<u8>)>;
        keep(records: Vec<Record>) -> ();
        close() -> ();
    }
}
