//! Turns ranked candidates into a decision, and selects the candidates to ask a model about.

use super::decided::{Candidate, Decided, Link};
use super::{Analyst, Decision, Mode, Policy, Reason};
use crate::analysis::{Analysis, Outcome};
use crate::model::{Conflict, Id, Relationship};
use crate::similarity::rank;

/// The result of triage.
#[derive(Debug, Clone, PartialEq)]
pub struct Triage {
    /// The decision if no model is asked. If uncertain, both memories are kept, linked and flagged for review.
    pub decided: Decided,
    /// The candidates to ask a model about, best first; empty if the decision is settled.
    pub open: Vec<Id>,
}

/// A candidate with its analysis.
type Analysed<'a> = (&'a Candidate, &'a Analysis);

const MAX_LINKS: usize = 4;
/// Maximum candidates in one question.
const MAX_ASKED: usize = 5;
/// Minimum probability of the same subject for a question in `balanced` mode: else the answer changes nothing.
const WORTH_ASKING: f32 = 0.35;
/// Minimum probability of the same subject for a link that is flagged for review.
const MAY_BE_SAME: f32 = 0.35;

/// Decides on a new memory from its candidates, best first, and selects those to ask a model about.
pub fn triage<'a>(candidates: impl IntoIterator<Item = &'a Candidate>, policy: &Policy) -> Triage {
    let candidates: &[&Candidate] = &candidates.into_iter().collect::<Vec<_>>();
    if !policy.use_property_analysis {
        return Triage { decided: by_bands(candidates, policy), open: Vec::new() };
    }
    let analysed: &[Analysed<'_>] =
        &candidates.iter().filter_map(|c| Some((*c, c.analysis.as_ref()?))).collect::<Vec<_>>();
    // A duplicate takes precedence over an update.
    let written = |outcome: Outcome| {
        // The candidate with the highest confidence; the first of several.
        let found = analysed.iter().rev().filter(|(_, a)| a.outcome == outcome && is_written(a, policy));
        found.max_by(|(_, a), (_, b)| a.confidence.total_cmp(&b.confidence)).copied()
    };
    let found = written(Outcome::Skip).or(written(Outcome::Update));
    let decided = match found {
        Some((c, analysis)) => {
            let skips = analysis.outcome == Outcome::Skip;
            let links = if skips { Vec::new() } else { links_beside(analysed, Some(c.id), policy) };
            let decided = decided_by(analysis, analysis.outcome.into(), Some(c.id), true);
            // An overlap is only probably about one matter, so a person should review it.
            let needs_review = !skips && analysis.conflict == Conflict::Overlap;
            Decided { links, changes: analysis.changes.clone(), needs_review, ..decided }
        }
        None => keep_both(candidates, analysed, policy),
    };
    let mut about = asked(candidates, &decided, policy);
    // In `accurate` mode, a model checks updates of important memories too.
    let replaced = found.filter(|(c, a)| policy.mode == Mode::Accurate && c.important && a.outcome == Outcome::Update);
    if let Some((c, _)) = replaced
        && about.iter().all(|asked| asked.id != c.id)
    {
        about.insert(0, c);
    }
    // If the memory is certainly a duplicate, questions about other candidates change nothing.
    let known = found.is_some_and(|(c, a)| a.outcome == Outcome::Skip && a.sure && about.iter().all(|x| x.id != c.id));
    about.retain(|_| !known);
    let about = rank(about, MAX_ASKED, |c| (c.analysis.as_ref().map_or(1.0, |a| 1.0 - a.probabilities[3]), c.id));
    Triage { decided, open: about.iter().map(|c| c.id).collect() }
}

/// The candidates to ask a model about: those for which the local analyst may be wrong.
fn asked<'a>(candidates: &[&'a Candidate], decided: &Decided, policy: &Policy) -> Vec<&'a Candidate> {
    let in_reach =
        |c: &&Candidate| (policy.llm_threshold_min..=policy.llm_threshold_max).contains(&c.score) || c.structural;
    let unsure = |a: &Analysis| a.confidence < policy.ask_below || !names_a_change(a);
    let open = candidates.iter().copied().filter(in_reach).filter(|c| c.analysis.as_ref().is_none_or(unsure));
    if policy.mode == Mode::Accurate {
        return open.collect();
    }
    // An answer matters if it can replace or skip, or if no link exists yet.
    let may_be_same = |c: &&Candidate| c.analysis.as_ref().is_none_or(|a| a.same_subject() >= WORTH_ASKING);
    let (same, mut others): (Vec<_>, Vec<_>) = open.partition(may_be_same);
    let sure_link = candidates.iter().any(|c| {
        c.analysis.as_ref().is_some_and(|a| a.confidence >= policy.ask_below && a.outcome == Outcome::CreateAndLink)
    });
    if !same.is_empty() || sure_link || decided.decision == Decision::Skip {
        return same;
    }
    others.retain(|c| candidates.first().is_some_and(|first| first.id == c.id));
    others
}

/// Whether an UPDATE names the change or contradiction; always for other outcomes.
fn names_a_change(a: &Analysis) -> bool {
    a.outcome != Outcome::Update || !a.changes.is_empty() || a.conflict == Conflict::Contradiction
}

