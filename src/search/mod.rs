//! Finding what may be meant: an index over all memories, by vectors, words and what structure names.
//!
//! It holds no contents and never decides; what it finds, others score and compare.

mod codes;
mod index;
mod kernels;
mod naming;
mod postings;
mod probe;
mod query;
mod row;
mod snapshot;
mod space;
mod terms;

pub use index::Index;
pub use naming::of_person;
pub use query::{IndexScan, Open, WordScores};
pub use row::{IndexMatch, Row};
pub use snapshot::{PACK_HEAD, PackHead, Unpacking};
pub use space::{Near, Space};
pub use terms::{Term, TopicTerms, is_korean, terms};
