//! Parses English dates: 20 March 2025, March 20th, Thursday the 10th, the third Friday.

use super::{date, period, small, stretch, year_of};
use crate::language::values::{
    ValueHit, ValueReader, english,
    lexicon::{Lex, Sort},
    value::{Date, Period, PeriodKind, Shift, Value},
};
use crate::language::words;

impl ValueReader<'_> {
    /// Parses a day before its month: 20 March 2025, 20th of March, 20-Mar.
    pub fn day_month(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let end = s.digits_end(at);
        let day = small(s.slice(at, end), 31).filter(|_| end - at <= 2)?;
        let mut next = self.ordinal_end(end).unwrap_or(end);
        if s.byte(next) == b'.' && s.byte(next + 1) == b' ' {
            next += 1;
        }
        let sep = if matches!(s.byte(next), b'-' | b'/') { next + 1 } else { s.blank(next) };
        let of = s.past_word(sep, &["of"]);
        let (month, month_end) = self.month_name(of, true)?;
        Some(self.with_year(at, month_end, date(Some(month), Some(day))))
    }

    /// A month name at `at`. `may` and `mar` need a capital, `march` too unless a number is `beside`.
    pub fn month_name(&self, at: usize, beside: bool) -> Option<(u8, usize)> {
        let s = self.s;
        let (word, end) = s.latin(at);
        let Some(Lex::Month(month)) = english::WORDS.meaning(word) else { return None };
        let shy = words!("english/grammar.shy months").contains(&word);
        if shy && !self.folded.is_capital(at) && !(beside && word != "may" && word != "mar") {
            return None;
        }
        let end = if s.byte(end) == b'.' && word.len() <= 4 && word != "may" { end + 1 } else { end };
        Some((*month, end))
    }

    /// Adds the year and weekday that follow a day and month.
    fn with_year(&self, start: usize, end: usize, date: Date) -> ValueHit {
        let s = self.s;
        let mut at = s.blank(end);
        if s.byte(at) == b',' {
            at = s.blank(at + 1);
        } else if matches!(s.byte(end), b'-' | b'/') {
            at = end + 1;
        }
        match self.full_year(at).filter(|(_, stop)| s.byte(*stop) != b':') {
            Some((year, stop)) => self.with_weekday(start, stop, Date { year: Some(year), ..date }),
            None => self.with_weekday(start, end, date),
        }
    }

    pub fn full_year(&self, at: usize) -> Option<(i16, usize)> {
        let (text, end) = self.s.digits(at);
        let year = year_of(text).filter(|y| text.len() == 4 && (1900..2100).contains(y) && self.s.ends_word(end));
        year.map(|year| (year, end))
    }

    /// The end of st, nd, rd or th at `at`.
    fn ordinal_end(&self, at: usize) -> Option<usize> {
        self.s.eat_any(at, &["st", "nd", "rd", "th"]).filter(|end| self.s.ends_word(*end))
    }

    /// Parses "the 16th": a day of the month, or an ordinal before a noun.
    pub fn nth(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let end = s.digits_end(at);
        let after = self.ordinal_end(end)?;
        let n = s.slice(at, end).parse::<i32>().ok()?;
        self.ordinal(at, after, n)
    }

    /// Interprets an English ordinal: a day, the n-th weekday, a quarter, a round, a floor.
    pub fn ordinal(&self, start: usize, end: usize, n: i32) -> Option<ValueHit> {
        let s = self.s;
        let digits = s.byte(start).is_ascii_digit();
        let mut next = s.blank(end);
        if s.byte(end) == b'-' {
            next = end + 1;
        }
        let (word, word_end) = s.latin(next);
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
        let small = n as i8;
        match (word, english::WORDS.meaning(word)) {
            (_, Some(Lex::Weekday(weekday, _))) if n <= 5 => return self.nth_weekday(start, word_end, small, *weekday),
            (_, Some(Lex::Series(of))) if *of != "day" => {
                return Some(ValueHit::new(start, word_end, Value::Ordinal { number: n, of }));
            }
            (_, Some(Lex::Head("floor"))) => {
                return Some(ValueHit::new(start, word_end, Value::identifier("floor", &n.to_string())));
            }
            ("quarter", _) if n <= 4 => return Some(self.numbered_period(start, word_end, PeriodKind::Quarter, small)),
            ("half", _) if n <= 2 => return Some(self.numbered_period(start, word_end, PeriodKind::Half, small)),
            ("week" | "weekend", _) if n <= 5 => {
                let (of, kind) = (s.eat_word(s.blank(word_end), &["of", "in"])?, stretch(word)?);
                if let Some((month, month_end)) = self.month_name(s.blank(of), true) {
                    let of_month = Period { month: Some(month), ..period(kind, small) };
                    return Some(ValueHit::period(start, month_end, of_month));
                }
            }
            _ => {}
        }
        let noun = !word.is_empty() && !self.is_stop(next);
        if digits && !noun {
            let before = s.word_before(start);
            let day = day.filter(|_| {
                words!("english/grammar.before a day").contains(&before)
                    || before.is_empty()
                    || english::WORDS.meaning(before).is_some_and(|l| matches!(l, Lex::Weekday(..)))
            });
            if let Some(day) = day {
                return Some(self.with_weekday(start, end, date(None, Some(day))));
            }
        }
        (noun && (digits || s.word_before(start) != "at"))
            .then(|| ValueHit::new(start, end, Value::Ordinal { number: n, of: "" }))
    }

    /// Parses "the 25th of each month", "the 3rd of next month".
    fn of_month(&self, start: usize, at: usize, day: u8) -> Option<ValueHit> {
        let s = self.s;
        let (word, first) = s.latin(at);
        let month = s.eat_word(s.blank(first), &["month"])?;
        let n = match (word, english::WORDS.meaning(word)) {
            ("each" | "every", _) => return Some(self.monthly(start, month, day)),
            ("the", _) => 0,
            (_, Some(Lex::Shift(n))) => *n,
            _ => return None,
        };
        Some(ValueHit::date(start, month, Date { shift: Some(Shift::Months(n)), ..date(None, Some(day)) }))
    }

    /// Parses a date or period that starts with the month: March 20th, 2025; March; May.
    pub fn month_first(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let (month, end) = self.month_name(at, false).or_else(|| {
            let (month, end) = self.month_name(at, true)?;
            let next = s.blank(end);
            s.byte(next).is_ascii_digit().then_some((month, end))
        })?;
        let next = s.past_word(s.blank(end), &["the"]);
        let (text, stop) = s.digits(next);
        let after = self.ordinal_end(stop);
        if let Some(day) = small(text, 31) {
            let end = after.unwrap_or(stop);
            let odd = matches!(s.byte(end), b':' | b'%') || s.byte(end) == b'.' && s.byte(end + 1).is_ascii_digit();
            if !odd {
                return Some(self.with_year(at, end, date(Some(month), Some(day))));
            }
        }
        let mut span = Period { month: Some(month), ..period(PeriodKind::Month, 0) };
        let mut end = end;
        let year_at = if s.byte(next) == b',' { s.blank(next + 1) } else { next };
        if let Some((year, stop)) = self.full_year(year_at) {
            (span.year, end) = (Some(year), stop);
        }
        // "may" as a verb is lower case, except in "May I".
        let word = s.slice(at, s.latin_end(at));
        if word == "may" && span.year.is_none() {
            let before = s.word_before(at);
            let told = words!("english/grammar.before a month").contains(&before);
            if !told && self.begins_sentence(at) {
                return None;
            }
        }
        Some(ValueHit::new(at, end, Value::Period(span)))
    }

    /// Parses a weekday, alone or with its date: Thursday, Thursday 20 March, Thursday the 10th.
    pub fn weekday(&self, at: usize, end: usize, day: u8, sort: Sort) -> Option<ValueHit> {
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
        next = s.past_word(next, &["on"]);
        let number = s.past_word(next, &["the"]);
        let dated = self
            .numeric_date(number)
            .or_else(|| self.day_month(number))
            .or_else(|| self.month_first(next))
            .or_else(|| if s.byte(number).is_ascii_digit() { self.nth(number) } else { None });
        if let Some(ValueHit { end: stop, value: Value::Date(mut found), .. }) = dated {
            found.weekday = Some(day);
            return Some(ValueHit::new(at, stop, Value::Date(found)));
        }
        // "Sat", "Sun" and "Mon" are weekdays only after certain words or next to a time or another
        // weekday.
        if short {
            let told = self.is_beside_a_day(at, end)
                || words!("english/grammar.before a weekday").contains(&s.word_before(at))
                || s.byte(s.spaces(end)).is_ascii_digit()
                || matches!(s.byte(end), b'-' | b'/' | b',' | b')' | b':')
                || s.before(at) == Some('-');
            if !told {
                return None;
            }
        }
        let found = Date { weekday: Some(day), ..Date::default() };
        // "Monday week" is a week after Monday.
        if let Some(week) = s.eat_word(s.spaces(end), &["week"]) {
            let found = Date { shift: Some(Shift::Weeks(1)), ..found };
            return Some(ValueHit::new(at, week, Value::Date(found)));
        }
        Some(ValueHit::new(at, end, Value::Date(found)))
    }

    /// Whether another weekday is joined to this one: "Tue & Fri", "Mon to Thu".
    fn is_beside_a_day(&self, at: usize, end: usize) -> bool {
        let s = self.s;
        let is_day = |word: &str| matches!(english::WORDS.meaning(word), Some(Lex::Weekday(..)));
        let next = s.spaces(end);
        let next = ["&", "+", "·"]
            .iter()
            .find_map(|link| s.eat(next, link))
            .or_else(|| s.eat_word(next, &["and", "or", "to"]));
        let ahead = next.map_or("", |next| s.latin(s.spaces(next)).0);
        let before = s.slice(0, at).trim_end().strip_suffix(['&', '+', '·', ',']).unwrap_or_default();
        is_day(ahead) || is_day(s.word_before(before.len()))
    }
}
