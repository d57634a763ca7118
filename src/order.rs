//! What is put in order and in bounds. The one sort of the crate works over places instead of items: the standard
//! library's is compiled anew for every type, which adds 20 KB gzipped to the wasm file.
//!
//! It never knows what it orders.

use std::cmp::Ordering;

/// Sorts items; equal ones keep their order.
pub fn sort<T>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    let mut places = best(items.len(), items.len(), &|a, b| order(&items[a], &items[b]));
    for start in 0..places.len() {
        // Round one cycle: each place gets its item, and the last one what stood at the start.
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut places[at], at as u32) as usize;
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

/// Sorts items and leaves each once.
pub fn unique<T: Ord>(items: &mut Vec<T>) {
    sort(items, T::cmp);
    items.dedup();
}

/// What holds a float between bounds: the standard library's `clamp` can panic, and what it says then brings the printing
/// of floats into the wasm file (22 KB, not gzipped).
pub trait Within: PartialOrd + Sized {
    /// The number, or the bound that it lies beyond; what is no number stays so.
    fn within(self, low: Self, high: Self) -> Self {
        if self < low {
            low
        } else if self > high {
            high
        } else {
            self
        }
    }
}

impl Within for f32 {}
impl Within for f64 {}

/// So few are kept in order while the others pass by.
const SOME: usize = 512;

/// The first `k` of `n` places in the order of what stands there; places of what is equal ascend.
pub fn best(n: usize, k: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let by = |a: &u32, b: &u32| order(*a as usize, *b as usize).then(a.cmp(b));
    if k <= SOME {
        // Most places are looked at once, beside the last of those kept.
        let mut kept: Vec<u32> = Vec::with_capacity(k + 1);
        for place in 0..n as u32 {
            if kept.len() < k || kept.last().is_some_and(|last| by(&place, last).is_lt()) {
                kept.insert(kept.partition_point(|other| by(other, &place).is_lt()), place);
                kept.truncate(k);
            }
        }
        return kept;
    }
    let mut places: Vec<u32> = (0..n as u32).collect();
    places.sort_unstable_by(by);
    places.truncate(k);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sort_is_stable_and_loses_nothing() {
        let mut state = 7u32;
        for n in 0..200 {
            let mut items: Vec<(u32, usize)> = Vec::new();
            for at in 0..n {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                items.push((state >> 28, at));
            }
            let mut expected = items.clone();
            expected.sort_by_key(|i| i.0);
            sort(&mut items, |a, b| a.0.cmp(&b.0));
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn a_number_is_held_between_its_bounds() {
        assert_eq!([-0.5, 0.5, 7.0].map(|n: f64| n.within(0.0, 1.0)), [0.0, 0.5, 1.0]);
        assert!(f32::NAN.within(0.0, 1.0).is_nan());
    }

    #[test]
    fn the_best_are_the_first_of_the_sorted() {
        let scores = [3, 9, 1, 9, 4];
        let order = |a: usize, b: usize| scores[b].cmp(&scores[a]);
        assert_eq!(best(5, 5, &order), [1, 3, 4, 0, 2]);
        assert_eq!(best(5, 3, &order), [1, 3, 4]);
        assert!(best(5, 0, &order).is_empty());
        assert_eq!(best(5, 9, &order).len(), 5);
        for n in [0, 1, 7, 100, 511, 600, 2_000usize] {
            let of = |at: usize| at.wrapping_mul(2_654_435_761) >> 7 & 31;
            let order = |a: usize, b: usize| of(a).cmp(&of(b));
            let mut sorted: Vec<u32> = (0..n as u32).collect();
            sorted.sort_by_key(|at| of(*at as usize));
            for k in [1, 2, 100, SOME, SOME + 1, 1_000] {
                assert_eq!(best(n, k, &order), sorted[..k.min(n)]);
            }
        }
    }
}
