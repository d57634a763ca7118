//! Asking a model: the port behind which an endpoint or an application's own model stands.
//!
//! It never judges what it carries: a reply is checked by [`crate::decision::Question::read`].

mod mask;

pub use mask::{Masks, blanked};

use crate::decision::{Prompt, Refusal};
use std::fmt::Debug;
use std::pin::Pin;

/// What a model said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// The words, which should hold a [`crate::decision::Proposal`] as JSON.
    pub text: String,
    /// Tokens that were used, where it is known.
    pub tokens: u32,
}

/// An answer on its way.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<Reply, Refusal>> + 'a>>;

/// The text of a summary, or why there is none, and the tokens that were used.
pub type Writing<'a> = Pin<Box<dyn Future<Output = (Result<String, String>, u32)> + 'a>>;

/// Writes one text for several memories. What it writes is checked against them before it stands for any.
pub trait Writer: Debug {
    /// Writes a summary of a text in which memories were folded together, newest first.
    fn write<'a>(&'a self, folded: &'a str) -> Writing<'a>;
}

/// Answers questions. Questions may be asked at the same time; nothing is asked twice by one call of the engine.
pub trait Model: Debug {
    /// Asks one question. It ends within a time of its own, by [`Refusal::Timeout`] if need be; any failure is
    /// [`Refusal::Failed`], and the engine then decides without it.
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a>;

    /// What the model is called.
    fn name(&self) -> Option<&str> {
        None
    }

    /// The origin that is asked, where it is another than the application.
    fn origin(&self) -> Option<&str> {
        None
    }
}
