//! The result of reading a whole mail, and its conversion to a decision.

use super::{Analyst, Candidate, Decided, Decision, Language, Link, Reason, Refusal, beside};
use crate::analysis::{Change, KeyFactor, Outcome, place, says};
use crate::language::fold;
use crate::model::{ChangeType, Conflict, Id, Memory, PropertyChange, Relation, Relationship};
use serde::{Deserialize, Serialize};

/// Weight of a link that a reader found.
const FOUND: f32 = 0.8;
/// Below this confidence an update is uncertain, and both memories are kept.
const DOUBT: f32 = 0.5;
/// Maximum characters of the reasoning, and of a subject, value, property name or factor.
const MAX_REASONING: usize = 600;
const MAX_NAME: usize = 200;
/// Maximum changes and factors of one finding.
const MAX_CHANGES: usize = 6;
const MAX_FACTORS: usize = 4;
/// Key factor code for a factor in a model's own words.
const FACTOR: &str = "model";

/// A model's explanation of an update or link, which never affects the decision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelAnalysis {
    /// The subjects of the stored and the new memory, or empty.
    pub subjects: Vec<String>,
    /// The properties that an update changes.
    pub changes: Vec<PropertyChange>,
    /// The explanation, in one sentence.
    pub why: Option<String>,
    /// The deciding factors.
    pub factors: Vec<String>,
    /// Confidence, 0–1.
    pub sure: Option<f32>,
}

impl ModelAnalysis {
    /// Whether the explanation is empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Keeps the parts that the stored text, if any, and the new text support.
    #[must_use]
    pub fn checked(mut self, old: Option<&str>, new: &str) -> Self {
        let is_short = |text: &str| text.chars().count() <= MAX_NAME && !text.contains(char::is_control);
        let is_name = |text: &String| !text.trim().is_empty() && is_short(text);
        if self.subjects.len() != 2 || !self.subjects.iter().all(is_name) {
            self.subjects.clear();
        }
        self.changes.retain(|c| is_short(&c.property) && old.is_some_and(|old| is_said(c, old, new)));
        self.changes.truncate(MAX_CHANGES);
        self.factors.retain(is_name);
        self.factors.truncate(MAX_FACTORS);
        self.sure = self.sure.filter(|sure| (0.0..=1.0).contains(sure));
        // Drops reasoning in another language; `sentence` then words the reason.
        let why = self.why.filter(|why| Language::of(new).has(why));
        self.why = why.map(|why| why.trim().chars().take(MAX_REASONING).collect());
        self
    }
}

/// Whether the texts state a change's values, as whole words or equal parsed values.
fn is_said(change: &PropertyChange, old: &str, new: &str) -> bool {
    let stands = |value: &Option<String>, text: &str| {
        let value = value.as_deref().unwrap_or_default();
        value.chars().count() <= MAX_NAME && says(text, value)
    };
    let same = change.old_value.as_deref().map(fold) == change.new_value.as_deref().map(fold);
    match change.change_type {
        ChangeType::ValueChange | ChangeType::Expansion => {
            stands(&change.old_value, old) && stands(&change.new_value, new) && !same
        }
        ChangeType::Addition => change.old_value.is_none() && stands(&change.new_value, new),
        ChangeType::Removal => change.new_value.is_none() && stands(&change.old_value, old),
    }
}

/// A reader's finding on one new memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The outcome compared with the target.
    pub outcome: Outcome,
    /// The stored memory it is about; `None` for something new.
    pub target: Option<Id>,
    /// The memories to link.
    pub links: Vec<(Id, Relation)>,
    /// Whether part of it is inferred.
    pub inferred: bool,
    /// The reason why part of it was dropped, such as a sentence without evidence.
    pub withheld: Option<Refusal>,
    /// Whether it only repeats the target.
    pub again: bool,
    /// Other memories that part of the text depends on.
    pub borrowed: Vec<Id>,
    /// The addresses of other people whose words it relies on; empty if they are unknown.
    pub heard_from: Vec<String>,
    /// The explanation.
    pub analysis: ModelAnalysis,
}

impl Finding {
    /// Default confidence: the quotes were verified, but nothing weighed them.
    pub const CONFIDENCE: f32 = 0.9;

    /// All memories that the finding refers to.
    pub fn names(&self) -> impl Iterator<Item = Id> + '_ {
        let others = self.links.iter().map(|(id, _)| *id).chain(self.borrowed.iter().copied());
        self.target.into_iter().chain(others)
    }

    /// The outcome compared with a stored memory.
    pub fn outcome_of(&self, id: Id) -> Outcome {
        match self.outcome {
            outcome @ (Outcome::Update | Outcome::Skip) if self.target == Some(id) => outcome,
            _ if self.links.iter().any(|(linked, _)| *linked == id) => Outcome::CreateAndLink,
            _ => Outcome::Create,
        }
    }

    /// Converts the finding to a decision; `None` if the target is no longer current. `content` is the new text.
    pub fn decided(&self, known: &[(Candidate, Memory)], content: &str) -> Option<Decided> {
        let current = |id: Id| known.iter().find(|(c, m)| c.id == id && m.is_current());
        let target = self.target.filter(|id| current(*id).is_some());
        if target != self.target {
            return None;
        }
        let link = |(id, relation): &(Id, Relation)| {
            let link = Link { id: *id, relation: Some(*relation), weight: FOUND, may_replace: false };
            current(*id).map(|_| link)
        };
        let links: Vec<Link> = self.links.iter().filter(|(id, _)| Some(*id) != self.target).filter_map(link).collect();
        let (decision, relationship, conflict) = match self.outcome {
            Outcome::Update => (Decision::Update, Relationship::Identical, Conflict::Update),
            Outcome::Skip => (Decision::Skip, Relationship::Identical, Conflict::Overlap),
            _ => match links.first().and_then(|l| l.relation) {
                Some(relation) => (Decision::CreateAndLink, relation.relationship(), relation.conflict()),
                None => (Decision::Create, Relationship::Unrelated, Conflict::None),
            },
        };
        let first = links.first().map(|l| l.id);
        let mut reasons = vec![Reason::ModelRead];
        reasons.extend(self.inferred.then_some(Reason::Inferred));
        reasons.extend(self.withheld.map(|why| Reason::ModelRefused { error: why.as_str().to_owned() }));
        let ModelAnalysis { subjects, changes, why, factors, sure } = self.analysis.clone();
        let factor = |words| KeyFactor { code: FACTOR.to_owned(), weight: 0.0, evidence: Some(words) };
        reasons.extend(factors.into_iter().map(factor).map(Reason::Feature));
        let [subject_a, subject_b] = <[String; 2]>::try_from(subjects).map_or([None, None], |both| both.map(Some));
        let change = |change: PropertyChange| {
            let new_span = change.new_value.as_deref().and_then(|value| place(content, value));
            Change { new_span: new_span.map(|at| (at.start, at.end)), change }
        };
        let confidence = sure.unwrap_or(Self::CONFIDENCE);
        let decided = Decided {
            decision,
            target: target.or(first),
            links,
            changes: changes.into_iter().filter(|_| decision == Decision::Update).map(change).collect(),
            subject_a,
            subject_b,
            relationship,
            conflict,
            analyst: Analyst::Model,
            confidence,
            needs_review: self.inferred || self.withheld.is_some(),
            reasons,
            reasoning: why,
            ..Decided::default()
        };
        let is_doubt = decision == Decision::Update && confidence < DOUBT;
        Some(if is_doubt { beside(decided, Reason::NotSure { confidence }) } else { decided })
    }
}
