//! User-visible texts in English and Korean, from `data/shown.txt`, and their placeholders.

use super::ValueKind;
use chrono::{Datelike, Month, NaiveDate};

/// A text in both languages; each `%` is a placeholder.
#[derive(Debug, Clone, Copy)]
pub struct ShownText {
    english: &'static str,
    korean: &'static str,
}

impl ShownText {
    pub const fn text(self, korean: bool) -> &'static str {
        if korean { self.korean } else { self.english }
    }

    pub fn with(self, korean: bool, values: &[&str]) -> String {
        let mut values = values.iter();
        let mut out = String::new();
        for (n, piece) in self.text(korean).split('%').enumerate() {
            if n > 0 {
                out.push_str(values.next().copied().unwrap_or_default());
            }
            out.push_str(piece);
        }
        out
    }
}

include!(concat!(env!("OUT_DIR"), "/words/shown.rs"));

/// What a value of this kind is called where a text does not name it.
pub const fn name_of_kind(kind: ValueKind) -> ShownText {
    match kind {
        ValueKind::Money => AMOUNT,
        ValueKind::Quantity | ValueKind::Number => NUMBER,
        ValueKind::Percent => SHARE,
        ValueKind::Clock => TIME,
        ValueKind::Date | ValueKind::Weekdays | ValueKind::Recurrence => DATE,
        ValueKind::Duration => DURATION,
        ValueKind::Period => PERIOD,
        ValueKind::Status => STATUS,
        _ => VALUE,
    }
}

/// "3월 20일", "20 March"; with the year if it is not the year of `today`.
pub fn day_in_words(day: NaiveDate, today: NaiveDate, korean: bool) -> String {
    let other_year = day.year() != today.year();
    match (korean, other_year) {
        (true, false) => format!("{}월 {}일", day.month(), day.day()),
        (true, true) => format!("{}년 {}월 {}일", day.year(), day.month(), day.day()),
        (false, false) => format!("{} {}", day.day(), month_in_words(day.month())),
        (false, true) => format!("{} {} {}", day.day(), month_in_words(day.month()), day.year()),
    }
}

/// The English name of a month, 1–12; empty for other numbers.
pub fn month_in_words(month: u32) -> &'static str {
    u8::try_from(month).ok().and_then(|n| Month::try_from(n).ok()).map_or("", |month| month.name())
}
