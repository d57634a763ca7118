//! The weights of the factors, and the similarity score.

use super::Factors;

/// The weight of each factor; the sum is 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    content: f32,
    people: f32,
    thread: f32,
    subject: f32,
    entities: f32,
}

impl Weights {
    /// The weights without a hint of update or link.
    pub const DEFAULT: Self = Self { content: 0.50, people: 0.15, thread: 0.15, subject: 0.10, entities: 0.10 };
    /// For the same thread and a high score: favours UPDATE.
    pub const UPDATE: Self = Self { content: 0.35, people: 0.15, thread: 0.25, subject: 0.15, entities: 0.10 };
    /// For the same entities in another thread: favours LINK.
    pub const LINK: Self = Self { content: 0.30, people: 0.20, thread: 0.10, subject: 0.15, entities: 0.25 };

    /// The weighted mean of the present factors, 0–1. Weights of absent factors are distributed over the others.
    fn mean(&self, f: &Factors) -> f32 {
        let rows = [
            (self.content, Some(f.content)),
            (self.people, f.people),
            (self.thread, f.thread_id),
            (self.subject, f.subject),
            (self.entities, f.entities),
        ];
        let (mut sum, mut total) = (0.0, 0.0);
        for (weight, value) in rows {
            if let Some(value) = value {
                sum += weight * value;
                total += weight;
            }
        }
        // The content factor is always present, so the total is never 0.
        (sum / total).clamp(0.0, 1.0)
    }
}

/// The score of a pair: by the default weights, then by the update or link weights if the factors suggest them.
pub fn score(f: &Factors) -> f32 {
    let base = Weights::DEFAULT.mean(f);
    let same_thread = f.thread_id == Some(1.0);
    if same_thread && base > 0.75 {
        Weights::UPDATE.mean(f)
    } else if !same_thread && f.thread_id.is_some() && f.entities == Some(1.0) {
        Weights::LINK.mean(f)
    } else {
        base
    }
}
