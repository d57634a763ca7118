//! The local analyst compares two memories: what each is about, which properties differ, and which
//! outcome follows.
//!
//! [`analyse`] compares two statements, [`compare`] two parsed readings. It has no side effects:
//! `decision` turns an [`Analysis`] into a decision under a policy. Steps: [`words`] and
//! [`reading`] parse a statement, [`align`] matches words, [`mod@features`] computes features,
//! [`classifier`] weighs them, [`changes`] extracts property changes.

pub mod align;
mod announced;
pub mod changes;
pub mod classifier;
mod denied;
mod expansion;
pub mod features;
pub mod forest;
mod frames;
pub mod head;
mod head_weights;
pub mod lexicon;
mod losses;
pub mod ngram_weights;
pub mod notice;
mod opposites;
mod outcome;
pub mod pairing;
mod phrases;
mod prefilter;
pub mod reading;
mod relations;
mod removal;
mod replaceable;
mod roles;
mod rules;
mod saying;
pub mod words;

pub use expansion::{Own, Sought, meanings, meanings_of};
pub use outcome::{Analysis, Change, KeyFactor, OUTCOMES, Outcome, RELATIONS};
pub use reading::Reading;
pub use rules::{PairRule, RULES};
pub use saying::{is_whole, place, says};

use crate::model::{Claim, Conflict, Relationship};
use crate::similarity::rounded;
use features::{Sheet, features};
use roles::Roles;
use rules::{PairCase, RuleEffect};

const FACTORS: usize = 5;

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
    compare(&Reading::of(existing), &Reading::of(new), None)
}

/// The properties in which two statements about the same thing differ, regardless of their outcome.
pub fn differences(existing: &Claim<'_>, new: &Claim<'_>) -> Vec<Change> {
    let (existing, new) = (&Reading::of(existing), &Reading::of(new));
    let (alignment, pairing) = features(existing, new, &mut Sheet::default());
    match removal::removal(existing, new, &alignment) {
        Some(removal) => removal.changes,
        None => changes::changes(existing, new, &alignment, &pairing),
    }
}

/// The analysis of two memories with nothing in common.
fn unrelated(existing: &Reading, new: &Reading) -> Analysis {
    let probabilities = prefilter::PROBABILITIES;
    let (subject_a, subject_b) = (changes::subject(existing), changes::subject(new));
    Analysis { probabilities, confidence: probabilities[3], sure: true, subject_a, subject_b, ..Analysis::default() }
}

/// Whether both have the same words, or the same words in the same roles.
fn is_verbatim(a: &Reading, b: &Reading, roles: Option<&Roles>) -> bool {
    let equal = !a.words.is_empty() && a.folded == b.folded && !(a.cut || b.cut);
    (equal || roles.is_some_and(|r| r.is_same(a, b))) && losses::code_in_other_case(a, b).is_none()
}

