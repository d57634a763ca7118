//! Scores a pair's wording by n-grams of words, with weights that `examples/fit` fits separately from the trees.
//! Numbers and codes count only by class and whether the other side has them, never by their text.

use super::align::Alignment;
use super::reading::Reading;
use super::words::{Kind, Word};
use crate::language::short;
use std::sync::LazyLock;

/// Number of hash buckets, as a power of two.
pub const BITS: u32 = 16;
pub const OUTCOMES: usize = 4;

const WEIGHTS: &[u8] = include_bytes!("ngram_weights.bin");
static NGRAM_WEIGHTS: LazyLock<Option<NgramWeights<'static>>> = LazyLock::new(|| NgramWeights::parse(WEIGHTS));
/// Names of the features that hold the scores.
pub const NAMES: [&str; OUTCOMES] = ["wording_skip", "wording_update", "wording_link", "wording_create"];

#[derive(Debug, Clone)]
pub struct NgramWeights<'a> {
    /// For each bucket, what it adds to each outcome, in steps of `scale`.
    weights: &'a [[u8; OUTCOMES]],
    scale: f32,
}

impl<'a> NgramWeights<'a> {
    /// Parses the step size, then the weights of each bucket.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (scale, weights) = bytes.split_first_chunk::<4>()?;
        let (weights, rest) = weights.as_chunks();
        let whole = rest.is_empty() && weights.len() == 1 << BITS;
        whole.then(|| Self { weights, scale: f32::from_le_bytes(*scale) })
    }

    pub fn scores(&self, traits: &[u32]) -> [f32; OUTCOMES] {
        let mut sums = [0i32; OUTCOMES];
        for weights in traits.iter().filter_map(|t| self.weights.get(*t as usize)) {
            sums.iter_mut().zip(weights).for_each(|(sum, w)| *sum += i32::from(w.cast_signed()));
        }
        let unit = self.scale / (traits.len().max(1) as f32).sqrt();
        sums.map(|s| s as f32 * unit)
    }
}

/// The wording scores of a pair, by outcome.
pub fn scores(a: &Reading, b: &Reading, al: &Alignment) -> [f32; OUTCOMES] {
    NGRAM_WEIGHTS.as_ref().map_or([0.0; OUTCOMES], |w| w.scores(&traits(a, b, al)))
}

const END: u32 = 63;

/// Collects hash buckets.
struct Traits(Vec<u32>);

impl Traits {
    fn put(&mut self, kind: u32, parts: &[u32]) {
        let mut h = kind.wrapping_mul(0x9E37_79B1);
        for p in parts {
            h = (h.rotate_left(7) ^ p).wrapping_mul(0x85EB_CA6B);
            h ^= h >> 15;
        }
        self.0.push(h.wrapping_mul(0xC2B2_AE35) >> (32 - BITS));
    }
}

/// Word class by type and whether it is matched, for words whose text must not count.
fn class(w: &Word, met: bool) -> u32 {
    let kind = match w.kind {
        Kind::Number => 1,
        _ if w.number.is_some() => 1,
        Kind::Code => 2,
        _ if w.capital => 3,
        Kind::Latin => 4,
        Kind::Hangul => 5,
    };
    2 * kind + u32::from(met)
}

fn plain(w: &Word) -> bool {
    w.kind != Kind::Number && w.kind != Kind::Code && w.number.is_none()
}

/// The last syllables of a Korean word, ending included.
fn ending(text: &str, syllables: usize) -> u32 {
    let at = text.char_indices().rev().nth(syllables - 1).map_or(0, |(at, _)| at);
    short(&text[at..])
}

/// The hash buckets of a pair.
pub fn traits(a: &Reading, b: &Reading, al: &Alignment) -> Vec<u32> {
    let mut out = Traits(Vec::with_capacity(8 * (a.words.len() + b.words.len())));
    let sense = |w: &Word| w.sense.map(|s| u32::from(s.id()));
    // Function words count as themselves, others by class.
    let outline = |w: &Word, met: bool| if w.function { w.hash } else { class(w, met) };
    let (mut before, mut two, mut one) = (0, 0, 0);
    for (j, w) in b.words.iter().enumerate() {
        let met = al.met_b(j);
        if w.function {
            out.put(1, &[w.hash]);
        } else if plain(w) && !met {
            out.put(2, &[w.hash]);
        }
        let known = sense(w).filter(|_| !w.function && w.kind != Kind::Number);
        if let Some(s) = known.filter(|_| !met) {
            out.put(3, &[s]);
        }
        if w.kind == Kind::Hangul && !w.function {
            out.put(4, &[ending(b.content.get(w.start..w.end).unwrap_or_default(), 2)]);
        }
        let here = outline(w, met);
        let word = known.map_or(here, |s| 64 + 2 * s + u32::from(met));
        out.put(5, &[before, word]);
        out.put(6, &[two, one, here]);
        (before, two, one) = (word, one, here);
    }
    out.put(5, &[before, END]);
    out.put(6, &[two, one, END]);
    if let Some(w) = b.words.last() {
        out.put(7, &[ending(b.content.get(w.start..w.end).unwrap_or_default(), 3)]);
    }
    let (mut two, mut one, mut gone) = (0, 0, false);
    for (i, w) in a.words.iter().enumerate() {
        let met = al.met_a(i);
        let here = outline(w, met);
        if !met && w.function {
            out.put(8, &[w.hash]);
        } else if let Some(s) = sense(w).filter(|_| !met && plain(w)) {
            out.put(9, &[s]);
        }
        if gone || !met {
            out.put(10, &[two, one, here]);
        }
        gone = !met && !w.function;
        (two, one) = (one, here);
    }
    out.0
}
