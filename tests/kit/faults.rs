//! A store that fails at a given call and at every one after it, as one whose process was killed.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, dead_code)]

use async_trait::async_trait;
use memfold::consolidation::{ChangeSet, LogEntry, Record, Shelf};
use memfold::model::{Edge, Id, Memory};
use memfold::store::{Committed, LogRange, MemoryStore, Seq, Store};
use memfold::{Code, Error, Result};
use std::cell::Cell;
use std::rc::Rc;

/// What happens before a call.
struct Hook {
    at: u64,
    run: Box<dyn Fn()>,
}

impl std::fmt::Debug for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "before call {}", self.at)
    }
}

#[derive(Debug)]
pub struct Faulty {
    store: MemoryStore,
    /// Calls that are still answered.
    left: Rc<Cell<u64>>,
    /// Whether the first call that fails is carried out all the same: the answer is lost, not the work.
    silent: bool,
    hook: Option<Hook>,
}

impl Faulty {
    pub fn new(store: MemoryStore, calls: u64, silent: bool) -> (Self, Rc<Cell<u64>>) {
        let left = Rc::new(Cell::new(calls));
        (Self { store, left: Rc::clone(&left), silent, hook: None }, left)
    }

    /// A store without faults that calls `run` before its call number `n`, from 0.
    pub fn interrupted(store: MemoryStore, n: u64, run: Box<dyn Fn()>) -> Self {
        let hook = Some(Hook { at: u64::MAX - n, run });
        Self { hook, ..Self::new(store, u64::MAX, false).0 }
    }

    /// `Ok(true)`: answer; `Ok(false)`: do it and say that it failed.
    fn step(&self) -> Result<bool> {
        let left = self.left.get();
        if let Some(hook) = self.hook.as_ref().filter(|hook| hook.at == left) {
            (hook.run)();
        }
        self.left.set(left.saturating_sub(1));
        match left {
            0 => Err(killed()),
            1 if self.silent => Ok(false),
            _ => Ok(true),
        }
    }

    fn said<T>(&self, answers: bool, result: Result<T>) -> Result<T> {
        if answers { result } else { result.and(Err(killed())) }
    }
}

fn killed() -> Error {
    Error::new(Code::ConnectionLost, "killed")
}

#[async_trait(?Send)]
impl Store for Faulty {
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        let answers = self.step()?;
        self.said(answers, self.store.commit_all(sets).await)
    }
    async fn head(&self) -> Result<Seq> {
        let answers = self.step()?;
        self.said(answers, self.store.head().await)
    }
    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        let answers = self.step()?;
        self.said(answers, self.store.memories(ids).await)
    }
    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        let answers = self.step()?;
        self.said(answers, self.store.page(after, limit).await)
    }
    async fn edges_at(&self, ids: &[Id]) -> Result<Vec<Edge>> {
        let answers = self.step()?;
        self.said(answers, self.store.edges_at(ids).await)
    }
    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        let answers = self.step()?;
        self.said(answers, self.store.edge_page(after, limit).await)
    }
    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        let answers = self.step()?;
        self.said(answers, self.store.log(range).await)
    }
    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        let answers = self.step()?;
        self.said(answers, self.store.entry(id).await)
    }
    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        let answers = self.step()?;
        self.said(answers, self.store.entry_by_key(key).await)
    }
    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        let answers = self.step()?;
        self.said(answers, self.store.each_record(shelf, keys).await)
    }
    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        let answers = self.step()?;
        self.said(answers, self.store.records(shelf, after, limit).await)
    }
    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        let answers = self.step()?;
        self.said(answers, self.store.keep(records).await)
    }
    async fn close(&self) -> Result<()> {
        self.store.close().await
    }
}
