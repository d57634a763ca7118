//! [`IndexedDbStore`]: memories in the browser's database, from a page, a worker or an extension's service worker.
//!
//! It never awaits anything but its own requests inside a transaction, and never deletes a database.
//!
//! Records are plain objects, so that developer tools show them and indices find them. They cross as one JSON text
//! per batch: next to serde-wasm-bindgen that is several times faster and 20 KB smaller, and equally exact here.

mod commit;
mod connection;
mod failure;
mod record;
mod schema;
mod transaction;

use super::{Committed, LogRange, Seq, Store, check, closed};
use crate::consolidation::{ChangeSet, LogEntry, Record, Shelf, Vector};
use crate::model::{Edge, Id, Memory};
use crate::{Code, Error, Result};
use commit::{Encoded, EncodedRecords};
use connection::Connection;
use schema::{EDGES, LOG, MEMORIES, RECORDS, STEPS, VECTORS};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use transaction::Transaction;
use wasm_bindgen::JsValue;
use web_sys::{IdbKeyRange, IdbTransactionMode};

/// What a commit waits for before it says that it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// Until the system has the data; a power cut may take the last commits.
    #[default]
    Relaxed,
    /// Until the disk has it; about 2.5 times slower.
    Strict,
}

impl Durability {
    /// The wire string.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Strict => "strict",
        }
    }
}

/// A store in one IndexedDB database. Several, also of other tabs and workers, may be open on the same database.
///
/// When the host has closed the connection, the next call opens it again, once. When another tab upgraded the
/// database, this one lets it, and every later call is [`Code::ConnectionLost`]: that needs newer code, so a new page.
#[derive(Debug)]
pub struct IndexedDbStore {
    name: String,
    durability: Durability,
    connection: RefCell<Rc<Connection>>,
    closed: Cell<bool>,
}

impl IndexedDbStore {
    /// Opens the database of this name, and creates or upgrades it where needed.
    ///
    /// # Errors
    /// [`Code::Unsupported`] where the host has no IndexedDB, [`Code::VersionTooNew`] where newer code made the
    /// database, [`Code::Blocked`] where older code holds it open, [`Code::QuotaExceeded`], [`Code::Storage`].
    pub async fn open(name: &str, durability: Durability) -> Result<Self> {
        let connection = RefCell::new(Rc::new(Connection::open(name, STEPS).await?));
        Ok(Self { name: name.to_owned(), durability, connection, closed: Cell::new(false) })
    }

    async fn reading(&self, store: &str) -> Result<Transaction> {
        self.begin(&[store], IdbTransactionMode::Readonly).await
    }

    /// Begins a transaction, on a new connection where the host has closed the old one.
    async fn begin(&self, stores: &[&str], mode: IdbTransactionMode) -> Result<Transaction> {
        if self.closed.get() {
            return Err(closed());
        }
        let connection = Rc::clone(&self.connection.borrow());
        match connection.begin(stores, mode, self.durability) {
            Err(e) if e.code == Code::ConnectionLost && !connection.is_superseded() => {}
            begun => return begun,
        }
        let again = Rc::new(Connection::open(&self.name, STEPS).await?);
        if self.closed.get() {
            return Err(closed());
        }
        self.connection.replace(Rc::clone(&again));
        again.begin(stores, mode, self.durability)
    }
}

impl Store for IndexedDbStore {
    async fn commit(&self, set: ChangeSet) -> Result<Committed> {
        check::writable(&set)?;
        let encoded = Encoded::new(set)?;
        let stores = [MEMORIES, VECTORS, EDGES, LOG, RECORDS];
        encoded.write(self.begin(&stores, IdbTransactionMode::Readwrite).await?).await
    }

    async fn head(&self) -> Result<Seq> {
        self.reading(LOG).await?.head().await
    }

    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        let found = self.reading(MEMORIES).await?.each(MEMORIES, ids).await?;
        record::decode_all(&found)
    }

    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        let found = self.reading(MEMORIES).await?.page(MEMORIES, after, limit).await?;
        record::decode_all(&found)
    }

    async fn vectors(&self, ids: &[Id]) -> Result<Vec<Option<Vector>>> {
        let found = self.reading(VECTORS).await?.each(VECTORS, ids).await?;
        record::decode_vectors(&found)
    }

    async fn edges(&self, id: Id) -> Result<Vec<Edge>> {
        let transaction = self.reading(EDGES).await?;
        let mut edges: Vec<Edge> = Vec::new();
        for end in ["from", "to"] {
            edges.extend(record::decode_all::<Edge>(&transaction.all_by(EDGES, end, &record::key(id)).await?)?);
        }
        crate::order::sort(&mut edges, |a, b| a.id.cmp(&b.id));
        edges.dedup_by_key(|e| e.id);
        Ok(edges)
    }

    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        let found = self.reading(EDGES).await?.page(EDGES, after, limit).await?;
        record::decode_all(&found)
    }

    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        let transaction = self.reading(LOG).await?;
        let mut after = range.after;
        if let (true, Some(limit)) = (range.newest_first, range.limit) {
            // Numbers have no gaps: the newest `limit` are those after head - limit.
            after = after.max(transaction.head().await?.saturating_sub(limit as Seq));
        }
        let keys = IdbKeyRange::lower_bound_with_open(&JsValue::from(after as f64), true).map_err(failure::of)?;
        let limit = range.limit.unwrap_or(usize::MAX);
        let mut entries: Vec<LogEntry> = record::decode_all(&transaction.range(LOG, &keys, limit).await?)?;
        if range.newest_first {
            entries.reverse();
        }
        Ok(entries)
    }

    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        let found = self.reading(LOG).await?.one_by(LOG, "id", &record::key(id)).await?;
        record::decode(&found)
    }

    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        let found = self.reading(LOG).await?.one_by(LOG, "key", &JsValue::from_str(key)).await?;
        record::decode(&found)
    }

    async fn record(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>> {
        let transaction = self.reading(RECORDS).await?;
        let store = transaction.store(RECORDS).map_err(failure::of)?;
        let request = store.get(&record::side_key(shelf, key)).map_err(failure::of)?;
        record::bytes_of(&transaction.result(&request).await?)
    }

    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        // Above all names of the shelf: the character that follows the slash.
        let end = JsValue::from_str(&format!("{}0", shelf.as_str()));
        let start = record::side_key(shelf, after.unwrap_or_default());
        let keys = IdbKeyRange::bound_with_lower_open_and_upper_open(&start, &end, after.is_some(), true);
        let found = self.reading(RECORDS).await?.range(RECORDS, &keys.map_err(failure::of)?, limit).await?;
        found.iter().map(|r| record::named_bytes_of(shelf, &r)).collect()
    }

    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        check::keepable(&records)?;
        let encoded = EncodedRecords::new(records)?;
        encoded.write(self.begin(&[RECORDS], IdbTransactionMode::Readwrite).await?).await
    }

    async fn close(&self) -> Result<()> {
        self.closed.set(true);
        self.connection.borrow().close();
        Ok(())
    }
}

/// The error of a connection that the host or another tab took away.
fn lost() -> Error {
    Error::new(Code::ConnectionLost, "the connection to the database was lost")
}

#[cfg(test)]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
