//! The local analyst: what two memories are about, which properties differ, and what follows.
//!
//! [`analyse`] is a function from two statements to one [`Analysis`]; [`compare`] is the same for readings that
//! were made before. Nothing here waits, stores or decides for good: `decision` turns an analysis into a decision
//! under a policy. The way of a pair: [`words`] and [`cues`] make a [`Reading`], [`align`] says which word answers
//! which, [`mod@features`] says what that amounts to, [`judge`] weighs it, [`changes`] names the properties.

pub mod align;
pub mod changes;
pub mod cues;
mod evidence;
pub mod features;
pub mod forest;
pub mod frame;
pub mod judge;
pub mod lexicon;
mod meaning;
mod names;
pub mod notice;
mod opposites;
pub mod packed;
pub mod pairing;
pub mod reading;
mod saying;
mod sound;
mod synonyms;
mod vetoes;
pub mod wording;
pub mod words;

pub use meaning::{Sought, meanings};
pub use names::Own;
pub use reading::Reading;
pub use saying::{is_whole, place, says};

use crate::model::{Claim, Conflict, PropertyChange, Relation, Relationship};
use crate::order::sort;
use features::{Sheet, features};
use serde::{Deserialize, Serialize};

/// The four outcomes an analyst can find. There is no variant for delete, source, priority or core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// Says nothing new.
    Skip,
    /// The same entity with another property.
    Update,
    /// Another entity that belongs to it.
    CreateAndLink,
    /// No connection.
    Create,
}

/// A property change with the places of its values, in bytes of the two contents, so that a merge can use them.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The change in the mail's own words.
    pub change: PropertyChange,
    /// Where the old value stands in the stored content.
    pub old_span: Option<(usize, usize)>,
    /// Where the new value stands in the new content.
    pub new_span: Option<(usize, usize)>,
}

/// A feature that weighed in the decision. The name is a stable code; the reader's language is chosen when shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyFactor {
    /// The feature's code, such as `other_period` or `money_changed`.
    pub code: String,
    /// What it added to the decision's log-odds against the runner-up.
    pub weight: f32,
    /// The words it was seen in, stored → new, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// What would have made it the other decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Otherwise {
    /// The runner-up.
    pub outcome: Outcome,
    /// The codes of the fewest key factors without which it would have been the more probable one.
    pub without: Vec<String>,
}

/// What an analyst found about a stored and a new memory; the local and the model analyst give the same type.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The most probable outcome.
    pub outcome: Outcome,
    /// Calibrated probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE; they sum to 1.
    pub probabilities: [f32; 4],
    /// The probability of `outcome`.
    pub confidence: f32,
    /// Whether the confidence passes the threshold whose precision was measured.
    pub sure: bool,
    /// What the stored memory is about.
    pub subject_a: String,
    /// What the new memory is about.
    pub subject_b: String,
    /// How the subjects relate.
    pub relationship: Relationship,
    /// The type of link, where the outcome is a link.
    pub relation: Option<Relation>,
    /// The properties that differ, the main one first.
    pub changes: Vec<Change>,
    /// Whether the new memory stands against the stored one.
    pub conflict: Conflict,
    /// The features that weighed most, heaviest first.
    pub key_factors: Vec<KeyFactor>,
    /// Whether a model has said it, so that its word is what counts.
    pub by_model: bool,
}

impl Analysis {
    /// The probability that both speak of the same entity or event: that of SKIP and UPDATE together.
    pub fn same_subject(&self) -> f32 {
        self.probabilities[0] + self.probabilities[1]
    }

    /// The same where both stand in one mail: it says several things, and does not replace one by the next.
    #[must_use]
    pub fn in_one_mail(mut self) -> Self {
        self.probabilities[2] += std::mem::take(&mut self.probabilities[1]);
        if self.outcome == Outcome::Update {
            let relation = Relation::Elaboration;
            self.outcome = Outcome::CreateAndLink;
            self.confidence = self.probabilities[2];
            self.relation = Some(relation);
            (self.relationship, self.conflict) = (relation.relationship(), relation.conflict());
            self.changes = Vec::new();
        }
        self
    }

