//! The six categories of a memory and their priority.

use serde::{Deserialize, Serialize};

/// What kind of thing a memory is about. The order is the priority where several fit: [`Category::Task`] first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Something that somebody is asked to do.
    Task,
    /// Something that was settled.
    Decision,
    /// An appointment or event.
    Meeting,
    /// The state of an undertaking.
    Project,
    /// Advertising and newsletters.
    Ads,
    /// Anything else.
    #[default]
    Misc,
}

impl Category {
    /// The wire string.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Decision => "decision",
            Self::Meeting => "meeting",
            Self::Project => "project",
            Self::Ads => "ads",
            Self::Misc => "misc",
        }
    }
}
