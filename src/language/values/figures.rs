//! Plain numbers: digits, Korean and English number words, powers of ten. The rules that call these readers are in
//! `times.peg`.

use super::{
    ValueReader, english,
    korean::NUMERALS,
    lexicon::{Lex, Numeral},
    number::{Amount, Number},
    parts::{
        Native,
        slot::{N, POWER},
    },
    value::Span,
};
use crate::language::{Words, text::hangul::is_hangul, words};

const SYLLABLE: usize = 3;

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

    /// The digits at a position as a number, and their end.
    fn figure(&self, at: usize) -> Option<(Number, usize)> {
        let (end, parts) = self.match_rule("figure", at, at)?;
        Some((parts.amount?.number, end))
    }

    /// The number at a position, in digits or words.
    pub fn amount(&self, at: usize) -> Option<Amount> {
        if self.s.char(at).is_some_and(is_hangul) {
            return self.native(at).or_else(|| self.sino(at));
        }
        if let Some((_, amount)) = self.last_amount.get().filter(|(known, _)| *known == at) {
            return amount;
        }
        let found = self.match_rule("amount", at, at);
        let amount = found.and_then(|(end, parts)| Some(Amount { end, ..parts.amount? }));
        self.last_amount.set(Some((at, amount)));
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
                && let Some((number, stop)) = self.figure(pos)
            {
                let won = s.eat(s.spaces(stop), "원").is_some();
                if self.power(stop).is_some_and(|(p, _)| p < top) || won || pos == end {
                    current = Some(number);
                    pos = stop;
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
}

/// The readers of numbers that rules call by name; they collect in `amount`.
pub(super) const NUMBERS: &[(&str, Native)] = &[
    ("from", |_, at, p| {
        (p.key, p.amount) = (Span { start: at, end: at }, None);
        Some(at)
    }),
    ("whole", |r, at, p| {
        p.amount = Some(Amount::new(Number::new(digits(r.s.slice(p.key.start, at)), 0), at));
        Some(at)
    }),
    ("decimals", |r, at, p| {
        let (text, end) = r.s.digits(at);
        let near = &text[..text.len().min(9)];
        p.count(|n| n.plus(Number::new(digits(near), -(near.len() as i32))), end).filter(|_| !text.is_empty())
    }),
    ("vulgar", |r, at, p| {
        let parts = [('½', 1, 2), ('¼', 1, 4), ('¾', 3, 4), ('⅓', 1, 3), ('⅔', 2, 3)];
        let (sign, top, bottom) = parts.into_iter().find(|part| r.s.char(at) == Some(part.0))?;
        p.count(|n| n.plus(Number::ratio(top, bottom)), at + sign.len_utf8())
    }),
    ("myriads", |r, at, p| {
        let (number, end) = r.myriads(at, Some(p.amount?.number))?;
        p.count(|_| number, end)?;
        p.scaled(end)
    }),
    ("raise", |_, at, p| {
        let power = p.slots[POWER]?;
        p.count(|n| n.shifted(power), at)?;
        p.scaled(at)
    }),
    // One more English word of a number: hundreds and dozens multiply, thousands end a group.
    ("number_word", |r, at, p| {
        let (word, end) = r.s.latin(at);
        let amount = p.amount.unwrap_or(Amount { words: true, ..Amount::new(Number::ZERO, end) });
        let (n, lex) = (amount.number, english::WORDS.meaning(word)?);
        let (factor, is_scale) = (if n.is_zero() { Number::ONE } else { n }, !matches!(lex, Lex::Cardinal(_)));
        let is_next = |c| p.amount.is_none() || n.is_zero() || amount.scaled || c < 10 && p.slots[N] >= Some(20);
        let number = match *lex {
            Lex::Cardinal(c) if is_next(c) => {
                p.slots[N] = Some(c);
                n.plus(Number::whole(c.into()))
            }
            Lex::Scale(2) => factor.shifted(2),
            Lex::Dozen => factor.times(Number::whole(12)),
            Lex::Scale(power) => {
                p.total = p.total.plus(factor.shifted(power.into()));
                Number::ZERO
            }
            _ => return None,
        };
        p.slots[N] = p.slots[N].filter(|_| !is_scale);
        p.amount = Some(Amount { number, end, scaled: amount.scaled || is_scale, ..amount });
        Some(end)
    }),
    ("sum", |_, at, p| {
        let total = p.total;
        p.count(|n| total.plus(n), at)
    }),
    ("one", |_, at, p| {
        p.amount = Some(Amount::new(Number::ONE, at));
        Some(at)
    }),
    ("half_one", |_, at, p| {
        p.amount = Some(Amount::new(Number::new(5, -1), at));
        Some(at)
    }),
    ("halved", |_, at, p| p.count(|n| n.times(Number::new(5, -1)), at)),
    ("and_half", |_, at, p| p.count(|n| n.plus(Number::new(5, -1)), at)),
    ("divided", |_, at, p| {
        let number = Number::ratio(p.amount?.number.as_whole()?, p.slots[N]?.into());
        p.amount = Some(Amount { words: true, ..Amount::new(number, at) });
        Some(at)
    }),
    // What a number is; these read nothing.
    ("scaled", |_, at, p| p.amount?.scaled.then_some(at)),
    ("worded", |_, at, p| p.amount?.words.then_some(at)),
    ("lone", |_, at, p| p.amount?.lone.then_some(at)),
    ("is_one", |_, at, p| (p.amount?.number == Number::ONE).then_some(at)),
    ("several", |_, at, p| (p.amount?.number > Number::ONE).then_some(at)),
    // From here on, a Korean number in words counts even without a unit: 일억팔천.
    ("large", |_, at, p| (p.amount?.scaled && p.amount?.number.as_f64() >= 1e8).then_some(at)),
    ("native", |_, at, p| p.amount.is_some_and(|a| a.words && a.native).then_some(at)),
    ("sino", |_, at, p| p.amount.is_some_and(|a| a.words && !a.native).then_some(at)),
    ("amount", |r, at, p| {
        let amount = r.amount(at)?;
        p.amount = Some(amount);
        Some(amount.end)
    }),
    ("digits", |r, at, _| Some(r.s.digits_end(at)).filter(|end| *end > at)),
];
