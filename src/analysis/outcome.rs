//! Results of the local analyst.

use crate::language::{ValueKind, values};
use crate::model::{ChangeType, Conflict, PropertyChange, Relation, Relationship};
use serde::{Deserialize, Serialize};

/// The outcomes an analyst can find. Deletion, source, priority and core are out of its reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// The new memory adds nothing.
    Skip,
    /// The same entity with a changed property.
    Update,
    /// Another, related entity.
    CreateAndLink,
    /// Unrelated.
    #[default]
    Create,
}

/// A property change with the position of its new value, so that texts can be merged.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The change, quoted from the texts.
    pub change: PropertyChange,
    /// Byte range of the new value in the new content.
    pub new_span: Option<(usize, usize)>,
}

const MOST_ADDED: usize = 200;

impl Change {
    pub(super) fn of(property: String, old: Option<&str>, new: Option<&str>, change_type: ChangeType) -> Self {
        let [old_value, new_value] = [old, new].map(|value| value.map(str::to_owned));
        Self { change: PropertyChange { property, old_value, new_value, change_type }, new_span: None }
    }

    /// Whether it names the value that it replaces.
    pub fn is_replacement(&self) -> bool {
        self.change.old_value.is_some() && self.change.new_value.is_some()
    }

    /// The kinds of the values before and after.
    pub fn value_kinds(&self) -> [Option<ValueKind>; 2] {
        [&self.change.old_value, &self.change.new_value]
            .map(|text| values(text.as_deref().unwrap_or_default(), None).first().map(|found| found.value.kind()))
    }

    /// A change that adds the whole text.
    pub fn added(content: &str) -> Self {
        let added = content.char_indices().nth(MOST_ADDED).map_or(content, |(end, _)| &content[..end]);
        Self::of("content".to_owned(), None, Some(added), ChangeType::Addition)
    }
}

/// A feature that weighed in the decision, as a stable code; the UI translates it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyFactor {
    /// Code of the feature or rule, such as `other_instance` or `people_common`.
    pub code: String,
    /// What it added to the decision's log-odds against the runner-up.
    pub weight: f32,
    /// The words it was found in, stored → new, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// The local analyst's result on a stored and a new memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Analysis {
    pub outcome: Outcome,
    /// Calibrated probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE; they sum to 1.
    pub probabilities: [f32; 4],
    /// The probability of `outcome`.
    pub confidence: f32,
    /// Whether the confidence reaches the threshold for this outcome, whose precision was measured.
    pub sure: bool,
    /// Whether the encoder's head was asked too. Then an update is written only if `sure`.
    pub by_head: bool,
    pub subject_a: String,
    pub subject_b: String,
    pub relationship: Relationship,
    /// The link type, if the outcome is a link.
    pub relation: Option<Relation>,
    /// The properties that differ, main one first.
    pub changes: Vec<Change>,
    /// Whether the new memory contradicts the stored one.
    pub conflict: Conflict,
    /// The heaviest features, heaviest first.
    pub key_factors: Vec<KeyFactor>,
}

impl Analysis {
    /// The probability that both concern the same entity or event: SKIP plus UPDATE.
    pub fn same_subject(&self) -> f32 {
        self.probabilities[0] + self.probabilities[1]
    }

    /// The lead of the most probable outcome over the next one, in log-odds.
    pub(crate) fn log_odds(&self) -> f32 {
        let mut p = self.probabilities;
        p.sort_by(|a, b| b.total_cmp(a));
        p[0].max(1e-6).ln() - p[1].max(1e-6).ln()
    }

    /// This analysis with another outcome; the others share the remaining probability equally.
    #[must_use]
    pub(crate) fn settled(self, outcome: Outcome, confidence: f32) -> Self {
        Self {
            outcome,
            probabilities: OUTCOMES.map(|o| if o == outcome { confidence } else { (1.0 - confidence) / 3.0 }),
            confidence,
            sure: outcome == Outcome::Skip,
            by_head: false,
            relationship: Relationship::Identical,
            relation: None,
            changes: Vec::new(),
            conflict: if outcome == Outcome::Skip { Conflict::Overlap } else { Conflict::Update },
            ..self
        }
    }

    /// This analysis of a swapped pair, whose new memory is the older one.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { subject_a: self.subject_b, subject_b: self.subject_a, ..self }
    }
}

/// The outcomes in the order of [`Analysis::probabilities`].
pub const OUTCOMES: [Outcome; 4] = [Outcome::Skip, Outcome::Update, Outcome::CreateAndLink, Outcome::Create];
/// The link types in the order in which the classifier scores them.
pub const RELATIONS: [Relation; 6] = [
    Relation::Sequential,
    Relation::Causal,
    Relation::Prerequisite,
    Relation::Elaboration,
    Relation::Reference,
    Relation::Alternative,
];
