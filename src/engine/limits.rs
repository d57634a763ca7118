//! What bounds the work of a call: records read at once, and attempts to write.

use crate::{Code, Error, Result};

/// How often a plan is made again because another writer was faster: with three busy tabs about one of four succeeds.
pub(super) const MAX_ATTEMPTS: usize = 256;
/// Records read at once.
pub(super) const PAGE: usize = 1_000;

/// The error of a writer that others were always faster than.
pub(super) fn outrun() -> Error {
    Error::new(Code::Conflict, "other writers were faster too often; try again")
}

/// What was written; `None` where another writer was faster.
pub(super) fn unless_outrun<T>(done: Result<T>) -> Result<Option<T>> {
    match done {
        Err(e) if e.code == Code::Conflict => Ok(None),
        done => done.map(Some),
    }
}

/// The most mails of an import that are asked about at once.
pub(super) const MOST_AT_ONCE: usize = 8;
