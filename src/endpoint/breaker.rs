//! A circuit breaker: pauses requests after failures.

use std::cell::Cell;

/// Pause after the first failure and the longest pause, in milliseconds. Each failure doubles it.
const PAUSES: [u32; 2] = [30_000, 600_000];

/// A circuit breaker, so that a dead endpoint costs one time limit rather than one for each memory.
#[derive(Debug, Default)]
pub struct Breaker {
    failures: Cell<u32>,
    until: Cell<u64>,
}

impl Breaker {
    /// Milliseconds until the next request is allowed.
    pub fn left(&self, now: u64) -> u64 {
        self.until.get().saturating_sub(now)
    }

    /// Records a success.
    pub fn passed(&self) {
        self.failures.set(0);
    }

    /// Records a failure; the server may ask for a pause of `after` milliseconds.
    pub fn failed(&self, now: u64, after: Option<u32>) {
        let [first, longest] = PAUSES;
        let failures = self.failures.get();
        let rest = first.saturating_mul(1 << failures.min(16)).min(longest);
        self.until.set(now + u64::from(rest.max(after.unwrap_or_default().min(longest))));
        self.failures.set(failures.saturating_add(1));
    }
}
