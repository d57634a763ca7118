//! Sentences that say nothing: greetings, thanks, covers for what is attached.
//!
//! It looks at words only; what a date or an amount in them is worth is for `parts` to say.

use super::phrases::Said;
use super::plain::Plain;
use crate::language::{Words, words};

/// Whether the sentence says nothing worth keeping, whatever values it holds: greetings, wishes, good-byes.
pub(super) fn is_empty(plain: &Plain) -> bool {
    static GREETINGS: &Words = words!("mail/boilerplate.greetings");
    static CONTACTS: &Words = words!("mail/boilerplate.contacts");
    let text = plain.text();
    let number = |rest: &str| rest.trim_start().starts_with([':', '：', '0', '1', '☎', '(']);
    let contact = text.chars().count() <= 40 && CONTACTS.iter().filter_map(|w| text.strip_prefix(w)).any(number);
    let greets =
        text.split_whitespace().count() <= 7 && !text.bytes().any(|b| b.is_ascii_digit()) && greets(text, GREETINGS);
    contact || greets || plain.says(Said::Empty)
}

/// Whether a text in lower case begins with one of these greetings.
pub(super) fn greets(text: &str, greetings: &Words) -> bool {
    greetings.iter().filter_map(|g| text.strip_prefix(g)).any(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
}

/// Thanks, apologies, covers for what is attached, polite nothings.
pub(super) fn is_soft(plain: &Plain) -> bool {
    static ASKS: &Words = words!("mail/boilerplate.asks");
    static IDLE: &Words = words!("mail/boilerplate.idle objects");
    let bare = plain.bare();
    // "계약서 초안 검토 부탁드립니다" names what is to be done, "내용 검토 부탁드립니다" does not.
    let names = |said: &str| said.split_whitespace().filter(|w| w.chars().count() >= 2 && !IDLE.contains(w)).count();
    let asks = || ASKS.iter().filter_map(|e| bare.strip_suffix(e)).any(|said| names(said) < 2);
    plain.says(Said::Soft) || bare.chars().count() <= 40 && asks()
}
