//! [`Codes`]: vectors as one byte a component, scanned whole, with a bound on what that takes from each cosine.
//!
//! It never says which row is nearer where the bound leaves that open; the `f32` vectors settle it.
//!
//! A component of a chunk's rows lies together, so that a scan reads long runs, sums many rows at once and passes over the
//! components that the vector looked for has not: of hashed words, it has one in four. In WebAssembly the scan is SIMD,
//! which every current engine has: a second file without it would weigh as much again for engines that lack other things
//! that this one needs.

/// Rows that lie together, and are stored together.
pub(super) const CHUNK: usize = 1_024;
/// Codes of which one word says which are 0, where they are stored.
const MASKED: usize = 64;
/// Components that are summed at once: two multiplications of two.
const TURN: usize = 4;
#[cfg(target_arch = "wasm32")]
const LANES: usize = 4;
/// Codes that a load takes.
#[cfg(target_arch = "wasm32")]
const LOAD: usize = 16;
/// The longest a vector may be for its bound to hold; unit vectors are, but for rounding.
const UNIT: f64 = 1.01;

/// The vectors of one embedder by row.
#[derive(Debug, Default, Clone)]
pub(super) struct Codes {
    dimensions: usize,
    chunks: Vec<Vec<u8>>,
    /// What one step of a row's codes is worth.
    scales: Vec<f32>,
    /// The length of what the codes leave out; NaN where the row has no vector.
    errors: Vec<f32>,
}

/// A vector as one byte a component.
#[derive(Debug, PartialEq)]
pub(super) struct Coded {
    /// What one step of the codes is worth.
    pub scale: f32,
    /// The length of what the codes leave out.
    pub error: f32,
    pub codes: Vec<i8>,
}

/// A vector that is looked for.
#[derive(Debug)]
pub(super) struct Probe {
    /// Which components it has, and their levels; what is missing to whole turns is of level 0.
    levels: Vec<(u32, i16)>,
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

impl Coded {
    /// Codes of a vector. Where the bound cannot be told, its row is always left open.
    pub fn of(vector: &[f32]) -> Self {
        let sound = norm(vector) <= UNIT;
        let most = vector.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        let scale = if sound { most / 127.0 } else { 0.0 };
        let (mut left, mut codes) = (0.0f64, Vec::with_capacity(vector.len()));
        for x in vector {
            let code = if scale > 0.0 { (x / scale).round().clamp(-127.0, 127.0) } else { 0.0 };
            left += (f64::from(*x) - f64::from(scale) * f64::from(code)).powi(2);
            codes.push(code as i8);
        }
        let error = if sound { above(left.sqrt()) } else { f32::INFINITY };
        Self { scale, error, codes }
    }
}

impl Codes {
    /// For vectors of this length.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
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
        self.put_coded(row, &Coded::of(vector));
    }

    /// Puts the codes of a row; those of another length are always left open.
    pub fn put_coded(&mut self, row: u32, coded: &Coded) {
        let row = row as usize;
        while self.chunks.len() * CHUNK <= row {
            self.chunks.push(vec![0; CHUNK * self.dimensions]);
            let rows = self.chunks.len() * CHUNK;
            self.scales.reserve_exact(rows - self.scales.len());
            self.errors.reserve_exact(rows - self.errors.len());
            self.scales.resize(rows, 0.0);
            self.errors.resize(rows, f32::NAN);
        }
        if coded.codes.len() != self.dimensions {
            self.take(row as u32);
            self.errors[row] = f32::INFINITY;
            return;
        }
        let columns = self.chunks[row / CHUNK].as_chunks_mut::<CHUNK>().0;
        for (column, code) in columns.iter_mut().zip(&coded.codes) {
            column[row % CHUNK] = code.cast_unsigned();
        }
        (self.scales[row], self.errors[row]) = (coded.scale, coded.error);
    }

    /// The vector that the codes of a row show.
    pub fn shown(&self, row: u32) -> Vec<f32> {
        let (row, scale) = (row as usize, self.scales[row as usize]);
        let columns = self.chunks[row / CHUNK].as_chunks::<CHUNK>().0;
        columns.iter().map(|column| scale * f32::from(column[row % CHUNK].cast_signed())).collect()
    }

