//! Unigram tokenizer over a table of pieces sorted by bytes; prefix search by bisection needs no trie.

/// The special token at the start of a sequence. No text contains it.
pub const BEGIN: u32 = 0;
/// The special token after a text. No text contains it.
pub const END: u32 = 2;
const UNKNOWN: u32 = 3;
const SPECIAL: usize = 4;

/// Characters of a text to tokenise; far more than the longest sequence needs.
const LONGEST: usize = 4_096;
/// The space character in pieces.
const BLANK: char = '▁';

/// The pieces with their scores.
#[derive(Default)]
pub struct Tokenizer {
    pub(crate) scores: Vec<f32>,
    /// The end of each piece in `bytes`.
    pub(crate) ends: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
}

/// The best split of a word up to a position: its score, and the start and id of its last token.
type Step = (f64, usize, u32);

impl Tokenizer {
    /// Whether the pieces after the special ones are sorted, as the prefix search requires.
    pub(crate) fn is_sorted(&self) -> bool {
        (SPECIAL + 1..self.ends.len()).all(|i| self.piece(i - 1) < self.piece(i))
    }

    fn piece(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.bytes[start..self.ends[i] as usize]
    }

    /// Up to `limit` tokens of a text, without special tokens.
    pub fn tokens(&self, text: &str, limit: usize) -> Vec<u32> {
        let unknown = f64::from(self.scores.iter().fold(0.0f32, |least, &s| least.min(s))) - 10.0;
        let clean = clean(text);
        let mut out = Vec::new();
        let mut steps = Vec::new();
        for word in clean.split(' ').filter(|w| !w.is_empty()) {
            self.split(&format!("{BLANK}{word}"), unknown, &mut steps, &mut out);
            if out.len() >= limit {
                break;
            }
        }
        out.truncate(limit);
        out
    }

    /// Appends the most likely split of a word (Viterbi).
    fn split(&self, word: &str, unknown: f64, steps: &mut Vec<Step>, out: &mut Vec<u32>) {
        let bytes = word.as_bytes();
        steps.clear();
        steps.resize(bytes.len() + 1, (f64::NEG_INFINITY, 0, UNKNOWN));
        steps[0].0 = 0.0;
        for (at, letter) in word.char_indices() {
            let base = steps[at].0;
            let next = at + letter.len_utf8();
            let mut has_letter = false;
            let (mut low, mut high) = (SPECIAL, self.ends.len());
            for (depth, &byte) in bytes[at..].iter().enumerate() {
                low = self.first(low, high, |p| p.get(depth).is_none_or(|&b| b < byte));
                high = self.first(low, high, |p| p.get(depth).is_none_or(|&b| b <= byte));
                if low >= high {
                    break;
                }
                let end = at + depth + 1;
                if self.piece(low).len() == depth + 1 {
                    let score = base + f64::from(self.scores[low]);
                    if score > steps[end].0 {
                        steps[end] = (score, at, low as u32);
                    }
                    has_letter |= end == next;
                }
            }
            if !has_letter && base + unknown > steps[next].0 {
                steps[next] = (base + unknown, at, UNKNOWN);
            }
        }
        let start = out.len();
        let mut at = bytes.len();
        while at > 0 {
            let (_, from, token) = steps[at];
            // Adjacent unknown characters become one token.
            if token != UNKNOWN || out.len() == start || out.last() != Some(&UNKNOWN) {
                out.push(token);
            }
            at = from;
        }
        out[start..].reverse();
    }

    /// The first index from `low` on whose piece is not `before`.
    fn first(&self, mut low: usize, mut high: usize, before: impl Fn(&[u8]) -> bool) -> usize {
        while low < high {
            let middle = low.midpoint(high);
            if before(self.piece(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Normalises a text like SentencePiece's `nmt_nfkc`: NFKC, folded white space, no control characters. Keep in step
/// with `source.py` of examples/encoder.
fn clean(text: &str) -> String {
    let is_kept = |c: &char| !matches!(c, '\x01'..='\x08' | '\x0b' | '\x0e'..='\x1f' | '\x7f' | '\u{8f}' | '\u{9f}');
    let kept: String = text.chars().take(LONGEST).filter(is_kept).collect();
    let spaces = ['\t', '\n', '\x0c', '\r', BLANK, '\u{1680}', '\u{2028}', '\u{2029}', '\u{feff}', '\u{fffd}'];
    let is_space = |c| spaces.contains(&c) || matches!(c, '\u{200b}'..='\u{200f}');
    nfkc(&kept).chars().map(|c| if is_space(c) { ' ' } else { c }).collect()
}

#[cfg(target_arch = "wasm32")]
fn nfkc(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { js_sys::JsString::from(text).normalize("NFKC").into() }
}

#[cfg(not(target_arch = "wasm32"))]
fn nfkc(text: &str) -> String {
    unicode_normalization::UnicodeNormalization::nfkc(text).collect()
}
