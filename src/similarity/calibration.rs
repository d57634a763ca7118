//! Bringing the cosines of different embedders onto one scale.

use std::borrow::Cow;

/// A rising piecewise-linear map from an embedder's cosine to the content factor, so that the bands mean the
/// same for every embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    points: Cow<'static, [(f32, f32)]>,
}

/// By so much a measured cosine is above the one before it at least.
const STEP: f32 = 0.002;

impl Calibration {
    /// The cosine itself.
    pub const IDENTITY: Self = Self { points: Cow::Borrowed(&[(0.0, 0.0), (1.0, 1.0)]) };

    /// A map through these points, which must rise in both coordinates and begin at 0 and end at 1.
    pub const fn through(points: &'static [(f32, f32)]) -> Self {
        Self { points: Cow::Borrowed(points) }
    }

    /// A map through cosines that were measured and the factors that they stand for, which must rise between 0 and 1.
    /// Cosines that do not rise are taken for the least that would.
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

    /// The content factor of a cosine; within 0–1, and 0 for anything that is not a number.
    pub fn apply(&self, cosine: f32) -> f32 {
        if cosine.is_nan() {
            return 0.0;
        }
        let x = cosine.clamp(0.0, 1.0);
        for pair in self.points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            if x <= x1 {
                let along = if x1 > x0 { (x - x0) / (x1 - x0) } else { 1.0 };
                // Within its piece, so that it rises from one to the next however it is rounded.
                return (y0 + (y1 - y0) * along.clamp(0.0, 1.0)).max(y0).min(y1);
            }
        }
        1.0
    }
}
