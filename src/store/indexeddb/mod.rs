//! [`IndexedDbStore`]: memories in the browser's IndexedDB. Records are plain objects that cross as one JSON text per
//! batch, which is several times faster than serde-wasm-bindgen.

mod commit;
mod connection;
mod failure;
mod record;
mod transaction;

use super::{Committed, LogRange, Seq, Store, check, closed};
use crate::consolidation::{ChangeSet, LogEntry, Record, Shelf};
use crate::model::{Edge, Id, Memory};
use crate::{Code, Error, Result};
use async_trait::async_trait;
use commit::{Encoded, EncodedRecords};
use connection::Connection;
pub use connection::DurabilityOption;
use connection::STEPS;
use js_sys::Array;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use transaction::{EDGES, LOG, MEMORIES, RECORDS, Transaction, VECTORS};
use wasm_bindgen::JsValue;
use web_sys::{IdbKeyRange, IdbTransactionMode};

/// A store in one IndexedDB database. Several stores, also in other tabs and workers, may open the same database.
///
/// When the host closes the connection, the current call is retried on a new one, up to three times. When another tab
/// upgrades the database, every later call is [`Code::ConnectionLost`]; a new page with newer code is needed.
#[derive(Debug)]
pub struct IndexedDbStore {
    name: String,
    durability: DurabilityOption,
    connection: RefCell<Rc<Connection>>,
    closed: Cell<bool>,
}

/// Retries of a call after a lost connection; the user may clear site data several times in a row.
const RETRIES: usize = 3;

impl IndexedDbStore {
    /// Opens the database of this name, and creates or upgrades it where needed.
    ///
    /// # Errors
    /// [`Code::Unsupported`] if the host has no IndexedDB, [`Code::VersionTooNew`] if newer code made the database,
    /// [`Code::Blocked`] if a connection of older code holds it open, [`Code::Corrupt`] if another program made it,
    /// [`Code::QuotaExceeded`], [`Code::Storage`].
    pub async fn open(name: &str, durability: DurabilityOption) -> Result<Self> {
        let connection = RefCell::new(Rc::new(connect(name).await?));
        Ok(Self { name: name.to_owned(), durability, connection, closed: Cell::new(false) })
    }

    async fn read<T>(&self, stores: &[&str], work: impl AsyncFn(Transaction) -> Result<T>) -> Result<T> {
        self.run(stores, IdbTransactionMode::Readonly, work).await
    }

    /// Runs a transaction, and retries it when the host closes the connection meanwhile.
    async fn run<T>(
        &self,
        stores: &[&str],
        mode: IdbTransactionMode,
        work: impl AsyncFn(Transaction) -> Result<T>,
    ) -> Result<T> {
        for _ in 0..RETRIES {
            match work(self.begin(stores, mode).await?).await {
                Err(e) if self.was_lost(&e) => {}
                done => return done,
            }
        }
        work(self.begin(stores, mode).await?).await
    }

    async fn read_page(&self, store: &str, after: Option<Id>, limit: usize) -> Result<Array> {
        let after = after.map_or_else(|| JsValue::from_str(""), record::key);
        let keys = IdbKeyRange::lower_bound_with_open(&after, true).map_err(failure::of)?;
        self.read(&[store], async |t| t.range(store, &keys, limit).await).await
    }

    async fn read_entry(&self, index: &str, key: &JsValue) -> Result<Option<LogEntry>> {
        record::decode(&self.read(&[LOG], async |t| t.all_by(LOG, index, key).await).await?.get(0))
    }

    /// The outcome of each set after a lost commit; `None` if no set was written.
    async fn written(&self, sets: &[Encoded]) -> Result<Option<Vec<Committed>>> {
        let (mut done, mut any) = (Vec::with_capacity(sets.len()), false);
        for set in sets {
            let own = self.entry(set.id).await?;
            any |= own.is_some();
            done.push(match (own, &set.key) {
                (Some(entry), _) => Committed::Written(entry.seq),
                (None, Some(key)) => match self.read_entry("key", key).await? {
                    Some(earlier) => Committed::Replayed(Box::new(earlier)),
                    None => return Ok(None),
                },
                (None, None) => return Ok(None),
            });
        }
        Ok(any.then_some(done))
    }

    /// Whether the connection may be lost. If so, the next transaction opens a new one.
    fn was_lost(&self, error: &Error) -> bool {
        // Chromium reports a forced close as `UnknownError`, its name for any unexplained failure.
        let lost = matches!(error.code, Code::ConnectionLost | Code::Storage);
        if lost {
            self.connection.borrow().give_up();
        }
        lost
    }

    async fn begin(&self, stores: &[&str], mode: IdbTransactionMode) -> Result<Transaction> {
        if self.closed.get() {
            return Err(closed());
        }
        for _ in 0..RETRIES {
            let connection = Rc::clone(&self.connection.borrow());
            match connection.begin(stores, mode, self.durability) {
                Err(e) if e.code == Code::ConnectionLost && !connection.is_superseded() => {}
                begun => return begun,
            }
            let again = Rc::new(connect(&self.name).await?);
            if self.closed.get() {
                return Err(closed());
            }
            self.connection.replace(again);
        }
        let connection = Rc::clone(&self.connection.borrow());
        connection.begin(stores, mode, self.durability)
    }
}

