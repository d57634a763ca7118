//! A change set as the database takes it: encoded before the transaction, put in one burst inside it.
//!
//! It never awaits between the first put and the last.

use super::schema::{EDGES, LOG, MEMORIES, VECTORS};
use super::transaction::{Transaction, head_of, newest};
use super::{failure, record};
use crate::Result;
use crate::consolidation::{ChangeSet, Expectation, LogEntry, Redacted};
use crate::store::{Committed, Seq, conflict};
use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::IdbRequest;

/// A change set of which every record is ready to be put.
pub struct Encoded {
    key: Option<JsValue>,
    base: Option<Seq>,
    expect: Vec<Expectation>,
    memories: Array,
    /// The key of each vector, and its record where it is put and not removed.
    vectors: Vec<(JsValue, Option<JsValue>)>,
    edges: Array,
    removed_edges: Vec<JsValue>,
    redacted: Array,
    entry: JsValue,
}

impl Encoded {
    pub fn new(set: ChangeSet) -> Result<Self> {
        let vector = |(id, vector): &(_, Option<_>)| {
            Ok((record::key(*id), vector.as_ref().map(|v| record::of_vector(*id, v)).transpose()?))
        };
        Ok(Self {
            memories: record::encode(&set.memories)?.unchecked_into(),
            vectors: set.vectors.iter().map(vector).collect::<Result<_>>()?,
            edges: record::encode(&set.edges)?.unchecked_into(),
            removed_edges: set.removed_edges.into_iter().map(record::key).collect(),
            redacted: record::encode(&set.redacted.iter().map(Redacted::entry).collect::<Vec<_>>())?.unchecked_into(),
            key: set.key.as_deref().map(JsValue::from_str),
            base: set.base,
            expect: set.expect,
            entry: record::encode(&LogEntry { key: set.key, ..set.entry })?,
        })
    }

    /// Key, then what was expected, then all puts. What is not completed is rolled back, whole.
    pub async fn write(self, transaction: Transaction) -> Result<Committed> {
        let (log, memories) = (transaction.store(LOG)?, transaction.store(MEMORIES)?);
        // All reads are asked for at once; they are answered in order, so the last answer is the one to wait for.
        let by_key = log.index("key").map_err(failure::of)?;
        let earlier = self.key.as_ref().map(|key| by_key.get(key)).transpose().map_err(failure::of)?;
        let head = newest(&log)?;
        let stored: Vec<IdbRequest> = self
            .expect
            .iter()
            .map(|e| memories.get(&record::key(e.id)))
            .collect::<Result<_, _>>()
            .map_err(failure::of)?;
        transaction.result(stored.last().unwrap_or(&head)).await?;

        if let Some(earlier) = earlier
            && let Some(entry) = record::decode(&earlier.result().map_err(failure::of)?)?
        {
            return Ok(Committed::Replayed(Box::new(entry)));
        }
        let head = head_of(head.result().map_err(failure::of)?)?;
        self.verify(head, &stored)?;
        self.put(&transaction, head + 1)?;
        transaction.complete().await?;
        Ok(Committed::Written(head + 1))
    }

    /// Refuses what was planned against something else than what is stored.
    fn verify(&self, head: Seq, stored: &[IdbRequest]) -> Result<()> {
        if self.base.is_some_and(|base| base != head) {
            return Err(conflict("the log has moved since the plan was made"));
        }
        for (expected, request) in self.expect.iter().zip(stored) {
            let found = request.result().map_err(failure::of)?;
            if record::revision_of(&found)? != expected.revision {
                return Err(conflict(format!("memory {} is not at the expected revision", expected.id)));
            }
        }
        Ok(())
    }

    fn put(&self, transaction: &Transaction, seq: Seq) -> Result<()> {
        let memories = transaction.store(MEMORIES)?;
        for memory in self.memories.iter() {
            memories.put(&memory).map_err(failure::of)?;
        }
        let vectors = transaction.store(VECTORS)?;
        for (key, record) in &self.vectors {
            match record {
                Some(record) => vectors.put(record),
                None => vectors.delete(key),
            }
            .map_err(failure::of)?;
        }
        let edges = transaction.store(EDGES)?;
        for edge in self.edges.iter() {
            edges.put(&edge).map_err(failure::of)?;
        }
        for key in &self.removed_edges {
            edges.delete(key).map_err(failure::of)?;
        }
        let log = transaction.store(LOG)?;
        for entry in self.redacted.iter() {
            log.put(&entry).map_err(failure::of)?;
        }
        Reflect::set(&self.entry, &"seq".into(), &JsValue::from(seq as f64)).map_err(failure::of)?;
        log.add(&self.entry).map_err(failure::of)?;
        Ok(())
    }
}
