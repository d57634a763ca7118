//! Caches the parsed form of stored memories, so that each is parsed once for many comparisons.

use crate::analysis::Reading;
use crate::model::{Claim, Id, Memory};
use std::rc::Rc;

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
