//! Parses plain numbers: digits, Korean and English number words, powers of ten. `numeric` adds what is counted.

use super::{
    ValueReader, english,
    korean::NUMERALS,
    lexicon::{Lex, Numeral},
    number::Number,
};
use crate::language::text::tokens::ENGLISH_STOPS;
use crate::language::{Words, words};

const SYLLABLE: usize = 3;

/// Digits with thousands separators and decimals.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figure {
    pub end: usize,
    pub number: Number,
    pub whole: usize,
    pub decimals: usize,
    pub grouped: bool,
}

/// A number and how it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    pub end: usize,
    pub number: Number,
    /// In native Korean numerals (열두), which count hours, people and things, but not minutes.
    pub native: bool,
    pub words: bool,
    /// With a power of ten (억, million).
    pub scaled: bool,
    /// A single scale word (만, 백), which also starts many other words.
    pub lone: bool,
}

impl Amount {
    pub(super) const fn new(number: Number, end: usize) -> Self {
        Self { end, number, native: false, words: false, scaled: false, lone: false }
    }
}

fn digits(text: &str) -> i128 {
    text.bytes().filter(u8::is_ascii_digit).take(30).fold(0, |n, b| n * 10 + i128::from(b - b'0'))
}

impl ValueReader<'_> {
    fn numeral(&self, at: usize, of_class: impl Fn(Numeral) -> bool) -> Option<(Numeral, usize)> {
        NUMERALS.longest(self.s.rest(at), |_, n| of_class(*n)).map(|(len, n)| (*n, at + len))
    }

    fn digit(&self, at: usize) -> Option<i64> {
        let (Numeral::Digit(n), _) = self.numeral(at, |n| matches!(n, Numeral::Digit(_)))? else { return None };
        Some(n)
    }

    fn power(&self, at: usize) -> Option<(i32, usize)> {
        let (Numeral::Power(n), end) = self.numeral(at, |n| matches!(n, Numeral::Power(_)))? else { return None };
        Some((n, end))
    }

    /// The digits at `at` as a number: 1,234.5; 1.980,00. 1 234 is two numbers.
    pub fn figure(&self, at: usize) -> Option<Figure> {
        let s = self.s;
        let first = s.digits_end(at);
        if first == at {
            return None;
        }
        let group = |from: usize, mark: u8| -> usize {
            let mut end = from;
            while s.byte(end) == mark && s.digits_end(end + 1) == end + 4 {
                end += 4;
            }
            end
        };
        let (mut end, mut mark) = (first, b'.');
        if first - at <= 3 && s.byte(at) != b'0' {
            end = group(first, b',');
            let dotted = group(first, b'.');
            // 1.980,00 is European; 1.980 alone is a decimal.
            if dotted > first && s.byte(dotted) == b',' && s.digits_end(dotted + 1) == dotted + 3 {
                (end, mark) = (dotted, b',');
            } else if dotted > first + 4 {
                end = dotted;
            }
        }
        let grouped = end > first;
        // 2,50 € and 5,5 days have a decimal comma; "tables 3,5" are two numbers.
        if !grouped && s.byte(end) == b',' && self.is_decimal_comma(end) {
            mark = b',';
        }
        let mut number = Number::new(digits(s.slice(at, end)), 0);
        let whole = s.slice(at, end).bytes().filter(u8::is_ascii_digit).count();
        let mut decimals = 0;
        if s.byte(end) == mark && s.byte(end + 1).is_ascii_digit() {
            let stop = s.digits_end(end + 1);
            decimals = (stop - end - 1).min(9);
            number = number.plus(Number::new(digits(s.slice(end + 1, end + 1 + decimals)), -(decimals as i32)));
            end = stop;
        }
        Some(Figure { end, number, whole, decimals, grouped })
    }

    /// Whether a comma before one or two digits is a decimal separator: a unit or currency must be next to it.
    fn is_decimal_comma(&self, comma: usize) -> bool {
        let s = self.s;
        let end = s.digits_end(comma + 1);
        let ends = !matches!(s.byte(end), b',' | b'.') || !s.byte(end + 1).is_ascii_digit();
        let next = s.spaces(end);
        let symbol = |at: usize| s.char(at).is_some_and(|c| matches!(c, '€' | '$' | '£' | '₩' | '%'));
        let unit = || s.eat_word(next, words!("english/grammar.behind a decimal comma")).is_some();
        (1..=2).contains(&(end - comma - 1)) && ends && (symbol(next) || unit())
    }

    pub fn amount(&self, at: usize) -> Option<Amount> {
        let c = self.s.char(at)?;
        if c.is_ascii_digit() {
            let figure = self.figure(at)?;
            let mut amount = Amount::new(figure.number, figure.end);
            if let Some(half) = vulgar(self.s.char(figure.end)) {
                amount.number = amount.number.plus(half);
                amount.end += self.s.char(figure.end).map_or(0, char::len_utf8);
            }
            return Some(self.scales(amount));
        }
        if let Some(n) = vulgar(Some(c)) {
            return Some(Amount::new(n, at + c.len_utf8()));
        }
        if crate::language::text::hangul::is_hangul(c) {
            self.native(at).or_else(|| self.sino(at))
        } else {
            self.english(at)
        }
    }

    /// Applies the powers of ten that follow digits.
    fn scales(&self, mut amount: Amount) -> Amount {
        if let Some((number, end)) = self.myriads(amount.end, Some(amount.number)) {
            return Amount { end, number, scaled: true, ..amount };
        }
        let mut at = amount.end;
        // "two and a half million", "1.5 million"; "KRW 60 m" is left to money.
        loop {
            let next = if self.s.byte(at) == b'-' { at + 1 } else { self.s.blank(at) };
            let (word, end) = self.s.latin(next);
            let Some(Lex::Scale(power)) = english::POWERS.meaning(word) else { break };
            let apart = next > amount.end;
            if word.len() == 1 && apart || !self.s.ends_word(end) {
                break;
            }
            amount.number = amount.number.shifted(i32::from(*power));
            (amount.end, amount.scaled) = (end, true);
            at = end;
        }
        amount
    }

    /// The Korean powers of ten from `at` on; `first` multiplies the first of them.
    fn myriads(&self, at: usize, first: Option<Number>) -> Option<(Number, usize)> {
        let s = self.s;
        let (mut total, mut section, mut current) = (Number::ZERO, Number::ZERO, first);
        let (mut pos, mut end) = (at, at);
        let (mut top, mut low, mut seen) = (100, 100, false);
        let mut small_after_large = None;
        loop {
            let c = s.char(pos);
            if let Some((power, behind)) = self.power(pos) {
                let myriad = power >= 4;
                // 3조 means group 3 unless money or more of the number follows.
                let after = s.spaces(behind);
                let money = s.eat_any(after, words!("korean/grammar.money")).is_some();
                let group = power == 12 && !money && !s.byte(after).is_ascii_digit();
                if (myriad && power >= top) || (!myriad && power >= low) || group {
                    break;
                }
                if myriad {
                    let part = section.plus(current.take().unwrap_or(Number::ZERO));
                    total = total.plus(if part.is_zero() { Number::ONE } else { part }.shifted(power));
                    (section, top, low) = (Number::ZERO, power, 100);
                    small_after_large = None;
                } else {
                    section = section.plus(current.take().unwrap_or(Number::ONE).shifted(power));
                    low = power;
                    small_after_large = (8..100).contains(&top).then_some(section);
                }
                seen = true;
                pos = behind;
                end = pos;
                continue;
            }
            if current.is_none()
                && seen
                && let Some(figure) = self.figure(pos)
            {
                let next = s.spaces(figure.end);
                let won = s.eat(next, "원").is_some();
                if self.power(figure.end).is_some_and(|(p, _)| p < top) || won || pos == end {
                    current = Some(figure.number);
                    pos = figure.end;
                    end = if won { pos } else { end };
                    continue;
                }
            }
            if current.is_none()
                && let Some(n) = self.digit(pos)
            {
                // A digit counts only before a power of ten or at the number's end; the 이 of "십이억이"
                // is a particle.
                let is_particle = n == 2 && pos == end && section == Number::ZERO;
                if seen && !is_particle || self.power(pos + SYLLABLE).is_some() {
                    current = Some(Number::whole(n));
                    pos += SYLLABLE;
                    continue;
                }
            }
            // "1억 2천": continues after a space if a smaller power follows.
            if seen && c == Some(' ') && current.is_none() && pos == end {
                let next = pos + 1;
                let word = self.digit(next).is_some() && self.power(next + SYLLABLE).is_some_and(|(p, _)| p < top);
                let small = self.power(next).is_some_and(|(p, _)| p < 4);
                if s.byte(next).is_ascii_digit() || word || small {
                    pos += 1;
                    continue;
                }
            }
            break;
        }
        // A final digit without a power: 삼십오, 이만 오.
        if let Some(n) = current.filter(|_| seen) {
            section = section.plus(n);
            end = end.max(pos);
        }
        // "3억 2천" means 3억 2천만.
        if let Some(part) = small_after_large.filter(|p| *p == section) {
            section = part.shifted(4);
        }
        seen.then(|| (total.plus(section), end))
    }

    /// Parses Sino-Korean numerals: 삼십오, 이만, 천오백.
    fn sino(&self, at: usize) -> Option<Amount> {
        static BEHIND_TWO: &Words = words!("korean/grammar.behind two");
        let s = self.s;
        let after = at + SYLLABLE;
        let amount = |number, end, scaled, lone| Amount { words: true, scaled, lone, ..Amount::new(number, end) };
        if self.power(at).is_some_and(|(p, _)| p < 8) {
            let (number, end) = self.myriads(at, None)?;
            return Some(amount(number, end, true, end == after));
        }
        let n = self.digit(at)?;
        if self.power(after).is_some() {
            let (number, end) = self.myriads(after, Some(Number::whole(n)))?;
            return Some(amount(number, end, true, false));
        }
        // A single syllable is a number only before unambiguous units; 이 also means "this".
        s.eat_any(s.spaces(after), if n == 2 { BEHIND_TWO } else { words!("korean/grammar.behind a digit") })?;
        Some(amount(Number::whole(n), after, false, false))
    }

    /// Parses native Korean numerals: 열두, 스물여섯, 세.
    fn native(&self, at: usize) -> Option<Amount> {
        let read = |at: usize, tens: bool| {
            let of_class = |n: Numeral| match n {
                Numeral::Tens(_) => tens,
                Numeral::Ones(_) => !tens,
                Numeral::Short(n) => tens == (n >= 10),
                _ => false,
            };
            match self.numeral(at, of_class) {
                Some((Numeral::Tens(n) | Numeral::Ones(n) | Numeral::Short(n), end)) => (n, end),
                _ => (0, at),
            }
        };
        let (tens, end) = read(at, true);
        let (ones, end) = read(end, false);
        let n = tens + ones;
        let lone = end == at + SYLLABLE;
        (n > 0).then_some(Amount { native: true, words: true, lone, ..Amount::new(Number::whole(n), end) })
    }

    fn word_at(&self, at: usize) -> (usize, Option<Lex>) {
        let (word, end) = self.s.latin(at);
        (end, english::WORDS.meaning(word).copied())
    }

    /// Parses English number words: twenty-one, a dozen, half a million, two thirds.
    pub fn english(&self, at: usize) -> Option<Amount> {
        let s = self.s;
        let (mut total, mut current) = (Number::ZERO, Number::ZERO);
        let (mut pos, mut end, mut seen, mut scaled) = (at, at, false, false);
        let mut last_tens = false;
        if let Some(after) = s.eat_word(pos, &["a", "an"]) {
            let (_, next) = self.word_at(s.blank(after));
            if !matches!(next, Some(Lex::Scale(_) | Lex::Dozen)) {
                return self.fraction(Number::ONE, s.blank(after));
            }
            pos = s.blank(after);
        }
        if let Some(after) = s.eat_word(pos, &["half"]) {
            let article = s.eat_word(s.blank(after), &["a", "an"])?;
            let mut amount = self.english(s.blank(article)).filter(|a| a.scaled)?;
            amount.number = amount.number.times(Number::new(5, -1));
            return Some(amount);
        }
        loop {
            let (after, lex) = self.word_at(pos);
            match lex {
                Some(Lex::Cardinal(n)) if !seen || last_tens && n < 10 || current.is_zero() || scaled => {
                    current = current.plus(Number::whole(i64::from(n)));
                    last_tens = n >= 20;
                }
                Some(Lex::Scale(2) | Lex::Dozen) => {
                    let by = Number::whole(if matches!(lex, Some(Lex::Dozen)) { 12 } else { 100 });
                    current = if current.is_zero() { by } else { current.times(by) };
                    (scaled, last_tens) = (true, false);
                }
                Some(Lex::Scale(power)) => {
                    total = total.plus(if current.is_zero() { Number::ONE } else { current }.shifted(i32::from(power)));
                    (current, scaled, last_tens) = (Number::ZERO, true, false);
                }
                _ => break,
            }
            seen = true;
            end = after;
            let hyphen = s.byte(after) == b'-';
            pos = if hyphen { after + 1 } else { s.spaces(after) };
            if scaled && let Some(and) = s.eat_word(pos, &["and"]) {
                let (_, next) = self.word_at(s.spaces(and));
                if matches!(next, Some(Lex::Cardinal(_))) {
                    pos = s.spaces(and);
                }
            }
        }
        if !seen {
            return None;
        }
        let number = total.plus(current);
        if let Some(fraction) = self.fraction(number, s.spaces(if s.byte(end) == b'-' { end + 1 } else { end })) {
            return Some(fraction);
        }
        let mut amount = Amount { words: true, scaled, ..Amount::new(number, end) };
        if let Some(after) = s.eat(end, " and a half") {
            amount.number = number.plus(Number::new(5, -1));
            amount.end = after;
        }
        Some(amount)
    }

    /// Parses "thirds", "quarters" after their numerator `top`.
    fn fraction(&self, top: Number, next: usize) -> Option<Amount> {
        let s = self.s;
        let one = top == Number::ONE;
        let (part, end) = s.latin(next);
        let Some(Lex::Cardinal(bottom)) = english::PARTS.meaning(part) else { return None };
        let after = s.eat_word(s.blank(end), &["past", "to", "after"]);
        // "a third reviewer" is an ordinal; "a third of" and "by a third." are fractions.
        let next_word = s.blank(end);
        let noun = s.char(next_word).is_some_and(crate::language::text::scan::is_latin)
            && !ENGLISH_STOPS.contains(&s.slice(next_word, s.latin_end(next_word)));
        if after.is_some() || (one && noun) {
            return None;
        }
        let number = Number::ratio(top.as_whole()?, i64::from(*bottom));
        Some(Amount { words: true, ..Amount::new(number, end) })
    }
}

/// The value of a fraction character such as ½.
pub(super) fn vulgar(c: Option<char>) -> Option<Number> {
    let parts = [('½', 1, 2), ('¼', 1, 4), ('¾', 3, 4), ('⅓', 1, 3), ('⅔', 2, 3)];
    parts.into_iter().find(|(sign, ..)| Some(*sign) == c).map(|(_, top, bottom)| Number::ratio(top, bottom))
}
