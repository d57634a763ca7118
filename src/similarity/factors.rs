//! The five similarity factors of a pair of memories.

use crate::language::fold;
use crate::model::Claim;
use serde::{Deserialize, Serialize};

/// Similarity factors of two memories, 0–1. A factor is absent if one side lacks the field.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Factors {
    /// Text similarity: the calibrated cosine of the embeddings.
    pub content: f32,
    /// The share of common people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<f32>,
    /// 1 for the same thread, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<f32>,
    /// The similarity of the subject lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<f32>,
    /// The share of common entities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities: Option<f32>,
}

/// The cosine of two unit vectors, −1 to 1; 0 if the lengths differ or a component is not finite.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    if a.len() != b.len() {
        return 0.0;
    }
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    if dot.is_finite() { dot.clamp(-1.0, 1.0) } else { 0.0 }
}

/// The factors of a pair, given its content factor.
pub fn factors(content: f32, a: &Claim<'_>, b: &Claim<'_>) -> Factors {
    Factors {
        content: if content.is_finite() { content.clamp(0.0, 1.0) } else { 0.0 },
        people: overlap(a.people, b.people),
        thread_id: a.thread_id.zip(b.thread_id).map(|(x, y)| f32::from(u8::from(x == y))),
        subject: a.subject.zip(b.subject).map(|(x, y)| likeness(&fold(x), &fold(y))),
        entities: overlap(a.entities, b.entities),
    }
}

/// The share of the smaller list that is also in the larger one, ignoring case and form.
fn overlap(a: &[String], b: &[String]) -> Option<f32> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let large: Vec<String> = large.iter().map(|s| fold(s)).collect();
    let common = small.iter().filter(|s| large.contains(&fold(s))).count();
    Some(common as f32 / small.len() as f32)
}

/// The Dice coefficient of the words of two folded lines.
fn likeness(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let (x, y): (Vec<&str>, Vec<&str>) = (a.split_whitespace().collect(), b.split_whitespace().collect());
    if x.is_empty() || y.is_empty() {
        return 0.0;
    }
    let common = x.iter().filter(|w| y.contains(w)).count();
    2.0 * common as f32 / (x.len() + y.len()) as f32
}
