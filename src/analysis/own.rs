//! The owner's names, taken from the owner's addresses. They tell little about a query, since the
//! owner is involved in all memories but seldom named in them.

use super::words::{Kind, Word};

#[derive(Debug, Default)]
pub struct Own {
    names: Vec<String>,
}

impl Own {
    /// Splits the local parts of addresses into names.
    pub fn of(addresses: &[String]) -> Self {
        let mut own = Self::default();
        for address in addresses {
            let local = address.split(['@', '+']).next().unwrap_or_default().to_ascii_lowercase();
            let names = local.split(|c: char| !c.is_ascii_alphabetic()).filter(|n| n.len() > 2);
            own.names.extend(names.map(str::to_owned));
        }
        own
    }

    /// Whether a word of a query is one of the names.
    pub(super) fn has(&self, word: &Word, capital: bool) -> bool {
        word.kind == Kind::Latin && (capital || word.sense.is_none()) && self.names.contains(&word.text)
    }
}
