//! Chooses the category of a candidate: task, decision, meeting, project, ads or misc (seed 004). The first match wins.

use super::category_cues::{CategoryCue, cues_of};
use super::unit::DraftUnit;
use crate::language::{CueKind, DateRole, Found, Moment, Value, words};
use crate::mail::{MailKind, says_kind};
use crate::model::Category;

/// Returns the category of a unit. `topic` is the subject line to read with it, or empty.
pub(super) fn of(unit: &DraftUnit, topic: &str, text: &str, found: &[Found], moments: &[Moment]) -> Category {
    let (said, above) = (cues_of(text), cues_of(topic));
    let says = |cue| said.contains(&cue);
    let has = |role: DateRole| moments.iter().any(|m| m.role == role);
    // A deadline to pay, submit or answer makes a task. A delivery date does not.
    let lower = text.to_lowercase();
    let is_item = || unit.parts.iter().any(|p| p.form.is_listed() && p.has_deadline());
    let due = [words!("mail/dates.due words"), words!("mail/dates.due phrases")];
    let is_told = || due.iter().any(|list| list.stand_whole_in(&lower));
    let has_deadline = has(DateRole::Deadline);
    let is_due = has_deadline && (is_item() || is_told());
    let is_asked = (unit.says(CueKind::Request) || says(CategoryCue::Task)) && !says(CategoryCue::NoTask);
    let is_task = is_asked || is_due || above.contains(&CategoryCue::Task);
    let is_meeting = says(CategoryCue::Meeting) && !says(CategoryCue::NoMeeting);
    let is_said_settled = says(CategoryCue::Settled);
    let is_settled = is_said_settled || unit.says(CueKind::Decision) || above.contains(&CategoryCue::Settled);
    let is_open = unit.says(CueKind::Pending);
    let has_hour = moments.iter().any(|m| m.clock.is_some() && matches!(m.role, DateRole::Event | DateRole::From));
    // An additional request does not turn an appointment into a task.
    let is_other = is_asked && has_deadline || is_said_settled || is_open || says(CategoryCue::Task);
    if is_meeting && (has(DateRole::Event) || has(DateRole::Former)) && !is_other {
        return Category::Meeting;
    }
    let is_clock =
        |v: &Value| matches!(v, Value::Clock(_)) || matches!(v, Value::Range(e) if matches!(e.0, Value::Clock(_)));
    let is_sold = found.iter().any(|f| matches!(f.value, Value::Percent(_) | Value::Money { .. }));
    match () {
        () if is_task => Category::Task,
        // A decision with a time of day is an appointment.
        () if has_hour && is_settled && !is_said_settled && !is_open => Category::Meeting,
        () if is_settled && !is_open => Category::Decision,
        () if has_hour || is_meeting && found.iter().any(|f| is_clock(&f.value)) => Category::Meeting,
        () if is_sold && says_kind(text, MailKind::Offer) && !unit.says(CueKind::Change) => Category::Ads,
        () if is_open || says(CategoryCue::Project) || unit.says(CueKind::Proposal) => Category::Project,
        () => Category::Misc,
    }
}
