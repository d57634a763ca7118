//! The category of a statement; by the SPEC's priority where several fit.
//!
//! It looks at cues and values only, never at who wrote.

use super::cues::is_offer;
use super::part::{Lean, PartKind, StatementPart};
use super::phrases::Said;
use super::plain::Plain;
use super::units::DraftUnit;
use super::when::{DateRole, Moment};
use crate::language::{Found, Value, words};
use crate::model::Category;

/// The category of a unit with this text.
pub(super) fn of(unit: &DraftUnit, text: &str, found: &[Found], moments: &[Moment]) -> Category {
    let has = |role: DateRole| moments.iter().any(|m| m.role == role);
    let plain = Plain::new(text);
    // A fact about somebody outlasts what is asked for on its account ("allergic to shrimp, choose without").
    let told = unit.parts.iter().any(|p| p.cues.fact && !p.cues.request)
        && !has(DateRole::Deadline)
        && !unit.parts.iter().any(|p| p.cues.request && p.leans == Lean::Pointer);
    // "Bring photo ID" goes with the appointment that it stands beside.
    let visit = |p: &StatementPart| {
        !p.cues.request
            && !p.cues.project
            && p.moments.iter().any(|m| m.clock.is_some() && matches!(m.role, DateRole::Event | DateRole::From))
    };
    let beside = unit.parts.first().is_some_and(visit);
    let asked = !told
        && unit
            .parts
            .iter()
            .any(|p| p.cues.request && !p.cues.soft && !(beside && p.moments.is_empty() && p.strong.is_empty()));
    let item = matches!(&unit.parts[..], [one] if one.kind != PartKind::Sentence);
    // What is handed in, paid or answered by a day.
    let due = has(DateRole::Deadline) && (item || plain.has(words!("mail/dates.due")));
    // An appointment is an event on a day; what is asked for beside it does not make it a task.
    let appointment = unit.meets() && (has(DateRole::Event) || has(DateRole::Former));
    let answer = unit.parts.iter().any(|p| p.cues.request && Plain::new(&p.text).says(Said::Answer));
    // "The kickoff is confirmed for 22 January": what was settled is the day itself.
    let settles = |p: &StatementPart| {
        p.cues.decision
            && p.moments.iter().any(|m| m.role == DateRole::Event)
            && Plain::new(&p.text).says(Said::Settled)
    };
    let settled = unit.parts.iter().any(settles);
    let due_by_a_day = asked && has(DateRole::Deadline);
    let other = answer || settled || due_by_a_day || unit.any(|c| c.open);
    if appointment && !other {
        return Category::Meeting;
    }
    if asked || due || answer {
        return Category::Task;
    }
    if unit.any(|c| c.decision) {
        return Category::Decision;
    }
    let at = |v: &Value| {
        matches!(v, Value::Clock(_)) || matches!(v, Value::Range(ends) if matches!(ends.0, Value::Clock(_)))
    };
    let clock = found.iter().any(|f| at(&f.value));
    let routine = unit.any(|c| c.meeting) && clock && found.iter().any(|f| matches!(f.value, Value::Recurrence(_)));
    let clocked = moments.iter().any(|m| m.clock.is_some() && m.role == DateRole::Event) || beside;
    // What is booked for an hour is in a calendar.
    let booked = plain.says(Said::Booked) && !unit.any(|c| c.project);
    if routine || clocked && (booked || !unit.any(|c| c.project || c.change)) {
        return Category::Meeting;
    }
    let sold = found.iter().any(|f| matches!(f.value, Value::Percent(_) | Value::Money { .. }));
    if sold && is_offer(&plain) && !unit.any(|c| c.change) {
        return Category::Ads;
    }
    if unit.any(|c| c.project || c.proposal || c.open) && !unit.any(|c| c.fact && !c.project) {
        return Category::Project;
    }
    Category::Misc
}
