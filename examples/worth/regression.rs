//! Logistic regression over binary features, by Newton's method.

use crate::labels::Labelled;

/// L2 penalty. A higher one weakens rare features.
const RIDGE: f64 = 3.3;
/// Maximum iterations; it converges long before.
const ROUNDS: usize = 30;

/// The fitted model.
#[derive(Debug, Clone)]
pub struct Regression {
    pub always: f64,
    pub weights: Vec<f64>,
}

impl Regression {
    pub fn chance(&self, marks: &[usize]) -> f64 {
        let sum = self.always + marks.iter().map(|m| self.weights[*m]).sum::<f64>();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// Fits the weights of this many features by maximum likelihood.
pub fn fitted(rows: &[&Labelled], marks: usize) -> Regression {
    let mut model = Regression { always: 0.0, weights: vec![0.0; marks] };
    // The last unknown is the intercept, which has no penalty.
    let n = marks + 1;
    for _ in 0..ROUNDS {
        let mut slope = vec![0.0; n];
        let mut curve = vec![vec![0.0; n]; n];
        for row in rows {
            let p = model.chance(&row.marks);
            let (error, spread) = (row.weight * (p - f64::from(u8::from(row.worth))), row.weight * p * (1.0 - p));
            let there = || row.marks.iter().copied().chain([marks]);
            for i in there() {
                slope[i] += error;
                there().for_each(|j| curve[i][j] += spread);
            }
        }
        for i in 0..marks {
            slope[i] += RIDGE * model.weights[i];
            curve[i][i] += RIDGE;
        }
        let step = solved(curve, slope);
        model.always -= step[marks];
        model.weights.iter_mut().zip(&step).for_each(|(w, s)| *w -= s);
        if step.iter().all(|s| s.abs() < 1e-9) {
            break;
        }
    }
    model
}

/// Solves a symmetric positive definite system by Cholesky decomposition.
pub fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = a[i][j] - (0..j).map(|k| a[i][k] * a[j][k]).sum::<f64>();
            a[i][j] = if i == j { sum.max(1e-12).sqrt() } else { sum / a[j][j] };
        }
    }
    for i in 0..n {
        b[i] = (b[i] - (0..i).map(|k| a[i][k] * b[k]).sum::<f64>()) / a[i][i];
    }
    for i in (0..n).rev() {
        b[i] = (b[i] - (i + 1..n).map(|k| a[k][i] * b[k]).sum::<f64>()) / a[i][i];
    }
    b
}

/// Formats the weights as the engine reads them, in integers because it has no decimal parser. The fixed width allows
/// replacing them in a built file.
pub fn in_thousandths(weights: &[f64]) -> String {
    let thousandths: Vec<String> = weights.iter().map(|w| format!("{:6.0}", 1000.0 * w)).collect();
    let lines: Vec<String> = thousandths.chunks(12).map(|line| line.join(" ")).collect();
    lines.join("\n") + "\n"
}
