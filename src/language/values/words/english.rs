//! Parses values that start with an English word.

use crate::language::text::{scan::is_latin, table::phrase};
use crate::language::values::{
    ValueHit, ValueReader,
    date::{date, period},
    english,
    lexicon::{Lex, Suffix},
    number::Number,
    value::{Date, Period, PeriodKind, Shift, Value},
};
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
        if let Some(hit) = self.code(at) {
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
        self.english_lex(at, at + len, *lex)
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

    fn english_lex(&self, at: usize, end: usize, lex: Lex) -> Option<ValueHit> {
        let s = self.s;
        match lex {
            Lex::Cardinal(_) | Lex::Scale(_) | Lex::Dozen => self
                .past_clock(at)
                .or_else(|| self.hour_clock(at, None))
                .or_else(|| self.times_word(at))
                .or_else(|| self.quantity(at, at)),
            Lex::Half => self
                .past_clock(at)
                .or_else(|| self.half_unit(at, at))
                .or_else(|| self.quantity(at, at))
                .or_else(|| self.half_of(at, end)),
            Lex::Quarter => self.past_clock(at),
            Lex::In | Lex::Half12(_) | Lex::Zone(..) => None,
            Lex::Part(part) => self.part_of(at, end, part),
            Lex::Alternate => self.each(at, end, 2),
            Lex::Month(_) => self.month_first(at),
            Lex::Weekday(day, sort) => self.weekday(at, end, day, sort),
            Lex::Ordinal(n) => self.ordinal(at, end, n),
            Lex::Shift(n) => self.shifted(at, end, n).or_else(|| {
                let noun = s.blank(end);
                let word = s.slice(noun, s.latin_end(noun));
                let counted = english::WORDS.meaning(word).is_some_and(|l| matches!(l, Lex::Series(_)));
                (n == -1 && counted).then(|| ValueHit::new(at, end, Value::Ordinal { number: -1, of: "" }))
            }),
            Lex::Relative(kind, n) => self.relative(at, end, kind, n, 0),
            Lex::Period(_, 0) => self.series(at, end, "week"),
            Lex::Period(kind, n) => self.named_season(at, end, kind, n),
            Lex::EndOfDay => self.end_of_day(at, end),
            Lex::Every(n, unit) => self.cyclic(at, end, n, unit),
            Lex::Each => self.each(at, end, 1),
            Lex::Often(n) => self.times_a(at, end, n),
            Lex::Length(seconds) => {
                let length = crate::language::values::value::Duration { months: 0, seconds: u64::from(seconds) };
                Some(self.around_duration(at, end, length))
            }
            Lex::State(state, weak) => self.english_state(at, end, state, weak),
            Lex::Series(of) => self.series(at, end, of),
            Lex::Money(currency) => self.money_after(at, end, currency),
            _ => self.shared_lex(at, end, lex),
        }
    }

    /// Parses "three times a week".
    fn times_word(&self, at: usize) -> Option<ValueHit> {
        let amount = self.english(at)?;
        let times = u16::try_from(amount.number.as_whole()?).ok()?;
        let end = self.s.eat_word(self.s.blank(amount.end), &["times"])?;
        self.times_a(at, end, times)
    }

    fn half_of(&self, at: usize, end: usize) -> Option<ValueHit> {
        let next = self.s.blank(end);
        self.s.eat_word(next, &["of", "the"])?;
        Some(ValueHit::new(at, end, Value::Number(Number::new(5, -1))))
    }

    /// Parses end of March, early May, the end of the month, late next week.
    fn part_of(&self, at: usize, end: usize, part: i8) -> Option<ValueHit> {
        let s = self.s;
        let mut next = if s.byte(end) == b'-' { end + 1 } else { s.blank(end) };
        next = s.past_word(next, &["the"]);
        let last = s.slice(at, end) == "end of";
        let (word, word_end) = s.latin(next);
        let shift = match word {
            "next" => Some(1),
            "this" | "current" => Some(0),
            "last" => Some(-1),
            _ => None,
        };
        let noun = if shift.is_some() { s.blank(word_end) } else { next };
        let noun_end = s.latin_end(noun);
        let n = shift.unwrap_or(0);
        let is_last = |date: Date, end: usize| Some(ValueHit::date(at, end, date));
        let of_month = |of: Period, end: usize| {
            Some(ValueHit::period(at, end, Period { kind: PeriodKind::PartOfMonth, number: part, ..of }))
        };
        match s.slice(noun, noun_end) {
            "month" if last => {
                return is_last(Date { shift: Some(Shift::Months(n)), ..date(None, Some(32)) }, noun_end);
            }
            "month" => return of_month(Period { shift: Some(n), ..period(PeriodKind::Month, 0) }, noun_end),
            "week" if last => {
                return is_last(Date { weekday: Some(4), shift: Some(Shift::Weeks(n)), ..Date::default() }, noun_end);
            }
            "year" if last => {
                return is_last(Date { shift: Some(Shift::Years(n)), ..date(Some(12), Some(31)) }, noun_end);
            }
            "week" | "year" | "quarter" => return None,
            _ => {}
        }
        // "end of 2026".
        if let Some((year, stop)) = self.full_year(next).filter(|_| last) {
            return is_last(Date { year: Some(year), ..date(Some(12), Some(31)) }, stop);
        }
        let hit = self.read(next, s.char(next)?)?;
        match hit.value {
            Value::Period(p) if p.kind == PeriodKind::Month && last => {
                is_last(Date { year: p.year, ..date(Some(p.month?), Some(32)) }, hit.end)
            }
            Value::Period(p) if p.kind == PeriodKind::Month => p.month.and_then(|_| of_month(p, hit.end)),
            _ => None,
        }
    }

    /// Parses spring term, summer 2025, this winter.
    fn named_season(&self, at: usize, end: usize, kind: PeriodKind, n: i8) -> Option<ValueHit> {
        let s = self.s;
        let next = s.blank(end);
        if let Some(term) = s.eat_word(next, &["term", "semester"]) {
            return Some(self.numbered_period(at, term, PeriodKind::Term, n));
        }
        let hit = self.numbered_period(at, end, kind, n);
        let dated = hit.end > end;
        let told = words!("english/grammar.before a season").contains(&s.word_before(at));
        let noun = s.char(next).is_some_and(is_latin) && !self.is_stop(next);
        (dated || told && !noun).then_some(hit)
    }

    /// Parses version 6, 버전 3.8; skips revision C.
    pub fn version_after(&self, at: usize, end: usize) -> Option<ValueHit> {
        let s = self.s;
        let next = s.spaces(end);
        let (stop, _) = self.version_end(next);
        (stop > next && s.ends_word(stop)).then(|| ValueHit::new(at, stop, Value::Version(s.slice(next, stop).into())))
    }

    /// Parses EOD, COB Friday, 오늘 중.
    fn end_of_day(&self, at: usize, end: usize) -> Option<ValueHit> {
        let s = self.s;
        let next = s.past_word(s.blank(end), &["on"]);
        if let Some(c) = s.char(next)
            && is_latin(c)
            && let Some(hit @ ValueHit { value: Value::Date(_), .. }) = self.read(next, c)
        {
            return Some(ValueHit::new(at, hit.end, hit.value));
        }
        Some(ValueHit::date(at, end, Date { shift: Some(Shift::Days(0)), ..Date::default() }))
    }
}
