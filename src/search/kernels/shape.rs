//! What the loops take: shapes that lie in memory alike for the engine and for a kernel's module.

/// Rows that lie together, and are stored together.
pub const CHUNK: usize = 1_024;
/// Rows of a tile.
pub const TILE: usize = 16;
/// Components that are summed at once: two multiplications of two.
pub const TURN: usize = 4;

/// Components that are summed at once, and their levels.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Components {
    pub columns: [u32; TURN],
    pub levels: [i16; TURN],
}

/// The numbers that say which row passes: one that may reach `least` by `weight × max(cosine, floor)` and its prior.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// What a step of the levels is worth: the cosine is about sum × scale × step.
    pub step: f32,
    /// How far from that it may be: error × reach + slack.
    pub reach: f32,
    pub slack: f32,
    pub weight: f32,
    pub floor: f32,
    pub least: f32,
}

/// A bit for each row of a chunk.
pub type Rows = [u64; CHUNK / u64::BITS as usize];
