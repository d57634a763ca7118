//! [`Phrases`]: turns of phrase of several meanings, found in one pass over a text. It says what stands where; what
//! follows from it is for its users.

use super::hangul::is_hangul;
use std::sync::OnceLock;

/// Rows of phrases, each row with what its phrases mean; made by `phrases!`.
///
/// A phrase of Latin letters stands between the edges of words; `*` at its beginning or end gives that edge up. `^` ties
/// a phrase to the beginning of the text, `$` to its end.
pub struct Phrases<T: 'static> {
    rows: &'static [(T, &'static str)],
    index: OnceLock<PhraseIndex>,
}

/// The phrases by a hash of the two characters that they begin with; NUL for the second of a phrase of one.
type PhraseIndex = Vec<Vec<Phrase<'static>>>;

const BUCKETS: u32 = 1024;

const fn bucket(first: char, second: char) -> usize {
    ((first as u32).wrapping_mul(31) ^ (second as u32).wrapping_mul(7)) as usize % BUCKETS as usize
}

/// A phrase of a text: its row, and where it begins.
#[derive(Debug, Clone, Copy)]
pub struct PhraseHit {
    pub row: usize,
    pub start: usize,
}

struct Phrase<'p> {
    text: &'p str,
    row: usize,
    /// Whether it stands at the beginning of the text, and at its end.
    first: bool,
    last: bool,
    /// Whether a word must begin, and end, with it.
    opens: bool,
    closes: bool,
}

/// A `static` of the phrases in `language/data`, or in a file that `build.rs` names, by the file.
macro_rules! phrases {
    ($key:literal) => {
        include!(concat!(env!("OUT_DIR"), "/words/", $key, ".rs"))
    };
}
pub(crate) use phrases;

impl<T> Phrases<T> {
    pub const fn new(rows: &'static [(T, &'static str)]) -> Self {
        Self { rows, index: OnceLock::new() }
    }

    pub fn meaning(&self, row: usize) -> Option<&'static T> {
        self.rows.get(row).map(|r| &r.0)
    }

    /// Whether one of the phrases in `text` will do; each is asked about as often as it stands there, from left to
    /// right.
    pub fn any(&self, text: &str, end: usize, will_do: &mut dyn FnMut(PhraseHit) -> bool) -> bool {
        let index = self.index.get_or_init(|| {
            let mut index: PhraseIndex = (0..BUCKETS).map(|_| Vec::new()).collect();
            for (row, written) in self.rows.iter().enumerate().flat_map(|(n, r)| r.1.split('\n').map(move |p| (n, p))) {
                let phrase = Phrase::of(row, written);
                let mut chars = phrase.text.chars();
                let begins = (chars.next().unwrap_or_default(), chars.next().unwrap_or_default());
                index[bucket(begins.0, begins.1)].insert(0, phrase);
            }
            index
        });
        let mut rest = text.char_indices().peekable();
        while let Some((start, first)) = rest.next() {
            let second = rest.peek().map_or('\0', |(_, c)| *c);
            let (pair, one) = (bucket(first, second), bucket(first, '\0'));
            let here = index[pair].iter().chain(index[one].iter().filter(|_| one != pair));
            for phrase in here.filter(|phrase| phrase.stands(text, start, end)) {
                if will_do(PhraseHit { row: phrase.row, start }) {
                    return true;
                }
            }
        }
        false
    }

    pub fn says(&self, text: &str, meaning: &T) -> bool
    where
        T: PartialEq,
    {
        self.any(text, text.len(), &mut |hit| self.meaning(hit.row) == Some(meaning))
    }
}

impl<'p> Phrase<'p> {
    fn of(row: usize, written: &'p str) -> Self {
        let (text, first) = written.strip_prefix('^').map_or((written, false), |t| (t, true));
        let (text, last) = text.strip_suffix('$').map_or((text, false), |t| (t, true));
        let (text, begins_in_a_word) = text.strip_prefix('*').map_or((text, false), |t| (t, true));
        let (text, ends_in_a_word) = text.strip_suffix('*').map_or((text, false), |t| (t, true));
        let of_words = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        let opens = of_words && !begins_in_a_word;
        let closes = of_words && !ends_in_a_word && text.ends_with(char::is_alphanumeric);
        Self { text, row, first, last, opens, closes }
    }

    fn stands(&self, text: &str, at: usize, end: usize) -> bool {
        let (before, here) = text.split_at(at);
        let Some(after) = here.strip_prefix(self.text) else { return false };
        (!self.first || at == 0)
            && (!self.last || at + self.text.len() == end)
            && (!self.opens || !before.ends_with(|c: char| c.is_alphanumeric() && !is_hangul(c)))
            && (!self.closes || !after.starts_with(|c: char| c.is_ascii_alphanumeric()))
    }
}

pub fn stands_in(text: &str, phrase: &str) -> bool {
    let phrase = Phrase::of(0, phrase);
    // For short texts this is faster than the search of `str`, which prepares each pattern.
    let Some(first) = phrase.text.bytes().next() else { return false };
    let mut starts = text.bytes().enumerate().filter(|(_, byte)| *byte == first);
    starts.any(|(at, _)| phrase.stands(text, at, text.len()))
}
