//! What a part of the engine works with, instead of the engine.

use super::{Options, Platform};
use crate::consolidation::{LogEntry, hex};
use crate::model::{Ids, Time};

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
        // Four bytes: it stands in every mark of a prompt, and whoever writes a mail has one guess.
        let mixed: Vec<u8> = (0..4).map(|n| seed[n] ^ seed[n + 4] ^ seed[n + 8] ^ seed[n + 12]).collect();
        hex(&mixed)
    }

    /// An entry of now about this input, without a decision yet.
    pub fn entry(self, input: &str) -> LogEntry {
        self.entry_at(self.platform.now(), input)
    }

    /// The same of this time.
    pub fn entry_at(self, now: Time, input: &str) -> LogEntry {
        LogEntry::new(Ids::new(now, self.platform.seed()).mint(), now, &self.options.user_id, input)
    }
}
