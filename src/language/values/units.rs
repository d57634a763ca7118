//! Units: what a number counts or measures, and what money is paid for. The rules that call these readers are in
//! `times.peg`.

use super::{
    ValueReader, english, korean,
    lexicon::Suffix,
    number::{Amount, Number},
    parts::{
        Native, Parts,
        slot::{KIND, N},
        store,
    },
    tables::PER,
    value::{Duration, Per, Span, Unit, Value},
};
use crate::language::text::{hangul::is_hangul, scan::is_latin, stem::singular, table::phrase, tokens::ENGLISH_STOPS};
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

impl Parts {
    /// The value of an amount with its unit.
    pub fn counted(&self) -> Option<Value> {
        let Amount { number: n, native, .. } = self.amount?;
        Some(match self.suffix? {
            Suffix::Unit(code, size) => quantity(n.times(size), code),
            Suffix::Count(code) => quantity(n, code),
            Suffix::Money(currency, power) => Value::Money { number: n.shifted(power.into()), currency, per: self.per },
            Suffix::Percent(power) => Value::Percent(n.shifted(power.into())),
            Suffix::Ordinal(of) => Value::Ordinal { number: i32::try_from(n.as_whole()?).ok()?, of },
            Suffix::Head(head) => Value::identifier(head, &n.to_string()),
            Suffix::Numbered if !native => Value::identifier("", &n.to_string()),
            Suffix::Often | Suffix::Numbered => quantity(n, "time"),
            Suffix::Times => quantity(n, "x"),
            Suffix::Seconds(_) | Suffix::Months(_) | Suffix::Period(_) | Suffix::Fraction => return None,
        })
    }
}

impl ValueReader<'_> {
    /// The Korean unit after a number: its meaning and end.
    fn korean_unit(&self, start: usize, amount: &Amount, end: usize) -> Option<(Suffix, usize)> {
        let s = self.s;
        let at = s.spaces(end);
        let glued = at == end;
        let (len, suffix) = korean::UNITS.longest(s.rest(at), |len, _| {
            self.is_tail(at + len) && self.unit_suits(amount, glued, s.slice(at, at + len))
        })?;
        let after = at + len;
        // Ordinary words that look like numeral and counter: 서명 is a signature, not three people.
        let is_word = amount.native && glued && words!("korean/not_counts").contains(&s.slice(start, after));
        let is_people = amount.native && s.slice(at, after) == "분";
        (!is_word).then_some((if is_people { Suffix::Count("person") } else { *suffix }, after))
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

    /// In "14A to 14C", C is not a unit: a number with another letter comes before.
    fn follows_code(&self, start: usize) -> bool {
        let head = self.s.head(self.s.blank_before(start));
        let links = ["to", "and", "or", "through", "-", "~", ","];
        let Some(head) = links.iter().find_map(|l| head.strip_suffix(l)) else { return false };
        let mut back = head.trim_end().bytes().rev();
        back.next().is_some_and(|b| b.is_ascii_lowercase()) && back.next().is_some_and(|b| b.is_ascii_digit())
    }

    /// The plural noun that ends the phrase at a position ("dry-block calibration baths").
    fn noun(&self, at: usize) -> Option<Span> {
        let s = self.s;
        let mut pos = at;
        for _ in 0..4 {
            let end = s.run_end(pos, |c| is_latin(c) || c == '\'');
            let word = s.slice(pos, end);
            if word.is_empty() || ENGLISH_STOPS.binary_search(&word).is_ok() {
                return None;
            }
            if singular(word).is_some() {
                return Some(Span { start: pos, end });
            }
            pos = if s.byte(end) == b'-' { end + 1 } else { s.blank(end) };
            if pos == end {
                return None;
            }
        }
        None
    }
}

