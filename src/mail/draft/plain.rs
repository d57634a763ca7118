//! A sentence as cues are looked up in it.

use crate::language::{Lower, is_hangul};

/// A sentence's text in the form in which cues are looked for: lower case, white space folded.
pub(super) struct Plain {
    text: String,
    /// The bytes that it has, a bit each: most cues are passed over without being looked for.
    bytes: [u64; 4],
}

impl Plain {
    pub fn new(text: &str) -> Self {
        let text = text.replace(['’', '‘'], "'");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").lower();
        let mut bytes = [0; 4];
        for byte in text.bytes() {
            bytes[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        Self { text, bytes }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    fn has_byte(&self, byte: Option<&u8>) -> bool {
        byte.is_none_or(|b| self.bytes[usize::from(b >> 6)] & 1 << (b & 63) != 0)
    }

    /// Whether any of the cues is in the text. A cue of ASCII letters is a whole word or phrase; one that ends in `*`
    /// is the beginning of a word. Korean cues stand anywhere.
    pub fn has(&self, cues: &[&str]) -> bool {
        cues.iter().any(|c| self.find_one(c).is_some())
    }

    /// Where the first of the cues stands.
    pub fn find(&self, cues: &[&str]) -> Option<(usize, usize)> {
        cues.iter().filter_map(|c| self.find_one(c)).min()
    }

    /// Whether any of the cues stands between such words.
    pub fn find_where(&self, cues: &[&str], fits: impl Fn(&str, &str) -> bool) -> bool {
        cues.iter().filter_map(|c| self.find_one(c)).any(|(at, end)| fits(&self.text[..at], &self.text[end..]))
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
