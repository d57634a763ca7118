//! [`Codes`]: vectors as one byte a component, scanned whole, with a bound on what that takes from each cosine.
//!
//! It never says which row is nearer where the bound leaves that open; the `f32` vectors settle it.
//!
//! Four rows lie interleaved in pieces of 16 bytes, so that a scan reads memory in one stream and sums four rows at
//! once. In WebAssembly the scan is SIMD, which every current engine has: a second file without it would weigh as much
//! again for engines that lack other things that this one needs.

/// Rows that lie together, and are stored together.
pub(super) const CHUNK: usize = 1_024;
const PIECE: usize = 16;
const LANES: usize = 4;
/// The longest a vector may be for its bound to hold; unit vectors are, but for rounding.
const UNIT: f64 = 1.01;

/// The vectors of one embedder by row.
#[derive(Debug, Default, Clone)]
pub(super) struct Codes {
    dimensions: usize,
    pieces: usize,
    chunks: Vec<Vec<u8>>,
    /// What one step of a row's codes is worth.
    scales: Vec<f32>,
    /// The length of what the codes leave out; NaN where the row has no vector.
    errors: Vec<f32>,
}

/// A vector that is looked for.
#[derive(Debug)]
pub(super) struct Probe {
    levels: Vec<i16>,
    step: f32,
    reach: f32,
    slack: f32,
}

/// Of the rows of one chunk: what their cosines are about, and how far from that they may be.
pub(super) struct Estimates {
    pub cosines: [f32; CHUNK],
    pub bounds: [f32; CHUNK],
}

impl Default for Estimates {
    fn default() -> Self {
        Self { cosines: [0.0; CHUNK], bounds: [0.0; CHUNK] }
    }
}

