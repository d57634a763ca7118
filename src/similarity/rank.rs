//! The one order of everything that is ranked: highest score first, ties by ascending id.

use super::Match;
use crate::model::Id;

/// The `k` best of `items`, best first, ties by ascending id.
///
/// Sorting keys instead of the items keeps one copy of the sort in the wasm file instead of one a type (8 KB each).
pub fn rank<T>(items: Vec<T>, k: usize, key: impl Fn(&T) -> (f32, Id)) -> Vec<T> {
    let mut order: Vec<(Match, usize)> = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let (score, id) = key(item);
        order.push((Match { id, score }, at));
    }
    keep_best(&mut order, k);
    let mut slots: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|(_, at)| slots[at].take()).collect()
}

fn keep_best(order: &mut Vec<(Match, usize)>, k: usize) {
    let better = |a: &(Match, usize), b: &(Match, usize)| b.0.score.total_cmp(&a.0.score).then(a.0.id.cmp(&b.0.id));
    if k == 0 {
        return order.clear();
    }
    if order.len() > k {
        order.select_nth_unstable_by(k - 1, better);
        order.truncate(k);
    }
    order.sort_unstable_by(better);
}
