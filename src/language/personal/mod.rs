//! Detects personal data in text: emails, phone numbers, cards, accounts and IDs. Judges by shape, checksum and
//! preceding words; names of people are not covered.

mod address;
mod number;

use crate::language::text::{folded::Folded, scan::Scan};
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonalKind {
    Email,
    Phone,
    Card,
    /// A resident, foreigner, social security or driving licence number.
    Id,
    Account,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Personal {
    pub kind: PersonalKind,
    pub range: Range<usize>,
    /// Normalised form, equal for different spellings.
    pub key: String,
}

/// A folded text, and its web addresses up to the next white space.
struct PersonalReader<'a> {
    s: Scan<'a>,
    links: Vec<Range<usize>>,
}

impl PersonalReader<'_> {
    /// The character at a position; a line break at the end.
    fn at(&self, n: usize) -> char {
        self.s.char(n).unwrap_or('\n')
    }

    /// The character before a position; a line break at the start.
    fn before(&self, n: usize) -> char {
        self.s.before(n).unwrap_or('\n')
    }
}

/// The personal data in a text, in order, without overlaps and never across lines.
pub fn personal(text: &str) -> Vec<Personal> {
    let folded = Folded::new(text);
    let place = |range: Range<usize>| folded.source(range.start)..folded.source(range.end);
    personal_in(folded.text()).into_iter().map(|p| Personal { range: place(p.range), ..p }).collect()
}

/// As [`personal`], for a text that is already folded.
pub(super) fn personal_in(folded: &str) -> Vec<Personal> {
    let s = Scan(folded);
    let link = |(at, _): (usize, &str)| at..s.run_end(at, |c| !c.is_whitespace());
    let reader = PersonalReader { s, links: folded.match_indices("://").map(link).collect() };
    let (mut found, mut at, mut end) = (Vec::new(), 0, 0);
    while let Some(c) = s.char(at) {
        match reader.email(at, end).or_else(|| reader.iban(at)).or_else(|| reader.number(at)) {
            Some(hit) => {
                (at, end) = (hit.range.end, hit.range.end);
                found.push(hit);
            }
            None => at += c.len_utf8(),
        }
    }
    found
}
