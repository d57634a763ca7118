//! Reasons as data: kinds with their parameters, worded in the reader's language when shown.

use super::{Decided, Decision};
use crate::analysis::{KeyFactor, Outcome};
use crate::language::has_hangul;
use crate::model::{ChangeType, Id, PropertyChange, Relation};
use serde::{Deserialize, Serialize};

/// Why a decision was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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
    /// Whoever says it has no standing to replace what is stored: neither said it, nor was in that thread, nor is of
    /// the same organisation, nor was ever written to by the owner.
    NoStanding {
        /// Who said what is stored, where that is known.
        author: Option<String>,
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
}

impl From<Flat> for Reason {
    fn from(f: Flat) -> Self {
        if let Some(with) = f.with.filter(|_| f.kind == "one_matter") {
            return Self::OneMatter { with };
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

/// The decision in one sentence, in the language of the input (Korean where it has any Hangul, else English).
pub fn sentence(decided: &Decided, input: &str) -> String {
    let korean = has_hangul(input);
    let relation = decided.links.first().and_then(|l| l.relation);
    if let Some(warning) = decided.reasons.iter().find_map(|r| warning(r, korean)) {
        return warning.to_owned();
    }
    match decided.decision {
        Decision::Update => update(decided, korean),
        Decision::Skip if korean => "이미 저장된 내용과 같아서 더할 것이 없습니다.".to_owned(),
        Decision::Skip => "Says nothing that is not stored already.".to_owned(),
        Decision::CreateAndLink => link(decided, relation, korean),
        Decision::Create if korean => "관련된 기억이 없어 새로 저장했습니다.".to_owned(),
        Decision::Create => "Nothing stored is related, so it is new.".to_owned(),
        Decision::Delete if korean => "사용자의 요청으로 지웠습니다.".to_owned(),
        Decision::Delete => "Deleted at the user's word.".to_owned(),
    }
}

/// What its owner must know before anything else.
fn warning(reason: &Reason, korean: bool) -> Option<&'static str> {
    Some(match (reason, korean) {
        (Reason::SensitiveChange { detail }, korean) => match (detail.as_str(), korean) {
            ("bank", true) => {
                "돈을 받을 계좌를 바꾸려는 메일입니다. 알고 있던 번호로 전화해 확인하기 전에는 믿지 마세요."
            }
            ("payment", true) => "결제 방법을 바꾸려는 메일입니다. 다른 길로 확인하기 전에는 믿지 마세요.",
            ("delivery", true) => "배송지를 바꾸려는 메일입니다. 다른 길로 확인하기 전에는 믿지 마세요.",
            (_, true) => "로그인하는 주소를 바꾸려는 메일입니다. 다른 길로 확인하기 전에는 믿지 마세요.",
            ("bank", false) => "It would change where money goes. Call a number that you know before you believe it.",
            ("payment", false) => "It would change how you pay. Check it in another way before you believe it.",
            ("delivery", false) => "It would change where goods go. Check it in another way before you believe it.",
            (_, false) => "It would change where you sign in. Check it in another way before you believe it.",
        },
        (Reason::NoStanding { .. }, true) => {
            "이 일을 알려 준 사람도, 그 대화에 있던 사람도 아니어서 바꾸지 않고 함께 두었습니다."
        }
        (Reason::NoStanding { .. }, false) => {
            "Whoever says so did not tell it first and was not in that thread, so both are kept."
        }
        (Reason::AnalystsDisagree { .. }, true) => {
            "물어본 모델의 말을 따랐지만 기기 내 분석은 다르게 확신합니다. 확인해 주세요."
        }
        (Reason::AnalystsDisagree { .. }, false) => {
            "The model's word was taken, though the local analyst was sure of another: please look."
        }
        (Reason::Inferred, true) => "모델이 미루어 짐작한 숫자나 날짜, 이름이 들어 있습니다. 확인해 주세요.",
        (Reason::Inferred, false) => {
            "The model inferred a figure, a day or a name of it that nobody has said so: please look."
        }
        (Reason::OneMatter { .. }, true) => "모델이 두 기억을 같은 일로 봅니다. 합칠지 정해 주세요.",
        (Reason::OneMatter { .. }, false) => {
            "The model takes two stored memories for one matter: please say whether they are."
        }
        (Reason::DateAhead, true) => "메일에 적힌 날짜가 받은 날보다 뒤입니다.",
        (Reason::DateAhead, false) => "The mail gives itself a date after the day it arrived.",
        _ => return None,
    })
}

fn update(decided: &Decided, korean: bool) -> String {
    let changes: Vec<String> = decided.changes.iter().take(3).map(|c| change(&c.change)).collect();
    let subject = decided.subject_a.as_deref().filter(|s| !s.is_empty());
    match (changes.is_empty(), subject, korean) {
        (false, Some(s), true) => format!("같은 대상({s})의 값이 바뀌었습니다: {}", changes.join(", ")),
        (false, Some(s), false) => format!("The same subject ({s}) has changed: {}", changes.join(", ")),
        (false, None, true) => format!("같은 대상의 값이 바뀌었습니다: {}", changes.join(", ")),
        (false, None, false) => format!("The same subject has changed: {}", changes.join(", ")),
        (true, _, true) => "같은 대상에 대한 더 새로운 내용입니다.".to_owned(),
        (true, _, false) => "A newer statement about the same subject.".to_owned(),
    }
}

fn change(c: &PropertyChange) -> String {
    let name = if c.property.is_empty() { String::new() } else { format!("{} ", c.property) };
    match (c.change_type, &c.old_value, &c.new_value) {
        (ChangeType::Addition, _, Some(new)) => format!("{name}+ {new}"),
        (ChangeType::Removal, Some(old), _) => format!("{name}− {old}"),
        (_, Some(old), Some(new)) => format!("{name}{old} → {new}"),
        (_, old, new) => format!("{name}{}", new.as_ref().or(old.as_ref()).map_or("", String::as_str)),
    }
}

fn link(decided: &Decided, relation: Option<Relation>, korean: bool) -> String {
    let how = match (relation, korean) {
        (Some(Relation::Sequential), true) => "이어지는 일",
        (Some(Relation::Causal), true) => "원인과 결과",
        (Some(Relation::Prerequisite), true) => "먼저 되어야 할 일",
        (Some(Relation::Elaboration), true) => "따로 서는 세부 내용",
        (Some(Relation::Alternative), true) => "다른 안",
        (_, true) => "관련된 일",
        (Some(Relation::Sequential), false) => "the next in a row",
        (Some(Relation::Causal), false) => "cause and effect",
        (Some(Relation::Prerequisite), false) => "one allows the other",
        (Some(Relation::Elaboration), false) => "a detail that stands by itself",
        (Some(Relation::Alternative), false) => "another option",
        (_, false) => "one has to do with the other",
    };
    let subjects = decided
        .subject_a
        .as_deref()
        .zip(decided.subject_b.as_deref())
        .filter(|(a, b)| !a.is_empty() && !b.is_empty() && a != b);
    match (subjects, decided.needs_review, korean) {
        (_, true, true) => "같은 대상의 변경인지 확실하지 않아 둘 다 두고 연결했습니다.".to_owned(),
        (_, true, false) => "Not sure whether it replaces what is stored, so both are kept and linked.".to_owned(),
        (Some((a, b)), _, true) => format!("대상이 다르고({a} / {b}) 둘 다 유효합니다: {how}."),
        (Some((a, b)), _, false) => format!("Different subjects ({a} / {b}), both valid: {how}."),
        (None, _, true) => format!("서로 다른 내용이며 둘 다 유효합니다: {how}."),
        (None, _, false) => format!("Different matters, both valid: {how}."),
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
            Reason::SensitiveChange { detail: "bank".into() },
            Reason::DateAhead,
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
