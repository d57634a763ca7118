//! Splits long work into slices, so that the event loop stays responsive.

use super::{Engine, Platform};
use crate::Result;
use crate::consolidation::LogEntry;
use crate::store::{LogRange, Seq, Store};

/// Longest slice in milliseconds.
const SLICE: f64 = 30.0;
pub(super) const STEP: usize = 100;

/// Yields to the event loop from time to time.
pub(crate) struct Slices<'p> {
    platform: &'p dyn Platform,
    since: f64,
}

impl<'p> Slices<'p> {
    pub fn new(platform: &'p dyn Platform) -> Self {
        Self { platform, since: platform.ticks() }
    }

    /// Yields to the event loop if this slice has used its time.
    pub async fn next(&mut self) {
        if self.platform.ticks() - self.since >= SLICE {
            self.platform.pause().await;
            self.since = self.platform.ticks();
        }
    }
}

impl<S: Store> Engine<S> {
    pub(super) fn slices(&self) -> Slices<'_> {
        Slices::new(self.platform.as_ref())
    }

    /// Returns all log entries after this sequence number, oldest first.
    pub(super) async fn log_since(&self, after: Seq) -> Result<Vec<LogEntry>> {
        let (mut entries, mut slices) = (Vec::new(), self.slices());
        let mut after = after;
        loop {
            let page = self.store.log(LogRange { limit: Some(STEP), ..LogRange::since(after) }).await?;
            let (end, last) = (page.len() < STEP, page.last().map(|e| e.seq));
            after = last.unwrap_or(after);
            entries.extend(page);
            if end {
                return Ok(entries);
            }
            slices.next().await;
        }
    }
}
