//! FNV-1a hashes: 64 bits where stored, 32 bits for look-ups. Stored indexes and fitted weights
//! depend on them, so they must never change.

/// The FNV offset basis.
pub const SEED: u64 = 0xcbf2_9ce4_8422_2325;

const fn mix(hash: u64, unit: u64) -> u64 {
    (hash ^ unit).wrapping_mul(0x0100_0000_01b3)
}

/// Continues a hash with more units.
pub fn fnv<T: Into<u64>>(seed: u64, units: impl IntoIterator<Item = T>) -> u64 {
    units.into_iter().fold(seed, |hash, unit| mix(hash, unit.into()))
}

/// The 32-bit hash of a text.
pub fn short(text: &str) -> u32 {
    let mut h = ShortHash::default();
    h.add(text.as_bytes());
    h.value()
}

/// Incremental form of [`short`].
pub struct ShortHash(u32);

impl Default for ShortHash {
    fn default() -> Self {
        Self(0x811c_9dc5)
    }
}

impl ShortHash {
    pub fn add(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u32::from(*b)).wrapping_mul(0x0100_0193);
        }
    }

    pub const fn value(&self) -> u32 {
        self.0 ^ (self.0 >> 15)
    }
}
