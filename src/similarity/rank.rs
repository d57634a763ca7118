//! Ranking: highest score first, ties by ascending id.

use crate::model::Id;

/// The `k` best of `items`: highest score first, ties by ascending id.
pub fn rank<T>(items: Vec<T>, k: usize, key: impl Fn(&T) -> (f32, Id)) -> Vec<T> {
    let mut keyed: Vec<(f32, Id, T)> = items
        .into_iter()
        .map(|item| {
            let (score, id) = key(&item);
            (score, id, item)
        })
        .collect();
    let order = |a: &(f32, Id, T), b: &(f32, Id, T)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if k < keyed.len() {
        keyed.select_nth_unstable_by(k, order);
        keyed.truncate(k);
    }
    keyed.sort_by(order);
    keyed.into_iter().map(|(_, _, item)| item).collect()
}
