//! Parses values that start with a word: looks it up and calls the rule for its meaning.

use super::{ValueHit, ValueReader, english, korean, lexicon::Lex};
use crate::language::text::table::phrase;

impl ValueReader<'_> {
    pub fn latin(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if !s.starts_word(at) {
            return None;
        }
        let (word, end) = s.latin(at);
        let is_joined = matches!(s.byte(end), b'.' | b'-' | b'_' | b'0'..=b'9');
        if is_joined && let Some(hit) = self.host(at).or_else(|| self.read_rule("code", at)) {
            return Some(hit);
        }
        match phrase(&english::WORDS, word, s.rest(at)) {
            _ if s.byte(end) == b'$' => self.read_rule("symbol_money", at),
            Some((len, lex)) => self.by_meaning(at, at + len, *lex),
            None if word == "a" || word == "an" => self.read_rule("article", at),
            None if self.folded.is_capital(at) => self.read_rule("proper", at),
            None => None,
        }
    }

    /// The value that starts with a word of the tables.
    fn by_meaning(&self, at: usize, end: usize, lex: Lex) -> Option<ValueHit> {
        match lex {
            Lex::Minus | Lex::Plus => self.worded_sign(at, end, matches!(lex, Lex::Minus)),
            _ => self.read_rule(lex.into(), at),
        }
    }

    pub fn korean(&self, at: usize) -> Option<ValueHit> {
        let by_word = || {
            let (len, lex) = korean::WORDS.longest(self.s.rest(at), |_, _| true)?;
            self.by_meaning(at, at + len, *lex)
        };
        self.read_rule("nth_or_times", at)
            .or_else(by_word)
            .or_else(|| self.read_rule("korean_ordinal", at))
            .or_else(|| self.read_rule("korean_number", at))
    }
}
