//! What people are shown: each text in English and in Korean, from `data/shown.txt`.
//!
//! It puts values into a text and never chooses one.

use super::ValueKind;
use chrono::{Datelike, NaiveDate};

/// A text in both languages; each `%` of it stands for something.
#[derive(Debug, Clone, Copy)]
pub struct ShownText {
    english: &'static str,
    korean: &'static str,
}

impl ShownText {
    /// The text in one language.
    pub const fn text(self, korean: bool) -> &'static str {
        if korean { self.korean } else { self.english }
    }

    /// The text with these in the places of its `%`.
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
        ValueKind::Date | ValueKind::Weekdays => DATE,
        ValueKind::Duration => DURATION,
        ValueKind::Period => PERIOD,
        ValueKind::Status => STATUS,
        _ => VALUE,
    }
}

/// "3월 20일", "20 March"; with the year where it is another than the mail's.
pub fn day_in_words(day: NaiveDate, today: NaiveDate, korean: bool) -> String {
    let other_year = day.year() != today.year();
    match (korean, other_year) {
        (true, false) => format!("{}월 {}일", day.month(), day.day()),
        (true, true) => format!("{}년 {}월 {}일", day.year(), day.month(), day.day()),
        (false, false) => format!("{} {}", day.day(), month_in_words(day.month())),
        (false, true) => format!("{} {} {}", day.day(), month_in_words(day.month()), day.year()),
    }
}

/// "March".
pub fn month_in_words(month: u32) -> &'static str {
    #[rustfmt::skip]
    const NAMES: [&str; 12] = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ];
    NAMES.get(month.wrapping_sub(1) as usize).copied().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_their_places() {
        assert_eq!(
            CHANGED_OF.with(false, &["a fence", "100% → 50%"]),
            "The same subject (a fence) has changed: 100% → 50%"
        );
        assert_eq!(EVERY_SO_MANY_DAYS.with(true, &["3"]), "3일마다");
        assert_eq!(DAILY.text(true), "매일");
    }
}
