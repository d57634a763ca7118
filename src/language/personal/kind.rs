//! Result types of the search for personal data.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonalKind {
    Email,
    Phone,
    /// A payment card number.
    Card,
    /// A resident, foreigner, social security or driving licence number.
    Id,
    Account,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Personal {
    pub kind: PersonalKind,
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Normalised form, equal for different spellings.
    pub key: String,
}
