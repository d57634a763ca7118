//! Parses values that start with a Korean word.

use super::state::is_name;
use crate::language::text::particles::is_tail;
use crate::language::values::{
    ValueHit, ValueReader,
    date::period,
    korean::{self, OF_ORDINALS, marks},
    lexicon::{Lex, Suffix},
    value::{PeriodKind, Value, Weekdays},
};
use crate::language::{Words, words};

impl ValueReader<'_> {
    pub fn korean(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if let Some((days, end)) = self.day_set(at) {
            return Some(ValueHit::new(at, end, Value::Weekdays(Weekdays(days))));
        }
        if let Some(hit) = self.korean_nth(at).or_else(|| self.per_cycle(at)) {
            return Some(hit);
        }
        if let Some((len, lex)) = korean::WORDS.longest(s.rest(at), |_, _| true)
            && let Some(hit) = self.korean_lex(at, at + len, *lex)
        {
            return Some(hit);
        }
        self.korean_ordinal(at).or_else(|| self.korean_number(at))
    }

    /// Parses 두 시 반, 스무 명, 이만 원, 삼월 이십일.
    fn korean_number(&self, at: usize) -> Option<ValueHit> {
        let amount = self.amount(at)?;
        if let Some(hit) = self.hour_clock(at, None) {
            // 한시 is an hour only with a space or minutes.
            let glued = self.s.slice(hit.start, hit.end).contains(' ');
            if glued || !amount.lone {
                return Some(hit);
            }
        }
        self.counted(at, amount)
    }

    /// Parses 첫째, 세 번째, 마지막.
    fn korean_ordinal(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let ordinal = |number: i32, end: usize| ValueHit::new(at, end, Value::Ordinal { number, of: "" });
        if let Some((n, end)) = self.native_ordinal(at) {
            let unit = s.spaces(end);
            let number = i32::from(n);
            if let Some((len, suffix)) = OF_ORDINALS.longest(s.rest(unit), |len, _| self.is_tail(unit + len)) {
                return match suffix {
                    Suffix::Ordinal(of) => Some(ValueHit::new(at, unit + len, Value::Ordinal { number, of })),
                    _ => None,
                };
            }
            let run = s.slice(end, s.hangul_end(end));
            // 첫 alone is not an ordinal.
            let alone = s.slice(at, end).chars().nth(1).is_some();
            return (alone && is_tail(run) && (n > 0 || run.is_empty())).then(|| ordinal(number, end));
        }
        let amount = self.amount(at).filter(|a| a.native)?;
        let end = s.eat_any(s.spaces(amount.end), words!("korean/grammar.ordinals"))?;
        Some(ordinal(i32::try_from(amount.number.as_whole()?).ok()?, end))
    }

    fn korean_lex(&self, at: usize, end: usize, lex: Lex) -> Option<ValueHit> {
        let s = self.s;
        let run = s.slice(end, s.hangul_end(end));
        let tail = is_tail(run);
        match lex {
            Lex::Half12(half) => self.half_clock(at, end - at, half),
            Lex::Days(_) if words!("korean/grammar.day parts of a day").begin(run) => self.shared_lex(at, end, lex),
            Lex::Head(_) | Lex::Version | Lex::Minus | Lex::Plus => self.shared_lex(at, end, lex),
            Lex::Shift(n) => self.shifted(at, end, n),
            Lex::Relative(kind, n) => {
                let end = s.eat_any(end, marks::YEAR_ALONE).unwrap_or(end);
                tail.then(|| self.relative(at, end, kind, n, 0)).flatten()
            }
            Lex::Weekday(day, _) => self.korean_weekday(at, end, day),
            Lex::Every(n, unit) => {
                let word = s.slice(at, end);
                let weekly = words!("korean/grammar.weekly").contains(&word);
                if weekly && !s.word_before(at).is_empty() {
                    return None;
                }
                if weekly || words!("korean/grammar.every day of all").contains(&word) {
                    tail.then(|| self.cyclic(at, end, n, unit)).flatten()
                } else {
                    self.cyclic(at, end, n, unit)
                }
            }
            Lex::Length(seconds) => {
                let length = crate::language::values::value::Duration { months: 0, seconds: u64::from(seconds) };
                if let Some(hit) = self.repeated(at, end, length) {
                    return Some(hit);
                }
                let money = seconds == 86_400 && self.amount(s.spaces(end)).is_some();
                (tail && !(money && run.is_empty())).then(|| self.around_duration(at, end, length))
            }
            Lex::Month(month) => self.spelled_month(at, end, month),
            Lex::Period(kind @ PeriodKind::Season, n) => {
                static BEHIND: &Words = words!("korean/grammar.behind a season");
                let plain = run.is_empty() || BEHIND.contains(&run);
                (plain && !is_name(s.word_before(at), s.rest(end)))
                    .then(|| ValueHit::new(at, end, Value::Period(period(kind, n))))
            }
            Lex::Period(kind, n) => tail.then(|| self.numbered_period(at, end, kind, n)),
            Lex::State(state, fixed) => self.korean_state(at, end, state, fixed),
            _ => tail.then(|| self.shared_lex(at, end, lex)).flatten(),
        }
    }
}
