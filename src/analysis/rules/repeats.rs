//! Detects whether a new text only repeats a stored one, or changes an earlier one of its thread or author.

use crate::analysis::Change;
use crate::analysis::reading::Reading;
use crate::language::{CueKind, Folded, Text, Token, Value, ValueKind, fold, tokens, words};

/// Minimum share of known words in a repetition.
const KNOWN: f32 = 0.8;
/// The same for a repetition by the same person, in the same thread, or marked as a reminder.
const SAID_AGAIN: f32 = 0.4;

/// Whether the stored memory has all verifiable facts of the new one, and the new one has enough of them.
pub(super) fn is_repeated(stored: &Reading, new: &Reading) -> bool {
    let (known, told) = (identifying_values(&stored.content), identifying_values(&new.content));
    let enough = told.len() >= 2 && told.iter().any(|v| is_distinctive(v));
    enough
        && told.iter().all(|v| known.iter().any(|k| k.agrees(v)))
        && !has_other_cue(&stored.content, &new.content)
        && names_known(stored, new)
        && words_known(stored, new) >= if is_said_again(stored, new) { SAID_AGAIN } else { KNOWN }
}

/// Whether a text changes an earlier one of its thread or author: it has a cue of change and another value.
pub(super) fn is_turned(stored: &Reading, new: &Reading, changes: impl FnOnce() -> Vec<Change>) -> bool {
    let cues = new.content.cues();
    shares_thread_or_author(stored, new)
        && cues.iter().any(|c| c.kind.changes())
        && cues.iter().all(|c| c.kind != CueKind::Proposal)
        && changes().iter().any(Change::is_replacement)
}

fn shares_thread_or_author(a: &Reading, b: &Reading) -> bool {
    a.shares_thread(b) || a.author.is_some() && a.author == b.author
}

/// The values that identify a matter. Next to a full date, "tomorrow" adds nothing.
fn identifying_values(text: &Text) -> Vec<&Value> {
    let mut found: Vec<&Value> = text.values().iter().map(|f| &f.value).collect();
    let written_out = |v: &Value| matches!(v, Value::Date(d) if d.day.is_some());
    let dated = found.iter().any(|v| written_out(v));
    found.retain(|v| match v {
        Value::Date(_) => written_out(v) || !dated,
        _ => !matches!(v.kind(), ValueKind::Number | ValueKind::Status | ValueKind::Url),
    });
    found
}

/// Whether two texts seldom share such a value by chance.
fn is_distinctive(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Date | ValueKind::Money | ValueKind::Identifier | ValueKind::Recurrence)
}

/// Whether the new text denies, changes, asks or settles something, unlike the stored one.
fn has_other_cue(stored: &Text, new: &Text) -> bool {
    use CueKind::{Addition, Condition, Decision, Negation, Possibility, Proposal, Question, Removal};
    let others = [Addition, Condition, Decision, Negation, Possibility, Proposal, Question, Removal];
    let turns = |kind: CueKind| kind.changes() || others.contains(&kind);
    let reminds = is_reminder(new);
    let idle = |k: CueKind| reminds && matches!(k, CueKind::Negation | CueKind::Question);
    let said = stored.cues();
    new.cues().iter().any(|c| turns(c.kind) && !idle(c.kind) && said.iter().all(|s| s.kind != c.kind))
}

fn names_known(stored: &Reading, new: &Reading) -> bool {
    let known = [stored.folded.clone(), stored.subject_line.clone(), fold(&stored.entity_names.join(" "))];
    let is_known = |e: String| known.iter().any(|k| k.contains(&e)) || new.subject_line.contains(&e);
    new.entity_names.iter().map(|e| fold(e)).all(is_known)
}

/// Whether the new text continues the same thread or author, or is a reminder.
fn is_said_again(stored: &Reading, new: &Reading) -> bool {
    shares_thread_or_author(stored, new)
        || is_reminder(&new.content)
        || new.content.cues().iter().any(|c| c.kind == CueKind::Reminder)
}

/// "Don't forget", 잊지 않았지?
fn is_reminder(text: &Text) -> bool {
    words!("reminders.forget").stand_in(Folded::new(text).text())
}

/// The share of the new words that are known, 0–1.
fn words_known(stored: &Reading, new: &Reading) -> f32 {
    let subject = tokens(&Folded::new(&stored.subject_line));
    let known: Vec<u64> = stored.content.tokens().iter().chain(&subject).map(|t| t.key).collect();
    let told: Vec<&Token> = new.content.tokens().iter().filter(|t| !t.stop).collect();
    let met = told.iter().filter(|t| known.contains(&t.key)).count();
    met as f32 / told.len().max(1) as f32
}
