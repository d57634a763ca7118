//! Turns of phrase that tell how a statement is meant: settled or proposed, cause or condition, again or anew.
//!
//! Phrases are looked for in one text at a time; what they mean for a pair is for the model to weigh.

use crate::language::fold;
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

/// A text, folded, with `_` for what stands between its words.
pub(super) fn marked(text: &str) -> String {
    edged(&fold(text), |c| if c == '"' { '_' } else { c })
}

/// A folded text with `_` for what stands between its words; `other` says what else becomes what.
fn edged(folded: &str, other: fn(char) -> char) -> String {
    let mut out = String::with_capacity(folded.len() + 2);
    out.push('_');
    let between = |c| matches!(c, ' ' | ',' | '.' | ';' | ':' | '!' | '(' | ')');
    out.extend(folded.chars().map(|c| if between(c) { '_' } else { other(c) }));
    out.push('_');
    out
}

/// Phrases, found by the two characters they begin with.
pub(super) struct Phrases {
    list: Vec<Phrase>,
    /// For each slot the first phrase.
    slots: Vec<u16>,
}

struct Phrase {
    text: &'static str,
    begins: (char, char),
    /// The next of its slot.
    next: u16,
    cue: u8,
}

const NONE: u16 = u16::MAX;

impl Phrases {
    /// Those of a list with blanks between.
    pub fn listed(list: &'static str) -> Self {
        Self::new(list.split(' ').map(|phrase| (phrase, 0)))
    }

    /// Whether one of them stands in a marked text.
    pub fn is_in(&self, marked: &str) -> bool {
        self.any(marked, &mut |_| true)
    }

    /// Those of a list, by what each stands for.
    pub fn new(phrases: impl Iterator<Item = (&'static str, u8)>) -> Self {
        let begins = |text: &str| {
            let mut chars = text.chars();
            (chars.next().unwrap_or_default(), chars.next().unwrap_or_default())
        };
        let list = phrases.map(|(text, cue)| Phrase { text, begins: begins(text), next: NONE, cue }).collect();
        let mut made = Self { list, slots: Vec::new() };
        made.slots = vec![NONE; (2 * made.list.len()).next_power_of_two()];
        for n in 0..made.list.len() {
            let at = made.slot(made.list[n].begins);
            made.list[n].next = made.slots[at];
            made.slots[at] = n as u16;
        }
        made
    }

    /// The slot of two characters; of a phrase of one character the second is NUL.
    fn slot(&self, (first, second): (char, char)) -> usize {
        let h = (first as u32).wrapping_mul(0x9E37_79B1) ^ (second as u32).wrapping_mul(0x85EB_CA77);
        ((h ^ (h >> 15)).wrapping_mul(0xC2B2_AE35) >> 16) as usize & (self.slots.len() - 1)
    }

    /// Whether one of the phrases that stand in a text will do; each is asked about as often as it stands there.
    pub fn any(&self, text: &str, will_do: &mut dyn FnMut(usize) -> bool) -> bool {
        let (list, slots) = (&self.list[..], &self.slots[..]);
        let mut meet = |at: usize, begins: (char, char)| {
            let mut n = slots[self.slot(begins)];
            while let Some(phrase) = list.get(usize::from(n)) {
                // Most that share a slot begin with other characters.
                if phrase.begins == begins && text[at..].starts_with(phrase.text) && will_do(usize::from(n)) {
                    return true;
                }
                n = phrase.next;
            }
            false
        };
        let mut before = None;
        for (at, c) in text.char_indices() {
            if before.replace((at, c)).is_some_and(|(at, b)| meet(at, (b, c)) || meet(at, (b, '\0'))) {
                return true;
            }
        }
        before.is_some_and(|(at, b)| meet(at, (b, '\0')))
    }
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let of = |(cue, line): (usize, &'static str)| line.split(' ').skip(1).map(move |phrase| (phrase, cue as u8));
    Phrases::new(TEXT.lines().enumerate().flat_map(of))
});

/// How often each cue shows in a folded text, at most three times.
pub fn cues(folded: &str) -> [u8; CUES] {
    let padded = edged(folded, |c| if c == '_' { '\0' } else { c });
    let mut out = [0u8; CUES];
    let mut seen = vec![false; PHRASES.list.len()];
    let seen = &mut seen[..];
    PHRASES.any(&padded, &mut |n| {
        if !std::mem::replace(&mut seen[n], true) {
            let count = &mut out[usize::from(PHRASES.list[n].cue)];
            *count = (*count + 1).min(3);
        }
        false
    });
    out
}
