//! For how long nothing is sent after a failure.

use std::cell::Cell;

/// Milliseconds for which nothing is sent after a failure; doubled with each further one, up to the second figure.
const REST: [u32; 2] = [30_000, 600_000];

/// Rests after a failure: one dead endpoint costs one time limit, not one for each memory.
#[derive(Debug, Default)]
pub struct Breaker {
    failures: Cell<u32>,
    until: Cell<u64>,
}

impl Breaker {
    /// Milliseconds for which nothing is to be sent.
    pub fn left(&self, now: u64) -> u64 {
        self.until.get().saturating_sub(now)
    }

    /// An answer came.
    pub fn passed(&self) {
        self.failures.set(0);
    }

    /// A request failed, and the server asks for so many milliseconds of rest.
    pub fn failed(&self, now: u64, after: Option<u32>) {
        let [first, longest] = REST;
        let failures = self.failures.get();
        let rest = first.saturating_mul(1 << failures.min(16)).min(longest);
        self.until.set(now + u64::from(rest.max(after.unwrap_or_default().min(longest))));
        self.failures.set(failures.saturating_add(1));
    }
}
