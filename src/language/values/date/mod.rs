//! Parses dates and calendar periods: 3월 20일 목요일, 20 March, next Friday, Q1, 10월 둘째 주. `calendar` resolves them.

mod english;
mod korean;
pub mod numeric;
mod relative;

use super::korean::{ORDINALS, marks};
use super::{
    ValueHit, ValueReader,
    calendar::{nth_weekday, settle_period},
    lexicon::{Lex, Sort},
    value::{Date, Period, PeriodKind, Value},
};
use crate::language::text::hangul::is_hangul;
use chrono::Datelike;

pub(super) fn date(month: Option<u8>, day: Option<u8>) -> Date {
    Date { month, day, ..Date::default() }
}

pub fn period(kind: PeriodKind, number: i8) -> Period {
    Period { kind, year: None, month: None, number, shift: None, span: None }
}

fn stretch(word: &str) -> Option<PeriodKind> {
    Some(match word {
        "week" => PeriodKind::Week,
        "weekend" => PeriodKind::Weekend,
        "month" => PeriodKind::Month,
        "quarter" => PeriodKind::Quarter,
        "year" => PeriodKind::Year,
        "term" | "semester" => PeriodKind::Term,
        _ => return None,
    })
}

pub(super) fn small(text: &str, max: u8) -> Option<u8> {
    text.parse::<u8>().ok().filter(|n| (1..=max).contains(n))
}

fn year_of(text: &str) -> Option<i16> {
    match text.len() {
        4 => text.parse().ok().filter(|y| (1800..=2200).contains(y)),
        2 => text.parse::<i16>().ok().map(|y| if y < 70 { 2000 + y } else { 1900 + y }),
        _ => None,
    }
}

impl ValueReader<'_> {
    /// Adds a weekday next to a date: (목), 목요일, Thursday.
    pub fn with_weekday(&self, start: usize, end: usize, mut date: Date) -> ValueHit {
        let s = self.s;
        let mut at = s.blank(end);
        let open = matches!(s.byte(at), b'(' | b'[');
        let comma = s.byte(at) == b',';
        if open || comma {
            at = s.blank(at + 1);
        }
        let found = match s.char(at) {
            Some(c) if is_hangul(c) => self.syllable_day(at).and_then(|(day, short)| {
                let full = s.eat_any(short, marks::WEEKDAY);
                let closed = open && s.byte(s.spaces(full.unwrap_or(short))) == b')';
                (full.is_some() && !comma || closed).then_some((day, full.unwrap_or(short)))
            }),
            // In "by 7 March, Friday 10 March" the weekday belongs to the next date.
            Some(_) => self.day_name(at).filter(|(_, stop)| {
                open || !(s.byte(s.blank(*stop)).is_ascii_digit() || comma && !self.folded.is_capital(at))
            }),
            _ => None,
        };
        let mut end = end;
        if let Some((day, after)) = found {
            date.weekday = Some(day);
            end = if open && matches!(s.byte(s.spaces(after)), b')' | b']') { s.spaces(after) + 1 } else { after };
        }
        ValueHit::new(start, end, Value::Date(date))
    }

    /// The n-th weekday of a month, resolved if the year is known.
    pub fn nth_of_month(&self, start: usize, end: usize, month: u8, n: i8, weekday: u8, year: Option<i16>) -> ValueHit {
        let mut span = Period { year, month: Some(month), ..period(PeriodKind::Month, 0) };
        settle_period(&mut span, self.today);
        let on = span.span.and_then(|(from, _)| nth_weekday(from.year(), month, n, weekday));
        let found = Date { year, weekday: Some(weekday), on, ..date(Some(month), None) };
        ValueHit::new(start, end, Value::Date(found))
    }

    /// A weekday named by a single Hangul syllable at `at`, and its end.
    pub fn syllable_day(&self, at: usize) -> Option<(u8, usize)> {
        super::korean::DAYS.iter().zip(0..).find_map(|(name, day)| self.s.eat(at, name).map(|end| (day, end)))
    }

    /// 첫째, 둘째, 마지막 at `at` as a number, and its end.
    pub fn native_ordinal(&self, at: usize) -> Option<(i8, usize)> {
        match ORDINALS.longest(self.s.rest(at), |_, _| true)? {
            (len, Lex::Ordinal(n)) => Some((i8::try_from(*n).ok()?, at + len)),
            _ => None,
        }
    }

    pub fn day_name(&self, at: usize) -> Option<(u8, usize)> {
        let s = self.s;
        if s.char(at).is_some_and(is_hangul) {
            let (day, end) = self.syllable_day(at)?;
            return s.eat_any(end, marks::WEEKDAY).map(|end| (day, end));
        }
        let (word, end) = s.latin(at);
        match super::english::WORDS.meaning(word) {
            Some(Lex::Weekday(day, Sort::Full | Sort::Short)) => Some((*day, end)),
            _ => None,
        }
    }

    /// A numbered period with a year that may follow: Q2 2026, 1분기, FY25.
    pub fn numbered_period(&self, start: usize, end: usize, kind: PeriodKind, number: i8) -> ValueHit {
        let s = self.s;
        let mut at = s.past_word(s.blank(end), &["of", "in"]);
        if matches!(s.byte(end), b'/' | b'-' | b'\'') {
            at = end + 1;
        } else if s.byte(at) == b'\'' {
            at += 1;
        }
        let (text, stop) = s.digits(at);
        let tight = at == end + 1 && s.byte(end) != b' ' || s.before(at) == Some('\'');
        let told = s.ends_word(stop) && (text.len() == 4 || tight && text.len() == 2);
        let year = year_of(text).filter(|_| told);
        let found = Period { year, ..period(kind, number) };
        ValueHit::new(start, if year.is_some() { stop } else { end }, Value::Period(found))
    }
}