impl Codes {
    /// For vectors of this length.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, pieces: dimensions.div_ceil(PIECE), ..Self::default() }
    }

    /// The length of its vectors.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many chunks it has.
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Whether a row has a vector.
    pub fn has(&self, row: u32) -> bool {
        self.errors.get(row as usize).is_some_and(|e| !e.is_nan())
    }

    /// Puts the vector of a row.
    pub fn put(&mut self, row: u32, vector: &[f32]) {
        let row = row as usize;
        while self.chunks.len() * CHUNK <= row {
            self.chunks.push(vec![0; CHUNK * self.pieces * PIECE]);
            let rows = self.chunks.len() * CHUNK;
            self.scales.reserve_exact(rows - self.scales.len());
            self.errors.reserve_exact(rows - self.errors.len());
            self.scales.resize(rows, 0.0);
            self.errors.resize(rows, f32::NAN);
        }
        let length = norm(vector);
        let most = vector.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        let sound = length <= UNIT && vector.len() == self.dimensions;
        let scale = if sound { most / 127.0 } else { 0.0 };
        let mut left = 0.0f64;
        let pieces = self.pieces;
        let chunk = &mut self.chunks[row / CHUNK];
        for (at, x) in vector.iter().take(self.dimensions).enumerate() {
            let code = if scale > 0.0 { (x / scale).round().clamp(-127.0, 127.0) } else { 0.0 };
            left += (f64::from(*x) - f64::from(scale) * f64::from(code)).powi(2);
            chunk[place(row % CHUNK, at, pieces)] = (code as i8).cast_unsigned();
        }
        self.scales[row] = scale;
        // Where the bound cannot be told, the row is always left open.
        self.errors[row] = if sound { above(left.sqrt()) } else { f32::INFINITY };
    }

    /// Takes a row's vector away.
    pub fn take(&mut self, row: u32) {
        let row = row as usize;
        if let Some(error) = self.errors.get_mut(row) {
            *error = f32::NAN;
            self.scales[row] = 0.0;
            for at in 0..self.dimensions {
                self.chunks[row / CHUNK][place(row % CHUNK, at, self.pieces)] = 0;
            }
        }
    }

    /// Moves a row to an earlier place, where none may be left.
    pub fn shift(&mut self, from: u32, to: u32) {
        let (from, to) = (from as usize, to as usize);
        if from == to || from >= self.errors.len() {
            return;
        }
        for piece in 0..self.pieces {
            let at = |row: usize| place(row % CHUNK, piece * PIECE, self.pieces);
            let mut bytes = [0; PIECE];
            bytes.copy_from_slice(&self.chunks[from / CHUNK][at(from)..at(from) + PIECE]);
            self.chunks[to / CHUNK][at(to)..at(to) + PIECE].copy_from_slice(&bytes);
        }
        (self.scales[to], self.errors[to]) = (self.scales[from], self.errors[from]);
        self.errors[from] = f32::NAN;
    }

    /// Lets go of all rows from this one on.
    pub fn truncate(&mut self, rows: usize) {
        let chunks = rows.div_ceil(CHUNK);
        self.chunks.truncate(chunks);
        self.scales.truncate(chunks * CHUNK);
        self.errors.truncate(chunks * CHUNK);
    }

    /// A chunk as bytes: its codes, then the scales and the errors of its rows.
    pub fn bytes_of(&self, chunk: usize) -> Vec<u8> {
        let Some(codes) = self.chunks.get(chunk) else { return Vec::new() };
        let rows = chunk * CHUNK..(chunk + 1) * CHUNK;
        let mut out = Vec::with_capacity(codes.len() + 8 * CHUNK);
        out.extend_from_slice(codes);
        let numbers = self.scales[rows.clone()].iter().chain(&self.errors[rows]);
        numbers.for_each(|x| out.extend(x.to_le_bytes()));
        out
    }

    /// The vectors of such chunks; `None` where one has another length. A chunk without bytes has no vectors.
    pub fn from_bytes(dimensions: usize, chunks: Vec<Vec<u8>>) -> Option<Self> {
        let mut codes = Self::new(dimensions);
        let length = CHUNK * codes.pieces * PIECE;
        codes.scales.reserve_exact(chunks.len() * CHUNK);
        codes.errors.reserve_exact(chunks.len() * CHUNK);
        for mut bytes in chunks {
            if bytes.is_empty() {
                bytes = vec![0; length];
                bytes.extend([0.0f32; CHUNK].iter().chain(&[f32::NAN; CHUNK]).flat_map(|x| x.to_le_bytes()));
            }
            let (numbers, []) = bytes.get(length..)?.as_chunks::<4>() else { return None };
            let (scales, errors) = numbers.split_at_checked(CHUNK).filter(|(_, e)| e.len() == CHUNK)?;
            codes.scales.extend(scales.iter().map(|x| f32::from_le_bytes(*x)));
            codes.errors.extend(errors.iter().map(|x| f32::from_le_bytes(*x)));
            // The bytes stay where they are; a few thousand more a chunk are cheaper than moving them.
            bytes.truncate(length);
            codes.chunks.push(bytes);
        }
        Some(codes)
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(Vec::capacity).sum::<usize>() + 4 * (self.scales.capacity() + self.errors.capacity())
    }

    /// Estimates the cosines of a chunk's rows; the bound of a row without a vector is NaN.
    ///
    /// |cosine − estimate| ≤ bound holds for the `f32` sum of products in whatever order.
    pub fn estimate(&self, chunk: usize, probe: &Probe, out: &mut Estimates) {
        let mut sums = [0i32; CHUNK];
        sum(&self.chunks[chunk], &probe.levels, &mut sums);
        let rows = chunk * CHUNK..(chunk + 1) * CHUNK;
        let (scales, errors) = (&self.scales[rows.clone()], &self.errors[rows]);
        for ((cosine, dot), scale) in out.cosines.iter_mut().zip(&sums).zip(scales) {
            *cosine = *dot as f32 * (scale * probe.step);
        }
        for (bound, error) in out.bounds.iter_mut().zip(errors) {
            *bound = error * probe.reach + probe.slack;
        }
    }
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
        let mut codes = vec![0i16; vector.len().div_ceil(PIECE) * PIECE];
        let (mut reached, mut left) = (0.0f64, 0.0f64);
        for (code, x) in codes.iter_mut().zip(vector) {
            let level = (f64::from(*x) / f64::from(step)).round().clamp(-levels, levels);
            *code = level as i16;
            let shown = f64::from(step) * level;
            reached += shown * shown;
            left += (f64::from(*x) - shown).powi(2);
        }
        // q·x = q'·x' + q'·(x − x') + (q − q')·x, and an f32 sum of n products is off by n·2⁻²⁴ of their lengths.
        let rounding = (vector.len() + 8) as f64 * f64::from(f32::EPSILON) + 1e-6;
        let slack = (left.sqrt() + rounding * length) * UNIT;
        Some(Self { levels: codes, step, reach: above(reached.sqrt()), slack: above(slack) })
    }
}

