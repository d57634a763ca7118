//! [`Codes`]: vectors as one byte a component, scanned whole, with a bound on what that takes from each cosine.
//!
//! It never says which row is nearer where the bound leaves that open; the `f32` vectors settle it.
//!
//! Of 32 rows, two components lie together in one cache line of 64 bytes, so that a scan sums many rows at once and
//! passes over the components that the vector looked for has not: of hashed words, it has one in four. In WebAssembly the scan is SIMD, which every current engine has: a second file without it would weigh as much
//! again for engines that lack other things that this one needs.

/// Rows that lie together, and are stored together.
pub(super) const CHUNK: usize = 1_024;
/// Rows whose codes are interleaved, components that lie together, and the bytes that those take.
const BLOCK: usize = 32;
const PAIR: usize = 2;
const LINE: usize = BLOCK * PAIR;
#[cfg(target_arch = "wasm32")]
const LANES: usize = 4;
/// The longest a vector may be for its bound to hold; unit vectors are, but for rounding.
const UNIT: f64 = 1.01;

/// The vectors of one embedder by row.
#[derive(Debug, Default, Clone)]
pub(super) struct Codes {
    dimensions: usize,
    pairs: usize,
    chunks: Vec<Vec<u8>>,
    /// What one step of a row's codes is worth.
    scales: Vec<f32>,
    /// The length of what the codes leave out; NaN where the row has no vector.
    errors: Vec<f32>,
}

/// A vector that is looked for.
#[derive(Debug)]
pub(super) struct Probe {
    /// Which pairs of components it has, and their levels.
    levels: Vec<(u32, [i16; PAIR])>,
    step: f32,
    reach: f32,
    slack: f32,
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

impl Codes {
    /// For vectors of this length.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, pairs: dimensions.div_ceil(PAIR), ..Self::default() }
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
            self.chunks.push(vec![0; CHUNK * self.pairs * PAIR]);
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
        let pairs = self.pairs;
        let chunk = &mut self.chunks[row / CHUNK];
        for (at, x) in vector.iter().take(self.dimensions).enumerate() {
            let code = if scale > 0.0 { (x / scale).round().clamp(-127.0, 127.0) } else { 0.0 };
            left += (f64::from(*x) - f64::from(scale) * f64::from(code)).powi(2);
            chunk[place(row % CHUNK, at, pairs)] = (code as i8).cast_unsigned();
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
                self.chunks[row / CHUNK][place(row % CHUNK, at, self.pairs)] = 0;
            }
        }
    }

    /// Moves a row to an earlier place, where none may be left.
    pub fn shift(&mut self, from: u32, to: u32) {
        let (from, to) = (from as usize, to as usize);
        if from == to || from >= self.errors.len() {
            return;
        }
        for at in 0..self.pairs * PAIR {
            let code = self.chunks[from / CHUNK][place(from % CHUNK, at, self.pairs)];
            self.chunks[to / CHUNK][place(to % CHUNK, at, self.pairs)] = code;
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
        let length = CHUNK * codes.pairs * PAIR;
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

    /// Replaces `out` by the rows of a chunk that pass a gate.
    ///
    /// |cosine − estimate| ≤ bound holds for the `f32` sum of products in whatever order.
    pub fn pass(&self, chunk: usize, probe: &Probe, gate: &Gate<'_>, out: &mut Vec<Passed>) {
        let mut sums = [0i32; CHUNK];
        sum(&self.chunks[chunk], &probe.levels, &mut sums);
        let rows = chunk * CHUNK..(chunk + 1) * CHUNK;
        sift(&sums, &self.scales[rows.clone()], &self.errors[rows], probe, gate, out);
    }
}

/// The same for rows without vectors.
pub(super) fn pass_bare(gate: &Gate<'_>, out: &mut Vec<Passed>) {
    const NONE: Probe = Probe { levels: Vec::new(), step: 0.0, reach: 0.0, slack: 0.0 };
    sift(&[0; CHUNK], &[0.0; CHUNK], &[f32::NAN; CHUNK], &NONE, gate, out);
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
        let mut codes = Vec::new();
        let (mut reached, mut left) = (0.0f64, 0.0f64);
        for (n, components) in vector.chunks(PAIR).enumerate() {
            let mut pair = [0i16; PAIR];
            for (code, x) in pair.iter_mut().zip(components) {
                let level = (f64::from(*x) / f64::from(step)).round().clamp(-levels, levels);
                *code = level as i16;
                let shown = f64::from(step) * level;
                reached += shown * shown;
                left += (f64::from(*x) - shown).powi(2);
            }
            if pair != [0; PAIR] {
                codes.push((n as u32, pair));
            }
        }
        // q·x = q'·x' + q'·(x − x') + (q − q')·x, and an f32 sum of n products is off by n·2⁻²⁴ of their lengths.
        let rounding = (vector.len() + 8) as f64 * f64::from(f32::EPSILON) + 1e-6;
        let slack = (left.sqrt() + rounding * length) * UNIT;
        Some(Self { levels: codes, step, reach: above(reached.sqrt()), slack: above(slack) })
    }
}

