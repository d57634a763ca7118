//! Posting keys for names: thread, subject, person and entity.

use crate::language::{SEED, fnv, fold};
use crate::model::Claim;

/// The name keys of a claim: thread, subject and entities.
pub(super) fn name_keys(s: &Claim<'_>) -> Vec<u64> {
    let thread = s.thread_id.map(|t| name(b'T', t));
    let subject = s.subject.map(fold).filter(|s| !s.is_empty()).map(|s| name(b'S', &s));
    let entities = s.entities.iter().map(|e| name(b'E', &fold(e)));
    thread.into_iter().chain(subject).chain(entities).collect()
}

/// The key of a term in a person's name.
pub fn of_person(term: u64) -> u64 {
    term.rotate_left(29) ^ 0x9e37_79b9_7f4a_7c15
}

/// The key of a name: a hash of its kind and bytes, mixed so that it does not collide with word keys.
pub(super) fn name(kind: u8, text: &str) -> u64 {
    let hash = fnv(SEED, [kind].into_iter().chain(text.bytes()));
    (hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
