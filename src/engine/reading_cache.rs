//! Readings of stored memories, so that a memory is read once however often it is compared.
//!
//! It keeps the last few and never one whose memory has changed since.

use crate::analysis::Reading;
use crate::model::{Id, Memory, Statement};
use std::rc::Rc;

/// How many are kept; one takes a few kilobytes.
const MOST: usize = 512;

/// The readings, and the place that is overwritten next.
#[derive(Debug, Default)]
pub(super) struct ReadingCache {
    kept: Vec<(Id, u64, Rc<Reading>)>,
    next: usize,
}

impl ReadingCache {
    /// The reading of a memory.
    pub fn of(&mut self, m: &Memory) -> Rc<Reading> {
        let known = |k: &&(Id, u64, Rc<Reading>)| k.0 == m.id && k.1 == m.revision && k.2.content == m.content;
        if let Some(k) = self.kept.iter().find(known) {
            return Rc::clone(&k.2);
        }
        let made = Rc::new(Reading::of(&Statement::from(m)));
        let entry = (m.id, m.revision, Rc::clone(&made));
        if self.kept.len() < MOST {
            self.kept.push(entry);
        } else {
            self.next = (self.next + 1) % MOST;
            self.kept[self.next] = entry;
        }
        made
    }

    /// Lets go of a memory that was written or forgotten.
    pub fn drop(&mut self, id: Id) {
        self.kept.retain(|k| k.0 != id);
    }
}
