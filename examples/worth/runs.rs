//! Logistic regression over sparse rows, by full-batch Adam.

use crate::labels::Labelled;

/// L2 penalty of the weights of marks and of n-grams.
const RIDGE: [f64; 2] = [0.002, 0.0006];
const ROUNDS: usize = 240;
const STEP: f64 = 0.05;

/// The fitted model: the intercept, then a weight for each mark and each hash bucket.
#[derive(Debug, Clone)]
pub struct Regression {
    pub always: f64,
    pub weights: Vec<f64>,
    pub marks: usize,
}

impl Regression {
    pub fn chance(&self, row: &Labelled) -> f64 {
        let unit = 1.0 / (row.runs.len().max(1) as f64).sqrt();
        let marks: f64 = row.marks.iter().map(|m| self.weights[*m]).sum();
        let runs: f64 = row.runs.iter().map(|r| self.weights[self.marks + *r as usize]).sum();
        1.0 / (1.0 + (-(self.always + marks + runs * unit)).exp())
    }
}

/// Fits the weights by maximum likelihood.
pub fn fitted(rows: &[&Labelled], marks: usize, places: usize) -> Regression {
    let mut model = Regression { always: 0.0, weights: vec![0.0; marks + places], marks };
    let (mut first, mut second) = (vec![0.0; marks + places + 1], vec![0.0; marks + places + 1]);
    let total: f64 = rows.iter().map(|r| r.weight).sum();
    for round in 1..=ROUNDS {
        let mut slope = vec![0.0; marks + places + 1];
        for row in rows {
            let error = row.weight * (model.chance(row) - f64::from(u8::from(row.worth))) / total;
            let unit = 1.0 / (row.runs.len().max(1) as f64).sqrt();
            row.marks.iter().for_each(|m| slope[*m] += error);
            row.runs.iter().for_each(|r| slope[marks + *r as usize] += error * unit);
            slope[marks + places] += error;
        }
        for (n, slope) in slope.iter_mut().enumerate() {
            let weight = model.weights.get_mut(n);
            *slope += weight.as_ref().map_or(0.0, |w| **w * RIDGE[usize::from(n >= marks)]);
            first[n] = 0.9 * first[n] + 0.1 * *slope;
            second[n] = 0.999 * second[n] + 0.001 * *slope * *slope;
            let (a, b) = (1.0 - 0.9_f64.powi(round as i32), 1.0 - 0.999_f64.powi(round as i32));
            let step = STEP * (first[n] / a) / ((second[n] / b).sqrt() + 1e-9);
            *weight.unwrap_or(&mut model.always) -= step;
        }
    }
    model
}

/// Serialises the weights: intercept, quantisation steps of marks and n-grams, then one byte each.
pub fn packed(model: &Regression) -> Vec<u8> {
    let (marks, runs) = model.weights.split_at(model.marks);
    let step = |of: &[f64]| of.iter().fold(0.0, |most: f64, w| most.max(w.abs())) / 127.0;
    let steps = [step(marks), step(runs)];
    let numbers = [model.always, steps[0], steps[1]].into_iter().flat_map(|n| (n as f32).to_le_bytes());
    let byte = |step: f64| move |w: &f64| (w / step.max(1e-12)).round() as i8 as u8;
    numbers.chain(marks.iter().map(byte(steps[0]))).chain(runs.iter().map(byte(steps[1]))).collect()
}
