//! Reading back: what the log adds up to, and how a single pair would be decided.

use super::{Engine, LogQuery, Platform};
use crate::Result;
use crate::analysis::{self, Analysis, KeyFactor, Otherwise, Outcome};
use crate::consolidation::{Action, Analyst, Status, open_reviews};
use crate::decision::{Candidate, Decision, Policy, Reason, Triage, sentence, triage};
use crate::embed::{Embedder, HashingEmbedder};
use crate::language::fold;
use crate::model::{Conflict, Draft, Ids, PropertyChange, Relation, Relationship, Statement, Time};
use crate::similarity::{Factors, cosine, factors, score};
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the log adds up to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Analytics {
    /// All entries.
    pub total_entries: u32,
    /// Entries by decision.
    pub by_decision: BTreeMap<Decision, u32>,
    /// Entries by status.
    pub by_status: BTreeMap<Status, u32>,
    /// Entries that wait for their owner's word.
    pub needs_review: u32,
    /// The mean similarity score of the entries that have one.
    pub average_score: f32,
    /// The mean time a decision took, in milliseconds.
    pub average_processing_ms: f64,
    /// Entries that a model settled.
    pub model_calls: u32,
    /// Tokens that models used.
    pub tokens: u32,
    /// Memories and summaries that are known now and searched.
    pub current_memories: u32,
    /// Memories with all their versions.
    pub stored_memories: u32,
}

/// How one stored and one new memory would be decided, with everything that led there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// What would be written with no model to ask.
    pub decision: Decision,
    /// The most probable answer, whether or not it is sure enough to be acted on.
    pub outcome: Decision,
    /// How alike the two are.
    pub score: f32,
    /// What the score is made of.
    pub factors: Factors,
    /// Whether the local analyst judged; else the bands did.
    pub analyst: Analyst,
    /// The probability of `outcome`.
    pub confidence: f32,
    /// Whether the confidence suffices to act.
    pub sure: bool,
    /// Whether a model would be asked, if one were configured.
    pub asked: bool,
    /// The probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE; absent in `fast` mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<[f32; 4]>,
    /// What the stored memory is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_a: Option<String>,
    /// What the new memory is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_b: Option<String>,
    /// How the subjects relate.
    pub relationship: Relationship,
    /// The type of the link, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
    /// Whether the new memory stands against the stored one.
    pub conflict: Conflict,
    /// Which properties changed, the main one first.
    pub property_changes: Vec<PropertyChange>,
    /// The features that weighed most.
    pub key_factors: Vec<KeyFactor>,
    /// What would have made it the other decision; absent where no few factors would, and in `fast` mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<Otherwise>,
    /// Why, as data.
    pub reasons: Vec<Reason>,
    /// Why, as a sentence in the language of the new memory.
    pub reason: String,
}

/// Decides a single pair as the engine would with nothing else stored. Pure: no store, no clock, no model.
///
/// # Errors
/// A draft that breaks a rule.
pub fn compare(existing: &Draft, new: &Draft, policy: &Policy) -> Result<Comparison> {
    existing.validate()?;
    new.validate()?;
    let (a, b) = (Statement::from(existing), Statement::from(new));
    let embedder = HashingEmbedder;
    let likeness = cosine(&embedder.vector(a.content), &embedder.vector(b.content));
    let factors = factors(embedder.calibration().apply(likeness), &a, &b);
    let analysis = policy.use_property_analysis.then(|| analysis::analyse(&a, &b));
    let candidate = Candidate {
        id: Ids::new(Time::default(), [0; 16]).mint(),
        score: score(&factors),
        factors,
        structural: names_in_common(&a, &b),
        analysis: analysis.clone(),
    };
    let judged = triage(std::slice::from_ref(&candidate), policy);
    let asked = matches!(judged, Triage::Ask(_));
    let decided = judged.unanswered();
    let outcome = analysis.as_ref().map_or(decided.decision, |a| a.outcome.into());
    Ok(Comparison {
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
        otherwise: analysis.as_ref().and_then(Analysis::otherwise),
        key_factors: analysis.map_or_else(Vec::new, |a| a.key_factors),
        reason: sentence(&decided, b.content),
        reasons: decided.reasons,
    })
}

/// Whether structure would name the pair: the same thread or subject, or an entity in common.
fn names_in_common(a: &Statement<'_>, b: &Statement<'_>) -> bool {
    let same = |x: Option<&str>, y: Option<&str>| x.zip(y).is_some_and(|(x, y)| fold(x) == fold(y));
    let entities: Vec<String> = a.entities.iter().map(|e| fold(e)).collect();
    same(a.thread_id, b.thread_id)
        || same(a.subject, b.subject)
        || b.entities.iter().any(|e| entities.contains(&fold(e)))
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Counts and means over the whole log.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn analytics(&self) -> Result<Analytics> {
        self.catch_up().await?;
        let entries = self.log(&LogQuery::default()).await?;
        let mut a = Analytics { total_entries: entries.len() as u32, ..Analytics::default() };
        let (mut scored, mut scores, mut millis) = (0u32, 0.0f64, 0.0f64);
        for e in &entries {
            if e.action == Action::Consolidate {
                *a.by_decision.entry(e.decision).or_default() += 1;
            }
            *a.by_status.entry(e.status).or_default() += 1;
            a.model_calls += u32::from(e.analyst == Analyst::Model);
            a.tokens += e.tokens;
            millis += e.processing_ms;
            if let Some(s) = e.similarity {
                scored += 1;
                scores += f64::from(s.score);
            }
        }
        a.needs_review = open_reviews(&entries).len() as u32;
        a.average_score = (scores / f64::from(scored.max(1))) as f32;
        a.average_processing_ms = millis / f64::from(a.total_entries.max(1));
        let index = self.index.borrow();
        a.stored_memories = index.len() as u32;
        a.current_memories = index.rows().filter(|r| r.is_current() && !r.is_archived()).count() as u32;
        Ok(a)
    }
}
