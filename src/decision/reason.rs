//! Reasons as data: kinds with their parameters, worded in the reader's language when shown.

use super::TrustRule;
use crate::analysis::{KeyFactor, Outcome};
use crate::model::Id;
use serde::{Deserialize, Serialize};

/// Why a decision was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", from = "Flat")]
pub enum Reason {
    /// Nothing stored is like it.
    NothingSimilar,
    /// The score lies in the band of this decision.
    ScoreInBand {
        /// The score.
        score: f32,
        /// The lower edge of the band.
        from: f32,
    },
    /// A feature that the local analyst weighed.
    Feature(KeyFactor),
    /// The local analyst was sure.
    LocalAnalystSure {
        /// Its confidence.
        confidence: f32,
    },
    /// Nobody was sure: both are kept and linked.
    NotSure {
        /// The best confidence there was.
        confidence: f32,
    },
    /// The configured model settled it.
    ModelAnswered {
        /// How sure it said to be.
        confidence: f32,
    },
    /// The configured model read the mail beside what is known, and this is what it found.
    ModelRead,
    /// A figure, a day or a name of it was inferred; nobody has said it so.
    Inferred,
    /// It was said again, so the day on which it was said last has moved.
    SaidAgain,
    /// The configured model takes two stored memories for one matter; only their owner makes one of them.
    OneMatter {
        /// The other memory, beside the target.
        with: Id,
    },
    /// The local analyst was sure of another outcome than the model; the model's word was taken.
    AnalystsDisagree {
        /// What the local analyst was sure of.
        local: Outcome,
        /// How sure it was.
        confidence: f32,
    },
    /// The configured model gave no answer that could be used, so the local one stands.
    ModelRefused {
        /// Why, such as `timeout`, `unauthorized` or `malformed`; [`super::Refusal`] has them all.
        error: String,
    },
    /// The stored memory has a source of higher priority and stands.
    SourceOutranks,
    /// The new memory is older than the stored one and becomes history.
    OlderThanStored,
    /// Whoever says it has no standing: neither said what is confirmed, nor was in that thread, nor is of the same organisation,
    /// nor was ever written to by the owner.
    NoStanding {
        /// Who said what is stored, where that is known.
        author: Option<String>,
    },
    /// A check, its address or its text speaks against the sender.
    Unproven {
        /// By which rule.
        rule: TrustRule,
        /// The known address that the sender's looks like.
        like: Option<String>,
    },
    /// It only repeats a value that was changed since, so the change stands.
    RepeatsEarlier,
    /// A question that waited is settled by it.
    Settled {
        /// The entry of that question.
        entry: Id,
    },
    /// What somebody without standing had changed is taken up by who has it, so that change stands now.
    Confirmed {
        /// The entry of that change.
        entry: Id,
    },
    /// A bank account, a payment, a delivery or a login address would change: nobody changes those in silence.
    SensitiveChange {
        /// `bank`, `payment`, `delivery` or `login`.
        detail: String,
    },
    /// The mail gives itself a time that had not come when it arrived.
    DateAhead,
    /// It speaks to an assistant instead of to a reader, so nothing was made of it.
    Suspected,
    /// Other stored memories of the same thing may be outdated too; they are linked.
    MayAlsoReplace {
        /// How many.
        memories: u32,
    },
    /// The same input was handled before.
    HandledBefore,
    /// It came with an import.
    Imported {
        /// How many memories.
        memories: u32,
        /// How many edges.
        edges: u32,
    },
    /// Memories that say nearly the same were folded into one text that keeps all their numbers and names.
    Merged {
        /// How many.
        memories: u32,
    },
    /// Its owner found it right.
    Accepted,
    /// Its owner found it wrong.
    Rejected,
    /// Its owner decided otherwise.
    Corrected,
    /// The input could not be handled.
    Failed {
        /// The error's code.
        error: String,
        /// The error's sentence.
        message: String,
    },
}

/// All fields of all reasons: reading a tagged enum directly would cost a second copy of every reader (30 KB).
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
        if let Some(with) = f.with.filter(|_| f.kind == "one_matter") {
            return Self::OneMatter { with };
        }
        if let Some(entry) = f.entry.filter(|_| f.kind == "confirmed") {
            return Self::Confirmed { entry };
        }
        if let Some(entry) = f.entry.filter(|_| f.kind == "settled") {
            return Self::Settled { entry };
        }
        if let Some(rule) = f.rule.filter(|_| f.kind == "unproven") {
            return Self::Unproven { rule, like: f.like };
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
            // A reason of a newer version is kept as the words it came with.
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
