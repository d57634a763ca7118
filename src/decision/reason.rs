//! Reasons as data: kinds with parameters, worded in the reader's language when shown.

use super::TrustRule;
use crate::analysis::{KeyFactor, Outcome};
use crate::model::Id;
use serde::{Deserialize, Serialize};

/// The reason for a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", from = "Flat")]
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
    /// The configured model decided.
    ModelAnswered {
        /// The model's own confidence.
        confidence: f32,
    },
    /// The configured model read the mail together with the stored memories and found this.
    ModelRead,
    /// A number, date or name was inferred rather than stated.
    Inferred,
    /// It was repeated, so the date of its last mention has moved.
    SaidAgain,
    /// The configured model considers two stored memories one matter. Only the owner can merge them.
    OneMatter {
        /// The memory besides the target.
        with: Id,
    },
    /// The local analyst was sure of another outcome than the model. The model decided.
    AnalystsDisagree {
        /// The local analyst's outcome.
        local: Outcome,
        /// Its confidence.
        confidence: f32,
    },
    /// The configured model gave no usable answer, so the local analysis applies.
    ModelRefused {
        /// Code of the cause, such as `timeout`, `unauthorized` or `malformed`; see [`super::Refusal`].
        error: String,
    },
    /// The stored memory has a source of higher priority and is kept.
    SourceOutranks,
    /// The new memory is older than the stored one and becomes part of its history.
    OlderThanStored,
    /// The sender has no standing: they stated nothing confirmed and took no part in the thread. They are not of the
    /// author's organisation, and the owner has never written to them.
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
}

/// The fields of all reasons. Deserialising a tagged enum directly would duplicate every deserialiser (30 KB).
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Flat {
    kind: String,
    score: f32,
    from: f32,
    confidence: f32,
    memories: u32,
    edges: u32,
    code: String,
    weight: f32,
    evidence: Option<String>,
    error: String,
    message: String,
    author: Option<String>,
    detail: String,
    local: Option<Outcome>,
    with: Option<Id>,
    entry: Option<Id>,
    rule: Option<TrustRule>,
    like: Option<String>,
}

impl From<Flat> for Reason {
    fn from(f: Flat) -> Self {
        match (f.kind.as_str(), f.with.or(f.entry), f.rule) {
            ("one_matter", Some(with), _) => return Self::OneMatter { with },
            ("confirmed", Some(entry), _) => return Self::Confirmed { entry },
            ("settled", Some(entry), _) => return Self::Settled { entry },
            ("unproven", _, Some(rule)) => return Self::Unproven { rule, like: f.like },
            _ => {}
        }
        match f.kind.as_str() {
            "nothing_similar" => Self::NothingSimilar,
            "score_in_band" => Self::ScoreInBand { score: f.score, from: f.from },
            "feature" => Self::Feature(KeyFactor { code: f.code, weight: f.weight, evidence: f.evidence }),
            "local_analyst_sure" => Self::LocalAnalystSure { confidence: f.confidence },
            "not_sure" => Self::NotSure { confidence: f.confidence },
            "model_read" => Self::ModelRead,
            "inferred" => Self::Inferred,
            "said_again" => Self::SaidAgain,
            "model_answered" => Self::ModelAnswered { confidence: f.confidence },
            "analysts_disagree" => {
                Self::AnalystsDisagree { local: f.local.unwrap_or(Outcome::CreateAndLink), confidence: f.confidence }
            }
            "model_refused" => Self::ModelRefused { error: f.error },
            "source_outranks" => Self::SourceOutranks,
            "older_than_stored" => Self::OlderThanStored,
            "no_standing" => Self::NoStanding { author: f.author },
            "sensitive_change" => Self::SensitiveChange { detail: f.detail },
            "date_ahead" => Self::DateAhead,
            "repeats_earlier" => Self::RepeatsEarlier,
            "suspected" => Self::Suspected,
            "may_also_replace" => Self::MayAlsoReplace { memories: f.memories },
            "handled_before" => Self::HandledBefore,
            "imported" => Self::Imported { memories: f.memories, edges: f.edges },
            "merged" => Self::Merged { memories: f.memories },
            "accepted" => Self::Accepted,
            "rejected" => Self::Rejected,
            "corrected" => Self::Corrected,
            "failed" => Self::Failed { error: f.error, message: f.message },
            // A reason of a newer version is kept as its kind and message.
            _ => Self::Failed { error: f.kind, message: f.message },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_reads_back_as_it_was_written() {
        let feature = KeyFactor { code: "other_period".into(), weight: 1.5, evidence: Some("Q1 → Q2".into()) };
        let all = [
            Reason::NothingSimilar,
            Reason::ScoreInBand { score: 0.87, from: 0.8 },
            Reason::Feature(feature),
            Reason::LocalAnalystSure { confidence: 0.97 },
            Reason::NotSure { confidence: 0.5 },
            Reason::ModelAnswered { confidence: 0.9 },
            Reason::ModelRead,
            Reason::Inferred,
            Reason::SaidAgain,
            Reason::OneMatter { with: crate::model::Ids::new(Default::default(), [7; 16]).mint() },
            Reason::AnalystsDisagree { local: Outcome::Skip, confidence: 0.97 },
            Reason::ModelRefused { error: "timeout".into() },
            Reason::SourceOutranks,
            Reason::OlderThanStored,
            Reason::NoStanding { author: Some("a@b".into()) },
            Reason::Confirmed { entry: crate::model::Ids::new(Default::default(), [8; 16]).mint() },
            Reason::SensitiveChange { detail: "bank".into() },
            Reason::DateAhead,
            Reason::Unproven { rule: TrustRule::LookAlike, like: Some("a@b".into()) },
            Reason::RepeatsEarlier,
            Reason::Settled { entry: crate::model::Ids::new(Default::default(), [9; 16]).mint() },
            Reason::Suspected,
            Reason::MayAlsoReplace { memories: 2 },
            Reason::HandledBefore,
            Reason::Imported { memories: 3, edges: 1 },
            Reason::Merged { memories: 7 },
            Reason::Accepted,
            Reason::Rejected,
            Reason::Corrected,
            Reason::Failed { error: "invalid_mail".into(), message: "no headers".into() },
        ];
        for reason in all {
            let text = serde_json::to_string(&reason).unwrap();
            assert_eq!(serde_json::from_str::<Reason>(&text).unwrap(), reason, "{text}");
        }
    }
}
