//! The data model: plain values, their limits and their JSON form (camelCase, ISO 8601 times).
//!
//! Start at [`Draft`] (not stored yet) and [`Memory`] (stored). This module never compares, decides or stores.

mod address;
mod change;
mod day_or_time;
mod draft;
mod id;
mod importance;
mod limits;
mod memory;
mod metadata;
mod parts;
mod statement;
mod time;
mod zone;

pub use address::{is_public, is_relay, is_top_level, organisation, same_address, same_organisation};
pub use change::{ChangeType, Conflict, Edge, EdgeKind, PropertyChange, Relation, Relationship};
pub use day_or_time::{DayOrTime, TimeSpan};
pub use draft::Draft;
pub use id::{Id, Ids};
pub use importance::{Factor, ImportanceFactor, Tier, importance_of};
pub use limits::Limits;
pub use memory::{Claim, Feedback, Generation, Memory, NodeType, StorageTier};
pub use metadata::Metadata;
pub use parts::{Category, EventId, Evidence, Property, Retention, Source, WrittenBy};
pub use statement::{BETWEEN, Confirmation, Statement, content_of};
pub use time::Time;
pub use zone::Zone;
