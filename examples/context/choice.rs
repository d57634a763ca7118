//! Which one of several is meant, or none: a choice between all candidates at once, fitted by Newton's method.

use crate::labels::Labelled;
use crate::regression::solved;

/// How much weight a weight costs.
const RIDGE: f64 = 3.3;
const ROUNDS: usize = 40;

/// What was fitted. That none is meant weighs nothing.
#[derive(Debug, Clone)]
pub struct Choice {
    pub always: f64,
    pub weights: Vec<f64>,
}

impl Choice {
    /// How likely each of the candidates is meant.
    pub fn chances(&self, candidates: &[&Labelled]) -> Vec<f64> {
        let odds: Vec<f64> = candidates
            .iter()
            .map(|c| (self.always + c.marks.iter().map(|m| self.weights[*m]).sum::<f64>()).exp())
            .collect();
        let all = 1.0 + odds.iter().sum::<f64>();
        odds.into_iter().map(|o| o / all).collect()
    }
}

impl Choice {
    fn stepped(&self, step: &[f64], share: f64) -> Self {
        let weights = self.weights.iter().zip(step).map(|(w, s)| w - share * s).collect();
        Self { always: self.always - share * step[step.len() - 1], weights }
    }

    /// How unlikely it makes what is known, with what the weights cost.
    fn cost(&self, drafts: &[Vec<&Labelled>]) -> f64 {
        let of = |draft: &Vec<&Labelled>| {
            let chances = self.chances(draft);
            let meant: f64 = draft.iter().zip(&chances).filter(|(c, _)| c.worth).map(|(_, p)| p).sum();
            let none = 1.0 - chances.iter().sum::<f64>();
            -(if draft.iter().any(|c| c.worth) { meant } else { none }).max(1e-12).ln()
        };
        drafts.iter().map(of).sum::<f64>() + RIDGE / 2.0 * self.weights.iter().map(|w| w * w).sum::<f64>()
    }
}

/// The weights of so many marks that make what is known of the drafts likeliest. Of several that are meant it is the likelier.
pub fn chosen(drafts: &[Vec<&Labelled>], marks: usize) -> Choice {
    let mut model = Choice { always: 0.0, weights: vec![0.0; marks] };
    let n = marks + 1;
    for _ in 0..ROUNDS {
        let (mut slope, mut curve) = (vec![0.0; n], vec![vec![0.0; n]; n]);
        for draft in drafts {
            let chances = model.chances(draft);
            let meant: f64 = draft.iter().zip(&chances).filter(|(c, _)| c.worth).map(|(_, p)| p).sum();
            let mut mean = vec![0.0; n];
            for (candidate, chance) in draft.iter().zip(&chances) {
                let wanted = if candidate.worth { chance / meant.max(1e-9) } else { 0.0 };
                let there = || candidate.marks.iter().copied().chain([marks]);
                for i in there() {
                    slope[i] += chance - wanted;
                    mean[i] += chance;
                    there().for_each(|j| curve[i][j] += chance);
                }
            }
            for i in (0..n).filter(|i| mean[*i] != 0.0) {
                for j in 0..n {
                    curve[i][j] -= mean[i] * mean[j];
                }
            }
        }
        for i in 0..marks {
            slope[i] += RIDGE * model.weights[i];
            curve[i][i] += RIDGE;
        }
        curve[marks][marks] += 1e-6;
        let step = solved(curve, slope);
        // A whole step may go too far.
        let before = model.cost(drafts);
        let better = (0..12).map(|halved| model.stepped(&step, 0.5f64.powi(halved))).find(|m| m.cost(drafts) < before);
        let Some(better) = better else { break };
        model = better;
    }
    model
}
