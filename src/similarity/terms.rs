//! The terms by which a text is found: words, and pairs of Hangul syllables.

use crate::language::fold;

/// The hashed terms of a text, with repeats. Pairs of syllables make Korean spacing and particles matter little.
pub(super) fn terms(text: &str) -> impl Iterator<Item = u64> + use<> {
    let folded = fold(text);
    let mut out = Vec::new();
    let mut word = String::new();
    for c in folded.chars().chain(std::iter::once(' ')) {
        let hangul = ('가'..='힣').contains(&c);
        let fits = c.is_alphanumeric() && word.chars().next_back().is_none_or(|p| ('가'..='힣').contains(&p) == hangul);
        if !fits && !word.is_empty() {
            push(&word, &mut out);
            word.clear();
        }
        if c.is_alphanumeric() {
            word.push(c);
        }
    }
    out.into_iter()
}

fn push(word: &str, out: &mut Vec<u64>) {
    let chars: Vec<char> = word.chars().collect();
    if chars.iter().all(|c| ('가'..='힣').contains(c)) {
        for pair in chars.windows(2) {
            out.push(hash(pair.iter().collect::<String>().as_bytes()));
        }
        if chars.len() == 1 {
            out.push(hash(word.as_bytes()));
        }
    } else {
        out.push(hash(stem(word).as_bytes()));
    }
}

/// English plural, past and progressive endings cut off longer words.
fn stem(word: &str) -> &str {
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(base) = word.strip_suffix(ending)
            && base.len() >= 3
            && base.is_ascii()
            && !base.ends_with('s')
        {
            return base;
        }
    }
    word
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01B3))
}
