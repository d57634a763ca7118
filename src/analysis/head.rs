//! Combines the answer of the encoder's head on a pair with that of the trees.

use super::forest::softmax;
pub(super) use super::head_weights::SURE;
use super::head_weights::{BIAS, HEAD, TREES};
use super::outcome::{KeyFactor, OUTCOMES, Outcome};

/// Code of the key factor that names both answers.
const CODE: &str = "encoder";
/// Lower bound of a probability, so that one answer alone never rules an outcome out.
const LEAST: f32 = 1e-4;

/// Weight of the trees' answer.
pub(super) const SHARE: f32 = TREES;

/// Combines the trees' probabilities with the head's log probabilities; the result is calibrated.
pub fn combined(trees: &[f32; 4], head: &[f32; 4]) -> [f32; 4] {
    let scores: [f32; 4] =
        std::array::from_fn(|n| TREES * trees[n].max(LEAST).ln() + HEAD * head[n].max(LEAST.ln()) + BIAS[n]);
    let p = softmax(&scores, 1.0);
    std::array::from_fn(|n| p[n])
}

/// The key factor that names both answers, weighted by the head's part in the lead of `best` over `next`.
pub(super) fn factor(trees: &[f32; 4], head: &[f32; 4], best: usize, next: usize) -> KeyFactor {
    let weight = HEAD * (head[best].max(LEAST.ln()) - head[next].max(LEAST.ln()));
    let shown = |p: [f32; 4]| {
        let top = (1..4).fold(0, |top, n| if p[n] > p[top] { n } else { top });
        let outcome = match OUTCOMES[top] {
            Outcome::Skip => "SKIP",
            Outcome::Update => "UPDATE",
            Outcome::CreateAndLink => "CREATE_AND_LINK",
            Outcome::Create => "CREATE",
        };
        let probability = format!("{:.2}", p[top].min(0.99));
        format!("{outcome} {}", probability.trim_start_matches('0'))
    };
    let evidence = format!("trees {}, encoder {}", shown(*trees), shown(head.map(f32::exp)));
    KeyFactor { code: CODE.to_owned(), weight, evidence: Some(evidence) }
}
