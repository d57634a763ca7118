//! Tells codes from words, units and counts; rules in `times.peg` read identifiers.

use super::{ValueReader, english, lexicon::Lex, parts::Parts};
use crate::language::{Words, words};

const MAX_CODE: usize = 100;

impl ValueReader<'_> {
    /// The end of a run of letters, digits and the punctuation used in codes: a dot continues 3.8.1, a hyphen INV-20871.
    pub fn code_end(&self, at: usize) -> usize {
        let s = self.s;
        let mut end = at;
        loop {
            let next = s.run_end(end, |c| c.is_ascii_alphanumeric());
            let is_joined = match s.byte(next) {
                b'-' | b'_' => s.byte(next + 1).is_ascii_alphanumeric(),
                b'.' => s.byte(next + 1).is_ascii_digit() && s.slice(at, next).contains(|c: char| c.is_ascii_digit()),
                _ => false,
            };
            if next - at > MAX_CODE || next == end || !is_joined {
                return next;
            }
            end = next + 1;
        }
    }

    /// The end of digits with dots between them, and the number of dots.
    pub fn version_end(&self, at: usize) -> (usize, usize) {
        let s = self.s;
        let (mut end, mut dots) = (s.digits_end(at), 0);
        while s.byte(end) == b'.' && s.byte(end + 1).is_ascii_digit() {
            (end, dots) = (s.digits_end(end + 1), dots + 1);
        }
        (end, dots)
    }

    pub fn begins_sentence(&self, at: usize) -> bool {
        let head = self.s.head(at).trim_end();
        head.is_empty() || head.ends_with(['.', '!', '?', ':', '\n'])
    }

    /// The end of a code that starts with a letter: INV-20871, KE901, but not "covid-19", "mp3", "step2".
    pub fn letter_code(&self, at: usize) -> Option<usize> {
        let s = self.s;
        let (letters, end) = (s.run_end(at, |c| c.is_ascii_alphabetic()), self.code_end(at));
        let (text, body) = (s.slice(at, end), s.slice(letters, end));
        let digits = text.bytes().take(MAX_CODE + 1).filter(u8::is_ascii_digit).count();
        let is_code = digits >= 2 || body.starts_with(['-', '_']) || (at..letters).any(|n| self.folded.is_capital(n));
        let is_word = text.len() > MAX_CODE || words!("identifiers.common words").contains(&text);
        (digits > 0 && is_code && !is_word).then_some(end)
    }

    /// Whether a number after the name of a thing counts the next word: "order 20 boxes", 주문 3건, "contract 2 years".
    pub fn counts_next(&self, parts: &Parts, end: usize) -> bool {
        let s = self.s;
        let (head, key) = (parts.head.unwrap_or(""), parts.key);
        if end - key.start > 3 || !key.of(s.0).bytes().all(|b| b.is_ascii_digit()) {
            return false;
        }
        let word = s.latin(s.blank(end)).0;
        let is_unit = english::UNITS.meaning(word).is_some_and(|_| word.len() > 1)
            || english::WORDS.meaning(word).is_some_and(|lex| matches!(lex, Lex::Month(_)));
        let is_plural = words!("identifiers.counted heads").contains(&head) && word.len() > 3 && word.ends_with('s');
        is_unit || is_plural || s.eat_any(s.spaces(end), words!("korean/grammar.counters")).is_some()
    }

    /// Whether a run of digits and letters is a code: 7KQ2ZD, 104A and 14B, but not 20kg, 3pm and 3x4.
    pub fn is_digit_code(&self, at: usize, end: usize) -> bool {
        static BEHIND_DIGITS: &Words = words!("english/grammar.behind digits");
        let letters = self.s.digits_end(at);
        let (rest, digits) = (self.s.slice(letters, end), letters - at);
        let is_unit = english::UNITS.meaning(rest).is_some() || BEHIND_DIGITS.contains(&rest);
        let is_mixed = rest.bytes().any(|b| b.is_ascii_digit()) && !rest.starts_with('-') && end - at >= 4;
        let is_code = is_mixed || rest.len() == 1 && digits <= 3 || rest.starts_with('-') && digits >= 3;
        end - at <= MAX_CODE && !is_unit && is_code && (letters..end).any(|n| self.folded.is_capital(n))
    }
}
