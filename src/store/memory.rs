//! [`MemoryStore`]: the in-memory reference backend, which defines the behaviour of the [`Store`] trait.

use super::{Committed, LogRange, Seq, Store, check, closed, conflict};
use crate::Result;
use crate::consolidation::{ChangeSet, LogEntry, Record, Redacted, Shelf};
use crate::model::{Edge, Id, Memory};
use async_trait::async_trait;
use std::cell::{Cell, Ref, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::rc::Rc;

/// A store in the process's memory, for tests, Node and hosts without a database. Its data ends with the process.
#[derive(Debug, Default)]
pub struct MemoryStore {
    data: Rc<RefCell<Data>>,
    closed: Cell<bool>,
}

#[derive(Debug, Default, Clone)]
struct Data {
    memories: BTreeMap<Id, Memory>,
    edges: BTreeMap<Id, Edge>,
    ends: HashMap<Id, BTreeSet<Id>>,
    /// Log entries; commit `n` is at index `n - 1`.
    log: Vec<LogEntry>,
    entries: HashMap<Id, usize>,
    keys: HashMap<String, usize>,
    records: BTreeMap<(Shelf, String), Vec<u8>>,
}

impl MemoryStore {
    /// Opens another connection to the same data; each is closed separately.
    #[must_use]
    pub fn connect(&self) -> Self {
        Self { data: Rc::clone(&self.data), closed: Cell::new(false) }
    }

    fn data(&self) -> Result<Ref<'_, Data>> {
        if self.closed.get() { Err(closed()) } else { Ok(self.data.borrow()) }
    }
}

#[async_trait(?Send)]
impl Store for MemoryStore {
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        sets.iter().try_for_each(check::check_set)?;
        drop(self.data()?);
        let mut data = self.data.borrow_mut();
        // One set is checked before anything is written, so only several sets need a copy to roll back to.
        let before = (sets.len() > 1).then(|| data.clone());
        let mut done = Vec::with_capacity(sets.len());
        for set in sets {
            match data.admit(&set).map(Option::<&LogEntry>::cloned) {
                Ok(Some(earlier)) => done.push(Committed::Replayed(Box::new(earlier))),
                Ok(None) => done.push(Committed::Written(data.apply(set))),
                Err(e) => {
                    before.into_iter().for_each(|before| *data = before);
                    return Err(e);
                }
            }
        }
        Ok(done)
    }

    async fn head(&self) -> Result<Seq> {
        Ok(self.data()?.head())
    }

    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        let data = self.data()?;
        Ok(ids.iter().map(|id| data.memories.get(id).cloned()).collect())
    }

    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        Ok(page_after(&self.data()?.memories, after, limit))
    }

    async fn edges_at(&self, ids: &[Id]) -> Result<Vec<Edge>> {
        let data = self.data()?;
        let found: BTreeSet<&Id> = ids.iter().filter_map(|id| data.ends.get(id)).flatten().collect();
        Ok(found.into_iter().filter_map(|edge| data.edges.get(edge).cloned()).collect())
    }

    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        Ok(page_after(&self.data()?.edges, after, limit))
    }

    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        let data = self.data()?;
        let first = usize::try_from(range.after).unwrap_or(usize::MAX).min(data.log.len());
        let (entries, limit) = (data.log[first..].iter(), range.limit.unwrap_or(usize::MAX));
        Ok(if range.newest_first {
            entries.rev().take(limit).cloned().collect()
        } else {
            entries.take(limit).cloned().collect()
        })
    }

    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        let data = self.data()?;
        Ok(data.entries.get(&id).map(|at| data.log[*at].clone()))
    }

    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        let data = self.data()?;
        Ok(data.keys.get(key).map(|at| data.log[*at].clone()))
    }

    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        let data = self.data()?;
        Ok(keys.iter().map(|key| data.records.get(&(shelf, key.clone())).cloned()).collect())
    }

    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        let data = self.data()?;
        let from = (shelf, after.unwrap_or_default().to_owned());
        let from = if after.is_some() { Excluded(from) } else { Included(from) };
        let found = data.records.range((from, Unbounded)).take_while(|((s, _), _)| *s == shelf).take(limit);
        Ok(found.map(|((_, key), value)| (key.clone(), value.clone())).collect())
    }

    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        check::check_keys(&records)?;
        self.data()?.check_expected(&records)?;
        self.data.borrow_mut().keep(records);
        Ok(())
    }

    async fn close(&self) -> Result<()> {
        self.closed.set(true);
        Ok(())
    }
}

