//! Parses identifiers: codes and proper names with numbers. Rules in `times.peg` read references such as #1031.

use super::{ValueHit, ValueReader, english, lexicon::Lex, parts::Parts, value::Value};
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

    pub fn hash(&self, at: usize) -> Option<ValueHit> {
        self.by_rule("hash", at, at, Parts::default())
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

    /// Parses a code that starts with a digit: 7KQ2ZD, 2024-5518, 301-77-4410, 104A.
    pub fn digit_code(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if matches!(s.before(at), Some('-' | '.')) {
            return None;
        }
        let end = self.code_end(at);
        let text = s.slice(at, end);
        if text.len() > MAX_CODE || text.contains('.') || s.byte(end) == b'@' {
            return None;
        }
        let hyphens = text.matches('-').count();
        let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
        if letters == 0 {
            // 10-12 is a range; 2024-5518 and 301-77-4410 are reference numbers.
            let parts: Vec<&str> = text.split('-').collect();
            let long = parts.iter().any(|p| p.len() >= 4) || hyphens >= 2;
            let years = parts.len() == 2
                && parts.iter().all(|p| p.len() == 4 && matches!(p.as_bytes().first(), Some(b'1' | b'2')));
            if hyphens == 0 || !long || years {
                return None;
            }
            let tail = s.eat_any(end, &["번", "호"]).unwrap_or(end);
            return Some(ValueHit::new(at, tail, Value::identifier("", text)));
        }
        let digits_end = s.digits_end(at);
        static BEHIND_DIGITS: &Words = words!("english/grammar.behind digits");
        let rest = s.slice(digits_end, end);
        let capital = (digits_end..end).any(|n| self.folded.is_capital(n));
        // 20kg and 3pm are values with units; 7KQ2ZD, 104A and 14B are codes.
        let mixed = rest.bytes().any(|b| b.is_ascii_digit()) && !rest.starts_with('-');
        let unit = english::UNITS.meaning(rest).is_some() || BEHIND_DIGITS.contains(&rest);
        if unit || rest.starts_with('x') && rest.len() > 1 && !capital {
            return None;
        }
        let is_code = mixed && text.len() >= 4
            || rest.len() == 1 && digits_end - at <= 3
            || rest.starts_with('-') && digits_end - at >= 3;
        (capital && is_code).then(|| ValueHit::new(at, end, Value::identifier("", text)))
    }

    /// Parses a proper name with its number: Freezer 3, FrostEye 3.7.
    pub fn proper(&self, start: usize, end: usize) -> Option<ValueHit> {
        let s = self.s;
        if !self.folded.is_capital(start) || end - start < 3 || s.byte(end) != b' ' || self.is_stop(start) {
            return None;
        }
        let at = s.spaces(end);
        let figure = self.figure(at)?;
        if figure.grouped
            || figure.whole > 4
            || matches!(s.byte(figure.end), b'%' | b':' | b'/' | b'-' | b'.' | b',')
                && s.byte(figure.end + 1).is_ascii_digit()
        {
            return None;
        }
        let next = s.spaces(figure.end);
        let word = s.slice(next, s.latin_end(next));
        if !s.ends_word(figure.end)
            || english::UNITS.meaning(word).is_some()
            || english::WORDS.meaning(word).is_some_and(|l| matches!(l, Lex::Month(_) | Lex::Scale(_)))
        {
            return None;
        }
        if figure.decimals > 0 {
            let version = s.slice(at, figure.end);
            return Some(ValueHit::new(at, figure.end, Value::Version(version.into())));
        }
        let sentence = self.begins_sentence(start);
        // "Bring 3 boxes": at the start of a sentence, a verb and a count look the same.
        if figure.whole > 3
            || (sentence && word.ends_with('s') && word.len() > 3)
            || s.slice(start, end).ends_with('s') && sentence
        {
            return None;
        }
        let value = Value::identifier(s.slice(start, end).to_owned(), &figure.number.to_string());
        Some(ValueHit::new(start, figure.end, value))
    }
}
