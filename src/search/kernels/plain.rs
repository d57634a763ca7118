//! The loops in plain Rust: all there is natively and where an engine has no SIMD, and what the kernels are compared with.

use super::shape::{CHUNK, Components, Line, Rows, TILE};

/// The sums of products of each row of a chunk in columns with the levels.
pub fn sum(codes: &[u8], turns: &[Components], out: &mut [i32; CHUNK]) {
    out.fill(0);
    let columns = codes.as_chunks::<CHUNK>().0;
    for turn in turns {
        let [p, q, r, s] = turn.columns.map(|at| &columns[at as usize]);
        let [i, j, k, l] = turn.levels.map(i32::from);
        let code = |code: u8| i32::from(code.cast_signed());
        for ((((p, q), r), s), sum) in p.iter().zip(q).zip(r).zip(s).zip(out.iter_mut()) {
            *sum += code(*p) * i + code(*q) * j + code(*r) * k + code(*s) * l;
        }
    }
}

/// The same of a chunk in tiles.
pub fn sum_tiles(codes: &[u8], pairs: &[[i16; 2]], out: &mut [i32; CHUNK]) {
    let tiles = codes.chunks_exact((2 * TILE * pairs.len()).max(1));
    for (tile, sums) in tiles.zip(out.as_chunks_mut::<TILE>().0) {
        sums.fill(0);
        for (piece, [a, b]) in tile.as_chunks::<{ 2 * TILE }>().0.iter().zip(pairs) {
            for ([x, y], sum) in piece.as_chunks::<2>().0.iter().zip(sums.iter_mut()) {
                *sum += i32::from(x.cast_signed()) * i32::from(*a) + i32::from(y.cast_signed()) * i32::from(*b);
            }
        }
    }
}

/// Which rows pass, from the sums of their products.
pub fn sift(
    sums: &[i32; CHUNK],
    scales: &[f32; CHUNK],
    errors: &[f32; CHUNK],
    priors: &[f32; CHUNK],
    line: &Line,
    out: &mut Rows,
) {
    for (n, rows) in out.iter_mut().enumerate() {
        *rows = 0;
        for bit in 0..u64::BITS as usize {
            let row = n * u64::BITS as usize + bit;
            let cosine = sums[row] as f32 * (scales[row] * line.step);
            let bound = errors[row] * line.reach + line.slack;
            // What is no number counts as the floor.
            let upper = (cosine + bound).max(line.floor).min(1.0) * line.weight + priors[row];
            *rows |= u64::from(upper >= line.least) << bit;
        }
    }
}
