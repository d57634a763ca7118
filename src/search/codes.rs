//! [`Codes`]: vectors as one byte a component, scanned whole, with a bound on what that takes from each cosine.
//!
//! It never says which row is nearer where the bound leaves that open; the `f32` vectors settle it.
//!
//! Of hashed words a vector has one component in four: a component of a chunk's rows lies together there, so that a scan reads
//! long runs, sums many rows at once and passes over the components that the vector looked for has not. Of other vectors it has
//! all: there the rows lie in tiles of sixteen, the components of a tile two by two. In WebAssembly the scan is SIMD where the
//! engine has it (`kernels`), by the same sums.

pub(super) use super::kernels::CHUNK;
use super::kernels::{TILE, sift, sum, sum_tiles};
use super::probe::{Gate, Passed, Probe, UNIT, above, norm};

/// Codes of which one word says which are 0, where they are stored.
const MASKED: usize = 64;

/// The vectors of one embedder by row.
#[derive(Debug, Default, Clone)]
pub(super) struct Codes {
    dimensions: usize,
    /// Whether chunks are in tiles.
    tiled: bool,
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

    /// For vectors of this length that have all components. They are never packed.
    pub fn tiled(dimensions: usize) -> Self {
        Self { dimensions, tiled: true, ..Self::default() }
    }

    /// Bytes of a chunk.
    fn room(&self) -> usize {
        CHUNK * if self.tiled { self.dimensions.next_multiple_of(2) } else { self.dimensions }
    }

    /// Where the components of a row lie in its chunk.
    fn places(&self, row: usize) -> impl Iterator<Item = usize> + use<> {
        let (row, tile) = (row % CHUNK, TILE * self.dimensions.next_multiple_of(2));
        let (first, step, turn) =
            if self.tiled { (row / TILE * tile + row % TILE * 2, 1, 2 * TILE - 2) } else { (row, CHUNK, 0) };
        (0..self.dimensions).map(move |at| first + at * step + at / 2 * turn)
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
            self.chunks.push(vec![0; self.room()]);
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
        let places = self.places(row);
        let chunk = &mut self.chunks[row / CHUNK][..];
        for (place, code) in places.zip(&coded.codes) {
            chunk[place] = code.cast_unsigned();
        }
        (self.scales[row], self.errors[row]) = (coded.scale, coded.error);
    }

    /// The vector that the codes of a row show.
    pub fn shown(&self, row: u32) -> Vec<f32> {
        let (row, scale) = (row as usize, self.scales[row as usize]);
        let chunk = &self.chunks[row / CHUNK][..];
        self.places(row).map(|place| scale * f32::from(chunk[place].cast_signed())).collect()
    }

    /// Takes a row's vector away.
    pub fn take(&mut self, row: u32) {
        let row = row as usize;
        if let Some(error) = self.errors.get_mut(row) {
            *error = f32::NAN;
            self.scales[row] = 0.0;
            for place in self.places(row) {
                self.chunks[row / CHUNK][place] = 0;
            }
        }
    }

