//! [`Vectors`]: vectors quantised to one byte for each component.
//!
//! The cosine of quantised vectors is off by up to [`MARGIN`]. Each chunk is stored by component, so a scan skips the
//! components that are 0 in the query; for hashed words, that is most of them.

/// Rows of a chunk, the unit of storage.
pub(super) const CHUNK: usize = 1_024;
/// The largest error of a cosine of quantised vectors.
pub const MARGIN: f32 = 0.005;
/// Components that are summed in one step.
const TURN: usize = 4;
/// Codes covered by one mask word in the stored form.
const MASKED: usize = 64;

/// The vectors of one embedder, by row.
#[derive(Debug, Default, Clone)]
pub(super) struct Vectors {
    pub dimensions: usize,
    chunks: Vec<Vec<u8>>,
    /// The quantisation step of each row; NaN without a vector.
    scales: Vec<f32>,
}

/// A query vector as int16 levels of its nonzero components, padded with level 0.
#[derive(Debug)]
pub(super) struct QueryLevels {
    turns: Vec<[(u32, i16); TURN]>,
    step: f32,
}

impl QueryLevels {
    /// `None` for a zero or non-finite vector.
    pub fn new(vector: &[f32]) -> Option<Self> {
        let most = vector.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        (most > 0.0 && most < 1e6 && vector.iter().all(|x| x.is_finite())).then_some(())?;
        // Coarse enough that no sum overflows.
        let levels = (i32::MAX as f32 / (128.0 * vector.len() as f32)).min(32_767.0).floor();
        let step = most / levels;
        let level = |x: &f32| (x / step).round() as i16;
        let some: Vec<(u32, i16)> = (0u32..).zip(vector.iter().map(level)).filter(|(_, level)| *level != 0).collect();
        let turn = |some: &[(u32, i16)]| std::array::from_fn(|n| some.get(n).copied().unwrap_or_default());
        Some(Self { turns: some.chunks(TURN).map(turn).collect(), step })
    }
}

pub(super) fn encode(vector: &[f32]) -> (f32, Vec<i8>) {
    let scale = vector.iter().fold(0.0f32, |m, x| m.max(x.abs())) / 127.0;
    let code = |x: &f32| if scale > 0.0 { (x / scale).round() as i8 } else { 0 };
    (scale, vector.iter().map(code).collect())
}

impl Vectors {
    /// An empty table for vectors of this length.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    pub fn has(&self, row: u32) -> bool {
        self.scales.get(row as usize).is_some_and(|scale| !scale.is_nan())
    }

    fn places(&self, row: usize) -> impl Iterator<Item = usize> + use<> {
        (row % CHUNK..).step_by(CHUNK).take(self.dimensions)
    }

    /// Stores the codes of a row. Codes of another length are ignored.
    pub fn put(&mut self, row: u32, (scale, codes): (f32, &[i8])) {
        self.take(row);
        let row = row as usize;
        if codes.len() != self.dimensions || !scale.is_finite() {
            return;
        }
        while self.chunks.len() * CHUNK <= row {
            self.chunks.push(vec![0; CHUNK * self.dimensions]);
            self.scales.reserve_exact(CHUNK);
            self.scales.extend([f32::NAN; CHUNK]);
        }
        let places = self.places(row);
        let chunk = &mut self.chunks[row / CHUNK][..];
        for (place, code) in places.zip(codes) {
            chunk[place] = code.cast_unsigned();
        }
        self.scales[row] = scale;
    }

    /// The quantisation step and the codes of a row.
    pub fn get(&self, row: u32) -> Option<(f32, Vec<i8>)> {
        let scale = self.scales.get(row as usize).filter(|scale| !scale.is_nan())?;
        let chunk = &self.chunks[row as usize / CHUNK][..];
        Some((*scale, self.places(row as usize).map(|place| chunk[place].cast_signed()).collect()))
    }

    pub fn take(&mut self, row: u32) {
        let row = row as usize;
        if self.has(row as u32) {
            self.scales[row] = f32::NAN;
            for place in self.places(row) {
                self.chunks[row / CHUNK][place] = 0;
            }
        }
    }

    /// Moves a row's vector to another row.
    pub fn shift(&mut self, from: u32, to: u32) {
        if from == to {
            return;
        }
        match self.get(from) {
            Some((scale, codes)) => self.put(to, (scale, &codes)),
            None => self.take(to),
        }
        self.take(from);
    }

    pub fn truncate(&mut self, rows: usize) {
        let chunks = rows.div_ceil(CHUNK);
        self.chunks.truncate(chunks);
        self.scales.truncate(chunks * CHUNK);
    }

    /// Encodes a chunk: masks of nonzero codes, those codes, then the steps of its rows. Three quarters of the codes of
    /// hashed words are 0, and reading dominates the time to open an index.
    pub fn bytes_of(&self, chunk: usize) -> Vec<u8> {
        let Some(codes) = self.chunks.get(chunk) else { return Vec::new() };
        let mut out = Vec::with_capacity(codes.len() + 4 * CHUNK);
        for some in codes.as_chunks::<MASKED>().0 {
            let mask = some.iter().rev().fold(0u64, |mask, code| mask << 1 | u64::from(*code != 0));
            out.extend(mask.to_le_bytes());
        }
        out.extend(codes.iter().filter(|code| **code != 0));
        self.scales[chunk * CHUNK..(chunk + 1) * CHUNK].iter().for_each(|scale| out.extend(scale.to_le_bytes()));
        out
    }

    /// Appends a chunk from its bytes; `None` if they are truncated. Empty bytes mean a chunk without vectors.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Option<()> {
        let mut chunk = vec![0; CHUNK * self.dimensions];
        if bytes.is_empty() {
            self.scales.extend([f32::NAN; CHUNK]);
        } else {
            let (scales, []) = fill(&mut chunk, bytes)?.as_chunks::<4>() else { return None };
            (scales.len() == CHUNK).then_some(())?;
            self.scales.extend(scales.iter().map(|scale| f32::from_le_bytes(*scale)));
        }
        self.chunks.push(chunk);
        Some(())
    }

    /// The approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(Vec::capacity).sum::<usize>() + 4 * self.scales.capacity()
    }

    /// Replaces `out` by the approximate cosines of a chunk's rows with a query; NaN without a vector.
    pub fn cosines(&self, chunk: usize, query: &QueryLevels, out: &mut [f32; CHUNK]) {
        let mut sums = [0i32; CHUNK];
        add_products(&self.chunks[chunk], &query.turns, &mut sums);
        let scales = &self.scales.as_chunks::<CHUNK>().0[chunk];
        for row in 0..CHUNK {
            out[row] = sums[row] as f32 * (scales[row] * query.step);
        }
    }
}

