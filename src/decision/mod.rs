//! Decides what to do with a new memory: policies, trust rules and triage.

mod confirmation;
mod conflict;
mod context;
mod decided;
mod details;
mod finding;
mod likeness;
mod matter;
mod open_day;
mod policy;
mod prompt;
mod reason;
mod reply;
mod rules;
mod ruling;
mod sentence;
mod standing;
mod triage;

pub use confirmation::{Basis, Lender, TRUST_RULES, TrustRow, beside, guard};
pub use conflict::{may_also_replace, was_said_before};
pub use context::{Marked, mark_names, marked};
pub use decided::{Candidate, Decided, Link};
pub use details::Detail;
pub use finding::{Finding, ModelAnalysis};
pub use matter::{is_contested, name_others};
pub use open_day::{names_bare_day, names_bare_weekday, without_open_day};
pub use policy::{Bands, Mode, Policy};
pub use prompt::{Example, Language, Prompt, Shown, Task, cut, tokens};
pub use reason::Reason;
pub use reply::{Refusal, ReplyFault, read_each, read_list, read_reply};
pub use rules::{CANDIDATE_RULES, CandidateRule, apply_candidate_rules};
pub use ruling::{Ruling, TrustRule};
pub use sentence::sentence;
pub use standing::Speaker;
pub use triage::{Triage, triage};

use crate::analysis::Outcome;
use crate::json::wire;
use serde::{Deserialize, Serialize};

wire! {
    /// What is done with a new memory. Neither a mail nor a model can cause [`Decision::Delete`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, tsify::Tsify)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    pub enum Decision {
        /// Something new.
        #[default]
        Create = "CREATE",
        /// A new version of a stored memory.
        Update = "UPDATE",
        /// Nothing new.
        Skip = "SKIP",
        /// Something new that is related to a stored memory.
        CreateAndLink = "CREATE_AND_LINK",
        /// Deleted at the user's request.
        Delete = "DELETE",
    }
}

impl Decision {
    /// All decisions.
    pub const ALL: [Self; 5] = [Self::Create, Self::Update, Self::Skip, Self::CreateAndLink, Self::Delete];
}

/// The analyst that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Analyst {
    /// The similarity bands.
    #[default]
    Bands,
    /// The local analyst.
    Local,
    /// The configured model.
    Model,
    /// A person.
    User,
}

impl From<Outcome> for Decision {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Skip => Self::Skip,
            Outcome::Update => Self::Update,
            Outcome::CreateAndLink => Self::CreateAndLink,
            Outcome::Create => Self::Create,
        }
    }
}
