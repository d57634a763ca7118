//! Values that replace no other value: differences and past days.

use crate::language::{Found, Shift, Value, words};

const MAX_WORDS: usize = 2;

/// Whether an amount is a difference and no total: "£25 on top", "up by 2 kg", "29,000원 내려간".
pub fn is_difference(text: &str, found: &Found) -> bool {
    if found.value.amount().is_none() {
        return false;
    }
    let (before, after) = (&text[..found.span.start], &text[found.span.end..]);
    let ending = after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    // "4만원으로 인상" names the total.
    if ending.ends_with('로') {
        return false;
    }
    let rest = after[ending.len()..].trim_start_matches(' ').to_lowercase();
    let next: Vec<&str> = rest.split(' ').take(MAX_WORDS).collect();
    let leads = before.trim_end().rsplit(' ').next().unwrap_or_default();
    words!("differences.before").iter().any(|word| leads.eq_ignore_ascii_case(word))
        || words!("differences.after").iter().any(|word| is_prefix(word, &next.join(" ")))
}

/// Whether a text begins with a word; Korean words of two and more syllables may go on.
fn is_prefix(word: &str, text: &str) -> bool {
    let may_go_on = !word.is_ascii() && word.chars().count() > 1;
    text.strip_prefix(word).is_some_and(|rest| may_go_on || !rest.starts_with(char::is_alphanumeric))
}

/// Whether a value is a day that was past when it was stated: "yesterday", "지난 토요일".
pub fn is_past(value: &Value) -> bool {
    matches!(value, Value::Date(date) if matches!(date.shift, Some(Shift::Days(..0) | Shift::Weeks(..0))))
}
