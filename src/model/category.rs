//! The six categories of a memory and their priority.

use crate::json::wire;
use serde::{Deserialize, Serialize};

wire! {
    /// What kind of thing a memory is about. The order is the priority where several fit: [`Category::Task`] first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, tsify::Tsify)]
    #[serde(rename_all = "lowercase")]
    pub enum Category {
        /// Something that somebody is asked to do.
        Task = "task",
        /// Something that was settled.
        Decision = "decision",
        /// An appointment or event.
        Meeting = "meeting",
        /// The state of an undertaking.
        Project = "project",
        /// Advertising and newsletters.
        Ads = "ads",
        /// Anything else.
        #[default]
        Misc = "misc",
    }
}