impl Data {
    fn head(&self) -> Seq {
        self.log.len() as Seq
    }

    /// `Some` is the entry of an earlier set with this key, `None` permits the write, an error refuses it.
    fn admit(&self, set: &ChangeSet) -> Result<Option<&LogEntry>> {
        if let Some(at) = set.key.as_ref().and_then(|key| self.keys.get(key)) {
            return Ok(Some(&self.log[*at]));
        }
        let moved = |base| base != self.head();
        let in_log = |r: &Redacted| self.entries.get(&r.entry().id).is_some_and(|at| *at as Seq + 1 == r.entry().seq);
        let stale = set.expect.iter().find(|e| self.memories.get(&e.id).map(|m| m.revision) != e.revision);
        match stale {
            _ if set.base.is_some_and(moved) => Err(conflict("the log has moved since the plan was made")),
            Some(e) => Err(conflict(format!("memory {} is not at the expected revision", e.id))),
            None if !set.redacted.iter().all(in_log) => Err(conflict("an entry to redact is not in the log")),
            None if self.entries.contains_key(&set.entry.id) => Err(conflict("the log has an entry of this id")),
            None => self.check_expected(&set.records).map(|()| None),
        }
    }

    fn check_expected(&self, records: &[Record]) -> Result<()> {
        let stored = |r: &Record| self.records.get(&(r.shelf, r.key.clone()));
        let stale = |r: &&Record| r.expect.as_ref().is_some_and(|e| e.as_ref() != stored(r));
        match records.iter().find(stale) {
            Some(r) => Err(check::record_conflict(r)),
            None => Ok(()),
        }
    }

    fn keep(&mut self, records: Vec<Record>) {
        for record in records {
            let key = (record.shelf, record.key);
            match record.value {
                Some(value) => drop(self.records.insert(key, value)),
                None => drop(self.records.remove(&key)),
            }
        }
    }

    fn apply(&mut self, set: ChangeSet) -> Seq {
        self.memories.extend(set.memories.into_iter().map(|m| (m.id, m)));
        for edge in set.edges {
            self.remove_edge(edge.id);
            for end in [edge.from, edge.to] {
                self.ends.entry(end).or_default().insert(edge.id);
            }
            self.edges.insert(edge.id, edge);
        }
        set.removed_edges.into_iter().for_each(|id| self.remove_edge(id));
        for entry in set.redacted.into_iter().map(Redacted::into_entry) {
            let at = entry.seq as usize - 1;
            self.log[at] = entry;
        }
        self.keep(set.records);
        let at = self.log.len();
        let entry = LogEntry { seq: at as Seq + 1, key: set.key, ..set.entry };
        self.entries.insert(entry.id, at);
        self.keys.extend(entry.key.clone().map(|key| (key, at)));
        self.log.push(entry);
        self.head()
    }

    fn remove_edge(&mut self, id: Id) {
        let Some(old) = self.edges.remove(&id) else { return };
        for end in [old.from, old.to] {
            self.ends.entry(end).or_default().remove(&id);
        }
    }
}

fn page_after<T: Clone>(rows: &BTreeMap<Id, T>, after: Option<Id>, limit: usize) -> Vec<T> {
    let from = after.map_or(Unbounded, Excluded);
    rows.range((from, Unbounded)).take(limit).map(|(_, row)| row.clone()).collect()
}
