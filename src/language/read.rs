//! [`Text`]: a text whose words, values and cues are parsed on first use and cached.

use super::{
    cues::{Cue, cues},
    text::{
        folded::Folded,
        tokens::{Token, tokens},
    },
    values::{value::Found, values},
};
use std::{cell::OnceCell, ops::Deref};

#[derive(Debug, Clone, Default)]
pub struct Text {
    text: String,
    tokens: OnceCell<Vec<Token>>,
    values: OnceCell<Vec<Found>>,
    cues: OnceCell<Vec<Cue>>,
}

impl Text {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub fn tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| tokens(&Folded::new(&self.text)))
    }

    /// Its values, without a reference day: relative dates stay partial.
    pub fn values(&self) -> &[Found] {
        self.values.get_or_init(|| values(&self.text, None))
    }

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
