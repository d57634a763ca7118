//! The in-memory copy of the store: the index, questions and tags, and how far the log was read.
//!
//! It follows commits and never writes to the store. Callers hold `turn` while they change it.

use super::Options;
use super::sessions::Nodes;
use super::speaking::CheckCounts;
use crate::analysis::{Own, Reading, meanings};
use crate::model::{Claim, Id, Memory};
use crate::search::{Index, Row};
use crate::store::Seq;
use async_lock::Mutex;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The state of the packed index.
#[derive(Debug, Default)]
pub(super) struct Pack {
    /// The head record that this engine read or wrote; `None` without an own pack.
    pub head: RefCell<Option<Vec<u8>>>,
    /// The last commit in the pack.
    pub seq: Cell<u64>,
}

/// The in-memory copy of the store.
#[derive(Debug)]
pub(super) struct Mirror {
    pub index: RefCell<Index>,
    /// Questions, tags and sessions.
    pub nodes: RefCell<Nodes>,
    /// The owner's names.
    pub own: Own,
    /// Writers of one engine take turns. The store's expectations detect writers of other tabs.
    pub turn: Mutex<()>,
    pub pack: Pack,
    /// Per account, how many mails carried authentication results of its host.
    pub checks: RefCell<Vec<(String, CheckCounts)>>,
    readings: RefCell<ReadingCache>,
    /// The last commit that was read; `last` is the hash of its entry.
    seen: Cell<Seq>,
    last: RefCell<String>,
}

impl Mirror {
    /// An empty copy of a store with this last commit.
    pub fn new(options: &Options, (seen, last): (Seq, String)) -> Self {
        Self {
            index: RefCell::new(Index::new(options.vector_cache, meanings)),
            nodes: RefCell::default(),
            own: Own::of(&options.owner),
            turn: Mutex::new(()),
            pack: Pack::default(),
            checks: RefCell::default(),
            readings: RefCell::default(),
            seen: Cell::new(seen),
            last: RefCell::new(last),
        }
    }

    /// The last commit that was read.
    pub fn seen(&self) -> Seq {
        self.seen.get()
    }

    /// The hash of its entry.
    pub fn last(&self) -> String {
        self.last.borrow().clone()
    }

    /// Marks everything up to this commit as read.
    pub fn reach(&self, seq: Seq, hash: String) {
        self.seen.set(seq);
        self.last.replace(hash);
    }

    /// Drops everything after the owner has cleared the store.
    pub fn clear(&self, options: &Options) {
        self.index.replace(Index::new(options.vector_cache, meanings));
        self.readings.take();
        self.nodes.take();
        self.checks.take();
        self.reach(0, String::new());
        self.unpacked();
    }

    /// Whether a row is a current memory with its full text. Summaries do not count, because
    /// updates apply to their sources.
    pub fn is_whole(&self, row: &Row) -> bool {
        row.is_current() && !row.is_stub() && !self.is_summary(row.id)
    }

    pub fn is_summary(&self, id: Id) -> bool {
        self.nodes.borrow().is_summary(id)
    }

    /// The local analyst's reading of a stored memory.
    pub fn reading(&self, memory: &Memory) -> Rc<Reading> {
        self.readings.borrow_mut().of(memory)
    }

    /// Indexes a memory; `None` for one without a full text.
    pub fn put(&self, memory: &Memory, vector: Option<(&str, &[f32])>) {
        self.readings.borrow_mut().drop(memory.id);
        if !self.nodes.borrow_mut().take(memory, vector.map(|(_, v)| v)) {
            let mut index = self.index.borrow_mut();
            index.put(memory, vector);
            if vector.is_none() {
                index.drop_vector(memory.id);
            }
        }
    }
}

/// Cache slots; an entry takes a few kilobytes.
const PLACES: usize = 512;

/// Parsed memories in slots by the hash of their id.
#[derive(Debug, Default)]
pub(super) struct ReadingCache {
    kept: Vec<Option<(Id, u64, Rc<Reading>)>>,
}

impl ReadingCache {
    /// Returns the parsed memory, from the cache if its revision matches.
    pub fn of(&mut self, m: &Memory) -> Rc<Reading> {
        let at = self.place(m.id);
        if let Some((id, revision, made)) = &self.kept[at]
            && *id == m.id
            && *revision == m.revision
            && *made.content == m.content
        {
            return Rc::clone(made);
        }
        let made = Rc::new(Reading::of(&Claim::from(m)));
        self.kept[at] = Some((m.id, m.revision, Rc::clone(&made)));
        made
    }

    pub fn drop(&mut self, id: Id) {
        let at = self.place(id);
        self.kept[at].take_if(|k| k.0 == id);
    }

    fn place(&mut self, id: Id) -> usize {
        self.kept.resize(PLACES, None);
        id.to_bytes().iter().fold(0usize, |n, b| n.wrapping_mul(31) ^ usize::from(*b)) % PLACES
    }
}
