//! Finding what may be meant: an index over all memories, by vectors, words and what structure names.
//!
//! It holds no contents and never decides; what it finds, others score and compare.

mod index;
mod naming;
mod postings;
mod query;
mod remote_vectors;
mod row;
mod snapshot;
mod terms;
mod vectors;

pub use index::Index;
pub use naming::of_person;
pub use query::{IndexScan, ScanMatch, WordScores};
pub use remote_vectors::RemoteVectors;
pub use row::{IndexMatch, Row};
pub use snapshot::{PACK_HEAD, PackHead, Unpacking};
pub use terms::{Term, TopicTerms, is_korean, terms};
pub use vectors::MARGIN;
