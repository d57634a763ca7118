//! FNV-1a hashes: 64 bits where stored, 32 bits for look-ups. Stored indexes and fitted weights depend on them, so they
//! must never change.

pub const SEED: u64 = 0xcbf2_9ce4_8422_2325;

const fn mix(hash: u64, unit: u64) -> u64 {
    (hash ^ unit).wrapping_mul(0x0100_0000_01b3)
}

pub fn fnv<T: Into<u64>>(seed: u64, units: impl IntoIterator<Item = T>) -> u64 {
    units.into_iter().fold(seed, |hash, unit| mix(hash, unit.into()))
}

pub fn short(text: &str) -> u32 {
    let hash = text.bytes().fold(0x811c_9dc5, |hash: u32, b| (hash ^ u32::from(b)).wrapping_mul(0x0100_0193));
    hash ^ (hash >> 15)
}
