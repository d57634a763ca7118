//! Parses units: what a number counts or measures.

use super::{
    ValueHit, ValueReader, english,
    figures::Amount,
    korean,
    lexicon::Suffix,
    number::Number,
    parts::Parts,
    value::{Duration, Unit, Value},
};
use crate::language::text::{hangul::is_hangul, scan::is_latin, table::phrase, tokens::ENGLISH_STOPS};
use crate::language::{Words, words};
use std::borrow::Cow;

fn quantity(number: Number, code: &'static str) -> Value {
    Value::Quantity { number, unit: Unit(Cow::Borrowed(code)) }
}

fn span_of(n: Number, suffix: Suffix) -> Option<Duration> {
    let float = n.as_f64();
    if !(0.0..1e9).contains(&float) {
        return None;
    }
    Some(match suffix {
        Suffix::Seconds(s) => Duration { months: 0, seconds: (float * f64::from(s)).round() as u64 },
        Suffix::Months(m) => {
            let months = float * f64::from(m);
            // Half a month counts as 15 days.
            let rest = ((months.fract() * 30.0).round() as u64) * 86_400;
            Duration { months: months as u32, seconds: rest }
        }
        _ => return None,
    })
}

/// The singular of an English plural noun; `None` for other words.
fn singular(word: &str) -> Option<String> {
    static ONE: &Words = words!("english/grammar.singulars");
    if let Some((_, one)) = words!("english/grammar.plurals").iter().zip(ONE.iter()).find(|(many, _)| **many == word) {
        return Some((*one).to_owned());
    }
    if word.len() < 4 || !word.is_ascii() || ["ss", "us", "is", "'s"].iter().any(|e| word.ends_with(e)) {
        return None;
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|s| s.len() > 1) {
        return Some(format!("{stem}y"));
    }
    if let Some(stem) =
        ["ses", "xes", "ches", "shes", "zes"].iter().find(|e| word.ends_with(**e)).and_then(|_| word.strip_suffix("es"))
    {
        return Some(stem.to_owned());
    }
    word.strip_suffix('s').map(str::to_owned)
}

