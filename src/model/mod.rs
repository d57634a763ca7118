//! The data model: plain values, their limits and their JSON form (camelCase, ISO 8601 times).
//!
//! Start at [`Draft`] (not stored yet) and [`Memory`] (stored). This module never compares, decides or stores.

mod address;
mod category;
mod change;
mod claim;
mod day_or_time;
mod draft;
mod edge;
mod id;
mod importance;
mod limits;
mod memory;
mod metadata;
mod property;
mod retention;
mod source;
mod statement;
mod time;
mod written_by;
mod zone;

pub use address::{is_public, is_relay, is_top_level, organisation, same_address, same_organisation};
pub use category::Category;
pub use change::{ChangeType, Conflict, PropertyChange, Relation, Relationship};
pub use claim::Claim;
pub use day_or_time::{DayOrTime, TimeSpan};
pub use draft::Draft;
pub use edge::{Edge, EdgeKind};
pub use id::{Id, Ids};
pub use importance::{Factor, ImportanceFactor, Tier, importance_of};
pub use limits::Limits;
pub use memory::{Feedback, Generation, Memory, NodeType, StorageTier};
pub use metadata::Metadata;
pub use property::{EventId, Evidence, Property};
pub use retention::Retention;
pub use source::Source;
pub use statement::{BETWEEN, Confirmation, Statement, content_of};
pub use time::Time;
pub(crate) use time::digits;
pub use written_by::WrittenBy;
pub use zone::Zone;
