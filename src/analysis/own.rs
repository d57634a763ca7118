//! The owner's names, as the owner's addresses have them.
//!
//! The owner is in all of the owner's memories and seldom named there, so a question is not about these words.

use super::words::{Kind, Word};

/// The names of one person.
#[derive(Debug, Default)]
pub struct Own {
    names: Vec<String>,
}

impl Own {
    /// From addresses, by what stands before the @.
    pub fn of(addresses: &[String]) -> Self {
        let mut own = Self::default();
        for address in addresses {
            let local = address.split(['@', '+']).next().unwrap_or_default().to_ascii_lowercase();
            let names = local.split(|c: char| !c.is_ascii_alphabetic()).filter(|n| n.len() > 2);
            own.names.extend(names.map(str::to_owned));
        }
        own
    }

    /// Whether a word of a question is one of them.
    pub(super) fn has(&self, word: &Word, capital: bool) -> bool {
        word.kind == Kind::Latin && (capital || word.sense.is_none()) && self.names.contains(&word.text)
    }
}
