//! The inner loops of a scan: the sums of products of a chunk's rows with a vector, and which rows pass a gate.
//!
//! Each is written twice, plainly and in SIMD, and both give the same bits; plain loops take ten times as long. Relaxed SIMD
//! (`i32x4.relaxed_dot_i8x16_i7x16_add_s`), measured in Node and Chromium beside these loops, was at .7-1.2 of their speed over
//! columns, at .8-1.2 over tiles with a vector of 16 bits, and at 1.0-1.9 with one of 8 bits and codes of 7. An engine that
//! lacks it refuses the whole file, so that it would need a module of its own, for a part of a millisecond of a search.

#[cfg(target_arch = "wasm32")]
use super::codes::TURN;
use super::codes::{CHUNK, Gate, Passed, Probe, TILE};

#[cfg(target_arch = "wasm32")]
const LANES: usize = 4;
/// Codes that a load takes.
#[cfg(target_arch = "wasm32")]
const LOAD: usize = 16;

/// The sums of products of each row of a chunk with the levels.
#[cfg(any(not(target_arch = "wasm32"), test))]
pub(super) fn sum_scalar(codes: &[u8], levels: &[(u32, i16)], out: &mut [i32; CHUNK]) {
    out.fill(0);
    let columns = codes.as_chunks::<CHUNK>().0;
    for (at, level) in levels {
        for (code, sum) in columns[*at as usize].iter().zip(out.iter_mut()) {
            *sum += i32::from(code.cast_signed()) * i32::from(*level);
        }
    }
}

/// The same of a chunk in tiles.
#[cfg(any(not(target_arch = "wasm32"), test))]
pub(super) fn sum_tiles_scalar(codes: &[u8], pairs: &[[i16; 2]], out: &mut [i32; CHUNK]) {
    let tiles = codes.chunks_exact(2 * TILE * pairs.len().max(1));
    for (tile, sums) in tiles.zip(out.as_chunks_mut::<TILE>().0) {
        sums.fill(0);
        for (piece, [a, b]) in tile.as_chunks::<{ 2 * TILE }>().0.iter().zip(pairs) {
            for ([x, y], sum) in piece.as_chunks::<2>().0.iter().zip(sums.iter_mut()) {
                *sum += i32::from(x.cast_signed()) * i32::from(*a) + i32::from(y.cast_signed()) * i32::from(*b);
            }
        }
    }
}

/// The rows that pass, from the sums of their products.
#[cfg(any(not(target_arch = "wasm32"), test))]
pub(super) fn sift_scalar(
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
pub(super) use {sift_scalar as sift, sum_scalar as sum, sum_tiles_scalar as sum_tiles};
#[cfg(target_arch = "wasm32")]
pub(super) use {sift_simd as sift, sum_simd as sum, sum_tiles_simd as sum_tiles};

/// The same, four rows an instruction.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
pub(super) fn sift_simd(
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
pub(super) fn sum_simd(codes: &[u8], levels: &[(u32, i16)], out: &mut [i32; CHUNK]) {
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

/// The same of a chunk in tiles: the sums of a tile stay in registers, and its codes are read in one run.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
pub(super) fn sum_tiles_simd(codes: &[u8], pairs: &[[i16; 2]], out: &mut [i32; CHUNK]) {
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16 as high, i16x8_extend_low_i8x16 as low, i32x4_add as add, i32x4_dot_i16x8 as dot,
        i32x4_splat as splat, v128, v128_load as load, v128_store as store,
    };
    let tiles = codes.chunks_exact(2 * TILE * pairs.len().max(1));
    for (tile, sums) in tiles.zip(out.as_chunks_mut::<TILE>().0) {
        let (mut p, mut q, mut r, mut s) = (splat(0), splat(0), splat(0), splat(0));
        for (piece, [a, b]) in tile.as_chunks::<{ 2 * TILE }>().0.iter().zip(pairs) {
            let both = splat(i32::from(*a) & 0xffff | i32::from(*b) << 16);
            let at = piece.as_ptr().cast::<v128>();
            // SAFETY: a piece is two loads long; a load needs no alignment.
            let (first, last) = unsafe { (load(at), load(at.add(1))) };
            (p, q) = (add(p, dot(low(first), both)), add(q, dot(high(first), both)));
            (r, s) = (add(r, dot(low(last), both)), add(s, dot(high(last), both)));
        }
        let at = sums.as_mut_ptr().cast::<v128>();
        for (n, four) in [p, q, r, s].into_iter().enumerate() {
            // SAFETY: the sums of a tile are four times four numbers.
            unsafe { store(at.add(n), four) };
        }
    }
}