/// Adds the products of codes and query levels to each row's sum, without SIMD.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn add_products(codes: &[u8], turns: &[[(u32, i16); TURN]], sums: &mut [i32; CHUNK]) {
    let columns = codes.as_chunks::<CHUNK>().0;
    for (at, level) in turns.as_flattened() {
        for (sum, code) in sums.iter_mut().zip(&columns[*at as usize]) {
            *sum += i32::from(code.cast_signed()) * i32::from(*level);
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn add_products(codes: &[u8], turns: &[[(u32, i16); TURN]], sums: &mut [i32; CHUNK]) {
    use core::arch::wasm32::{
        i8x16_shuffle, i16x8_extend_high_i8x16 as high, i16x8_extend_low_i8x16 as low, i32x4_add as add,
        i32x4_dot_i16x8 as dot, i32x4_splat as splat, v128, v128_load as load, v128_store as store,
    };
    let columns = codes.as_chunks::<CHUNK>().0;
    let both = |a: i16, b: i16| splat(i32::from(a) & 0xffff | i32::from(b) << 16);
    for turn in turns {
        let [p, q, r, s] = turn.map(|(at, _)| columns[at as usize].as_ptr().cast::<v128>());
        let [i, j, k, l] = turn.map(|(_, level)| level);
        let (first, second) = (both(i, j), both(k, l));
        let (mut n, mut sums) = (0, sums.as_mut_ptr().cast::<v128>());
        // A plain counter, since an iterator is a call for each step in a size-optimised build.
        while n < CHUNK / size_of::<v128>() {
            // SAFETY: `n` stays within a column, and the sums are four times as long; a load needs no alignment.
            unsafe {
                let (p, q, r, s) = (load(p.add(n)), load(q.add(n)), load(r.add(n)), load(s.add(n)));
                // Interleave the codes of two columns, as the dot product needs them.
                let a = i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(p, q);
                let b = i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(p, q);
                let c = i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(r, s);
                let d = i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(r, s);
                store(sums, add(load(sums), add(dot(low(a), first), dot(low(c), second))));
                sums = sums.add(1);
                store(sums, add(load(sums), add(dot(high(a), first), dot(high(c), second))));
                sums = sums.add(1);
                store(sums, add(load(sums), add(dot(low(b), first), dot(low(d), second))));
                sums = sums.add(1);
                store(sums, add(load(sums), add(dot(high(b), first), dot(high(d), second))));
                sums = sums.add(1);
            }
            n += 1;
        }
    }
}

/// Decodes the codes at the start of [`Vectors::bytes_of`] into a zeroed chunk; returns the remaining bytes.
// A separate function, so that the browser's JIT optimises this hot loop.
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
