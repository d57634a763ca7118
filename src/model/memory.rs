//! [`Memory`]: a stored memory with its identity, versions and retention.

use super::limits::each;
use super::{
    Category, Confirmation, DayOrTime, Draft, EventId, Evidence, Id, ImportanceFactor, Metadata, Property, Retention,
    Source, Statement, Time, Zone,
};
use crate::Result;
use serde::{Deserialize, Serialize};

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum NodeType {
    /// A memory from a mail, a note or a tool.
    #[default]
    Memory,
    /// A query of the user.
    Query,
    /// A tag.
    Entity,
    /// A summary of several memories.
    Summary,
    /// A person.
    Person,
}

/// The generation of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Generation {
    /// Newly added.
    #[default]
    Young,
    /// Promoted to long-term memory.
    Old,
    /// Merged into a summary; kept, but not searched by default.
    Archived,
}

/// How much of a memory is kept for search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum StorageTier {
    /// In the search index.
    #[default]
    Hot,
    /// Decayed.
    Cold,
    /// Cut to 200 characters, without an embedding.
    Stub,
}

/// The owner's ratings of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Feedback {
    /// Times marked useful.
    pub up: u32,
    /// Times marked useless.
    pub down: u32,
}

impl Feedback {
    /// Adds a rating.
    pub fn add(&mut self, up: bool) {
        let side = if up { &mut self.up } else { &mut self.down };
        *side = side.saturating_add(1);
    }
}

