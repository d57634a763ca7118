//! What becomes of a change, and by which rule.

use crate::json::wire;
use serde::{Deserialize, Serialize};

/// What becomes of a change of something stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// It is written as the current version.
    Confirmed,
    /// It is written as the current version, marked with its reporter, and waits for a confirmation.
    Provisional,
    /// It is not written: the owner decides.
    Review,
}

wire! {
    /// The rule by which a change of something stored was confirmed, provisional or kept for review.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
    #[serde(rename_all = "snake_case")]
    pub enum TrustRule {
        /// The owner says so.
        Owner = "owner",
        /// A bank or payment account, a delivery address, a sign-in or payment link would change.
        SensitiveDetail = "sensitive_detail",
        /// A note of the owner's, or something else of a higher source, would change.
        HigherSource = "higher_source",
        /// A check says that the mail is not from its sender, or it has no single sender.
        FailedAuthentication = "failed_authentication",
        /// The mail has no authentication result although other mail of the account has one.
        NoAuthentication = "no_authentication",
        /// Its address only looks like one that is known.
        LookAlike = "look_alike",
        /// Its text instructs an assistant.
        Instructs = "instructs",
        /// It gives itself a date outside the time in which it can have been written.
        DateOutside = "date_outside",
        /// It is an invitation to another event, or in the name of another organizer.
        OtherEvent = "other_event",
        /// It rests on words of which the speaker is not known: a subject line of somebody else's.
        UnknownSpeaker = "unknown_speaker",
        /// The sender has standing.
        Standing = "standing",
        /// Anybody else.
        Anybody = "anybody",
    }
}
