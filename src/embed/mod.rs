//! From text to vectors: the built-in embedder that needs no model file, and the port of those that are somewhere else.

mod hashing;
mod remote;

pub use hashing::HashingEmbedder;
pub use remote::{
    Judging, Levels, Making, Nearest, Remote, TextKind, TextPair, Unmade, anchors, calibrated, judgements, measured,
    sound,
};

use crate::Result;
use crate::similarity::Calibration;

/// Turns texts into unit vectors, on the device and at once. What every memory has a vector of; see [`Remote`] for others.
#[allow(async_fn_in_trait, reason = "one thread, in the browser and out: no future needs to be Send")]
pub trait Embedder {
    /// The tag stored with each vector; a new tag means that old vectors must be made again.
    fn model(&self) -> &str;

    /// The length of every vector.
    fn dimensions(&self) -> usize;

    /// Maps this embedder's cosines onto the scale that the bands are defined on.
    fn calibration(&self) -> Calibration;

    /// One unit vector for each text, in order.
    ///
    /// # Errors
    /// [`crate::Code::Embedding`] when a vector is missing, not finite or of another length.
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>>;
}
