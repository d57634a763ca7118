//! What a commit waits for.

use crate::json::wire;
use serde::{Deserialize, Serialize};

wire! {
    /// What a commit waits for before it says that it is done.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
    #[serde(rename_all = "lowercase")]
    pub enum DurabilityOption {
        /// Until the system has the data; a power cut may take the last commits.
        #[default]
        Relaxed = "relaxed",
        /// Until the disk has it; about 2.5 times slower.
        Strict = "strict",
    }
}
