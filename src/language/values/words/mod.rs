//! Parses values that start with a word: looks it up and calls the parser for its meaning.

mod english;
mod korean;
mod state;

use super::{
    ValueHit, ValueReader,
    date::date,
    value::{Date, Shift, State, Value},
};
use crate::language::text::{hangul::is_hangul, scan::is_latin};

impl ValueReader<'_> {
    /// Parses EOD, COB Friday, 오늘 중.
    fn end_of_day(&self, at: usize, end: usize) -> Option<ValueHit> {
        let s = self.s;
        if s.slice(at, end).len() <= 3 && !self.folded.is_capital(at) && self.s.word_before(at) != "by" {
            return None;
        }
        let next = s.past_word(s.blank(end), &["on"]);
        if let Some(c) = s.char(next)
            && (c.is_ascii_digit() || is_latin(c) || is_hangul(c))
            && let Some(hit @ ValueHit { value: Value::Date(_), .. }) = self.read(next, c)
        {
            return Some(ValueHit::new(at, hit.end, hit.value));
        }
        Some(ValueHit::new(at, end, Value::Date(Date { shift: Some(Shift::Days(0)), ..Date::default() })))
    }

    fn year_end(&self, at: usize, end: usize) -> ValueHit {
        let found = Date { shift: Some(Shift::Years(0)), ..date(Some(12), Some(31)) };
        ValueHit::new(at, end, Value::Date(found))
    }
}

/// A process in progress is not its result: 배포 중 is not 배포됨.
const fn under_way(state: State) -> State {
    match state {
        State::Shipped => State::Shipped,
        State::Closed | State::OnHold | State::Terminated | State::Unavailable => state,
        _ => State::Underway,
    }
}
