//! The log of decisions.

use crate::decision::{Analyst, Decision, Reason, Ruling, TrustRule};
use crate::model::{
    Category, Conflict, DayOrTime, Draft, Edge, Generation, Id, Memory, PropertyChange, Relation, Relationship,
    Retention, Source, Statement, Time, Zone,
};
use crate::similarity::Factors;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What the commit did: consolidate an input, or perform an action of the owner or of maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// An input was compared with the stored memories and decided.
    #[default]
    Consolidate,
    /// Memories were deleted; they can be restored.
    Delete,
    /// Memories were erased permanently.
    Forget,
    /// An earlier entry was undone; `about` references it.
    Undo,
    /// The owner reviewed an earlier entry, or a model settled it later; see `about` and `analyst`.
    Review,
    /// Records were imported from an export.
    Import,
    /// Near-duplicates were merged into a summary and archived.
    Merge,
    /// Questions and tags of a session, or tags of memories, were moved to long-term memory.
    Adopt,
    /// Counters, tiers and generations were updated; no text has changed.
    Tend,
    /// Records came from another store of the same owner, with their own entries.
    Sync,
}

/// What triggered a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A mail was ingested.
    NewMail,
    /// The owner's note or chat message.
    Note,
    /// The output of a tool or an assistant.
    ToolOutput,
    /// The owner's request: a deletion, an undo, a verdict.
    UserRequest,
    /// The sleep cycle.
    Sleep,
    /// Synchronisation with another store of the same owner.
    Sync,
    /// An import of records.
    Import,
}

impl From<Source> for Trigger {
    fn from(source: Source) -> Self {
        match source {
            Source::UserInput => Self::Note,
            Source::ToolOutput => Self::ToolOutput,
            Source::Bootstrapped | Source::Realtime => Self::NewMail,
        }
    }
}

/// The version numbers before and after an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VersionStep {
    /// The version that was superseded.
    pub before: u32,
    /// The version that is current now.
    pub after: u32,
}

/// How the handling of an input ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Decided and written.
    #[default]
    Success,
    /// Not handled; `reason` tells why. It can be retried.
    Error,
    /// Nothing to write.
    Skipped,
    /// Planned, not written.
    DryRun,
}

/// What happens to the edges of a deleted memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Cascade {
    /// They stay, hidden while the memory is deleted.
    #[default]
    PreserveEdges,
    /// They are removed; restoring the memory restores them.
    RemoveEdges,
}

impl Status {
    /// All values.
    pub const ALL: [Self; 4] = [Self::Success, Self::Error, Self::Skipped, Self::DryRun];
}

/// A similarity score with its factors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Score {
    /// The weighted sum, 0–1.
    pub score: f32,
    /// The factors.
    pub factors: Factors,
}

/// A candidate that was considered and not chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Alternative {
    /// The memory.
    pub id: Id,
    /// Its score.
    pub score: f32,
    /// The decision if this candidate had been the best match.
    pub decision: Decision,
    /// The probability of that decision, if the local analyst gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f32>,
}

/// The state of a stored memory before a commit: all mutable fields but the text.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Standing {
    /// The memory.
    pub id: Id,
    /// Its version number in its chain.
    pub version: u32,
    /// The version before it.
    pub previous_version_id: Option<Id>,
    /// The version after it.
    pub superseded_by: Option<Id>,
    /// The memory that contradicted it.
    pub contradicted_by: Option<Id>,
    /// Its retention.
    pub retention: Retention,
    /// When it was deleted.
    pub deleted_at: Option<Time>,
    /// Its generation; absent in entries of earlier formats.
    pub generation: Option<Generation>,
    /// How often it was repeated, if the commit changed that.
    pub repeat: Option<u32>,
    /// Its importance, if the commit raised it.
    pub importance: Option<f32>,
    /// When it was stated last, if the commit moved that date.
    pub stated_at: Option<Time>,
    /// When it happened, if the commit moved that together with the statement date.
    pub occurred_at: Option<DayOrTime>,
}

/// The text of a memory before a commit shortened it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Whole {
    /// The memory.
    pub id: Id,
    /// Its full text; empty once it is forgotten.
    pub content: String,
    /// The statements that the text was made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Statement>,
}

impl Standing {
    /// The standing of a memory.
    pub fn of(m: &Memory) -> Self {
        Self {
            id: m.id,
            version: m.version,
            previous_version_id: m.previous_version_id,
            superseded_by: m.superseded_by,
            contradicted_by: m.contradicted_by,
            retention: m.retention,
            deleted_at: m.deleted_at,
            generation: Some(m.generation),
            ..Self::default()
        }
    }

