//! The result for one new memory.

use crate::consolidation::LogEntry;
use crate::model::Memory;
use serde::{Deserialize, Serialize};

/// The result for one new memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The log entry: the decision with its reasons.
    pub entry: LogEntry,
    /// The created memory, or the current one that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// Whether the input was handled before, so that nothing was done now.
    pub replayed: bool,
}