    /// Takes a row's vector away.
    pub fn take(&mut self, row: u32) {
        let row = row as usize;
        if let Some(error) = self.errors.get_mut(row) {
            *error = f32::NAN;
            self.scales[row] = 0.0;
            for at in 0..self.dimensions {
                self.chunks[row / CHUNK][place(row, at)] = 0;
            }
        }
    }

    /// Moves a row to an earlier place, where none may be left.
    pub fn shift(&mut self, from: u32, to: u32) {
        let (from, to) = (from as usize, to as usize);
        if from == to || from >= self.errors.len() {
            return;
        }
        for at in 0..self.dimensions {
            let code = self.chunks[from / CHUNK][place(from, at)];
            self.chunks[to / CHUNK][place(to, at)] = code;
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

    /// A chunk as bytes: which codes are not 0, those codes, then the scales and the errors of its rows. Of hashed words
    /// three codes in four are 0, and reading takes most of an opening.
    pub fn bytes_of(&self, chunk: usize) -> Vec<u8> {
        let Some(codes) = self.chunks.get(chunk) else { return Vec::new() };
        let rows = chunk * CHUNK..(chunk + 1) * CHUNK;
        let mut out = Vec::with_capacity(codes.len() + 8 * CHUNK);
        for some in codes.as_chunks::<MASKED>().0 {
            let mask = some.iter().rev().fold(0u64, |mask, code| mask << 1 | u64::from(*code != 0));
            out.extend(mask.to_le_bytes());
        }
        out.extend(codes.iter().filter(|code| **code != 0));
        let numbers = self.scales[rows.clone()].iter().chain(&self.errors[rows]);
        numbers.for_each(|x| out.extend(x.to_le_bytes()));
        out
    }

    /// Makes room for so many chunks.
    pub fn reserve(&mut self, chunks: usize) {
        self.chunks.reserve_exact(chunks);
        self.scales.reserve_exact(chunks * CHUNK);
        self.errors.reserve_exact(chunks * CHUNK);
    }

    /// Adds a chunk from such bytes; `None` where they are cut. One without bytes has no vectors.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Option<()> {
        let mut chunk = vec![0; CHUNK * self.dimensions];
        if bytes.is_empty() {
            self.scales.extend([0.0; CHUNK]);
            self.errors.extend([f32::NAN; CHUNK]);
        } else {
            let (numbers, []) = fill(&mut chunk, bytes)?.as_chunks::<4>() else { return None };
            let (scales, errors) = numbers.split_at_checked(CHUNK).filter(|(_, e)| e.len() == CHUNK)?;
            self.scales.extend(scales.iter().map(|x| f32::from_le_bytes(*x)));
            self.errors.extend(errors.iter().map(|x| f32::from_le_bytes(*x)));
        }
        self.chunks.push(chunk);
        Some(())
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
        for (at, x) in vector.iter().enumerate() {
            let level = (f64::from(*x) / f64::from(step)).round().clamp(-levels, levels);
            let shown = f64::from(step) * level;
            reached += shown * shown;
            left += (f64::from(*x) - shown).powi(2);
            if level != 0.0 {
                codes.push((at as u32, level as i16));
            }
        }
        codes.resize(codes.len().next_multiple_of(TURN), (0, 0));
        // q·x = q'·x' + q'·(x − x') + (q − q')·x, and an f32 sum of n products is off by n·2⁻²⁴ of their lengths.
        let rounding = (vector.len() + 8) as f64 * f64::from(f32::EPSILON) + 1e-6;
        let slack = (left.sqrt() + rounding * length) * UNIT;
        Some(Self { levels: codes, step, reach: above(reached.sqrt()), slack: above(slack) })
    }
}

/// Puts the codes that bytes of [`Codes::bytes_of`] begin with into a chunk of zeros; gives the bytes that follow.
// A function of its own, so that a browser compiles it well while it is called again and again.
#[inline(never)]
fn fill<'a>(chunk: &mut [u8], bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (masks, rest) = bytes.split_at_checked(chunk.len() / 8)?;
    let mut rest = rest.iter();
    for (mask, some) in masks.as_chunks().0.iter().zip(chunk.as_chunks_mut::<MASKED>().0) {
        let mut mask = u64::from_le_bytes(*mask);
        while mask != 0 {
            some[mask.trailing_zeros() as usize] = *rest.next()?;
            mask &= mask - 1;
        }
    }
    Some(rest.as_slice())
}

