//! Days and stretches of the calendar: 3월 20일 목요일, 20 March, next Friday, Q1, 10월 둘째 주.
//!
//! It reads the parts; `calendar` finds the day.

use super::{
    Hit, Reader, english,
    korean::{self, NATIVE_ORDINALS},
    lexicon::{Lex, Sort},
    number::Number,
    value::{Date, Duration, Period, PeriodKind, Reference, Shift, Value},
};
use crate::language::{
    Words,
    text::{hangul::is_hangul, particles::is_tail, scan::is_latin, table::phrase},
    words,
};

pub(super) fn date(month: Option<u8>, day: Option<u8>) -> Date {
    Date { month, day, ..Date::default() }
}

pub(super) fn period(kind: PeriodKind, number: i8) -> Period {
    Period { kind, year: None, month: None, number, shift: None, span: None }
}

fn small(text: &str, max: u8) -> Option<u8> {
    text.parse::<u8>().ok().filter(|n| (1..=max).contains(n))
}

fn year_of(text: &str) -> Option<i16> {
    match text.len() {
        4 => text.parse().ok().filter(|y| (1800..=2200).contains(y)),
        2 => text.parse::<i16>().ok().map(|y| if y < 70 { 2000 + y } else { 1900 + y }),
        _ => None,
    }
}

