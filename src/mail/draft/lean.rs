//! Whether a part leans on what was said before it.

use super::nouns::{self};
use super::part::Lean;
use super::plain::Plain;
use crate::language::{Found, Lower, Value, Words, words};

/// Words without a predicate: a place, a number of people, a remark.
pub(super) fn is_fragment(text: &str) -> bool {
    let end = text.trim_end_matches(['.', '!', '~', ' ', ')']);
    if super::plain::is_korean(text) {
        static ENDS: Words = words!("mail/parts.ends");
        return !ENDS.iter().any(|e| end.ends_with(e));
    }
    let plain = Plain::new(text);
    text.split_whitespace().count() <= 8
        && !plain.has(&[
            "is", "are", "was", "were", "will", "has", "have", "had", "be", "can", "do", "does", "did", "go", "come",
            "let", "please", "i", "we", "you", "thanks", "thank*",
        ])
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
        static POINTERS: Words = words!("mail/parts.korean pointers");
        if POINTERS.contains(&first.written) || POINTERS.contains(&first.stem) {
            return Lean::Pointer;
        }
        static PROPERTIES: Words = words!("mail/parts.properties");
        let is_property = |w: &str| PROPERTIES.iter().any(|p| w.ends_with(p));
        if matches!(first.tail(), "은" | "는") && first.stem.chars().count() >= 2 && !is_property(first.stem) {
            return Lean::No;
        }
        let topic = words.iter().take(4).find(|w| {
            matches!(w.tail(), "은" | "는") || w.stem.chars().count() >= 2 && matches!(w.tail(), "이" | "가" | "께서")
        });
        return match topic {
            Some(w) if is_property(w.stem) && w.start <= first.start => Lean::Property,
            Some(_) if !value_first => Lean::No,
            _ if value_first => {
                let end = text.trim_end_matches(['.', '!', '~', ' ']);
                let copula = ["입니다", "이에요", "예요", "임", "이야", "이요"].iter().any(|e| end.ends_with(e));
                if copula || is_fragment(text) && text.chars().count() <= 40 { Lean::Values } else { Lean::Yes }
            }
            // Without a topic: a fragment, or a sentence that goes on about the same thing.
            _ => {
                let object = words.iter().any(|w| matches!(w.tail(), "은" | "는" | "이" | "가"));
                if object { Lean::No } else { Lean::Yes }
            }
        };
    }
    static POINTERS: Words = words!("mail/parts.english pointers");
    let lower = first.written.lower();
    if POINTERS.contains(&lower.as_str()) {
        return Lean::Pointer;
    }
    let plain = Plain::new(text);
    static SO: Words = words!("mail/parts.so");
    if SO.contains(&lower.as_str()) {
        return Lean::Pointer;
    }
    static OPENERS: Words = words!("mail/parts.openers");
    if OPENERS.iter().any(|o| plain.text().starts_with(o)) {
        return Lean::Property;
    }
    if is_property_of(plain.text()) {
        return Lean::Property;
    }
    let verb = plain.has(&[
        "is", "are", "was", "were", "will", "has", "have", "had", "be", "been", "leave*", "start*", "go", "goes",
        "move*", "need*", "want*", "can", "should", "must", "let", "please", "we", "i", "they", "you", "he", "she",
    ]);
    if value_first && !verb {
        return Lean::Values;
    }
    // "Please rotate it before then" asks for something about what was just said.
    let asks = ["please", "can", "could", "you", "make", "don't", "do"].contains(&lower.as_str());
    if asks
        && words
            .iter()
            .any(|w| matches!(w.written, "it" | "them" | "this" | "that" | "then" | "these" | "those" | "one"))
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
    static NOUNS: Words = words!("mail/parts.nouns");
    let mut words = text.split_whitespace();
    if !matches!(words.next(), Some("the" | "our" | "your" | "new")) {
        return false;
    }
    let mut noun = "";
    for word in words.take(5) {
        if matches!(word, "is" | "are" | "was" | "will" | "has" | "moves" | "changes" | "stays" | "remains" | "goes") {
            return NOUNS.contains(&noun);
        }
        noun = word;
    }
    false
}
