//! Fits the weights of words and n-grams: a softmax regression over hash buckets, with L1 regularisation.
//!
//! Uses FTRL (follow the regularised leader), one row at a time. It is deterministic, and most weights end at zero.

use crate::pairs::Rng;
use memfold::analysis::ngram_weights::BITS;

/// Passes over the rows.
const EPOCHS: usize = 6;
/// Learning rate.
const RATE: f64 = 3.0;
/// Quantisation steps on either side of zero; few, so that the file compresses well.
const STEPS: f64 = 15.0;
/// L1 penalty.
const L1: f64 = 4.0;

/// A training row: its hash buckets, label and weight.
pub struct Row<'a> {
    pub traits: &'a [u32],
    pub label: usize,
    pub weight: f64,
}

/// The serialised weights fitted on these rows.
pub fn fit(rows: &[Row<'_>]) -> Vec<u8> {
    let places = 1usize << BITS;
    let (mut z, mut n, mut w) = (vec![[0.0f64; 4]; places], vec![[0.0f64; 4]; places], vec![[0.0f64; 4]; places]);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut rng = Rng(11);
    for _ in 0..EPOCHS {
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
        for r in order.iter().map(|i| &rows[*i]) {
            let x = 1.0 / (r.traits.len().max(1) as f64).sqrt();
            let mut p = [0.0f64; 4];
            for t in r.traits {
                let t = *t as usize;
                for c in 0..4 {
                    let (z, n) = (z[t][c], n[t][c]);
                    w[t][c] = if z.abs() <= L1 { 0.0 } else { -(z - z.signum() * L1) / ((1.0 + n.sqrt()) / RATE) };
                    p[c] += w[t][c] * x;
                }
            }
            let top = p.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = p.iter().map(|v| (v - top).exp()).sum();
            for (c, v) in p.iter().enumerate() {
                let g = r.weight * x * ((v - top).exp() / sum - f64::from(u8::from(r.label == c)));
                for t in r.traits {
                    let t = *t as usize;
                    let sigma = ((n[t][c] + g * g).sqrt() - n[t][c].sqrt()) / RATE;
                    z[t][c] += g - sigma * w[t][c];
                    n[t][c] += g * g;
                }
            }
        }
    }
    // A few weights are far larger than all others. They are clamped to keep the steps small.
    let mut sizes: Vec<f64> = w.iter().flatten().map(|v| v.abs()).filter(|v| *v > 0.0).collect();
    sizes.sort_by(f64::total_cmp);
    let top = sizes.get(sizes.len() * 995 / 1000).copied().unwrap_or(1.0);
    let scale = top / STEPS;
    let mut out = (scale as f32).to_le_bytes().to_vec();
    out.extend(w.iter().flatten().map(|v| (v / scale).round().clamp(-STEPS, STEPS) as i8 as u8));
    out
}
