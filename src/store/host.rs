//! [`HostStore`]: memories in a store of the host: IndexedDB, SQLite, or an application's adapter.
//!
//! Values have keys: JSON texts of memories, edges and log entries under `memory/ID`, `edge/ID` and `log/NUMBER`, bytes
//! of side records under `record/SHELF/KEY`. `entry/ID` and `key/KEY` read the log entry of this id or idempotency key,
//! and removing `vector/ID` removes the vector that an earlier version stored of a memory.

use super::{Committed, LogRange, Seq, Store, check, closed, conflict};
use crate::consolidation::{ChangeSet, LogEntry, Record, Redacted, Shelf};
use crate::model::{Edge, Id, Memory, Time, Zone};
use crate::{Code, Error, Result, json};
use async_trait::async_trait;
use js_sys::{Array, Promise, Reflect, Uint8Array};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// The interface of `src/wasm/entry/backing.ts`. A result may be a promise.
    #[derive(Debug, Clone)]
    pub type HostStorage;
    #[wasm_bindgen(method, catch)]
    fn open(this: &HostStorage) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn head(this: &HostStorage) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn get(this: &HostStorage, keys: &Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn list(
        this: &HostStorage,
        kind: &str,
        after: Option<String>,
        limit: u32,
        reverse: bool,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn edges(this: &HostStorage, ids: &Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn update(this: &HostStorage, keys: &Array, plan: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn close(this: &HostStorage) -> Result<JsValue, JsValue>;
}

/// A store of the host.
#[derive(Debug)]
pub struct HostStore {
    host: HostStorage,
    closed: Cell<bool>,
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

/// A write in preparation: the values that it depends on, with its own changes. A missing value is undefined.
struct HostDraft {
    head: Seq,
    /// The connection was lost during an earlier try, which may have written everything.
    is_retry: bool,
    values: BTreeMap<String, JsValue>,
    changed: BTreeSet<String>,
}

#[derive(Deserialize)]
struct StoredRevision {
    revision: u64,
}

fn record_key(record: &Record) -> String {
    format!("record/{}/{}", record.shelf.as_str(), record.key)
}

fn array(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Array {
    texts.into_iter().map(|text| JsValue::from_str(text.as_ref())).collect()
}

fn text_of(value: &impl serde::Serialize) -> Result<JsValue> {
    Ok(json::write(value)?.into())
}

fn corrupt(key: &str, why: &str) -> Error {
    Error::new(Code::Corrupt, format!("the stored record {key} cannot be read")).with_cause(why)
}

fn decode<T: DeserializeOwned>(key: &str, value: &JsValue) -> Result<Option<T>> {
    if value.is_undefined() {
        return Ok(None);
    }
    let text = value.as_string().ok_or_else(|| corrupt(key, "it is no text"))?;
    json::read(&text, "record").map(Some).map_err(|e| corrupt(key, &e.message))
}

fn decode_all<T: DeserializeOwned>(found: &[(String, JsValue)]) -> Result<Vec<T>> {
    found.iter().filter_map(|(name, value)| decode(name, value).transpose()).collect()
}

fn bytes_of(key: &str, value: &JsValue) -> Result<Option<Vec<u8>>> {
    match value.dyn_ref::<Uint8Array>() {
        Some(bytes) => Ok(Some(bytes.to_vec())),
        None if value.is_undefined() => Ok(None),
        None => Err(corrupt(key, "it has no bytes")),
    }
}

/// The error for a failed call; the host's storage rejects with one of memfold's codes.
fn failure(thrown: JsValue) -> Error {
    let field = |name: &str| Reflect::get(&thrown, &name.into()).ok().and_then(|text| text.as_string());
    let code = field("code").and_then(|code| Code::ALL.iter().copied().find(|known| known.as_str() == code));
    let said = field("message").unwrap_or_else(|| format!("{thrown:?}"));
    let error = Error::new(code.unwrap_or(Code::Storage), said);
    match field("cause") {
        Some(cause) => error.with_cause(cause),
        None => error,
    }
}

async fn settled<T: JsCast>(called: Result<JsValue, JsValue>) -> Result<T> {
    let result = JsFuture::from(Promise::resolve(&called.map_err(failure)?)).await;
    result.map(JsCast::unchecked_into).map_err(failure)
}

impl HostStore {
    /// Opens the store, and creates or upgrades it where needed. Days in memories of format 1 are those of `zone`.
    ///
    /// # Errors
    /// [`Code::VersionTooNew`] if newer code made it, [`Code::Blocked`] if a connection of older code holds it open,
    /// [`Code::Corrupt`] if another program made it, [`Code::Unsupported`], [`Code::QuotaExceeded`], [`Code::Storage`].
    pub async fn open(host: HostStorage, zone: Zone, now: Time) -> Result<Self> {
        settled::<JsValue>(host.open()).await?;
        let store = Self { host, closed: Cell::new(false), format: StoredFormat::default() };
        let noted = store.record(Shelf::Format, DAYS_SINCE).await?;
        let before = match &noted {
            Some(time) => std::str::from_utf8(time).ok().and_then(|time| time.parse().ok()),
            None if store.head().await? > 0 => Some(now),
            None => None,
        };
        Ok(Self { format: StoredFormat { zone, before, noted: Cell::new(noted.is_some()) }, ..store })
    }

    fn current(&self, memory: Memory) -> Memory {
        let StoredFormat { zone, before, .. } = &self.format;
        if before.is_some_and(|t| memory.updated_at < t) { memory.of_format_1(*zone) } else { memory }
    }

    fn host(&self) -> Result<&HostStorage> {
        if self.closed.get() { Err(closed()) } else { Ok(&self.host) }
    }

    async fn values(&self, keys: &[String]) -> Result<Array> {
        let host = self.host()?;
        if keys.is_empty() { Ok(Array::new()) } else { settled(host.get(&array(keys))).await }
    }

    async fn decoded<T: DeserializeOwned>(&self, keys: &[String]) -> Result<Vec<Option<T>>> {
        let found = self.values(keys).await?;
        keys.iter().zip(found.iter()).map(|(key, value)| decode(key, &value)).collect()
    }

    async fn list(
        &self,
        kind: &str,
        after: Option<String>,
        limit: usize,
        reverse: bool,
    ) -> Result<Vec<(String, JsValue)>> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let found: Array = settled(self.host()?.list(kind, after, limit, reverse)).await?;
        let pair = |row: JsValue| {
            let row: Array = row.unchecked_into();
            (row.get(0).as_string().unwrap_or_default(), row.get(1))
        };
        Ok(found.iter().map(pair).collect())
    }

    async fn page_of<T: DeserializeOwned>(&self, kind: &str, after: Option<Id>, limit: usize) -> Result<Vec<T>> {
        let found = self.list(kind, after.map(|id| id.to_string()), limit, false).await?;
        decode_all(&found)
    }

    /// Reads the values of `keys` and writes what `plan` makes of them, in one transaction of the host.
    async fn update<T: 'static>(
        &self,
        keys: Vec<String>,
        plan: impl Fn(&mut HostDraft) -> Result<T> + 'static,
    ) -> Result<T> {
        let host = self.host()?;
        let state = Rc::new((keys, plan, RefCell::new(None)));
        // JavaScript owns the closure, because the host may call it after this future was dropped. Then it writes nothing.
        let held = Rc::downgrade(&state);
        let planning =
            Closure::<dyn FnMut(f64, Array, bool) -> JsValue>::new(move |head: f64, found: Array, is_retry| {
                let Some(state) = held.upgrade() else { return JsValue::UNDEFINED };
                let (keys, plan, done) = &*state;
                let values = keys.iter().cloned().zip(found.iter()).collect();
                let mut draft = HostDraft { head: head as Seq, is_retry, values, changed: BTreeSet::new() };
                let planned = plan(&mut draft);
                let batch = if planned.is_ok() { draft.batch() } else { JsValue::UNDEFINED };
                done.replace(Some(planned));
                batch
            });
        settled::<JsValue>(host.update(&array(&state.0), &planning.into_js_value())).await?;
        state.2.take().unwrap_or_else(|| Err(failure("the update was not planned".into())))
    }
}

impl HostDraft {
    /// All changes for the host: the last commit's number, new values by key, and the keys to remove.
    fn batch(mut self) -> JsValue {
        if self.changed.is_empty() {
            return JsValue::UNDEFINED;
        }
        let (put, remove) = (Array::new(), Array::new());
        for key in self.changed {
            let name = JsValue::from_str(&key);
            match self.values.remove(&key).filter(|value| !value.is_undefined()) {
                Some(value) => put.push(&Array::of2(&name, &value)),
                None => remove.push(&name),
            };
        }
        Array::of3(&JsValue::from(self.head as f64), &put, &remove).into()
    }

    fn decode<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        self.values.get(key).map_or(Ok(None), |value| decode(key, value))
    }

    fn put(&mut self, key: String, value: JsValue) {
        self.changed.insert(key.clone());
        self.values.insert(key, value);
    }

    fn put_records(&mut self, records: &[Record]) -> Result<()> {
        for record in records {
            let key = record_key(record);
            if let Some(expected) = &record.expect
                && self.values.get(&key).map_or(Ok(None), |value| bytes_of(&key, value))? != *expected
            {
                return Err(check::record_conflict(record));
            }
        }
        for record in records {
            let value = record.value.as_deref().map_or(JsValue::UNDEFINED, |value| Uint8Array::from(value).into());
            self.put(record_key(record), value);
        }
        Ok(())
    }

    fn add(&mut self, set: &ChangeSet) -> Result<Committed> {
        let own = format!("entry/{}", set.entry.id);
        let written: Option<LogEntry> = self.decode(&own)?;
        if let Some(entry) = written.as_ref().filter(|_| self.is_retry) {
            return Ok(Committed::Written(entry.seq));
        }
        let key = set.key.as_ref().map(|key| format!("key/{key}"));
        if let Some(earlier) = key.as_ref().map_or(Ok(None), |key| self.decode(key))? {
            return Ok(Committed::Replayed(Box::new(earlier)));
        }
        if set.base.is_some_and(|base| base != self.head) {
            return Err(conflict("the log has moved since the plan was made"));
        }
        for e in &set.expect {
            let found: Option<StoredRevision> = self.decode(&format!("memory/{}", e.id))?;
            if found.map(|m| m.revision) != e.revision {
                return Err(conflict(format!("memory {} is not at the expected revision", e.id)));
            }
        }
        for entry in set.redacted.iter().map(Redacted::entry) {
            let found: Option<LogEntry> = self.decode(&format!("entry/{}", entry.id))?;
            if found.map(|e| e.seq) != Some(entry.seq) {
                return Err(conflict("an entry to redact is not in the log"));
            }
        }
        if written.is_some() {
            return Err(conflict("the log has an entry of this id"));
        }
        self.put_records(&set.records)?;
        for m in &set.memories {
            self.put(format!("memory/{}", m.id), text_of(m)?);
            if m.is_forgotten() {
                self.put(format!("vector/{}", m.id), JsValue::UNDEFINED);
            }
        }
        for e in &set.edges {
            self.put(format!("edge/{}", e.id), text_of(e)?);
        }
        set.removed_edges.iter().for_each(|id| self.put(format!("edge/{id}"), JsValue::UNDEFINED));
        self.head += 1;
        for entry in set.redacted.iter().map(Redacted::entry) {
            self.put(format!("log/{}", entry.seq), text_of(entry)?);
        }
        let entry = text_of(&LogEntry { seq: self.head, key: set.key.clone(), ..set.entry.clone() })?;
        // For the later sets of the same transaction; the host finds them by the entry itself.
        self.values.extend(key.into_iter().chain([own]).map(|key| (key, entry.clone())));
        self.put(format!("log/{}", self.head), entry);
        Ok(Committed::Written(self.head))
    }
}

fn keys_of(set: &ChangeSet) -> Vec<String> {
    let entries = set.redacted.iter().map(|r| r.entry().id).chain([set.entry.id]);
    let mut keys: Vec<_> = entries.map(|id| format!("entry/{id}")).collect();
    keys.extend(set.expect.iter().map(|e| format!("memory/{}", e.id)));
    keys.extend(set.records.iter().filter(|r| r.expect.is_some()).map(record_key));
    keys.extend(set.key.as_ref().map(|key| format!("key/{key}")));
    keys
}

#[async_trait(?Send)]
impl Store for HostStore {
    async fn commit_all(&self, mut sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        sets.iter().try_for_each(check::check_set)?;
        if let Some(first) = sets.first_mut().filter(|_| !self.format.noted.get()) {
            let since = self.format.before.unwrap_or(Time::MIN).to_string().into_bytes();
            first.records.push(Record::put(Shelf::Format, DAYS_SINCE, since));
        }
        let keys = sets.iter().flat_map(keys_of).collect();
        let done = self.update(keys, move |draft| sets.iter().map(|set| draft.add(set)).collect()).await?;
        self.format.noted.set(true);
        Ok(done)
    }

    async fn head(&self) -> Result<Seq> {
        let head: JsValue = settled(self.host()?.head()).await?;
        head.as_f64().map(|head| head as Seq).ok_or_else(|| corrupt("head", "it is no number"))
    }

    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        let found = self.decoded(&ids.iter().map(|id| format!("memory/{id}")).collect::<Vec<_>>()).await?;
        Ok(found.into_iter().map(|m| m.map(|m| self.current(m))).collect())
    }

    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        Ok(self.page_of("memory", after, limit).await?.into_iter().map(|m| self.current(m)).collect())
    }

    async fn edges_at(&self, ids: &[Id]) -> Result<Vec<Edge>> {
        let found: Array = settled(self.host()?.edges(&array(ids.iter().map(Id::to_string)))).await?;
        let decoded = found.iter().filter_map(|edge| decode("edge", &edge).transpose());
        let mut edges: Vec<Edge> = decoded.collect::<Result<_>>()?;
        edges.sort_by_key(|edge| edge.id);
        edges.dedup_by_key(|e| e.id);
        Ok(edges)
    }

    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        self.page_of("edge", after, limit).await
    }

    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        let limit = range.limit.unwrap_or(usize::MAX);
        let found = self.list("log", Some(range.after.to_string()), limit, range.newest_first).await?;
        decode_all(&found)
    }

    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        Ok(self.decoded(&[format!("entry/{id}")]).await?.pop().flatten())
    }

    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        Ok(self.decoded(&[format!("key/{key}")]).await?.pop().flatten())
    }

    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        let keys: Vec<_> = keys.iter().map(|key| format!("record/{}/{key}", shelf.as_str())).collect();
        let found = self.values(&keys).await?;
        keys.iter().zip(found.iter()).map(|(key, value)| bytes_of(key, &value)).collect()
    }

    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        let kind = format!("record/{}", shelf.as_str());
        let mut records = Vec::new();
        for (name, value) in self.list(&kind, after.map(str::to_owned), limit, false).await? {
            let value = bytes_of(&name, &value)?.ok_or_else(|| corrupt(&name, "it has no bytes"))?;
            records.push((name, value));
        }
        Ok(records)
    }

    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        check::check_keys(&records)?;
        let keys = records.iter().filter(|r| r.expect.is_some()).map(record_key).collect();
        self.update(keys, move |draft| draft.put_records(&records)).await
    }

    async fn close(&self) -> Result<()> {
        if !self.closed.replace(true) {
            settled::<JsValue>(self.host.close()).await?;
        }
        Ok(())
    }
}
