//! Maps exceptions of the Durable Object's database to error codes.
//!
//! Only the SQLite error name at the end of a message decides.

use crate::{Code, Error};
use js_sys::Reflect;
use wasm_bindgen::JsValue;

/// The error for a thrown value.
pub fn of(thrown: JsValue) -> Error {
    let message = Reflect::get(&thrown, &"message".into()).ok().and_then(|text| text.as_string());
    let message = message.unwrap_or_else(|| format!("{thrown:?}"));
    let (code, sentence) = classify(&message);
    Error::new(code, sentence).with_cause(message)
}

fn classify(message: &str) -> (Code, &'static str) {
    let is = |name: &str| message.contains(name);
    if is("SQLITE_BUSY") || is("SQLITE_LOCKED") {
        (Code::Blocked, "another process holds the database locked")
    } else if is("SQLITE_FULL") {
        (Code::QuotaExceeded, "the object's storage is full")
    } else if is("SQLITE_TOOBIG") {
        (Code::TooLarge, "a record is larger than the object's database takes")
    } else if is("SQLITE_CONSTRAINT") {
        (Code::Conflict, "the log has this entry already")
    } else if is("SQLITE_CORRUPT") || is("SQLITE_NOTADB") || is("no such table") || is("no such column") {
        (Code::Corrupt, "the database lacks a part that memfold made")
    } else {
        (Code::Storage, "the database failed")
    }
}
