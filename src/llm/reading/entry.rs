//! What comes back of a mail that was read: [`MailEntry`]s, and the form in which they come and are kept.
//!
//! It checks nothing.

use crate::decision::{ModelAnalysis, Refusal, ReplyFault};
use crate::json;
use crate::model::{Category, Id, Relation};
use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a mail does to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// A matter that no shown memory is about.
    New,
    /// A memory's matter has another or a further property.
    Update,
    /// A memory's matter is done, paid, settled or cancelled.
    Done,
    /// A memory is only said again.
    Repeat,
    /// Two memories are about one matter.
    Same,
}

/// One thing that a mail changes, checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailEntry {
    /// What it does.
    pub op: Op,
    /// The stored memory that is meant; absent for a new one.
    pub of: Option<Id>,
    /// The other memory of the same matter.
    pub with: Option<Id>,
    /// The whole memory as it stands after the mail; empty where it is only said again.
    pub text: String,
    /// Stretches of the stored text that no longer hold.
    pub gone: Vec<String>,
    /// Its category.
    pub category: Category,
    /// The day on which it happens or is due, if the mail or the memory names it.
    #[serde(serialize_with = "write_day", deserialize_with = "read_day")]
    pub day: Option<NaiveDate>,
    /// Those concerned, as the mail names them.
    pub people: Vec<String>,
    /// What it belongs to.
    pub links: Vec<EntryLink>,
    /// The words of the mail that say it; empty where one that is only said again gave none.
    pub evidence: String,
    /// Whether a figure, a day or a name of the text is inferred: nobody has said it so.
    pub inferred: bool,
    /// Whether a sentence of the text was left out: nobody has said a figure or a name of it.
    pub shortened: bool,
    /// Whether it tells what holds now of a memory of which the mail, that came late, tells what held on its day.
    pub now: bool,
    /// Whether the memory is of no day any longer.
    pub no_day: bool,
    /// Memories, besides the one that is meant, without which nobody has said all of the text.
    pub borrowed: Vec<Id>,
    /// Who else has said something of the text: the addresses of whoever wrote the thread's earlier messages, empty where that is not
    /// proven, and for a subject line that is not of the mail's author.
    pub heard_from: Vec<String>,
    /// Why it is an update or a link.
    pub analysis: ModelAnalysis,
}

/// A link of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EntryLink {
    /// A stored memory, or the place of an earlier entry of the reply.
    pub to: LinkEnd,
    /// How they belong together.
    pub relation: Relation,
}

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkEnd {
    /// A stored memory.
    Memory(Id),
    /// An earlier entry, by its place in the reply.
    Entry(usize),
}

/// A reply, read: each entry by its place, or why it is refused.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MailReply {
    /// The entries, in order.
    pub entries: Vec<Result<MailEntry, Refusal>>,
    /// Words of the mail on which entries rest that are refused.
    pub unheard: Vec<String>,
    /// What is wrong with the form of entries that are refused for it.
    pub faults: Vec<ReplyFault>,
}

/// A checked reply as it is stored until its mail is written; of a refused entry the code alone.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredReply {
    entries: Vec<Result<MailEntry, String>>,
    unheard: Vec<String>,
}

fn write_day<S: Serializer>(day: &Option<NaiveDate>, to: S) -> Result<S::Ok, S::Error> {
    day.map(|day| day.to_string()).serialize(to)
}

fn read_day<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NaiveDate>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.as_deref().and_then(day_of))
}

impl MailReply {
    /// The text to store.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for what JSON cannot hold.
    pub fn stored(&self) -> Result<String, crate::Error> {
        let entries = self.entries.iter().map(|e| e.clone().map_err(|refusal| refusal.as_str().to_owned())).collect();
        json::write(&StoredReply { entries, unheard: self.unheard.clone() })
    }

    /// Reads such a text; absent where another version wrote it.
    pub fn restored(text: &str) -> Option<Self> {
        let StoredReply { entries, unheard } = json::read(text, "reply").ok()?;
        let entries = entries.into_iter().map(|e| e.map_err(|code| Refusal::named(&code))).collect();
        Some(Self { entries, unheard, faults: Vec::new() })
    }
}

/// An entry as it comes, under handles (`fields.rs` reads it).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawEntry {
    pub(super) op: Op,
    pub(super) of: Option<String>,
    pub(super) with: Option<String>,
    pub(super) text: Option<String>,
    pub(super) gone: Option<Vec<String>>,
    pub(super) category: Option<Category>,
    pub(super) day: Option<String>,
    pub(super) people: Option<Vec<String>>,
    pub(super) links: Option<Vec<RawLink>>,
    pub(super) evidence: Option<String>,
    pub(super) analysis: ModelAnalysis,
}

impl RawEntry {
    /// What of two memories that are one matter is told anew of the first: an update, beside the proposal.
    pub(super) fn told_anew(&self) -> Option<Self> {
        let is_told = self.op == Op::Same && self.text.as_ref().is_some_and(|text| !text.trim().is_empty());
        is_told.then(|| Self { op: Op::Update, with: None, ..self.clone() })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawLink {
    pub(super) to: String,
    pub(super) relation: Relation,
}

/// A day as `yyyy-mm-dd`: chrono's own reader of it takes 10 KB gzipped.
pub(super) fn day_of(text: &str) -> Option<NaiveDate> {
    let mut parts = text.trim().splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}