/// Where component `at` of a row of a chunk lies.
fn place(row: usize, at: usize, pieces: usize) -> usize {
    ((row / LANES * pieces + at / PIECE) * LANES + row % LANES) * PIECE + at % PIECE
}

fn norm(vector: &[f32]) -> f64 {
    vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt()
}

/// The number as `f32`, not below it.
fn above(x: f64) -> f32 {
    ((x * (1.0 + 1e-6)) as f32).next_up()
}

/// The sums of products of each row of a chunk with the levels.
#[cfg(any(not(target_arch = "wasm32"), test))]
fn sum_scalar(codes: &[u8], levels: &[i16], out: &mut [i32; CHUNK]) {
    for (block, sums) in codes.chunks_exact(levels.len() * LANES).zip(out.chunks_exact_mut(LANES)) {
        for (pieces, levels) in block.chunks_exact(PIECE * LANES).zip(levels.chunks_exact(PIECE)) {
            for (piece, sum) in pieces.chunks_exact(PIECE).zip(sums.iter_mut()) {
                let products = piece.iter().zip(levels).map(|(c, l)| i32::from(c.cast_signed()) * i32::from(*l));
                *sum += products.sum::<i32>();
            }
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
use sum_scalar as sum;
#[cfg(target_arch = "wasm32")]
use sum_simd as sum;

/// The same, 16 codes an instruction.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
fn sum_simd(codes: &[u8], levels: &[i16], out: &mut [i32; CHUNK]) {
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16 as high, i16x8_extend_low_i8x16 as low, i32x4, i32x4_add as add,
        i32x4_dot_i16x8 as dot, i32x4_extract_lane as lane, i32x4_shuffle as shuffle, v128, v128_load,
    };
    // SAFETY: a piece is 16 bytes, and so is half of its levels; a load needs no alignment.
    let codes_at = |piece: &[u8; PIECE]| unsafe { v128_load(piece.as_ptr().cast::<v128>()) };
    let levels_at = |half: &[i16; PIECE / 2]| unsafe { v128_load(half.as_ptr().cast::<v128>()) };
    let (pieces, _) = codes.as_chunks::<PIECE>();
    let (halves, _) = levels.as_chunks::<{ PIECE / 2 }>();
    for (block, sums) in pieces.chunks_exact(halves.len() / 2 * LANES).zip(out.chunks_exact_mut(LANES)) {
        let zero = i32x4(0, 0, 0, 0);
        let (mut a, mut b, mut c, mut d) = (zero, zero, zero, zero);
        for (four, two) in block.as_chunks::<LANES>().0.iter().zip(halves.as_chunks::<2>().0) {
            let (first, second) = (levels_at(&two[0]), levels_at(&two[1]));
            let (w, x, y, z) = (codes_at(&four[0]), codes_at(&four[1]), codes_at(&four[2]), codes_at(&four[3]));
            a = add(a, add(dot(low(w), first), dot(high(w), second)));
            b = add(b, add(dot(low(x), first), dot(high(x), second)));
            c = add(c, add(dot(low(y), first), dot(high(y), second)));
            d = add(d, add(dot(low(z), first), dot(high(z), second)));
        }
        let ab = add(shuffle::<0, 4, 2, 6>(a, b), shuffle::<1, 5, 3, 7>(a, b));
        let cd = add(shuffle::<0, 4, 2, 6>(c, d), shuffle::<1, 5, 3, 7>(c, d));
        let all = add(shuffle::<0, 1, 4, 5>(ab, cd), shuffle::<2, 3, 6, 7>(ab, cd));
        sums[0] = lane::<0>(all);
        sums[1] = lane::<1>(all);
        sums[2] = lane::<2>(all);
        sums[3] = lane::<3>(all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::cosine;

    /// Unit vectors of many shapes: dense, sparse, one component, all alike, nearly the same.
    fn vectors(count: usize, dimensions: usize, seed: u32) -> Vec<Vec<f32>> {
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        let mut made: Vec<Vec<f32>> = Vec::new();
        for n in 0..count {
            let mut v: Vec<f32> = match n % 5 {
                0 => (0..dimensions).map(|_| next()).collect(),
                1 => (0..dimensions).map(|_| if next() > 0.9 { next() } else { 0.0 }).collect(),
                2 => (0..dimensions).map(|i| f32::from(u8::from(i == n % dimensions))).collect(),
                3 => vec![next(); dimensions],
                _ => made[n - 1].iter().zip(&made[n - 4]).map(|(a, b)| a + b * 1e-3 * next()).collect(),
            };
            let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-20);
            v.iter_mut().for_each(|x| *x /= norm);
            made.push(v);
        }
        made
    }

    fn within_bounds(dimensions: usize, seed: u32) {
        let made = vectors(1_100, dimensions, seed);
        let mut codes = Codes::new(dimensions);
        for (row, v) in made.iter().enumerate() {
            codes.put(row as u32, v);
        }
        let mut out = Estimates::default();
        for query in made.iter().take(6) {
            let Some(probe) = Probe::new(query) else { continue };
            for chunk in 0..codes.chunks() {
                codes.estimate(chunk, &probe, &mut out);
                for (n, v) in made.iter().skip(chunk * CHUNK).take(CHUNK).enumerate() {
                    let off = (out.cosines[n] - cosine(query, v)).abs();
                    assert!(off <= out.bounds[n], "{off} > {} at {n} of {dimensions}", out.bounds[n]);
                    assert!(out.bounds[n] < 0.05, "{}", out.bounds[n]);
                }
            }
        }
    }

    #[cfg_attr(not(target_arch = "wasm32"), test)]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn no_cosine_lies_beyond_its_bound() {
        for (dimensions, seed) in [(2, 1), (15, 2), (64, 3), (384, 4), (1_536, 5)] {
            within_bounds(dimensions, seed);
        }
    }

    #[cfg(target_arch = "wasm32")]
    #[wasm_bindgen_test::wasm_bindgen_test]
    fn the_simd_sums_are_the_scalar_ones() {
        for dimensions in [2, 15, 64, 384, 1_536] {
            let made = vectors(CHUNK, dimensions, dimensions as u32);
            let mut codes = Codes::new(dimensions);
            for (row, v) in made.iter().enumerate() {
                codes.put(row as u32, v);
            }
            for query in made.iter().take(20) {
                let Some(probe) = Probe::new(query) else { continue };
                let (mut simd, mut scalar) = ([0; CHUNK], [0; CHUNK]);
                sum_simd(&codes.chunks[0], &probe.levels, &mut simd);
                sum_scalar(&codes.chunks[0], &probe.levels, &mut scalar);
                assert_eq!(simd, scalar, "{dimensions}");
            }
        }
    }

    #[test]
    fn a_vector_of_another_length_or_size_is_always_left_open() {
        let mut codes = Codes::new(2);
        codes.put(0, &[3.0, 4.0]);
        codes.put(1, &[1.0, 0.0, 0.0]);
        let mut out = Estimates::default();
        codes.estimate(0, &Probe::new(&[1.0, 0.0]).unwrap(), &mut out);
        assert_eq!(out.bounds[..2], [f32::INFINITY; 2]);
        assert!(out.bounds[2].is_nan());
    }

    #[test]
    fn a_row_that_moves_or_goes_leaves_nothing() {
        let made = vectors(6, 33, 9);
        let mut codes = Codes::new(33);
        for (row, v) in made.iter().enumerate() {
            codes.put(row as u32, v);
        }
        codes.take(1);
        assert!(!codes.has(1) && codes.has(5));
        codes.shift(5, 1);
        codes.truncate(5);
        let probe = Probe::new(&made[5]).unwrap();
        let mut out = Estimates::default();
        codes.estimate(0, &probe, &mut out);
        assert!((out.cosines[1] - 1.0).abs() < 0.02 && !codes.has(5));
        assert!(Probe::new(&[0.0; 4]).is_none() && Probe::new(&[f32::NAN]).is_none());
    }
}
