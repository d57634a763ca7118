//! Numeric kernels: int8 × int16 matrix products, layer norm, GELU, softmax.

/// The width of the hidden states.
pub const WIDTH: usize = 384;
/// The width of the feed-forward layer.
pub const INNER: usize = 1_536;

/// Consecutive weights that share a scale.
pub const BLOCK: usize = 32;
/// Tokens that are multiplied with a row at once.
const TOKENS: usize = 4;
/// The largest quantised activation; the sum of 32 products with int8 weights fits in 32 bits.
const MAX_ACTIVATION: f32 = 32_767.0;
/// Rounding trick: x + 1.5 × 2^23 holds x, rounded to an integer, in its low bits.
const ROUND: f32 = 12_582_912.0;

fn rounded(x: f32) -> i32 {
    (x + ROUND).to_bits() as i32 - ROUND.to_bits() as i32
}

fn largest(values: &[f32]) -> f32 {
    let mut most = [1e-20f32; 4];
    for four in values.chunks_exact(4) {
        for (m, x) in most.iter_mut().zip(four) {
            *m = if x.abs() > *m { x.abs() } else { *m };
        }
    }
    most[0].max(most[1]).max(most[2].max(most[3]))
}

/// A matrix of int8 weights with a scale for each block, and its bias.
#[derive(Default)]
pub struct Matrix {
    /// Values in a row.
    pub(crate) length: usize,
    pub(crate) weights: Vec<i8>,
    pub(crate) scales: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

impl Matrix {
    /// Quantises a block to 8 bits and appends it.
    pub fn push(&mut self, block: &[f32]) {
        let scale = largest(block) / 127.0;
        self.scales.push(scale);
        self.weights.extend(block.iter().map(|x| rounded(x / scale) as i8));
    }
}

/// Activations as int16 with a scale for each token.
#[derive(Default)]
pub struct Quantised {
    values: Vec<i16>,
    scales: Vec<f32>,
}

impl Quantised {
    fn set(&mut self, x: &[f32], length: usize) {
        self.values.clear();
        self.scales.clear();
        for row in x.chunks_exact(length) {
            let scale = largest(row) / MAX_ACTIVATION;
            self.scales.push(scale);
            self.values.extend(row.iter().map(|x| rounded(x * (1.0 / scale)) as i16));
        }
    }
}

/// Replaces `out` by `x` multiplied by the matrix, plus the bias.
pub fn linear(matrix: &Matrix, x: &[f32], quantised: &mut Quantised, out: &mut Vec<f32>) {
    let (length, count) = (matrix.length, matrix.bias.len());
    quantised.set(x, length);
    out.clear();
    out.resize(quantised.scales.len() * count, 0.0);
    let tokens = quantised.scales.chunks(TOKENS).zip(quantised.values.chunks(TOKENS * length));
    for ((scales, values), out) in tokens.zip(out.chunks_mut(TOKENS * count)) {
        let rows = matrix.weights.chunks_exact(length).zip(matrix.scales.chunks_exact(length / BLOCK));
        for (j, (weights, blocks)) in rows.enumerate() {
            let sums = match scales.len() {
                4 => products::<4>(weights, blocks, values),
                3 => products::<3>(weights, blocks, values),
                2 => products::<2>(weights, blocks, values),
                _ => products::<1>(weights, blocks, values),
            };
            for (token, scale) in scales.iter().enumerate() {
                out[token * count + j] = sums[token] * scale + matrix.bias[j];
            }
        }
    }
}

/// The products of a row with `M` tokens.
#[cfg(target_feature = "simd128")]
#[inline(never)]
fn products<const M: usize>(weights: &[i8], scales: &[f32], values: &[i16]) -> [f32; TOKENS] {
    use core::arch::wasm32::*;
    let length = scales.len() * BLOCK;
    assert!(weights.len() == length && values.len() == M * length);
    let mut sums = [f32x4_splat(0.0); M];
    for (block, scale) in scales.iter().enumerate() {
        let at = block * BLOCK;
        let scale = f32x4_splat(*scale);
        // SAFETY: `at + BLOCK <= length`, and the lengths of both slices were checked above.
        unsafe {
            let w = [0, 8, 16, 24].map(|d| i16x8_load_extend_i8x8(weights.as_ptr().add(at + d)));
            for (token, sum) in sums.iter_mut().enumerate() {
                let x = [0, 8, 16, 24].map(|d| v128_load(values.as_ptr().add(token * length + at + d).cast()));
                let one = i32x4_add(i32x4_dot_i16x8(w[0], x[0]), i32x4_dot_i16x8(w[1], x[1]));
                let other = i32x4_add(i32x4_dot_i16x8(w[2], x[2]), i32x4_dot_i16x8(w[3], x[3]));
                *sum = f32x4_add(*sum, f32x4_mul(f32x4_convert_i32x4(i32x4_add(one, other)), scale));
            }
        }
    }
    let mut out = [0.0; TOKENS];
    for (out, v) in out.iter_mut().zip(sums) {
        let half = f32x4_add(v, i32x4_shuffle::<2, 3, 0, 1>(v, v));
        *out = f32x4_extract_lane::<0>(half) + f32x4_extract_lane::<1>(half);
    }
    out
}

/// The same without SIMD.
#[cfg(not(target_feature = "simd128"))]
fn products<const M: usize>(weights: &[i8], scales: &[f32], values: &[i16]) -> [f32; TOKENS] {
    let mut out = [0.0; TOKENS];
    for (out, token) in out[..M].iter_mut().zip(values.chunks_exact(weights.len())) {
        for ((w, x), scale) in weights.chunks_exact(BLOCK).zip(token.chunks_exact(BLOCK)).zip(scales) {
            let sum: i32 = w.iter().zip(x).map(|(&w, &x)| i32::from(i16::from(w)) * i32::from(x)).sum();
            *out += sum as f32 * scale;
        }
    }
    out
}

/// Adds the residual `more` to `x` and applies layer norm; `norm` holds all factors, then all offsets.
pub fn normalise(x: &mut [f32], more: &[f32], norm: &[f32]) {
    let (factors, offsets) = norm.split_at(WIDTH);
    for (row, more) in x.chunks_exact_mut(WIDTH).zip(more.chunks_exact(WIDTH)) {
        row.iter_mut().zip(more).for_each(|(x, more)| *x += more);
        let mean = sum(row, |x| x) / WIDTH as f32;
        let scale = 1.0 / (sum(row, |x| (x - mean) * (x - mean)) / WIDTH as f32 + 1e-12).sqrt();
        for ((x, factor), offset) in row.iter_mut().zip(factors).zip(offsets) {
            *x = (*x - mean) * scale * factor + offset;
        }
    }
}

/// A sum in eight lanes, which the compiler vectorises.
fn sum(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0f32; 8];
    for eight in row.chunks_exact(8) {
        sums.iter_mut().zip(eight).for_each(|(s, &x)| *s += of(x));
    }
    sums.iter().sum()
}

