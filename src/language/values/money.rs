//! Parses money: a currency before or after its number.

use super::{ValueHit, ValueReader, english, lexicon::Suffix, value::Value};
use crate::language::text::table::phrase;

impl ValueReader<'_> {
    pub(super) fn symbol_money(&self, start: usize, at: usize) -> Option<ValueHit> {
        let c = self.s.char(at)?;
        let prefix = self.s.slice(start, at);
        let currency = match (prefix, c) {
            ("" | "us", '$') => "USD",
            ("c" | "ca", '$') => "CAD",
            ("a" | "au", '$') => "AUD",
            ("hk", '$') => "HKD",
            ("s" | "sg", '$') => "SGD",
            ("nz", '$') => "NZD",
            ("nt", '$') => "TWD",
            ("r", '$') => "BRL",
            ("", '€') => "EUR",
            ("", '£') => "GBP",
            ("", '¥') => "JPY",
            ("", '₩') => "KRW",
            ("", '₹') => "INR",
            ("", '₽') => "RUB",
            ("", '₫') => "VND",
            ("", '฿') => "THB",
            _ => return None,
        };
        self.money_after(start, at + c.len_utf8(), currency)
    }

    pub(super) fn money_after(&self, start: usize, at: usize, currency: &'static str) -> Option<ValueHit> {
        let s = self.s;
        let next = s.spaces(at);
        let minus = s.byte(next) == b'-' && next == at;
        let next = if minus { next + 1 } else { next };
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
        let number = if minus { amount.number.negated() } else { amount.number };
        let mut hit = ValueHit::new(start, amount.end, Value::Money { number, currency, per: None });
        // "$5 USD", "₩5,000원" repeat the currency.
        let next = s.spaces(hit.end);
        let word = s.slice(next, s.latin_end(next));
        if let Some((len, Suffix::Money(again, 0))) = phrase(&english::UNITS, word, s.rest(next)) {
            if *again == currency || currency == "USD" && matches!(*again, "CAD" | "AUD" | "SGD") {
                hit.end = next + len;
                hit.value = Value::Money { number, currency: again, per: None };
            }
        } else if currency == "KRW"
            && let Some(after) = s.eat_any(hit.end, super::korean::marks::WON)
        {
            hit.end = after;
        }
        Some(self.rate(hit))
    }
}
