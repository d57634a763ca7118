//! The object stores and indices, as upgrade steps; the database version is the number of steps taken.
//!
//! A released step never changes; later changes are new steps.

use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::{IdbDatabase, IdbIndexParameters, IdbObjectStore, IdbObjectStoreParameters, IdbTransaction};

/// Memories by id.
pub const MEMORIES: &str = "memories";
/// Vectors by the id of their memory.
pub const VECTORS: &str = "vectors";
/// Edges by id, and by each end.
pub const EDGES: &str = "edges";
/// Log entries by number, with indices by id, by idempotency key, and by number and hash.
pub const LOG: &str = "log";

/// Side records by shelf and key.
pub const RECORDS: &str = "records";

/// Brings a database from one version to the next, inside the upgrade's transaction.
pub type UpgradeStep = fn(&IdbDatabase, &IdbTransaction) -> Result<(), JsValue>;

pub const STEPS: &[UpgradeStep] = &[create_first_stores, create_side_records, create_hash_index];

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

fn create_hash_index(_: &IdbDatabase, upgrade: &IdbTransaction) -> Result<(), JsValue> {
    let path = Array::of2(&"seq".into(), &"hash".into());
    upgrade.object_store(LOG)?.create_index_with_str_sequence("hash", &path).map(drop)
}

fn create_store(db: &IdbDatabase, name: &str, path: &str) -> Result<IdbObjectStore, JsValue> {
    let options = IdbObjectStoreParameters::new();
    options.set_key_path(&JsValue::from_str(path));
    db.create_object_store_with_optional_parameters(name, &options)
}
