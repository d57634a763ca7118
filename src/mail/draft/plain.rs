//! A sentence as cues are looked up in it.

use super::phrases::{Limits, PHRASES, Said};
use crate::language::{Lower, is_hangul, is_lone_letter};
use std::cell::OnceCell;

/// A sentence's text in the form in which cues are looked for: lower case, white space folded.
pub(super) struct Plain {
    text: String,
    /// The bytes that it has, a bit each: most cues are passed over without being looked for.
    bytes: [u64; 4],
    /// What its phrases say, a bit each.
    said: OnceCell<u64>,
}

/// Whether a mark that ends a sentence says nothing.
fn is_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '~' | ' ' | '^' | ')' | ';') || is_lone_letter(c)
}

impl Plain {
    pub fn new(text: &str) -> Self {
        let text = text.replace(['’', '‘'], "'");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").lower();
        let mut bytes = [0; 4];
        for byte in text.bytes() {
            bytes[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        Self { text, bytes, said: OnceCell::new() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Without the marks that end it.
    pub fn bare(&self) -> &str {
        self.text.trim_end_matches(is_mark)
    }

    /// Whether its phrases say this.
    pub fn says(&self, what: Said) -> bool {
        let said = self.said.get_or_init(|| {
            let mut said = 0;
            PHRASES.any(&self.text, self.bare().len(), &mut |hit| {
                if let Some((what, limits)) = PHRASES.meaning(hit.row)
                    && self.is_within(limits)
                {
                    said |= 1 << *what as u32;
                }
                false
            });
            said
        });
        said & 1 << what as u32 != 0
    }

    /// Whether a phrase that says this stands between such words.
    pub fn says_between(&self, what: Said, fits: impl Fn(&str, &str) -> bool) -> bool {
        self.says(what)
            && PHRASES.any(&self.text, self.bare().len(), &mut |hit| {
                PHRASES.meaning(hit.row).is_some_and(|m| m.0 == what)
                    && fits(&self.text[..hit.start], &self.text[hit.end..])
            })
    }

    fn is_within(&self, limits: &Limits) -> bool {
        let least = |n: u16, count: usize| n == u16::MAX || count <= usize::from(n);
        least(limits.characters, self.bare().chars().count())
            && least(limits.words, self.text.split_whitespace().count())
            && (limits.digits || !self.text.bytes().any(|b| b.is_ascii_digit()))
    }

    fn has_byte(&self, byte: Option<&u8>) -> bool {
        byte.is_none_or(|b| self.bytes[usize::from(b >> 6)] & 1 << (b & 63) != 0)
    }

    /// Whether any of the cues is in the text. A cue of ASCII letters is a whole word or phrase; one that ends in `*`
    /// is the beginning of a word. Korean cues stand anywhere.
    pub fn has(&self, cues: &[&str]) -> bool {
        cues.iter().any(|c| self.find_one(c).is_some())
    }

    fn find_one(&self, cue: &str) -> Option<(usize, usize)> {
        let (cue, open) = cue.strip_suffix('*').map_or((cue, false), |c| (c, true));
        let ends = [cue.as_bytes().first(), cue.as_bytes().last()];
        if cue.len() > self.text.len() || !ends.into_iter().all(|b| self.has_byte(b)) {
            return None;
        }
        let ascii = cue.starts_with(|c: char| c.is_ascii_alphanumeric());
        let mut from = 0;
        while let Some(at) = self.text.get(from..)?.find(cue).map(|i| i + from) {
            let end = at + cue.len();
            let starts = !ascii || !self.text[..at].ends_with(|c: char| c.is_alphanumeric());
            let ends = open || !ascii || !self.text[end..].starts_with(|c: char| c.is_ascii_alphanumeric());
            if starts && ends {
                return Some((at, end));
            }
            from = end;
        }
        None
    }
}

pub(super) fn is_korean(text: &str) -> bool {
    let hangul = text.chars().filter(|c| is_hangul(*c)).count();
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    hangul * 2 >= latin && hangul > 0
}
