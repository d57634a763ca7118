//! Parses dates in digits: 2025-03-20, 3/20, 20/03/2025, 03.20.

use super::{date, small, year_of};
use crate::language::text::folded::Folded;
use crate::language::text::scan::is_latin;
use crate::language::values::{
    ValueHit, ValueReader,
    english::WORDS,
    lexicon::Lex,
    number::Number,
    value::{Date, Reference, Span, Value},
};
use crate::language::words;
use crate::model::Zone;

/// Whether 3/4 means 3 April in the zone; `None` if both orders are common.
fn day_first_in(at: Reference) -> Option<bool> {
    if let Some(name) = at.zone.name() {
        let city = name.rsplit('/').next().unwrap_or(name);
        let is_month_first =
            words!("numeric_dates.month first").contains(&city) || words!("numeric_dates.american").begin(name);
        let is_known =
            name.contains('/') && !name.starts_with("Etc/") && !words!("numeric_dates.either").contains(&city);
        return is_known.then_some(!is_month_first);
    }
    match at.zone.offset_at(at.now.millis()) {
        -60..=-1 | 1..=240 | 330 | 570..=840 => Some(true),
        -600..=-240 | 540 => Some(false),
        _ => None,
    }
}

/// Whether a numeric date is ambiguous: 3/4 where neither the text nor the zone shows which is the month.
pub(crate) fn is_of_two_days(text: &str, span: Span, at: Reference) -> bool {
    let mut parts = span
        .of(text)
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse::<u32>().ok());
    let (Some(Some(a)), Some(Some(b))) = (parts.next(), parts.next()) else { return false };
    let both = (1..=12).contains(&a) && (1..=12).contains(&b) && a != b;
    let is_told = || {
        let folded = Folded::new(text);
        let reader = ValueReader::new(&folded, Some(at));
        reader.korean || reader.day_first_in_text().or(day_first_in(at)).is_some()
    };
    both && !is_told()
}

impl ValueReader<'_> {
    /// Whether 3/4 means 3 April, by the text's other dates, its currency and the zone.
    pub fn is_day_first(&self, at: Option<Reference>) -> bool {
        let text = self.s.0;
        if !text.contains('/') && !text.contains('.') {
            return false;
        }
        let told = self.day_first_in_text().or_else(|| day_first_in(at?));
        told.unwrap_or_else(|| at.is_some_and(|at| at.zone == Zone::default()))
    }

    fn day_first_in_text(&self) -> Option<bool> {
        let text = self.s.0;
        let order = |(at, _): (usize, &str)| {
            let before = text[..at].rsplit(|c: char| !c.is_ascii_digit()).next()?;
            match (before.parse::<u32>().ok()?, self.s.digits(at + 1).0.parse::<u32>().ok()?) {
                (13..=31, 1..=12) => Some(true),
                (1..=12, 13..=31) => Some(false),
                _ => None,
            }
        };
        let by_currency = || (text.contains('£') || text.contains('€') || text.contains("uk date")).then_some(true);
        text.match_indices('/').find_map(order).or_else(by_currency)
    }

    /// Parses 2025-03-20, 2025.3.20, 3/20, 20/03/2025, 03.20.
    pub fn numeric_date(&self, at: usize) -> Option<ValueHit> {
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
            let day = small(c, 31)?;
            let is_dotted = mark == b'.' && s.byte(third_end) == b'.' && blank;
            let end = third_end + usize::from(is_dotted);
            let date = Date { year: Some(year), ..date(Some(month), Some(day)) };
            return Some(self.with_weekday(at, end, date));
        }
        if a.len() <= 2 && blank && self.korean && s.byte(second_end) == b'.' {
            // 5. 20.(화) is a date; without the weekday it is a list.
            let hit = self.with_weekday(at, second_end + 1, date(Some(small(a, 12)?), Some(small(b, 31)?)));
            return (hit.end > second_end + 1).then_some(hit);
        }
        if a.len() > 2 || blank {
            return None;
        }
        let (x, y) = (small(a, 31)?, small(b, 31)?);
        let day_first = if x > 12 { true } else { y <= 12 && self.day_first };
        let (month, day) = if day_first { (y, x) } else { (x, y) };
        if month > 12 {
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
            return (two || s.byte(second_end) == b'(').then(|| self.with_weekday(at, second_end, parts));
        }
        let hit = self.with_weekday(at, second_end, parts);
        let fraction = x < y
            && matches!(y, 2 | 3 | 4 | 5 | 8)
            && !self.korean
            && !matches!(s.word_before(at), "on" | "by" | "until" | "from" | "due" | "till" | "before");
        // "Friday 3/4" and "03/04" are dates.
        let is_day = a.starts_with('0') || matches!(WORDS.meaning(s.word_before(at)), Some(Lex::Weekday(..)));
        let fraction =
            fraction && !is_day || s.byte(second_end) == b'-' && s.char(second_end + 1).is_some_and(is_latin);
        if fraction {
            let value = Value::Number(Number::ratio(i64::from(x), i64::from(y)));
            return Some(ValueHit::new(at, second_end, value));
        }
        Some(hit)
    }
}
