//! The in-memory copy of the store, which follows commits. Callers hold `turn` while they change it.

use super::Options;
use super::sessions::Nodes;
use super::speaking::CheckCounts;
use crate::analysis::{Own, Reading, meanings};
use crate::model::{Claim, Id, Memory};
use crate::search::{Index, Row};
use crate::store::Seq;
use async_lock::Mutex;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Debug, Default)]
pub(super) struct Pack {
    /// The head record that this engine read or wrote; `None` without an own pack.
    pub head: RefCell<Option<Vec<u8>>>,
    pub seq: Cell<u64>,
}

#[derive(Debug)]
pub(super) struct Mirror {
    pub index: RefCell<Index>,
    pub nodes: RefCell<Nodes>,
    pub own: Own,
    /// Writers of one engine take turns. The store's expectations detect writers of other tabs.
    pub turn: Mutex<()>,
    pub pack: Pack,
    /// Per account, how many mails carried authentication results of its host.
    pub checks: RefCell<Vec<(String, CheckCounts)>>,
    readings: RefCell<HashMap<Id, (u64, Rc<Reading>)>>,
    /// The last commit that was read; `last` is the hash of its entry.
    seen: Cell<Seq>,
    last: RefCell<String>,
}

impl Mirror {
    /// An empty copy of a store with this last commit.
    pub fn new(options: &Options, (seen, last): (Seq, String)) -> Self {
        Self {
            index: RefCell::new(Index::new(meanings)),
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

    pub fn seen(&self) -> Seq {
        self.seen.get()
    }

    pub fn last(&self) -> String {
        self.last.borrow().clone()
    }

    pub fn reach(&self, seq: Seq, hash: String) {
        self.seen.set(seq);
        self.last.replace(hash);
    }

    /// Drops everything after the owner has cleared the store.
    pub fn clear(&self) {
        self.index.replace(Index::new(meanings));
        self.readings.take();
        self.nodes.take();
        self.checks.take();
        self.reach(0, String::new());
        self.unpacked();
    }

    /// Whether a row is a current memory with its full text, and no summary: updates apply to its sources.
    pub fn is_whole(&self, row: &Row) -> bool {
        row.is_current() && !row.is_stub() && !self.is_summary(row.id)
    }

    pub fn is_summary(&self, id: Id) -> bool {
        self.nodes.borrow().is_summary(id)
    }

    pub fn reading(&self, memory: &Memory) -> Rc<Reading> {
        let mut readings = self.readings.borrow_mut();
        if let Some((revision, made)) = readings.get(&memory.id)
            && *revision == memory.revision
            && *made.content == memory.content
        {
            return Rc::clone(made);
        }
        if readings.len() >= MOST_READINGS {
            readings.clear();
        }
        let made = Rc::new(Reading::of(&Claim::from(memory)));
        readings.insert(memory.id, (memory.revision, Rc::clone(&made)));
        made
    }

    /// Indexes a memory; `None` for one without a full text.
    pub fn put(&self, memory: &Memory, vector: Option<(&str, &[f32])>) {
        self.readings.borrow_mut().remove(&memory.id);
        if !self.nodes.borrow_mut().take(memory) {
            let mut index = self.index.borrow_mut();
            index.put(memory, vector);
            if vector.is_none() {
                index.drop_vector(memory.id);
            }
        }
    }
}

/// Each draft is compared with up to 20 memories, and the same ones recur from mail to mail.
const MOST_READINGS: usize = 2_048;
