//! What a part of the engine works with, instead of the engine.

use super::{Options, Platform};

/// The store, the clock and the options; and whether what is done is tried out on a copy of the store alone.
#[derive(Debug)]
pub(super) struct Env<'a, S, P> {
    pub store: &'a S,
    pub platform: &'a P,
    pub options: &'a Options,
    pub rehearses: bool,
}

impl<S, P> Clone for Env<'_, S, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, P> Copy for Env<'_, S, P> {}

impl<S, P: Platform> Env<'_, S, P> {
    /// A mark that no text can know.
    pub fn fence(self) -> String {
        let seed = self.platform.seed();
        seed[..8].iter().zip(&seed[8..]).map(|(a, b)| format!("{:02x}", a ^ b)).collect()
    }
}
