//! Detects personal data in text: emails, phone numbers, cards, accounts and IDs. Judges by shape, checksum and
//! preceding words; names of people are not covered.

mod address;
mod number;
mod plain;

use plain::PlainText;
pub use plain::{Personal, PersonalKind};

/// The personal data in a text, in order, without overlaps and never across lines.
pub fn personal(text: &str) -> Vec<Personal> {
    let t = PlainText::new(text);
    let (mut found, mut at, mut end) = (Vec::new(), 0, 0);
    while at < t.chars.len() {
        let hit = t.email(at, end).or_else(|| t.iban(at)).or_else(|| t.number(at));
        match hit {
            Some(hit) => {
                end = hit.end;
                at = hit.end;
                found.push(Personal { kind: hit.kind, range: t.bytes(hit.start, hit.end), key: hit.key });
            }
            None => at += 1,
        }
    }
    found
}
