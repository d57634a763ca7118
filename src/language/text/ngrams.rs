//! [`ngrams`]: the runs of characters of a text, hashed to places among the weights of a table.

use super::hash::short;

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
