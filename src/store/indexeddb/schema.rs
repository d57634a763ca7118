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

pub const STEPS: &[UpgradeStep] = &[stores_of_the_first_release, side_records, hashes];

fn stores_of_the_first_release(db: &IdbDatabase, _: &IdbTransaction) -> Result<(), JsValue> {
    keyed(db, MEMORIES, "id")?;
    keyed(db, VECTORS, "id")?;
    let edges = keyed(db, EDGES, "id")?;
    edges.create_index_with_str("from", "from")?;
    edges.create_index_with_str("to", "to")?;
    let log = keyed(db, LOG, "seq")?;
    let unique = IdbIndexParameters::new();
    unique.set_unique(true);
    log.create_index_with_str_and_optional_parameters("id", "id", &unique)?;
    log.create_index_with_str_and_optional_parameters("key", "key", &unique)?;
    Ok(())
}

fn side_records(db: &IdbDatabase, _: &IdbTransaction) -> Result<(), JsValue> {
    keyed(db, RECORDS, "id").map(drop)
}

fn hashes(_: &IdbDatabase, upgrade: &IdbTransaction) -> Result<(), JsValue> {
    let path = Array::of2(&"seq".into(), &"hash".into());
    upgrade.object_store(LOG)?.create_index_with_str_sequence("hash", &path).map(drop)
}

fn keyed(db: &IdbDatabase, name: &str, path: &str) -> Result<IdbObjectStore, JsValue> {
    let options = IdbObjectStoreParameters::new();
    options.set_key_path(&JsValue::from_str(path));
    db.create_object_store_with_optional_parameters(name, &options)
}
