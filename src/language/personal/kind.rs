//! What is found of a person, and where.

use std::ops::Range;

/// What kind of personal data stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonalKind {
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A payment card's number.
    Card,
    /// A resident, foreigner or social security number, or that of a driving licence.
    Id,
    /// A bank account.
    Account,
}

/// Personal data in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Personal {
    /// What it is.
    pub kind: PersonalKind,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// Equal for two spellings of the same.
    pub key: String,
}