    /// Moves a row to an earlier place, where none may be left.
    pub fn shift(&mut self, from: u32, to: u32) {
        let (from, to) = (from as usize, to as usize);
        if from == to || from >= self.errors.len() {
            return;
        }
        for (left, taken) in self.places(from).zip(self.places(to)) {
            self.chunks[to / CHUNK][taken] = self.chunks[from / CHUNK][left];
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
        match self.tiled {
            true => sum_tiles(&self.chunks[chunk], &probe.pairs, &mut sums),
            false => sum(&self.chunks[chunk], &probe.turns, &mut sums),
        }
        let (scales, errors) = (self.scales.as_chunks().0, self.errors.as_chunks().0);
        sift(&sums, &scales[chunk], &errors[chunk], probe, gate, out);
    }

    /// The same of some rows of a chunk alone, which `out` has: of few it takes less than all sums.
    pub fn pass_some(&self, chunk: usize, probe: &Probe, gate: &Gate<'_>, out: &mut Vec<Passed>) {
        out.retain_mut(|p| {
            (p.cosine, p.bound) = self.near(chunk * CHUNK + p.row, probe);
            (p.cosine + p.bound).max(gate.floor).min(1.0) * gate.weight + gate.priors[p.row] >= gate.least
        });
    }

    /// What the cosine of one row is about, and its bound.
    pub fn near(&self, row: usize, probe: &Probe) -> (f32, f32) {
        let codes = &self.chunks[row / CHUNK][..];
        let product = |place: usize, level: i16| i32::from(codes[place].cast_signed()) * i32::from(level);
        let sum = if self.tiled {
            self.places(row).zip(probe.pairs.as_flattened()).map(|(place, level)| product(place, *level)).sum()
        } else {
            let column = |(at, level): (u32, i16)| product(at as usize * CHUNK + row % CHUNK, level);
            probe.turns.iter().map(|t| t.columns.into_iter().zip(t.levels).map(column).sum::<i32>()).sum()
        };
        probe.estimate(sum, self.scales[row], self.errors[row])
    }
}

/// The same for rows without vectors.
pub(super) fn pass_bare(gate: &Gate<'_>, out: &mut Vec<Passed>) {
    const NONE: Probe = Probe { turns: Vec::new(), pairs: Vec::new(), step: 0.0, reach: 0.0, slack: 0.0 };
    sift(&[0; CHUNK], &[0.0; CHUNK], &[f32::NAN; CHUNK], &NONE, gate, out);
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

    fn within_bounds(mut codes: Codes, seed: u32) {
        let dimensions = codes.dimensions();
        let made = vectors(1_100, dimensions, seed);
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
                    assert_eq!(codes.near(chunk * CHUNK + row, &probe), (about, bound));
                }
                // Looked at one by one, the same rows pass.
                let gate =
                    Gate { weight: 0.2, floor: 0.0, least: 0.3, priors: &std::array::from_fn(|n| n as f32 / 3e3) };
                let (mut together, mut some) = (Vec::new(), Vec::new());
                codes.pass(chunk, &probe, &gate, &mut together);
                pass_bare(&Gate { floor: 1.0, ..gate }, &mut some);
                assert!(together.len() < some.len() && some.len() < CHUNK);
                codes.pass_some(chunk, &probe, &gate, &mut some);
                together.retain(|p| !p.bound.is_nan());
                some.retain(|p| !p.bound.is_nan());
                assert_eq!(some, together);
            }
        }
    }

    #[cfg_attr(not(target_arch = "wasm32"), test)]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn no_cosine_lies_beyond_its_bound() {
        for (dimensions, seed) in [(2, 1), (15, 2), (64, 3), (384, 4), (1_536, 5)] {
            within_bounds(Codes::new(dimensions), seed);
            within_bounds(Codes::tiled(dimensions), seed);
        }
    }

    #[cfg(target_arch = "wasm32")]
    #[wasm_bindgen_test::wasm_bindgen_test]
    fn the_simd_sums_are_the_plain_ones() {
        use crate::search::kernels::{Line, Rows, plain, simd};
        for dimensions in [2, 15, 64, 384, 1_536] {
            let made = vectors(CHUNK, dimensions, dimensions as u32);
            let (mut codes, mut tiled) = (Codes::new(dimensions), Codes::tiled(dimensions));
            for (row, v) in made.iter().enumerate() {
                codes.put(row as u32, v);
                tiled.put(row as u32, v);
            }
            for query in made.iter().take(20) {
                let Some(probe) = Probe::new(query) else { continue };
                let (mut sums, mut same) = ([1; CHUNK], [2; CHUNK]);
                simd::sum(&codes.chunks[0], &probe.turns, &mut sums);
                plain::sum(&codes.chunks[0], &probe.turns, &mut same);
                assert_eq!(sums, same, "{dimensions}");
                let mut tiles = [1; CHUNK];
                simd::sum_tiles(&tiled.chunks[0], &probe.pairs, &mut tiles);
                assert_eq!(tiles, same, "{dimensions}");
                plain::sum_tiles(&tiled.chunks[0], &probe.pairs, &mut tiles);
                assert_eq!(tiles, same, "{dimensions}");
                let (mut errors, mut priors) = (*codes.errors.first_chunk().unwrap(), [0.0; CHUNK]);
                (errors[7], priors[3]) = (f32::NAN, 0.5);
                let scales = codes.scales.first_chunk().unwrap();
                for (weight, floor, least) in [(1.0, -1.0, -1.0), (0.4, 0.0, 0.2), (0.4, 0.0, 0.0), (1.0, -1.0, 0.9)] {
                    let Probe { step, reach, slack, .. } = probe;
                    let line = Line { step, reach, slack, weight, floor, least };
                    let (mut some, mut same) = (Rows::default(), [1; _]);
                    simd::sift(&sums, scales, &errors, &priors, &line, &mut some);
                    plain::sift(&sums, scales, &errors, &priors, &line, &mut same);
                    assert_eq!(some, same, "{dimensions} {least}");
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
        for codes in [Codes::new(33), Codes::tiled(33)] {
            moves_or_goes(codes);
        }
    }

    fn moves_or_goes(mut codes: Codes) {
        let made = vectors(6, 33, 9);
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
