//! Decides a single pair of memories without a store.

use super::judging::judge_alone;
use crate::Result;
use crate::analysis::{self, KeyFactor, Outcome, Reading};
use crate::decision::{Analyst, Candidate, Decision, Policy, Reason, sentence, triage};
use crate::embed::{Embedder, HashingEmbedder, Remote};
use crate::language::fold;
use crate::model::{Claim, Conflict, Draft, Ids, PropertyChange, Relation, Relationship, Time};
use crate::similarity::{Factors, cosine, factors, score};
use serde::{Deserialize, Serialize};

/// The decision on one stored and one new memory, with its explanation.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// What would be written if no model were asked.
    pub decision: Decision,
    /// The most probable outcome, even if its confidence is too low to act on.
    pub outcome: Decision,
    /// The similarity of the two memories, 0–1.
    pub score: f32,
    /// The parts of the score.
    pub factors: Factors,
    /// Who decided: the local analyst, or the similarity bands.
    pub analyst: Analyst,
    /// The probability of `outcome`, 0–1.
    pub confidence: f32,
    /// Whether the confidence suffices to act.
    pub sure: bool,
    /// Whether a model would be asked, if one were set.
    pub asked: bool,
    /// The probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE; absent in `fast` mode.
    pub probabilities: Option<[f32; 4]>,
    /// The subject of the stored memory.
    pub subject_a: Option<String>,
    /// The subject of the new memory.
    pub subject_b: Option<String>,
    /// How the subjects relate.
    pub relationship: Relationship,
    /// The type of the link, if there is one.
    pub relation: Option<Relation>,
    /// Whether the new memory contradicts the stored one.
    pub conflict: Conflict,
    /// The changed properties, the main one first.
    pub property_changes: Vec<PropertyChange>,
    /// The features with the most weight.
    pub key_factors: Vec<KeyFactor>,
    /// The reasons, as data.
    pub reasons: Vec<Reason>,
    /// The reasons, as a sentence in the language of the new memory.
    pub reason: String,
}

/// Decides a single pair as the engine would with nothing else stored. Pure: no store, no clock, no model.
pub fn compare(existing: &Draft, new: &Draft, policy: &Policy) -> Result<Comparison> {
    existing.validate()?;
    new.validate()?;
    Ok(compared(existing, new, policy, None))
}

/// Like [`compare`], and asks the judgement head of a remote embedder if the local analyst is unsure.
pub async fn compare_judged(
    existing: &Draft,
    new: &Draft,
    policy: &Policy,
    remote: Option<&dyn Remote>,
) -> Result<Comparison> {
    let alone = compare(existing, new, policy)?;
    let Some(remote) = remote.filter(|remote| !alone.sure && remote.judges()) else { return Ok(alone) };
    let answer = judge_alone(remote, &existing.into(), &new.into()).await;
    Ok(answer.map_or(alone, |answer| compared(existing, new, policy, Some(&answer))))
}

fn compared(existing: &Draft, new: &Draft, policy: &Policy, head: Option<&[f32; 4]>) -> Comparison {
    let (a, b) = (Claim::from(existing), Claim::from(new));
    let embedder = HashingEmbedder;
    let likeness = cosine(&embedder.vector(a.content), &embedder.vector(b.content));
    let factors = factors(embedder.calibration().apply(likeness), &a, &b);
    let analysis = policy.use_property_analysis.then(|| analysis::compare(&Reading::of(&a), &Reading::of(&b), head));
    let candidate = Candidate {
        id: Ids::new(Time::default(), [0; 16]).mint(),
        score: score(&factors),
        factors,
        important: false,
        structural: shares_names(&a, &b),
        analysis: analysis.clone(),
    };
    let judged = triage(std::slice::from_ref(&candidate), policy);
    let (asked, decided) = (!judged.open.is_empty(), judged.decided);
    let outcome = analysis.as_ref().map_or(decided.decision, |a| a.outcome.into());
    Comparison {
        decision: decided.decision,
        outcome,
        score: candidate.score,
        factors,
        analyst: decided.analyst,
        confidence: analysis.as_ref().map_or(decided.confidence, |a| a.confidence),
        sure: analysis.as_ref().is_none_or(|a| a.sure),
        asked,
        probabilities: analysis.as_ref().map(|a| a.probabilities),
        subject_a: analysis.as_ref().map(|a| a.subject_a.clone()),
        subject_b: analysis.as_ref().map(|a| a.subject_b.clone()),
        relationship: analysis.as_ref().map_or(decided.relationship, |a| a.relationship),
        relation: match &analysis {
            Some(a) => a.relation.filter(|_| a.outcome == Outcome::CreateAndLink),
            None => decided.links.first().and_then(|l| l.relation),
        },
        conflict: analysis.as_ref().map_or(decided.conflict, |a| a.conflict),
        property_changes: analysis.iter().flat_map(|a| a.changes.iter().map(|c| c.change.clone())).collect(),
        key_factors: analysis.map_or_else(Vec::new, |a| a.key_factors),
        reason: sentence(&decided, b.content),
        reasons: decided.reasons,
    }
}

fn shares_names(a: &Claim<'_>, b: &Claim<'_>) -> bool {
    let same = |x: Option<&str>, y: Option<&str>| x.zip(y).is_some_and(|(x, y)| fold(x) == fold(y));
    let entities: Vec<String> = a.entities.iter().map(|e| fold(e)).collect();
    same(a.thread_id, b.thread_id)
        || same(a.subject, b.subject)
        || b.entities.iter().any(|e| entities.contains(&fold(e)))
}
