//! Parses Korean dates: 2025년 3월 20일, 3월 말, 10월 둘째 주, 월요일마다.

use super::{date, period, small, year_of};
use crate::language::values::{
    ValueHit, ValueReader,
    korean::{MONTH_PARTS, WORDS, marks},
    lexicon::Lex,
    spelled::sino_number,
    value::{Date, Period, PeriodKind, Shift, Value},
};
use crate::language::{Words, text::hangul::is_hangul, words};

const DAY: u32 = 86_400;

impl ValueReader<'_> {
    /// Parses 2025년 3월 20일, 3월 20일, 3월, 20일, 2025년 1분기.
    pub fn korean_date(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let (text, end) = s.digits(at);
        let year = s.eat_any(end, marks::YEAR);
        let is_year = |after: &usize| text.len() == 4 || text.len() == 2 && self.is_short_year(*after);
        if let Some(mut after) = year.filter(is_year) {
            let year = year_of(text)?;
            after = s.eat_any(after, marks::YEAR_ALONE).unwrap_or(after);
            return self.in_year(at, s.blank(after), Some(year), None).or_else(|| {
                let span = Period { year: Some(year), ..period(PeriodKind::Year, 0) };
                Some(ValueHit::new(at, after, Value::Period(span)))
            });
        }
        if s.eat_any(end, marks::MONTH).is_some() {
            return self.month_day(at, at, None, None);
        }
        s.eat_any(end, marks::DAY).and_then(|_| self.day_only(at))
    }

    /// 25년 3월 is a year; 25년 alone is a duration.
    fn is_short_year(&self, at: usize) -> bool {
        let next = self.s.spaces(at);
        let month = self.s.digits_end(next);
        month > next && self.s.eat_any(month, words!("korean/grammar.month or quarter")).is_some()
    }

    /// Parses what may follow a year, absolute or relative: a month, quarter, half, or its end.
    pub fn in_year(&self, start: usize, at: usize, year: Option<i16>, shift: Option<i32>) -> Option<ValueHit> {
        let s = self.s;
        let with = |kind, n, end| {
            let span = Period { year, shift, ..period(kind, n) };
            ValueHit::new(start, end, Value::Period(span))
        };
        if s.byte(at).is_ascii_digit() {
            let end = s.digits_end(at);
            let n = i8::try_from(small(s.slice(at, end), 12)?).ok()?;
            let next = s.spaces(end);
            if s.eat_any(end, marks::MONTH).is_some() {
                return self.month_day(start, at, year, shift);
            }
            if let Some(after) = s.eat_any(next, words!("korean/marks.quarter")) {
                return Some(with(PeriodKind::Quarter, n, after));
            }
            return s.eat_any(next, words!("korean/marks.term")).map(|after| with(PeriodKind::Term, n, after));
        }
        if let Some((len, Lex::Month(month))) = WORDS.longest(s.rest(at), |_, lex| matches!(lex, Lex::Month(_))) {
            return self.after_month(start, at + len, *month, year, shift);
        }
        static END: &Words = words!("korean/grammar.end of a year");
        let part = |lex: &Lex| matches!(lex, Lex::Period(PeriodKind::Half | PeriodKind::Season, _));
        let found = WORDS.longest(s.rest(at), |len, lex| part(lex) && self.is_tail(at + len));
        if let Some((len, Lex::Period(kind, n))) = found {
            return Some(with(*kind, *n, at + len));
        }
        for (words, month, day) in [(END, 12, 31), (words!("korean/grammar.beginning of a year"), 1, 1)] {
            if let Some(after) = s.eat_any(at, words).filter(|e| self.is_tail(*e)) {
                let day = Date { year, shift: shift.map(Shift::Years), ..date(Some(month), Some(day)) };
                return Some(ValueHit::new(start, after, Value::Date(day)));
            }
        }
        None
    }

    /// Parses 3월 20일, 3월 말, 3월 둘째 주, 3월.
    fn month_day(&self, start: usize, at: usize, year: Option<i16>, shift: Option<i32>) -> Option<ValueHit> {
        let s = self.s;
        let end = s.digits_end(at);
        let month = small(s.slice(at, end), 12)?;
        self.after_month(start, s.eat_any(end, marks::MONTH)?, month, year, shift)
    }

    /// See [`Self::month_day`]; `after` is the position after 월.
    fn after_month(
        &self,
        start: usize,
        after: usize,
        month: u8,
        year: Option<i16>,
        shift: Option<i32>,
    ) -> Option<ValueHit> {
        let s = self.s;
        let next = s.blank(after);
        let dated = |day: u8, end: usize| {
            let date = Date { year, shift: shift.map(Shift::Years), ..date(Some(month), Some(day)) };
            self.with_weekday(start, end, date)
        };
        if s.byte(next).is_ascii_digit() {
            let stop = s.digits_end(next);
            if let Some(day) = small(s.slice(next, stop), 31) {
                if let Some(end) = s.eat_any(stop, marks::DAY) {
                    return Some(dated(day, end));
                }
                if let Some(end) = s.eat_any(stop, words!("korean/grammar.nth week")) {
                    let week = Period { year, month: Some(month), shift, ..period(PeriodKind::Week, day as i8) };
                    return Some(ValueHit::new(start, end, Value::Period(week)));
                }
                // 10월 20~24일, 12월 4, 5일: only the last day of a list has the suffix 일.
                let mut look = s.spaces(stop);
                if matches!(s.char(look), Some('~' | '-' | ',' | '·' | '/')) {
                    look = s.spaces(look + s.char(look).map_or(1, char::len_utf8));
                    let last = s.digits_end(look);
                    if s.eat_any(last, marks::DAY).is_some() {
                        return Some(dated(day, stop));
                    }
                }
            }
        }
        if let Some((day, end)) = self.spelled_day(next, s.char(start).is_some_and(is_hangul)) {
            return Some(dated(day, end));
        }
        if let Some(end) = s.eat_any(next, words!("korean/grammar.end of a month")).filter(|e| self.is_tail(*e)) {
            return Some(dated(32, end));
        }
        let part = MONTH_PARTS.longest(s.rest(next), |len, _| self.is_tail(next + len));
        if let Some((len, Lex::PartOfMonth(part))) = part {
            let span = Period { year, month: Some(month), shift, ..period(PeriodKind::PartOfMonth, *part) };
            return Some(ValueHit::new(start, next + len, Value::Period(span)));
        }
        if let Some((n, end)) = self.native_ordinal(next) {
            let unit = s.spaces(end);
            if let Some((kind, end)) = self.week_unit(unit) {
                let span = Period { year, month: Some(month), shift, ..period(kind, n) };
                return Some(ValueHit::new(start, end, Value::Period(span)));
            }
            // 10월 둘째 화요일.
            if let Some((day, end)) = self.syllable_day(unit)
                && let Some(end) = s.eat_any(end, marks::WEEKDAY_IN_FULL)
            {
                return Some(self.nth_of_month(start, end, month, n, day, year));
            }
        }
        if !self.is_tail(after) && s.eat_any(after, words!("korean/grammar.behind a month")).is_none() {
            return None;
        }
        let end = s.eat_any(after, marks::MINUTE).unwrap_or(after);
        let span = Period { year, month: Some(month), shift, ..period(PeriodKind::Month, 0) };
        Some(ValueHit::new(start, end, Value::Period(span)))
    }

    /// Parses 십이월 십사일, 사월 25일, 시월 말, 시월. 이월 and 일월 alone have other meanings and are skipped.
    pub fn spelled_month(&self, at: usize, end: usize, month: u8) -> Option<ValueHit> {
        let hit = self.after_month(at, end, month, None, None)?;
        let is_whole = matches!(hit.value, Value::Period(Period { kind: PeriodKind::Month, .. }));
        (month > 2 || !is_whole).then_some(hit)
    }

    /// Parses 십사일, 여드레, 열여드레, 스무날; returns the day and its end.
    fn spelled_day(&self, at: usize, month_in_words: bool) -> Option<(u8, usize)> {
        self.sino_day(at).or_else(|| self.native_day(at, month_in_words))
    }

    fn native_day(&self, at: usize, in_words: bool) -> Option<(u8, usize)> {
        static TENS: [(&Words, u8); 3] = [
            (words!("korean/grammar.before one of the first days"), 0),
            (words!("korean/grammar.before a day past the tenth"), 10),
            (words!("korean/grammar.before a day past the twentieth"), 20),
        ];
        let s = self.s;
        let ends = |end: usize| s.eat_any(end, words!("korean/grammar.behind the name of a day")).unwrap_or(end);
        let named = |before: u8, at: usize| {
            let (len, Lex::Length(seconds)) = WORDS.longest(s.rest(at), |_, lex| matches!(lex, Lex::Length(_)))? else {
                return None;
            };
            let day = u8::try_from(seconds / DAY).ok().filter(|d| *d < 10 || before == 0)?;
            Some((before + day, ends(at + len)))
        };
        let begun = |(words, tens): &(&Words, u8)| {
            let end = s.eat_any(at, words)?;
            named(*tens, end).or_else(|| (*tens == 20).then(|| (20, ends(end))).filter(|_| ends(end) > end))
        };
        // 여드레 alone may be a duration: "12월 이틀을 쉰다".
        let found = TENS.iter().find_map(begun).or_else(|| named(0, at).filter(|_| in_words));
        let measures = |end: usize| s.eat_any(s.spaces(end), words!("units.measures")).is_some();
        found.filter(|(_, end)| !measures(*end))
    }

    fn sino_day(&self, at: usize) -> Option<(u8, usize)> {
        let spelled = |n: &u8| {
            let end = self.s.eat_any(at, &[sino_number((*n).into()).as_str()])?;
            let end = self.s.eat_any(end, marks::DAY)?;
            self.is_tail(end).then_some(end)
        };
        (1..=31).rev().find_map(|n| Some((n, spelled(&n)?)))
    }

    /// Parses 20일 as a day of the month, unless it is a duration.
    fn day_only(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let end = s.digits_end(at);
        let after = s.eat_any(end, marks::DAY)?;
        let n = s.slice(at, end).parse::<u32>().ok()?;
        let next = s.spaces(after);
        static AGO: &Words = words!("korean/grammar.ago");
        let length = s.eat_any(next, words!("units.measures")).is_some()
            || s.eat_any(next, AGO).is_some_and(|e| self.is_tail(e))
            || words!("korean/grammar.before a length").contains(&s.word_before(at))
            || n > 31
            || n == 0;
        if length || !self.is_tail(after) {
            return None;
        }
        let day = u8::try_from(n).ok()?;
        Some(self.with_weekday(at, after, date(None, Some(day))))
    }

    /// Parses 월요일, 월요일마다.
    pub fn korean_weekday(&self, at: usize, end: usize, day: u8) -> Option<ValueHit> {
        let s = self.s;
        if let Some(end) = s.eat_any(end, marks::EVERY) {
            return Some(self.weekly(at, end, day));
        }
        let found = Date { weekday: Some(day), ..Date::default() };
        self.is_tail(end).then(|| ValueHit::new(at, end, Value::Date(found)))
    }
}
