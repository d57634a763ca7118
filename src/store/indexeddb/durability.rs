//! What a commit waits for.

use serde::{Deserialize, Serialize};

/// What a commit waits for before it says that it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// Until the system has the data; a power cut may take the last commits.
    #[default]
    Relaxed,
    /// Until the disk has it; about 2.5 times slower.
    Strict,
}

impl Durability {
    /// The wire string.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Strict => "strict",
        }
    }
}
