//! Weighted reciprocal rank fusion: merges several ranked lists into one order.
//!
//! It uses ranks only. How sure a list is of a memory is the business of `relevance`.

use crate::model::Id;
use std::collections::HashMap;

/// Flattens the first ranks: a rank is worth `weight / (SMOOTHING + rank)`.
const SMOOTHING: f32 = 8.0;

#[derive(Debug, Default)]
pub(super) struct RankedList {
    weight: f32,
    /// Each memory with its rank, from 1.
    ranks: Vec<(Id, u32)>,
}

impl RankedList {
    /// Ranks memories by descending score. Scores that differ by at most a share of `alike` share a
    /// rank. An entry that does not count takes no rank from those after it.
    pub fn by_score(weight: f32, alike: f32, scored: impl Iterator<Item = (Id, f32, bool)>) -> Self {
        let (mut rank, mut next, mut of_rank) = (1, 1, f32::MAX);
        let ranks = scored.map(|(id, score, counts)| {
            if score < of_rank * (1.0 - alike) {
                (rank, of_rank) = (next, score);
            }
            next += u32::from(counts);
            (id, rank)
        });
        Self { weight, ranks: ranks.collect() }
    }

    /// Gives a memory its rank in another list.
    pub fn copy_rank(&mut self, id: Id, other: &Self) {
        self.ranks.extend(other.ranks.iter().find(|(of, _)| *of == id));
    }

    /// Ranks all memories first.
    pub fn all_first(weight: f32, ids: impl Iterator<Item = Id>) -> Self {
        Self { weight, ranks: ids.map(|id| (id, 1)).collect() }
    }
}

/// Returns the fused score of each memory: 1 if it is first in every non-empty list.
pub(super) fn fuse(lists: &[RankedList]) -> HashMap<Id, f32> {
    let mut worth: HashMap<Id, f32> = HashMap::new();
    let of = |weight: f32, rank: u32| weight / (SMOOTHING + rank as f32);
    let most: f32 = lists.iter().filter(|list| !list.ranks.is_empty()).map(|list| of(list.weight, 1)).sum();
    for RankedList { weight, ranks } in lists {
        for (id, rank) in ranks {
            *worth.entry(*id).or_default() += of(*weight, *rank) / most;
        }
    }
    worth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Ids, Time};

    #[test]
    fn fuse_adds_ranks_and_skips_entries_that_do_not_count() {
        let mut ids = Ids::new(Time::from_millis(1), [3; 16]);
        let [a, b, c, d] = [(); 4].map(|()| ids.mint());
        let one = || RankedList::by_score(1.0, 0.01, [(a, 0.9, true), (b, 0.5, false), (c, 0.4, true)].into_iter());
        let alone = fuse(&[one()]);
        assert_eq!(alone[&a], 1.0);
        assert!([b, c].iter().all(|id| (alone[id] - 0.9).abs() < 1e-6));
        let mut two = RankedList::by_score(2.0, 0.01, [(a, 0.9, true), (d, 0.895, true), (b, 0.2, true)].into_iter());
        two.copy_rank(c, &one());
        assert_eq!(two.ranks, [(a, 1), (d, 1), (b, 3), (c, 2)], "what scores alike has one rank");
        let both = fuse(&[one(), two, RankedList::default()]);
        assert!((both[&a] - 1.0).abs() < 1e-6 && both[&c] > both[&b] && both[&b] > both[&d]);
        let first = RankedList::all_first(1.0, [c, d].into_iter());
        assert_eq!(fuse(&[first])[&d], 1.0);
        assert!(fuse(&[]).is_empty());
    }
}
