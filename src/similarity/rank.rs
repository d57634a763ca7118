//! The one order of everything that is ranked: highest score first, ties by ascending id.

use crate::model::Id;
use crate::order::best;

/// The `k` best of `items`, best first, ties by ascending id.
pub fn rank<T>(items: Vec<T>, k: usize, key: impl Fn(&T) -> (f32, Id)) -> Vec<T> {
    let mut keys: Vec<(f32, Id)> = Vec::with_capacity(items.len());
    for item in &items {
        keys.push(key(item));
    }
    let order = |a: usize, b: usize| keys[b].0.total_cmp(&keys[a].0).then(keys[a].1.cmp(&keys[b].1));
    let mut slots: Vec<Option<T>> = items.into_iter().map(Some).collect();
    best(keys.len(), k, &order).into_iter().filter_map(|at| slots[at as usize].take()).collect()
}
