//! What the owner has corrected, as examples for a model.

use super::{Engine, Platform};
use crate::Result;
use crate::consolidation::{is_label, labelled, taken_back};
use crate::decision::{Decision, Lesson, Shown, Verdict};
use crate::embed::Embedder;
use crate::model::{Claim, Conflict};
use crate::store::{LogRange, Store};

/// Entries of the log among which corrections are looked for, and how many of a language go along.
const LOOK_BACK: usize = 512;
const LESSONS: usize = 2;

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The last corrections by the owner, as examples.
    pub(super) async fn lessons(&self) -> Result<Vec<Lesson>> {
        if let Some(known) = self.client.shared.lessons.borrow().clone() {
            return Ok(known);
        }
        let range = LogRange { limit: Some(LOOK_BACK), newest_first: true, ..LogRange::default() };
        let mut log = self.store.log(range).await?;
        log.reverse();
        let gone = taken_back(&log);
        let mut lessons: Vec<Lesson> = Vec::new();
        for review in log.iter().rev().filter(|e| is_label(e) && !gone.contains(&e.id)) {
            let Some(entry) = self.store.entry(review.about.unwrap_or(review.id)).await? else { continue };
            let existing = self.get_any(review.target_id.or(entry.target_id)).await?;
            let made = self.get_any(entry.memory_id).await?;
            let whole = |m: &&crate::model::Memory| !m.is_forgotten();
            let (Some(existing), None) = (existing.as_ref().filter(whole), &entry.redacted) else { continue };
            let new = labelled(review, &entry, made.as_ref());
            let outcome = match review.decision {
                Decision::Update => crate::analysis::Outcome::Update,
                Decision::Skip => crate::analysis::Outcome::Skip,
                Decision::CreateAndLink => crate::analysis::Outcome::CreateAndLink,
                _ => crate::analysis::Outcome::Create,
            };
            let updates = review.decision == Decision::Update;
            let verdict = Verdict {
                handle: "A".to_owned(),
                outcome,
                relation: review.relation.filter(|_| review.decision == Decision::CreateAndLink),
                conflict: if updates { review.conflict } else { Conflict::None },
                subject_a: String::new(),
                subject_b: String::new(),
                // Who finds an update right says of what it changed that it did.
                changes: match updates {
                    true if review.property_changes.is_empty() => entry.property_changes.clone(),
                    true => review.property_changes.clone(),
                    false => Vec::new(),
                },
                merged: None,
                confidence: 1.0,
            };
            let shown = |s: Claim<'_>| Shown::new(&s, false);
            let lesson = Lesson::new(shown(Claim::from(existing)), shown(Claim::from(&new)), verdict);
            let Some(lesson) = lesson else { continue };
            if lessons.iter().filter(|l| l.language() == lesson.language()).count() < LESSONS {
                lessons.push(lesson);
            }
        }
        self.client.shared.lessons.replace(Some(lessons.clone()));
        Ok(lessons)
    }
}
