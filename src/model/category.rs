//! The six categories of a memory and their priority.

use crate::json::wire;
use serde::{Deserialize, Serialize};

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
