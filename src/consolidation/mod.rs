//! From a decision to a change set: what is written, in which versions, with which log entry.
//!
//! Planning is pure: it never reads a store and never waits.

mod changes;
mod entry;
mod merge;
mod plan;
mod seal;

pub use changes::{ChangeSet, Expectation, Vector};
pub use entry::{Action, Alternative, Analyst, LogEntry, Score, Standing, Status};
pub use merge::{ContentMerge, ImportanceMerge, KeywordMerge, MergeStrategy};
pub use plan::{Input, Planned, failure, plan};
pub use seal::Redacted;
