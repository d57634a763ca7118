//! How alike two memories are: five factors, their weights, one score that cannot be NaN.
//!
//! A score ranks candidates and has its bands; it never decides alone what is an update and what is related.

mod calibration;
mod factors;
mod rank;
mod weights;

pub use calibration::Calibration;
pub use factors::{Factors, cosine, factors};
pub use rank::rank;
pub use weights::{Weights, score};
