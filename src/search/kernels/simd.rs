//! The loops in SIMD of 128 bits.

use super::shape::{CHUNK, Components, Line, Rows, TILE};
use core::arch::wasm32::{
    f32x4_add, f32x4_convert_i32x4, f32x4_ge, f32x4_mul, f32x4_pmax, f32x4_pmin, f32x4_splat, i8x16_shuffle,
    i16x8_extend_high_i8x16 as high, i16x8_extend_low_i8x16 as low, i32x4_add as add, i32x4_bitmask,
    i32x4_dot_i16x8 as dot, i32x4_splat as splat, unreachable, v128, v128_load as load, v128_store as store,
};

const LANES: usize = 4;
/// Codes that a load takes.
const LOAD: usize = 16;

/// Sixteen rows and four components a step.
#[target_feature(enable = "simd128")]
pub fn sum(codes: &[u8], turns: &[Components], out: &mut [i32; CHUNK]) {
    out.fill(0);
    let columns = codes.as_chunks::<CHUNK>().0;
    let both = |a: i16, b: i16| splat(i32::from(a) & 0xffff | i32::from(b) << 16);
    let column = |at: u32| match columns.get(at as usize) {
        Some(column) => column.as_ptr().cast::<v128>(),
        None => unreachable(),
    };
    for turn in turns {
        let ([i, j, k, l], [p, q, r, s]) = (turn.levels, turn.columns.map(column));
        let (first, second) = (both(i, j), both(k, l));
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

/// The sums of a tile stay in registers, and its codes are read in one run.
#[target_feature(enable = "simd128")]
pub fn sum_tiles(codes: &[u8], pairs: &[[i16; 2]], out: &mut [i32; CHUNK]) {
    let tiles = codes.chunks_exact((2 * TILE * pairs.len()).max(1));
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

/// Four rows an instruction.
#[target_feature(enable = "simd128")]
pub fn sift(
    sums: &[i32; CHUNK],
    scales: &[f32; CHUNK],
    errors: &[f32; CHUNK],
    priors: &[f32; CHUNK],
    line: &Line,
    out: &mut Rows,
) {
    let (step, reach, slack) = (f32x4_splat(line.step), f32x4_splat(line.reach), f32x4_splat(line.slack));
    let (weight, floor, least) = (f32x4_splat(line.weight), f32x4_splat(line.floor), f32x4_splat(line.least));
    let one = f32x4_splat(1.0);
    for (n, rows) in out.iter_mut().enumerate() {
        *rows = 0;
        for group in 0..u64::BITS as usize / LANES {
            let row = n * u64::BITS as usize + group * LANES;
            // SAFETY: each holds four numbers of 4 bytes from that row on; a load needs no alignment.
            let (sum, scale, error, prior) = unsafe {
                let four = |numbers: &[f32; CHUNK]| load(numbers.as_ptr().add(row).cast::<v128>());
                (load(sums.as_ptr().add(row).cast::<v128>()), four(scales), four(errors), four(priors))
            };
            let cosine = f32x4_mul(f32x4_convert_i32x4(sum), f32x4_mul(scale, step));
            let bound = f32x4_add(f32x4_mul(error, reach), slack);
            // `pmax` gives the first where the second is no number.
            let upper = f32x4_pmin(f32x4_pmax(floor, f32x4_add(cosine, bound)), one);
            let passed = i32x4_bitmask(f32x4_ge(f32x4_add(f32x4_mul(upper, weight), prior), least));
            *rows |= u64::from(passed) << (group * LANES);
        }
    }
}