impl ValueReader<'_> {
    pub fn korean_unit(&self, start: usize, amount: &Amount, end: usize) -> Option<ValueHit> {
        let s = self.s;
        let at = s.spaces(end);
        let glued = at == end;
        let (len, suffix) = korean::UNITS.longest(s.rest(at), |len, _| {
            self.is_tail(at + len) && self.unit_suits(amount, glued, s.slice(at, at + len))
        })?;
        let after = at + len;
        let word = s.slice(at, after);
        // Ordinary words that look like numeral and counter: 서명 is a signature, not three people.
        if amount.native && glued && words!("korean/not_counts").contains(&s.slice(start, after)) {
            return None;
        }
        if amount.native && words!("korean/grammar.people").contains(&word) {
            return Some(ValueHit::new(start, after, quantity(amount.number, "person")));
        }
        match suffix {
            Suffix::Numbered if !amount.native => {
                Some(ValueHit::new(start, after, Value::identifier("", &amount.number.to_string())))
            }
            Suffix::Fraction => {
                let top = self.amount(s.spaces(after))?;
                let (n, d) = (top.number.as_whole()?, amount.number.as_whole()?);
                (d > 1).then(|| ValueHit::new(start, top.end, Value::Number(Number::ratio(n, d))))
            }
            _ => self.suffixed(start, amount, after, *suffix),
        }
    }

    /// Whether a number in words goes with a unit: 삼십오 명 and 두 시간, but not 이 분 or 만 일.
    fn unit_suits(&self, amount: &Amount, glued: bool, unit: &str) -> bool {
        if !amount.words {
            return true;
        }
        static NEVER: &Words = words!("korean/grammar.never native");
        static SHY: &Words = words!("korean/grammar.shy of native");
        let is = |list: &Words| list.contains(&unit);
        if amount.native {
            let one = amount.number == Number::ONE;
            let word = glued && (amount.lone && is(SHY) || one && !is(words!("korean/grammar.first")));
            return !(is(NEVER) || one && is(words!("korean/grammar.no first")) || word);
        }
        !amount.lone || if glued { is(words!("korean/grammar.glued")) } else { !is(words!("korean/grammar.not apart")) }
    }

    fn suffixed(&self, start: usize, amount: &Amount, end: usize, suffix: Suffix) -> Option<ValueHit> {
        let n = amount.number;
        let value = match suffix {
            Suffix::Unit(code, size) => quantity(n.times(size), code),
            Suffix::Count(code) => {
                // 2박 3일 counts two nights.
                let mut end = end;
                if code == "night" {
                    let next = self.s.spaces(end);
                    if let Some(days) = self.figure(next).and_then(|f| self.s.eat_any(f.end, &["일"])) {
                        end = days;
                    }
                }
                return Some(ValueHit::new(start, end, quantity(n, code)));
            }
            Suffix::Seconds(_) | Suffix::Months(_) => return self.duration(start, n, end, suffix),
            Suffix::Money(currency, power) => {
                let number = n.shifted(i32::from(power));
                return Some(self.rate(ValueHit::new(start, end, Value::Money { number, currency, per: None })));
            }
            Suffix::Percent(power) => Value::Percent(n.shifted(i32::from(power))),
            Suffix::Ordinal(of) => Value::Ordinal { number: i32::try_from(n.as_whole()?).ok()?, of },
            Suffix::Head(head) => Value::identifier(head, &n.to_string()),
            Suffix::Period(kind) => {
                let number = i8::try_from(n.as_whole()?).ok().filter(|n| *n > 0)?;
                return self.numbered_period(start, end, kind, number);
            }
            Suffix::Times => quantity(n, "x"),
            Suffix::Often | Suffix::Numbered => quantity(n, "time"),
            Suffix::Fraction => return None,
        };
        Some(ValueHit::new(start, end, value))
    }

    /// A duration with its smaller parts: 2시간 10분, 1년 6개월, an hour and a half.
    pub fn duration(&self, start: usize, n: Number, end: usize, suffix: Suffix) -> Option<ValueHit> {
        static HALF: &Words = words!("units.half more");
        let s = self.s;
        let mut length = span_of(n, suffix)?;
        let mut end = end;
        let unit = |d: &Duration| if d.months > 0 { u64::MAX } else { d.seconds };
        loop {
            let mut next = s.blank(end);
            if let Some(after) = s.eat_any(next, &["and ", ", "]) {
                next = after;
            }
            if let Some(half) = s.eat_any(next, HALF).filter(|h| s.ends_word(*h) || self.is_tail(*h)) {
                let half_of = span_of(Number::new(5, -1), suffix)?;
                length.months += half_of.months;
                length.seconds += half_of.seconds;
                end = half;
                break;
            }
            if !s.byte(next).is_ascii_digit() {
                break;
            }
            let Some(more) = self.amount(next) else { break };
            let Some((part, stop)) = self.time_unit(&more) else { break };
            // Only a smaller part continues a duration: 2시간 10분, but not 2시간 3시간.
            if unit(&part) >= unit(&length) && part.months >= length.months {
                break;
            }
            length.months = length.months.saturating_add(part.months);
            length.seconds = length.seconds.saturating_add(part.seconds);
            end = stop;
        }
        self.by_rule("from_length", start, end, Parts { length, ..Parts::default() })
    }

    pub fn time_unit(&self, amount: &Amount) -> Option<(Duration, usize)> {
        let s = self.s;
        let at = s.spaces(amount.end);
        let (len, suffix) = if is_hangul(s.char(at)?) {
            korean::UNITS.longest(s.rest(at), |len, _| self.is_tail(at + len))?
        } else {
            phrase(&english::UNITS, s.latin(at).0, s.rest(at))?
        };
        span_of(amount.number, *suffix).map(|length| (length, at + len))
    }

    pub fn english_unit(&self, start: usize, amount: &Amount, end: usize) -> Option<ValueHit> {
        let s = self.s;
        let glued_at = end;
        let hyphen = s.byte(end) == b'-' && s.char(end + 1).is_some_and(is_latin);
        let at = if hyphen { end + 1 } else { s.blank(end) };
        let c = s.char(at)?;
        if !is_latin(c) {
            let (len, suffix) = english::UNITS.longest(s.rest(at), |_, _| !is_latin(c))?;
            return self.suffixed(start, amount, at + len, *suffix);
        }
        let (word, word_end) = s.latin(at);
        // "m" before a currency means million: 48m dollars.
        if word == "m" && at == glued_at {
            let next = s.spaces(word_end);
            let currency = s.slice(next, s.latin_end(next));
            if let Some((len, Suffix::Money(code, power))) = phrase(&english::UNITS, currency, s.rest(next)) {
                let number = amount.number.shifted(6 + i32::from(*power));
                let money = Value::Money { number, currency: code, per: None };
                return Some(self.rate(ValueHit::new(start, next + len, money)));
            }
        }
        if let Some((len, suffix)) = phrase(&english::UNITS, word, s.rest(at)) {
            let tight = at == glued_at;
            let single = len == 1;
            let fits = match word {
                "c" | "f" | "v" | "w" => self.folded.is_capital(at) && !(tight && self.follows_code(start)),
                "s" | "p" | "x" | "t" => tight,
                "in" => tight,
                "second" => !amount.words || amount.number > Number::ONE || hyphen,
                "quarter" | "quarters" => hyphen || amount.number > Number::ONE,
                _ => true,
            };
            if fits && !(single && hyphen) {
                // "14 pounds of butter" is a weight; "14 pounds" is money.
                if matches!(word, "pounds" | "pound") && s.eat(at + len, " of ").is_some() {
                    let grams = amount.number.times(Number::new(45_359_237, -5));
                    return Some(ValueHit::new(start, at + len, quantity(grams, "g")));
                }
                return self.suffixed(start, amount, at + len, *suffix);
            }
        }
        if amount.words && amount.number == Number::ONE {
            return None;
        }
        let (stop, noun) = self.noun(at)?;
        Some(ValueHit::new(start, stop, Value::Quantity { number: amount.number, unit: Unit(Cow::Owned(noun)) }))
    }

    /// In "14A to 14C", C is not a unit: a number with another letter comes before.
    fn follows_code(&self, start: usize) -> bool {
        let head = self.s.head(self.s.blank_before(start));
        let links = ["to", "and", "or", "through", "-", "~", ","];
        let Some(head) = links.iter().find_map(|l| head.strip_suffix(l)) else { return false };
        let mut back = head.trim_end().bytes().rev();
        back.next().is_some_and(|b| b.is_ascii_lowercase()) && back.next().is_some_and(|b| b.is_ascii_digit())
    }

    /// The plural noun that ends the phrase at `at` ("dry-block calibration baths"), and its singular.
    fn noun(&self, at: usize) -> Option<(usize, String)> {
        let s = self.s;
        let mut pos = at;
        for _ in 0..4 {
            let end = s.run_end(pos, |c| is_latin(c) || c == '\'');
            let word = s.slice(pos, end);
            if word.is_empty() || ENGLISH_STOPS.binary_search(&word).is_ok() {
                return None;
            }
            if let Some(stem) = singular(word) {
                return Some((end, stem));
            }
            pos = if s.byte(end) == b'-' { end + 1 } else { s.blank(end) };
            if pos == end {
                return None;
            }
        }
        None
    }
}
