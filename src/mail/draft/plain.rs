//! A sentence as cues are looked up in it.

use super::phrases::{PHRASES, RowLimits, Said};
use crate::language::{is_hangul, is_lone_letter, stands_in};
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
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
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
            let (mut said, size) = (0, self.size());
            PHRASES.any(&self.text, self.bare().len(), &mut |hit| {
                if let Some((what, limits)) = PHRASES.meaning(hit.row)
                    && size.characters <= limits.characters
                    && size.words <= limits.words
                    && (limits.digits || !size.digits)
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

    /// How long it is, and whether it holds digits.
    fn size(&self) -> RowLimits {
        let small = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        RowLimits {
            characters: small(self.bare().chars().count()),
            words: small(self.text.split_whitespace().count()),
            digits: self.text.bytes().any(|b| b.is_ascii_digit()),
        }
    }

    fn has_byte(&self, byte: Option<&u8>) -> bool {
        byte.is_none_or(|b| self.bytes[usize::from(b >> 6)] & 1 << (b & 63) != 0)
    }

    /// Whether any of these phrases is in the text.
    pub fn has(&self, cues: &[&str]) -> bool {
        let may = |cue: &str| {
            let cue = cue.trim_end_matches('*').as_bytes();
            self.has_byte(cue.first()) && self.has_byte(cue.last())
        };
        cues.iter().any(|c| may(c) && stands_in(&self.text, c))
    }
}

pub(super) fn is_korean(text: &str) -> bool {
    let hangul = text.chars().filter(|c| is_hangul(*c)).count();
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    hangul * 2 >= latin && hangul > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_of_the_sentences_that_its_limits_let() {
        let empty = |text: &str| Plain::new(text).says(Said::Empty);
        assert!(empty("날씨가 좋네요."));
        assert!(!empty(&format!("날씨가 {}", "나쁘고 ".repeat(20))));
        assert!(empty("Happy holidays to all of you!"));
        assert!(!empty("Happy holidays, back on 3 January."));
        assert!(empty("Enjoy your day."));
        assert!(!empty("Enjoy your day, and read the twelve pages that we have sent to you before."));
    }

    #[test]
    fn what_ends_a_sentence_stands_before_its_marks() {
        assert!(Plain::new("확인 부탁드립니다~!").says(Said::Soft));
        assert!(!Plain::new("확인 부탁드립니다만 오늘은 쉽니다").says(Said::Soft));
    }
}
