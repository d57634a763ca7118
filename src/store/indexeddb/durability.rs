//! When a commit counts as done: the durability option of IndexedDB transactions.

use crate::json::wire;
use serde::{Deserialize, Serialize};

wire! {
    /// When a commit counts as done.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
    #[serde(rename_all = "lowercase")]
    pub enum DurabilityOption {
        /// When the operating system has the data; a power cut may lose the last commits. The default.
        #[default]
        Relaxed = "relaxed",
        /// When the data is flushed to disk; about 2.5 times slower.
        Strict = "strict",
    }
}
