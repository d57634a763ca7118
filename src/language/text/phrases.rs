//! [`Phrases`]: turns of phrase of several meanings, found in one pass over a text.
//!
//! It says what stands where; what follows from it is for its users.

use super::hangul::is_hangul;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Rows of phrases, each row with what its phrases mean; made by `phrases!`.
///
/// A phrase that begins with a letter or a digit of ASCII stands between the edges of words; `*` at its beginning or its
/// end gives that edge up. Others stand anywhere. `^` ties a phrase to the beginning of the text, `$` to its end.
pub struct Phrases<T: 'static> {
    rows: &'static [(T, &'static str)],
    index: OnceLock<PhraseIndex>,
}

/// The phrases by the two characters that they begin with; NUL for the second of a phrase of one.
type PhraseIndex = HashMap<(char, char), Vec<Phrase<'static>>>;

/// A phrase of a text: its row, and where it begins.
#[derive(Debug, Clone, Copy)]
pub struct PhraseHit {
    pub row: usize,
    /// Its first byte.
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
    /// Phrases of these rows, one in each line of a row.
    pub const fn new(rows: &'static [(T, &'static str)]) -> Self {
        Self { rows, index: OnceLock::new() }
    }

    pub fn meaning(&self, row: usize) -> Option<&'static T> {
        self.rows.get(row).map(|r| &r.0)
    }

    /// Whether one of the phrases in `text` will do; each is asked about as often as it stands there, from left to right.
    /// What stands behind `end` are the marks that end the text.
    pub fn any(&self, text: &str, end: usize, will_do: &mut dyn FnMut(PhraseHit) -> bool) -> bool {
        let index = self.index.get_or_init(|| {
            let mut index = PhraseIndex::new();
            for (row, written) in self.rows.iter().enumerate().flat_map(|(n, r)| r.1.split('\n').map(move |p| (n, p))) {
                let phrase = Phrase::of(row, written);
                let mut chars = phrase.text.chars();
                let begins = (chars.next().unwrap_or_default(), chars.next().unwrap_or_default());
                index.entry(begins).or_default().insert(0, phrase);
            }
            index
        });
        let mut rest = text.char_indices().peekable();
        while let Some((start, first)) = rest.next() {
            let second = rest.peek().map_or('\0', |(_, c)| *c);
            let keys = [Some((first, second)), Some((first, '\0')).filter(|_| second != '\0')];
            let here = keys.iter().flatten().filter_map(|key| index.get(key)).flatten();
            for phrase in here.filter(|phrase| phrase.stands(text, start, end)) {
                if will_do(PhraseHit { row: phrase.row, start }) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a phrase that means this stands in the text.
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

/// Whether a phrase of no row stands in a text.
pub fn stands_in(text: &str, phrase: &str) -> bool {
    let phrase = Phrase::of(0, phrase);
    text.match_indices(phrase.text).any(|(at, _)| phrase.stands(text, at, text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    static SAMPLE: Phrases<char> =
        Phrases::new(&[('w', "due\nin time\npay*\n*n't\n네"), ('e', "^hi\n^네$\n다$\n*lol*"), ('b', " or \n%")]);

    fn found(text: &str, end: usize) -> String {
        let mut out = String::new();
        SAMPLE.any(text, end, &mut |hit| {
            out.push_str(&format!("{}{} ", SAMPLE.meaning(hit.row).unwrap(), hit.start));
            false
        });
        out.trim_end().to_owned()
    }

    #[test]
    fn phrases_stand_where_their_marks_say() {
        for (text, hits) in [
            ("due in time", "w0 w4"),
            ("overdue, undue, dues, 월due", "w25"),
            ("payable repay", "w0"),
            ("isn't it", "w2"),
            ("hi", "e0"),
            ("oh hi his", ""),
            ("this or that, for", "b4"),
            ("lollipop", "e0"),
            ("5%", "b1"),
        ] {
            assert_eq!(found(text, text.len()), hits, "{text}");
        }
    }

    #[test]
    fn what_ends_a_text_stands_before_its_last_marks() {
        assert_eq!(found("네", 3), "e0 w0");
        assert_eq!(found("네!", 3), "e0 w0");
        assert_eq!(found("네!", 4), "w0");
        assert_eq!(found("간다 온다.", 13), "e10");
    }

    #[test]
    fn a_row_says_its_phrases() {
        assert!(SAMPLE.says("due", &'w') && !SAMPLE.says("due", &'e'));
        assert!(stands_in("pay it", "pay*") && !stands_in("repay it", "pay*"));
    }
}
