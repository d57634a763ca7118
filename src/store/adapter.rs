//! [`AdapterStore`]: memories in a store of the application, which is an ordered map from texts to texts.
//!
//! [`HEAD`] changes with every write. A batch is written only if the head is still what was read before all other
//! values, so writers never overwrite each other, whatever the adapter does between two calls.

use super::{Committed, LogRange, Seq, Store, check, closed, conflict};
use crate::consolidation::{ChangeSet, LogEntry, Record, Redacted, Shelf};
use crate::model::{Edge, Id, Memory};
use crate::{Code, Error, Result, json};
use async_trait::async_trait;
use js_sys::{Promise, Reflect};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// The application's store: `StorageAdapter` in `src/wasm/entry/storage.ts`.
    #[derive(Debug, Clone)]
    pub type StorageAdapter;
    #[wasm_bindgen(method, catch)]
    fn get(this: &StorageAdapter, keys: JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn list(this: &StorageAdapter, range: JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn commit(this: &StorageAdapter, batch: JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    fn btoa(bytes: &str) -> Result<String, JsValue>;
    #[wasm_bindgen(catch)]
    fn atob(text: &str) -> Result<String, JsValue>;
}

/// A store over an application's adapter.
#[derive(Debug)]
pub struct AdapterStore {
    adapter: StorageAdapter,
    closed: Cell<bool>,
}

const HEAD: &str = "head";
const FORMAT: u32 = 1;
const TRIES: usize = 200;

/// The value of [`HEAD`]. `version` counts batches, `seq` commits.
#[derive(Debug, Default, Serialize, Deserialize)]
struct AdapterHead {
    format: u32,
    version: u64,
    seq: Seq,
}

#[derive(Serialize)]
struct AdapterRange {
    after: String,
    before: String,
    limit: u32,
    reverse: bool,
}

#[derive(Serialize)]
struct AdapterBatch {
    head: Option<String>,
    put: Vec<(String, String)>,
    remove: Vec<String>,
}

/// A write in preparation: the values that it depends on, with its own changes.
struct AdapterDraft {
    head: AdapterHead,
    values: BTreeMap<String, Option<String>>,
    changed: BTreeSet<String>,
}

/// A log entry's number has a fixed length, so that numbers are ordered as texts.
fn log_key(seq: Seq) -> String {
    format!("log/{seq:016}")
}
fn end_keys(edge: &Edge) -> [String; 2] {
    [edge.from, edge.to].map(|end| format!("end/{end}/{}", edge.id))
}
/// Written as JSON, an idempotency key has no control characters.
fn name_key(key: &str) -> Result<String> {
    Ok(format!("key/{}", json::write(&key)?))
}
fn record_key(shelf: Shelf, key: &str) -> String {
    format!("record/{}/={key}", shelf.as_str())
}

fn corrupt(why: &str) -> Error {
    Error::new(Code::Corrupt, "a stored record cannot be read").with_cause(why)
}
fn decode<T: DeserializeOwned>(text: &str) -> Result<T> {
    json::read(text, "record").map_err(|e| corrupt(&e.message))
}
fn to_base64(bytes: &[u8]) -> Result<String> {
    btoa(&bytes.iter().map(|byte| char::from(*byte)).collect::<String>()).map_err(failure)
}
fn from_base64(text: &str) -> Result<Vec<u8>> {
    let bytes = atob(text).map_err(|_| corrupt("a side record is not base64"))?;
    Ok(bytes.chars().map(|c| c as u8).collect())
}

/// The error for a rejected call; an adapter may reject with one of memfold's codes.
fn failure(thrown: impl Into<JsValue>) -> Error {
    let thrown = thrown.into();
    let field = |name: &str| Reflect::get(&thrown, &name.into()).ok().and_then(|text| text.as_string());
    let code = field("code").and_then(|code| Code::ALL.iter().copied().find(|known| known.as_str() == code));
    let cause = field("message").unwrap_or_else(|| format!("{thrown:?}"));
    Error::new(code.unwrap_or(Code::Storage), "the storage adapter failed").with_cause(cause)
}

impl AdapterStore {
    /// Opens the store behind an adapter.
    ///
    /// # Errors
    /// [`Code::VersionTooNew`] if newer code wrote it, [`Code::Storage`].
    pub async fn open(adapter: StorageAdapter) -> Result<Self> {
        let store = Self { adapter, closed: Cell::new(false) };
        let format = store.read_head().await?.1.format;
        let message = "the store was written by a newer version of memfold";
        if format > FORMAT { Err(Error::new(Code::VersionTooNew, message)) } else { Ok(store) }
    }

    /// Calls the adapter, whose result need not be a promise.
    async fn call<T: DeserializeOwned>(
        &self,
        method: fn(&StorageAdapter, JsValue) -> Result<JsValue, JsValue>,
        given: &impl Serialize,
    ) -> Result<T> {
        if self.closed.get() {
            return Err(closed());
        }
        let called = method(&self.adapter, serde_wasm_bindgen::to_value(given).map_err(failure)?).map_err(failure)?;
        let result = JsFuture::from(Promise::resolve(&called)).await.map_err(failure)?;
        serde_wasm_bindgen::from_value(result).map_err(failure)
    }

    async fn texts(&self, keys: &[String]) -> Result<Vec<Option<String>>> {
        let found: Vec<_> = self.call(StorageAdapter::get, &keys).await?;
        if found.len() == keys.len() { Ok(found) } else { Err(failure("`get` gave no value for each key")) }
    }

    async fn values<T: DeserializeOwned>(&self, keys: &[String]) -> Result<Vec<Option<T>>> {
        self.texts(keys).await?.iter().map(|text| text.as_deref().map(decode).transpose()).collect()
    }

    async fn list(&self, kind: &str, after: &str, limit: usize, reverse: bool) -> Result<Vec<(String, String)>> {
        // `0` is the character after the slash.
        let (after, before) = (format!("{kind}/{after}"), format!("{kind}0"));
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        self.call(StorageAdapter::list, &AdapterRange { after, before, limit, reverse }).await
    }

    async fn page_of<T: DeserializeOwned>(&self, kind: &str, after: Option<Id>, limit: usize) -> Result<Vec<T>> {
        let found = self.list(kind, &after.map_or_else(String::new, |id| id.to_string()), limit, false).await?;
        found.iter().map(|(_, text)| decode(text)).collect()
    }

    async fn entry_at(&self, key: String) -> Result<Option<LogEntry>> {
        let Some(seq) = self.values(&[key]).await?.pop().flatten() else { return Ok(None) };
        Ok(self.values(&[log_key(seq)]).await?.pop().flatten())
    }

    async fn read_head(&self) -> Result<(Option<String>, AdapterHead)> {
        let text = self.texts(&[HEAD.to_owned()]).await?.pop().flatten();
        let head = text.as_deref().map(decode).transpose()?.unwrap_or_default();
        Ok((text, head))
    }

    /// Prepares a write over the values of `keys`, and repeats that until no other writer was faster.
    async fn write<T>(&self, keys: &[String], prepare: impl Fn(&mut AdapterDraft) -> Result<T>) -> Result<T> {
        for _ in 0..TRIES {
            let (before, head) = self.read_head().await?;
            let values = keys.iter().cloned().zip(self.texts(keys).await?).collect();
            let mut draft = AdapterDraft { head, values, changed: BTreeSet::new() };
            let done = prepare(&mut draft)?;
            if draft.changed.is_empty() || self.call(StorageAdapter::commit, &draft.batch(before)?).await? {
                return Ok(done);
            }
        }
        Err(conflict("other writers were always faster"))
    }
}

impl AdapterDraft {
    fn batch(mut self, before: Option<String>) -> Result<AdapterBatch> {
        let head = AdapterHead { format: FORMAT, version: self.head.version + 1, ..self.head };
        let (mut put, mut remove) = (vec![(HEAD.to_owned(), json::write(&head)?)], Vec::new());
        for key in self.changed {
            match self.values.remove(&key).flatten() {
                Some(value) => put.push((key, value)),
                None => remove.push(key),
            }
        }
        Ok(AdapterBatch { head: before, put, remove })
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).and_then(Option::as_deref)
    }

    fn put(&mut self, key: String, value: Option<String>) {
        self.changed.insert(key.clone());
        self.values.insert(key, value);
    }

    fn put_records(&mut self, records: &[Record]) -> Result<()> {
        for record in records {
            let found = self.get(&record_key(record.shelf, &record.key)).map(from_base64).transpose()?;
            if record.expect.as_ref().is_some_and(|expected| *expected != found) {
                return Err(check::record_conflict(record));
            }
        }
        for record in records {
            self.put(record_key(record.shelf, &record.key), record.value.as_deref().map(to_base64).transpose()?);
        }
        Ok(())
    }

    fn remove_edge(&mut self, id: Id) -> Result<()> {
        let key = format!("edge/{id}");
        if let Some(edge) = self.get(&key).map(decode).transpose()? {
            end_keys(&edge).into_iter().chain([key]).for_each(|key| self.put(key, None));
        }
        Ok(())
    }

    /// Adds a set. The result is the number of its entry, and whether that was written before.
    fn add(&mut self, set: &ChangeSet) -> Result<(Seq, bool)> {
        let key = set.key.as_deref().map(name_key).transpose()?;
        if let Some(earlier) = key.as_deref().and_then(|key| self.get(key)) {
            return Ok((decode(earlier)?, true));
        }
        if set.base.is_some_and(|base| base != self.head.seq) {
            return Err(conflict("the log has moved since the plan was made"));
        }
        for e in &set.expect {
            let found: Option<Memory> = self.get(&format!("memory/{}", e.id)).map(decode).transpose()?;
            if found.map(|m| m.revision) != e.revision {
                return Err(conflict(format!("memory {} is not at the expected revision", e.id)));
            }
        }
        let seq_of = |id: Id| self.get(&format!("entry/{id}")).map(decode::<Seq>).transpose();
        for entry in set.redacted.iter().map(Redacted::entry) {
            if seq_of(entry.id)? != Some(entry.seq) {
                return Err(conflict("an entry to redact is not in the log"));
            }
        }
        if seq_of(set.entry.id)?.is_some() {
            return Err(conflict("the log has an entry of this id"));
        }
        self.put_records(&set.records)?;
        self.head.seq += 1;
        for m in &set.memories {
            self.put(format!("memory/{}", m.id), Some(json::write(m)?));
        }
        for e in &set.edges {
            self.remove_edge(e.id)?;
            self.put(format!("edge/{}", e.id), Some(json::write(e)?));
            end_keys(e).into_iter().for_each(|key| self.put(key, Some(e.id.to_string())));
        }
        set.removed_edges.iter().try_for_each(|id| self.remove_edge(*id))?;
        let seq = self.head.seq;
        let own = LogEntry { seq, key: set.key.clone(), ..set.entry.clone() };
        for entry in set.redacted.iter().map(Redacted::entry).chain([&own]) {
            self.put(log_key(entry.seq), Some(json::write(entry)?));
        }
        for key in key.into_iter().chain([format!("entry/{}", own.id)]) {
            self.put(key, Some(seq.to_string()));
        }
        Ok((seq, false))
    }
}

fn keys_of(set: &ChangeSet) -> Result<Vec<String>> {
    let edges = set.edges.iter().map(|e| e.id).chain(set.removed_edges.iter().copied());
    let entries = set.redacted.iter().map(|r| r.entry().id).chain([set.entry.id]);
    let mut keys: Vec<_> = edges.map(|id| format!("edge/{id}")).collect();
    keys.extend(entries.map(|id| format!("entry/{id}")));
    keys.extend(set.expect.iter().map(|e| format!("memory/{}", e.id)));
    keys.extend(set.records.iter().map(|r| record_key(r.shelf, &r.key)));
    keys.extend(set.key.as_deref().map(name_key).transpose()?);
    Ok(keys)
}

#[async_trait(?Send)]
impl Store for AdapterStore {
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        sets.iter().try_for_each(check::check_set)?;
        let keys = sets.iter().map(keys_of).collect::<Result<Vec<_>>>()?.concat();
        let mut done = Vec::with_capacity(sets.len());
        for (seq, was_written) in
            self.write(&keys, |draft| sets.iter().map(|set| draft.add(set)).collect::<Result<Vec<_>>>()).await?
        {
            done.push(if was_written {
                let entry = self.values(&[log_key(seq)]).await?.pop().flatten();
                Committed::Replayed(entry.ok_or_else(|| corrupt("a log entry is missing"))?)
            } else {
                Committed::Written(seq)
            });
        }
        Ok(done)
    }

    async fn head(&self) -> Result<Seq> {
        Ok(self.read_head().await?.1.seq)
    }

    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        self.values(&ids.iter().map(|id| format!("memory/{id}")).collect::<Vec<_>>()).await
    }

    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        self.page_of("memory", after, limit).await
    }

    async fn edges(&self, id: Id) -> Result<Vec<Edge>> {
        let found = self.list(&format!("end/{id}"), "", usize::MAX, false).await?;
        // Another writer may have removed one meanwhile.
        let edges = self.values(&found.iter().map(|(_, edge)| format!("edge/{edge}")).collect::<Vec<_>>()).await?;
        Ok(edges.into_iter().flatten().collect())
    }

    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        self.page_of("edge", after, limit).await
    }

    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        let limit = range.limit.unwrap_or(usize::MAX);
        let found = self.list("log", &format!("{:016}", range.after), limit, range.newest_first).await?;
        found.iter().map(|(_, text)| decode(text)).collect()
    }

    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        self.entry_at(format!("entry/{id}")).await
    }

    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        self.entry_at(name_key(key)?).await
    }

    async fn record(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.each_record(shelf, &[key.to_owned()]).await?.pop().flatten())
    }

    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        let keys: Vec<_> = keys.iter().map(|key| record_key(shelf, key)).collect();
        self.texts(&keys).await?.iter().map(|text| text.as_deref().map(from_base64).transpose()).collect()
    }

    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        let after = after.map_or_else(String::new, |after| format!("={after}"));
        let found = self.list(&format!("record/{}", shelf.as_str()), &after, limit, false).await?;
        let start = record_key(shelf, "").len();
        found.iter().map(|(key, value)| Ok((key[start..].to_owned(), from_base64(value)?))).collect()
    }

    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        check::check_keys(&records)?;
        let keys: Vec<_> = records.iter().map(|r| record_key(r.shelf, &r.key)).collect();
        self.write(&keys, |draft| draft.put_records(&records)).await
    }

    async fn close(&self) -> Result<()> {
        self.closed.set(true);
        Ok(())
    }
}
