//! Converts between values and IndexedDB records: plain objects of the wire form.

use super::failure;
use crate::consolidation::Shelf;
use crate::model::Id;
use crate::{Code, Error, Result, json};
use js_sys::{Array, JSON, Object, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

pub fn key(id: Id) -> JsValue {
    JsValue::from_str(&id.to_string())
}

pub fn encode(value: &impl Serialize) -> Result<JsValue> {
    JSON::parse(&json::write(value)?).map_err(failure::of)
}

pub fn decode<T: DeserializeOwned>(record: &JsValue) -> Result<Option<T>> {
    if record.is_undefined() {
        return Ok(None);
    }
    let text = String::from(JSON::stringify(record).map_err(failure::of)?);
    json::read(&text, "record").map_err(|e| corrupt(record, &e.message))
}

/// Decodes plain objects with a single call into JavaScript; `undefined` is read as `null`.
pub fn decode_all<T: DeserializeOwned>(records: &Array) -> Result<Vec<T>> {
    let text = String::from(JSON::stringify(records).map_err(failure::of)?);
    json::read(&text, "records").or_else(|all| {
        // Decode one by one, to name the corrupt record.
        let decoded = records.iter().filter(|r| !r.is_undefined()).map(|r| decode::<T>(&r).map(drop));
        decoded.collect::<Result<()>>().and(Err(corrupt(&JsValue::UNDEFINED, &all.message)))
    })
}

pub fn side_key(shelf: Shelf, key: &str) -> JsValue {
    JsValue::from_str(&format!("{}/{key}", shelf.as_str()))
}

pub fn of_bytes(key: &JsValue, value: &[u8]) -> Result<JsValue> {
    let record = Object::new();
    for (name, value) in [("id", key), ("value", &Uint8Array::from(value))] {
        Reflect::set(&record, &name.into(), value).map_err(failure::of)?;
    }
    Ok(record.into())
}

pub fn bytes_of(record: &JsValue) -> Result<Option<Vec<u8>>> {
    if record.is_undefined() {
        return Ok(None);
    }
    match field(record, "value")?.dyn_ref::<Uint8Array>() {
        Some(value) => Ok(Some(value.to_vec())),
        None => Err(corrupt(record, "it has no value")),
    }
}

pub fn named_bytes_of(shelf: Shelf, record: &JsValue) -> Result<(String, Vec<u8>)> {
    let id = field(record, "id")?.as_string();
    let name = id.as_deref().and_then(|id| id.get(shelf.as_str().len() + 1..));
    match (name, bytes_of(record)?) {
        (Some(name), Some(value)) => Ok((name.to_owned(), value)),
        _ => Err(corrupt(record, "it has no name")),
    }
}

pub fn revision_of(record: &JsValue) -> Result<Option<u64>> {
    if record.is_undefined() {
        return Ok(None);
    }
    match field(record, "revision")?.as_f64() {
        Some(revision) => Ok(Some(revision as u64)),
        None => Err(corrupt(record, "it has no revision")),
    }
}

fn field(record: &JsValue, name: &str) -> Result<JsValue> {
    Reflect::get(record, &name.into()).map_err(failure::of)
}

fn corrupt(record: &JsValue, why: &str) -> Error {
    let id = Reflect::get(record, &"id".into()).ok().and_then(|id| id.as_string()).unwrap_or_default();
    Error::new(Code::Corrupt, format!("the stored record {id} cannot be read")).with_cause(why)
}
