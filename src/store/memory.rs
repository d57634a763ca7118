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

#[derive(Debug, Default)]
struct Data {
    memories: BTreeMap<Id, Memory>,
    edges: BTreeMap<Id, Edge>,
    /// The edge ids at each end, for lookup without a full scan.
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
        let mut done = Vec::with_capacity(sets.len());
        sets.iter().try_for_each(check::check_set)?;
        // One set is checked before anything is written, so only several sets need a rollback copy.
        let (is_single, mut replaced) = (sets.len() < 2, Vec::new());
        for set in sets {
            let admitted = self.data()?.admit(&set).map(Option::<&LogEntry>::cloned);
            match admitted {
                Ok(Some(earlier)) => done.push(Committed::Replayed(Box::new(earlier))),
                Ok(None) => {
                    let mut data = self.data.borrow_mut();
                    replaced.extend((!is_single).then(|| data.rows_before(&set)));
                    done.push(Committed::Written(data.apply(set)));
                }
                Err(e) => {
                    replaced.into_iter().rev().for_each(|replaced| self.data.borrow_mut().restore(replaced));
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

    async fn edges(&self, id: Id) -> Result<Vec<Edge>> {
        let data = self.data()?;
        let Some(ends) = data.ends.get(&id) else { return Ok(Vec::new()) };
        Ok(ends.iter().filter_map(|edge| data.edges.get(edge).cloned()).collect())
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

    async fn record(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.data()?.records.get(&(shelf, key.to_owned())).cloned())
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

    fn record(&self, record: &Record) -> Option<&Vec<u8>> {
        self.records.get(&(record.shelf, record.key.clone()))
    }

    fn check_expected(&self, records: &[Record]) -> Result<()> {
        let stale = |r: &&Record| r.expect.as_ref().is_some_and(|e| e.as_ref() != self.record(r));
        match records.iter().find(stale) {
            Some(r) => Err(check::record_conflict(r)),
            None => Ok(()),
        }
    }

    fn keep(&mut self, records: Vec<Record>) {
        for record in records {
            put_or_take(&mut self.records, (record.shelf, record.key), record.value);
        }
    }

    fn apply(&mut self, set: ChangeSet) -> Seq {
        let removed = set.removed_edges.into_iter().map(|id| (id, None));
        self.put(SetRows {
            memories: set.memories.into_iter().map(|m| (m.id, Some(m))).collect(),
            edges: set.edges.into_iter().map(|e| (e.id, Some(e))).chain(removed).collect(),
            redacted: set.redacted.into_iter().map(Redacted::into_entry).collect(),
            records: set.records,
        });
        let at = self.log.len();
        let entry = LogEntry { seq: at as Seq + 1, key: set.key, ..set.entry };
        self.entries.insert(entry.id, at);
        self.keys.extend(entry.key.clone().map(|key| (key, at)));
        self.log.push(entry);
        self.head()
    }

    /// The rows that a set will replace, for a rollback.
    fn rows_before(&self, set: &ChangeSet) -> SetRows {
        let edges = set.edges.iter().map(|e| e.id).chain(set.removed_edges.iter().copied());
        SetRows {
            memories: set.memories.iter().map(|m| (m.id, self.memories.get(&m.id).cloned())).collect(),
            edges: edges.map(|id| (id, self.edges.get(&id).cloned())).collect(),
            redacted: set.redacted.iter().map(|r| self.log[r.entry().seq as usize - 1].clone()).collect(),
            records: set.records.iter().map(|r| Record { value: self.record(r).cloned(), ..r.clone() }).collect(),
        }
    }

    /// Rolls the last set back.
    fn restore(&mut self, replaced: SetRows) {
        if let Some(entry) = self.log.pop() {
            self.entries.remove(&entry.id);
            entry.key.map(|key| self.keys.remove(&key));
        }
        self.put(replaced);
    }

    fn put(&mut self, rows: SetRows) {
        for (id, memory) in rows.memories {
            put_or_take(&mut self.memories, id, memory);
        }
        for (id, edge) in rows.edges {
            if let Some(old) = self.edges.remove(&id) {
                for end in [old.from, old.to] {
                    self.ends.entry(end).or_default().remove(&id);
                }
            }
            if let Some(edge) = edge {
                for end in [edge.from, edge.to] {
                    self.ends.entry(end).or_default().insert(id);
                }
                self.edges.insert(id, edge);
            }
        }
        for entry in rows.redacted {
            let at = entry.seq as usize - 1;
            self.log[at] = entry;
        }
        self.keep(rows.records);
    }
}

/// The rows that a set writes or replaces; `None` for a deleted or missing row.
#[derive(Debug)]
struct SetRows {
    memories: Vec<(Id, Option<Memory>)>,
    edges: Vec<(Id, Option<Edge>)>,
    redacted: Vec<LogEntry>,
    records: Vec<Record>,
}

fn put_or_take<K: Ord, V>(rows: &mut BTreeMap<K, V>, key: K, row: Option<V>) {
    match row {
        Some(row) => drop(rows.insert(key, row)),
        None => drop(rows.remove(&key)),
    }
}

fn page_after<T: Clone>(rows: &BTreeMap<Id, T>, after: Option<Id>, limit: usize) -> Vec<T> {
    let from = after.map_or(Unbounded, Excluded);
    rows.range((from, Unbounded)).take(limit).map(|(_, row)| row.clone()).collect()
}
