//! The SQLite tables, as upgrade steps; their version is the number of steps taken.
//!
//! A released step never changes; later changes are new steps. All names begin with `memfold_`, so that the Durable
//! Object can have its own tables.

use super::storage::Storage;
use crate::{Code, Error, Result};

const STEPS: &[&str] = &[
    "CREATE TABLE memfold_memories (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL);
     CREATE TABLE memfold_vectors (id TEXT PRIMARY KEY, model TEXT NOT NULL, bytes BLOB NOT NULL);
     CREATE TABLE memfold_edges (id TEXT PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, body TEXT NOT NULL);
     CREATE INDEX memfold_edges_a ON memfold_edges (a);
     CREATE INDEX memfold_edges_b ON memfold_edges (b);
     CREATE TABLE memfold_log (seq INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, key TEXT UNIQUE, body TEXT NOT NULL);
     CREATE TABLE memfold_records (shelf TEXT, key TEXT, value BLOB NOT NULL, PRIMARY KEY (shelf, key)) WITHOUT ROWID;",
];

/// Creates or upgrades the tables.
pub fn prepare(storage: &Storage) -> Result<()> {
    storage.run_atomically(&mut || {
        storage.run("CREATE TABLE IF NOT EXISTS memfold_schema (version INTEGER NOT NULL)", &[])?;
        let row = storage.row("SELECT max(version) FROM memfold_schema", &[])?;
        let version = row.and_then(|r| r.get(0).as_f64()).unwrap_or_default() as usize;
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
