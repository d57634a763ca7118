//! Reasons as data: kinds with their parameters, worded in the reader's language when shown.

use crate::analysis::KeyFactor;
use serde::{Deserialize, Serialize};

/// Why a decision was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Reason {
    /// Nothing stored is like it.
    NothingSimilar,
    /// The score lies in the band of this decision.
    ScoreInBand {
        /// The score.
        score: f32,
        /// The lower edge of the band.
        from: f32,
    },
    /// A feature that the local analyst weighed.
    Feature(KeyFactor),
    /// The local analyst was sure.
    LocalAnalystSure {
        /// Its confidence.
        confidence: f32,
    },
    /// Nobody was sure: both are kept and linked.
    NotSure {
        /// The best confidence there was.
        confidence: f32,
    },
    /// The stored memory has a source of higher priority and stands.
    SourceOutranks,
    /// The new memory is older than the stored one and becomes history.
    OlderThanStored,
    /// The same input was handled before.
    HandledBefore,
    /// The input could not be handled.
    Failed {
        /// The error's code.
        error: String,
        /// The error's sentence.
        message: String,
    },
}
