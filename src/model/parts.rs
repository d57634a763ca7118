//! [`Source`]: the class of a memory's source, by priority.

use crate::json::wire;
use serde::{Deserialize, Serialize};

/// The class of a memory's source. The order is the priority, highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Typed by the owner, or a note mailed to oneself with proven authentication.
    #[default]
    UserInput,
    /// Curated initial data: a profile, contacts or an earlier export.
    Bootstrapped,
    /// Written by an agent or a tool.
    ToolOutput,
    /// Mail, live or from an archive.
    Realtime,
}

impl Source {
    /// Whether content of `other` must not replace content of `self`.
    pub fn outranks(self, other: Source) -> bool {
        self < other
    }
}

/// How long a memory is kept at full strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Retention {
    /// Defines the owner; never decays.
    Core,
    /// General knowledge.
    #[default]
    Semantic,
    /// A single event.
    Episodic,
}

wire! {
    /// The category of a memory. The order is the priority if several fit: [`Category::Task`] first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, tsify::Tsify)]
    #[serde(rename_all = "lowercase")]
    pub enum Category {
        /// A request for someone to act.
        Task = "task",
        /// A settled decision.
        Decision = "decision",
        /// An appointment or event.
        Meeting = "meeting",
        /// The state of a project.
        Project = "project",
        /// Advertising and newsletters.
        Ads = "ads",
        /// Anything else.
        #[default]
        Misc = "misc",
    }
}

/// Who wrote a part of a mail or chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenBy {
    /// The sender of the mail.
    Sender,
    /// Another author, whose text the sender forwards: the author and date as far as they are stated.
    Forwarded(String),
    /// The owner, in a chat.
    User,
    /// An assistant or a tool, in a chat.
    Assistant,
}

impl WrittenBy {
    /// Whether the mail's sender, or the owner in a chat, wrote it.
    pub const fn is_own(&self) -> bool {
        matches!(self, Self::Sender | Self::User)
    }
}

/// A name and value found in a memory's text, such as `budget` and `50M KRW`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Property {
    /// The property's name.
    pub name: String,
    /// The value as quoted from the text.
    pub value: String,
    /// The day in words, such as `24 September`, where the quoted value counts from the day of its mail: `next Thursday`.
    pub normalised: Option<String>,
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