#[async_trait(?Send)]
impl Store for IndexedDbStore {
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        sets.iter().try_for_each(check::check_set)?;
        let sets: Vec<Encoded> = sets.into_iter().map(Encoded::new).collect::<Result<_>>()?;
        let stores = [MEMORIES, VECTORS, EDGES, LOG, RECORDS];
        let begin = async || self.begin(&stores, IdbTransactionMode::Readwrite).await;
        for _ in 0..RETRIES {
            match Encoded::write(&sets, begin().await?).await {
                // The commit may or may not have reached the disk; the log entries show which.
                Err(e) if self.was_lost(&e) => {
                    if let Some(done) = self.written(&sets).await? {
                        return Ok(done);
                    }
                }
                done => return done,
            }
        }
        Encoded::write(&sets, begin().await?).await
    }

    async fn head(&self) -> Result<Seq> {
        self.read(&[LOG], async |t| t.head().await).await
    }

    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        if ids.is_empty() && !self.closed.get() {
            return Ok(Vec::new());
        }
        let keys: Vec<JsValue> = ids.iter().map(|id| record::key(*id)).collect();
        record::decode_all(&self.read(&[MEMORIES], async |t| t.get_each(MEMORIES, &keys).await).await?)
    }

    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        record::decode_all(&self.read_page(MEMORIES, after, limit).await?)
    }

    async fn edges(&self, id: Id) -> Result<Vec<Edge>> {
        self.edges_at(&[id]).await
    }

    async fn edges_at(&self, ids: &[Id]) -> Result<Vec<Edge>> {
        let work = async |t: Transaction| {
            let mut all = Array::new();
            for key in ids.iter().map(|id| record::key(*id)) {
                let (from, to) = (t.all_by(EDGES, "from", &key).await?, t.all_by(EDGES, "to", &key).await?);
                all = all.concat(&from).concat(&to);
            }
            Ok(all)
        };
        let mut edges: Vec<Edge> = record::decode_all(&self.read(&[EDGES], work).await?)?;
        edges.sort_by_key(|edge| edge.id);
        edges.dedup_by_key(|e| e.id);
        Ok(edges)
    }

    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        record::decode_all(&self.read_page(EDGES, after, limit).await?)
    }

    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        let work = async |t: Transaction| {
            let mut after = range.after;
            if let (true, Some(limit)) = (range.newest_first, range.limit) {
                // Numbers have no gaps, so the newest `limit` entries follow number head - limit.
                after = after.max(t.head().await?.saturating_sub(limit as Seq));
            }
            let keys = IdbKeyRange::lower_bound_with_open(&JsValue::from(after as f64), true).map_err(failure::of)?;
            t.range(LOG, &keys, range.limit.unwrap_or(usize::MAX)).await
        };
        let mut entries: Vec<LogEntry> = record::decode_all(&self.read(&[LOG], work).await?)?;
        if range.newest_first {
            entries.reverse();
        }
        Ok(entries)
    }

    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        self.read_entry("id", &record::key(id)).await
    }

    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        self.read_entry("key", &JsValue::from_str(key)).await
    }

    async fn record(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.each_record(shelf, &[key.to_owned()]).await?.pop().flatten())
    }

    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        let keys: Vec<JsValue> = keys.iter().map(|key| record::side_key(shelf, key)).collect();
        let found = self.read(&[RECORDS], async |t| t.get_each(RECORDS, &keys).await).await?;
        found.iter().map(|record| record::bytes_of(&record)).collect()
    }

    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        // `0` follows `/` in ASCII: above all keys of the shelf.
        let end = JsValue::from_str(&format!("{}0", shelf.as_str()));
        let start = record::side_key(shelf, after.unwrap_or_default());
        let keys = IdbKeyRange::bound_with_lower_open_and_upper_open(&start, &end, after.is_some(), true);
        let keys = keys.map_err(failure::of)?;
        let found = self.read(&[RECORDS], async |t| t.range(RECORDS, &keys, limit).await).await?;
        found.iter().map(|r| record::named_bytes_of(shelf, &r)).collect()
    }

    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        check::check_keys(&records)?;
        let encoded = EncodedRecords::new(records)?;
        // If the first write did succeed, a retry may report a conflict. Callers tolerate that.
        self.run(&[RECORDS], IdbTransactionMode::Readwrite, async |t| encoded.write(t).await).await
    }

    async fn close(&self) -> Result<()> {
        self.closed.set(true);
        self.connection.borrow().close();
        Ok(())
    }
}

/// Opens the database, and retries once if the host closed it right after its upgrade.
async fn connect(name: &str) -> Result<Connection> {
    match Connection::open(name, STEPS).await {
        Err(e) if e.code == Code::ConnectionLost => Connection::open(name, STEPS).await,
        done => done,
    }
}

#[cfg(test)]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
