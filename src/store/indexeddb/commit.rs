//! Encodes a change set before the transaction and writes it inside one.
//!
//! The puts are issued without an await in between, so the transaction stays active.

use super::transaction::{EDGES, LOG, MEMORIES, RECORDS, Transaction, VECTORS, head_of, newest};
use super::{failure, record};
use crate::Result;
use crate::consolidation::{ChangeSet, Expectation, LogEntry, Record};
use crate::model::Id;
use crate::store::{Committed, Seq, check, conflict};
use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::IdbRequest;

pub struct Encoded {
    pub id: Id,
    pub key: Option<JsValue>,
    base: Option<Seq>,
    expect: Vec<Expectation>,
    memories: Array,
    /// The keys of erased memories. Earlier versions stored vectors under them.
    erased: Vec<JsValue>,
    edges: Array,
    removed_edges: Vec<JsValue>,
    /// Redacted log entries, each with its number and the key of its id.
    redacted: Vec<(Seq, JsValue, JsValue)>,
    records: EncodedRecords,
    entry: JsValue,
}

impl Encoded {
    pub fn new(set: ChangeSet) -> Result<Self> {
        let redacted = |entry: LogEntry| Ok((entry.seq, record::key(entry.id), record::encode(&entry)?));
        Ok(Self {
            id: set.entry.id,
            memories: record::encode(&set.memories)?.unchecked_into(),
            erased: set.memories.iter().filter(|m| m.is_forgotten()).map(|m| record::key(m.id)).collect(),
            edges: record::encode(&set.edges)?.unchecked_into(),
            removed_edges: set.removed_edges.into_iter().map(record::key).collect(),
            redacted: set.redacted.into_iter().map(|r| redacted(r.into_entry())).collect::<Result<_>>()?,
            key: set.key.as_deref().map(JsValue::from_str),
            base: set.base,
            expect: set.expect,
            records: EncodedRecords::new(set.records)?,
            entry: record::encode(&LogEntry { key: set.key, ..set.entry })?,
        })
    }

    /// Checks and writes each set in order. Dropping the transaction before it completes rolls all sets back.
    pub async fn write(sets: &[Self], transaction: Transaction) -> Result<Vec<Committed>> {
        let mut done = Vec::with_capacity(sets.len());
        let mut writes = false;
        for set in sets {
            let asked = set.ask(&transaction).map_err(failure::of)?;
            transaction.result(asked.last()).await?;
            if let Some(earlier) = &asked.earlier
                && let Some(entry) = record::decode(&earlier.result().map_err(failure::of)?)?
            {
                done.push(Committed::Replayed(Box::new(entry)));
                continue;
            }
            let head = head_of(asked.head.result().map_err(failure::of)?)?;
            set.verify(head, &asked)?;
            set.put(&transaction, head + 1).map_err(failure::of)?;
            done.push(Committed::Written(head + 1));
            writes = true;
        }
        if writes {
            transaction.complete().await?;
        }
        Ok(done)
    }

    /// Issues every read that the checks need, before the first put.
    fn ask(&self, transaction: &Transaction) -> Result<CommitReads, JsValue> {
        let (log, memories) = (transaction.store(LOG)?, transaction.store(MEMORIES)?);
        let (by_key, by_id) = (log.index("key")?, log.index("id")?);
        Ok(CommitReads {
            earlier: self.key.as_ref().map(|key| by_key.get(key)).transpose()?,
            head: newest(&log)?,
            stored: self.expect.iter().map(|e| memories.get(&record::key(e.id))).collect::<Result<_, _>>()?,
            redacted: self.redacted.iter().map(|(_, id, _)| by_id.get_key(id)).collect::<Result<_, _>>()?,
            records: self.records.ask(transaction)?,
        })
    }

