//! The log of decisions.

use crate::decision::{Analyst, Decision, Reason, Ruling, TrustRule};
use crate::model::{
    Category, Conflict, DayOrTime, Draft, Edge, Generation, Id, Memory, PropertyChange, Relation, Relationship,
    Retention, Source, Statement, Time,
};
use crate::similarity::Factors;
use serde::{Deserialize, Serialize};

/// What was done: a new memory handled, or something that its owner asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A new memory was compared with what is stored, and decided.
    #[default]
    Consolidate,
    /// Memories were deleted; they can be restored.
    Delete,
    /// Memories were erased for good.
    Forget,
    /// An earlier entry was taken back; `about` names it.
    Undo,
    /// An earlier entry was looked at by its owner, or settled by a model that was asked late (`analyst` tells which);
    /// `about` names it.
    Review,
    /// Records came from an export.
    Import,
    /// Memories that say nearly the same were folded into a summary, and archived.
    Merge,
    /// Questions and tags of a session, or tags of memories, were taken over for the long term.
    Adopt,
    /// Counters, tiers and generations were brought up to date; nothing that was said has changed.
    Tend,
    /// Records came from another store of the same owner, whose own entries tell of them.
    Sync,
}

/// What set a decision off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A mail was read.
    NewMail,
    /// The owner noted it, or said it in a chat.
    Note,
    /// A tool or an assistant said it.
    ToolOutput,
    /// The owner asked for it: a deletion, an undo, a verdict.
    UserRequest,
    /// It was done at rest.
    Sleep,
    /// Another store of the same owner knew it.
    Sync,
    /// It came with an import of records.
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

/// The numbers of the version before an update and of the one after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VersionStep {
    /// The version that was replaced.
    pub before: u32,
    /// The version that stands now.
    pub after: u32,
}

/// How the handling of an input ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Decided and written.
    #[default]
    Success,
    /// Not handled; `reason` says why. It can be tried again.
    Error,
    /// Nothing to write.
    Skipped,
    /// Planned, not written.
    DryRun,
}

/// What becomes of the links of a deleted memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Cascade {
    /// They stay, hidden as long as it is deleted.
    #[default]
    PreserveEdges,
    /// They are removed; restoring the memory puts them back.
    RemoveEdges,
}

impl Status {
    /// Every way in which it may end.
    pub const ALL: [Self; 4] = [Self::Success, Self::Error, Self::Skipped, Self::DryRun];
}

/// A similarity score with its factors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Score {
    /// The weighted sum, 0–1.
    pub score: f32,
    /// What it is made of.
    pub factors: Factors,
}

/// A candidate that was seen and not chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Alternative {
    /// The memory.
    pub id: Id,
    /// Its score.
    pub score: f32,
    /// What would have been decided had it been the best match.
    pub decision: Decision,
    /// The probability of that decision where the local analyst gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f32>,
}

/// Where a stored memory stood before a commit: all that a commit changes of one that was there, and no text.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Standing {
    /// The memory.
    pub id: Id,
    /// Its place in its chain.
    pub version: u32,
    /// The version before it.
    pub previous_version_id: Option<Id>,
    /// The version after it.
    pub superseded_by: Option<Id>,
    /// The memory that denied it.
    pub contradicted_by: Option<Id>,
    /// How it was kept.
    pub retention: Retention,
    /// When it was deleted.
    pub deleted_at: Option<Time>,
    /// Its generation; absent in entries of earlier versions.
    pub generation: Option<Generation>,
    /// How often it was said again, where the commit changed that.
    pub repeat: Option<u32>,
    /// Its importance, where the commit raised that.
    pub importance: Option<f32>,
    /// When it was said last, where the commit moved that.
    pub stated_at: Option<Time>,
    /// When it happened, where the commit moved that with the day on which it was said.
    pub occurred_at: Option<DayOrTime>,
}

/// What a memory said before a commit cut its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Whole {
    /// The memory.
    pub id: Id,
    /// Its whole text; empty once it is forgotten.
    pub content: String,
    /// What it was made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Statement>,
}

impl Standing {
    /// Where a memory stands.
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

    /// Where a node stands whose weight the commit changes.
    pub fn weighed(m: &Memory) -> Self {
        Self { repeat: Some(m.repeat), ..Self::of(m) }
    }

    /// Where a memory stands that is said again.
    pub fn dated(m: &Memory) -> Self {
        Self { stated_at: m.stated_at, occurred_at: Some(m.occurred_at), ..Self::of(m) }
    }

    /// Where a memory stands, told as fully as an entry tells where it stood before.
    pub fn as_told(m: &Memory, entry: &LogEntry) -> Self {
        let before = entry.before.iter().find(|s| s.id == m.id);
        Self {
            repeat: entry.before.iter().any(|s| s.repeat.is_some()).then_some(m.repeat),
            importance: before.and_then(|s| s.importance).map(|_| m.importance),
            ..if before.is_some_and(|s| s.stated_at.is_some()) { Self::dated(m) } else { Self::of(m) }
        }
    }

    /// The place in the chain alone.
    pub fn place(self) -> Self {
        Self { generation: None, repeat: None, importance: None, stated_at: None, occurred_at: None, ..self }
    }

