//! The in-memory reference store passes every conformance case.

use crate::conformance;
use crate::conformance::{Backend, committing, reading, records, sharing};
use memfold::consolidation::{ChangeSet, LogEntry, Record, Shelf, Vector};
use memfold::model::{Edge, Id, Memory};
use memfold::store::{Committed, LogRange, MemoryStore, Seq, Store};
use memfold::{Code, Result};
use std::cell::Cell;

#[derive(Default)]
struct InMemory(MemoryStore);

impl Backend for InMemory {
    type Store = MemoryStore;
    async fn open(&self) -> MemoryStore {
        self.0.connect()
    }
}

macro_rules! native_tests {
    ($($module:ident :: $case:ident),+ $(,)?) => {
        $(#[test]
        fn $case() {
            futures::executor::block_on($module::$case(&InMemory::default()));
        })+
    };
}
conformance::for_each_case!(native_tests);

/// A store with a new commit at every look.
#[derive(Default)]
struct Busy(Cell<Seq>);

impl Store for Busy {
    async fn head(&self) -> Result<Seq> {
        self.0.set(self.0.get() + 1);
        Ok(self.0.get())
    }
    async fn memories(&self, _: &[Id]) -> Result<Vec<Option<Memory>>> {
        Ok(Vec::new())
    }
    async fn commit_all(&self, _: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        unreachable!()
    }
    async fn page(&self, _: Option<Id>, _: usize) -> Result<Vec<Memory>> {
        unreachable!()
    }
    async fn vectors(&self, _: &[Id]) -> Result<Vec<Option<Vector>>> {
        unreachable!()
    }
    async fn edges(&self, _: Id) -> Result<Vec<Edge>> {
        unreachable!()
    }
    async fn edge_page(&self, _: Option<Id>, _: usize) -> Result<Vec<Edge>> {
        unreachable!()
    }
    async fn log(&self, _: LogRange) -> Result<Vec<LogEntry>> {
        unreachable!()
    }
    async fn entry(&self, _: Id) -> Result<Option<LogEntry>> {
        unreachable!()
    }
    async fn entry_by_key(&self, _: &str) -> Result<Option<LogEntry>> {
        unreachable!()
    }
    async fn record(&self, _: Shelf, _: &str) -> Result<Option<Vec<u8>>> {
        unreachable!()
    }
    async fn records(&self, _: Shelf, _: Option<&str>, _: usize) -> Result<Vec<(String, Vec<u8>)>> {
        unreachable!()
    }
    async fn keep(&self, _: Vec<Record>) -> Result<()> {
        unreachable!()
    }
    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_snapshot_during_steady_commits_is_a_conflict() {
    let error = futures::executor::block_on(Busy::default().snapshot(&[])).unwrap_err();
    assert_eq!(error.code, Code::Conflict);
}

/// A provided method compiles even if it is not forwarded, but is then slower and not atomic.
#[test]
fn the_page_store_forwards_every_call() {
    let (calls, page) = (include_str!("../../src/store/mod.rs"), include_str!("../../src/wasm/backend.rs"));
    // These two only call other methods.
    let made_of_others = ["commit", "found"];
    let names = calls.split("    async fn ").skip(1).filter_map(|rest| rest.split('(').next());
    let names: Vec<&str> = names.filter(|name| !made_of_others.contains(name)).collect();
    assert!(names.len() >= 16, "{names:?}");
    let missing: Vec<_> = names.iter().filter(|name| !page.contains(&format!(" {name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
