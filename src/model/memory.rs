//! A stored memory: a draft that was decided, with identity, versions and keeping.

use super::limits::count;
use super::{
    Category, Confirmation, DayOrTime, Draft, EventId, Evidence, Id, ImportanceFactor, Metadata, Property, Retention,
    Source, Statement, Time, Zone,
};
use crate::Result;
use serde::{Deserialize, Serialize};

/// The kind of a node; all kinds share the store and its transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum NodeType {
    /// Something learnt from a mail, a note or a tool.
    #[default]
    Memory,
    /// A question that was asked.
    Query,
    /// A tag.
    Entity,
    /// Several memories in one.
    Summary,
    /// Somebody.
    Person,
}

/// Which generation of the graph a node belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Generation {
    /// New.
    #[default]
    Young,
    /// Adopted for the long term.
    Old,
    /// Merged into a summary; kept, not searched by default.
    Archived,
}

/// How much of a memory is at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum StorageTier {
    /// Searched.
    #[default]
    Hot,
    /// Faded.
    Cold,
    /// 200 characters, no embedding.
    Stub,
}

/// How often the owner found a memory useful or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Feedback {
    /// Times it was marked useful.
    pub up: u32,
    /// Times it was marked useless.
    pub down: u32,
}

/// A stored memory. It is a version of a chain: `previous_version_id` leads back, `superseded_by` forward.
///
/// Its vector is stored beside it, tagged with the embedder's model; see [`crate::consolidation::Vector`].
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Memory {
    /// UUIDv7; a new version has a new id.
    pub id: Id,
    /// The kind of node.
    pub node_type: NodeType,
    /// Raised by every write to this record; what a change set's expectations compare.
    pub revision: u64,
    /// 1 for the first of a chain.
    pub version: u32,
    /// The version before this one.
    pub previous_version_id: Option<Id>,
    /// The version after this one; absent on the head of a chain.
    pub superseded_by: Option<Id>,
    /// The memory that denied this one.
    pub contradicted_by: Option<Id>,

    /// The memory as it reads now: what holds of its statements, or a wording of them that a model gave.
    pub content: String,
    /// What was said, the newest first.
    #[serde(default)]
    pub statements: Vec<Statement>,
    /// What it is about, in a few words.
    pub topic: Option<String>,
    /// It in one line: its topic and current values.
    pub headline: Option<String>,
    /// Its category.
    pub category: Category,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Addresses or names of those involved.
    pub people: Vec<String>,
    /// Names of the things it is about.
    pub entities: Vec<String>,
    /// The subject line without Re:, Fwd: and the like.
    pub subject: Option<String>,
    /// The thread it was said in.
    pub thread_id: Option<String>,
    /// Names and values found in it.
    pub properties: Vec<Property>,

    /// 0–1.
    pub importance: f32,
    /// Why it matters.
    pub importance_factors: Vec<ImportanceFactor>,
    /// How sure the extraction is, 0–1.
    pub confidence: f32,

    /// When it was stored.
    pub created_at: Time,
    /// When this record was last written.
    pub updated_at: Time,
    /// When it happened or will happen: what "last week" asks about.
    pub occurred_at: DayOrTime,
    /// When the source said so (a mail's date), or said it again.
    pub stated_at: Option<Time>,
    /// From when it holds.
    pub valid_from: Option<DayOrTime>,
    /// Until when it holds.
    pub valid_until: Option<DayOrTime>,

    /// The class of its source.
    pub source_type: Source,
    /// The message id, or whatever names the source.
    pub source_id: Option<String>,
    /// The words it rests on.
    pub evidence: Option<Evidence>,
    /// The event of a calendar that it tells of.
    pub event: Option<EventId>,
    /// Who reported its newest statement: an address, where one is known.
    pub reported_by: Option<String>,
    /// `provisional` where it holds a statement that nobody with standing has said or confirmed; absent where all are confirmed.
    #[serde(default, skip_serializing_if = "Confirmation::is_confirmed")]
    #[tsify(optional)]
    pub confirmation: Confirmation,
    /// What it says without its provisional statements; present while there are such.
    pub confirmed_content: Option<String>,

    /// How it is kept.
    pub retention: Retention,
    /// Which generation it belongs to.
    pub generation: Generation,
    /// How much of it is at hand.
    pub storage_tier: StorageTier,
    /// How slowly it fades, 0–1.
    pub stability: f32,
    /// How often it was found.
    pub access_count: u32,
    /// When it was last found.
    pub accessed_at: Option<Time>,
    /// In how many sessions it was found.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub session_count: u32,
    /// How often it was said again.
    pub repeat: u32,
    /// What the owner thought of it.
    pub feedback: Feedback,
    /// When it was deleted; a deleted memory is kept until it is forgotten.
    pub deleted_at: Option<Time>,
    /// What the application keeps beside it for itself.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Memory {
    /// The first version that a valid draft becomes, stored at `now`.
    pub fn from_draft(id: Id, draft: Draft, now: Time) -> Self {
        Self {
            id,
            revision: 1,
            version: 1,
            importance: draft.importance(),
            reported_by: draft.author.clone(),
            topic: Some(draft.topic()).filter(|t| !t.is_empty()),
            headline: Some(draft.headline()).filter(|h| !h.is_empty()),
            statements: Vec::from_iter(draft.statement()),
            content: draft.content,
            category: draft.category,
            keywords: draft.keywords,
            people: draft.people,
            entities: draft.entities,
            subject: draft.subject,
            thread_id: draft.thread_id,
            properties: draft.properties,
            importance_factors: draft.importance_factors,
            confidence: draft.confidence.unwrap_or(1.0),
            created_at: now,
            updated_at: now,
            occurred_at: draft.occurred_at.unwrap_or_else(|| draft.stated_at.unwrap_or(now).into()),
            stated_at: draft.stated_at,
            valid_from: draft.valid_from,
            valid_until: draft.valid_until,
            source_type: draft.source_type,
            source_id: draft.source_id,
            evidence: draft.evidence,
            event: draft.event,
            retention: draft.retention.unwrap_or_default(),
            stability: 0.5,
            metadata: draft.metadata,
            ..Self::default()
        }
    }

    /// Whether this version is what is known now: not superseded, not deleted.
    pub fn is_current(&self) -> bool {
        self.superseded_by.is_none() && self.deleted_at.is_none()
    }

    /// What is left of this memory once it is forgotten: its id and its place in its chain, so that nothing that
    /// names it dangles and no import brings it back.
    #[must_use]
    pub fn forgotten(&self, now: Time) -> Self {
        Self {
            node_type: self.node_type,
            revision: self.revision + 1,
            version: self.version,
            previous_version_id: self.previous_version_id,
            superseded_by: self.superseded_by,
            updated_at: now,
            storage_tier: StorageTier::Stub,
            deleted_at: Some(now),
            ..Self::from_draft(self.id, Draft { importance: Some(0.0), ..Draft::default() }, self.created_at)
        }
    }

    /// Whether this is what is left of a forgotten memory; no other memory is without content.
    pub fn is_forgotten(&self) -> bool {
        self.content.is_empty() && self.deleted_at.is_some()
    }

    /// The draft that this memory could have come from, with another content where one is given.
    pub fn to_draft(&self, content: Option<&str>) -> Draft {
        Draft {
            content: content.unwrap_or(&self.content).to_owned(),
            topic: self.topic.clone(),
            headline: self.headline.clone().filter(|_| content.is_none_or(|c| c == self.content)),
            category: self.category,
            subject: self.subject.clone(),
            thread_id: self.thread_id.clone(),
            people: self.people.clone(),
            entities: self.entities.clone(),
            keywords: self.keywords.clone(),
            properties: self.properties.clone(),
            importance: Some(self.importance),
            importance_factors: self.importance_factors.clone(),
            confidence: Some(self.confidence),
            // The time of storing stands in where nothing was said.
            occurred_at: (self.occurred_at != self.created_at).then_some(self.occurred_at),
            stated_at: self.stated_at,
            valid_from: self.valid_from,
            valid_until: self.valid_until,
            source_type: self.source_type,
            source_id: self.source_id.clone(),
            author: self.statements.first().and_then(|s| s.author.clone()),
            event: self.event.clone(),
            evidence: self.evidence.clone(),
            retention: Some(self.retention),
            metadata: self.metadata.clone(),
        }
    }

    /// Checks every rule of what it says; the error names the field.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for the first field that breaks a rule.
    pub fn validate(&self) -> Result<()> {
        self.to_draft(None).validate()?;
        count("statements", self.statements.len())?;
        self.statements.iter().enumerate().try_for_each(|(i, s)| s.validate(&format!("statements[{i}]")))
    }

    /// What was said, the newest first; a memory of an earlier format was one statement.
    pub fn said(&self) -> Vec<Statement> {
        if self.statements.is_empty() && !self.content.is_empty() {
            let (source, at) = (self.source_id.clone(), self.stated_at);
            return vec![Statement { source, at, ..Statement::new(&self.content) }];
        }
        self.statements.clone()
    }

    /// What is replaced is core no more.
    pub fn leave_core(&mut self) {
        if self.retention == Retention::Core {
            self.retention = Retention::Semantic;
        }
    }

    /// The addresses of those who said what is confirmed of it.
    pub fn authors(&self) -> impl Iterator<Item = &str> {
        self.statements.iter().filter(|s| !s.is_provisional()).filter_map(|s| s.author.as_deref())
    }

    /// The addresses of those whose confirmed words hold: who said something last, and who said what still holds whole.
    pub fn tellers(&self) -> impl Iterator<Item = &str> {
        let confirmed = self.statements.iter().filter(|s| !s.is_provisional()).enumerate();
        confirmed.filter(|(n, s)| *n == 0 || s.struck.is_empty()).filter_map(|(_, s)| s.author.as_deref())
    }

    /// Whether it holds a statement that nobody with standing has said or confirmed.
    pub fn is_provisional(&self) -> bool {
        self.confirmation == Confirmation::Provisional
    }

    /// What is confirmed of it: its text, or the text that its provisional statements changed.
    pub fn confirmed(&self) -> &str {
        self.confirmed_content.as_deref().unwrap_or(&self.content)
    }

    /// Brings what it tells of its origin in line with its statements; `confirmed` is its text without those that are provisional.
    pub fn note_confirmation(&mut self, confirmed: Option<String>) {
        let reporter = self.statements.iter().find(|s| s.is_provisional()).or(self.statements.first());
        self.reported_by = reporter.and_then(Statement::reporter).map(str::to_owned);
        let is_provisional = self.statements.iter().any(Statement::is_provisional);
        self.confirmation = if is_provisional { Confirmation::Provisional } else { Confirmation::Confirmed };
        self.confirmed_content = confirmed.filter(|_| is_provisional);
    }

    /// When it happens, where that was named: not the time at which it was said or stored.
    pub fn happens_at(&self) -> Option<DayOrTime> {
        let is_named =
            self.occurred_at != self.created_at && self.stated_at.is_none_or(|said| self.occurred_at != said);
        is_named.then_some(self.occurred_at)
    }

    /// The memory with days where format 1 kept them as times.
    #[must_use]
    pub fn of_format_1(mut self, zone: Zone) -> Self {
        if let Some(at) = self.happens_at() {
            self.occurred_at = at.of_format_1(zone);
        }
        // It began when it was said, or on a day.
        let is_said = self.valid_from.is_some_and(|from| self.stated_at.is_some_and(|said| from == said));
        self.valid_from = self.valid_from.map(|from| if is_said { from } else { from.of_format_1(zone) });
        self.valid_until = self.valid_until.map(|until| until.of_format_1(zone));
        self
    }

    /// Its own time, by which the newer of two statements is told: when it was said, else when it happened.
    pub fn own_time(&self) -> Time {
        self.stated_at.unwrap_or_else(|| self.occurred_at.utc())
    }

    /// When this version was said first: what is said again is not new.
    pub fn first_said(&self) -> Time {
        let first = self.statements.first().and_then(|s| s.at);
        first.map_or(self.own_time(), |at| at.min(self.own_time()))
    }

    /// When it was stored, or last found. A summary is as fresh as the newest of what it stands for, whenever written.
    pub fn last_met(&self) -> Time {
        match self.accessed_at {
            Some(at) if self.node_type == NodeType::Summary => at,
            Some(at) => at.max(self.created_at),
            None => self.created_at,
        }
    }
}
