//! Extra input for the comparison of a draft with stored memories.

use super::embeddings::HeadAnswers;
use crate::model::{Id, Memory};

/// Extra input for the comparison of a draft with stored memories.
#[derive(Debug, Default)]
pub(super) struct ComparisonInput<'a> {
    /// Additional memories to compare with, and their vectors.
    pub extra: &'a [(Memory, Vec<f32>)],
    pub excluded: &'a [Id],
    /// The draft's vector by the remote embedder.
    pub remote_vector: Option<&'a [f32]>,
    /// Memories to compare with even if they are dissimilar.
    pub required: &'a [Id],
    /// Judgements that the remote embedder has given so far.
    pub judgements: Option<&'a HeadAnswers>,
}
