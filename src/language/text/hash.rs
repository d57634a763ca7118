//! FNV-1a hashes: 64 bits where stored, 32 bits for look-ups and n-grams. Stored indexes and fitted weights depend on
//! them, so they must never change.

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

const LONGEST: usize = 5;

/// The places, each once and in order, of the runs of one to five characters of a text: lower case, every digit as 0,
/// words with a blank at both ends.
pub fn ngrams(text: &str, bits: u32) -> Vec<u32> {
    let mut places = Vec::new();
    for word in text.split_whitespace() {
        let plain = |c: char| if c.is_numeric() { '0' } else { c };
        let word: String = format!(" {} ", word.to_lowercase()).chars().map(plain).collect();
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        for from in 0..ends.len() - 1 {
            for to in from + 1..ends.len().min(from + LONGEST + 1) {
                places.push(short(&word[ends[from]..ends[to]]).wrapping_mul(0x9E37_79B1) >> (32 - bits));
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}
