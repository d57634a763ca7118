//! The ruling on a change, and the trust rule behind it.

use crate::json::wire;
use serde::{Deserialize, Serialize};

/// What happens to a change of a stored memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// Written as the current version.
    Confirmed,
    /// Written as the current version, marked with its reporter, until it is confirmed.
    Provisional,
    /// Not written: the owner decides.
    Review,
}

wire! {
    /// The trust rule that confirmed a change, made it provisional or kept it for review.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
    #[serde(rename_all = "snake_case")]
    pub enum TrustRule {
        /// The owner says so.
        Owner = "owner",
        /// A bank or payment account, a delivery address, or a sign-in or payment link would change.
        SensitiveDetail = "sensitive_detail",
        /// A note of the owner, or another source of higher priority, would change.
        HigherSource = "higher_source",
        /// A check found that the mail is not from its sender, or the mail has no single sender.
        FailedAuthentication = "failed_authentication",
        /// The mail has no authentication result although other mail of the account has one.
        NoAuthentication = "no_authentication",
        /// The sender's address imitates a known one.
        LookAlike = "look_alike",
        /// The text instructs an assistant.
        Instructs = "instructs",
        /// The mail's date is impossible.
        DateOutside = "date_outside",
        /// An invitation to another event, or by another organizer.
        OtherEvent = "other_event",
        /// The speaker of the words is unknown: the change comes from a subject line that someone else wrote.
        UnknownSpeaker = "unknown_speaker",
        /// The sender has standing.
        Standing = "standing",
        /// Any other sender.
        Anybody = "anybody",
    }
}
