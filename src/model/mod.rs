//! What a memory is: plain values, their limits and their wire form (camelCase JSON, ISO 8601 times).
//!
//! Start at [`Draft`] (a memory that is not stored yet) and [`Memory`] (one that is). This module never
//! compares, decides or stores anything.

mod category;
mod change;
mod draft;
mod edge;
mod id;
mod importance;
mod memory;
mod source;
mod statement;
mod time;

pub use category::Category;
pub use change::{ChangeType, Conflict, PropertyChange, Relation, Relationship};
pub use draft::{Draft, Evidence, Limits, Property};
pub use edge::{Edge, EdgeKind};
pub use id::{Id, Ids};
pub use importance::{Factor, ImportanceFactor, Tier, importance_of};
pub use memory::{Feedback, Generation, Memory, NodeType, Retention, StorageTier};
pub use source::Source;
pub use statement::Statement;
pub(crate) use time::digits;
pub use time::{Time, Zone};
