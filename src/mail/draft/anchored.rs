//! A text with the day written beside words like "tomorrow".

use super::counted::{counts_from_another, is_habit};
use super::plain::is_korean;
use crate::language::{
    Found, Lower, PeriodKind, Reference, Shift, Value, day_in_words, is_hangul, month_in_words, words,
};
use chrono::{Datelike, NaiveDate};

/// The text with the day that each relative date means in brackets behind it.
pub(super) fn anchored(text: &str, values: &[Found], at: Option<Reference>) -> String {
    let Some(at) = at else { return text.to_owned() };
    let korean = is_korean(text);
    let today = at.day();
    let mut out = String::with_capacity(text.len() + 32);
    let mut copied = 0;
    for (n, found) in values.iter().enumerate() {
        if is_habit(text, values, n) {
            continue;
        }
        let Some(note) = note(text, values, n, at, korean) else { continue };
        // Behind a time of day that belongs to the date, and never inside of a word.
        let mut end = found.span.end;
        if text[end..].starts_with("'s ") || text[end..].starts_with("’s ") {
            end += text[end..].find(' ').unwrap_or(0);
        }
        out.push_str(&text[copied..end]);
        if text[..found.span.start].ends_with('(') && text[end..].starts_with(')') {
            // "수요일(21일)" has brackets of its own.
            out.push_str(&format!(", {}", note.trim_matches(['(', ')'])));
        } else {
            out.push_str(if korean { "" } else { " " });
            out.push_str(&note);
        }
        copied = end;
    }
    out.push_str(&text[copied..]);
    just_now(out, values, today, korean)
}

/// The text with the day of the mail behind "just now", where it names that day nowhere.
fn just_now(mut text: String, values: &[Found], today: NaiveDate, korean: bool) -> String {
    let named = values.iter().any(|f| matches!(&f.value, Value::Date(d) if d.on == Some(today)));
    let lower = text.lower();
    // A letter may be longer or shorter in lower case.
    if named || lower.len() != text.len() {
        return text;
    }
    let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let found = words!("mail/dates.just now").iter().filter_map(|now| {
        let at = lower.find(now)?;
        let end = at + now.len();
        let whole = !inside(lower[..at].chars().next_back()) && !inside(lower[end..].chars().next());
        whole.then_some(end)
    });
    if let Some(end) = found.min() {
        text.insert_str(end, &format!("{}({})", if korean { "" } else { " " }, day_in_words(today, today, korean)));
    }
    text
}

fn note(text: &str, values: &[Found], n: usize, at: Reference, korean: bool) -> Option<String> {
    let found = &values[n];
    let today = at.day();
    match &found.value {
        Value::Date(date) => {
            let day = date.on?;
            let is_spelled = || found.span.of(text).starts_with(is_hangul);
            let relative = date.shift.is_some() || date.month.is_none() || is_spelled();
            if !relative || is_told(text, values, n, day) || counts_from_another(text, found) {
                return None;
            }
            // A weekday far from any month may be a habit ("Mondays"), which has no day.
            if date.shift == Some(Shift::Days(0)) && day == today && text[found.span.end..].starts_with("날") {
                return None;
            }
            let words = day_in_words(day, today, korean);
            (!found.span.of(text).contains(&words)).then(|| format!("({words})"))
        }
        Value::Period(period) if period.shift.is_some_and(|s| s != 0) => {
            if words!("mail/dates.before the month of it").begin(&text[found.span.end..].lower()) {
                return None;
            }
            let (from, to) = period.span?;
            let last = to.pred_opt()?;
            let name = match period.kind {
                PeriodKind::Week | PeriodKind::Weekend if korean => {
                    format!("{}~{}", day_in_words(from, today, true), day_in_words(last, today, true))
                }
                PeriodKind::Week | PeriodKind::Weekend => {
                    format!("{} to {}", day_in_words(from, today, false), day_in_words(last, today, false))
                }
                PeriodKind::Month if from.year() != today.year() && korean => {
                    format!("{}년 {}월", from.year(), from.month())
                }
                PeriodKind::Month if from.year() != today.year() => {
                    format!("{} {}", month_in_words(from.month()), from.year())
                }
                PeriodKind::Month if korean => format!("{}월", from.month()),
                PeriodKind::Month => month_in_words(from.month()).to_owned(),
                PeriodKind::Year if korean => format!("{}년", from.year()),
                PeriodKind::Year => from.year().to_string(),
                _ => return None,
            };
            Some(format!("({name})"))
        }
        _ => None,
    }
}

/// Whether the same day is written out elsewhere in the text, or the same word was noted before.
fn is_told(text: &str, values: &[Found], n: usize, day: NaiveDate) -> bool {
    values.iter().enumerate().any(|(m, other)| match &other.value {
        Value::Date(d) if m != n && d.on == Some(day) => {
            let whole = d.month.is_some() && d.day.is_some();
            // Of "tomorrow, Thursday" the later is noted.
            let later = m > n && other.span.start.saturating_sub(values[n].span.end) <= 12 && !whole;
            whole || later
        }
        _ => false,
    }) || text[values[n].span.end..].starts_with('(')
        && text[values[n].span.end..].chars().take(8).any(|c| c.is_ascii_digit())
}
