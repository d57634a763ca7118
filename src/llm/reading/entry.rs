//! The entries of a reply about a mail, [`MailEntry`], and their stored form.

use crate::decision::{ModelAnalysis, Refusal, ReplyFault};
use crate::json;
use crate::model::{Category, Id, Relation};
use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a mail does to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// A matter that no shown memory is about.
    #[default]
    New,
    /// A shown memory gets a changed or a further property.
    Update,
    /// The matter of a shown memory is done, paid, settled or cancelled.
    Done,
    /// The mail only repeats a shown memory.
    Repeat,
}

/// One checked change that a mail makes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailEntry {
    /// The operation.
    pub op: Op,
    /// The stored memory concerned; absent for a new one.
    pub of: Option<Id>,
    /// The whole memory after the mail; for a repeat, the evidence or the stored text.
    pub text: String,
    /// Parts of the stored text that are outdated.
    pub gone: Vec<String>,
    /// The category.
    pub category: Category,
    /// The day on which it happens or is due, if the mail or the memory names it.
    #[serde(serialize_with = "write_day", deserialize_with = "read_day")]
    pub day: Option<NaiveDate>,
    /// The people concerned, as the mail names them.
    pub people: Vec<String>,
    /// Links to other memories and entries.
    pub links: Vec<EntryLink>,
    /// The words of the mail that support the entry; may be empty for a repeat.
    pub evidence: String,
    /// Whether a figure, day, name or wording of the text is inferred.
    pub inferred: bool,
    /// Whether unsupported sentences were dropped from the text.
    pub shortened: bool,
    /// Whether it is the present state, in addition to an entry on the day of a late mail.
    pub now: bool,
    /// Whether the memory no longer has a day.
    pub no_day: bool,
    /// Other memories that the text rests on.
    pub borrowed: Vec<Id>,
    /// The addresses of other authors that the text rests on; empty for an unauthenticated one.
    pub heard_from: Vec<String>,
    /// Why it is an update or a link.
    pub analysis: ModelAnalysis,
}

/// A link of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EntryLink {
    /// Where it leads.
    pub to: LinkEnd,
    /// The relation.
    pub relation: Relation,
}

/// The target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkEnd {
    /// A stored memory.
    Memory(Id),
    /// An earlier entry, by its position in the reply.
    Entry(usize),
}

/// A parsed reply: each entry, or why it was refused. Stored until its mail is processed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailReply {
    /// The entries, in the order of the reply.
    pub entries: Vec<Result<MailEntry, Refusal>>,
    /// Evidence of refused entries.
    pub unheard: Vec<String>,
    /// Form errors of refused entries.
    #[serde(skip)]
    pub faults: Vec<ReplyFault>,
}

fn write_day<S: Serializer>(day: &Option<NaiveDate>, to: S) -> Result<S::Ok, S::Error> {
    day.map(|day| day.to_string()).serialize(to)
}

fn read_day<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NaiveDate>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.as_deref().and_then(day_of))
}

impl MailReply {
    /// The reply as JSON to store; an error for values that JSON cannot hold.
    pub fn stored(&self) -> Result<String, crate::Error> {
        json::write(self)
    }

    /// Parses a stored reply; `None` if another version wrote it.
    pub fn restored(text: &str) -> Option<Self> {
        json::read(text, "reply").ok()
    }
}

/// An unchecked entry, with handles instead of ids.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct RawEntry {
    pub(super) op: Op,
    pub(super) of: Option<String>,
    pub(super) text: Option<String>,
    pub(super) gone: Option<Vec<String>>,
    pub(super) category: Option<Category>,
    pub(super) day: Option<String>,
    pub(super) people: Option<Vec<String>>,
    pub(super) links: Option<Vec<RawLink>>,
    pub(super) evidence: Option<String>,
    #[serde(skip)]
    pub(super) analysis: ModelAnalysis,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct RawLink {
    pub(super) to: String,
    #[serde(rename = "type")]
    pub(super) relation: Relation,
}

/// Parses `yyyy-mm-dd`; chrono's parser would add 10 KB gzipped.
pub(super) fn day_of(text: &str) -> Option<NaiveDate> {
    let mut parts = text.trim().splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}
