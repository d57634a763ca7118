//! What a new memory is compared with besides what is current.

use super::embeddings::HeadAnswers;
use crate::model::{Id, Memory};

/// What a new memory is compared with besides what is current.
#[derive(Debug, Default)]
pub(super) struct Beside<'a> {
    /// Memories of the same mail or thread, with their vectors.
    pub more: &'a [(Memory, Vec<f32>)],
    /// Memories that are left out.
    pub without: &'a [Id],
    /// What an embedder that is somewhere else makes of the new memory.
    pub meant: Option<&'a [f32]>,
    /// Memories that are looked at however little they are alike.
    pub named: &'a [Id],
    /// What the head of an embedder has said of pairs.
    pub judged: Option<&'a HeadAnswers>,
}
