//! Written by `examples/fit combine`: how the answers of the trees and of the encoder's head are combined.

/// What the logarithms of the trees' probabilities are multiplied by.
pub(super) const TREES: f32 = 0.5;
/// What the head's logarithms are multiplied by.
pub(super) const HEAD: f32 = 0.5;
/// What is added for each outcome.
pub(super) const BIAS: [f32; 4] = [0.0, 0.0, 0.0, 0.0];
/// The combined probability from which on each outcome is sure.
pub(super) const SURE: [f32; 4] = [0.9, 0.9, 0.9, 0.9];
