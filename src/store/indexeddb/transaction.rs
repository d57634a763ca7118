//! One IndexedDB transaction: its requests as futures, and the event that ends it.
//!
//! These functions await only their own requests: a transaction commits as soon as anything else is awaited.

use super::failure::{self, lost};
use crate::store::Seq;
use crate::{Code, Error, Result};
use js_sys::{Array, Function, Promise, Set};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Event, IdbCursor, IdbCursorDirection, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransaction, IdbTransactionMode,
};

pub const MEMORIES: &str = "memories";
pub const VECTORS: &str = "vectors";
pub const EDGES: &str = "edges";
pub const LOG: &str = "log";
pub const RECORDS: &str = "records";

/// The first event that `listen` registers a listener for; `None` if the connection closes before.
///
/// It resolves in a microtask of the event's dispatch, while the transaction still accepts requests.
pub async fn first_event(waiting: Option<&Set>, listen: impl Fn(Option<&Function>)) -> Option<Event> {
    let mut called = None;
    let promise = Promise::new(&mut |resolve, _| {
        listen(Some(&resolve));
        called = waiting.map(|waiting| RegisteredResolver::new(waiting, resolve));
    });
    let (Ok(event) | Err(event)) = JsFuture::from(promise).await;
    drop(called);
    listen(None);
    event.dyn_into().ok()
}

/// Keeps a resolver registered for the end of the connection until it is dropped.
struct RegisteredResolver(Set, Function);

impl RegisteredResolver {
    fn new(among: &Set, resolve: Function) -> Self {
        among.add(&resolve);
        Self(among.clone(), resolve)
    }
}

impl Drop for RegisteredResolver {
    fn drop(&mut self) {
        self.0.delete(&self.1);
    }
}

/// A transaction. A writing one is rolled back if it is dropped before [`Transaction::complete`].
#[derive(Debug)]
pub struct Transaction {
    raw: IdbTransaction,
    rolls_back: bool,
    waiting: Set,
}

impl Transaction {
    /// `waiting` holds the resolvers to call when the host closes the connection.
    pub fn new(raw: IdbTransaction, mode: IdbTransactionMode, waiting: Set) -> Self {
        Self { raw, rolls_back: mode != IdbTransactionMode::Readonly, waiting }
    }

    pub fn store(&self, name: &str) -> Result<IdbObjectStore, JsValue> {
        self.raw.object_store(name)
    }

    /// The result of a request; earlier requests are done by then.
    pub async fn result(&self, request: &IdbRequest) -> Result<JsValue> {
        let listen = |listener: Option<&Function>| {
            request.set_onsuccess(listener);
            request.set_onerror(listener);
        };
        match first_event(Some(&self.waiting), listen).await {
            None => return Err(lost()),
            Some(event) if event.type_() == "success" => return request.result().map_err(failure::of),
            Some(_) => {}
        }
        // A failed request aborts its transaction; only the transaction knows which request failed first.
        self.wait_for_end().await?;
        Err(failure::reported(request.error().ok().flatten()))
    }

    pub async fn complete(mut self) -> Result<()> {
        let ended = self.wait_for_end().await;
        self.rolls_back = false;
        ended
    }

    async fn wait_for_end(&self) -> Result<()> {
        let listen = |listener: Option<&Function>| {
            self.raw.set_oncomplete(listener);
            self.raw.set_onabort(listener);
        };
        match first_event(Some(&self.waiting), listen).await {
            Some(event) if event.type_() == "complete" => Ok(()),
            _ => Err(failure::reported(self.raw.error())),
        }
    }

    pub async fn head(&self) -> Result<Seq> {
        let request = self.store(LOG).and_then(|log| newest(&log)).map_err(failure::of)?;
        head_of(self.result(&request).await?)
    }

    pub async fn range(&self, store: &str, keys: &IdbKeyRange, limit: usize) -> Result<Array> {
        // For `getAll`, a count of 0 means all.
        if limit == 0 {
            return Ok(Array::new());
        }
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let all = |store: IdbObjectStore| store.get_all_with_key_and_limit(keys, limit);
        let request = self.store(store).and_then(all).map_err(failure::of)?;
        Ok(self.result(&request).await?.unchecked_into())
    }

    pub async fn all_by(&self, store: &str, index: &str, key: &JsValue) -> Result<Array> {
        let index = self.store(store).and_then(|s| s.index(index)).map_err(failure::of)?;
        let request = index.get_all_with_key(key).map_err(failure::of)?;
        Ok(self.result(&request).await?.unchecked_into())
    }

    /// The record of each key in the given order; `undefined` if missing.
    pub async fn get_each(&self, store: &str, keys: &[JsValue]) -> Result<Array> {
        let store = self.store(store).map_err(failure::of)?;
        let requests: Vec<IdbRequest> =
            keys.iter().map(|key| store.get(key)).collect::<Result<_, _>>().map_err(failure::of)?;
        if let Some(last) = requests.last() {
            self.result(last).await?;
        }
        requests.iter().map(IdbRequest::result).collect::<Result<_, _>>().map_err(failure::of)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if self.rolls_back {
            drop(self.raw.abort());
        }
    }
}

/// Requests the last key of the log; [`head_of`] reads the result.
pub fn newest(log: &IdbObjectStore) -> Result<IdbRequest, JsValue> {
    log.open_key_cursor_with_range_and_direction(&JsValue::NULL, IdbCursorDirection::Prev)
}

/// The commit number under a cursor from [`newest`]; 0 for an empty log.
pub fn head_of(cursor: JsValue) -> Result<Seq> {
    if cursor.is_null() {
        return Ok(0);
    }
    let key = cursor.unchecked_into::<IdbCursor>().key().map_err(failure::of)?;
    match key.as_f64() {
        Some(seq) => Ok(seq as Seq),
        None => Err(Error::new(Code::Corrupt, "the log has an entry without a number")),
    }
}
