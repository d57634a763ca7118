//! A vector that is looked for, as whole numbers, and what passes a scan for it.

use super::kernels::{CHUNK, Components};

/// The longest a vector may be for its bound to hold; unit vectors are, but for rounding.
pub(super) const UNIT: f64 = 1.01;

/// A vector that is looked for.
#[derive(Debug)]
pub(super) struct Probe {
    /// Which components it has, and their levels; what is missing to a whole turn is of level 0.
    pub turns: Vec<Components>,
    /// The levels of all components, two by two.
    pub pairs: Vec<[i16; 2]>,
    pub step: f32,
    pub reach: f32,
    pub slack: f32,
}

/// Which rows of a chunk are worth a look: those that may reach `least` by `weight × max(cosine, floor) + prior`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gate<'a> {
    pub weight: f32,
    pub floor: f32,
    pub least: f32,
    /// What each row of the chunk has already.
    pub priors: &'a [f32; CHUNK],
}

/// A row that has passed a gate: its place in the chunk, what its cosine is about, and how far from that it may be; NaN
/// where it has no vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Passed {
    pub row: usize,
    pub cosine: f32,
    pub bound: f32,
}

impl Probe {
    /// Reads a vector that is looked for; `None` where it has no direction, so that nothing is near to it.
    pub fn new(vector: &[f32]) -> Option<Self> {
        let length = norm(vector);
        let most = vector.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        if !(most > 0.0 && length < 1e6) {
            return None;
        }
        // So fine that the query adds next to nothing to the error, so coarse that no sum overflows.
        let levels = (f64::from(i32::MAX) / (127.0 * vector.len() as f64)).floor().min(32_767.0);
        let step = (f64::from(most) / levels) as f32;
        let (mut some, mut pairs) = (Vec::new(), vec![[0; 2]; vector.len().div_ceil(2)]);
        let (mut reached, mut left) = (0.0f64, 0.0f64);
        for (at, x) in vector.iter().enumerate() {
            let level = (f64::from(*x) / f64::from(step)).round().clamp(-levels, levels);
            let shown = f64::from(step) * level;
            reached += shown * shown;
            left += (f64::from(*x) - shown).powi(2);
            pairs[at / 2][at % 2] = level as i16;
            if level != 0.0 {
                some.push((at as u32, level as i16));
            }
        }
        // q·x = q'·x' + q'·(x − x') + (q − q')·x, and an f32 sum of n products is off by n·2⁻²⁴ of their lengths.
        let rounding = (vector.len() + 8) as f64 * f64::from(f32::EPSILON) + 1e-6;
        let slack = (left.sqrt() + rounding * length) * UNIT;
        Some(Self { turns: Components::all(&some), pairs, step, reach: above(reached.sqrt()), slack: above(slack) })
    }
}

pub(super) fn norm(vector: &[f32]) -> f64 {
    vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt()
}

/// The number as `f32`, not below it.
pub(super) fn above(x: f64) -> f32 {
    ((x * (1.0 + 1e-6)) as f32).next_up()
}

impl Probe {
    /// What the cosine of a row is about, and its bound.
    #[inline(always)]
    pub fn estimate(&self, sum: i32, scale: f32, error: f32) -> (f32, f32) {
        (sum as f32 * (scale * self.step), error * self.reach + self.slack)
    }
}
