//! Words that indicate the category of a statement, or of a list by the line above it.

use crate::language::{Phrases, phrases, single_spaced};

/// Words that indicate a category; a section of `language/data/mail/categories.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CategoryCue {
    Meeting,
    /// Words that exclude a meeting: minutes, a training budget.
    NoMeeting,
    Project,
    Task,
    NoTask,
    Settled,
}

static CUES: Phrases<CategoryCue> = phrases!("mail/categories");

pub(super) fn cues_of(text: &str) -> Vec<CategoryCue> {
    let plain = single_spaced(&text.replace('’', "'")).to_lowercase();
    let bare = plain.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
    let mut said = Vec::new();
    CUES.any(&plain, bare, &mut |hit| {
        said.extend(CUES.meaning(hit.row));
        false
    });
    said
}

/// Whether the line above a list announces decisions or tasks: "Decisions:", "Action items:".
pub(super) fn announces_decisions(lead: &str) -> bool {
    cues_of(lead).iter().any(|cue| matches!(cue, CategoryCue::Settled | CategoryCue::Task))
}
