//! Reading Korean and English: normal forms, tokens, particles, and (in [`values`]) amounts, dates and times.
//!
//! The base that similarity, analysis, mail and search share. It never compares two texts.

mod normal;
pub mod values;

pub use normal::{fold, nfc, nfkc};
