//! Rules on a draft and all its analysed candidates, in order; the first verdict wins.

use super::Candidate;
use super::context::{CandidateVerdict, DraftCase, doubt_updates, weigh_candidates};
use crate::analysis::{KeyFactor, Outcome, Reading};
use crate::model::{Draft, Memory, Source};
use std::rc::Rc;

/// A rule: its stable id, its reason and its check.
pub struct CandidateRule {
    /// Code of its key factor.
    pub id: &'static str,
    /// Why the rule exists, in one sentence.
    pub why: &'static str,
    run: fn(&DraftCase<'_>) -> Option<CandidateVerdict>,
}

const fn rule(
    id: &'static str,
    why: &'static str,
    run: fn(&DraftCase<'_>) -> Option<CandidateVerdict>,
) -> CandidateRule {
    CandidateRule { id, why, run }
}

fn keep_all(applies: bool) -> Option<CandidateVerdict> {
    applies.then(Vec::new)
}

/// The rules, in order.
pub const CANDIDATE_RULES: &[CandidateRule] = &[
    rule(
        "no_mail_text",
        "Only text of a mail is compared with all candidates together: an event is found by its id, a note by its pairs.",
        |c| keep_all(c.draft.source_type != Source::Realtime || c.draft.event.is_some()),
    ),
    rule("certainly_known", "A memory that certainly says the same settles the draft.", |c| {
        keep_all(c.is_sure(Outcome::Skip))
    }),
    rule("beside_instructions", "A mail that also instructs an assistant replaces nothing.", doubt_updates),
    rule("certain_update", "A certain update needs no comparison with the other candidates.", |c| {
        keep_all(c.is_sure(Outcome::Update))
    }),
    rule(
        "likeliest_candidate",
        "A mail changes at most the one memory that fits it best among all candidates.",
        weigh_candidates,
    ),
];

/// Applies the first rule that has a verdict to the analyses of the candidates. `read` parses a stored memory.
pub fn apply_candidate_rules(known: &mut [(Candidate, Memory)], draft: &Draft, read: &dyn Fn(&Memory) -> Rc<Reading>) {
    let case = DraftCase { draft, known, read };
    let found = CANDIDATE_RULES.iter().find_map(|rule| Some((rule.id, (rule.run)(&case)?)));
    let Some((id, verdict)) = found else { return };
    for (at, mut analysis) in verdict {
        analysis.key_factors.insert(0, KeyFactor { code: id.to_owned(), weight: analysis.log_odds(), evidence: None });
        known[at].0.analysis = Some(analysis);
    }
}
