//! Properties, evidence and calendar events of a memory.

use serde::{Deserialize, Serialize};

/// A name and value found in a memory's text, such as `budget` and `50M KRW`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Property {
    /// The property's name.
    pub name: String,
    /// The value as quoted from the text.
    pub value: String,
}

/// The quoted source text that supports a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evidence {
    /// The quotation.
    pub text: String,
    /// The start in the mail's new text, in UTF-8 bytes.
    pub start: u32,
    /// The end, exclusive, in UTF-8 bytes.
    pub end: u32,
}

/// The identity of a calendar event. Events of different organizers are different, even with the same `UID`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventId {
    /// The iCalendar `UID`.
    pub uid: String,
    /// The organizer's address, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organizer: Option<String>,
}
