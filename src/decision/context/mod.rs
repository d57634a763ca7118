//! Compares all candidates of a draft to find the one that a mail changes.
//!
//! A short mail ("the 22nd, same time") cannot be classified pair by pair. It matters whether another memory fits
//! better, and whether its thread has a single value of that kind. `examples/context` fits the weights of these
//! marks. The comparison never yields a SKIP and never overrules a sure analysis.

mod marks;

pub use marks::{Marked, mark_names, marked};

use super::Candidate;
use crate::analysis::{Analysis, Change, Outcome, Reading, differences};
use crate::language::{CueKind, Folded, ValueKind, cues};
use crate::mark_weights::MarkWeights;
use crate::model::{ChangeType, Conflict, Draft, Memory, Source};
use std::rc::Rc;

/// Minimum probability to write an update.
const WRITTEN: f32 = 0.65;
/// Minimum probability if the pair analysis also finds an update.
const AGREED: f32 = 0.42;
/// Below this probability, an update found by the pair analysis is not written. Above it, the pair analysis decides.
const PAIR_DECIDES: f32 = 0.35;
/// Minimum probability to append the new text to a memory of its thread, flagged.
const JOINED: f32 = 0.2;
/// From this link probability of the pair analysis, the new text is not appended.
const LIKELY_LINK: f32 = 0.5;
/// Drafts below this confidence come from a mail that instructs an assistant.
const INSTRUCTING: f32 = 0.5;
/// A memory with this many statements or characters is not appended to.
const MAX_STATEMENTS: usize = 4;
const MAX_JOINED_CHARS: usize = 300;
/// Maximum probability of an update that is not written.
const DOUBTED: f32 = 0.5;
/// The confidence of an update: a base, plus a share of its probability.
const LEAST: f32 = 0.81;
const MORE: f32 = 0.03;

static WEIGHTS: MarkWeights = MarkWeights::new(include_str!("weights.txt"));

/// A draft with the stored memories that may match it, best first.
pub(super) struct DraftCase<'a> {
    pub(super) draft: &'a Draft,
    pub(super) known: &'a [(Candidate, Memory)],
    /// Parses a stored memory.
    pub(super) read: &'a dyn Fn(&Memory) -> Rc<Reading>,
}

impl DraftCase<'_> {
    pub(super) fn analyses(&self) -> impl Iterator<Item = (usize, &Analysis)> {
        self.known.iter().enumerate().filter_map(|(at, (c, _))| Some((at, c.analysis.as_ref()?)))
    }

    pub(super) fn is_sure(&self, outcome: Outcome) -> bool {
        self.analyses().any(|(_, a)| a.sure && a.outcome == outcome)
    }
}

/// The analyses to replace, by candidate index. If empty, all analyses stay.
pub(super) type CandidateVerdict = Vec<(usize, Analysis)>;

/// The probability that the new memory changes each stored memory. At most one changes, so they sum to less than 1.
fn chances(marked: &[Marked]) -> Vec<f32> {
    let odds: Vec<f32> = marked.iter().map(|m| WEIGHTS.log_odds(&m.there).exp()).collect();
    let all = 1.0 + odds.iter().sum::<f32>();
    odds.into_iter().map(|o| o / all).collect()
}

/// Doubts every update if the mail also instructs an assistant.
pub(super) fn doubt_updates(case: &DraftCase<'_>) -> Option<CandidateVerdict> {
    let steers = case.draft.confidence.is_some_and(|c| c < INSTRUCTING);
    let updates = || case.analyses().filter(|(_, a)| a.outcome == Outcome::Update);
    steers.then(|| updates().map(|(at, a)| (at, with_doubted_update(a))).collect())
}

