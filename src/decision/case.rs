//! The input and the result of a rule on all candidates of a draft.

use super::Candidate;
use crate::analysis::{Analysis, Outcome};
use crate::model::{Draft, Memory};

/// A draft, and the memories that it may be about, best first.
pub(super) struct DraftCase<'a> {
    pub(super) draft: &'a Draft,
    pub(super) known: &'a [(Candidate, Memory)],
}

impl DraftCase<'_> {
    /// The analyses with their places among the candidates.
    pub(super) fn analyses(&self) -> impl Iterator<Item = (usize, &Analysis)> {
        self.known.iter().enumerate().filter_map(|(at, (c, _))| Some((at, c.analysis.as_ref()?)))
    }

    pub(super) fn is_sure(&self, outcome: Outcome) -> bool {
        self.analyses().any(|(_, a)| a.sure && a.outcome == outcome)
    }
}

/// The analyses that a rule replaces, by place among the candidates. Empty: all stay as they are.
pub(super) type CandidateVerdict = Vec<(usize, Analysis)>;
