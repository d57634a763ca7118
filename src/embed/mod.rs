//! Embedding: the built-in [`HashingEmbedder`], and the [`Remote`] interface for embedding models.

mod hashing;
mod remote;

pub use hashing::HashingEmbedder;
pub use remote::{
    Judging, Levels, Making, Remote, TextKind, TextPair, Unmade, anchors, calibrated, judgements, measured, sound,
};

use crate::similarity::Calibration;
use std::fmt::Debug;

/// The built-in embedder: turns texts into unit vectors on the device. Every memory has its vector; see [`Remote`] for
/// embedding models.
pub trait Embedder: Debug {
    /// The tag of its vectors; a snapshot of the index with another tag is not read.
    fn model(&self) -> &str;

    /// Maps this embedder's cosines onto the common scale of the score bands.
    fn calibration(&self) -> Calibration;

    /// The unit vector of a text; the zero vector if it has no letter or digit.
    fn vector(&self, text: &str) -> Vec<f32>;
}
