//! Where a text names a person by a number or an address: [`personal`].
//!
//! It judges by shape, checksum and the words before; it never looks anything up, and names of people are none of its concern.

mod address;
mod kind;
mod number;
mod plain;

pub use kind::{Personal, PersonalKind};
use plain::PlainText;

/// The personal data in a text, in its order, none within another and none over a line's end.
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
