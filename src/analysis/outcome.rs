//! What an analyst finds about two memories: the outcome with its probabilities, what changes, and why.

use crate::model::{ChangeType, Conflict, PropertyChange, Relation, Relationship};
use serde::{Deserialize, Serialize};

/// The four outcomes an analyst can find. There is no variant for delete, source, priority or core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
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

/// A property change with the place of its new value, so that a merge can use it.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The change in the mail's own words.
    pub change: PropertyChange,
    /// Where the new value stands in the new content, in bytes.
    pub new_span: Option<(usize, usize)>,
}

/// The most characters that an addition is told with.
const MOST_ADDED: usize = 200;

impl Change {
    /// That all of a text is told beside what is known.
    pub fn added(content: &str) -> Self {
        let new_value = Some(content.chars().take(MOST_ADDED).collect());
        let (property, change_type) = ("content".to_owned(), ChangeType::Addition);
        Self { change: PropertyChange { property, old_value: None, new_value, change_type }, new_span: None }
    }
}

/// A feature that weighed in the decision. The name is a stable code; the reader's language is chosen when shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
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

/// What the local analyst found about a stored and a new memory.
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
    /// Whether the encoder's head was asked as well: an update is written from its own threshold on, where it is `sure`.
    pub by_head: bool,
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
}

impl Analysis {
    /// The probability that both speak of the same entity or event: that of SKIP and UPDATE together.
    pub fn same_subject(&self) -> f32 {
        self.probabilities[0] + self.probabilities[1]
    }

    /// The same two, where something else tells that the new one repeats or changes the stored one; which of the other
    /// outcomes it would be is not known.
    #[must_use]
    pub(crate) fn settled(self, outcome: Outcome, confidence: f32) -> Self {
        Self {
            outcome,
            probabilities: even(outcome, confidence),
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
}

/// The probabilities of an outcome and of the others, one as probable as the next.
fn even(outcome: Outcome, confidence: f32) -> [f32; 4] {
    OUTCOMES.map(|o| if o == outcome { confidence } else { (1.0 - confidence) / 3.0 })
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
