//! Calibration: maps the cosines of different embedders onto one scale.

use std::borrow::Cow;

/// A rising piecewise-linear map from an embedder's cosine to the content factor. It makes the score bands mean the
/// same for every embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    points: Cow<'static, [(f32, f32)]>,
}

/// The least rise between two measured cosines.
const STEP: f32 = 0.002;

impl Calibration {
    /// Maps a cosine to itself.
    pub const IDENTITY: Self = Self { points: Cow::Borrowed(&[(0.0, 0.0), (1.0, 1.0)]) };

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