/// Where component `at` of a row lies in its chunk.
fn place(row: usize, at: usize) -> usize {
    at * CHUNK + row % CHUNK
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
fn sum_scalar(codes: &[u8], levels: &[(u32, i16)], out: &mut [i32; CHUNK]) {
    out.fill(0);
    let columns = codes.as_chunks::<CHUNK>().0;
    for (at, level) in levels {
        for (code, sum) in columns[*at as usize].iter().zip(out.iter_mut()) {
            *sum += i32::from(code.cast_signed()) * i32::from(*level);
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

/// The same, sixteen rows and four components a step.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
fn sum_simd(codes: &[u8], levels: &[(u32, i16)], out: &mut [i32; CHUNK]) {
    use core::arch::wasm32::{
        i8x16_shuffle, i16x8_extend_high_i8x16 as high, i16x8_extend_low_i8x16 as low, i32x4_add as add,
        i32x4_dot_i16x8 as dot, i32x4_splat as splat, v128, v128_load as load, v128_store as store,
    };
    out.fill(0);
    let columns = codes.as_chunks::<CHUNK>().0;
    let both = |a: i16, b: i16| splat(i32::from(a) & 0xffff | i32::from(b) << 16);
    let column = |at: u32| columns[at as usize].as_ptr().cast::<v128>();
    for [(p, i), (q, j), (r, k), (s, l)] in levels.as_chunks::<TURN>().0 {
        let (first, second) = (both(*i, *j), both(*k, *l));
        let (p, q, r, s) = (column(*p), column(*q), column(*r), column(*s));
        let sums = out.as_mut_ptr().cast::<v128>();
        for n in 0..CHUNK / LOAD {
            // SAFETY: a column is so many loads long, and the sums four times that; a load needs no alignment.
            unsafe {
                let (p, q, r, s) = (load(p.add(n)), load(q.add(n)), load(r.add(n)), load(s.add(n)));
                // The codes of a row side by side, as one multiplication takes them.
                let a = i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(p, q);
                let b = i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(p, q);
                let c = i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(r, s);
                let d = i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(r, s);
                let sums = sums.add(4 * n);
                store(sums, add(load(sums), add(dot(low(a), first), dot(low(c), second))));
                let sums = sums.add(1);
                store(sums, add(load(sums), add(dot(high(a), first), dot(high(c), second))));
                let sums = sums.add(1);
                store(sums, add(load(sums), add(dot(low(b), first), dot(low(d), second))));
                let sums = sums.add(1);
                store(sums, add(load(sums), add(dot(high(b), first), dot(high(d), second))));
            }
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
    fn chunks_come_back_from_their_bytes_and_cut_ones_do_not() {
        for dimensions in [1, 15, 384] {
            let mut codes = Codes::new(dimensions);
            for (row, v) in vectors(1_100, dimensions, 7).iter().enumerate() {
                codes.put(row as u32, v);
            }
            codes.take(3);
            let bytes: Vec<Vec<u8>> = (0..codes.chunks()).map(|chunk| codes.bytes_of(chunk)).collect();
            let from = |chunks: &[&[u8]]| {
                let mut codes = Codes::new(dimensions);
                chunks.iter().try_for_each(|bytes| codes.push_bytes(bytes)).map(|()| codes)
            };
            let back = from(&[&bytes[0], &bytes[1]]).unwrap();
            assert_eq!((&back.chunks, &back.scales), (&codes.chunks, &codes.scales));
            assert!(back.errors.iter().zip(&codes.errors).all(|(a, b)| a.to_bits() == b.to_bits()));
            let none = from(&[&[], &bytes[1]]).unwrap();
            assert!(!none.has(0) && none.has(1_099));
            for cut in [1, 8_192, bytes[0].len() - 5] {
                assert!(from(&[&bytes[0][..bytes[0].len() - cut]]).is_none());
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
