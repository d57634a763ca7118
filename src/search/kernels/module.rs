//! The root of a kernel's own WebAssembly module, which `.ci/build.mjs` compiles apart from the engine and over the engine's
//! memory. It has no memory, data, stack or panic of its own: a trap is all that can go wrong.

#![no_std]

mod shape;
mod simd;

use core::slice::from_raw_parts as slice;
use shape::{CHUNK, Components, Line, Rows};

/// # Safety
/// The pointers are those of slices in the engine's memory that are so long.
#[unsafe(no_mangle)]
unsafe extern "C" fn sum(
    codes: *const u8,
    bytes: usize,
    turns: *const Components,
    count: usize,
    out: *mut [i32; CHUNK],
) {
    unsafe { simd::sum(slice(codes, bytes), slice(turns, count), &mut *out) }
}

/// # Safety
/// As above.
#[unsafe(no_mangle)]
unsafe extern "C" fn sum_tiles(
    codes: *const u8,
    bytes: usize,
    pairs: *const [i16; 2],
    count: usize,
    out: *mut [i32; CHUNK],
) {
    unsafe { simd::sum_tiles(slice(codes, bytes), slice(pairs, count), &mut *out) }
}

/// # Safety
/// As above.
#[unsafe(no_mangle)]
unsafe extern "C" fn sift(
    sums: *const [i32; CHUNK],
    scales: *const [f32; CHUNK],
    errors: *const [f32; CHUNK],
    priors: *const [f32; CHUNK],
    line: *const Line,
    out: *mut Rows,
) {
    unsafe { simd::sift(&*sums, &*scales, &*errors, &*priors, &*line, &mut *out) }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
