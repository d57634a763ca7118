//! Turns a decision into a [`ChangeSet`]: memories, versions and the log entry of one commit. It never reads a store.

mod changes;
mod check;
mod deletion;
mod entry;
mod feed;
mod join;
mod merge;
mod plan;
mod provisional;
mod request;
mod review;
mod seal;
mod statements;
mod summary;
mod undoing;

pub use crate::decision::Analyst;
pub use changes::{ChangeSet, Expectation, Record, Shelf, failure, join_before, suspect, unwritten};
pub use check::{Problem, Rule, check};
pub use deletion::{Act, delete, derived, forget, may_repeat};
pub use entry::{Action, Alternative, Cascade, LogEntry, Score, Standing, Status, Trigger, VersionStep, Whole};
pub use entry::{View, When, holds_at, holds_from};
pub use feed::{
    FEED_FORMAT, Feed, at_position_of, clear_effects, connected_ids, has_same_position, last_owner_action, moved,
    named, own_and_referenced_ids, same,
};
pub use join::{JoinRules, Joined, alone, join, unify};
pub use merge::{ContentMerge, ImportanceMerge, KeywordMerge, MergeStrategy};
pub use plan::{Input, Planned, plan};
pub use provisional::{ChangeVerdict, confirmed_version, settle_changes};
pub use request::{Topic, asks, topic};
pub use review::{OwnerVerdict, ReviewOptions, ReviewStep, bears_on_reviews, open_reviews, review, said, step};
pub use seal::{Redacted, hex};
pub use statements::Wording;
pub use summary::{AdoptedNode, Merge, UpkeepChange, amend, merge_into, merge_key, tend};
pub use undoing::{Reversal, dependents, reverse, taken_back, undo, undoable, undone_by};
