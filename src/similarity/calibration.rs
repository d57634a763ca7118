//! Bringing the cosines of different embedders onto one scale.

/// A rising piecewise-linear map from an embedder's cosine to the content factor, so that the bands mean the
/// same for every embedder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    points: &'static [(f32, f32)],
}

impl Calibration {
    /// The cosine itself.
    pub const IDENTITY: Self = Self { points: &[(0.0, 0.0), (1.0, 1.0)] };

    /// A map through these points, which must rise in both coordinates and begin at 0 and end at 1.
    pub const fn through(points: &'static [(f32, f32)]) -> Self {
        Self { points }
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
                return (y0 + (y1 - y0) * along.clamp(0.0, 1.0)).clamp(0.0, 1.0);
            }
        }
        1.0
    }
}
