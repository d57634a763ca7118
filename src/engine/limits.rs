//! Limits on the work of a single call.

use crate::{Code, Error, Result};

/// Most attempts to plan and commit. With three busy tabs about one attempt in four succeeds.
pub(super) const MAX_ATTEMPTS: usize = 256;
pub(super) const PAGE: usize = 1_000;

/// The error after `MAX_ATTEMPTS` conflicts.
pub(super) fn outrun() -> Error {
    Error::new(Code::Conflict, "other writers committed first too often; try again")
}

/// Turns a commit conflict into `None`, so that the caller plans again.
pub(super) fn unless_outrun<T>(done: Result<T>) -> Result<Option<T>> {
    match done {
        Err(e) if e.code == Code::Conflict => Ok(None),
        done => done.map(Some),
    }
}

/// Most mails of an import asked about at once.
pub(super) const MOST_AT_ONCE: usize = 8;
