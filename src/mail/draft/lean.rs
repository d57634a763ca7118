//! Whether a part leans on what was said before it.

use super::nouns::{self};
use super::part::Lean;
use super::phrases::Said;
use super::plain::Plain;
use crate::language::{Found, Value, Words, words};

/// Words without a predicate: a place, a number of people, a remark.
pub(super) fn is_fragment(text: &str) -> bool {
    let end = text.trim_end_matches(['.', '!', '~', ' ', ')']);
    if super::plain::is_korean(text) {
        return !words!("mail/parts.ends").end(end);
    }
    text.split_whitespace().count() <= 8 && !Plain::new(text).says(Said::Predicate)
}

/// How the sentence leans on others.
pub(super) fn lean(text: &str, found: &[Found]) -> Lean {
    let words = nouns::words(text);
    let Some(first) = words.first() else { return Lean::Yes };
    let value_first = found.first().is_some_and(|f| {
        !matches!(f.value, Value::Identifier(_) | Value::Status { .. } | Value::Version(_))
            && f.span.start <= first.start
    }) || first.written.starts_with(|c: char| c.is_ascii_digit());
    if super::plain::is_korean(text) {
        static POINTERS: &Words = words!("mail/parts.korean pointers");
        if POINTERS.contains(&first.written) || POINTERS.contains(&first.stem) {
            return Lean::Pointer;
        }
        static TOPIC: &Words = words!("mail/parts.topic particles");
        static SUBJECT: &Words = words!("mail/parts.subject particles");
        let is_property = |w: &str| words!("mail/parts.properties").end(w);
        if TOPIC.contains(&first.tail()) && first.stem.chars().count() >= 2 && !is_property(first.stem) {
            return Lean::No;
        }
        let topic = words
            .iter()
            .take(4)
            .find(|w| TOPIC.contains(&w.tail()) || w.stem.chars().count() >= 2 && SUBJECT.contains(&w.tail()));
        return match topic {
            Some(w) if is_property(w.stem) && w.start <= first.start => Lean::Property,
            Some(_) if !value_first => Lean::No,
            _ if value_first => {
                if Plain::new(text).says(Said::Copula) || is_fragment(text) && text.chars().count() <= 40 {
                    Lean::Values
                } else {
                    Lean::Yes
                }
            }
            // Without a topic: a fragment, or a sentence that goes on about the same thing.
            _ => {
                let object = words.iter().any(|w| TOPIC.contains(&w.tail()) || SUBJECT.contains(&w.tail()));
                if object { Lean::No } else { Lean::Yes }
            }
        };
    }
    static POINTERS: &Words = words!("mail/parts.english pointers");
    let lower = first.written.to_lowercase();
    if POINTERS.contains(&lower.as_str()) {
        return Lean::Pointer;
    }
    let plain = Plain::new(text);
    if words!("mail/parts.so").contains(&lower.as_str()) {
        return Lean::Pointer;
    }
    if words!("mail/parts.openers").begin(plain.text()) {
        return Lean::Property;
    }
    if is_property_of(plain.text()) {
        return Lean::Property;
    }
    if value_first && !plain.says(Said::Verb) {
        return Lean::Values;
    }
    // "Please rotate it before then" asks for something about what was just said.
    if words!("mail/parts.begins a request").contains(&lower.as_str())
        && words.iter().any(|w| words!("mail/parts.pointing").contains(&w.written))
    {
        return Lean::Pointer;
    }
    if value_first || words.len() <= 4 {
        return Lean::Yes;
    }
    Lean::No
}

/// "The new arrival date is …": what a thing has, without the thing.
fn is_property_of(text: &str) -> bool {
    let mut words = text.split_whitespace();
    if !words.next().is_some_and(|w| words!("mail/parts.before a property").contains(&w)) {
        return false;
    }
    let mut noun = "";
    for word in words.take(5) {
        if words!("mail/parts.after a property").contains(&word) {
            return words!("mail/parts.nouns").contains(&noun);
        }
        noun = word;
    }
    false
}
