//! Reasons as a sentence in the reader's language.

use super::{Decided, Decision, Reason};
use crate::language::has_hangul;
use crate::model::{ChangeType, PropertyChange, Relation};

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
