//! One open IndexedDB connection: opening, upgrading and losing it.

use super::failure;
use super::failure::lost;
use super::transaction::{EDGES, LOG, MEMORIES, RECORDS, Transaction, VECTORS, first_event};
use crate::json::wire;
use crate::{Code, Error, Result};
use js_sys::{Array, Function, Object, Promise, Reflect, Set};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    IdbDatabase, IdbFactory, IdbIndexParameters, IdbObjectStore, IdbObjectStoreParameters, IdbOpenDbRequest,
    IdbTransaction, IdbTransactionMode, IdbVersionChangeEvent,
};

#[wasm_bindgen]
extern "C" {
    /// `IDBDatabase` with transaction options, which web-sys still marks as unstable.
    #[wasm_bindgen(extends = IdbDatabase)]
    #[derive(Debug, Clone)]
    type Database;

    #[wasm_bindgen(catch, method)]
    fn transaction(
        this: &Database,
        stores: &Array,
        mode: IdbTransactionMode,
        options: &Object,
    ) -> Result<IdbTransaction, JsValue>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionState {
    Open,
    Lost,
    Superseded,
}

/// An open database. Dropping it closes the connection once its transactions are done.
#[derive(Debug)]
pub struct Connection {
    db: Database,
    state: Rc<Cell<ConnectionState>>,
    /// Promise resolvers to call when the host closes the connection, whose transactions may fire no events.
    waiting: Set,
    _listeners: [Closure<dyn FnMut()>; 2],
}

impl Connection {
    /// Opens the database and runs the missing upgrade steps.
    ///
    /// The upgrade continues after the caller is dropped or gets `blocked`: abandoning it would leave a new version
    /// number without its steps. The resulting connection is then closed at once.
    pub async fn open(name: &str, steps: &'static [UpgradeStep]) -> Result<Self> {
        let request = factory()?.open_with_u32(name, steps.len() as u32).map_err(failure::of)?;
        let outcome = Rc::new(Cell::new(None));
        let mut settled = None;
        let promise = Promise::new(&mut |resolve, _| settled = Some(resolve));
        let opening = Rc::clone(&outcome);
        spawn_local(async move {
            let settle = |result| {
                opening.set(Some(result));
                settled.iter().for_each(|resolve| drop(resolve.call0(&JsValue::UNDEFINED)));
            };
            let blocked = || settle(Err(Error::new(Code::Blocked, "another connection holds an older version open")));
            settle(opened(&request, steps, blocked).await);
        });
        JsFuture::from(promise).await.map_err(failure::of)?;
        outcome.take().unwrap_or_else(|| Err(lost()))
    }

    fn new(db: Database) -> Self {
        let state = Rc::new(Cell::new(ConnectionState::Open));
        let waiting = Set::new(&JsValue::UNDEFINED);
        let (lost, superseded, yielding, resolvers) =
            (Rc::clone(&state), Rc::clone(&state), db.clone(), waiting.clone());
        let on_close = Closure::new(move || {
            lost.set(ConnectionState::Lost);
            resolvers
                .for_each(&mut |resolve, _, _| drop(resolve.unchecked_into::<Function>().call0(&JsValue::UNDEFINED)));
        });
        let on_version_change = Closure::new(move || {
            superseded.set(ConnectionState::Superseded);
            yielding.close();
        });
        db.set_onclose(Some(on_close.as_ref().unchecked_ref()));
        db.set_onversionchange(Some(on_version_change.as_ref().unchecked_ref()));
        Self { db, state, waiting, _listeners: [on_close, on_version_change] }
    }

    pub fn begin(
        &self,
        stores: &[&str],
        mode: IdbTransactionMode,
        durability: DurabilityOption,
    ) -> Result<Transaction> {
        if self.state.get() != ConnectionState::Open {
            return Err(lost());
        }
        let names: Array = stores.iter().map(|s| JsValue::from_str(s)).collect();
        let options = Object::new();
        Reflect::set(&options, &"durability".into(), &durability.as_str().into()).map_err(failure::of)?;
        let raw = self.db.transaction(&names, mode, &options).map_err(failure::of)?;
        Ok(Transaction::new(raw, mode, self.waiting.clone()))
    }

    pub fn is_superseded(&self) -> bool {
        self.state.get() == ConnectionState::Superseded
    }

    /// Marks the connection as lost; a transaction can notice this before `onclose` fires.
    pub fn give_up(&self) {
        if self.state.get() == ConnectionState::Open {
            self.state.set(ConnectionState::Lost);
            self.db.close();
        }
    }

    pub fn close(&self) {
        self.db.close();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.db.set_onclose(None);
        self.db.set_onversionchange(None);
        self.db.close();
    }
}

/// `indexedDB` of the global scope, which may be a window or a worker.
fn factory() -> Result<IdbFactory> {
    let unsupported = || Error::new(Code::Unsupported, "this host has no IndexedDB");
    let found = Reflect::get(&js_sys::global(), &"indexedDB".into())
        .map_err(|e| unsupported().with_cause(failure::of(e).details().cause.unwrap_or_default()))?;
    if found.is_object() { Ok(found.unchecked_into()) } else { Err(unsupported()) }
}

async fn opened(request: &IdbOpenDbRequest, steps: &[UpgradeStep], blocked: impl Fn()) -> Result<Connection> {
    let mut failed_step = None;
    loop {
        let listen = |listener: Option<&Function>| {
            request.set_onupgradeneeded(listener);
            request.set_onblocked(listener);
            request.set_onsuccess(listener);
            request.set_onerror(listener);
        };
        let Some(event) = first_event(None, listen).await else { return Err(lost()) };
        match event.type_().as_str() {
            "success" => return Ok(Connection::new(request.result().map_err(failure::of)?.unchecked_into())),
            "blocked" => blocked(),
            "upgradeneeded" => {
                let from = event.unchecked_ref::<IdbVersionChangeEvent>().old_version() as usize;
                if let Err(thrown) = upgrade(request, steps.get(from..).unwrap_or_default()) {
                    failed_step = Some(failure::of(thrown));
                }
            }
            _ => return Err(failed_step.unwrap_or_else(|| failure::reported(request.error().ok().flatten()))),
        }
    }
}

/// Runs the upgrade steps; if one fails, the whole upgrade is rolled back.
fn upgrade(request: &IdbOpenDbRequest, steps: &[UpgradeStep]) -> Result<(), JsValue> {
    let db: IdbDatabase = request.result()?.unchecked_into();
    let Some(transaction) = request.transaction() else { return Err(JsValue::NULL) };
    let taken = steps.iter().try_for_each(|step| step(&db, &transaction));
    if taken.is_err() {
        transaction.abort()?;
    }
    taken
}

wire! {
    /// When a commit counts as done.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
    #[serde(rename_all = "lowercase")]
    pub enum DurabilityOption {
        /// When the operating system has the data; a power cut may lose the last commits. The default.
        #[default]
        Relaxed = "relaxed",
        /// When the data is flushed to disk; about 2.5 times slower.
        Strict = "strict",
    }
}

pub type UpgradeStep = fn(&IdbDatabase, &IdbTransaction) -> Result<(), JsValue>;

pub const STEPS: &[UpgradeStep] = &[create_first_stores, create_side_records, require_log];

fn create_first_stores(db: &IdbDatabase, _: &IdbTransaction) -> Result<(), JsValue> {
    create_store(db, MEMORIES, "id")?;
    create_store(db, VECTORS, "id")?;
    let edges = create_store(db, EDGES, "id")?;
    edges.create_index_with_str("from", "from")?;
    edges.create_index_with_str("to", "to")?;
    let log = create_store(db, LOG, "seq")?;
    let unique = IdbIndexParameters::new();
    unique.set_unique(true);
    log.create_index_with_str_and_optional_parameters("id", "id", &unique)?;
    log.create_index_with_str_and_optional_parameters("key", "key", &unique)?;
    Ok(())
}

fn create_side_records(db: &IdbDatabase, _: &IdbTransaction) -> Result<(), JsValue> {
    create_store(db, RECORDS, "id").map(drop)
}

/// Refuses a database that another program made: it has no log. Earlier versions of memfold added an index in this step.
fn require_log(_: &IdbDatabase, upgrade: &IdbTransaction) -> Result<(), JsValue> {
    upgrade.object_store(LOG).map(drop)
}

fn create_store(db: &IdbDatabase, name: &str, path: &str) -> Result<IdbObjectStore, JsValue> {
    let options = IdbObjectStoreParameters::new();
    options.set_key_path(&JsValue::from_str(path));
    db.create_object_store_with_optional_parameters(name, &options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    const FIRST: UpgradeStep = |db, _| db.create_object_store("first").map(drop);
    const SECOND: UpgradeStep = |_, upgrade| upgrade.object_store("first")?.create_index_with_str("by", "by").map(drop);
    const FAILING: UpgradeStep = |db, _| db.create_object_store("half").and(Err(JsValue::from_str("no")));

    fn name() -> String {
        js_sys::eval("crypto.randomUUID()").unwrap().as_string().unwrap()
    }

    async fn schema(name: &str, steps: &'static [UpgradeStep]) -> Result<(f64, Vec<String>)> {
        let connection = Connection::open(name, steps).await?;
        let names = connection.db.object_store_names();
        Ok((connection.db.version(), (0..names.length()).filter_map(|i| names.get(i)).collect()))
    }

    #[wasm_bindgen_test]
    async fn only_missing_steps_run_in_order() {
        let name = name();
        let first = (1.0, vec!["first".to_owned()]);
        assert_eq!(schema(&name, &[FIRST]).await.unwrap(), first);
        assert_eq!(schema(&name, &[FAILING]).await.unwrap(), first);
        assert_eq!(schema(&name, &[FAILING, SECOND]).await.unwrap(), (2.0, first.1));
    }

    #[wasm_bindgen_test]
    async fn failing_step_rolls_the_upgrade_back() {
        let name = name();
        schema(&name, &[FIRST]).await.unwrap();
        let error = schema(&name, &[FIRST, SECOND, FAILING]).await.unwrap_err();
        assert_eq!(error.code, Code::Storage);
        assert_eq!(schema(&name, &[FIRST]).await.unwrap(), (1.0, vec!["first".to_owned()]));
    }

    #[wasm_bindgen_test]
    async fn unclosed_connection_blocks_an_upgrade() {
        let name = name();
        let stubborn = Connection::open(&name, &[FIRST]).await.unwrap();
        stubborn.db.set_onversionchange(None);
        let error = Connection::open(&name, &[FIRST, SECOND]).await.unwrap_err();
        assert_eq!((error.code, error.code.is_retryable()), (Code::Blocked, true));
        drop(stubborn);
        // The abandoned upgrade runs to its end.
        assert_eq!(schema(&name, &[FAILING, FAILING]).await.unwrap().0, 2.0);
    }
}
