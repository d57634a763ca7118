//! Long work in slices: the event loop goes on between them.

use super::{Engine, Platform};
use crate::Result;
use crate::consolidation::LogEntry;
use crate::embed::Embedder;
use crate::store::{LogRange, Seq, Store};

/// Milliseconds after which long work gives way.
const SLICE: f64 = 30.0;
/// Memories, edges or entries that are read at once.
pub(super) const STEP: usize = 100;

/// Gives way to other work now and then.
pub(crate) struct Slices<'p, P> {
    platform: &'p P,
    since: f64,
}

impl<'p, P: Platform> Slices<'p, P> {
    pub fn new(platform: &'p P) -> Self {
        Self { platform, since: platform.ticks() }
    }

    /// Waits for the next turn of the event loop where this slice has taken its time.
    pub async fn next(&mut self) {
        if self.platform.ticks() - self.since >= SLICE {
            self.platform.pause().await;
            self.since = self.platform.ticks();
        }
    }
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Work in slices on this host.
    pub(super) fn slices(&self) -> Slices<'_, P> {
        Slices::new(&self.platform)
    }

    /// All entries of the log with a greater number, the oldest first.
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
