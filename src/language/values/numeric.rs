//! Parses values that start with a number: amounts with units, money and rates. Dates, times and codes are tried first.

use super::{
    ValueHit, ValueReader,
    figures::Amount,
    korean,
    number::Number,
    parts::Parts,
    value::{Period, PeriodKind, Value},
};
use crate::language::text::{hangul::is_hangul, scan::is_latin};
use crate::language::words;

/// From this value on, a Korean number in words counts even without a unit: 일억팔천.
const HUNDRED_MILLIONS: f64 = 1e8;

impl ValueReader<'_> {
    pub fn numeric(&self, at: usize) -> Option<ValueHit> {
        if self.s.before(at).is_some_and(|c| is_latin(c) || c == '_') {
            return None;
        }
        let by_rule = |rule: &str| self.by_rule(rule, at, at, Parts::default());
        by_rule("day_or_time")
            .or_else(|| self.digit_code(at))
            .or_else(|| by_rule("numeric_time"))
            .or_else(|| self.quantity(at, at))
    }

    pub fn signed(&self, at: usize) -> Option<ValueHit> {
        let free = self.s.before(at).is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ':' | '~'));
        if !free || !self.s.byte(at + 1).is_ascii_digit() && !matches!(self.s.char(at + 1), Some('$' | '€' | '£' | '₩'))
        {
            return None;
        }
        let mut hit = self.read(at + 1, self.s.char(at + 1)?)?;
        if self.s.byte(at) == b'-' {
            negate(&mut hit.value)?;
        }
        matches!(hit.value, Value::Percent(_) | Value::Quantity { .. } | Value::Money { .. } | Value::Number(_)).then(
            || {
                hit.start = at;
                hit
            },
        )
    }

    /// Parses a sign word and its number: 영하 25도, minus 5.
    pub fn worded_sign(&self, at: usize, end: usize, below: bool) -> Option<ValueHit> {
        let mut hit = self.quantity(at, self.s.blank(end))?;
        if below {
            negate(&mut hit.value)?;
        }
        matches!(hit.value, Value::Percent(_) | Value::Quantity { .. }).then_some(hit)
    }

    pub fn quantity(&self, start: usize, at: usize) -> Option<ValueHit> {
        let amount = self.amount(at)?;
        self.counted(start, amount)
    }

    pub fn counted(&self, start: usize, amount: Amount) -> Option<ValueHit> {
        let s = self.s;
        let mut end = amount.end;
        // "30여 명", "100여": approximate numbers.
        let some = s.eat_any(end, words!("korean/marks.some")).filter(|_| !amount.words);
        let some = some.filter(|e| korean::UNITS.longest(s.rest(s.spaces(*e)), |_, _| true).is_some());
        end = some.unwrap_or(end);
        match s.char(s.spaces(end)) {
            Some(c) if is_hangul(c) => self.korean_unit(start, &amount, end),
            _ => None,
        }
        .or_else(|| self.english_unit(start, &amount, end))
        .or_else(|| self.bare(start, &amount))
    }

    fn bare(&self, start: usize, amount: &Amount) -> Option<ValueHit> {
        let s = self.s;
        let (n, end) = (amount.number, amount.end);
        if amount.words {
            // Most number words without a unit are ambiguous: "one of", "한", "이".
            let is_large = amount.scaled && n.as_f64() >= HUNDRED_MILLIONS && s.starts_word(start) && self.is_tail(end);
            let ok = if s.char(start).is_some_and(is_hangul) {
                is_large && !amount.lone
                    || amount.native
                        && !amount.lone
                        && !words!("korean/grammar.no numbers").contains(&s.slice(start, end))
                        && self.is_tail(end)
            } else {
                n != Number::ONE
            };
            return ok.then(|| ValueHit::new(start, end, Value::Number(n)));
        }
        let text = s.slice(start, end);
        if s.char(end).is_some_and(is_latin) {
            return None;
        }
        let plain = text.bytes().all(|b| b.is_ascii_digit());
        if plain && (text.len() >= 5 || text.starts_with('0') && text.len() >= 3) {
            return Some(ValueHit::new(start, end, Value::identifier("", text)));
        }
        if plain && text.len() == 4 && self.is_year(start, end) {
            let year = n.as_whole().and_then(|y| i16::try_from(y).ok())?;
            let span = Period { year: Some(year), ..Period::new(PeriodKind::Year, 0) };
            return Some(ValueHit::new(start, end, Value::Period(span)));
        }
        Some(ValueHit::new(start, end, Value::Number(n)))
    }

    fn is_year(&self, start: usize, end: usize) -> bool {
        let year = self.s.slice(start, end).parse::<i32>().unwrap_or(0);
        (1900..2100).contains(&year) && words!("english/grammar.before a year").contains(&self.s.word_before(start))
    }
}

fn negate(value: &mut Value) -> Option<()> {
    match value {
        Value::Percent(n) | Value::Number(n) | Value::Quantity { number: n, .. } | Value::Money { number: n, .. } => {
            *n = n.negated();
            Some(())
        }
        _ => None,
    }
}
