//! Quantised vectors, natively and in a browser, where SIMD code computes their cosines.

use memfold::model::Id;
use memfold::search::{MARGIN, RemoteVectors};
use memfold::similarity::cosine;

/// Unit vectors: dense, sparse and uniform ones.
fn vectors(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
    let mut state = 7u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    let unit = |n: usize| {
        let v: Vec<f32> = match n % 3 {
            0 => (0..dimensions).map(|_| next()).collect(),
            1 => (0..dimensions).map(|_| if next() > 0.5 { next() } else { 0.0 }).collect(),
            _ => vec![next(); dimensions],
        };
        let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-20);
        v.iter().map(|x| x / norm).collect()
    };
    (0..count).map(unit).collect()
}

pub fn quantised_cosines_stay_within_the_margin() {
    for (dimensions, bound) in [(7, 4.0 * MARGIN), (384, MARGIN), (1_536, MARGIN)] {
        let made = vectors(1_100, dimensions);
        let mut all = RemoteVectors::new(dimensions);
        let id = |n: usize| Id::from_bytes((n as u128).to_be_bytes());
        made.iter().enumerate().for_each(|(n, v)| all.put(id(n), &RemoteVectors::encode(v)));
        for query in &made[..6] {
            let found = all.cosines(query);
            assert!(found.iter().map(|(id, _)| *id).eq((0..made.len()).map(id)), "one for each vector, in order");
            let off = found.iter().zip(&made).map(|((_, about), v)| (about - cosine(query, v)).abs());
            assert!(off.fold(0.0, f32::max) < bound, "{dimensions}");
        }
        for empty in [vec![0.0; dimensions], vec![f32::NAN; dimensions]] {
            assert!(all.cosines(&empty).is_empty());
        }
    }
}