    /// The same of two that were compared the other way round, because the new one was said before the stored one: what
    /// changed still goes from the earlier to the later.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { subject_a: self.subject_b, subject_b: self.subject_a, ..self }
    }

    /// Why this and not that: the runner-up, and the factors that keep it from being the decision; absent where no few
    /// factors do.
    pub fn otherwise(&self) -> Option<Otherwise> {
        let p = &self.probabilities;
        let rival = OUTCOMES.iter().zip(p).filter(|(o, _)| **o != self.outcome);
        let (outcome, next) = rival.max_by(|a, b| a.1.total_cmp(b.1))?;
        let mut lead = (self.confidence.max(1e-6) / next.max(1e-6)).ln();
        let mut without = Vec::new();
        for factor in self.key_factors.iter().filter(|f| f.weight > 0.0) {
            without.push(factor.code.clone());
            lead -= factor.weight;
            if lead < 0.0 {
                return Some(Otherwise { outcome: *outcome, without });
            }
        }
        None
    }
}

/// The outcomes in the order of [`Analysis::probabilities`].
pub const OUTCOMES: [Outcome; 4] = [Outcome::Skip, Outcome::Update, Outcome::CreateAndLink, Outcome::Create];
/// The link types in the order in which the judge scores them.
pub const RELATIONS: [Relation; 6] = [
    Relation::Sequential,
    Relation::Causal,
    Relation::Prerequisite,
    Relation::Elaboration,
    Relation::Reference,
    Relation::Alternative,
];
/// The probability of an update where the new memory gives notice of one.
const NOTICED: f32 = 0.95;
/// How many key factors are told.
const FACTORS: usize = 8;

/// Compares a stored statement with a new one.
///
/// ```
/// use memfold::analysis::{analyse, Outcome};
/// use memfold::model::Draft;
/// let (a, b) = (Draft::new("Q1 마케팅 예산 5000만원"), Draft::new("Q1 마케팅 예산 6000만원으로 증액"));
/// let found = analyse(&(&a).into(), &(&b).into());
/// assert_eq!(found.outcome, Outcome::Update);
/// ```
pub fn analyse(existing: &Claim<'_>, new: &Claim<'_>) -> Analysis {
    compare(&Reading::of(existing), &Reading::of(new))
}

/// The properties in which two statements of the same thing differ, whatever would be decided about them.
pub fn changed(existing: &Claim<'_>, new: &Claim<'_>) -> Vec<PropertyChange> {
    differences(existing, new).into_iter().map(|c| c.change).collect()
}

/// As [`changed`], with the places of the values.
pub fn differences(existing: &Claim<'_>, new: &Claim<'_>) -> Vec<Change> {
    let (existing, new) = (Reading::of(existing), Reading::of(new));
    let (alignment, pairing) = features(&existing, &new, &mut Sheet::default());
    changes::changes(&existing, &new, &alignment, &pairing)
}

/// Compares two readings.
pub fn compare(existing: &Reading, new: &Reading) -> Analysis {
    weigh(existing, new, true)
}

/// As [`compare`], but without key factors: of many candidates one is told of.
pub fn sift(existing: &Reading, new: &Reading) -> Analysis {
    weigh(existing, new, false)
}

