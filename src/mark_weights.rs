//! [`MarkWeights`]: what marks weigh that a thing has or has not, as a fit wrote it down.
//!
//! It never knows what the marks mean.

use std::sync::OnceLock;

/// Weights in thousandths, as `make fit` writes them: first what is added always, then one for each mark, in their order.
pub struct MarkWeights {
    text: &'static str,
    weights: OnceLock<Vec<f32>>,
}

impl MarkWeights {
    /// The weights that a text holds.
    pub const fn new(text: &'static str) -> Self {
        Self { text, weights: OnceLock::new() }
    }

    /// The logarithm of the odds with these marks.
    pub fn log_odds(&self, marks: &[usize]) -> f32 {
        let all = self.weights.get_or_init(|| {
            let thousandths = self.text.split_whitespace().filter_map(|w| w.parse::<i16>().ok());
            thousandths.map(|w| f32::from(w) / 1000.0).collect()
        });
        let (always, weights) = all.split_first().map_or((0.0, &[][..]), |(a, w)| (*a, w));
        always + marks.iter().filter_map(|mark| weights.get(*mark)).sum::<f32>()
    }

    /// The chance with these marks.
    pub fn chance(&self, marks: &[usize]) -> f32 {
        1.0 / (1.0 + (-self.log_odds(marks)).exp())
    }
}
