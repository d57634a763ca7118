//! Turns of phrase that tell how a statement is meant: settled or proposed, cause or condition, again or anew.
//!
//! Phrases are looked for in one text at a time; what they mean for a pair is for the model to weigh.

use std::sync::LazyLock;

/// How many cues there are.
pub const CUES: usize = 20;

/// Their names, in order.
pub const NAMES: [&str; CUES] = [
    // Not settled: somebody would like, suggests, considers.
    "proposal",
    // Asked.
    "question",
    // Holds only if something else does.
    "condition",
    // Something is needed first.
    "need",
    // Denied.
    "negation",
    // As before, still, again the same.
    "echo",
    // Something is no longer as it was.
    "change",
    // For the reason that.
    "cause",
    // Speaks about another text.
    "reference",
    // A part of something.
    "portion",
    // The next, another, too.
    "sequence",
    // Instead, rather, the other choice.
    "alternative",
    // What was said was wrong.
    "correction",
    // Somebody says so.
    "report",
    // Done, signed, decided.
    "settled",
    // Please.
    "request",
    // Advertising.
    "advert",
    // Somebody else's wish.
    "wish",
    // Going up or down, wider or narrower.
    "degree",
    // Called off.
    "cancelled",
];

/// A line a cue, its name before its phrases; `_` is the edge of a word.
const TEXT: &str = include_str!("cues.txt");

/// The phrases, found by the two characters they begin with.
struct Phrases {
    list: Vec<(&'static str, u8)>,
    /// For each slot the first phrase, for each phrase the next of its slot.
    slots: Vec<u16>,
    next: Vec<u16>,
}

const NONE: u16 = u16::MAX;
const SLOTS: usize = 1 << 11;

/// The slot of two characters; of a phrase of one character the second is NUL.
fn slot(first: char, second: char) -> usize {
    let h = (first as u32).wrapping_mul(0x9E37_79B1) ^ (second as u32).wrapping_mul(0x85EB_CA77);
    ((h ^ (h >> 15)).wrapping_mul(0xC2B2_AE35) >> 21) as usize % SLOTS
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut p = Phrases { list: Vec::new(), slots: vec![NONE; SLOTS], next: Vec::new() };
    for (cue, line) in TEXT.lines().enumerate() {
        for phrase in line.split(' ').skip(1) {
            let mut chars = phrase.chars();
            let at = slot(chars.next().unwrap_or_default(), chars.next().unwrap_or_default());
            p.next.push(p.slots[at]);
            p.slots[at] = p.list.len() as u16;
            p.list.push((phrase, cue as u8));
        }
    }
    p
});

/// How often each cue shows in a folded text, at most three times.
pub fn cues(folded: &str) -> [u8; CUES] {
    let (list, slots, next) = (&PHRASES.list[..], &PHRASES.slots[..], &PHRASES.next[..]);
    let mut padded = String::with_capacity(folded.len() + 2);
    padded.push('_');
    for c in folded.chars() {
        padded.push(match c {
            ' ' | ',' | '.' | ';' | ':' | '!' | '(' | ')' => '_',
            '_' => '\0',
            c => c,
        });
    }
    padded.push('_');
    let mut out = [0u8; CUES];
    let mut seen = vec![false; list.len()];
    let seen = &mut seen[..];
    let mut meet = |at: usize, slot: usize| {
        let mut n = slots[slot];
        while let Some((phrase, cue)) = list.get(usize::from(n)) {
            if !seen[usize::from(n)] && padded[at..].starts_with(phrase) {
                seen[usize::from(n)] = true;
                let count = &mut out[usize::from(*cue)];
                *count = (*count + 1).min(3);
            }
            n = next[usize::from(n)];
        }
    };
    let mut before = (0, '_');
    for (at, c) in padded.char_indices().skip(1).chain([(padded.len(), '\0')]) {
        meet(before.0, slot(before.1, c));
        meet(before.0, slot(before.1, '\0'));
        before = (at, c);
    }
    out
}
