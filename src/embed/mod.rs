//! Embedding: the built-in [`HashingEmbedder`], and the [`Remote`] interface for embedding models.

mod hashing;
mod remote;

pub use hashing::HashingEmbedder;
pub use remote::{
    Judging, Levels, Making, Nearest, Remote, TextKind, TextPair, Unmade, anchors, calibrated, judgements, measured,
    sound,
};

use crate::Result;
use crate::similarity::Calibration;

/// The built-in embedder: turns texts into unit vectors on the device. Every memory has its vector; see [`Remote`] for
/// embedding models.
#[allow(async_fn_in_trait, reason = "one thread, in the browser and out: no future needs to be Send")]
pub trait Embedder {
    /// The tag stored with each vector; a new tag means that stored vectors are recomputed.
    fn model(&self) -> &str;

    /// The length of every vector.
    fn dimensions(&self) -> usize;

    /// Maps this embedder's cosines onto the common scale of the score bands.
    fn calibration(&self) -> Calibration;

    /// One unit vector for each text, in order.
    ///
    /// # Errors
    /// [`crate::Code::Embedding`] when a vector is missing, not finite or of another length.
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>>;
}
