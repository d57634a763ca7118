//! The dependencies that parts of the engine share.

use super::{Options, Platform};
use crate::consolidation::{LogEntry, hex};
use crate::model::{Ids, Time};

/// The store, the platform and the options; `rehearses` is set in a dry run's scratch copy.
#[derive(Debug)]
pub(super) struct Env<'a, S> {
    pub store: &'a S,
    pub platform: &'a dyn Platform,
    pub options: &'a Options,
    pub rehearses: bool,
}

impl<S> Clone for Env<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Env<'_, S> {}

impl<S> Env<'_, S> {
    /// Returns a random prompt delimiter, which no text can contain in advance.
    pub fn fence(self) -> String {
        let seed = self.platform.seed();
        // Four bytes keep prompts short, and a mail's author has only one guess.
        let mixed: Vec<u8> = (0..4).map(|n| seed[n] ^ seed[n + 4] ^ seed[n + 8] ^ seed[n + 12]).collect();
        hex(&mixed)
    }

    /// Starts an undecided log entry about this input.
    pub fn entry(self, input: &str) -> LogEntry {
        self.entry_at(self.platform.now(), input)
    }

    /// Like [`Self::entry`], at a given time.
    pub fn entry_at(self, now: Time, input: &str) -> LogEntry {
        LogEntry::new(Ids::new(now, self.platform.seed()).mint(), now, &self.options.user_id, input)
    }
}
