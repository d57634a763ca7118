//! [`Text`]: a text that is read once, however many ask what it says.
//!
//! Nothing is read before somebody asks for it.

use super::{
    cues::{Cue, cues},
    text::{
        folded::Folded,
        tokens::{Token, tokens},
    },
    values::{value::Found, values},
};
use std::{cell::OnceCell, ops::Deref};

/// A text with its words, values and cues, each read where it is first asked for, and kept.
#[derive(Debug, Clone, Default)]
pub struct Text {
    text: String,
    tokens: OnceCell<Vec<Token>>,
    values: OnceCell<Vec<Found>>,
    cues: OnceCell<Vec<Cue>>,
}

impl Text {
    /// A text of which nothing is read yet.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Its words.
    pub fn tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| tokens(&Folded::new(&self.text)))
    }

    /// Its values; what counts from the day on which it was said stays partial.
    pub fn values(&self) -> &[Found] {
        self.values.get_or_init(|| values(&self.text, None))
    }

    /// Its cues.
    pub fn cues(&self) -> &[Cue] {
        self.cues.get_or_init(|| cues(&Folded::new(&self.text)))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}
