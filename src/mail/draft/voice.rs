//! Whose "I" and whose "you" a statement speaks of, where its own words do not say so.

use super::guard::is_suspicious;
use super::nouns;
use super::plain::is_korean;
use crate::language::{Words, words};
use crate::mail::{Account, Mail, Person};

/// The most characters of a name that a statement is told with.
const MOST_NAME: usize = 60;

/// The name that the text needs to be understood alone: of its author where it says "I" or speaks to the owner, of the one it
/// went to where the owner says "you" ("to Anna"). The owner needs no name.
pub(super) fn voice(mail: &Mail, author: Option<&Person>, account: &Account, text: &str) -> Option<String> {
    static SPEAKS: &Words = words!("mail/parts.speaks of themself");
    static ADDRESSES: &Words = words!("mail/parts.speaks to somebody");
    let words = nouns::words(text);
    let says = |list: &Words| words.iter().any(|w| list.contains(&w.written.to_lowercase().as_str()));
    let owners = |p: &Person| account.is_owner(&p.address);
    let author = author?;
    let by_owner = account.wrote(mail) || owners(author);
    let person = if by_owner {
        let mut others = mail.to.iter().filter(|p| !owners(p));
        others.next().filter(|_| others.next().is_none() && mail.cc.is_empty() && says(ADDRESSES))
    } else {
        Some(author).filter(|a| !is_desk(&a.address) && (says(SPEAKS) || says(ADDRESSES)))
    };
    let name = person?.name.as_deref()?.trim();
    // Nobody is told by the owner's name, or by one that speaks to an assistant.
    let mut owner = mail.receivers().filter(|p| owners(p)).filter_map(|p| p.name.as_deref());
    if !by_owner && owner.any(|own| own.trim().to_lowercase() == name.to_lowercase()) || is_suspicious(name) {
        return None;
    }
    let fits = !name.contains('@') && name.chars().any(char::is_alphabetic) && name.chars().count() <= MOST_NAME;
    let told = nouns::words(name).iter().any(|n| words.iter().any(|w| w.stem.to_lowercase() == n.stem.to_lowercase()));
    (fits && !told).then(|| match (by_owner, is_korean(text)) {
        (false, _) => name.to_owned(),
        (true, true) => format!("{name}에게"),
        (true, false) => format!("to {name}"),
    })
}

/// Whether an address is a desk's or a machine's rather than a person's.
pub(super) fn is_desk(address: &str) -> bool {
    is_called(address, words!("mail/names.desks"))
}

/// Whether an address is that of a machine or a desk which sends to many.
pub(super) fn is_sender(address: &str) -> bool {
    is_desk(address) || is_called(address, words!("mail/names.senders"))
}

fn is_called(address: &str, names: &Words) -> bool {
    let name = address.split('@').next().unwrap_or_default();
    name.split(|c: char| !c.is_ascii_alphabetic()).any(|w| names.contains(&w))
}
