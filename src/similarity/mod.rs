//! How alike two memories are: five factors, their weights, one score that cannot be NaN.
//!
//! A score ranks candidates and has its bands; it never decides alone what is an update and what is related.

mod calibration;
mod codes;
mod factors;
mod index;
mod pack;
mod postings;
mod rank;
mod space;
mod terms;
mod weights;

pub use calibration::Calibration;
pub use factors::{Factors, cosine, factors};
pub use index::{Index, Match, Open, Row, Scan};
pub use pack::{PACK_HEAD, PackHead};
pub use rank::rank;
pub use space::Space;
pub use weights::{Weights, score};
