//! Where a memory came from, and which source outranks which.

use serde::{Deserialize, Serialize};

/// The class of a memory's source. The order is the priority, highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Entered by hand, or a note that the owner mailed to themself and that is proven to be theirs.
    #[default]
    UserInput,
    /// Curated initial data: a profile, contacts, an earlier export.
    Bootstrapped,
    /// Written by an agent or a tool.
    ToolOutput,
    /// Mail, live or from an archive.
    Realtime,
}

impl Source {
    /// Whether `self` must not be replaced by what `other` says.
    pub fn outranks(self, other: Source) -> bool {
        self < other
    }
}
