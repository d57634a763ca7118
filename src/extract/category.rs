//! The category of a candidate: task, decision, meeting, project, ads or misc, the first that fits (seed 004).

use super::unit::DraftUnit;
use crate::language::{CueKind, DateRole, Found, Moment, Phrases, Value, phrases};
use crate::mail::{MailKind, says_kind};
use crate::model::Category;

/// Nouns of meetings and projects, and how tasks and what is settled are told; a row of `language/data/mail/categories.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CategoryCue {
    Meeting,
    /// What only sounds like a meeting: minutes, a training budget.
    NoMeeting,
    Project,
    Task,
    NoTask,
    Settled,
}

static CUES: Phrases<CategoryCue> = phrases!("mail/categories");

/// The category of a unit with this text.
pub(super) fn of(unit: &DraftUnit, text: &str, found: &[Found], moments: &[Moment]) -> Category {
    let plain = text.replace('’', "'").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let bare = plain.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
    let mut said = Vec::new();
    CUES.any(&plain, bare, &mut |hit| {
        said.extend(CUES.meaning(hit.row));
        false
    });
    let says = |cue| said.contains(&cue);
    let has = |role: DateRole| moments.iter().any(|m| m.role == role);
    let is_due = has(DateRole::Deadline);
    let is_task = (unit.says(CueKind::Request) || says(CategoryCue::Task)) && !says(CategoryCue::NoTask) || is_due;
    let is_meeting = says(CategoryCue::Meeting) && !says(CategoryCue::NoMeeting);
    let is_settled = says(CategoryCue::Settled) || unit.says(CueKind::Decision);
    let is_open = unit.says(CueKind::Pending);
    let has_hour = moments.iter().any(|m| m.clock.is_some() && matches!(m.role, DateRole::Event | DateRole::From));
    // An appointment is an event on a day; what is asked for beside it does not make it a task.
    if is_meeting
        && (has(DateRole::Event) || has(DateRole::Former))
        && !is_due
        && !is_settled
        && !is_open
        && !says(CategoryCue::Task)
    {
        return Category::Meeting;
    }
    let is_clock =
        |v: &Value| matches!(v, Value::Clock(_)) || matches!(v, Value::Range(e) if matches!(e.0, Value::Clock(_)));
    let is_sold = found.iter().any(|f| matches!(f.value, Value::Percent(_) | Value::Money { .. }));
    match () {
        () if is_task => Category::Task,
        () if is_settled && !is_open => Category::Decision,
        () if has_hour || is_meeting && found.iter().any(|f| is_clock(&f.value)) => Category::Meeting,
        () if is_sold && says_kind(text, MailKind::Offer) && !unit.says(CueKind::Change) => Category::Ads,
        () if is_open || says(CategoryCue::Project) || unit.says(CueKind::Proposal) => Category::Project,
        () => Category::Misc,
    }
}
