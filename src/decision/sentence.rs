//! Words reasons as a sentence in the reader's language.

use super::{Decided, Decision, Reason, Ruling};
use crate::language::{
    has_hangul,
    shown::{self, ShownText},
};
use crate::model::{ChangeType, PropertyChange, Relation};

/// The decision in one sentence. Korean if the input contains any Hangul, or else English.
pub fn sentence(decided: &Decided, input: &str) -> String {
    let korean = has_hangul(input);
    if decided.ruling == Some(Ruling::Provisional) && decided.decision == Decision::Update {
        return shown::REPORTED.text(korean).to_owned();
    }
    if let Some(warning) = decided.reasons.iter().find_map(warning) {
        return warning.text(korean).to_owned();
    }
    match decided.decision {
        Decision::Update => update(decided, korean),
        Decision::CreateAndLink => link(decided, korean),
        Decision::Skip => shown::REPEATED.text(korean).to_owned(),
        Decision::Create => shown::NEW.text(korean).to_owned(),
        Decision::Delete => shown::DELETED.text(korean).to_owned(),
    }
}

impl Decided {
    /// The reason, as a sentence: the model's own if no review is needed.
    pub fn in_words(&self, input: &str) -> String {
        let calm = !self.needs_review && self.ruling != Some(Ruling::Provisional);
        self.reasoning.clone().filter(|_| calm).unwrap_or_else(|| sentence(self, input))
    }
}

/// A warning that takes precedence over the decision itself.
fn warning(reason: &Reason) -> Option<ShownText> {
    Some(match reason {
        Reason::SensitiveChange { detail } => match detail.as_str() {
            "bank" => shown::BANK_DETAIL,
            "payment" => shown::PAYMENT_DETAIL,
            "delivery" => shown::DELIVERY_DETAIL,
            _ => shown::LOGIN_DETAIL,
        },
        Reason::NoStanding { .. } => shown::NO_STANDING,
        Reason::Unproven { .. } => shown::UNPROVEN,
        Reason::RepeatsEarlier => shown::REPEATS_EARLIER,
        Reason::Inferred => shown::INFERRED,
        Reason::DateAhead => shown::DATE_AHEAD,
        _ => return None,
    })
}

fn update(decided: &Decided, korean: bool) -> String {
    let changes: Vec<String> = decided.changes.iter().take(3).map(|c| change(&c.change)).collect();
    let changes = changes.join(", ");
    match decided.subject_a.as_deref().filter(|s| !s.is_empty()) {
        _ if changes.is_empty() => shown::NEWER.text(korean).to_owned(),
        Some(subject) => shown::CHANGED_OF.with(korean, &[subject, &changes]),
        None => shown::CHANGED.with(korean, &[&changes]),
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

fn link(decided: &Decided, korean: bool) -> String {
    if decided.needs_review {
        return shown::NOT_SURE.text(korean).to_owned();
    }
    let how = match decided.links.first().and_then(|l| l.relation) {
        Some(Relation::Sequential) => shown::SEQUENTIAL,
        Some(Relation::Causal) => shown::CAUSAL,
        Some(Relation::Prerequisite) => shown::PREREQUISITE,
        Some(Relation::Elaboration) => shown::ELABORATION,
        Some(Relation::Alternative) => shown::ALTERNATIVE,
        _ => shown::RELATED,
    };
    let how = how.text(korean);
    let subjects = decided.subject_a.as_deref().zip(decided.subject_b.as_deref());
    match subjects.filter(|(a, b)| !a.is_empty() && !b.is_empty() && a != b) {
        Some((a, b)) => shown::DIFFERENT_SUBJECTS.with(korean, &[a, b, how]),
        None => shown::DIFFERENT_MATTERS.with(korean, &[how]),
    }
}
