//! Turns features into calibrated probabilities by the weights in `weights.bin`, which `make fit` writes.

use super::Reading;
use super::features::{Sheet, features};
use super::forest::{Forest, softmax};
use crate::language::short;
use crate::model::Draft;
use std::sync::LazyLock;

const WEIGHTS: &[u8] = include_bytes!("weights.bin");
/// Magic number of a weights file.
pub const MAGIC: [u8; 4] = *b"mfa6";

/// The fitted forests.
#[derive(Debug, Clone)]
pub struct Classifier {
    /// Classifies pairs where both sides have entities.
    pub told: Decider,
    /// Classifies pairs where a side has no entities.
    pub bare: Decider,
    /// Scores the six link types, in the order of [`super::RELATIONS`].
    pub relation: Forest,
    /// Scores newer version against contradiction.
    pub contradiction: Forest,
}

/// A forest over the four outcomes, with its calibration.
#[derive(Debug, Clone)]
pub struct Decider {
    pub forest: Forest,
    /// Divides raw scores; calibrates the probabilities.
    pub temperature: f32,
    /// For each outcome, the probability from which it counts as sure.
    pub sure: [f32; 4],
}

static CLASSIFIER: LazyLock<Option<Classifier>> = LazyLock::new(|| Classifier::parse(WEIGHTS));
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(names);
/// Starts of the names of features that explain nothing where they are absent: values and categories.
const ABSENT: [&str; 5] = ["value_", "instance_", "identifier_", "number_", "category_"];

/// The fitted classifier; `None` if the weights were fitted for other features.
pub fn classifier() -> Option<&'static Classifier> {
    CLASSIFIER.as_ref()
}

/// The name of a feature that can be shown as a reason.
pub(super) fn explanation(feature: u8, x: &[f32]) -> Option<&'static str> {
    let name = *NAMES.get(usize::from(feature))?;
    let is_absent = x.get(usize::from(feature)).is_none_or(|v| *v == 0.0 || *v == -1.0);
    let is_idle = is_absent && name != "category_same" && ABSENT.iter().any(|start| name.starts_with(start));
    (!is_idle).then_some(name)
}

/// All feature names, in feature order.
pub fn names() -> Vec<&'static str> {
    let mut sheet = Sheet { names: Some(Vec::new()), ..Sheet::default() };
    let draft = Draft::new("");
    let r = Reading::of(&(&draft).into());
    features(&r, &r, &mut sheet);
    sheet.names.unwrap_or_default()
}

/// Hash of the feature names; detects weights that were fitted for other features.
pub fn fingerprint() -> u32 {
    names().iter().fold(0, |h: u32, name| h.rotate_left(5) ^ short(name))
}

impl Decider {
    /// The calibrated probabilities of the four outcomes.
    pub fn probabilities(&self, x: &[f32]) -> [f32; 4] {
        let p = softmax(&self.forest.scores(x), self.temperature);
        std::array::from_fn(|i| p.get(i).copied().unwrap_or(0.25))
    }
}

impl Classifier {
    /// Parses a weights file; `None` if it is malformed or was fitted for other features.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk::<4>()?;
        let (print, rest) = rest.split_first_chunk::<4>()?;
        if *magic != MAGIC || u32::from_le_bytes(*print) != fingerprint() {
            return None;
        }
        let (numbers, rest) = rest.split_at_checked(40)?;
        let numbers: Vec<f32> = numbers.as_chunks().0.iter().map(|n| f32::from_le_bytes(*n)).collect();
        let (told, rest) = Forest::parse(rest)?;
        let (bare, rest) = Forest::parse(rest)?;
        let (relation, rest) = Forest::parse(rest)?;
        let (contradiction, _) = Forest::parse(rest)?;
        let decider = |forest, n: &[f32]| Decider { forest, temperature: n[0], sure: [n[1], n[2], n[3], n[4]] };
        Some(Self { told: decider(told, &numbers[..5]), bare: decider(bare, &numbers[5..]), relation, contradiction })
    }

    /// The decider for pairs with entities on both sides (`told`), or without.
    pub fn decider(&self, told: bool) -> &Decider {
        if told { &self.told } else { &self.bare }
    }
}
