//! Values that begin with a Korean word.

use super::state::is_name;
use crate::language::text::{particles::is_tail, table::longest};
use crate::language::values::{
    ValueHit, ValueReader,
    date::{date, period},
    korean::{self, NATIVE_ORDINALS},
    lexicon::Lex,
    value::{Clock, Date, Period, PeriodKind, Shift, Value, Weekdays},
};

impl ValueReader<'_> {
    /// What begins with Hangul.
    pub(in crate::language::values) fn korean(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if let Some((days, end)) = self.day_set(at).filter(|_| s.starts_word(at)) {
            return Some(ValueHit::new(at, end, Value::Weekdays(Weekdays(days))));
        }
        if let Some(hit) = self.korean_nth(at).or_else(|| self.per_cycle(at).filter(|_| s.starts_word(at))) {
            return Some(hit);
        }
        if let Some((len, lex)) = longest(&korean::WORDS, s.rest(at), |_| true)
            && let Some(hit) = self.korean_lex(at, at + len, *lex)
        {
            return Some(hit);
        }
        self.korean_ordinal(at).or_else(|| self.korean_number(at))
    }

    /// 두 시 반, 스무 명, 이만 원, 삼월 이십일.
    fn korean_number(&self, at: usize) -> Option<ValueHit> {
        let amount = self.amount(at)?;
        if let Some(hit) = self.hour_clock(at, None) {
            // 한시 is an hour only with a blank or its minutes.
            let glued = self.s.slice(hit.start, hit.end).contains(' ');
            if glued || !amount.lone {
                return Some(hit);
            }
        }
        self.counted(at, amount)
    }

    /// 첫째, 세 번째, 마지막.
    fn korean_ordinal(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let ordinal = |number: i32, end: usize| ValueHit::new(at, end, Value::Ordinal { number, of: "" });
        if let Some((len, n)) = longest(&NATIVE_ORDINALS, s.rest(at), |_| true) {
            let end = at + len;
            let unit = s.spaces(end);
            for (name, of) in [("주", "week"), ("날", "day"), ("해", "year"), ("회", "session"), ("분기", "quarter")]
            {
                if let Some(stop) = s.eat(unit, name).filter(|e| self.is_tail(*e)) {
                    if name == "분기" {
                        return Some(self.numbered_period(at, stop, PeriodKind::Quarter, i8::try_from(*n).ok()?, None));
                    }
                    return Some(ValueHit::new(at, stop, Value::Ordinal { number: *n, of }));
                }
            }
            let run = s.slice(end, s.hangul_end(end));
            return (is_tail(run) && s.slice(at, end) != "첫" && (*n > 0 || run.is_empty())).then(|| ordinal(*n, end));
        }
        let amount = self.amount(at).filter(|a| a.native)?;
        let end = s.eat_any(s.spaces(amount.end), &["번째", "째"])?;
        Some(ordinal(i32::try_from(amount.number.as_whole()?).ok()?, end))
    }

    fn korean_lex(&self, at: usize, end: usize, lex: Lex) -> Option<ValueHit> {
        let s = self.s;
        let run = s.slice(end, s.hangul_end(end));
        let tail = is_tail(run);
        let dated = |shift: Shift| ValueHit::new(at, end, Value::Date(Date { shift: Some(shift), ..Date::default() }));
        match lex {
            Lex::Half12(half) => self.half_clock(at, end - at, half),
            Lex::Clock(seconds) => {
                tail.then(|| ValueHit::new(at, end, Value::Clock(Clock { seconds, sure: true, zone: None })))
            }
            Lex::Days(n) => {
                let part = ["오전", "오후", "저녁", "아침", "밤", "새벽", "낮", "점심", "중"]
                    .iter()
                    .any(|w| run.starts_with(w));
                (tail || part).then(|| dated(Shift::Days(n)))
            }
            Lex::DayPart(n) => tail.then(|| dated(Shift::Days(n))),
            Lex::Shift(n) => self.shifted(at, end, n),
            Lex::Relative(kind, n) => {
                let more = ["중", "말", "초", "도", "상반", "하반"].iter().any(|w| run.starts_with(w));
                let end = s.eat(end, "도").filter(|_| kind == PeriodKind::Year).unwrap_or(end);
                (tail || more).then(|| self.relative(at, end, kind, n, 0)).flatten()
            }
            Lex::Weekday(day, _) => self.korean_weekday(at, end, day),
            Lex::Weekdays(days) => tail.then(|| ValueHit::new(at, end, Value::Weekdays(Weekdays(days)))),
            Lex::PartOfMonth(part) => {
                let found = if part == 3 {
                    Value::Date(Date { shift: Some(Shift::Months(0)), ..date(None, Some(32)) })
                } else {
                    Value::Period(Period { shift: Some(0), ..period(PeriodKind::PartOfMonth, part) })
                };
                tail.then(|| ValueHit::new(at, end, found))
            }
            Lex::YearEnd => tail.then(|| self.year_end(at, end)),
            Lex::Every(n, unit) => {
                let plain = s.slice(at, end) == "주간"
                    || matches!(s.slice(at, end), "날마다" | "주마다" | "달마다" | "해마다" | "분기마다" | "분기별");
                if s.slice(at, end) == "주간" && !s.word_before(at).is_empty() {
                    return None;
                }
                if plain {
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
            Lex::Period(kind @ PeriodKind::Season, n) => {
                let plain = matches!(run, "" | "에" | "에는" | "까지" | "부터" | "이" | "은" | "의" | "철" | "쯤")
                    && s.starts_word(at);
                (plain && !is_name(s.word_before(at), s.rest(end)))
                    .then(|| ValueHit::new(at, end, Value::Period(period(kind, n))))
            }
            Lex::Period(kind, n) => tail.then(|| self.numbered_period(at, end, kind, n, None)),
            Lex::State(state, fixed) => self.korean_state(at, end, state, fixed),
            Lex::Head(head) => self.headed(at, end, head),
            Lex::Version => self.version_after(at, end),
            Lex::Minus | Lex::Plus => {
                let hit = self.worded_sign(at, end, matches!(lex, Lex::Minus))?;
                matches!(hit.value, Value::Percent(_) | Value::Quantity { .. }).then_some(hit)
            }
            Lex::Ordinal(_) => None,
            _ => None,
        }
    }
}