/// A stored memory: one version in a chain. `previous_version_id` leads back, `superseded_by` forward.
///
/// Its embedding is stored separately, if at all.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Memory {
    /// A UUIDv7; each version has its own.
    pub id: Id,
    /// The kind of the node.
    pub node_type: NodeType,
    /// Counts the writes of this record; a change set compares it with the expected revision.
    pub revision: u64,
    /// The number of the version in its chain, from 1.
    pub version: u32,
    /// The previous version.
    pub previous_version_id: Option<Id>,
    /// The next version; absent on the current one.
    pub superseded_by: Option<Id>,
    /// The memory that contradicts this one.
    pub contradicted_by: Option<Id>,

    /// The current text: the valid parts of its statements, or a rewording of them by a language model.
    pub content: String,
    /// The statements, newest first.
    #[serde(default)]
    pub statements: Vec<Statement>,
    /// What it is about, in a few words.
    pub topic: Option<String>,
    /// It in one line: its topic and current values.
    pub headline: Option<String>,
    /// The category.
    pub category: Category,
    /// Search keywords.
    pub keywords: Vec<String>,
    /// Addresses or names of the people involved.
    pub people: Vec<String>,
    /// Names of things that the memory mentions.
    pub entities: Vec<String>,
    /// The subject line without prefixes such as Re: and Fwd:.
    pub subject: Option<String>,
    /// The mail thread.
    pub thread_id: Option<String>,
    /// Names and values found in the content.
    pub properties: Vec<Property>,

    /// Importance, 0–1.
    pub importance: f32,
    /// The reasons for its importance.
    pub importance_factors: Vec<ImportanceFactor>,
    /// Confidence of the extraction, 0–1.
    pub confidence: f32,

    /// When it was stored.
    pub created_at: Time,
    /// When this record was last written.
    pub updated_at: Time,
    /// When the event happened or will happen; searched by "last week".
    pub occurred_at: DayOrTime,
    /// When the source last stated it: a mail's date.
    pub stated_at: Option<Time>,
    /// The start of its validity.
    pub valid_from: Option<DayOrTime>,
    /// The end of its validity.
    pub valid_until: Option<DayOrTime>,

    /// The class of the source.
    pub source_type: Source,
    /// The message id, or another id of the source.
    pub source_id: Option<String>,
    /// The quoted source text that supports it.
    pub evidence: Option<Evidence>,
    /// The calendar event that it describes.
    pub event: Option<EventId>,
    /// The reporter of its newest statement: an address where known.
    pub reported_by: Option<String>,
    /// `provisional` if an authorised sender or the owner has yet to confirm a statement; absent if all are confirmed.
    #[serde(default, skip_serializing_if = "Confirmation::is_confirmed")]
    #[tsify(optional)]
    pub confirmation: Confirmation,
    /// The content without its provisional statements; present while there are any.
    pub confirmed_content: Option<String>,

    /// How long it is kept.
    pub retention: Retention,
    /// Its generation.
    pub generation: Generation,
    /// How much of it is kept for search.
    pub storage_tier: StorageTier,
    /// Resistance to decay, 0–1.
    pub stability: f32,
    /// How often a search found it.
    pub access_count: u32,
    /// When a search last found it.
    pub accessed_at: Option<Time>,
    /// The number of sessions in which a search found it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub session_count: u32,
    /// How often it was stated again.
    pub repeat: u32,
    /// The owner's ratings.
    pub feedback: Feedback,
    /// When it was deleted. Its content is kept until it is forgotten (erased).
    pub deleted_at: Option<Time>,
    /// The application's own data.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Memory {
    /// The first version of a valid draft, stored at `now`.
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

    /// Whether this version is current: neither superseded nor deleted.
    pub fn is_current(&self) -> bool {
        self.superseded_by.is_none() && self.deleted_at.is_none()
    }

    /// The tombstone of an erased memory: its id and version links. It keeps references intact and blocks re-import.
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

    /// Whether this is a tombstone; no other memory lacks content.
    pub fn is_forgotten(&self) -> bool {
        self.content.is_empty() && self.deleted_at.is_some()
    }

    /// A draft with the fields of this memory, and with `content` if given.
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
            // Without a stated time, `occurred_at` is only the time of storing.
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
            is_minor: false,
        }
    }

    /// Checks all fields; the error names the invalid one.
    pub fn validate(&self) -> Result<()> {
        self.to_draft(None).validate()?;
        each("statements", &self.statements, |field, statement| statement.validate(field))
    }

    /// The statements, newest first. A memory of an earlier format gives its content as one statement.
    pub fn said(&self) -> Vec<Statement> {
        if self.statements.is_empty() && !self.content.is_empty() {
            let (source, at) = (self.source_id.clone(), self.stated_at);
            return vec![Statement { source, at, ..Statement::new(&self.content) }];
        }
        self.statements.clone()
    }

    /// Lowers `core` retention to `semantic`, since the memory was replaced.
    pub fn leave_core(&mut self) {
        if self.retention == Retention::Core {
            self.retention = Retention::Semantic;
        }
    }

    /// Makes this the version after `old`, with its counters.
    pub fn follow(&mut self, old: &Self) {
        (self.version, self.previous_version_id) = (old.version + 1, Some(old.id));
        (self.access_count, self.accessed_at, self.session_count) =
            (old.access_count, old.accessed_at, old.session_count);
        (self.repeat, self.feedback, self.stability) = (old.repeat, old.feedback, old.stability);
        // A summary covers only the old version, so the new one is not archived.
        self.generation = if old.generation == Generation::Archived { Generation::Old } else { old.generation };
    }

    /// The author addresses of its confirmed statements.
    pub fn authors(&self) -> impl Iterator<Item = &str> {
        self.statements.iter().filter(|s| !s.is_provisional()).filter_map(|s| s.author.as_deref())
    }

    /// The author addresses of the newest confirmed statement and of confirmed statements without struck text.
    pub fn tellers(&self) -> impl Iterator<Item = &str> {
        let confirmed = self.statements.iter().filter(|s| !s.is_provisional()).enumerate();
        confirmed.filter(|(n, s)| *n == 0 || s.struck.is_empty()).filter_map(|(_, s)| s.author.as_deref())
    }

    /// Whether any statement is still unconfirmed.
    pub fn is_provisional(&self) -> bool {
        self.confirmation == Confirmation::Provisional
    }

    /// The confirmed content: without provisional statements.
    pub fn confirmed(&self) -> &str {
        self.confirmed_content.as_deref().unwrap_or(&self.content)
    }

    /// Updates reporter and confirmation. `confirmed` is the content without provisional statements.
    pub fn note_confirmation(&mut self, confirmed: Option<String>) {
        let reporter = self.statements.iter().find(|s| s.is_provisional()).or(self.statements.first());
        self.reported_by = reporter.and_then(Statement::reporter).map(str::to_owned);
        let is_provisional = self.statements.iter().any(Statement::is_provisional);
        self.confirmation = if is_provisional { Confirmation::Provisional } else { Confirmation::Confirmed };
        self.confirmed_content = confirmed.filter(|_| is_provisional);
    }

    /// When the event happens, unless that is only the time of the statement or of storing.
    pub fn happens_at(&self) -> Option<DayOrTime> {
        let is_named =
            self.occurred_at != self.created_at && self.stated_at.is_none_or(|said| self.occurred_at != said);
        is_named.then_some(self.occurred_at)
    }

    /// Converts a memory of format 1, which stored days as times.
    #[must_use]
    pub fn of_format_1(mut self, zone: Zone) -> Self {
        if let Some(at) = self.happens_at() {
            self.occurred_at = at.of_format_1(zone);
        }
        // If valid from its statement on, the time is kept; otherwise it was a day.
        let is_said = self.valid_from.is_some_and(|from| self.stated_at.is_some_and(|said| from == said));
        self.valid_from = self.valid_from.map(|from| if is_said { from } else { from.of_format_1(zone) });
        self.valid_until = self.valid_until.map(|until| until.of_format_1(zone));
        self
    }

    /// When it was stated, or else when it happened; decides which of two memories is newer.
    pub fn own_time(&self) -> Time {
        self.stated_at.unwrap_or_else(|| self.occurred_at.utc())
    }

    /// When this version was first stated; repeats do not count.
    pub fn first_said(&self) -> Time {
        let first = self.statements.first().and_then(|s| s.at);
        first.map_or(self.own_time(), |at| at.min(self.own_time()))
    }

    /// When it was stored or last found. A summary counts as recent as its newest member, whenever it was written.
    pub fn last_met(&self) -> Time {
        match self.accessed_at {
            Some(at) if self.node_type == NodeType::Summary => at,
            Some(at) => at.max(self.created_at),
            None => self.created_at,
        }
    }
}

