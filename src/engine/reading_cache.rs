//! Readings of stored memories, so that a memory is read once however often it is compared.
//!
//! It keeps the last few and never one whose memory has changed since.

use crate::analysis::Reading;
use crate::model::{Claim, Id, Memory};
use std::rc::Rc;

/// Places for them; one takes a few kilobytes.
const PLACES: usize = 512;

/// The readings, each at the place that its id names.
#[derive(Debug, Default)]
pub(super) struct ReadingCache {
    kept: Vec<Option<(Id, u64, Rc<Reading>)>>,
}

impl ReadingCache {
    /// The reading of a memory.
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

    /// Lets go of a memory that was written or forgotten.
    pub fn drop(&mut self, id: Id) {
        let at = self.place(id);
        self.kept[at].take_if(|k| k.0 == id);
    }

    fn place(&mut self, id: Id) -> usize {
        self.kept.resize(PLACES, None);
        id.to_bytes().iter().fold(0usize, |n, b| n.wrapping_mul(31) ^ usize::from(*b)) % PLACES
    }
}