/// The readers of units that rules call by name.
pub(super) const UNITS: &[(&str, Native)] = &[
    ("korean_unit", |r, at, p| store(&mut p.suffix, r.korean_unit(p.start, &p.amount?, at)?)),
    ("any_unit", |r, at, _| korean::UNITS.longest(r.s.rest(at), |_, _| true).map(|_| at)),
    ("unit", |r, at, p| {
        let (len, suffix) = phrase(&english::UNITS, r.s.latin(at).0, r.s.rest(at))?;
        store(&mut p.suffix, (*suffix, at + len))
    }),
    ("symbol_unit", |r, at, p| {
        let (len, suffix) = english::UNITS.longest(r.s.rest(at), |_, _| true)?;
        store(&mut p.suffix, (*suffix, at + len))
    }),
    ("symbol", |r, at, p| {
        let end = at + r.s.char(at)?.len_utf8();
        p.take(*english::SYMBOLS.meaning(r.s.slice(p.start, end))?);
        Some(end)
    }),
    ("things", |r, at, p| {
        p.name = r.noun(at)?;
        Some(p.name.end)
    }),
    // What comes between a number and its unit; these read nothing.
    ("tight", |_, at, p| (p.amount?.end == at).then_some(at)),
    ("hyphenated", |r, at, p| (p.amount?.end + 1 == at && r.s.before(at) == Some('-')).then_some(at)),
    ("follows_code", |r, at, p| r.follows_code(p.start).then_some(at)),
    // What kind of unit it is.
    ("timed", |_, at, p| {
        p.length = span_of(p.amount?.number, p.suffix?)?;
        Some(at)
    }),
    ("minutes_or_longer", |_, at, p| matches!(p.suffix?, Suffix::Seconds(60..) | Suffix::Months(_)).then_some(at)),
    ("is_money", |_, at, p| matches!(p.suffix?, Suffix::Money(..)).then_some(at)),
    ("is_night", |_, at, p| matches!(p.suffix?, Suffix::Count("night")).then_some(at)),
    ("is_counted", |_, at, p| p.counted().map(|_| at)),
    ("numbers_period", |_, at, p| {
        let Suffix::Period(kind) = p.suffix? else { return None };
        p.slots[N] = i32::try_from(p.amount?.number.as_whole()?).ok().filter(|n| (1..128).contains(n));
        p.slots[KIND] = Some(kind as i32);
        p.slots[N].map(|_| at)
    }),
    ("in_grams", |_, at, p| {
        p.suffix = Some(Suffix::Unit("g", Number::new(45_359_237, -5)));
        Some(at)
    }),
    ("denominator", |_, at, p| {
        p.total = p.amount?.number;
        matches!(p.suffix?, Suffix::Fraction).then_some(at)
    }),
    ("over", |_, at, p| {
        let (top, bottom) = (p.amount?.number.as_whole()?, p.total.as_whole()?);
        p.amount = Some(Amount::new(Number::ratio(top, bottom), at));
        (bottom > 1).then_some(at)
    }),
    // Only a smaller part continues a duration: 2시간 10분, but not 2시간 3시간.
    ("smaller", |r, _, p| {
        let ((part, end), length) = (r.time_unit(&p.amount?)?, &mut p.length);
        let unit = |d: &Duration| if d.months > 0 { u64::MAX } else { d.seconds };
        let is_smaller = unit(&part) < unit(length) || part.months < length.months;
        length.months = length.months.saturating_add(part.months);
        length.seconds = length.seconds.saturating_add(part.seconds);
        is_smaller.then_some(end)
    }),
    ("half_longer", |_, at, p| {
        let half = span_of(Number::new(5, -1), p.suffix?)?;
        p.length.months += half.months;
        p.length.seconds += half.seconds;
        Some(at)
    }),
    // The unit that money is paid for: 월 330만원, £15 a month, 1인당.
    ("per", |r, at, p| {
        let end = if r.s.char(at)?.is_ascii() { r.s.latin_end(at) } else { r.s.hangul_end(at) };
        store(&mut p.per, (*PER.meaning(r.s.slice(at, end))?, end))
    }),
    ("rate", |r, at, p| {
        let (word, end) = r.s.latin(at);
        store(&mut p.per, (*english::RATES.meaning(word)?, end))
    }),
    ("per_item", |_, at, p| store(&mut p.per, (Per::Item, at))),
    ("per_before", |r, at, p| {
        let word = r.s.word_before(p.start);
        let each = || {
            let one = word.strip_suffix('당').filter(|one| !words!("korean/grammar.not each").contains(one))?;
            Some(PER.meaning(one).copied().unwrap_or(Per::Item))
        };
        store(&mut p.per, (korean::RATES.meaning(word).copied().or_else(each)?, at))
    }),
];
