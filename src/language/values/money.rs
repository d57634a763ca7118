//! Parses money: a currency before or after its number, and the unit it is paid for (a month, a person).

use super::{
    ValueHit, ValueReader, english, korean,
    lexicon::Lex,
    tables::PER,
    value::{Per, Value},
};
use crate::language::text::hangul::is_hangul;
use crate::language::words;

impl ValueReader<'_> {
    pub fn symbol_money(&self, start: usize, at: usize) -> Option<ValueHit> {
        let end = at + self.s.char(at)?.len_utf8();
        match english::SYMBOLS.meaning(self.s.slice(start, end))? {
            Lex::Money(currency) => self.money_after(start, end, currency),
            _ => None,
        }
    }

    pub fn money_after(&self, start: usize, at: usize, currency: &'static str) -> Option<ValueHit> {
        let s = self.s;
        let next = s.spaces(at);
        if !s.byte(next).is_ascii_digit() {
            return None;
        }
        let mut amount = self.amount(next)?;
        let unit = s.spaces(amount.end);
        let end = s.latin_end(unit);
        let power = match s.slice(unit, end) {
            "m" | "mln" | "mio" | "mm" => 6,
            "b" => 9,
            _ => 0,
        };
        if power > 0 && s.ends_word(end) && !amount.scaled {
            (amount.number, amount.end) = (amount.number.shifted(power), end);
        }
        let money = Value::Money { number: amount.number, currency, per: None };
        Some(self.rate(ValueHit::new(start, amount.end, money)))
    }

    /// Adds the rate of an amount of money: 월 330만원, £15 a month, 1인당.
    pub fn rate(&self, mut hit: ValueHit) -> ValueHit {
        let found = self.per_after(hit.end).or_else(|| self.per_before(hit.start).map(|per| (per, hit.end)));
        if let (Value::Money { per, .. }, Some((by, end))) = (&mut hit.value, found) {
            *per = Some(by);
            hit.end = end;
        }
        hit
    }

    fn per_after(&self, end: usize) -> Option<(Per, usize)> {
        let s = self.s;
        if s.byte(end) == b'/' {
            let at = s.spaces(end + 1);
            let stop = if s.char(at).is_some_and(is_hangul) { s.hangul_end(at) } else { s.latin_end(at) };
            return Some((*PER.meaning(s.slice(at, stop))?, stop));
        }
        let at = s.blank(end);
        let (word, article) = s.latin(at);
        if let Some(per) = english::RATES.meaning(word) {
            return Some((*per, article));
        }
        if !matches!(word, "a" | "an" | "per" | "every") {
            return None;
        }
        let noun = s.blank(article);
        let stop = s.latin_end(noun);
        match PER.meaning(s.slice(noun, stop)) {
            Some(per) => Some((*per, stop)),
            None if word == "per" && stop > noun => Some((Per::Item, stop)),
            None => None,
        }
    }

    fn per_before(&self, start: usize) -> Option<Per> {
        let word = self.s.word_before(start);
        if let Some(per) = korean::RATES.meaning(word) {
            return Some(*per);
        }
        let one = words!("korean/marks.each").iter().find_map(|each| word.strip_suffix(each))?;
        let each = PER.meaning(one).copied().unwrap_or(Per::Item);
        (!words!("korean/grammar.not each").contains(&one)).then_some(each)
    }
}