    /// The standing of a memory, with its dates.
    pub fn with_dates(m: &Memory) -> Self {
        Self { stated_at: m.stated_at, occurred_at: Some(m.occurred_at), ..Self::of(m) }
    }

    /// The standing of a memory, with the same optional fields as its earlier standing in `entry`.
    pub fn with_fields_like(m: &Memory, entry: &LogEntry) -> Self {
        let before = entry.before.iter().find(|s| s.id == m.id);
        Self {
            repeat: entry.before.iter().any(|s| s.repeat.is_some()).then_some(m.repeat),
            importance: before.and_then(|s| s.importance).map(|_| m.importance),
            ..if before.is_some_and(|s| s.stated_at.is_some()) { Self::with_dates(m) } else { Self::of(m) }
        }
    }

    /// The standing without optional fields, to compare chain positions.
    pub fn place(self) -> Self {
        Self { generation: None, repeat: None, importance: None, stated_at: None, occurred_at: None, ..self }
    }

    /// Restores a memory to this standing.
    pub fn restore(self, m: &mut Memory) {
        m.version = self.version;
        m.previous_version_id = self.previous_version_id;
        m.superseded_by = self.superseded_by;
        m.contradicted_by = self.contradicted_by;
        m.retention = self.retention;
        m.deleted_at = self.deleted_at;
        m.generation = self.generation.unwrap_or(m.generation);
        m.repeat = self.repeat.unwrap_or(m.repeat);
        m.importance = self.importance.unwrap_or(m.importance);
        m.stated_at = self.stated_at.or(m.stated_at);
        m.occurred_at = self.occurred_at.unwrap_or(m.occurred_at);
    }
}

/// The log entry of one decision, written in the same transaction as its effect.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogEntry {
    /// The number of the commit; set by the store, 0 before.
    pub seq: u64,
    /// The entry's own id.
    pub id: Id,
    /// When it was decided.
    pub time: Time,
    /// The owner of the memories.
    pub user_id: String,
    /// The decision.
    pub decision: Decision,
    /// How the handling ended.
    pub status: Status,
    /// Who decided: a rule, a model or the owner.
    pub analyst: Analyst,
    /// The content of the input.
    pub input: String,
    /// The category of the input.
    pub category: Category,
    /// The message id or another identifier of the input's source.
    pub source_id: Option<String>,
    /// The idempotency key of the input.
    pub key: Option<String>,
    /// The memory that the decision is about: the one updated, repeated or linked to.
    pub target_id: Option<Id>,
    /// The created memory, if any.
    pub memory_id: Option<Id>,
    /// Every memory that the commit wrote. Other connections must reload these.
    pub touched: Vec<Id>,
    /// The similarity of input and target.
    pub similarity: Option<Score>,
    /// The analyst's confidence, 0–1.
    pub confidence: f32,
    /// The reasons as data, shown in the reader's language.
    pub reasons: Vec<Reason>,
    /// The reason as a sentence in the language of the input.
    pub reason: String,
    /// The subject of the target, as the analyst sees it.
    pub subject_a: Option<String>,
    /// The subject of the input.
    pub subject_b: Option<String>,
    /// How the subjects relate.
    #[serde(default)]
    pub relationship: Relationship,
    /// The type of the link.
    pub relation: Option<Relation>,
    /// Whether the input conflicts with the target.
    #[serde(default)]
    pub conflict: Conflict,
    /// Which properties changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub property_changes: Vec<PropertyChange>,
    /// Candidates that were considered and not chosen, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
    /// Whether a person should review it.
    #[serde(default)]
    pub needs_review: bool,
    /// Whether a change of a stored memory is confirmed, provisional or kept for review.
    pub confirmation: Option<Ruling>,
    /// The rule behind `confirmation`.
    pub rule: Option<TrustRule>,
    /// The processing time in milliseconds.
    pub processing_ms: f64,
    /// Tokens that a model used.
    pub tokens: u32,
    /// The kind of action.
    #[serde(default)]
    pub action: Action,
    /// What triggered it; absent in entries of earlier formats.
    pub trigger: Option<Trigger>,
    /// The memories that the new one was linked to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linked_ids: Vec<Id>,
    /// The similarity of a repetition and its target, 0–1.
    pub duplicate_score: Option<f32>,
    /// The version numbers before and after an update.
    pub versions: Option<VersionStep>,
    /// What happened to the edges of a deleted memory.
    pub cascade: Option<Cascade>,
    /// The earlier entry that this one undoes or settles.
    pub about: Option<Id>,
    /// The standings of changed memories before the commit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Standing>,
    /// The edges that the commit removed or moved, as they were before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges_before: Vec<Edge>,
    /// The full texts of memories that the commit shortened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<Whole>,
    /// The full input, if no memory holds it.
    pub draft: Option<Box<Draft>>,
    /// The digest of the texts that this entry had before they were forgotten.
    pub redacted: Option<String>,
    /// A random salt that keeps the digest from revealing the texts. It is forgotten with them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub salt: String,
    /// SHA-256 over the previous entry's hash and this entry, in hex, to detect a changed or truncated log.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

