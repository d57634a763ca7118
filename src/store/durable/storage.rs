//! Bindings to the storage of a SQLite-backed Durable Object. Every call is synchronous.

use super::failure;
use crate::Result;
use js_sys::Array;
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
        self.sql().exec(query, &bound).and_then(|cursor| cursor.raw().to_array()).map_err(failure::of)
    }

    /// Runs a statement and returns its first row.
    pub fn row(&self, query: &str, bound: &[JsValue]) -> Result<Option<Array>> {
        Ok(self.run(query, bound)?.get(0).dyn_into().ok())
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
            (Err(thrown), None) => Err(failure::of(thrown)),
        }
    }
}
