//! The input and result of a rule that compares all candidates of a draft.

use super::Candidate;
use crate::analysis::{Analysis, Outcome};
use crate::model::{Draft, Memory};

/// A draft with the stored memories that may match it, best first.
pub(super) struct DraftCase<'a> {
    pub(super) draft: &'a Draft,
    pub(super) known: &'a [(Candidate, Memory)],
}

impl DraftCase<'_> {
    /// The candidates' analyses, each with its index.
    pub(super) fn analyses(&self) -> impl Iterator<Item = (usize, &Analysis)> {
        self.known.iter().enumerate().filter_map(|(at, (c, _))| Some((at, c.analysis.as_ref()?)))
    }

    pub(super) fn is_sure(&self, outcome: Outcome) -> bool {
        self.analyses().any(|(_, a)| a.sure && a.outcome == outcome)
    }
}

/// The analyses to replace, by candidate index. If empty, all analyses stay.
pub(super) type CandidateVerdict = Vec<(usize, Analysis)>;
