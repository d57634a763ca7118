//! The built-in embedder: hashed words and character n-grams, with Hangul decomposed into jamo.
//!
//! It needs no model file and is deterministic. Korean spacing and particles have little effect: n-grams span the
//! blanks between Korean words, and a particle changes only a few jamo.

use super::Embedder;
use crate::language::{SEED, Script, Split, fnv, jamo, nfkc, runs};
use crate::similarity::Calibration;

const DIMENSIONS: usize = 384;
/// Characters of a text that are embedded; the rest is cut off.
const MAX_CHARS: usize = 2_000;
/// Feature weights. Words weigh more than pieces, but a Korean word includes its particle, so it weighs less.
const WORD: f32 = 1.0;
const KOREAN_WORD: f32 = 0.3;
const SYLLABLES: f32 = 0.7;
const PIECE: f32 = 0.35;

/// An embedder that hashes words, syllable pairs and n-grams of jamo or letters.
#[derive(Debug, Clone, Copy, Default)]
pub struct HashingEmbedder;

impl Embedder for HashingEmbedder {
    fn model(&self) -> &str {
        "memfold-hash-384-1"
    }

    fn calibration(&self) -> Calibration {
        // Fitted so that the five boundary cases fall into their bands (tests/bands.rs).
        const POINTS: &[(f32, f32)] = &[
            (0.0, 0.0),
            (0.10, 0.42),
            (0.167, 0.70),
            (0.262, 0.765),
            (0.316, 0.79),
            (0.52, 0.835),
            (0.63, 0.86),
            (0.80, 0.93),
            (0.95, 0.955),
            (1.0, 1.0),
        ];
        Calibration::through(POINTS)
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0f32; DIMENSIONS];
        let text = nfkc(text);
        let text = text.char_indices().nth(MAX_CHARS).map_or(&*text, |(end, _)| &text[..end]);
        let mut korean = WordRun::default();
        // A change of script begins a new word: `6000만원` is `6000` and `만원`.
        for run in runs(text, &Split::PIECES) {
            let word = run.span.of(text);
            if run.has(Script::Korean) {
                add(&mut sum, word.as_bytes(), 1, KOREAN_WORD);
                korean.push(word);
            } else {
                korean.flush(&mut sum);
                // Letter by letter, as for the vectors already stored: `str::to_lowercase` treats a final sigma
                // differently.
                let word: String = word.chars().flat_map(char::to_lowercase).collect();
                add(&mut sum, word.as_bytes(), 1, WORD);
                letters(&word, &mut sum);
            }
        }
        korean.flush(&mut sum);
        let norm = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if norm > 0.0 {
            sum.iter_mut().for_each(|x| *x /= norm);
        }
        sum
    }
}

/// A run of Korean words; its n-grams span the blanks between them.
#[derive(Default)]
struct WordRun {
    syllables: Vec<char>,
    jamo: Vec<u8>,
}

impl WordRun {
    fn push(&mut self, word: &str) {
        for c in word.chars() {
            self.syllables.push(c);
            decompose(c, &mut self.jamo);
        }
    }

    fn flush(&mut self, sum: &mut [f32]) {
        let mut pair = [0u8; 8];
        for w in self.syllables.windows(2) {
            pair[..4].copy_from_slice(&u32::from(w[0]).to_le_bytes());
            pair[4..].copy_from_slice(&u32::from(w[1]).to_le_bytes());
            add(sum, &pair, 2, SYLLABLES);
        }
        for w in self.jamo.windows(5) {
            add(sum, w, 3, PIECE);
        }
        self.syllables.clear();
        self.jamo.clear();
    }
}

/// Adds the 3-grams and 4-grams of a word in bytes, with marked edges.
fn letters(word: &str, sum: &mut [f32]) {
    let mut marked = Vec::with_capacity(word.len() + 2);
    marked.push(b'^');
    marked.extend_from_slice(word.as_bytes());
    marked.push(b'$');
    for n in [3, 4] {
        for w in marked.windows(n) {
            add(sum, w, 4, PIECE);
        }
    }
}

/// Appends the two or three jamo of a syllable as distinct bytes (UAX #15).
fn decompose(c: char, out: &mut Vec<u8>) {
    if let Some((first, vowel, last)) = jamo(c) {
        out.extend([first as u8, 32 + vowel as u8]);
        out.extend((last != 0).then_some(64 + last as u8));
    }
}

/// Adds a feature at its hashed index with its hashed sign.
fn add(sum: &mut [f32], feature: &[u8], kind: u8, weight: f32) {
    // A multiply-shift finaliser mixes the low bits.
    let mut h = fnv(SEED ^ u64::from(kind), feature.iter().copied());
    h ^= h >> 32;
    h = h.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let place = (h >> 33) as usize % sum.len();
    sum[place] += if h & 1 == 0 { weight } else { -weight };
}
