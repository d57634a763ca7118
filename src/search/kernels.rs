//! The inner loops of a scan: the sums of products of a chunk's rows with a vector, and which rows pass a gate.
//!
//! Each is written plainly and in SIMD, and both give the same bits. A host refuses a whole WebAssembly file for one
//! instruction that it does not know, so that the engine's file has the plain loops alone: those in SIMD are a module of their
//! own (`kernels/module.rs`), which the entries load over the engine's memory where the host takes it, and hand in by `useKernel`.
//!
//! Relaxed SIMD would be a further kind (its loops beside `simd.rs`, a line in `.ci/build.mjs`). Measured in turns with these
//! loops in Node 20 and Chromium 156, on x86 without AVX-VNNI: `i32x4.relaxed_dot_i8x16_i7x16_add_s` with levels as two digits of
//! 7 bits, the same bits, was at .6-.7 of their speed over columns and at .7-.8 over tiles; `i16x8.relaxed_dot_i8x16_i7x16_s`
//! with two digits of 6 bits at 1.0-1.1 over columns, and of 7 at .7 over tiles; one digit of 7 bits, for a wider bound, at
//! 1.0-1.1 and 1.3-1.6. Over 100,000 rows, which come from memory, all lay at .8-1.1. Node 20 gives other bits, behind a
//! flag. Where one instruction does it, as on ARM, nobody has measured.

pub(super) mod plain;
mod shape;
#[cfg(all(target_arch = "wasm32", test))]
pub(super) mod simd;

use super::probe::{Gate, Passed, Probe};
use shape::TURN;
pub(super) use shape::{CHUNK, Components, TILE};
pub(super) use shape::{Line, Rows};

#[cfg(target_arch = "wasm32")]
mod host {
    use super::{CHUNK, Components, Line, Rows};
    use std::cell::OnceCell;
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        /// What a kernel's module exports: the loops over the memory of this module.
        pub type Kernel;
        #[wasm_bindgen(method)]
        pub fn sum(
            this: &Kernel,
            codes: *const u8,
            bytes: usize,
            turns: *const Components,
            count: usize,
            out: *mut i32,
        );
        #[wasm_bindgen(method)]
        pub fn sum_tiles(
            this: &Kernel,
            codes: *const u8,
            bytes: usize,
            pairs: *const [i16; 2],
            count: usize,
            out: *mut i32,
        );
        #[wasm_bindgen(method)]
        pub fn sift(
            this: &Kernel,
            sums: *const [i32; CHUNK],
            scales: *const [f32; CHUNK],
            errors: *const [f32; CHUNK],
            priors: *const [f32; CHUNK],
            line: *const Line,
            out: *mut Rows,
        );
    }

    thread_local! { static KERNEL: OnceCell<Kernel> = const { OnceCell::new() } }

    /// Lets a kernel do the loops from now on.
    #[wasm_bindgen(js_name = useKernel)]
    pub fn use_kernel(kernel: Kernel) {
        KERNEL.with(|known| drop(known.set(kernel)));
    }

    /// Whether a kernel did the work.
    pub fn does(work: impl FnOnce(&Kernel)) -> bool {
        KERNEL.with(|kernel| kernel.get().map(work).is_some())
    }
}

impl Components {
    /// The turns that these components and levels take; what is missing to the last is of level 0.
    pub fn all(levels: &[(u32, i16)]) -> Vec<Self> {
        let turn = |some: &[(u32, i16)]| {
            let mut turn = Self::default();
            for (n, (column, level)) in some.iter().enumerate() {
                (turn.columns[n], turn.levels[n]) = (*column, *level);
            }
            turn
        };
        levels.chunks(TURN).map(turn).collect()
    }
}

/// The sums of products of each row of a chunk in columns with the levels.
pub(super) fn sum(codes: &[u8], turns: &[Components], out: &mut [i32; CHUNK]) {
    #[cfg(target_arch = "wasm32")]
    if host::does(|k| k.sum(codes.as_ptr(), codes.len(), turns.as_ptr(), turns.len(), out.as_mut_ptr())) {
        return;
    }
    plain::sum(codes, turns, out);
}

/// The same of a chunk in tiles.
pub(super) fn sum_tiles(codes: &[u8], pairs: &[[i16; 2]], out: &mut [i32; CHUNK]) {
    #[cfg(target_arch = "wasm32")]
    if host::does(|k| k.sum_tiles(codes.as_ptr(), codes.len(), pairs.as_ptr(), pairs.len(), out.as_mut_ptr())) {
        return;
    }
    plain::sum_tiles(codes, pairs, out);
}

/// Replaces `out` by the rows that pass, from the sums of their products.
pub(super) fn sift(
    sums: &[i32; CHUNK],
    scales: &[f32; CHUNK],
    errors: &[f32; CHUNK],
    probe: &Probe,
    gate: &Gate<'_>,
    out: &mut Vec<Passed>,
) {
    out.clear();
    for (n, rows) in sifted(sums, scales, errors, probe, gate).into_iter().enumerate() {
        let mut rows = rows;
        while rows != 0 {
            let row = n * u64::BITS as usize + rows.trailing_zeros() as usize;
            rows &= rows - 1;
            let (cosine, bound) = probe.estimate(sums[row], scales[row], errors[row]);
            out.push(Passed { row, cosine, bound });
        }
    }
}

fn sifted(sums: &[i32; CHUNK], scales: &[f32; CHUNK], errors: &[f32; CHUNK], probe: &Probe, gate: &Gate<'_>) -> Rows {
    let Probe { step, reach, slack, .. } = *probe;
    let line = Line { step, reach, slack, weight: gate.weight, floor: gate.floor, least: gate.least };
    let mut rows = Rows::default();
    #[cfg(target_arch = "wasm32")]
    if host::does(|k| k.sift(sums, scales, errors, gate.priors, &line, &mut rows)) {
        return rows;
    }
    plain::sift(sums, scales, errors, gate.priors, &line, &mut rows);
    rows
}