/// A borrowed view of a [`Draft`] or [`Memory`] for comparisons.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The content in one or two sentences.
    pub content: &'a str,
    /// The statements that the content was composed from, each with its time; empty for a draft.
    pub statements: &'a [Statement],
    /// The category.
    pub category: Category,
    /// The subject line without prefixes such as Re: and Fwd:.
    pub subject: Option<&'a str>,
    /// The mail thread.
    pub thread_id: Option<&'a str>,
    /// The author: an address where known.
    pub author: Option<&'a str>,
    /// The mail or note that states it.
    pub source_id: Option<&'a str>,
    /// Addresses or names of the people involved.
    pub people: &'a [String],
    /// Names of things that the memory mentions.
    pub entities: &'a [String],
    /// When the event happened or will happen.
    pub occurred_at: Option<DayOrTime>,
    /// When the source stated it: a mail's date.
    pub stated_at: Option<Time>,
}

impl Claim<'_> {
    /// When it was stated, or else when it happened.
    pub fn own_time(&self) -> Option<Time> {
        self.stated_at.or_else(|| self.occurred_at.map(DayOrTime::utc))
    }
}

impl<'a> From<&'a Draft> for Claim<'a> {
    fn from(d: &'a Draft) -> Self {
        Self {
            content: &d.content,
            statements: &[],
            category: d.category,
            subject: d.subject.as_deref(),
            thread_id: d.thread_id.as_deref(),
            author: d.author.as_deref(),
            source_id: d.source_id.as_deref(),
            people: &d.people,
            entities: &d.entities,
            occurred_at: d.occurred_at,
            stated_at: d.stated_at,
        }
    }
}

impl<'a> From<&'a Memory> for Claim<'a> {
    fn from(m: &'a Memory) -> Self {
        Self {
            content: &m.content,
            statements: &m.statements,
            category: m.category,
            subject: m.subject.as_deref(),
            thread_id: m.thread_id.as_deref(),
            author: m.statements.first().and_then(|s| s.author.as_deref()),
            source_id: m.source_id.as_deref(),
            people: &m.people,
            entities: &m.entities,
            occurred_at: Some(m.occurred_at),
            stated_at: m.stated_at,
        }
    }
}
