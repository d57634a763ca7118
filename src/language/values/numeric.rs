//! Parses values that start with a digit or a sign. Dates, times and codes are tried before amounts.

use super::{ValueHit, ValueReader, value::Value};
use crate::language::text::scan::is_latin;

impl ValueReader<'_> {
    pub fn numeric(&self, at: usize) -> Option<ValueHit> {
        if self.s.before(at).is_some_and(|c| is_latin(c) || c == '_') {
            return None;
        }
        let rules = ["day_or_time", "digit_code", "numeric_time", "quantity"];
        rules.into_iter().find_map(|rule| self.read_rule(rule, at))
    }

    /// Parses -5%, +€20, (-3°C).
    pub fn signed(&self, at: usize) -> Option<ValueHit> {
        let is_free = self.s.before(at).is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ':' | '~'));
        let next = self.s.char(at + 1).filter(|c| is_free && (c.is_ascii_digit() || "$€£₩".contains(*c)))?;
        let hit = ValueHit { start: at, ..self.read(at + 1, next)? };
        with_sign(hit, self.s.byte(at) == b'-')
    }

    /// Parses a sign word and its number: 영하 25도, minus 5.
    pub fn worded_sign(&self, at: usize, end: usize, below: bool) -> Option<ValueHit> {
        let hit = self.by_rule("quantity", at, self.s.blank(end))?;
        with_sign(hit, below).filter(|hit| matches!(hit.value, Value::Percent(_) | Value::Quantity { .. }))
    }
}

fn with_sign(mut hit: ValueHit, below: bool) -> Option<ValueHit> {
    match &mut hit.value {
        Value::Percent(n) | Value::Number(n) | Value::Quantity { number: n, .. } | Value::Money { number: n, .. } => {
            *n = if below { n.negated() } else { *n };
            Some(hit)
        }
        _ => None,
    }
}
