//! Similarity of two memories: five factors, their weights and one score that is never NaN.
//!
//! A score ranks candidates and selects a band. It never decides alone between update and link.

mod calibration;
mod factors;
mod rank;
mod weights;

pub use calibration::Calibration;
pub use factors::{Factors, cosine, factors};
pub use rank::rank;
pub use weights::{Weights, score};