/// Updates the likeliest candidate if it is likely enough, and doubts the other updates.
pub(super) fn weigh_candidates(case: &DraftCase<'_>) -> Option<CandidateVerdict> {
    let DraftCase { draft, known, read } = *case;
    let marked = marked(known, draft, read);
    // A proposal does not replace anything yet.
    let is_proposed = is_proposed(&draft.content);
    let chances = chances(&marked);
    let likeliest = (0..chances.len()).max_by(|x, y| chances[*x].total_cmp(&chances[*y]));
    let weighed = marked.iter().zip(chances).enumerate().filter_map(|(n, (mark, chance))| {
        let (candidate, memory) = &known[mark.at];
        let a = candidate.analysis.as_ref().filter(|a| !a.sure)?;
        let is_update = a.outcome == Outcome::Update;
        let may_write = likeliest == Some(n) && !mark.is_another && a.outcome != Outcome::Skip;
        // Sentences of one mail do not replace each other.
        let one_mail = draft.source_id.is_some() && memory.source_id == draft.source_id;
        let least = if is_update { AGREED } else { WRITTEN };
        let found = if may_write && !one_mail && !is_proposed && chance >= least {
            updated(a, chance, changes(a, memory, draft))
        } else if may_write && (!is_update || is_proposed) && chance >= JOINED && may_join(a, memory, draft) {
            let joined = updated(a, chance, vec![Change::added(&draft.content)]);
            Analysis { conflict: Conflict::Overlap, ..joined }
        } else if is_update && !(may_write && chance >= PAIR_DECIDES) && memory.source_type == Source::Realtime {
            // Changes to the owner's notes are kept, so that the owner can accept them.
            with_doubted_update(a)
        } else {
            return None;
        };
        Some((mark.at, found))
    });
    Some(weighed.collect())
}

/// Whether a text makes a proposal and no decision.
fn is_proposed(content: &str) -> bool {
    let said = cues(&Folded::new(content));
    let has = |kind: CueKind| said.iter().any(|c| c.kind == kind);
    has(CueKind::Proposal) && !has(CueKind::Decision)
}

/// Whether a new memory may be appended to a stored one of its thread.
fn may_join(a: &Analysis, stored: &Memory, new: &Draft) -> bool {
    a.probabilities[2] < LIKELY_LINK
        && stored.thread_id.is_some()
        && stored.thread_id == new.thread_id
        && stored.source_type == Source::Realtime
        && stored.statements.len() < MAX_STATEMENTS
        && stored.content.chars().count() < MAX_JOINED_CHARS
}

/// The changes that a mail makes; only a value with a replacement of its kind is removed.
fn changes(a: &Analysis, stored: &Memory, new: &Draft) -> Vec<Change> {
    let mut all = if a.changes.is_empty() { differences(&stored.into(), &new.into()) } else { a.changes.clone() };
    all.retain(is_applicable);
    if all.is_empty() {
        all.push(Change::added(&new.content));
    }
    all
}

fn updated(a: &Analysis, chance: f32, changes: Vec<Change>) -> Analysis {
    let confidence = a.probabilities[1].max(LEAST + MORE * chance);
    let denied = a.outcome == Outcome::Update && a.conflict == Conflict::Contradiction;
    let conflict = if denied { Conflict::Contradiction } else { Conflict::Update };
    Analysis { changes, conflict, ..a.clone().settled(Outcome::Update, confidence) }
}

/// Whether a change adds text or replaces a value of its kind, except durations.
fn is_applicable(change: &Change) -> bool {
    let [old, new] = change.value_kinds();
    let replaces = old.is_some_and(|k| k != ValueKind::Duration) && old == new;
    change.change.change_type == ChangeType::Addition || replaces
}

fn with_doubted_update(a: &Analysis) -> Analysis {
    let update = a.probabilities[1].min(DOUBTED);
    let rest = 1.0 - a.probabilities[1];
    let scale = if rest > 0.0 { (1.0 - update) / rest } else { 0.0 };
    let probabilities: [f32; 4] = std::array::from_fn(|n| if n == 1 { update } else { a.probabilities[n] * scale });
    Analysis { probabilities, confidence: update, sure: false, ..a.clone() }
}
