//! [`DurableStore`]: memories in the SQLite database of a Durable Object. All calls are synchronous. In Node,
//! `src/wasm/entry/sqlite.ts` offers the same interface over a file, which other processes may have open too.

mod row;
mod storage;

use super::{Committed, LogRange, Seq, Store, check, closed, conflict};
use crate::Result;
use crate::consolidation::{ChangeSet, LogEntry, Record, Redacted, Shelf};
use crate::model::{Edge, Id, Memory};
use async_trait::async_trait;
use js_sys::Array;
use row::BoundStatement;
use std::cell::Cell;
pub use storage::Storage;
use wasm_bindgen::JsValue;

/// A store in the SQLite database of one Durable Object. Its tables do not collide with the object's own.
#[derive(Debug)]
pub struct DurableStore {
    storage: Storage,
    closed: Cell<bool>,
}

const LOG: &str = "SELECT body FROM memfold_log WHERE ";

impl DurableStore {
    /// Creates or upgrades the tables in this object's database where needed.
    ///
    /// # Errors
    /// [`crate::Code::VersionTooNew`] if newer code made the tables, [`crate::Code::QuotaExceeded`],
    /// [`crate::Code::Storage`].
    pub fn open(storage: Storage) -> Result<Self> {
        storage::prepare(&storage)?;
        Ok(Self { storage, closed: Cell::new(false) })
    }

    fn rows(&self, query: &str, bound: &[JsValue]) -> Result<Array> {
        if self.closed.get() { Err(closed()) } else { self.storage.run(query, bound) }
    }

    fn entry_where(&self, holds: &str, value: &str) -> Result<Option<LogEntry>> {
        let found = self.rows(&format!("{LOG}{holds}"), &[value.into()])?;
        Ok(row::decode_all(&found)?.pop())
    }

    fn read_head(&self) -> Result<Seq> {
        row::number(&self.rows("SELECT max(seq) FROM memfold_log", &[])?)
    }

    /// `Some` is the entry of an earlier set with this key, `None` permits the write, an error refuses it.
    fn admit(&self, set: &ChangeSet, head: Seq) -> Result<Option<LogEntry>> {
        if let Some(key) = &set.key
            && let Some(earlier) = self.entry_where("key = ?", key)?
        {
            return Ok(Some(earlier));
        }
        if set.base.is_some_and(|base| base != head) {
            return Err(conflict("the log has moved since the plan was made"));
        }
        for e in &set.expect {
            let found = self.rows("SELECT revision FROM memfold_memories WHERE id = ?", &[row::key(e.id)])?;
            let revision = if found.length() == 0 { None } else { Some(row::number(&found)?) };
            if revision != e.revision {
                return Err(conflict(format!("memory {} is not at the expected revision", e.id)));
            }
        }
        let seq_of = |id: Id| self.rows("SELECT seq FROM memfold_log WHERE id = ?", &[row::key(id)]);
        for entry in set.redacted.iter().map(Redacted::entry) {
            if row::number(&seq_of(entry.id)?)? != entry.seq {
                return Err(conflict("an entry to redact is not in the log"));
            }
        }
        if seq_of(set.entry.id)?.length() > 0 {
            return Err(conflict("the log has an entry of this id"));
        }
        self.check_expected(&set.records).map(|()| None)
    }

    fn check_expected(&self, records: &[Record]) -> Result<()> {
        for record in records {
            if let Some(expected) = &record.expect
                && self.value(record.shelf, &record.key)? != *expected
            {
                return Err(check::record_conflict(record));
            }
        }
        Ok(())
    }

    fn value(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>> {
        let query = "SELECT key, value FROM memfold_records WHERE shelf = ? AND key = ?";
        Ok(row::named_bytes(&self.rows(query, &[shelf.as_str().into(), key.into()])?)?.pop().map(|(_, value)| value))
    }

    fn write(&self, puts: &[BoundStatement]) -> Result<()> {
        puts.iter().try_for_each(|put| self.storage.run(put.query, &put.bound).map(drop))
    }

    fn memories_by_id(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        let query = "SELECT body FROM json_each(?) AS asked LEFT JOIN memfold_memories AS m ON m.id = asked.value ORDER BY asked.key";
        row::decode_all(&self.rows(query, &[row::keys(ids)?])?)
    }
}

#[async_trait(?Send)]
impl Store for DurableStore {
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        sets.iter().try_for_each(check::check_set)?;
        let (mut done, mut sets) = (Vec::with_capacity(sets.len()), sets.into_iter());
        self.storage.run_atomically(&mut || {
            // Read inside the transaction: another process may write to the same file.
            let mut head = self.read_head()?;
            for set in sets.by_ref() {
                if let Some(earlier) = self.admit(&set, head)? {
                    done.push(Committed::Replayed(Box::new(earlier)));
                    continue;
                }
                head += 1;
                self.write(&row::statements_for(set, head)?)?;
                done.push(Committed::Written(head));
            }
            Ok(())
        })?;
        Ok(done)
    }

    async fn head(&self) -> Result<Seq> {
        self.read_head()
    }

    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        self.memories_by_id(ids)
    }

    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        let query = "SELECT body FROM memfold_memories WHERE id > ? ORDER BY id LIMIT ?";
        row::decode_all(&self.rows(query, &[row::after(after), row::count(limit)])?)
    }

    async fn edges(&self, id: Id) -> Result<Vec<Edge>> {
        let query = "SELECT body FROM memfold_edges WHERE a = ? OR b = ? ORDER BY id";
        row::decode_all(&self.rows(query, &[row::key(id), row::key(id)])?)
    }

    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        let query = "SELECT body FROM memfold_edges WHERE id > ? ORDER BY id LIMIT ?";
        row::decode_all(&self.rows(query, &[row::after(after), row::count(limit)])?)
    }

    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        let order =
            if range.newest_first { "seq > ? ORDER BY seq DESC LIMIT ?" } else { "seq > ? ORDER BY seq LIMIT ?" };
        let bound = [(range.after as f64).into(), row::count(range.limit.unwrap_or(usize::MAX))];
        row::decode_all(&self.rows(&format!("{LOG}{order}"), &bound)?)
    }

    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        self.entry_where("id = ?", &id.to_string())
    }

    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        self.entry_where("key = ?", key)
    }

    async fn record(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>> {
        self.value(shelf, key)
    }

    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        // `None` begins at the first key, which may be "".
        let query = "SELECT key, value FROM memfold_records \
            WHERE shelf = ? AND (? IS NULL OR key > ?) ORDER BY key LIMIT ?";
        let after = after.map_or(JsValue::NULL, JsValue::from_str);
        row::named_bytes(&self.rows(query, &[shelf.as_str().into(), after.clone(), after, row::count(limit)])?)
    }

    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        check::check_keys(&records)?;
        let mut records = Some(records);
        self.storage.run_atomically(&mut || {
            self.read_head()?;
            let records = records.take().unwrap_or_default();
            self.check_expected(&records)?;
            self.write(&records.into_iter().map(row::put_record).collect::<Result<Vec<_>>>()?)
        })
    }

    async fn close(&self) -> Result<()> {
        self.closed.set(true);
        Ok(())
    }
}
