//! How long a memory is kept.

use serde::{Deserialize, Serialize};

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
