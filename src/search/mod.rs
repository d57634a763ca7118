//! Search: an in-memory index over vectors, terms and names.
//!
//! It holds no contents and makes no decisions; callers score and compare the candidates.

mod index;
mod postings;
mod query;
mod remote_vectors;
mod snapshot;
mod terms;
mod vectors;

pub use index::{Index, IndexMatch, Row};
pub use query::{IndexScan, ScanMatch, WordScores};
pub use remote_vectors::RemoteVectors;
pub use snapshot::{PACK_HEAD, PackHead, Unpacking};
pub use terms::{Term, TopicTerms, is_korean, of_person, terms};
pub use vectors::MARGIN;
