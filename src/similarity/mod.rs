//! Similarity of two memories: five factors, their weights and one score that is never NaN.
//!
//! A score ranks candidates and selects a band. It never decides alone between update and link.

use crate::language::fold;
use crate::model::{Claim, Id};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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

/// The weights of content, people, thread, subject and entities, without a hint of update or link.
const DEFAULT: [f32; 5] = [0.50, 0.15, 0.15, 0.10, 0.10];
/// For the same thread and a high score: favours UPDATE.
const UPDATE: [f32; 5] = [0.35, 0.15, 0.25, 0.15, 0.10];
/// For the same entities in another thread: favours LINK.
const LINK: [f32; 5] = [0.30, 0.20, 0.10, 0.15, 0.25];

/// The weighted mean of the present factors, 0–1. Weights of absent factors are distributed over the others.
fn mean(weights: [f32; 5], f: &Factors) -> f32 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (weight, value) in weights.iter().zip([Some(f.content), f.people, f.thread_id, f.subject, f.entities]) {
        if let Some(value) = value {
            sum += weight * value;
            total += weight;
        }
    }
    // The content factor is always present, so the total is never 0.
    (sum / total).clamp(0.0, 1.0)
}

/// The score of a pair: by the default weights, then by the update or link weights if the factors suggest them.
pub fn score(f: &Factors) -> f32 {
    let base = mean(DEFAULT, f);
    let same_thread = f.thread_id == Some(1.0);
    if same_thread && base > 0.75 {
        mean(UPDATE, f)
    } else if !same_thread && f.thread_id.is_some() && f.entities == Some(1.0) {
        mean(LINK, f)
    } else {
        base
    }
}

/// A figure as the log keeps it: with four decimals.
pub fn rounded(figure: f32) -> f32 {
    (figure * 1e4).round() / 1e4
}

/// A rising piecewise-linear map from an embedder's cosine to the content factor. It makes the score bands mean the
/// same for every embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    points: Cow<'static, [(f32, f32)]>,
}

/// The least rise between two measured cosines.
const STEP: f32 = 0.002;

impl Calibration {
    /// A map through these points. Both coordinates must rise, from 0 to 1.
    pub const fn through(points: &'static [(f32, f32)]) -> Self {
        Self { points: Cow::Borrowed(points) }
    }

    /// A map through measured cosines and their content factors, which must rise between 0 and 1. A cosine that does
    /// not rise is raised to the least value that does.
    pub fn measured(levels: impl IntoIterator<Item = (f32, f32)>) -> Self {
        let mut points = vec![(0.0, 0.0)];
        let mut least = STEP;
        for (cosine, factor) in levels {
            let cosine = cosine.clamp(least, 1.0 - STEP);
            points.push((cosine, factor));
            least = (cosine + STEP).min(1.0 - STEP);
        }
        points.push((1.0, 1.0));
        Self { points: Cow::Owned(points) }
    }

    /// The content factor of a cosine, 0–1; 0 for NaN.
    pub fn apply(&self, cosine: f32) -> f32 {
        if cosine.is_nan() {
            return 0.0;
        }
        let x = cosine.clamp(0.0, 1.0);
        for pair in self.points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            if x <= x1 {
                let along = if x1 > x0 { (x - x0) / (x1 - x0) } else { 1.0 };
                // Clamped to its segment, so that rounding cannot break monotonicity.
                return (y0 + (y1 - y0) * along.clamp(0.0, 1.0)).max(y0).min(y1);
            }
        }
        1.0
    }
}

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
