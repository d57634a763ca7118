//! Parses recurrences: 매주 화요일, every other Tuesday, monthly, twice a week, 20분마다. Does not compute their dates.

use super::{
    ValueHit, ValueReader,
    date::small,
    english,
    korean::{CYCLES, marks},
    lexicon::{Lex, Sort},
    value::{Cycle, Duration, On, Recurrence, Value, Weekdays},
};
use crate::language::text::hangul::is_hangul;
use crate::language::{Words, words};

pub(super) const fn every(every: u16, unit: Cycle, on: On) -> Recurrence {
    Recurrence { every, unit, on, times: 1 }
}

fn cycle_of(length: Duration) -> Option<(u16, Cycle)> {
    if length.months > 0 {
        let n = u16::try_from(length.months).ok()?;
        return Some(match n {
            _ if n % 12 == 0 => (n / 12, Cycle::Year),
            3 => (1, Cycle::Quarter),
            _ => (n, Cycle::Month),
        });
    }
    for (size, unit) in [(7 * 86_400, Cycle::Week), (86_400, Cycle::Day), (3600, Cycle::Hour), (60, Cycle::Minute)] {
        if length.seconds > 0 && length.seconds.is_multiple_of(size) {
            return Some((u16::try_from(length.seconds / size).ok()?, unit));
        }
    }
    None
}

fn cycle_word(word: &str) -> Option<Cycle> {
    match english::CYCLES.meaning(word)? {
        Lex::Every(_, cycle) => Some(*cycle),
        _ => None,
    }
}

fn recurring(start: usize, end: usize, recurrence: Recurrence) -> ValueHit {
    ValueHit::new(start, end, Value::Recurrence(recurrence))
}

