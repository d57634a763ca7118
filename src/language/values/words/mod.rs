//! Parses values that start with a word: looks it up and calls the parser for its meaning.

mod english;
mod korean;
mod state;

use super::{
    ValueHit, ValueReader,
    date::{date, period},
    lexicon::Lex,
    value::{Clock, Date, Period, PeriodKind, Shift, Value, Weekdays},
};

impl ValueReader<'_> {
    /// The value of a word that has the same meaning in both languages.
    fn shared_lex(&self, at: usize, end: usize, lex: Lex) -> Option<ValueHit> {
        let value = match lex {
            Lex::Clock(seconds) => Value::Clock(Clock { seconds, sure: true, zone: None }),
            Lex::Days(n) | Lex::DayPart(n) => Value::Date(Date { shift: Some(Shift::Days(n)), ..Date::default() }),
            Lex::Weekdays(days) => Value::Weekdays(Weekdays(days)),
            Lex::PartOfMonth(3) => Value::Date(Date { shift: Some(Shift::Months(0)), ..date(None, Some(32)) }),
            Lex::PartOfMonth(part) => Value::Period(Period { shift: Some(0), ..period(PeriodKind::PartOfMonth, part) }),
            Lex::YearEnd => Value::Date(Date { shift: Some(Shift::Years(0)), ..date(Some(12), Some(31)) }),
            Lex::Head(head) => return self.headed(at, end, head),
            Lex::Version => return self.version_after(at, end),
            Lex::Minus | Lex::Plus => return self.worded_sign(at, end, matches!(lex, Lex::Minus)),
            _ => return None,
        };
        Some(ValueHit::new(at, end, value))
    }
}
