//! Bindings to the storage of a SQLite-backed Durable Object. Every call is synchronous.

use crate::{Code, Error, Result};
use js_sys::{Array, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `ctx.storage` of a Durable Object.
    #[derive(Debug, Clone)]
    #[wasm_bindgen(typescript_type = "DurableObjectStorage")]
    pub type Storage;

    #[wasm_bindgen(method, getter)]
    fn sql(this: &Storage) -> Sql;

    #[wasm_bindgen(method, catch, js_name = transactionSync)]
    fn transaction_sync(this: &Storage, work: &mut dyn FnMut() -> Result<JsValue, JsValue>)
    -> Result<JsValue, JsValue>;

    type Sql;

    #[wasm_bindgen(method, catch, variadic)]
    fn exec(this: &Sql, query: &str, bound: &Array) -> Result<Cursor, JsValue>;

    type Cursor;

    #[wasm_bindgen(method)]
    fn raw(this: &Cursor) -> Rows;

    type Rows;

    #[wasm_bindgen(method, catch, js_name = toArray)]
    fn to_array(this: &Rows) -> Result<Array, JsValue>;
}

impl Storage {
    /// Runs one statement; returns its rows, each an array of columns.
    pub fn run(&self, query: &str, bound: &[JsValue]) -> Result<Array> {
        let bound: Array = bound.iter().collect();
        self.sql().exec(query, &bound).and_then(|cursor| cursor.raw().to_array()).map_err(failure)
    }

    /// Runs `work` in a transaction, which is rolled back when `work` fails.
    pub fn run_atomically(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let mut refused = None;
        let ended = self.transaction_sync(&mut || {
            work().map(|()| JsValue::UNDEFINED).map_err(|e| {
                refused = Some(e);
                // The thrown value only triggers the rollback; `refused` keeps the error.
                JsValue::UNDEFINED
            })
        });
        match (ended, refused) {
            (_, Some(error)) => Err(error),
            (Ok(_), None) => Ok(()),
            (Err(thrown), None) => Err(failure(thrown)),
        }
    }
}

pub fn failure(thrown: JsValue) -> Error {
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

const STEPS: &[&str] = &[
    "CREATE TABLE memfold_memories (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL);
     CREATE TABLE memfold_vectors (id TEXT PRIMARY KEY, model TEXT NOT NULL, bytes BLOB NOT NULL);
     CREATE TABLE memfold_edges (id TEXT PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, body TEXT NOT NULL);
     CREATE INDEX memfold_edges_a ON memfold_edges (a);
     CREATE INDEX memfold_edges_b ON memfold_edges (b);
     CREATE TABLE memfold_log (seq INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, key TEXT UNIQUE, body TEXT NOT NULL);
     CREATE TABLE memfold_records (shelf TEXT, key TEXT, value BLOB NOT NULL, PRIMARY KEY (shelf, key)) WITHOUT ROWID;",
];

pub fn prepare(storage: &Storage) -> Result<()> {
    storage.run_atomically(&mut || {
        storage.run("CREATE TABLE IF NOT EXISTS memfold_schema (version INTEGER NOT NULL)", &[])?;
        let version = super::row::number(&storage.run("SELECT max(version) FROM memfold_schema", &[])?)? as usize;
        if version > STEPS.len() {
            return Err(Error::new(Code::VersionTooNew, "the database was made by a newer version of memfold"));
        }
        for (n, step) in STEPS.iter().enumerate().skip(version) {
            storage.run(step, &[])?;
            storage.run("INSERT INTO memfold_schema VALUES (?)", &[((n + 1) as f64).into()])?;
        }
        Ok(())
    })
}