impl ValueReader<'_> {
    /// Parses Mondays, 월요일마다, with more weekdays that may follow.
    pub fn weekly(&self, start: usize, end: usize, day: u8) -> ValueHit {
        let (days, end) = self.more_days(end, 1 << day);
        recurring(start, end, every(1, Cycle::Week, On::Weekdays(Weekdays(days))))
    }

    /// Adds further weekdays: "Mondays and Thursdays", "월요일과 목요일".
    fn more_days(&self, mut end: usize, mut days: u8) -> (u8, usize) {
        let s = self.s;
        loop {
            let mut at = end;
            if s.char(at).is_some_and(is_hangul) {
                at = s.eat_any(at, words!("korean/grammar.and")).unwrap_or(at);
            }
            at = s.blank(at);
            for link in [",", "·", "/", "&"] {
                at = s.eat(at, link).map_or(at, |e| s.blank(e));
            }
            at = s.past_word(at, &["and", "or"]);
            at = s.past_word(at, &["on"]);
            if at == end {
                return (days, end);
            }
            let Some((day, stop)) = self.any_day(at) else { return (days, end) };
            days |= 1 << day;
            end = s.eat_any(stop, marks::EVERY).unwrap_or(stop);
        }
    }

    /// Monthly on a day, such as the 25th.
    pub fn monthly(&self, start: usize, end: usize, day: u8) -> ValueHit {
        recurring(start, end, every(1, Cycle::Month, On::Day(day)))
    }

    /// The n-th weekday of each month, or of a named month.
    pub fn nth_weekday(&self, start: usize, end: usize, n: i8, day: u8) -> Option<ValueHit> {
        let s = self.s;
        let of_each = every(1, Cycle::Month, On::Nth(n, Weekdays(1 << day)));
        let Some(of) = s.eat_word(s.blank(end), &["of", "in"]) else {
            return (n > 0).then(|| recurring(start, end, of_each));
        };
        let next = s.blank(of);
        let (word, word_end) = s.latin(next);
        match (word, english::WORDS.meaning(word)) {
            ("each" | "every" | "the", _) => {
                let month = s.eat_word(s.blank(word_end), &["month"])?;
                Some(recurring(start, month, of_each))
            }
            (_, Some(Lex::Month(month))) => Some(self.nth_of_month(start, word_end, *month, n, day, None)),
            _ => None,
        }
    }

    /// Parses what follows every, each, alternate; every `times` units.
    pub fn each(&self, start: usize, end: usize, mut times: u16) -> Option<ValueHit> {
        let s = self.s;
        let mut at = s.blank(end);
        if let Some(end) = s.eat_word(at, &["other", "second"]) {
            (times, at) = (2, s.blank(end));
        }
        let (name, stop) = s.latin(at);
        if name == "weekday" {
            return Some(recurring(start, stop, every(1, Cycle::Week, On::Weekdays(Weekdays::WORKING))));
        }
        if name == "weekend" {
            return Some(recurring(start, stop, every(times, Cycle::Week, On::Weekdays(Weekdays::WEEKEND))));
        }
        if let Some(unit) = cycle_word(name) {
            return Some(recurring(start, stop, every(times, unit, On::Any)));
        }
        if let Some(Lex::Weekday(day, _)) = english::WORDS.meaning(name) {
            let (days, after) = self.more_days(stop, 1 << day);
            return Some(recurring(start, after, every(times, Cycle::Week, On::Weekdays(Weekdays(days)))));
        }
        // "every 15 minutes", "every two weeks", "every 1 May".
        if let Some((length, after)) = self.amount(at).and_then(|amount| self.time_unit(&amount)) {
            let (n, unit) = cycle_of(length)?;
            return Some(recurring(start, after, every(n, unit, On::Any)));
        }
        if let Some(Lex::Month(month)) = english::WORDS.meaning(name) {
            return Some(recurring(start, stop, every(1, Cycle::Year, On::Yearly(*month, 0))));
        }
        None
    }

    /// Parses weekly, monthly, 매주, 격월, with their days.
    pub fn cyclic(&self, start: usize, end: usize, n: u16, unit: Cycle) -> Option<ValueHit> {
        let s = self.s;
        let korean = s.before(end).is_some_and(is_hangul);
        let at = s.past_word(s.blank(end), &["on"]);
        let on = match unit {
            Cycle::Week => self
                .day_set(at)
                .or_else(|| self.any_day(at).map(|(day, after)| self.more_days(after, 1 << day)))
                .map(|(days, after)| (On::Weekdays(Weekdays(days)), after)),
            Cycle::Month if korean => self.month_on(at),
            Cycle::Year if korean => self.year_on(at),
            _ => None,
        };
        if let Some((on, stop)) = on {
            return Some(recurring(start, stop, every(n, unit, on)));
        }
        // "매주 두 번": a frequency after the cycle.
        let (times, stop) = self.often(at).unwrap_or((1, end));
        Some(recurring(start, stop, Recurrence { times, ..every(n, unit, On::Any) }))
    }

    /// Parses 3월 1일, 3월 as a day or month of each year.
    fn year_on(&self, at: usize) -> Option<(On, usize)> {
        let s = self.s;
        let (month, end) = s.digits(at);
        let (month, end) = (small(month, 12)?, s.eat_any(end, marks::MONTH)?);
        let (day, stop) = s.digits(s.spaces(end));
        let last = small(day, 31).zip(s.eat_any(stop, marks::DAY));
        Some(last.map_or((On::Yearly(month, 0), end), |(day, stop)| (On::Yearly(month, day), stop)))
    }

    fn any_day(&self, at: usize) -> Option<(u8, usize)> {
        let (word, end) = self.s.latin(at);
        match english::WORDS.meaning(word) {
            Some(Lex::Weekday(day, Sort::Full | Sort::Plural)) => Some((*day, end)),
            _ => self.day_name(at),
        }
    }

    /// Parses 25일, 말일, 둘째 일요일 as a day of the month.
    fn month_on(&self, at: usize) -> Option<(On, usize)> {
        let s = self.s;
        if let Some(end) = s.eat_any(at, words!("korean/grammar.end of a month")) {
            return Some((On::Day(32), end));
        }
        let first = s.digits_end(at);
        if first > at {
            let day = small(s.slice(at, first), 31)?;
            return s.eat_any(first, marks::DAY).map(|end| (On::Day(day), end));
        }
        let (n, end) = self.native_ordinal(at)?;
        let mut next = s.spaces(end);
        next = s.eat_any(next, words!("korean/marks.week")).map_or(next, |e| s.spaces(e));
        let (day, end) = self.day_name(next)?;
        Some((On::Nth(n, Weekdays(1 << day)), end))
    }

    /// Parses 두 번, 3회.
    fn often(&self, at: usize) -> Option<(u16, usize)> {
        let s = self.s;
        let amount = self.amount(at)?;
        let times = u16::try_from(amount.number.as_whole()?).ok()?;
        s.eat_any(s.spaces(amount.end), words!("korean/grammar.times")).map(|end| (times, end))
    }

    /// Parses weekdays as single syllables: 월·수·금, 월수금, 화/목, 월~금.
    pub fn day_set(&self, at: usize) -> Option<(u8, usize)> {
        let s = self.s;
        static PARTS: &Words = words!("korean/grammar.day parts of weekdays");
        let (mut day, mut end) = self.syllable_day(at)?;
        let (mut days, mut links, mut count) = (1_u8 << day, 0_u8, 1_u8);
        loop {
            let look = s.spaces(end);
            let (next, range, mark) = match s.char(look) {
                Some('·' | ',' | '/' | '&') => (s.spaces(look + s.char(look).map_or(1, char::len_utf8)), false, true),
                Some('~' | '-') => (s.spaces(look + 1), true, true),
                Some(c) if look == end && is_hangul(c) => (end, false, false),
                _ => break,
            };
            let Some((to, stop)) = self.syllable_day(next) else { break };
            if !mark && to <= day {
                break;
            }
            days |= if range { Weekdays::range(day, to).0 } else { 1 << to };
            links = links.saturating_add(u8::from(mark));
            count = count.saturating_add(1);
            day = to;
            end = stop;
        }
        if let Some(after) = s.eat_any(end, marks::WEEKDAY_IN_FULL) {
            end = after;
        }
        // Without separators, weekdays need three syllables in order: 월수금, but not 수목원 or 화목.
        let enough = count >= 2 && (links > 0 || count >= 3 || s.eat_any(s.spaces(end), PARTS).is_some());
        let every = s.eat_any(end, marks::EVERY);
        (enough && self.is_tail(end)).then_some((days, every.unwrap_or(end)))
    }

    /// Parses a repeated duration: 20분마다, 열흘에 한 번, 하루 두 번.
    pub fn repeated(&self, start: usize, end: usize, length: Duration) -> Option<ValueHit> {
        let s = self.s;
        static INTERVAL: &Words = words!("korean/grammar.interval");
        if let Some(after) = s.eat_any(end, marks::EVERY).or_else(|| s.eat_any(end, INTERVAL)) {
            let (n, unit) = cycle_of(length)?;
            return Some(recurring(start, after, every(n, unit, On::Any)));
        }
        let with = s.eat_any(end, words!("korean/marks.at"));
        let at = s.spaces(with.unwrap_or(end));
        let (times, after) = self.often(at)?;
        if with.is_none() && length.seconds != 86_400 {
            return None;
        }
        let (n, unit) = cycle_of(length)?;
        Some(recurring(start, after, Recurrence { times, ..every(n, unit, On::Any) }))
    }

    /// Parses 주 2회, 월 1회, 연 4회, 주 3일.
    pub fn per_cycle(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let (len, lex) = CYCLES.longest(s.rest(at), |_, _| true)?;
        let Lex::Every(_, unit) = *lex else { return None };
        let end = at + len;
        let next = s.spaces(end);
        let amount = self.amount(next).filter(|_| s.byte(next).is_ascii_digit() || next > end)?;
        let times = u16::try_from(amount.number.as_whole()?).ok()?;
        let look = s.spaces(amount.end);
        let stop = s.eat_any(look, words!("korean/grammar.times a cycle")).or_else(|| s.eat_any(look, marks::DAY))?;
        Some(recurring(at, stop, Recurrence { times, ..every(1, unit, On::Any) }))
    }

    /// Parses "twice a week", "three times a month", "once every two weeks"; `end` is the position after "times".
    pub fn times_a(&self, start: usize, end: usize, times: u16) -> Option<ValueHit> {
        let s = self.s;
        let (word, article) = s.latin(s.blank(end));
        let (unit, stop) = match word {
            "a" | "an" | "per" | "each" => {
                let (noun, stop) = s.latin(s.blank(article));
                (cycle_word(noun)?, stop)
            }
            "daily" => (Cycle::Day, article),
            _ => return None,
        };
        Some(recurring(start, stop, Recurrence { times, ..every(1, unit, On::Any) }))
    }
}