/// Where component `at` of a row of a chunk lies.
fn place(row: usize, at: usize, pairs: usize) -> usize {
    (row / BLOCK * pairs + at / PAIR) * LINE + row % BLOCK * PAIR + at % PAIR
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
fn sum_scalar(codes: &[u8], levels: &[(u32, [i16; PAIR])], out: &mut [i32; CHUNK]) {
    out.fill(0);
    let lines = codes.as_chunks::<LINE>().0;
    for (block, sums) in lines.chunks_exact(lines.len() / (CHUNK / BLOCK)).zip(out.chunks_exact_mut(BLOCK)) {
        for (at, [first, second]) in levels {
            let rows = block[*at as usize].as_chunks::<PAIR>().0;
            for ([a, b], sum) in rows.iter().zip(sums.iter_mut()) {
                *sum +=
                    i32::from(a.cast_signed()) * i32::from(*first) + i32::from(b.cast_signed()) * i32::from(*second);
            }
        }
    }
}

impl Probe {
    /// What the cosine of a row is about, and its bound.
    #[inline(always)]
    fn estimate(&self, sum: i32, scale: f32, error: f32) -> (f32, f32) {
        (sum as f32 * (scale * self.step), error * self.reach + self.slack)
    }
}

/// The rows that pass, from the sums of their products.
#[cfg(any(not(target_arch = "wasm32"), test))]
fn sift_scalar(
    sums: &[i32; CHUNK],
    scales: &[f32],
    errors: &[f32],
    probe: &Probe,
    gate: &Gate<'_>,
    out: &mut Vec<Passed>,
) {
    out.clear();
    for (row, (sum, (scale, error))) in sums.iter().zip(scales.iter().zip(errors)).enumerate() {
        let (cosine, bound) = probe.estimate(*sum, *scale, *error);
        // What is no number counts as the floor.
        let upper = (cosine + bound).max(gate.floor).min(1.0) * gate.weight + gate.priors[row];
        if upper >= gate.least {
            out.push(Passed { row, cosine, bound });
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
use {sift_scalar as sift, sum_scalar as sum};
#[cfg(target_arch = "wasm32")]
use {sift_simd as sift, sum_simd as sum};

/// The same, four rows an instruction.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
fn sift_simd(
    sums: &[i32; CHUNK],
    scales: &[f32],
    errors: &[f32],
    probe: &Probe,
    gate: &Gate<'_>,
    out: &mut Vec<Passed>,
) {
    use core::arch::wasm32::{
        f32x4_add as add, f32x4_convert_i32x4, f32x4_ge, f32x4_mul as mul, f32x4_pmax, f32x4_pmin, f32x4_splat as all,
        i32x4_bitmask, v128, v128_load,
    };
    out.clear();
    let (step, reach, slack) = (all(probe.step), all(probe.reach), all(probe.slack));
    let (weight, floor, least, one) = (all(gate.weight), all(gate.floor), all(gate.least), all(1.0));
    // SAFETY: four numbers are 16 bytes; a load needs no alignment.
    let four = |numbers: &[f32; LANES]| unsafe { v128_load(numbers.as_ptr().cast::<v128>()) };
    let whole = |numbers: &[i32; LANES]| unsafe { v128_load(numbers.as_ptr().cast::<v128>()) };
    let (scales, errors, priors) =
        (scales.as_chunks::<LANES>().0, errors.as_chunks::<LANES>().0, gate.priors.as_chunks::<LANES>().0);
    let each = sums.as_chunks::<LANES>().0.iter().zip(scales.iter().zip(errors).zip(priors));
    for (n, (sum, ((scale, error), prior))) in each.enumerate() {
        let cosine = mul(f32x4_convert_i32x4(whole(sum)), mul(four(scale), step));
        let bound = add(mul(four(error), reach), slack);
        // `pmax` gives the first where the second is no number.
        let upper = f32x4_pmin(f32x4_pmax(floor, add(cosine, bound)), one);
        let mut passed = i32x4_bitmask(f32x4_ge(add(mul(upper, weight), four(prior)), least));
        while passed != 0 {
            let lane = passed.trailing_zeros() as usize;
            passed &= passed - 1;
            let (cosine, bound) = probe.estimate(sum[lane], scale[lane], error[lane]);
            out.push(Passed { row: n * LANES + lane, cosine, bound });
        }
    }
}

/// The same, eight rows a multiplication.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
fn sum_simd(codes: &[u8], levels: &[(u32, [i16; PAIR])], out: &mut [i32; CHUNK]) {
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16 as high, i16x8_extend_low_i8x16 as low, i32x4, i32x4_add as add,
        i32x4_dot_i16x8 as dot, i32x4_splat as splat, v128, v128_load, v128_store,
    };
    let lines = codes.as_chunks::<LINE>().0;
    for (block, sums) in lines.chunks_exact(lines.len() / (CHUNK / BLOCK)).zip(out.as_chunks_mut::<BLOCK>().0) {
        let zero = i32x4(0, 0, 0, 0);
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = [zero; 8];
        for (at, [first, second]) in levels {
            let both = splat(i32::from(*first) & 0xffff | i32::from(*second) << 16);
            let line = block[*at as usize].as_ptr().cast::<v128>();
            // SAFETY: a line is four times 16 bytes; a load needs no alignment.
            let (w, x, y, z) =
                unsafe { (v128_load(line), v128_load(line.add(1)), v128_load(line.add(2)), v128_load(line.add(3))) };
            a = add(a, dot(low(w), both));
            b = add(b, dot(high(w), both));
            c = add(c, dot(low(x), both));
            d = add(d, dot(high(x), both));
            e = add(e, dot(low(y), both));
            f = add(f, dot(high(y), both));
            g = add(g, dot(low(z), both));
            h = add(h, dot(high(z), both));
        }
        for (four, sum) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            // SAFETY: four sums are 16 bytes.
            unsafe { v128_store(four.as_mut_ptr().cast::<v128>(), sum) };
        }
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

    /// Every row of a chunk.
    fn all(codes: &Codes, chunk: usize, probe: &Probe) -> Vec<Passed> {
        let mut out = Vec::new();
        let open = Gate { weight: 1.0, floor: -1.0, least: -1.0, priors: &[0.0; CHUNK] };
        codes.pass(chunk, probe, &open, &mut out);
        assert!(out.len() == CHUNK && out.iter().enumerate().all(|(n, p)| n == p.row));
        out
    }

    fn within_bounds(dimensions: usize, seed: u32) {
        let made = vectors(1_100, dimensions, seed);
        let mut codes = Codes::new(dimensions);
        for (row, v) in made.iter().enumerate() {
            codes.put(row as u32, v);
        }
        for query in made.iter().take(6) {
            let Some(probe) = Probe::new(query) else { continue };
            for chunk in 0..codes.chunks() {
                let out = all(&codes, chunk, &probe);
                for (v, Passed { row, cosine: about, bound }) in made.iter().skip(chunk * CHUNK).take(CHUNK).zip(out) {
                    let off = (about - cosine(query, v)).abs();
                    assert!(off <= bound, "{off} > {bound} at {row} of {dimensions}");
                    assert!(bound < 0.05, "{bound}");
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
                let mut errors = codes.errors.clone();
                errors[7] = f32::NAN;
                let mut priors = [0.0; CHUNK];
                priors[3] = 0.5;
                for (weight, floor, least) in [(1.0, -1.0, -1.0), (0.4, 0.0, 0.2), (0.4, 0.0, 0.0), (1.0, -1.0, 0.9)] {
                    let gate = Gate { weight, floor, least, priors: &priors };
                    let (mut some, mut same) = (Vec::new(), Vec::new());
                    sift_simd(&simd, &codes.scales, &errors, &probe, &gate, &mut some);
                    sift_scalar(&simd, &codes.scales, &errors, &probe, &gate, &mut same);
                    assert_eq!(format!("{some:?}"), format!("{same:?}"), "{dimensions} {least}");
                }
            }
        }
    }

    #[test]
    fn a_vector_of_another_length_or_size_is_always_left_open() {
        let mut codes = Codes::new(2);
        codes.put(0, &[3.0, 4.0]);
        codes.put(1, &[1.0, 0.0, 0.0]);
        let out = all(&codes, 0, &Probe::new(&[1.0, 0.0]).unwrap());
        assert!(out[..2].iter().all(|p| p.bound == f32::INFINITY));
        assert!(out[2].bound.is_nan());
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
        let out = all(&codes, 0, &probe);
        assert!((out[1].cosine - 1.0).abs() < 0.02 && !codes.has(5));
        assert!(Probe::new(&[0.0; 4]).is_none() && Probe::new(&[f32::NAN]).is_none());
    }
}