/// Compares two readings; `head` is the answer of the encoder's head, if it was asked.
pub fn compare(existing: &Reading, new: &Reading, head: Option<&[f32; 4]>) -> Analysis {
    if prefilter::are_unrelated(existing, new) {
        return unrelated(existing, new);
    }
    let mut sheet = Sheet::default();
    let (alignment, pairing) = features(existing, new, &mut sheet);
    let x = &sheet.values;
    let named = !existing.entities.is_empty() && !new.entities.is_empty();
    let found = classifier::classifier();
    let decider = found.map(|j| j.decider(named));
    let trees = decider.map_or([0.25; 4], |d| d.probabilities(x));
    let weighed = head.map_or(trees, |head| head::combined(&trees, head));
    let roles = Roles::of(existing, new, &alignment, &pairing);
    let is_verbatim = is_verbatim(existing, new, roles.as_ref());
    let removal = if is_verbatim { None } else { removal::removal(existing, new, &alignment) };
    let is_open = !is_verbatim && removal.is_none();
    let notice = notice::notice(existing, new, &alignment).filter(|_| is_open);
    let announced = announced::announced(existing, new, &alignment).filter(|_| is_open);
    let frame = roles.as_ref().and_then(|r| frames::frame(r, existing, new));
    let case = PairCase {
        a: existing,
        b: new,
        al: &alignment,
        pairing: &pairing,
        roles: roles.as_ref(),
        frame: frame.as_ref(),
        is_verbatim,
        removal: removal.as_ref(),
        notice: notice.as_ref(),
        announced: announced.as_ref(),
    };
    let rule = rules::apply(&case, weighed);
    let p = rule.as_ref().map_or(weighed, |r| r.probabilities);
    let mut order = [0usize, 1, 2, 3];
    order.sort_by(|a, b| p[*b].total_cmp(&p[*a]));
    let [best, next, ..] = order;
    let outcome = OUTCOMES[best];
    let passes = || decider.is_some_and(|d| p[best] >= if head.is_some() { head::SURE } else { d.sure }[best]);
    let is_certain = rule.as_ref().and_then(|rule| rule.is_certain).unwrap_or_else(passes);
    let sure = is_certain && !existing.words.is_empty() && !new.words.is_empty();
    let top = |scores: Vec<f32>| (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
    let relation = (outcome == Outcome::CreateAndLink).then(|| {
        relations::relation(existing, new, &alignment)
            .unwrap_or_else(|| RELATIONS[found.map_or(4, |j| top(j.relation.scores(x))).min(RELATIONS.len() - 1)])
    });
    let (relationship, conflict) = match (outcome, relation) {
        (Outcome::Skip, _) => (Relationship::Identical, Conflict::Overlap),
        (Outcome::Update, _) => {
            let whole = removal.as_ref().is_some_and(|r| r.whole);
            let denied = rule.as_ref().is_some_and(|r| r.effect == RuleEffect::Denied);
            let deed = existing.polarity().contradicts_trait(new.polarity());
            let denied = denied || whole || deed || found.is_some_and(|j| top(j.contradiction.scores(x)) == 1);
            (Relationship::Identical, if denied { Conflict::Contradiction } else { Conflict::Update })
        }
        (_, Some(r)) => (r.relationship(), r.conflict()),
        _ => (Relationship::Unrelated, Conflict::None),
    };
    let mut key_factors = decider.map_or_else(Vec::new, |d| {
        let reasons = d.forest.reasons(x, best, next, 4 * FACTORS);
        let share = if head.is_some() { head::SHARE } else { 1.0 };
        let factor = |(feature, weight): (u8, f32)| {
            let code = classifier::explanation(feature, x)?.to_owned();
            Some(KeyFactor { code, weight: share * weight / d.temperature, evidence: None })
        };
        reasons.into_iter().filter_map(factor).take(FACTORS).collect()
    });
    if let Some(head) = head.filter(|_| rule.as_ref().is_none_or(|r| r.is_certain != Some(true))) {
        key_factors.insert(0, head::factor(&trees, head, best, next));
    }
    if let Some(rule) = &rule {
        let weight = p[best].max(1e-6).ln() - p[next].max(1e-6).ln();
        key_factors.insert(0, KeyFactor { code: rule.id.to_owned(), weight, evidence: rule.evidence.clone() });
    }
    key_factors.truncate(FACTORS);
    key_factors.iter_mut().for_each(|factor| factor.weight = rounded(factor.weight));
    Analysis {
        outcome,
        probabilities: p,
        confidence: p[best],
        sure,
        by_head: head.is_some() && !rule.as_ref().is_some_and(|r| matches!(r.effect, RuleEffect::Turned(_))),
        subject_a: changes::subject(existing),
        subject_b: changes::subject(new),
        relationship,
        relation,
        changes: match &removal {
            _ if outcome != Outcome::Update => Vec::new(),
            Some(removal) => removal.changes.clone(),
            None => {
                let told = notice.and_then(|n| n.pair).map(|pair| pairing.with_replacement(pair));
                let found = changes::changes(existing, new, &alignment, told.as_ref().unwrap_or(&pairing));
                let of_frame = || frame.as_ref()?.change(existing);
                let change = announced.or_else(of_frame);
                // Paired values report the change more exactly.
                let is_paired = found.iter().any(Change::is_replacement);
                change.filter(|_| !is_paired).map_or(found, |change| vec![change])
            }
        },
        conflict,
        key_factors,
    }
}