    /// Returns a conflict when the stored data differs from what the change set was planned against.
    fn verify(&self, head: Seq, asked: &CommitReads) -> Result<()> {
        if self.base.is_some_and(|base| base != head) {
            return Err(conflict("the log has moved since the plan was made"));
        }
        for (expected, request) in self.expect.iter().zip(&asked.stored) {
            let found = request.result().map_err(failure::of)?;
            if record::revision_of(&found)? != expected.revision {
                return Err(conflict(format!("memory {} is not at the expected revision", expected.id)));
            }
        }
        for ((seq, ..), request) in self.redacted.iter().zip(&asked.redacted) {
            if request.result().map_err(failure::of)?.as_f64() != Some(*seq as f64) {
                return Err(conflict("an entry to redact is not in the log"));
            }
        }
        self.records.verify(&asked.records)
    }

    fn put(&self, transaction: &Transaction, seq: Seq) -> Result<(), JsValue> {
        let memories = transaction.store(MEMORIES)?;
        for memory in self.memories.iter() {
            memories.put(&memory)?;
        }
        let vectors = transaction.store(VECTORS)?;
        for key in &self.erased {
            vectors.delete(key)?;
        }
        let edges = transaction.store(EDGES)?;
        for edge in self.edges.iter() {
            edges.put(&edge)?;
        }
        for key in &self.removed_edges {
            edges.delete(key)?;
        }
        self.records.put(transaction)?;
        let log = transaction.store(LOG)?;
        for (.., entry) in &self.redacted {
            log.put(entry)?;
        }
        Reflect::set(&self.entry, &"seq".into(), &JsValue::from(seq as f64))?;
        log.add(&self.entry)?;
        Ok(())
    }
}

/// The reads of one commit. IndexedDB answers them in this order, so awaiting the last one is enough.
struct CommitReads {
    earlier: Option<IdbRequest>,
    head: IdbRequest,
    stored: Vec<IdbRequest>,
    redacted: Vec<IdbRequest>,
    records: Vec<IdbRequest>,
}

impl CommitReads {
    fn last(&self) -> &IdbRequest {
        self.records.last().or(self.redacted.last()).or(self.stored.last()).unwrap_or(&self.head)
    }
}

/// Side records with their keys and encoded values; `None` deletes the record.
pub struct EncodedRecords(Vec<(Record, JsValue, Option<JsValue>)>);

impl EncodedRecords {
    pub fn new(records: Vec<Record>) -> Result<Self> {
        let encoded = |record: Record| {
            let key = record::side_key(record.shelf, &record.key);
            let ready = record.value.as_ref().map(|value| record::of_bytes(&key, value)).transpose()?;
            Ok((record, key, ready))
        };
        records.into_iter().map(encoded).collect::<Result<_>>().map(Self)
    }

    /// Checks expectations and writes all records. An error rolls the transaction back.
    pub async fn write(&self, transaction: Transaction) -> Result<()> {
        let asked = self.ask(&transaction).map_err(failure::of)?;
        if let Some(last) = asked.last() {
            transaction.result(last).await?;
        }
        self.verify(&asked)?;
        self.put(&transaction).map_err(failure::of)?;
        transaction.complete().await
    }

    /// Only records with an expected value are read before the write.
    fn expecting(&self) -> impl Iterator<Item = &(Record, JsValue, Option<JsValue>)> {
        self.0.iter().filter(|(record, ..)| record.expect.is_some())
    }

    fn ask(&self, transaction: &Transaction) -> Result<Vec<IdbRequest>, JsValue> {
        let store = transaction.store(RECORDS)?;
        self.expecting().map(|(_, key, _)| store.get(key)).collect()
    }

    fn verify(&self, asked: &[IdbRequest]) -> Result<()> {
        for ((record, ..), request) in self.expecting().zip(asked) {
            if record.expect != Some(record::bytes_of(&request.result().map_err(failure::of)?)?) {
                return Err(check::record_conflict(record));
            }
        }
        Ok(())
    }

    fn put(&self, transaction: &Transaction) -> Result<(), JsValue> {
        let store = transaction.store(RECORDS)?;
        for (_, key, ready) in &self.0 {
            match ready {
                Some(record) => store.put(record)?,
                None => store.delete(key)?,
            };
        }
        Ok(())
    }
}
