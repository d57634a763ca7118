//! Detects whether a new memory only repeats a stored one: a reminder, a booking sent again.
//!
//! It relies on numbers, dates and names, and never on similar wording.

use crate::analysis::{Analysis, Outcome, Reading, says_otherwise as in_other_roles};
use crate::language::{CueKind, Folded, Text, Token, Value, ValueKind, fold, tokens, words};
use crate::model::Claim;

/// Minimum share of known words in a repetition.
const KNOWN: f32 = 0.8;
/// The same for a repetition by the same person, in the same thread, or marked as a reminder.
const SAID_AGAIN: f32 = 0.4;
/// Confidence that it is a repetition.
const CHANCE: f32 = 0.97;

/// Changes an analysis to SKIP if the stored memory has all numbers, dates and names of the new one.
pub fn unless_repeated(found: Analysis, stored: &ComparedSide<'_>, new: &ComparedSide<'_>) -> Analysis {
    let settled = found.sure && matches!(found.outcome, Outcome::Update | Outcome::Skip);
    if settled || !is_repeated(stored, new) || in_other_roles(stored.reading, new.reading) {
        return found;
    }
    found.settled(Outcome::Skip, CHANCE)
}

/// A compared memory: its claim and its reading.
#[derive(Debug, Clone, Copy)]
pub struct ComparedSide<'a> {
    /// The fields of the memory.
    pub claim: Claim<'a>,
    /// Its parsed text.
    pub reading: &'a Reading,
}

impl ComparedSide<'_> {
    fn text(&self) -> &Text {
        &self.reading.content
    }

    /// Whether both have the same thread or author.
    pub(super) fn shares_thread_or_author(&self, other: &Self) -> bool {
        let same = |a: Option<&str>, b: Option<&str>| a.is_some() && a == b;
        same(self.claim.thread_id, other.claim.thread_id) || same(self.claim.author, other.claim.author)
    }
}

/// Whether the stored memory has all verifiable facts of the new one, and the new one has enough of them.
fn is_repeated(stored: &ComparedSide<'_>, new: &ComparedSide<'_>) -> bool {
    let (known, told) = (identifying_values(stored.text()), identifying_values(new.text()));
    let enough = told.len() >= 2 && told.iter().any(|v| is_distinctive(v));
    enough
        && told.iter().all(|v| known.iter().any(|k| k.agrees(v)))
        && !says_otherwise(stored.text(), new.text())
        && names_known(&stored.claim, &new.claim)
        && words_known(stored, new.text()) >= if is_said_again(stored, new) { SAID_AGAIN } else { KNOWN }
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
fn says_otherwise(stored: &Text, new: &Text) -> bool {
    let said = stored.cues();
    let reminds = is_reminder(new);
    let idle = |k: CueKind| reminds && matches!(k, CueKind::Negation | CueKind::Question);
    new.cues().iter().any(|c| turns(c.kind) && !idle(c.kind) && said.iter().all(|s| s.kind != c.kind))
}

/// Whether a cue denies, changes, asks or settles something.
fn turns(kind: CueKind) -> bool {
    use CueKind::{Addition, Condition, Decision, Negation, Possibility, Proposal, Question, Removal};
    let others = [Addition, Condition, Decision, Negation, Possibility, Proposal, Question, Removal];
    kind.changes() || others.contains(&kind)
}

fn names_known(stored: &Claim<'_>, new: &Claim<'_>) -> bool {
    let known = [fold(stored.content), fold(stored.subject.unwrap_or_default()), fold(&stored.entities.join(" "))];
    let subject = fold(new.subject.unwrap_or_default());
    new.entities.iter().map(|e| fold(e)).all(|e| known.iter().any(|k| k.contains(&e)) || subject.contains(&e))
}

/// Whether the new text continues the same thread or author, or is a reminder.
fn is_said_again(stored: &ComparedSide<'_>, new: &ComparedSide<'_>) -> bool {
    new.shares_thread_or_author(stored)
        || is_reminder(new.text())
        || new.text().cues().iter().any(|c| c.kind == CueKind::Reminder)
}

/// "Don't forget", 잊지 않았지?
fn is_reminder(text: &Text) -> bool {
    let folded = Folded::new(text);
    words!("reminders.forget").stand_in(folded.text())
}

/// The share of the new words that are known, 0–1.
fn words_known(stored: &ComparedSide<'_>, new: &Text) -> f32 {
    let subject = tokens(&Folded::new(stored.claim.subject.unwrap_or_default()));
    let known: Vec<u64> = stored.text().tokens().iter().chain(&subject).map(|t| t.key).collect();
    let told: Vec<&Token> = new.tokens().iter().filter(|t| !t.stop).collect();
    let met = told.iter().filter(|t| known.contains(&t.key)).count();
    met as f32 / told.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Draft;

    fn repeated(stored: &str, new: &str) -> bool {
        let (stored, new) = (Draft::new(stored), Draft::new(new));
        let (stored, new) = (Claim::from(&stored), Claim::from(&new));
        let side = |claim, reading| ComparedSide { claim, reading };
        is_repeated(&side(stored, &Reading::of(&stored)), &side(new, &Reading::of(&new)))
    }

    #[test]
    fn a_reminder_repeats() {
        for (stored, new) in [
            (
                "엄마 생신 저녁 4월 12일 토요일 6시로 예약했어. 분당 달빛정원, 여덟 명.",
                "언니 내일(4월 12일) 저녁 여섯 시 달빛정원 잊지 않았지?",
            ),
            (
                "Your boiler visit GH-2291 is on Tuesday 6 May 2025, 08:00-12:00.",
                "Reminder: boiler visit GH-2291, Tuesday 6 May 2025, 08:00-12:00.",
            ),
        ] {
            assert!(repeated(stored, new), "{new}");
        }
    }

    #[test]
    fn what_has_a_figure_a_name_or_a_turn_of_its_own_does_not() {
        let stored = "The boiler visit GH-2291 is on Tuesday 6 May 2025, 08:00-12:00.";
        for new in [
            "The boiler visit GH-2291 is on Tuesday 6 May 2025, 13:00-15:00.",
            "The boiler visit GH-2291 on Tuesday 6 May 2025, 08:00-12:00, is cancelled.",
            "The boiler visit GH-2291 on Tuesday 6 May 2025, 08:00-12:00, costs £40.",
            "Could the boiler visit GH-2291 be on Tuesday 6 May 2025, 08:00-12:00?",
            "The boiler visit.",
        ] {
            assert!(!repeated(stored, new), "{new}");
        }
    }
}
