//! How alike two memories are: five factors, their weights, one score that cannot be NaN.
//!
//! A score ranks candidates and has its bands; it never decides alone what is an update and what is related.

mod calibration;
mod codes;
mod factors;
mod finding;
mod index;
mod kernels;
mod naming;
mod pack;
mod postings;
mod probe;
mod rank;
mod row;
mod space;
mod terms;
mod weights;

pub use calibration::Calibration;
pub use factors::{Factors, cosine, factors};
pub use finding::{IndexScan, Open};
pub use index::Index;
pub use pack::{PACK_HEAD, PackHead, Unpacking};
pub use rank::rank;
pub use row::{IndexMatch, Row};
pub use space::{Near, Space};
pub use terms::{Term, TopicTerms, terms};
pub use weights::{Weights, score};
