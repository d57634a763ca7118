//! How long a memory is kept.

use serde::{Deserialize, Serialize};

/// How long a memory is kept at full strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Retention {
    /// What defines the owner; never leaves the hot tier.
    Core,
    /// Knowledge.
    #[default]
    Semantic,
    /// Something that happened once.
    Episodic,
}
