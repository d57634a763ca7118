//! What a memory names and rests on: properties, the words of its source, its event.

use serde::{Deserialize, Serialize};

/// A name and value found in a memory's text, such as `budget` and `50M KRW`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Property {
    /// The property's name.
    pub name: String,
    /// Its value, in the words of the text.
    pub value: String,
}

/// The words of the source that a memory rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evidence {
    /// The words themselves.
    pub text: String,
    /// Where they start in the mail's new text, in UTF-8 bytes.
    pub start: u32,
    /// Where they end.
    pub end: u32,
}

/// The event of a calendar that a memory tells of: another organizer's, or another one of theirs, is another event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventId {
    /// Its `UID`.
    pub uid: String,
    /// The address of its organizer, where one is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organizer: Option<String>,
}