/// Whether a SKIP or UPDATE is probable enough to be written, and an UPDATE names a change.
fn is_written(a: &Analysis, policy: &Policy) -> bool {
    let is_measured = a.by_head && a.outcome == Outcome::Update;
    names_a_change(a) && (a.sure || !is_measured && a.confidence >= policy.write_above)
}

/// Whether the new memory may be about the same thing, but not certainly enough to be written.
fn is_doubtful(a: &Analysis) -> bool {
    let may_be_same = matches!(a.outcome, Outcome::Update | Outcome::Skip) || a.same_subject() >= MAY_BE_SAME;
    may_be_same && !(a.sure && a.outcome != Outcome::Update)
}

/// Whether a related memory gets a link. Most pairs in a mailbox are unrelated. Below the link band, the analyst must
/// be sure, or both must share a thread, entity, subject or identifier.
fn is_related(c: &Candidate, a: &Analysis, policy: &Policy) -> bool {
    a.outcome == Outcome::CreateAndLink && (a.sure || c.structural || c.score >= policy.bands.link)
}

/// A decision of the local analyst by the analysis of one pair.
fn decided_by(a: &Analysis, decision: Decision, target: Option<Id>, sure: bool) -> Decided {
    let confidence = a.confidence;
    let first = if sure { Reason::LocalAnalystSure { confidence } } else { Reason::NotSure { confidence } };
    Decided {
        decision,
        target,
        subject_a: Some(a.subject_a.clone()),
        subject_b: Some(a.subject_b.clone()),
        relationship: a.relationship,
        conflict: a.conflict,
        analyst: Analyst::Local,
        confidence,
        reasons: std::iter::once(first).chain(a.key_factors.iter().cloned().map(Reason::Feature)).collect(),
        ..Decided::default()
    }
}

fn links_beside(analysed: &[Analysed<'_>], updated: Option<Id>, policy: &Policy) -> Vec<Link> {
    let related = analysed.iter().filter(|(c, a)| Some(c.id) != updated && is_related(c, a, policy));
    let link =
        |(c, a): &Analysed<'_>| Link { id: c.id, relation: a.relation, weight: a.confidence, may_replace: false };
    rank(related.map(link).collect(), MAX_LINKS, |l| (l.weight, l.id))
}

/// CREATE with links to related memories. An uncertain UPDATE or SKIP becomes a flagged link.
fn keep_both(candidates: &[&Candidate], analysed: &[Analysed<'_>], policy: &Policy) -> Decided {
    let mut links = links_beside(analysed, None, policy);
    let doubtful = analysed.iter().filter(|(_, a)| is_doubtful(a));
    let doubtful = doubtful.max_by(|(_, a), (_, b)| a.same_subject().total_cmp(&b.same_subject()));
    if let Some((c, a)) = doubtful {
        links.retain(|l| l.id != c.id);
        links.insert(0, Link::of_doubt(c.id, a.same_subject()));
        links.truncate(MAX_LINKS);
    }
    let Some(first) = links.first().copied() else {
        return nothing_related(candidates, policy);
    };
    // Every link has an analysis.
    let about = analysed.iter().find(|(c, _)| c.id == first.id);
    let found = about.map(|(_, a)| decided_by(a, Decision::CreateAndLink, Some(first.id), a.sure)).unwrap_or_default();
    let conflict = if doubtful.is_some() { Conflict::Overlap } else { found.conflict };
    Decided { links, conflict, needs_review: doubtful.is_some(), ..found }
}

/// CREATE without links.
fn nothing_related(candidates: &[&Candidate], policy: &Policy) -> Decided {
    let from = policy.bands.link;
    let reason = match candidates.first() {
        Some(Candidate { analysis: Some(a), .. }) => {
            let found = decided_by(a, Decision::Create, None, a.sure);
            return Decided { relationship: Relationship::default(), conflict: Conflict::default(), ..found };
        }
        Some(c) if c.score >= from => Reason::ScoreInBand { score: c.score, from },
        _ => Reason::NothingSimilar,
    };
    Decided { confidence: 1.0, reasons: vec![reason], ..Decided::default() }
}

/// Decides by the bands alone, as in `fast` mode.
fn by_bands(candidates: &[&Candidate], policy: &Policy) -> Decided {
    let bands = &policy.bands;
    let best = candidates.first();
    let score = best.map_or(0.0, |c| c.score);
    let (decision, from, relationship, conflict) = match score {
        s if s >= bands.skip => (Decision::Skip, bands.skip, Relationship::Identical, Conflict::Overlap),
        s if s >= bands.update => (Decision::Update, bands.update, Relationship::Identical, Conflict::Update),
        s if s >= bands.link => (Decision::CreateAndLink, bands.link, Relationship::Thematic, Conflict::None),
        _ => (Decision::Create, 0.0, Relationship::Unrelated, Conflict::None),
    };
    let target = best.filter(|_| decision != Decision::Create).map(|c| c.id);
    let linked = target.filter(|_| decision == Decision::CreateAndLink);
    Decided {
        decision,
        target,
        links: linked.map(|id| Link { id, relation: None, weight: score, may_replace: false }).into_iter().collect(),
        relationship,
        conflict,
        confidence: if best.is_none() { 1.0 } else { score.max(1.0 - score) },
        reasons: vec![if best.is_none() { Reason::NothingSimilar } else { Reason::ScoreInBand { score, from } }],
        ..Decided::default()
    }
}
