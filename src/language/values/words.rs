//! Parses values that start with a word: looks it up and calls the parser or the rule for its meaning.

use super::{
    ValueHit, ValueReader, english, korean,
    lexicon::{Lex, Suffix},
    number::Number,
    parts::{Parts, slot::N},
    value::{Clock, PeriodKind, Value, Weekdays},
};
use crate::language::text::table::phrase;
use crate::language::words;

impl ValueReader<'_> {
    pub fn latin(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if !s.starts_word(at) {
            return None;
        }
        let end = s.latin_end(at);
        let next = s.byte(end);
        if (next == b'.' || next == b'-' || next.is_ascii_digit())
            && let Some(hit) = self.host(at)
        {
            return Some(hit);
        }
        if matches!(next, b'-' | b'_' | b'0'..=b'9')
            && let Some(hit) = self.letters_and_digits(at, end)
        {
            return Some(hit);
        }
        if next == b'$' {
            return self.symbol_money(at, end);
        }
        let word = s.slice(at, end);
        let Some((len, lex)) = phrase(&english::WORDS, word, s.rest(at)) else {
            if word == "a" || word == "an" {
                return self.article(at, end);
            }
            return self.proper(at, end);
        };
        self.by_meaning(at, at + len, *lex)
    }

    /// Parses a code, or an amount of money without a space: eur50.
    fn letters_and_digits(&self, at: usize, end: usize) -> Option<ValueHit> {
        match english::WORDS.meaning(self.s.slice(at, end)) {
            Some(Lex::Money(code)) => self.money_after(at, end, code),
            _ => self.by_rule("code", at, at, Parts::default()),
        }
    }

    /// Parses a dozen, a third, a fortnight, an hour and a half.
    fn article(&self, at: usize, end: usize) -> Option<ValueHit> {
        let s = self.s;
        if let Some(amount) = self.english(at) {
            return self.counted(at, amount);
        }
        let next = s.blank(end);
        let word = s.slice(next, s.latin_end(next));
        let one = Number::ONE;
        if let Some(hit) = self.half_unit(at, next) {
            return Some(hit);
        }
        let (len, suffix) = phrase(&english::UNITS, word, s.rest(next))?;
        let after = next + len;
        match suffix {
            Suffix::Seconds(_) | Suffix::Months(_) => {
                let before = s.word_before(at);
                // "twice a week" is parsed from "twice", "£3 a month" from the pound sign.
                let measured = words!("english/grammar.before a length").contains(&before)
                    || s.eat_any(s.blank(after), words!("english/grammar.behind a length")).is_some();
                measured.then(|| self.duration(at, one, after, *suffix)).flatten()
            }
            _ => None,
        }
    }

    /// Parses half an hour, half a year, a half day.
    fn half_unit(&self, start: usize, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let half = s.eat_word(at, &["half"])?;
        let mut next = if s.byte(half) == b'-' { half + 1 } else { s.blank(half) };
        next = s.past_word(next, &["a", "an"]);
        let word = s.slice(next, s.latin_end(next));
        let suffix = english::UNITS.meaning(word)?;
        if !matches!(suffix, Suffix::Seconds(60..) | Suffix::Months(_)) {
            return None;
        }
        self.duration(start, Number::new(5, -1), next + word.len(), *suffix)
    }

    /// The value that starts with a word of the tables.
    fn by_meaning(&self, at: usize, end: usize, lex: Lex) -> Option<ValueHit> {
        let is_whole = || self.is_tail(end);
        match lex {
            Lex::Money(currency) => return self.money_after(at, end, currency),
            Lex::Minus | Lex::Plus => return self.worded_sign(at, end, matches!(lex, Lex::Minus)),
            Lex::Weekdays(days) => return is_whole().then(|| ValueHit::new(at, end, Value::Weekdays(Weekdays(days)))),
            Lex::Clock(seconds) => {
                let clock = Value::Clock(Clock { seconds, sure: true, zone: None });
                return is_whole().then(|| ValueHit::new(at, end, clock));
            }
            _ => {}
        }
        let hit = self.by_rule(lex.name(), at, at, Parts::default());
        match lex {
            Lex::Cardinal(_) | Lex::Scale(_) | Lex::Dozen => hit.or_else(|| self.quantity(at, at)),
            Lex::Half => {
                let half = || self.half_unit(at, at).or_else(|| self.quantity(at, at));
                hit.or_else(half).or_else(|| self.half_of(at, end))
            }
            _ => hit,
        }
    }

    fn half_of(&self, at: usize, end: usize) -> Option<ValueHit> {
        let next = self.s.blank(end);
        self.s.eat_word(next, &["of", "the"])?;
        Some(ValueHit::new(at, end, Value::Number(Number::new(5, -1))))
    }

    pub fn korean(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let by_rule = |rule: &str| self.by_rule(rule, at, at, Parts::default());
        if let Some(hit) = by_rule("nth_or_times") {
            return Some(hit);
        }
        if let Some((len, lex)) = korean::WORDS.longest(s.rest(at), |_, _| true)
            && let Some(hit) = self.by_meaning(at, at + len, *lex)
        {
            return Some(hit);
        }
        by_rule("korean_ordinal").or_else(|| self.korean_number(at))
    }

    /// Parses 두 시 반, 스무 명, 이만 원, 삼월 이십일.
    fn korean_number(&self, at: usize) -> Option<ValueHit> {
        let amount = self.amount(at)?;
        if let Some(hit) = self.by_rule("hour_clock", at, at, Parts::default()) {
            // 한시 is an hour only with a space or minutes.
            let glued = self.s.slice(hit.start, hit.end).contains(' ');
            if glued || !amount.lone {
                return Some(hit);
            }
        }
        self.counted(at, amount)
    }

    /// A period with its year: Q2 2026, 1분기.
    pub fn numbered_period(&self, start: usize, end: usize, kind: PeriodKind, number: i8) -> Option<ValueHit> {
        self.by_rule("numbered", start, end, Parts::default().of_kind(kind).with(N, number))
    }

    pub fn full_year(&self, at: usize) -> Option<(i16, usize)> {
        let (text, end) = self.s.digits(at);
        let year = text.parse().ok().filter(|y| text.len() == 4 && (1900..2100).contains(y) && self.s.ends_word(end));
        year.map(|year| (year, end))
    }
}
