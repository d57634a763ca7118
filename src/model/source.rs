//! [`Source`]: the class of a memory's source, by priority.

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
