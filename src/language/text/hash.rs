//! The hash of the crate: FNV-1a, in 64 bits for what is kept, in 32 bits for what is looked up.
//!
//! Memories are indexed by it and weights are fitted by it: another hash is another format.

/// The hash of nothing.
pub const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// A hash with one more unit.
const fn mix(hash: u64, unit: u64) -> u64 {
    (hash ^ unit).wrapping_mul(0x0100_0000_01b3)
}

/// A hash with more units.
pub fn fnv<T: Into<u64>>(seed: u64, units: impl IntoIterator<Item = T>) -> u64 {
    units.into_iter().fold(seed, |hash, unit| mix(hash, unit.into()))
}

/// A short hash of a text.
pub fn short(text: &str) -> u32 {
    let mut h = ShortHash::default();
    h.add(text.as_bytes());
    h.value()
}

/// [`short`] of a text that grows.
pub struct ShortHash(u32);

impl Default for ShortHash {
    fn default() -> Self {
        Self(0x811c_9dc5)
    }
}

impl ShortHash {
    /// More of the text.
    pub fn add(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u32::from(*b)).wrapping_mul(0x0100_0193);
        }
    }

    /// The hash of what was added.
    pub const fn value(&self) -> u32 {
        self.0 ^ (self.0 >> 15)
    }
}
