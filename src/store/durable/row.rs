//! Converts between values and SQLite rows: JSON text with the columns used for lookup.

use crate::consolidation::{ChangeSet, LogEntry, Record, Redacted};
use crate::model::Id;
use crate::store::Seq;
use crate::{Code, Error, Result, json};
use js_sys::{Array, ArrayBuffer, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use wasm_bindgen::{JsCast, JsValue};

/// The largest row in bytes; the platform's limit is 2 MB.
const MAX_ROW_BYTES: usize = 2_000_000;
/// The most ids in one query. Bound as one JSON text, they stay below the row limit and need one parameter.
const MAX_IDS: usize = 40_000;

pub struct BoundStatement {
    pub query: &'static str,
    pub bound: Vec<JsValue>,
}

pub fn statements_for(set: ChangeSet, seq: Seq) -> Result<Vec<BoundStatement>> {
    let mut puts = Vec::new();
    let mut put = |query, bound| puts.push(BoundStatement { query, bound });
    for m in &set.memories {
        let bound = vec![key(m.id), (m.revision as f64).into(), body(m, "memory", m.id)?];
        put("INSERT OR REPLACE INTO memfold_memories VALUES (?, ?, ?)", bound);
        if m.is_forgotten() {
            // Earlier versions stored vectors.
            put("DELETE FROM memfold_vectors WHERE id = ?", vec![key(m.id)]);
        }
    }
    for e in &set.edges {
        let bound = vec![key(e.id), key(e.from), key(e.to), body(e, "edge", e.id)?];
        put("INSERT OR REPLACE INTO memfold_edges VALUES (?, ?, ?, ?)", bound);
    }
    for id in &set.removed_edges {
        put("DELETE FROM memfold_edges WHERE id = ?", vec![key(*id)]);
    }
    for entry in set.redacted.into_iter().map(Redacted::into_entry) {
        let bound = vec![body(&entry, "entry", entry.id)?, (entry.seq as f64).into()];
        put("UPDATE memfold_log SET body = ? WHERE seq = ?", bound);
    }
    for record in set.records {
        puts.push(put_record(record)?);
    }
    let entry = LogEntry { seq, key: set.key, ..set.entry };
    let known_as = entry.key.as_deref().map_or(JsValue::NULL, JsValue::from_str);
    let bound = vec![(seq as f64).into(), key(entry.id), known_as, body(&entry, "entry", entry.id)?];
    puts.push(BoundStatement { query: "INSERT INTO memfold_log VALUES (?, ?, ?, ?)", bound });
    Ok(puts)
}

pub fn put_record(record: Record) -> Result<BoundStatement> {
    let mut bound = vec![record.shelf.as_str().into(), JsValue::from_str(&record.key)];
    let Some(value) = record.value else {
        return Ok(BoundStatement { query: "DELETE FROM memfold_records WHERE shelf = ? AND key = ?", bound });
    };
    fits(value.len(), "record", &record.key)?;
    bound.push(Uint8Array::from(value.as_slice()).buffer().into());
    Ok(BoundStatement { query: "INSERT OR REPLACE INTO memfold_records VALUES (?, ?, ?)", bound })
}

pub fn key(id: Id) -> JsValue {
    JsValue::from_str(&id.to_string())
}

pub fn keys(ids: &[Id]) -> Result<JsValue> {
    if ids.len() > MAX_IDS {
        return Err(Error::new(Code::TooLarge, format!("more than {MAX_IDS} ids were asked for at once")));
    }
    Ok(JsValue::from_str(&json::write(ids)?))
}

/// The id that a page starts after; the empty text sorts before all ids.
pub fn after(id: Option<Id>) -> JsValue {
    id.map_or_else(|| JsValue::from_str(""), key)
}

pub fn count(limit: usize) -> JsValue {
    f64::from(u32::try_from(limit).unwrap_or(u32::MAX)).into()
}

fn body(value: &impl Serialize, what: &str, id: Id) -> Result<JsValue> {
    let text = json::write(value)?;
    fits(text.len(), what, id)?;
    Ok(JsValue::from_str(&text))
}

fn fits(size: usize, what: &str, id: impl Display) -> Result<()> {
    if size > MAX_ROW_BYTES {
        let message = format!("the {what} {id} takes {size} bytes; a row of this store holds {MAX_ROW_BYTES}");
        return Err(Error::new(Code::TooLarge, message));
    }
    Ok(())
}

/// The number in the first row and column; 0 if missing or null.
pub fn number(rows: &Array) -> Result<u64> {
    let value = rows.get(0).dyn_into::<Array>().map(|row| row.get(0)).unwrap_or(JsValue::NULL);
    if value.is_null() {
        return Ok(0);
    }
    value.as_f64().map(|n| n as u64).ok_or_else(|| corrupt("a column holds no number"))
}

/// Decodes the first column of all rows at once; a missing value is read as `null`.
pub fn decode_all<T: DeserializeOwned>(rows: &Array) -> Result<Vec<T>> {
    let mut text = String::from("[");
    for row in rows.iter() {
        if text.len() > 1 {
            text.push(',');
        }
        let value = row.unchecked_into::<Array>().get(0);
        text.push_str(value.as_string().as_deref().unwrap_or("null"));
    }
    text.push(']');
    json::read(&text, "records").map_err(|e| corrupt(&e.message))
}

pub fn named_bytes(rows: &Array) -> Result<Vec<(String, Vec<u8>)>> {
    let named = |row: JsValue| {
        let row: Array = row.unchecked_into();
        match (row.get(0).as_string(), row.get(1).dyn_into::<ArrayBuffer>()) {
            (Some(name), Ok(value)) => Ok((name, Uint8Array::new(&value).to_vec())),
            _ => Err(corrupt("a side record has no name or no value")),
        }
    };
    rows.iter().map(named).collect()
}

fn corrupt(why: &str) -> Error {
    Error::new(Code::Corrupt, "a stored record cannot be read").with_cause(why)
}
