//! Reasons as data: kinds with parameters, worded in the reader's language when shown.

use super::TrustRule;
use crate::analysis::KeyFactor;
use crate::model::Id;
use serde::{Deserialize, Serialize};

/// The reason for a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Reason {
    /// No stored memory is similar.
    NothingSimilar,
    /// The score falls into the band of this decision.
    ScoreInBand {
        /// The score.
        score: f32,
        /// Lower threshold of the band.
        from: f32,
    },
    /// A feature that the local analyst weighed.
    Feature(KeyFactor),
    /// The local analyst was sure.
    LocalAnalystSure {
        /// Its confidence.
        confidence: f32,
    },
    /// No analyst was sure: both memories are kept and linked.
    NotSure {
        /// The highest confidence.
        confidence: f32,
    },
    /// The configured model read the mail together with the stored memories and found this.
    ModelRead,
    /// A number, date or name was inferred rather than stated.
    Inferred,
    /// It was repeated, so the date of its last mention has moved.
    SaidAgain,
    /// The configured model gave no usable answer, so the local analysis applies.
    ModelRefused {
        /// Code of the cause, such as `timeout`, `unauthorized` or `malformed`; see [`super::Refusal`].
        error: String,
    },
    /// The stored memory has a source of higher priority and is kept.
    SourceOutranks,
    /// The new memory is older than the stored one and becomes part of its history.
    OlderThanStored,
    /// The sender may not change the memory without confirmation.
    NoStanding {
        /// The author of the stored memory, if known.
        author: Option<String>,
    },
    /// A check, the address or the text gives reason to doubt the sender.
    Unproven {
        /// The trust rule that matched.
        rule: TrustRule,
        /// The known address that the sender's address imitates.
        like: Option<String>,
    },
    /// It only repeats a value that has changed since, so the change is kept.
    RepeatsEarlier,
    /// It settles a pending question.
    Settled {
        /// The log entry of that question.
        entry: Id,
    },
    /// A sender with standing builds on a provisional change, so the change is now confirmed.
    Confirmed {
        /// The log entry of that change.
        entry: Id,
    },
    /// A bank account, payment, delivery or login address would change. Such changes always need confirmation.
    SensitiveChange {
        /// `bank`, `payment`, `delivery` or `login`.
        detail: String,
    },
    /// The mail's date is later than its arrival.
    DateAhead,
    /// The text instructs an assistant, so no memory was made of it.
    Suspected,
    /// Other stored memories on the same subject may be outdated too; they are linked.
    MayAlsoReplace {
        /// Number of memories.
        memories: u32,
    },
    /// The same input was processed before.
    HandledBefore,
    /// It was imported.
    Imported {
        /// Number of memories.
        memories: u32,
        /// Number of edges.
        edges: u32,
    },
    /// Near-duplicate memories were merged into one text that keeps all numbers and names.
    Merged {
        /// Number of memories.
        memories: u32,
    },
    /// The owner accepted it.
    Accepted,
    /// The owner rejected it.
    Rejected,
    /// The owner decided otherwise.
    Corrected,
    /// The input could not be processed.
    Failed {
        /// Code of the error.
        error: String,
        /// Message of the error.
        message: String,
    },
    /// A reason of a newer version.
    #[serde(other)]
    Unknown,
}