impl Reader<'_> {
    /// Whether 3/4 is the third of April here: by the other dates of the text, its currency, the zone.
    pub(super) fn is_day_first(&self, at: Option<Reference>) -> bool {
        let text = self.s.0;
        if !text.contains('/') && !text.contains('.') {
            return false;
        }
        let bytes = text.as_bytes();
        for (n, _) in text.match_indices('/') {
            let from = (0..n).rev().take_while(|&i| bytes.get(i).is_some_and(u8::is_ascii_digit)).last();
            let to = self.s.digits_end(n + 1);
            if let (Some(from), true) = (from, to > n + 1) {
                let left = self.s.slice(from, n).parse::<u32>().unwrap_or(0);
                let right = self.s.slice(n + 1, to).parse::<u32>().unwrap_or(0);
                if (13..=31).contains(&left) && (1..=12).contains(&right) {
                    return true;
                }
                if (1..=12).contains(&left) && (13..=31).contains(&right) {
                    return false;
                }
            }
        }
        if text.contains('£') || text.contains('€') || text.contains("uk date") {
            return true;
        }
        at.is_some_and(|r| (-60..=240).contains(&r.zone.minutes()))
    }

    /// 2025-03-20, 2025.3.20, 3/20, 20/03/2025, 03.20.
    pub(super) fn numeric_date(&self, at: usize) -> Option<Hit> {
        let s = self.s;
        let first = s.digits_end(at);
        let mark = s.byte(first);
        if first - at > 4 || !matches!(mark, b'-' | b'.' | b'/') || matches!(s.before(at), Some('.' | '/' | '-')) {
            return None;
        }
        let gap = |from: usize| if mark == b'.' { s.spaces(from + 1) } else { from + 1 };
        let second = gap(first);
        let second_end = s.digits_end(second);
        let (a, b) = (s.slice(at, first), s.slice(second, second_end));
        if b.is_empty() || b.len() > 2 {
            return None;
        }
        let third = gap(second_end);
        let third_end = if s.byte(second_end) == mark { s.digits_end(third) } else { third };
        let c = if s.byte(second_end) == mark { s.slice(third, third_end) } else { "" };
        let blank = second > first + 1;
        if a.len() == 4 || a.len() == 2 && !c.is_empty() && mark != b'/' && self.korean && a > "12" {
            let year = year_of(a)?;
            let month = small(b, 12)?;
            if c.is_empty() {
                // 2025-03, 2025.03: a month.
                if blank || b.len() != 2 || mark == b'/' || a.len() != 4 || !(1990..2100).contains(&year) {
                    return None;
                }
                let span = Period { year: Some(year), month: Some(month), ..period(PeriodKind::Month, 0) };
                return s.ends_word(second_end).then(|| Hit::new(at, second_end, Value::Period(span)));
            }
            let day = small(c, 31)?;
            if s.byte(third_end) == b'-' && s.byte(third_end + 1).is_ascii_digit() {
                return None;
            }
            let end = if mark == b'.' && s.byte(third_end) == b'.' && !s.byte(third_end + 1).is_ascii_digit() && blank {
                third_end + 1
            } else {
                third_end
            };
            let date = Date { year: Some(year), ..date(Some(month), Some(day)) };
            return Some(self.with_weekday(at, end, date));
        }
        if a.len() <= 2 && blank && mark == b'.' && self.korean && s.byte(second_end) == b'.' {
            // 5. 20.(화): without its weekday it is a list.
            let hit = self.with_weekday(at, second_end + 1, date(Some(small(a, 12)?), Some(small(b, 31)?)));
            return (hit.end > second_end + 1).then_some(hit);
        }
        if a.len() > 2 || blank {
            return None;
        }
        let (x, y) = (small(a, 31)?, small(b, 31)?);
        let day_first = if x > 12 { true } else { y <= 12 && self.day_first };
        let (month, day) = if day_first { (y, x) } else { (x, y) };
        if month > 12 || day > 31 {
            return None;
        }
        let parts = date(Some(month), Some(day));
        if matches!(c.len(), 2 | 4) && mark != b'-' {
            let year = year_of(c)?;
            let dated = Date { year: Some(year), ..parts };
            return (mark == b'/' || c.len() == 4).then(|| self.with_weekday(at, third_end, dated));
        }
        if !c.is_empty() || mark == b'-' || s.char(second_end).is_some_and(is_latin) || s.byte(second_end) == b'%' {
            return None;
        }
        if mark == b'.' {
            // 03.20 is a date, 3.20 a number.
            let two = a.len() == 2 && b.len() == 2 && a.starts_with('0');
            let day_word = s.byte(second_end) == b'(' && self.korean;
            return (two || day_word && a.len() <= 2).then(|| self.with_weekday(at, second_end, parts));
        }
        let next = s.spaces(second_end);
        let hit = self.with_weekday(at, second_end, parts);
        let told = hit.end > second_end;
        let fraction = x < y
            && matches!(y, 2 | 3 | 4 | 5 | 8)
            && x <= 7
            && (!self.korean
                && !matches!(s.word_before(at), "on" | "by" | "until" | "from" | "due" | "till" | "before")
                || s.eat_any(next, &["inch", "이하", "이상", "수준", "of", "을 ", "로 줄", "만 "]).is_some());
        let fraction = fraction && !told || s.byte(second_end) == b'-' && s.char(second_end + 1).is_some_and(is_latin);
        if fraction {
            let value = Value::Number(Number::ratio(i64::from(x), i64::from(y)));
            return Some(Hit::new(at, second_end, value));
        }
        Some(hit)
    }

    /// Takes the day of the week that stands beside a date: (목), 목요일, Thursday.
    pub(super) fn with_weekday(&self, start: usize, end: usize, mut date: Date) -> Hit {
        let s = self.s;
        let mut at = s.blank(end);
        let open = matches!(s.byte(at), b'(' | b'[');
        let comma = s.byte(at) == b',';
        if open || comma {
            at = s.blank(at + 1);
        }
        let found = match s.char(at) {
            Some(c) if is_hangul(c) => {
                let day = korean::DAYS.iter().position(|d| s.eat(at, d).is_some());
                day.and_then(|day| {
                    let short = at + 3;
                    let full = s.eat_any(short, &["요일", "욜"]);
                    let closed = open && s.byte(s.spaces(full.unwrap_or(short))) == b')';
                    (full.is_some() && !comma || closed).then_some((day as u8, full.unwrap_or(short)))
                })
            }
            Some(c) if is_latin(c) => {
                let word_end = s.latin_end(at);
                let word = s.slice(at, word_end);
                match phrase(&english::WORDS, word, word) {
                    Some((_, Lex::Weekday(day, Sort::Full | Sort::Short))) => {
                        let next = s.blank(word_end);
                        // "by 7 March, Friday 10 March" belongs to the next date.
                        let other = !open && (s.byte(next).is_ascii_digit() || comma && !self.folded.is_capital(at));
                        (!other).then_some((*day, word_end))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let mut end = end;
        if let Some((day, after)) = found {
            date.weekday = Some(day);
            end = if open && matches!(s.byte(s.spaces(after)), b')' | b']') { s.spaces(after) + 1 } else { after };
        }
        Hit::new(start, end, Value::Date(date))
    }

    /// 2025년 3월 20일, 3월 20일, 3월, 20일, 2025년 1분기.
    pub(super) fn korean_date(&self, at: usize) -> Option<Hit> {
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
                after = s.eat(after, "도").filter(|e| is_tail(s.slice(*e, s.hangul_end(*e)))).unwrap_or(after);
                let inner = s.blank(after);
                match self.in_year(at, inner, Some(year), None) {
                    Some(hit) => Some(hit),
                    None => {
                        let span = Period { year: Some(year), ..period(PeriodKind::Year, 0) };
                        Some(Hit::new(at, after, Value::Period(span)))
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
    pub(super) fn in_year(&self, start: usize, at: usize, year: Option<i16>, shift: Option<i32>) -> Option<Hit> {
        let s = self.s;
        let with = |kind, n, end| {
            let span = Period { year, shift, ..period(kind, n) };
            Hit::new(start, end, Value::Period(span))
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
        for (word, kind, n) in [
            ("상반기", PeriodKind::Half, 1),
            ("하반기", PeriodKind::Half, 2),
            ("봄", PeriodKind::Season, 1),
            ("여름", PeriodKind::Season, 2),
            ("가을", PeriodKind::Season, 3),
            ("겨울", PeriodKind::Season, 4),
        ] {
            if let Some(after) = s.eat(at, word).filter(|e| is_tail(s.slice(*e, s.hangul_end(*e)))) {
                return Some(with(kind, n, after));
            }
        }
        for (word, month, day) in [("말", 12, 31), ("연말", 12, 31), ("초", 1, 1), ("연초", 1, 1)] {
            if let Some(after) = s.eat(at, word).filter(|e| is_tail(s.slice(*e, s.hangul_end(*e)))) {
                let day = Date { year, shift: shift.map(Shift::Years), ..date(Some(month), Some(day)) };
                return Some(Hit::new(start, after, Value::Date(day)));
            }
        }
        None
    }

    /// From a month on: 3월 20일, 3월 말, 3월 둘째 주, 3월.
    fn month_day(&self, start: usize, at: usize, year: Option<i16>, shift: Option<i32>) -> Option<Hit> {
        let s = self.s;
        let end = s.digits_end(at);
        let month = small(s.slice(at, end), 12)?;
        self.after_month(start, s.eat(end, "월")?, month, year, shift)
    }

    /// See [`Self::month_day`]; `after` stands behind 월.
    pub(super) fn after_month(
        &self,
        start: usize,
        after: usize,
        month: u8,
        year: Option<i16>,
        shift: Option<i32>,
    ) -> Option<Hit> {
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
        let tail = |end: usize| is_tail(s.slice(end, s.hangul_end(end)));
        if let Some(end) = s.eat_any(next, &["말일", "말"]).filter(|e| tail(*e)) {
            return Some(dated(32, end));
        }
        for (word, part) in [("초순", 1), ("초", 1), ("중순", 2), ("하순", 3), ("상순", 1)] {
            if let Some(end) = s.eat(next, word).filter(|e| tail(*e)) {
                let span = Period { year, month: Some(month), shift, ..period(PeriodKind::PartOfMonth, part) };
                return Some(Hit::new(start, end, Value::Period(span)));
            }
        }
        if let Some((word, n)) = NATIVE_ORDINALS.iter().find(|(w, _)| s.eat(next, w).is_some()) {
            let unit = s.spaces(next + word.len());
            if let Some(end) = s.eat(unit, "주말").filter(|e| tail(*e)) {
                let span = Period { year, month: Some(month), shift, ..period(PeriodKind::Weekend, *n as i8) };
                return Some(Hit::new(start, end, Value::Period(span)));
            }
            if let Some(end) = s.eat_any(unit, &["주간", "주"]).filter(|e| tail(*e) || *e == s.hangul_end(unit)) {
                return Some(self.week_of(start, end, month, *n as i8, year, shift));
            }
            // 10월 둘째 화요일.
            let day = korean::DAYS.iter().position(|d| s.eat(unit, d).is_some());
            if let (Some(day), Some(end)) = (day, s.eat(unit + 3, "요일")) {
                return Some(self.nth_of_month(start, end, month, *n as i8, day as u8, year));
            }
        }
        if !tail(after) && s.eat_any(after, &["분", "호", "달", "중", "생", "경"]).is_none() {
            return None;
        }
        let end = s.eat(after, "분").filter(|e| tail(*e)).unwrap_or(after);
        let span = Period { year, month: Some(month), shift, ..period(PeriodKind::Month, 0) };
        Some(Hit::new(start, end, Value::Period(span)))
    }

    fn week_of(&self, start: usize, end: usize, month: u8, n: i8, year: Option<i16>, shift: Option<i32>) -> Hit {
        let span = Period { year, month: Some(month), shift, ..period(PeriodKind::Week, n) };
        Hit::new(start, end, Value::Period(span))
    }

    /// The n-th weekday of a month, as the day itself where the year is known.
    pub(super) fn nth_of_month(
        &self,
        start: usize,
        end: usize,
        month: u8,
        n: i8,
        weekday: u8,
        year: Option<i16>,
    ) -> Hit {
        let mut span = Period { year, month: Some(month), ..period(PeriodKind::Month, 0) };
        crate::language::values::calendar::settle_period(&mut span, self.today);
        let on = span.span.and_then(|(from, _)| {
            use chrono::Datelike;
            crate::language::values::calendar::nth_weekday(from.year(), month, n, weekday)
        });
        let found = Date { year, weekday: Some(weekday), on, ..date(Some(month), None) };
        Hit::new(start, end, Value::Date(found))
    }

    /// 20일: a day of the month, unless it measures.
    fn day_only(&self, at: usize) -> Option<Hit> {
        let s = self.s;
        let end = s.digits_end(at);
        let after = s.eat(end, "일")?;
        let run = s.slice(after, s.hangul_end(after));
        let n = s.slice(at, end).parse::<u32>().ok()?;
        let next = s.spaces(after);
        static MEASURES: Words = words!("units.measures");
        let length = s.eat_any(next, &MEASURES).is_some()
            || s.eat(next, "전").is_some_and(|e| is_tail(s.slice(e, s.hangul_end(e))) && s.eat(e, "체").is_none())
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

    /// A day and an English month: 20 March 2025, 20th of March, 16.
    pub(super) fn day_month(&self, at: usize) -> Option<Hit> {
        let s = self.s;
        let end = s.digits_end(at);
        let day = small(s.slice(at, end), 31).filter(|_| end - at <= 2)?;
        let mut next = s.eat_any(end, &["st", "nd", "rd", "th"]).filter(|e| s.ends_word(*e)).unwrap_or(end);
        if s.byte(next) == b'.' && s.byte(next + 1) == b' ' {
            next += 1;
        }
        let sep = if matches!(s.byte(next), b'-' | b'/') { next + 1 } else { s.blank(next) };
        let of = s.eat_word(sep, &["of"]).map_or(sep, |e| s.blank(e));
        let (month, month_end) = self.month_name(of, true)?;
        Some(self.with_year(at, month_end, date(Some(month), Some(day))))
    }

    /// The month named at a place; `may` and `march` need their capital unless a day stands beside them.
    fn month_name(&self, at: usize, beside: bool) -> Option<(u8, usize)> {
        let s = self.s;
        let end = s.latin_end(at);
        let word = s.slice(at, end);
        let Some((_, Lex::Month(month))) = phrase(&english::WORDS, word, word) else { return None };
        let shy = matches!(word, "may" | "march" | "mar" | "sun" | "dec" | "jan");
        if shy && !self.folded.is_capital(at) && !(beside && word != "may" && word != "mar") {
            return None;
        }
        let end = if s.byte(end) == b'.' && word.len() <= 4 && word != "may" { end + 1 } else { end };
        Some((*month, end))
    }

    /// The year and the weekday after a day and month.
    fn with_year(&self, start: usize, end: usize, mut date: Date) -> Hit {
        let s = self.s;
        let mut at = s.blank(end);
        if s.byte(at) == b',' {
            at = s.blank(at + 1);
        } else if matches!(s.byte(end), b'-' | b'/') {
            at = end + 1;
        } else if s.byte(at) == b'\'' && s.digits_end(at + 1) == at + 3 {
            let year = year_of(s.slice(at + 1, at + 3));
            date.year = year;
            return self.with_weekday(start, at + 3, date);
        }
        let stop = s.digits_end(at);
        let text = s.slice(at, stop);
        let year = year_of(text)
            .filter(|y| text.len() == 4 && (1900..2100).contains(y) && s.ends_word(stop) && s.byte(stop) != b':');
        match year {
            Some(year) => {
                date.year = Some(year);
                self.with_weekday(start, stop, date)
            }
            None => self.with_weekday(start, end, date),
        }
    }

    /// "the 16th": a day of the month, or a place in a row where a noun follows.
    pub(super) fn nth(&self, at: usize) -> Option<Hit> {
        let s = self.s;
        let end = s.digits_end(at);
        let after = s.eat_any(end, &["st", "nd", "rd", "th"]).filter(|e| s.ends_word(*e))?;
        let n = s.slice(at, end).parse::<i32>().ok()?;
        self.ordinal(at, after, n)
    }

    /// What an English ordinal says: a day, the n-th weekday, a quarter, a round, a floor.
    pub(super) fn ordinal(&self, start: usize, end: usize, n: i32) -> Option<Hit> {
        let s = self.s;
        let digits = s.byte(start).is_ascii_digit();
        let mut next = s.blank(end);
        if s.byte(end) == b'-' {
            next = end + 1;
        }
        let word_end = s.latin_end(next);
        let word = s.slice(next, word_end);
        let day = u8::try_from(n).ok().filter(|d| (1..=31).contains(d));
        if word == "of"
            && let Some(day) = day
        {
            let name = s.blank(word_end);
            if let Some((month, month_end)) = self.month_name(name, true) {
                return Some(self.with_year(start, month_end, date(Some(month), Some(day))));
            }
            if let Some(hit) = self.of_month(start, name, day) {
                return Some(hit);
            }
        }
        if let Some((month, month_end)) = self.month_name(next, true).filter(|_| digits)
            && let Some(day) = day
        {
            return Some(self.with_year(start, month_end, date(Some(month), Some(day))));
        }
        match phrase(&english::WORDS, word, word) {
            Some((_, Lex::Weekday(weekday, _))) if n <= 5 => {
                return self.nth_weekday(start, word_end, n as i8, *weekday);
            }
            Some((_, Lex::Series(of))) if *of != "day" => {
                return Some(Hit::new(start, word_end, Value::Ordinal { number: n, of }));
            }
            Some((_, Lex::Head("floor"))) => {
                return Some(Hit::new(
                    start,
                    word_end,
                    super::numeric::identifier("floor", Number::whole(i64::from(n))),
                ));
            }
            _ => {}
        }
        match word {
            "quarter" if n <= 4 => {
                return Some(self.numbered_period(start, word_end, PeriodKind::Quarter, n as i8, None));
            }
            "half" if n <= 2 => return Some(self.numbered_period(start, word_end, PeriodKind::Half, n as i8, None)),
            "term" | "semester" if n <= 4 => {
                return Some(self.numbered_period(start, word_end, PeriodKind::Term, n as i8, None));
            }
            "week" | "weekend" if n <= 5 => {
                let of = s.eat_word(s.blank(word_end), &["of", "in"])?;
                let name = s.blank(of);
                let kind = if word == "week" { PeriodKind::Week } else { PeriodKind::Weekend };
                if let Some((month, month_end)) = self.month_name(name, true) {
                    let span = Period { month: Some(month), ..period(kind, n as i8) };
                    return Some(Hit::new(start, month_end, Value::Period(span)));
                }
            }
            _ => {}
        }
        let noun = !word.is_empty() && !self.is_stop(next);
        if digits && !noun && n > 0 {
            let before = s.word_before(start);
            let day = day.filter(|_| {
                matches!(
                    before,
                    "the" | "on" | "by" | "until" | "till" | "from" | "to" | "and" | "before" | "after" | "of"
                ) || before.is_empty()
                    || phrase(&english::WORDS, before, before).is_some_and(|w| matches!(w.1, Lex::Weekday(..)))
            });
            if let Some(day) = day {
                return Some(self.with_weekday(start, end, date(None, Some(day))));
            }
        }
        (noun && (digits || s.word_before(start) != "at"))
            .then(|| Hit::new(start, end, Value::Ordinal { number: n, of: "" }))
    }

    /// "the 25th of each month", "the 3rd of next month".
    fn of_month(&self, start: usize, at: usize, day: u8) -> Option<Hit> {
        let s = self.s;
        let first = s.latin_end(at);
        let word = s.slice(at, first);
        let month = s.eat_word(s.blank(first), &["month"])?;
        match word {
            "each" | "every" => Some(self.monthly(start, month, day)),
            "this" | "the" | "next" | "last" => {
                let n = match word {
                    "next" => 1,
                    "last" => -1,
                    _ => 0,
                };
                let date = Date { shift: Some(Shift::Months(n)), ..date(None, Some(day)) };
                Some(Hit::new(start, month, Value::Date(date)))
            }
            _ => None,
        }
    }

    /// A month first: March 20th, 2025; March; May.
    pub(super) fn month_first(&self, at: usize) -> Option<Hit> {
        let s = self.s;
        let (month, end) = self.month_name(at, false).or_else(|| {
            let (month, end) = self.month_name(at, true)?;
            let next = s.blank(end);
            s.byte(next).is_ascii_digit().then_some((month, end))
        })?;
        let next = if s.byte(end) == b'-' && s.byte(end + 1).is_ascii_digit() { end + 1 } else { s.blank(end) };
        let next = s.eat_word(next, &["the"]).map_or(next, |e| s.blank(e));
        let stop = s.digits_end(next);
        let text = s.slice(next, stop);
        let after = s.eat_any(stop, &["st", "nd", "rd", "th"]).filter(|e| s.ends_word(*e));
        if let Some(day) = small(text, 31).filter(|_| text.len() <= 2) {
            let end = after.unwrap_or(stop);
            let odd = matches!(s.byte(end), b':' | b'%') || s.byte(end) == b'.' && s.byte(end + 1).is_ascii_digit();
            let unit = s.char(s.spaces(end)).is_some_and(is_latin) && after.is_none() && self.meridiem_follows(end);
            if !odd && !unit && (s.ends_word(end)) {
                return Some(self.with_year(at, end, date(Some(month), Some(day))));
            }
        }
        let mut span = Period { month: Some(month), ..period(PeriodKind::Month, 0) };
        let mut end = end;
        let (year_at, year_end) =
            if s.byte(next) == b',' { (s.blank(next + 1), s.digits_end(s.blank(next + 1))) } else { (next, stop) };
        let text = s.slice(year_at, year_end);
        if text.len() == 4 && s.ends_word(year_end) {
            span.year = year_of(text).filter(|y| (1900..2100).contains(y));
            if span.year.is_some() {
                end = year_end;
            }
        } else if s.byte(next) == b'\'' && s.digits_end(next + 1) == next + 3 {
            span.year = year_of(s.slice(next + 1, next + 3));
            end = next + 3;
        }
        // "may" the verb has no capital; "May I" has.
        let word = s.slice(at, s.latin_end(at));
        if word == "may" && span.year.is_none() {
            let before = s.word_before(at);
            let told = matches!(
                before,
                "in" | "of"
                    | "by"
                    | "until"
                    | "till"
                    | "from"
                    | "since"
                    | "next"
                    | "last"
                    | "this"
                    | "every"
                    | "each"
                    | "early"
                    | "late"
                    | "mid"
                    | "through"
                    | "to"
                    | "and"
                    | "or"
                    | "for"
                    | "during"
                    | "before"
                    | "after"
                    | "between"
            );
            let first = s.head(at).trim_end();
            let sentence = first.is_empty() || first.ends_with(['.', '!', '?', ':', '\n']);
            if !told && (sentence || s.eat_word(s.blank(end), &["i", "we", "you"]).is_some()) {
                return None;
            }
        }
        if word == "march" && s.eat_word(s.blank(end), &["to", "for"]).is_some() && s.head(at).trim_end().is_empty() {
            return None;
        }
        Some(Hit::new(at, end, Value::Period(span)))
    }

    fn meridiem_follows(&self, end: usize) -> bool {
        let at = self.s.spaces(end);
        self.s
            .eat_any(at, &["am", "pm", "a.m", "p.m", "o'clock"])
            .is_some_and(|e| self.s.ends_word(e) || self.s.byte(e) == b'.')
    }

    /// A day of the week, alone or with its date: Thursday, Thursday 20 March, Thursday the 10th.
    pub(super) fn weekday(&self, at: usize, end: usize, day: u8, sort: Sort) -> Option<Hit> {
        let s = self.s;
        if sort == Sort::Plural {
            return Some(self.weekly(at, end, day));
        }
        let short = sort == Sort::Short;
        if short && !self.folded.is_capital(at) {
            return None;
        }
        let mut next = if short && s.byte(end) == b'.' { end + 1 } else { end };
        next = s.blank(next);
        if s.byte(next) == b',' {
            next = s.blank(next + 1);
        }
        next = s.eat_word(next, &["on"]).map_or(next, |e| s.blank(e));
        let number = s.eat_word(next, &["the"]).map_or(next, |e| s.blank(e));
        let dated = self
            .numeric_date(number)
            .or_else(|| self.day_month(number))
            .or_else(|| self.month_first(next).filter(|_| self.s.char(next).is_some_and(is_latin)))
            .or_else(|| if s.byte(number).is_ascii_digit() { self.nth(number) } else { None });
        if let Some(Hit { end: stop, value: Value::Date(mut found), .. }) = dated {
            found.weekday = Some(day);
            return Some(Hit::new(at, stop, Value::Date(found)));
        }
        // "Sat", "Sun", "Mon" alone are days only after a word that takes one, or beside a time.
        if short {
            let told = matches!(
                s.word_before(at),
                "on" | "by"
                    | "next"
                    | "this"
                    | "last"
                    | "until"
                    | "till"
                    | "every"
                    | "from"
                    | "to"
                    | "and"
                    | "before"
                    | "after"
            ) || s.byte(s.spaces(end)).is_ascii_digit()
                || matches!(s.byte(end), b'-' | b'/' | b',' | b')' | b':')
                || s.before(at) == Some('-');
            if !told {
                return None;
            }
        }
        let shift = None;
        let found = Date { weekday: Some(day), shift, ..Date::default() };
        // "Monday week" is a week later.
        if let Some(week) = s.eat_word(s.spaces(end), &["week"]) {
            let found = Date { shift: Some(Shift::Weeks(1)), ..found };
            return Some(Hit::new(at, week, Value::Date(found)));
        }
        Some(Hit::new(at, end, Value::Date(found)))
    }

    /// 월요일, 월요일마다.
    pub(super) fn korean_weekday(&self, at: usize, end: usize, day: u8) -> Option<Hit> {
        let s = self.s;
        let run = s.slice(end, s.hangul_end(end));
        if run.starts_with("마다") {
            return Some(self.weekly(at, end + "마다".len(), day));
        }
        if !is_tail(run) && self.s.eat_any(end, &["오전", "오후", "저녁", "밤", "아침", "새벽"]).is_none() {
            return None;
        }
        Some(Hit::new(at, end, Value::Date(Date { weekday: Some(day), ..Date::default() })))
    }

    /// What a word like next, 다음 stands before; `n` is 1 for next.
    pub(super) fn shifted(&self, at: usize, end: usize, n: i32) -> Option<Hit> {
        let s = self.s;
        let next = s.blank(end);
        let c = s.char(next)?;
        if is_hangul(c) {
            const UNITS: &[(&str, PeriodKind)] = &[
                ("주말", PeriodKind::Weekend),
                ("주", PeriodKind::Week),
                ("달", PeriodKind::Month),
                ("월", PeriodKind::Month),
                ("분기", PeriodKind::Quarter),
                ("반기", PeriodKind::Half),
                ("학기", PeriodKind::Term),
                ("해", PeriodKind::Year),
                ("봄", PeriodKind::Season),
                ("여름", PeriodKind::Season),
                ("가을", PeriodKind::Season),
                ("겨울", PeriodKind::Season),
            ];
            for (day, name) in korean::DAYS.iter().enumerate() {
                if let Some(stop) = s.eat(next, name).and_then(|e| s.eat_any(e, &["요일", "욜"])) {
                    let found = Date { weekday: Some(day as u8), shift: Some(Shift::Weeks(n)), ..Date::default() };
                    return Some(Hit::new(at, stop, Value::Date(found)));
                }
            }
            let (word, kind) = UNITS.iter().find(|(w, _)| s.eat(next, w).is_some())?;
            let after = next + word.len();
            let run = s.slice(after, s.hangul_end(after));
            if !is_tail(run)
                && !["중", "초", "말", "내", "안", "월요", "화요", "수요", "목요", "금요", "토요", "일요"]
                    .iter()
                    .any(|w| run.starts_with(w))
            {
                return None;
            }
            return self.relative(at, after, *kind, n, season(word));
        }
        let word_end = s.latin_end(next);
        let word = s.slice(next, word_end);
        let lex = phrase(&english::WORDS, word, word).map(|(_, lex)| *lex);
        match (word, lex) {
            (_, Some(Lex::Weekday(day, sort))) if sort != Sort::Plural => {
                // "next Friday" is the one of next week, "last Friday" the one before today.
                let hit = self.weekday(next, word_end, day, Sort::Full)?;
                let Value::Date(mut found) = hit.value else { return None };
                if found.month.is_none() && found.day.is_none() {
                    found.shift = Some(Shift::Weeks(n));
                    if n < 0 {
                        self.last_weekday(&mut found, day);
                    }
                }
                // "the last Friday of the month", "last Friday in June".
                if n < 0 && s.eat_word(s.blank(hit.end), &["of", "in"]).is_some() {
                    return self.nth_weekday(at, word_end, -1, day);
                }
                Some(Hit::new(at, hit.end, Value::Date(found)))
            }
            ("week", _) => self.relative(at, word_end, PeriodKind::Week, n, 0),
            ("weekend", _) => self.relative(at, word_end, PeriodKind::Weekend, n, 0),
            ("month", _) => self.relative(at, word_end, PeriodKind::Month, n, 0),
            ("quarter", _) => self.relative(at, word_end, PeriodKind::Quarter, n, 0),
            ("year", _) => self.relative(at, word_end, PeriodKind::Year, n, 0),
            ("term" | "semester", _) => self.relative(at, word_end, PeriodKind::Term, n, 0),
            ("night" | "evening" | "morning" | "afternoon", _) if n <= 0 => {
                let found = Date { shift: Some(Shift::Days(n)), ..Date::default() };
                Some(Hit::new(at, word_end, Value::Date(found)))
            }
            (_, Some(Lex::Month(_))) => {
                let hit = self.month_first(next)?;
                match hit.value {
                    Value::Period(mut p) if p.year.is_none() => {
                        self.month_from(&mut p, n);
                        Some(Hit::new(at, hit.end, Value::Period(p)))
                    }
                    _ => Some(hit),
                }
            }
            (_, Some(Lex::Period(PeriodKind::Season, season))) => {
                let found = Period { shift: Some(n.min(0)), ..period(PeriodKind::Season, season) };
                Some(Hit::new(at, word_end, Value::Period(found)))
            }
            _ => None,
        }
    }

    /// The weekday before today.
    fn last_weekday(&self, found: &mut Date, day: u8) {
        use chrono::Datelike;
        if let Some(today) = self.today {
            let back = (today.weekday().num_days_from_monday() as i32 - i32::from(day) - 1).rem_euclid(7) + 1;
            found.on = crate::language::values::calendar::plus_days(today, -back);
        }
    }

    /// The next, this or last month of a name.
    fn month_from(&self, found: &mut Period, n: i32) {
        use chrono::Datelike;
        let (Some(today), Some(month)) = (self.today, found.month) else { return };
        let gone = u32::from(month) <= today.month();
        let year = today.year()
            + if n > 0 && gone {
                1
            } else if n < 0 && u32::from(month) >= today.month() {
                -1
            } else {
                0
            };
        found.year = i16::try_from(year).ok();
    }

    /// A stretch relative to the reference day, and what stands in it: 다음 주 월요일, 내년 3월, 이달 말.
    pub(super) fn relative(&self, start: usize, end: usize, kind: PeriodKind, n: i32, number: i8) -> Option<Hit> {
        let s = self.s;
        let next = s.blank(end);
        match kind {
            PeriodKind::Week => {
                let inner = s.eat_word(next, &["on"]).map_or(next, |e| s.blank(e));
                if let Some((day, stop)) = self.day_name(inner) {
                    let found = Date { weekday: Some(day), shift: Some(Shift::Weeks(n)), ..Date::default() };
                    // "다음 주 화·목" keeps its first day here.
                    return Some(Hit::new(start, stop, Value::Date(found)));
                }
                if let Some(stop) = s.eat_any(next, &["주말"]).filter(|e| is_tail(s.slice(*e, s.hangul_end(*e)))) {
                    let found = Period { shift: Some(n), ..period(PeriodKind::Weekend, 0) };
                    return Some(Hit::new(start, stop, Value::Period(found)));
                }
            }
            PeriodKind::Month => {
                let stop = s.digits_end(next);
                if let Some(day) = small(s.slice(next, stop), 31)
                    && let Some(stop) = s.eat(stop, "일")
                {
                    let found = Date { shift: Some(Shift::Months(n)), ..date(None, Some(day)) };
                    return Some(self.with_weekday(start, stop, found));
                }
                let tail = |e: &usize| is_tail(s.slice(*e, s.hangul_end(*e)));
                if let Some(stop) = s.eat_any(next, &["말일", "말"]).filter(tail) {
                    let found = Date { shift: Some(Shift::Months(n)), ..date(None, Some(32)) };
                    return Some(Hit::new(start, stop, Value::Date(found)));
                }
                for (word, part) in [("초", 1), ("중순", 2), ("하순", 3)] {
                    if let Some(stop) = s.eat(next, word).filter(tail) {
                        let found = Period { shift: Some(n), ..period(PeriodKind::PartOfMonth, part) };
                        return Some(Hit::new(start, stop, Value::Period(found)));
                    }
                }
            }
            PeriodKind::Year => {
                if let Some(hit) = self.in_year(start, next, None, Some(n)) {
                    return Some(hit);
                }
            }
            _ => {}
        }
        Some(Hit::new(start, end, Value::Period(Period { shift: Some(n), ..period(kind, number) })))
    }

    /// The day of the week named at a place, in either language.
    pub(super) fn day_name(&self, at: usize) -> Option<(u8, usize)> {
        let s = self.s;
        if s.char(at).is_some_and(is_hangul) {
            let day = korean::DAYS.iter().position(|d| s.eat(at, d).is_some())?;
            return s.eat_any(at + 3, &["요일", "욜"]).map(|e| (day as u8, e));
        }
        let end = s.latin_end(at);
        let word = s.slice(at, end);
        match phrase(&english::WORDS, word, word) {
            Some((_, Lex::Weekday(day, Sort::Full | Sort::Short))) => Some((*day, end)),
            _ => None,
        }
    }

    /// A numbered stretch, with the year that may follow or stand before: Q2 2026, 1분기, FY25.
    pub(super) fn numbered_period(
        &self,
        start: usize,
        end: usize,
        kind: PeriodKind,
        number: i8,
        year: Option<i16>,
    ) -> Hit {
        let s = self.s;
        let mut found = Period { year, ..period(kind, number) };
        let mut end = end;
        if kind == PeriodKind::SchoolYear {
            return Hit::new(start, end, Value::Ordinal { number: i32::from(number), of: "grade" });
        }
        if year.is_none() {
            let mut at = s.blank(end);
            at = s.eat_word(at, &["of", "in"]).map_or(at, |e| s.blank(e));
            if matches!(s.byte(end), b'/' | b'-' | b'\'') {
                at = end + 1;
            } else if s.byte(at) == b'\'' {
                at += 1;
            }
            let stop = s.digits_end(at);
            let text = s.slice(at, stop);
            let tight = at == end + 1 && s.byte(end) != b' ' || s.before(at) == Some('\'');
            if s.ends_word(stop) && (text.len() == 4 || tight && text.len() == 2) {
                found.year = year_of(text).filter(|y| (1990..2100).contains(y));
                if found.year.is_some() {
                    end = stop;
                }
            }
        }
        Hit::new(start, end, Value::Period(found))
    }

    /// '25년, '25.
    pub(super) fn short_year(&self, at: usize) -> Option<Hit> {
        let s = self.s;
        if s.before(at).is_some_and(char::is_alphanumeric) || s.digits_end(at + 1) != at + 3 {
            return None;
        }
        let mut hit = self.korean_date(at + 1).filter(|_| s.eat(at + 3, "년").is_some())?;
        hit.start = at;
        Some(hit)
    }

    /// A length of time, or the day that far away: 2주 뒤, in two weeks, a week ago, 20분마다.
    pub(super) fn around_duration(&self, start: usize, end: usize, length: Duration) -> Hit {
        let s = self.s;
        if let Some(hit) = self.repeated(start, end, length) {
            return hit;
        }
        let plain = Hit::new(start, end, Value::Duration(length));
        let next = s.blank(end);
        let whole = length.seconds.is_multiple_of(86_400);
        if !whole || length.months > 0 && length.seconds > 0 {
            return plain;
        }
        let days = i32::try_from(length.seconds / 86_400).unwrap_or(0);
        let months = i32::try_from(length.months).unwrap_or(0);
        let tail = |e: &usize| {
            let run = s.slice(*e, s.hangul_end(*e));
            is_tail(run) && !run.starts_with('반')
        };
        let to = |sign: i32, stop: usize, start: usize| {
            let shift = if months > 0 { Shift::Months(sign * months) } else { Shift::Days(sign * days) };
            Hit::new(start, stop, Value::Date(Date { shift: Some(shift), ..Date::default() }))
        };
        if let Some(stop) = s.eat_any(next, &["뒤", "후", "이후", "있다가"]).filter(tail) {
            return to(1, stop, start);
        }
        if let Some(stop) = s.eat(next, "전").filter(tail) {
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

fn season(word: &str) -> i8 {
    match word {
        "봄" => 1,
        "여름" => 2,
        "가을" => 3,
        "겨울" => 4,
        _ => 0,
    }
}
