//! Parses relative dates: 다음 주 월요일, next March, 2주 뒤, a week ago.

use super::{date, period, small, stretch};
use crate::language::text::hangul::is_hangul;
use crate::language::values::{
    ValueHit, ValueReader,
    calendar::{month_start, plus_days},
    english,
    korean::{MONTH_PARTS, STRETCHES, marks},
    lexicon::{Lex, Sort},
    value::{Date, Duration, Period, PeriodKind, Shift, Value},
};

use crate::language::{Words, words};
use chrono::Datelike;

impl ValueReader<'_> {
    /// Parses what follows next, last, this, 다음 and the like; `n` is 1 for next.
    pub fn shifted(&self, at: usize, end: usize, n: i32) -> Option<ValueHit> {
        let s = self.s;
        let next = s.blank(end);
        let c = s.char(next)?;
        if is_hangul(c) {
            if let Some((day, stop)) = self.day_name(next) {
                let mut found = Date { weekday: Some(day), shift: Some(Shift::Weeks(n)), ..Date::default() };
                if n == 0 {
                    self.this_weekday(&mut found, day);
                }
                return Some(ValueHit::new(at, stop, Value::Date(found)));
            }
            let (len, lex) = STRETCHES.longest(s.rest(next), |_, _| true)?;
            let Lex::Period(kind, number) = *lex else { return None };
            let after = next + len;
            if !self.is_tail(after) {
                return None;
            }
            return self.relative(at, after, kind, n, number);
        }
        let (word, word_end) = s.latin(next);
        if let Some(kind) = stretch(word) {
            // "the last week of March"; but "last week in March" may be the week before this one.
            let is_week = matches!(kind, PeriodKind::Week | PeriodKind::Weekend);
            let of = s.eat_word(s.blank(word_end), &["of"]).filter(|_| n == -1 && is_week).map(|e| s.blank(e));
            if let Some((month, stop)) = of.and_then(|name| self.month_name(name, true)) {
                return Some(ValueHit::period(at, stop, Period { month: Some(month), ..period(kind, -1) }));
            }
            return self.relative(at, word_end, kind, n, 0);
        }
        let lex = english::WORDS.meaning(word).copied();
        match (word, lex) {
            (_, Some(Lex::Weekday(day, _))) => {
                // "next Friday" is in the next week, "last Friday" the last one before today.
                let hit = self.weekday(next, word_end, day, Sort::Full)?;
                let Value::Date(mut found) = hit.value else { return None };
                if found.month.is_none() && found.day.is_none() {
                    found.shift = Some(Shift::Weeks(n));
                    if n < 0 {
                        self.last_weekday(&mut found, day);
                    } else if n == 0 {
                        self.this_weekday(&mut found, day);
                    }
                }
                // "the last Friday of the month", "last Friday in June".
                if n < 0 && s.eat_word(s.blank(hit.end), &["of", "in"]).is_some() {
                    return self.nth_weekday(at, word_end, -1, day);
                }
                Some(ValueHit::new(at, hit.end, Value::Date(found)))
            }
            ("night" | "evening" | "morning" | "afternoon", _) if n <= 0 => {
                let found = Date { shift: Some(Shift::Days(n)), ..Date::default() };
                Some(ValueHit::new(at, word_end, Value::Date(found)))
            }
            (_, Some(Lex::Month(_))) => {
                let hit = self.month_first(next)?;
                let Value::Period(mut p) = hit.value else { return Some(hit) };
                self.month_from(&mut p, n);
                Some(ValueHit::new(at, hit.end, Value::Period(p)))
            }
            (_, Some(Lex::Period(PeriodKind::Season, season))) => {
                let found = Period { shift: Some(n.min(0)), ..period(PeriodKind::Season, season) };
                Some(ValueHit::new(at, word_end, Value::Period(found)))
            }
            _ => None,
        }
    }

    /// Resolves to the last such weekday before today.
    fn last_weekday(&self, found: &mut Date, day: u8) {
        if let Some(today) = self.today {
            let back = (today.weekday().num_days_from_monday() as i32 - i32::from(day) - 1).rem_euclid(7) + 1;
            found.on = plus_days(today, -back);
        }
    }

    /// Resolves to the next such weekday from today: on a Saturday, "this Monday" is ahead.
    fn this_weekday(&self, found: &mut Date, day: u8) {
        if let Some(today) = self.today {
            let ahead = (i32::from(day) - today.weekday().num_days_from_monday() as i32).rem_euclid(7);
            found.on = plus_days(today, ahead);
        }
    }

    /// Resolves a month name after next, this or last.
    fn month_from(&self, found: &mut Period, n: i32) {
        let (Some(today), Some(month)) = (self.today, found.month) else { return };
        let later = i32::from(n > 0 && u32::from(month) <= today.month());
        let earlier = i32::from(n < 0 && u32::from(month) >= today.month());
        let year = today.year() + later - earlier;
        found.year = i16::try_from(year).ok();
    }

    /// A relative period and a date within it: 다음 주 월요일, 내년 3월, 이달 말.
    pub fn relative(&self, start: usize, end: usize, kind: PeriodKind, n: i32, number: i8) -> Option<ValueHit> {
        let s = self.s;
        let next = s.blank(end);
        match kind {
            PeriodKind::Week => {
                let inner = s.past_word(next, &["on"]);
                if let Some((day, stop)) = self.day_name(inner) {
                    let found = Date { weekday: Some(day), shift: Some(Shift::Weeks(n)), ..Date::default() };
                    // "다음 주 화·목" yields its first day here.
                    return Some(ValueHit::new(start, stop, Value::Date(found)));
                }
            }
            PeriodKind::Month => {
                let stop = s.digits_end(next);
                if let Some(day) = small(s.slice(next, stop), 31)
                    && let Some(stop) = s.eat_any(stop, marks::DAY)
                {
                    let found = Date { shift: Some(Shift::Months(n)), ..date(None, Some(day)) };
                    return Some(self.with_weekday(start, stop, found));
                }
                static END: &Words = words!("korean/grammar.end of a month");
                if let Some(stop) = s.eat_any(next, END) {
                    let found = Date { shift: Some(Shift::Months(n)), ..date(None, Some(32)) };
                    return Some(ValueHit::new(start, stop, Value::Date(found)));
                }
                // 다음 달 둘째 주, 지난달 마지막 주말.
                if let Some(of) = self.week_of_relative(start, next, n) {
                    return Some(of);
                }
                let part = MONTH_PARTS.longest(s.rest(next), |len, _| self.is_tail(next + len));
                if let Some((len, Lex::PartOfMonth(part))) = part {
                    let found = Period { shift: Some(n), ..period(PeriodKind::PartOfMonth, *part) };
                    return Some(ValueHit::new(start, next + len, Value::Period(found)));
                }
            }
            PeriodKind::Year => {
                if let Some(hit) = self.in_year(start, next, None, Some(n)) {
                    return Some(hit);
                }
            }
            _ => {}
        }
        Some(ValueHit::new(start, end, Value::Period(Period { shift: Some(n), ..period(kind, number) })))
    }

    /// A week or weekend of a relative month.
    fn week_of_relative(&self, start: usize, at: usize, n: i32) -> Option<ValueHit> {
        let s = self.s;
        let month = month_start(self.today?, n)?;
        let (number, end) = self.native_ordinal(at)?;
        let (kind, stop) = self.week_unit(s.spaces(end))?;
        let found = Period {
            year: i16::try_from(month.year()).ok(),
            month: u8::try_from(month.month()).ok(),
            ..period(kind, number)
        };
        Some(ValueHit::new(start, stop, Value::Period(found)))
    }

    /// Parses 주, 주간, 주말, 주 주말.
    pub fn week_unit(&self, at: usize) -> Option<(PeriodKind, usize)> {
        let s = self.s;
        static WEEK: &Words = words!("korean/grammar.week");
        if let Some(end) = s.eat_any(at, marks::WEEKEND).filter(|e| self.is_tail(*e)) {
            return Some((PeriodKind::Weekend, end));
        }
        let end = s.eat_any(at, WEEK).filter(|e| self.is_tail(*e) || *e == s.hangul_end(at))?;
        let next = s.spaces(end);
        let weekend = s.eat_any(next, marks::WEEKEND).filter(|stop| end < next && self.is_tail(*stop));
        Some(weekend.map_or((PeriodKind::Week, end), |stop| (PeriodKind::Weekend, stop)))
    }

    /// A duration, or the date at that distance: 2주 뒤, in two weeks, a week ago, 20분마다.
    pub fn around_duration(&self, start: usize, end: usize, length: Duration) -> ValueHit {
        let s = self.s;
        if let Some(hit) = self.repeated(start, end, length) {
            return hit;
        }
        let plain = ValueHit::new(start, end, Value::Duration(length));
        let next = s.blank(end);
        let whole = length.seconds.is_multiple_of(86_400);
        if !whole || length.months > 0 && length.seconds > 0 {
            return plain;
        }
        let days = i32::try_from(length.seconds / 86_400).unwrap_or(0);
        let months = i32::try_from(length.months).unwrap_or(0);
        let tail = |e: &usize| self.is_tail(*e) && s.eat_any(*e, words!("korean/grammar.not a tail")).is_none();
        let to = |sign: i32, stop: usize, start: usize| {
            let shift = if months > 0 { Shift::Months(sign * months) } else { Shift::Days(sign * days) };
            ValueHit::new(start, stop, Value::Date(Date { shift: Some(shift), ..Date::default() }))
        };
        if let Some(stop) = s.eat_any(next, words!("korean/grammar.ahead")).filter(tail) {
            return to(1, stop, start);
        }
        if let Some(stop) = s.eat_any(next, words!("korean/grammar.ago")).filter(tail) {
            return to(-1, stop, start);
        }
        if let Some(stop) = s.eat_word(next, &["ago"]) {
            return to(-1, stop, start);
        }
        if let Some(stop) = s.eat_word(next, &["hence"]).or_else(|| s.eat(next, "from now").filter(|e| s.ends_word(*e)))
        {
            return to(1, stop, start);
        }
        let head = s.head(s.blank_before(start));
        if let Some(before) = head.strip_suffix("in").filter(|h| !h.ends_with(|c: char| c.is_alphanumeric()))
            && s.eat_word(next, &["of", "a", "per", "for"]).is_none()
        {
            return to(1, end, before.len());
        }
        plain
    }
}