fn weigh(existing: &Reading, new: &Reading, told: bool) -> Analysis {
    let mut sheet = Sheet::default();
    let (alignment, pairing) = features(existing, new, &mut sheet);
    let x = &sheet.values;
    let named = !existing.entities.is_empty() && !new.entities.is_empty();
    let found = judge::judge();
    let decider = found.map(|j| j.decider(named));
    let shut = decider.map_or_else(Vec::new, |d| d.forest.shut(x));
    let mut p = decider.map_or([0.25; 4], |d| d.probabilities(&shut));
    let verbatim = !existing.words.is_empty() && existing.folded == new.folded && !existing.cut && !new.cut;
    if verbatim {
        // The same words say nothing new, whatever they hang on.
        p = [0.97, 0.01, 0.01, 0.01];
    }
    let notice = notice::notice(existing, new, &alignment).filter(|n| !verbatim && n.is_certain());
    let noticed = notice.is_some();
    if noticed {
        // What the forest thinks of the rest only tells which of the others it would be.
        let rest = p[0] + p[2] + p[3];
        p = std::array::from_fn(|i| {
            if i == 1 { NOTICED.max(p[1]) } else { p[i] / rest.max(1e-6) * (1.0 - NOTICED.max(p[1])) }
        });
    }
    let veto = if verbatim || noticed { None } else { vetoes::apply(existing, new, &alignment, &pairing, &mut p) };
    let order = {
        let mut o = [0usize, 1, 2, 3];
        sort(&mut o, |a, b| p[*b].total_cmp(&p[*a]));
        o
    };
    let (best, next) = (order[0], order[1]);
    let outcome = OUTCOMES[best];
    let denied = veto.as_ref().is_some_and(|v| v.denies);
    let vetoed = veto.as_ref().is_some_and(|v| !v.denies);
    let sure = !vetoed
        && (verbatim || noticed || denied || decider.is_some_and(|d| p[best] >= d.sure[best]))
        && !existing.words.is_empty()
        && !new.words.is_empty();
    let top = |scores: Vec<f32>| (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
    let relation = (outcome == Outcome::CreateAndLink)
        .then(|| RELATIONS[found.map_or(4, |j| top(j.relation.scores(x))).min(RELATIONS.len() - 1)]);
    let (relationship, conflict) = match (outcome, relation) {
        (Outcome::Skip, _) => (Relationship::Identical, Conflict::Overlap),
        (Outcome::Update, _) => {
            let denied = denied || found.is_some_and(|j| top(j.contradiction.scores(x)) == 1);
            (Relationship::Identical, if denied { Conflict::Contradiction } else { Conflict::Update })
        }
        (_, Some(r)) => (r.relationship(), r.conflict()),
        _ => (Relationship::Unrelated, Conflict::None),
    };
    let mut key_factors = decider.filter(|_| told).map_or_else(Vec::new, |d| {
        let reasons = d.forest.reasons(&shut, best, next, 4 * FACTORS);
        reasons
            .into_iter()
            .filter(|(f, _)| judge::can_be_told(*f, x))
            .take(FACTORS)
            .map(|(f, weight)| {
                let code = judge::name(f).to_owned();
                let evidence = evidence::evidence(&code, existing, new, &alignment, &pairing);
                KeyFactor { code, weight: weight / d.temperature, evidence }
            })
            .collect()
    });
    if let Some(veto) = veto.as_ref().filter(|_| told) {
        let (code, evidence) = (veto.code.to_owned(), Some(veto.evidence.clone()));
        key_factors.insert(0, KeyFactor { code, weight: p[best].max(1e-6).ln() - p[next].max(1e-6).ln(), evidence });
        key_factors.truncate(FACTORS);
    }
    if noticed && told {
        let weight = (p[1] / p[0].max(p[2]).max(p[3]).max(1e-6)).ln();
        key_factors.insert(0, KeyFactor { code: "change_notice".into(), weight, evidence: None });
        key_factors.truncate(FACTORS);
    }
    Analysis {
        outcome,
        probabilities: p,
        confidence: p[best],
        sure,
        subject_a: changes::subject(existing),
        subject_b: changes::subject(new),
        relationship,
        relation,
        changes: if outcome == Outcome::Update {
            let told = notice.and_then(|n| n.pair).map(|pair| pairing.told(pair));
            changes::changes(existing, new, &alignment, told.as_ref().unwrap_or(&pairing))
        } else {
            Vec::new()
        },
        conflict,
        key_factors,
        by_model: false,
    }
}
