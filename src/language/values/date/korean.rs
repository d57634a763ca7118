//! Korean dates: 2025년 3월 20일, 3월 말, 10월 둘째 주, 월요일마다.

use super::{date, period, small, year_of};
use crate::language::values::{
    ValueHit, ValueReader,
    korean::{self, NATIVE_ORDINALS},
    lexicon::Lex,
    value::{Date, Period, PeriodKind, Shift, Value},
};
use crate::language::{
    Words,
    text::{hangul::is_hangul, particles::is_tail, table::longest},
    words,
};

impl ValueReader<'_> {
    /// 2025년 3월 20일, 3월 20일, 3월, 20일, 2025년 1분기.
    pub(in crate::language::values) fn korean_date(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let end = s.digits_end(at);
        let text = s.slice(at, end);
        let next = s.char(end)?;
        match next {
            '년' if text.len() == 4 || text.len() == 2 && self.is_short_year(at, end) => {
                let year = year_of(text)?;
                let mut after = end + 3;
                if s.eat_any(after, &["간", "동안", "차", "째"]).is_some() && text.len() == 2 {
                    return None;
                }
                after = s.eat(after, "도").filter(|e| self.is_tail(*e)).unwrap_or(after);
                let inner = s.blank(after);
                match self.in_year(at, inner, Some(year), None) {
                    Some(hit) => Some(hit),
                    None => {
                        let span = Period { year: Some(year), ..period(PeriodKind::Year, 0) };
                        Some(ValueHit::new(at, after, Value::Period(span)))
                    }
                }
            }
            '월' => self.month_day(at, at, None, None),
            '일' => self.day_only(at),
            _ => None,
        }
    }

    /// 25년 3월 is a year; 25년 is a length.
    fn is_short_year(&self, at: usize, end: usize) -> bool {
        let next = self.s.spaces(end + 3);
        let month = self.s.digits_end(next);
        self.s.before(at) == Some('\'')
            || month > next && self.s.eat_any(month, &["월", "분기"]).is_some()
            || self.s.eat_any(next, &["상반기", "하반기", "도 "]).is_some()
    }

    /// What may stand after a year, said or relative: a month, a quarter, a half, its end.
    pub(in crate::language::values) fn in_year(
        &self,
        start: usize,
        at: usize,
        year: Option<i16>,
        shift: Option<i32>,
    ) -> Option<ValueHit> {
        let s = self.s;
        let with = |kind, n, end| {
            let span = Period { year, shift, ..period(kind, n) };
            ValueHit::new(start, end, Value::Period(span))
        };
        if s.byte(at).is_ascii_digit() {
            let end = s.digits_end(at);
            let n = i8::try_from(small(s.slice(at, end), 12)?).ok()?;
            let next = s.spaces(end);
            if s.eat(end, "월").is_some() {
                return self.month_day(start, at, year, shift);
            }
            if let Some(after) = s.eat(next, "분기") {
                return Some(with(PeriodKind::Quarter, n, after));
            }
            return s.eat(next, "학기").map(|after| with(PeriodKind::Term, n, after));
        }
        let named = longest(&korean::WORDS, s.rest(at), |len| self.is_tail(at + len));
        if let Some((len, Lex::Period(kind @ (PeriodKind::Half | PeriodKind::Season), n))) = named {
            return Some(with(*kind, *n, at + len));
        }
        for (word, month, day) in [("말", 12, 31), ("연말", 12, 31), ("초", 1, 1), ("연초", 1, 1)] {
            if let Some(after) = s.eat(at, word).filter(|e| self.is_tail(*e)) {
                let day = Date { year, shift: shift.map(Shift::Years), ..date(Some(month), Some(day)) };
                return Some(ValueHit::new(start, after, Value::Date(day)));
            }
        }
        None
    }

    /// From a month on: 3월 20일, 3월 말, 3월 둘째 주, 3월.
    fn month_day(&self, start: usize, at: usize, year: Option<i16>, shift: Option<i32>) -> Option<ValueHit> {
        let s = self.s;
        let end = s.digits_end(at);
        let month = small(s.slice(at, end), 12)?;
        self.after_month(start, s.eat(end, "월")?, month, year, shift)
    }

    /// See [`Self::month_day`]; `after` stands behind 월.
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
                if let Some(end) = s.eat(stop, "일") {
                    return Some(dated(day, end));
                }
                // 10월 20~24일, 12월 4, 5일: the day mark comes at the end of the list.
                let mut look = s.spaces(stop);
                if matches!(s.char(look), Some('~' | '-' | ',' | '·' | '/')) {
                    look = s.spaces(look + s.char(look).map_or(1, char::len_utf8));
                    let last = s.digits_end(look);
                    if last > look && s.eat(last, "일").is_some() {
                        return Some(dated(day, stop));
                    }
                }
                if let Some(n) = s.eat(stop, "주차").or_else(|| s.eat(stop, "째 주")) {
                    return Some(self.week_of(start, n, month, i8::try_from(day).ok()?, year, shift));
                }
            }
        }
        if let Some(end) = s.eat_any(next, &["말일", "말"]).filter(|e| self.is_tail(*e)) {
            return Some(dated(32, end));
        }
        for (word, part) in [("초순", 1), ("초", 1), ("중순", 2), ("하순", 3), ("상순", 1)] {
            if let Some(end) = s.eat(next, word).filter(|e| self.is_tail(*e)) {
                let span = Period { year, month: Some(month), shift, ..period(PeriodKind::PartOfMonth, part) };
                return Some(ValueHit::new(start, end, Value::Period(span)));
            }
        }
        if let Some((len, n)) = longest(&NATIVE_ORDINALS, s.rest(next), |_| true) {
            let unit = s.spaces(next + len);
            if let Some((kind, end)) = self.week_unit(unit) {
                let span = Period { year, month: Some(month), shift, ..period(kind, *n as i8) };
                return Some(ValueHit::new(start, end, Value::Period(span)));
            }
            // 10월 둘째 화요일.
            if let Some((day, end)) = self.day_name(unit).filter(|_| s.char(unit).is_some_and(is_hangul)) {
                return Some(self.nth_of_month(start, end, month, *n as i8, day, year));
            }
        }
        if !self.is_tail(after) && s.eat_any(after, &["분", "호", "달", "중", "생", "경"]).is_none() {
            return None;
        }
        let end = s.eat(after, "분").filter(|e| self.is_tail(*e)).unwrap_or(after);
        let span = Period { year, month: Some(month), shift, ..period(PeriodKind::Month, 0) };
        Some(ValueHit::new(start, end, Value::Period(span)))
    }

    fn week_of(&self, start: usize, end: usize, month: u8, n: i8, year: Option<i16>, shift: Option<i32>) -> ValueHit {
        let span = Period { year, month: Some(month), shift, ..period(PeriodKind::Week, n) };
        ValueHit::new(start, end, Value::Period(span))
    }

    /// 20일: a day of the month, unless it measures.
    fn day_only(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let end = s.digits_end(at);
        let after = s.eat(end, "일")?;
        let run = s.slice(after, s.hangul_end(after));
        let n = s.slice(at, end).parse::<u32>().ok()?;
        let next = s.spaces(after);
        static MEASURES: Words = words!("units.measures");
        let length = s.eat_any(next, &MEASURES).is_some()
            || s.eat(next, "전").is_some_and(|e| self.is_tail(e) && s.eat(e, "체").is_none())
            || matches!(
                s.word_before(at),
                "박" | "약" | "총" | "최대" | "최소" | "주" | "단" | "꼬박" | "매월까지" | "기준"
            )
            || n > 31
            || n == 0;
        if length || !(is_tail(run) || run.starts_with("요일")) {
            return None;
        }
        let day = u8::try_from(n).ok()?;
        Some(self.with_weekday(at, after, date(None, Some(day))))
    }

    /// 월요일, 월요일마다.
    pub(in crate::language::values) fn korean_weekday(&self, at: usize, end: usize, day: u8) -> Option<ValueHit> {
        let s = self.s;
        let run = s.slice(end, s.hangul_end(end));
        if run.starts_with("마다") {
            return Some(self.weekly(at, end + "마다".len(), day));
        }
        if !is_tail(run) && self.s.eat_any(end, &["오전", "오후", "저녁", "밤", "아침", "새벽"]).is_none() {
            return None;
        }
        Some(ValueHit::new(at, end, Value::Date(Date { weekday: Some(day), ..Date::default() })))
    }

    /// '25년, '25.
    pub(in crate::language::values) fn short_year(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if s.before(at).is_some_and(char::is_alphanumeric) || s.digits_end(at + 1) != at + 3 {
            return None;
        }
        let mut hit = self.korean_date(at + 1).filter(|_| s.eat(at + 3, "년").is_some())?;
        hit.start = at;
        Some(hit)
    }
}