/// GELU with Eigen's rational approximation of erf (error below 1e-6), without branches. The bounds are constants, so
/// `clamp` does not check them.
#[allow(clippy::disallowed_methods)]
pub fn gelu(x: &mut [f32]) {
    for v in x {
        let y = (*v * std::f32::consts::FRAC_1_SQRT_2).clamp(-4.0, 4.0);
        let z = y * y;
        let p = [2.770_681e-8, -2.101_024e-6, -5.692_506e-5, -7.349_906e-4, -2.954_6e-3, -1.609_603e-2];
        let q = [-2.133_741e-4, -1.682_827e-3, -7.373_329e-3, -1.426_474e-2];
        let above = p.iter().fold(-2.726_142e-10, |sum, c| sum * z + c) * y;
        let below = q.iter().fold(-1.456_607e-5, |sum, c| sum * z + c);
        *v = 0.5 * *v * (1.0 + above / below);
    }
}

/// Normalises scores to probabilities.
pub fn softmax(scores: &mut [f32]) {
    let most = scores.iter().fold(f32::MIN, |a, &b| if b > a { b } else { a });
    scores.iter_mut().for_each(|s| *s = exp(*s - most));
    let scale = 1.0 / scores.iter().sum::<f32>();
    scores.iter_mut().for_each(|s| *s *= scale);
}

/// e^x for x ≤ 0: a power of two and a short series for the rest.
fn exp(x: f32) -> f32 {
    let y = (x * std::f32::consts::LOG2_E).max(-126.0);
    let whole = rounded(y);
    let f = (y - whole as f32) * std::f32::consts::LN_2;
    let series = [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0].iter().fold(0.0, |sum, c| sum * f + c);
    f32::from_bits((series.to_bits() as i32 + (whole << 23)) as u32)
}