    /// Puts a memory where this says.
    pub fn put_back(self, m: &mut Memory) {
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

/// One decision, written in the same transaction as its effect.
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
    /// Whose memory it is.
    pub user_id: String,
    /// What was decided.
    pub decision: Decision,
    /// How it ended.
    pub status: Status,
    /// Who judged.
    pub analyst: Analyst,
    /// The content of the input.
    pub input: String,
    /// The category of the input.
    pub category: Category,
    /// The message id, or whatever names the source of the input.
    pub source_id: Option<String>,
    /// The idempotency key of the input.
    pub key: Option<String>,
    /// The memory that the decision is about: the one updated, repeated or linked to.
    pub target_id: Option<Id>,
    /// The memory that was created, if one was.
    pub memory_id: Option<Id>,
    /// Every memory that the commit wrote; what other connections must read again.
    pub touched: Vec<Id>,
    /// How alike input and target are.
    pub similarity: Option<Score>,
    /// How sure the analyst was, 0–1.
    pub confidence: f32,
    /// Why, as data; shown in the reader's language.
    pub reasons: Vec<Reason>,
    /// Why, as a sentence in the language of the input.
    pub reason: String,
    /// What the target is about, as the analyst reads it.
    pub subject_a: Option<String>,
    /// What the input is about.
    pub subject_b: Option<String>,
    /// How the subjects relate.
    #[serde(default)]
    pub relationship: Relationship,
    /// The type of the link.
    pub relation: Option<Relation>,
    /// Whether the input stood against the target.
    #[serde(default)]
    pub conflict: Conflict,
    /// Which properties changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub property_changes: Vec<PropertyChange>,
    /// Candidates that were seen and not chosen, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
    /// Whether a person should look at it.
    #[serde(default)]
    pub needs_review: bool,
    /// Whether a change of something stored is confirmed, provisional or kept for review.
    pub confirmation: Option<Ruling>,
    /// The rule that decided so.
    pub rule: Option<TrustRule>,
    /// How long it took.
    pub processing_ms: f64,
    /// Tokens that a model used.
    pub tokens: u32,
    /// What was done.
    #[serde(default)]
    pub action: Action,
    /// What set it off; absent in entries of earlier versions.
    pub trigger: Option<Trigger>,
    /// The memories that the new one was linked to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linked_ids: Vec<Id>,
    /// How alike a repetition and its target are, 0–1.
    pub duplicate_score: Option<f32>,
    /// Which versions an update lies between.
    pub versions: Option<VersionStep>,
    /// What became of the links of what was deleted.
    pub cascade: Option<Cascade>,
    /// The earlier entry that this one takes back or settles.
    pub about: Option<Id>,
    /// Where the stored memories that the commit changed stood before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Standing>,
    /// The edges that the commit removed or moved, as they were before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges_before: Vec<Edge>,
    /// What memories said whose text the commit cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<Whole>,
    /// The input whole, where no memory holds it.
    pub draft: Option<Box<Draft>>,
    /// The digest of the texts that this entry had before they were forgotten.
    pub redacted: Option<String>,
    /// Random; makes the digest of the texts say nothing about them. Forgotten with them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub salt: String,
    /// SHA-256 over the entry before this one and this one, in hex; a log that was changed or cut shows by it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

impl LogEntry {
    /// An entry about this input that says nothing else yet: a CREATE with nothing seen and nothing written.
    pub fn new(id: Id, time: Time, user_id: &str, input: &str) -> Self {
        Self { id, time, user_id: user_id.to_owned(), input: input.to_owned(), ..Self::default() }
    }

    /// The memories that it names as its own: what it touched, what it made, and what it was about.
    pub fn ids(&self) -> Vec<Id> {
        let mut ids = self.touched.clone();
        ids.extend(self.memory_id);
        ids.extend(self.target_id);
        ids.extend(self.one_with());
        ids
    }

    /// The memory that is taken for one matter with the target, where the owner is asked to say so.
    pub fn one_with(&self) -> Option<Id> {
        self.reasons.iter().find_map(|r| match r {
            Reason::OneMatter { with } => Some(*with),
            _ => None,
        })
    }

    /// The entries of changes that it has confirmed.
    pub fn confirmed(&self) -> impl Iterator<Item = Id> + '_ {
        self.reasons.iter().filter_map(|r| match r {
            Reason::Confirmed { entry } => Some(*entry),
            _ => None,
        })
    }

    /// The entries of questions that it has settled.
    pub fn settled(&self) -> impl Iterator<Item = Id> + '_ {
        self.reasons.iter().filter_map(|r| match r {
            Reason::Settled { entry } => Some(*entry),
            _ => None,
        })
    }

    /// Whether it only moved the day on which something was said last.
    pub fn dates(&self) -> bool {
        self.action == Action::Consolidate && self.decision == Decision::Skip && !self.touched.is_empty()
    }

    /// The memories that its action was about: of a forgetting, those that are gone, not those that it brought back.
    pub fn written(&self) -> impl Iterator<Item = Id> {
        let beside = |id: &Id| self.action == Action::Forget && self.before.iter().any(|s| s.id == *id);
        self.touched.iter().copied().filter(move |id| !beside(id))
    }
}
