//! Extra input for the comparison of a draft with stored memories.

use super::embeddings::HeadAnswers;
use crate::model::{Id, Memory};

/// Extra input for the comparison of a draft with stored memories.
#[derive(Debug, Default)]
pub(super) struct Beside<'a> {
    /// Additional memories to compare with, and their vectors.
    pub more: &'a [(Memory, Vec<f32>)],
    pub without: &'a [Id],
    /// The draft's vector by the remote embedder.
    pub meant: Option<&'a [f32]>,
    /// Memories to compare with even if they are dissimilar.
    pub named: &'a [Id],
    /// Judgements that the remote embedder has given so far.
    pub judged: Option<&'a HeadAnswers>,
}
