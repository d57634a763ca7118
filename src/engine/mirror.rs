//! What this process holds of the store: the index, the questions and tags, how far the log was read.
//!
//! It follows what is written and never writes itself. Whoever changes it has the turn.

use super::Options;
use super::proposals::Proposals;
use super::reading_cache::ReadingCache;
use super::sessions::Nodes;
use super::speaking::CheckCounts;
use crate::analysis::{Own, Reading, meanings};
use crate::consolidation::{Action, ChangeSet};
use crate::model::{Id, Memory};
use crate::search::{Index, Row};
use crate::store::Seq;
use async_lock::Mutex;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What is known of the pack.
#[derive(Debug, Default)]
pub(super) struct Pack {
    /// The head that this engine read or wrote; absent where another's pack, or none, stands there.
    pub head: RefCell<Option<Vec<u8>>>,
    /// The last commit that is in it.
    pub seq: Cell<u64>,
}

/// What is held.
#[derive(Debug)]
pub(super) struct Mirror {
    pub index: RefCell<Index>,
    /// Questions, tags and sessions.
    pub nodes: RefCell<Nodes>,
    /// What the owner is called.
    pub own: Own,
    /// Writers of one engine take turns; those of other tabs meet at the store's expectations.
    pub turn: Mutex<()>,
    /// What was put aside of the index.
    pub pack: Pack,
    /// Changes that wait for the owner's word.
    pub proposals: RefCell<Proposals>,
    /// For each account, how many of its mails came with results of its host's checks.
    pub checks: RefCell<Vec<(String, CheckCounts)>>,
    readings: RefCell<ReadingCache>,
    /// The last commit that was seen, and the hash of its entry.
    seen: Cell<Seq>,
    last: RefCell<String>,
}

impl Mirror {
    /// Of a store with this last commit, before anything of it was read.
    pub fn new(options: &Options, (seen, last): (Seq, String)) -> Self {
        Self {
            index: RefCell::new(Index::new(options.vector_cache, meanings)),
            nodes: RefCell::default(),
            own: Own::of(&options.owner),
            turn: Mutex::new(()),
            pack: Pack::default(),
            proposals: RefCell::default(),
            checks: RefCell::default(),
            readings: RefCell::default(),
            seen: Cell::new(seen),
            last: RefCell::new(last),
        }
    }

    /// The last commit that was seen.
    pub fn seen(&self) -> Seq {
        self.seen.get()
    }

    /// The hash of its entry.
    pub fn last(&self) -> String {
        self.last.borrow().clone()
    }

    /// All up to this commit is held.
    pub fn reach(&self, seq: Seq, hash: String) {
        self.seen.set(seq);
        self.last.replace(hash);
    }

    /// Lets go of a store that its owner has cleared.
    pub fn clear(&self, options: &Options) {
        self.index.replace(Index::new(options.vector_cache, meanings));
        self.readings.take();
        self.nodes.take();
        self.proposals.take();
        self.checks.take();
        self.reach(0, String::new());
        self.unpacked();
    }

    /// Whether a row is a current memory with its whole text. A summary is no statement that another could update; what it
    /// stands for is.
    pub fn is_whole(&self, row: &Row) -> bool {
        row.is_current() && !row.is_stub() && !self.is_summary(row.id)
    }

    pub fn is_summary(&self, id: Id) -> bool {
        self.nodes.borrow().is_summary(id)
    }

    /// A stored memory as the local analyst reads it.
    pub fn reading(&self, memory: &Memory) -> Rc<Reading> {
        self.readings.borrow_mut().of(memory)
    }

    /// Takes in a memory, with the vector that there is and the model that made it.
    pub fn put(&self, memory: &Memory, vector: Option<(&str, &[f32])>) {
        self.readings.borrow_mut().drop(memory.id);
        if !self.nodes.borrow_mut().take(memory, vector.map(|(_, v)| v)) {
            self.index.borrow_mut().put(memory, vector);
        }
    }

    /// Takes in a set that was written as this commit. A gap means that others wrote in between; catching up reads theirs,
    /// and this set with them.
    pub fn follow(&self, set: &ChangeSet, seq: Seq) {
        if seq != self.seen() + 1 {
            return;
        }
        for memory in &set.memories {
            let own = set.vectors.iter().find(|(id, _)| *id == memory.id).and_then(|(_, vector)| vector.as_ref());
            self.put(memory, own.map(|v| (&*v.model, &*v.values)));
        }
        let mut index = self.index.borrow_mut();
        for (id, _) in set.vectors.iter().filter(|(_, vector)| vector.is_none()) {
            index.drop_vector(*id);
        }
        self.reach(seq, set.entry.hash.clone());
        if set.entry.action == Action::Forget {
            index.settle();
            drop(index);
            self.unpacked();
        }
    }
}