impl LogEntry {
    /// An entry about this input with defaults: a CREATE without candidates and without writes.
    pub fn new(id: Id, time: Time, user_id: &str, input: &str) -> Self {
        Self { id, time, user_id: user_id.to_owned(), input: input.to_owned(), ..Self::default() }
    }

    /// The memories that the entry touched, created or targeted.
    pub fn ids(&self) -> Vec<Id> {
        let mut ids = self.touched.clone();
        ids.extend(self.memory_id);
        ids.extend(self.target_id);
        ids
    }

    /// Whether it only moved the statement date of a memory.
    pub fn only_moves_date(&self) -> bool {
        self.action == Action::Consolidate && self.decision == Decision::Skip && !self.touched.is_empty()
    }

    /// The memories that the action was about. For `Forget`, only the erased ones.
    pub fn written(&self) -> impl Iterator<Item = Id> {
        let beside = |id: &Id| self.action == Action::Forget && self.before.iter().any(|s| s.id == *id);
        self.touched.iter().copied().filter(move |id| !beside(id))
    }
}

/// A point of view in time: transaction time, valid time, or both. An absent field means now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct When {
    /// Transaction time: what the store knew at this time.
    pub as_of: Option<Time>,
    /// Valid time: the version that was true at this time, by statement dates and validity ranges.
    pub valid_at: Option<Time>,
}

/// The standings of memories at one time; by default in the present.
#[derive(Debug, Default)]
pub struct View {
    then: Option<Time>,
    /// Standings of memories that changed since; `None` for memories that did not exist yet.
    changed: HashMap<Id, Option<Standing>>,
}

impl View {
    /// The view at `then` over a log.
    pub fn at(then: Time, log: &[LogEntry]) -> Self {
        let mut since: Vec<&LogEntry> = log.iter().filter(|e| e.time > then && e.action != Action::Forget).collect();
        // Imported entries keep their times, which need not ascend with their numbers.
        since.sort_by_key(|e| std::cmp::Reverse((e.time, e.seq)));
        let mut changed = HashMap::new();
        for entry in since {
            // An import without earlier standings brings the entries that wrote its memories along.
            if !matches!(entry.action, Action::Import | Action::Sync) || !entry.before.is_empty() {
                changed.extend(entry.touched.iter().map(|id| (*id, None)));
            }
            for standing in &entry.before {
                // An entry that moved no date has none; the date of a later entry applies.
                let later = changed.get(&standing.id).copied().flatten();
                let (stated_at, occurred_at) = later.map_or((None, None), |s: Standing| (s.stated_at, s.occurred_at));
                let stated_at = standing.stated_at.or(stated_at);
                let occurred_at = standing.occurred_at.or(occurred_at);
                changed.insert(standing.id, Some(Standing { stated_at, occurred_at, ..*standing }));
            }
        }
        Self { then: Some(then), changed }
    }

    /// Whether it shows the present.
    pub fn is_present(&self) -> bool {
        self.then.is_none()
    }

    /// A memory as it was then; `None` if it did not exist or is forgotten.
    pub fn stood(&self, mut memory: Memory) -> Option<Memory> {
        if memory.is_forgotten() || self.then.is_some_and(|then| memory.created_at > then) {
            return None;
        }
        match self.changed.get(&memory.id) {
            Some(None) => return None,
            Some(Some(standing)) => standing.restore(&mut memory),
            None => {}
        }
        Some(memory)
    }
}

/// The start of a version's validity: its own, or the earlier of statement and storage.
pub fn holds_from(memory: &Memory, zone: Zone) -> Time {
    let said = || memory.first_said().min(memory.created_at);
    memory.valid_from.map_or_else(said, |from| from.begin(zone))
}

/// Whether a version was true at `at`; `next` is the version that superseded it.
pub fn holds_at(memory: &Memory, next: Option<&Memory>, at: Time, zone: Zone) -> bool {
    let ended = memory.valid_until.is_some_and(|t| t.end(zone) <= at);
    let replaced = next.is_some_and(|n| holds_from(n, zone) <= at);
    memory.deleted_at.is_none() && holds_from(memory, zone) <= at && !ended && !replaced
}
