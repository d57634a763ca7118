//! When something is tried again, and for how long nothing is sent after a failure.

use super::EndpointFault;
use std::cell::Cell;

/// Tries of one question, all within its time limit.
const TRIES: u32 = 3;
/// Milliseconds before the second try; the third waits twice as long.
const PAUSE: f64 = 400.0;
/// Milliseconds that nobody waits for a next try, whoever asks for them.
const LONG: u32 = 10_000;
/// Milliseconds for which nothing is sent after a failure; doubled with each further one, up to the second figure.
const REST: [u32; 2] = [30_000, 600_000];

/// The tries of one question.
#[derive(Debug)]
pub(super) struct Tries {
    made: u32,
    most: u32,
    /// When the time for all of them is over.
    until: u64,
}

impl Tries {
    pub fn new(once: bool, until: u64) -> Self {
        Self { made: 1, most: if once { 1 } else { TRIES }, until }
    }

    /// The milliseconds until the next try after a fault; `None` where there is none, or where the time
    /// would be over before it. `chance` is from 0 to 1.
    pub fn next(&mut self, fault: &EndpointFault, chance: f64, now: u64) -> Option<u32> {
        if !fault.passes || self.made >= self.most || fault.after.is_some_and(|ms| ms > LONG) {
            return None;
        }
        let pause = PAUSE * f64::from(1u32 << (self.made - 1)) * (0.5 + chance);
        let pause = fault.after.unwrap_or(pause as u32);
        self.made += 1;
        (now + u64::from(pause) < self.until).then_some(pause)
    }
}

/// Rests after a failure: one dead endpoint costs one time limit, not one for each memory.
#[derive(Debug, Default)]
pub struct Breaker {
    failures: Cell<u32>,
    until: Cell<u64>,
}

impl Breaker {
    /// Whether nothing is to be sent now.
    pub fn rests(&self, now: u64) -> bool {
        self.left(now) > 0
    }

    /// Milliseconds for which nothing is to be sent.
    pub fn left(&self, now: u64) -> u64 {
        self.until.get().saturating_sub(now)
    }

    /// Something was answered.
    pub fn passed(&self) {
        self.failures.set(0);
    }

    /// Something failed, and asks for so many milliseconds of rest.
    pub fn failed(&self, now: u64, after: Option<u32>) {
        let [first, longest] = REST;
        let failures = self.failures.get();
        let rest = first.saturating_mul(1 << failures.min(16)).min(longest);
        self.until.set(now + u64::from(rest.max(after.unwrap_or_default().min(longest))));
        self.failures.set(failures.saturating_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_three_times_and_nobody_waits_long() {
        let busy = EndpointFault { code: "rate_limited", status: 429, passes: true, after: None };
        let tries = |once| Tries::new(once, 60_000);
        let mut thrice = tries(false);
        assert_eq!([0.0, 0.5, 0.5].map(|chance| thrice.next(&busy, chance, 0)), [Some(200), Some(800), None]);
        assert_eq!(tries(true).next(&busy, 0.5, 0), None);
        assert_eq!(tries(false).next(&EndpointFault::new("rejected"), 0.5, 0), None);
        let asks = |ms| tries(false).next(&EndpointFault { after: Some(ms), ..busy.clone() }, 0.5, 0);
        assert_eq!([0, 10_000, 10_001].map(asks), [Some(0), Some(10_000), None]);
        assert_eq!([59_599, 59_600].map(|now| tries(false).next(&busy, 0.5, now)), [Some(400), None]);
    }

    #[test]
    fn a_rest_doubles_up_to_ten_minutes_and_ends_with_an_answer() {
        let breaker = Breaker::default();
        assert!(!breaker.rests(0));
        for seconds in [30, 60, 120, 240, 480, 600, 600] {
            breaker.failed(0, None);
            assert!(breaker.rests(seconds * 1_000 - 1) && !breaker.rests(seconds * 1_000));
        }
        breaker.passed();
        breaker.failed(0, Some(90_000));
        assert!(breaker.rests(89_999) && !breaker.rests(90_000));
        breaker.passed();
        breaker.failed(0, Some(u32::MAX));
        assert!(!breaker.rests(600_000), "nobody is told to wait for days");
    }
}
