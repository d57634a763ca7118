//! One call reads a mail beside what is known: [`MailQuestion`] in, [`MailEntry`]s out.
//!
//! It never decides: an entry says what a mail changes, and every word of it is checked against what was sent.

mod burst;
mod check;
mod keeping;
mod mending;
mod wording;

use super::fenced;
use crate::decision::{Language, Prompt, Refusal, Shown, Task, cut, read_each};
use crate::language::Reference;
use crate::model::{Category, Claim, Id, Memory, Relation, Time, Zone};
use chrono::{Datelike, NaiveDate, Timelike};
use serde::{Deserialize, Serialize};

pub use burst::{BurstQuestion, BurstReply};

/// Characters of a mail that are sent, of a message before it, of a subject line and of a memory.
const MAX_MAIL: usize = 8_000;
const MAX_EARLIER: usize = 350;
const MAX_SUBJECT: usize = 300;
const MAX_MEMORY: usize = 1_000;
/// Entries of one reply that are read.
const MAX_ENTRIES: usize = 16;
/// Recipients that are named.
const MAX_TO: usize = 8;

/// How much is shown of what is known, and how it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Ten memories, with links, merges and what no longer holds.
    #[default]
    Full,
    /// Six memories and the bare fields, for models of 2 to 8 billion parameters.
    Short,
}

impl Form {
    /// The most memories that are shown.
    pub const fn most_shown(self) -> usize {
        match self {
            Self::Full => 10,
            Self::Short => 6,
        }
    }
}

/// A stored memory as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownMemory {
    /// The memory.
    pub id: Id,
    shown: Shown,
    day: Option<NaiveDate>,
    said: Option<NaiveDate>,
    /// The memory by which it may be outdated.
    newer: Option<Id>,
}

/// Somebody who wrote or received a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Party {
    /// As `Name <address>`.
    pub name: String,
    /// Whether it is the owner.
    pub is_owner: bool,
}

impl Party {
    fn shown(&self) -> String {
        [self.name.as_str(), if self.is_owner { " (the owner)" } else { "" }].concat()
    }
}

/// A message of the thread before the mail, in its new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Who wrote it.
    pub from: String,
    /// When.
    pub date: Option<Time>,
    /// What it said; the first 350 characters are sent.
    pub text: String,
}

/// A stretch of a mail by one author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Who wrote it and when, where it is forwarded.
    pub forwarded: Option<String>,
    /// The words, without passages that speak to an assistant.
    pub text: String,
}

/// A mail or a note, as a model sees it, beside what is known.
#[derive(Debug, Clone, PartialEq)]
pub struct MailQuestion {
    /// How it is asked.
    pub form: Form,
    /// The message id, or what names a note.
    pub source: Option<String>,
    /// Who wrote it, as `Name <address>`.
    pub from: Party,
    /// To whom.
    pub to: Vec<Party>,
    /// Its subject line.
    pub subject: String,
    /// When it was said, and where.
    pub at: Option<Reference>,
    /// What it says anew, in order.
    pub passages: Vec<Passage>,
    /// What stood below it, which is not sent but may name who writes.
    pub signature: String,
    /// The last two messages of its thread, oldest first.
    pub before: Vec<Earlier>,
    /// What may be meant, best first.
    pub known: Vec<KnownMemory>,
    /// What was answered first, where some of it was refused and is asked about alone.
    pub first: Option<FirstReply>,
}

/// A reply of which entries were refused.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstReply {
    raw: Vec<Result<RawEntry, Refusal>>,
    /// By their places in it: why, the memory that it names, and the entry as it came.
    refused: Vec<(usize, Refusal, String, String)>,
}

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
#[derive(Debug, Clone, PartialEq)]
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
    pub day: Option<NaiveDate>,
    /// Those concerned, as the mail names them.
    pub people: Vec<String>,
    /// What it belongs to.
    pub links: Vec<EntryLink>,
    /// The words of the mail that say it; empty where one that is only said again gave none.
    pub evidence: String,
    /// Whether a figure, a day or a name of the text is inferred: nobody has said it so.
    pub inferred: bool,
}

/// A link of an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntryLink {
    /// A stored memory, or the place of an earlier entry of the reply.
    pub to: LinkEnd,
    /// How they belong together.
    pub relation: Relation,
}

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

/// An entry as it comes under handles; and as it is kept, under ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    op: Op,
    #[serde(default)]
    of: Option<String>,
    #[serde(default)]
    with: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    gone: Option<Vec<String>>,
    #[serde(default)]
    category: Option<Category>,
    #[serde(default)]
    day: Option<String>,
    #[serde(default)]
    people: Option<Vec<String>>,
    #[serde(default)]
    links: Option<Vec<RawLink>>,
    #[serde(default)]
    evidence: Option<String>,
    /// Of one that several messages were read for: which of them says it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mail: Option<usize>,
    /// Of one that is kept alone.
    #[serde(default, skip_serializing_if = "is_no")]
    inferred: bool,
}

fn is_no(inferred: &bool) -> bool {
    !*inferred
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLink {
    to: String,
    #[serde(rename = "type")]
    relation: Relation,
}

const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// A day as `yyyy-mm-dd`, and back: chrono's own tables for it take 10 KB gzipped.
fn iso(day: NaiveDate) -> String {
    format!("{:04}-{:02}-{:02}", day.year(), day.month(), day.day())
}

fn day_of(text: &str) -> Option<NaiveDate> {
    let mut parts = text.trim().splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

/// The handles of what is shown.
static HANDLES: [&str; 24] = [
    "M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M16", "M17",
    "M18", "M19", "M20", "M21", "M22", "M23", "M24",
];

impl KnownMemory {
    /// How a stored memory is shown to whoever reads a mail of this thread, in the owner's zone.
    pub fn new(memory: &Memory, thread: Option<&str>, zone: Zone) -> Self {
        let same_thread = memory.thread_id.is_some() && memory.thread_id.as_deref() == thread;
        let mut shown = Shown::new(&Claim::from(memory), same_thread);
        shown.content = cut(&memory.content, MAX_MEMORY).to_owned();
        // Where nobody named a day, it is that on which it was said.
        let named = memory.valid_until.or(Some(memory.occurred_at)).filter(|t| Some(*t) != memory.stated_at);
        let day = named.filter(|t| *t != memory.created_at).map(|t| t.day(zone));
        Self { id: memory.id, shown, day, said: memory.stated_at.map(|t| t.day(zone)), newer: None }
    }

    /// The same, which another one may have outdated.
    #[must_use]
    pub fn outdated_by(self, newer: Option<Id>) -> Self {
        Self { newer, ..self }
    }

    /// Its text as it is shown.
    pub fn content(&self) -> &str {
        &self.shown.content
    }
}

impl MailQuestion {
    /// Characters of a mail that are sent.
    pub const MOST: usize = MAX_MAIL;

    /// The language of the mail: that of its words, not of what it forwards.
    pub fn language(&self) -> Language {
        let own = self.passages.iter().find(|p| p.forwarded.is_none() && !p.text.trim().is_empty());
        Language::of(own.or(self.passages.first()).map_or(&self.subject, |p| &p.text))
    }

    /// What of it somebody has said: what masking has to look at.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        let mut texts = vec![&mut self.subject, &mut self.from.name];
        texts.extend(self.to.iter_mut().map(|p| &mut p.name));
        texts.extend(self.passages.iter_mut().flat_map(|p| p.forwarded.iter_mut().chain([&mut p.text])));
        texts.extend(self.before.iter_mut().flat_map(|e| [&mut e.from, &mut e.text]));
        texts.extend(self.known.iter_mut().flat_map(|k| k.shown.texts_mut()));
        texts.extend(self.first.iter_mut().flat_map(FirstReply::texts_mut));
        texts
    }

    /// The question for one call; `fence` is random, so that no mail can end the data that it stands in.
    pub fn prompt(&self, fence: &str) -> Prompt {
        if let Some(first) = &self.first {
            return self.mending_prompt(first, fence);
        }
        let (system, schema) = match self.form {
            Form::Full => (wording::SYSTEM, wording::SCHEMA),
            Form::Short => (wording::SYSTEM_SHORT, wording::SCHEMA_SHORT),
        };
        let mut prompt = Prompt::new(Task::Mail, wording::VERSION, self.language(), system, schema);
        if self.form == Form::Short {
            prompt.examples.push(wording::example(self.language()));
        }
        prompt.source.clone_from(&self.source);
        prompt.text = wording::DATA.replace('%', fence);
        self.write_known(fence, &mut prompt.text);
        self.write_mail("MAIL", fence, &mut prompt.text);
        prompt.text.extend(["\n=== ", fence, " END"]);
        prompt.candidates = self.candidates();
        prompt
    }

    fn candidates(&self) -> Vec<Shown> {
        self.known.iter().zip(&HANDLES).map(|(k, handle)| Shown { handle, ..k.shown.clone() }).collect()
    }

    /// What is known, and what was said before.
    fn write_known(&self, fence: &str, out: &mut String) {
        let zone = self.at.map(|at| at.zone).unwrap_or_default();
        self.write_memories(|_| true, fence, out);
        for earlier in &self.before {
            let date = earlier.date.map(|d| iso(d.day(zone))).unwrap_or_default();
            fenced(fence, &["BEFORE ", &date, " ", &earlier.from].concat(), &earlier.text, MAX_EARLIER, out);
        }
    }

    fn write_memories(&self, which: impl Fn(&str) -> bool, fence: &str, out: &mut String) {
        for (known, handle) in self.known.iter().zip(&HANDLES).filter(|(_, handle)| which(handle)) {
            let day = known.day.map(|d| [", of ", &iso(d)].concat()).unwrap_or_default();
            let said = known.said.map(|d| [", said ", &iso(d)].concat()).unwrap_or_default();
            let thread = if known.shown.same_thread { ", this thread" } else { "" };
            let newer = known.newer.and_then(|id| self.known.iter().position(|k| k.id == id));
            let newer = newer.and_then(|at| HANDLES.get(at)).map(|h| [", newer ", h].concat()).unwrap_or_default();
            let head = [handle, " ", known.shown.category.as_str(), &day, &said, thread, &newer].concat();
            fenced(fence, &head, &known.shown.content, MAX_MEMORY, out);
        }
    }

    fn write_mail(&self, mark: &str, fence: &str, out: &mut String) {
        let day = self.at.map_or_else(String::new, |at| {
            let (day, time) = (at.day(), at.now.local(at.zone).time());
            let weekday = WEEKDAYS[day.weekday().num_days_from_monday() as usize];
            format!(" {} ({weekday}) {:02}:{:02}", iso(day), time.hour(), time.minute())
        });
        fenced(fence, &[mark, &day].concat(), &self.header(), MAX_MAIL, out);
        for passage in &self.passages {
            if let Some(author) = &passage.forwarded {
                out.extend(["\n=== ", fence, " FORWARDED by ", author]);
            }
            out.push('\n');
            out.push_str(passage.text.trim_end());
        }
    }

    fn header(&self) -> String {
        let to = self.to.iter().take(MAX_TO).map(Party::shown).collect::<Vec<_>>().join(", ");
        let more = if self.to.len() > MAX_TO { ", and others" } else { "" };
        let mut header = String::new();
        for (name, value) in [("From", self.from.shown()), ("To", to + more)] {
            if !value.is_empty() {
                header.extend([name, ": ", &value, "\n"]);
            }
        }
        let subject: String = self.subject.chars().take(MAX_SUBJECT).collect();
        header.extend(["Subject: ", &subject]);
        header
    }

    /// Reads a reply: each entry by itself, so that a bad one is refused and the others count. No entry at all is an
    /// answer. `is_known` tells whether something stored has a name.
    ///
    /// # Errors
    /// Why nothing of it can be used: no JSON, too long, or not of this form.
    pub fn read(&self, reply: &str, is_known: &dyn Fn(&str) -> bool) -> Result<MailReply, Refusal> {
        let raw = match &self.first {
            Some(first) => first.mended(raw_entries(reply).unwrap_or_default()),
            None => raw_entries(reply)?,
        };
        Ok(self.read_entries(raw, is_known))
    }

    fn read_entries(&self, raw: Vec<Result<RawEntry, Refusal>>, is_known: &dyn Fn(&str) -> bool) -> MailReply {
        let sources = check::Sources::of(self, is_known);
        let mut entries: Vec<Result<MailEntry, Refusal>> = Vec::new();
        let mut unheard = Vec::new();
        for raw in raw {
            let evidence =
                raw.as_ref().ok().and_then(|raw| check::evidence(self, raw.evidence.as_deref().unwrap_or_default()));
            let entry = raw.and_then(|raw| self.checked(raw, evidence.clone(), &sources, &entries));
            unheard.extend(evidence.filter(|_| entry.is_err()));
            entries.push(entry);
        }
        MailReply { entries, unheard }
    }

    /// The memory under a handle.
    fn named(&self, handle: &str) -> Option<&KnownMemory> {
        let at = HANDLES.iter().position(|h| h.eq_ignore_ascii_case(handle.trim()))?;
        self.known.get(at)
    }

    fn checked(
        &self,
        raw: RawEntry,
        evidence: Option<String>,
        sources: &check::Sources<'_>,
        earlier: &[Result<MailEntry, Refusal>],
    ) -> Result<MailEntry, Refusal> {
        let named = |handle: &Option<String>| handle.as_deref().map(|h| self.named(h).ok_or(Refusal::UnknownHandle));
        let of = match raw.op {
            Op::New => None,
            _ => Some(named(&raw.of).ok_or(Refusal::UnknownHandle)??),
        };
        let with = match raw.op {
            Op::Same => Some(named(&raw.with).ok_or(Refusal::UnknownHandle)??),
            _ => None,
        };
        if of.is_some() && of.map(|k| k.id) == with.map(|k| k.id) {
            return Err(Refusal::UnknownHandle);
        }
        let writes = matches!(raw.op, Op::Update | Op::Done);
        let before = |e: &MailEntry| matches!(e.op, Op::Update | Op::Done) && e.of == of.map(|k| k.id);
        if writes && earlier.iter().flatten().any(before) {
            return Err(Refusal::TwoUpdates);
        }
        let mut entry = MailEntry {
            op: raw.op,
            of: of.map(|k| k.id),
            with: with.map(|k| k.id),
            text: String::new(),
            gone: Vec::new(),
            category: raw.category.or(of.map(|k| k.shown.category)).unwrap_or_default(),
            day: None,
            people: Vec::new(),
            links: Vec::new(),
            evidence: String::new(),
            inferred: false,
        };
        if raw.inferred || raw.mail.is_some() {
            return Err(Refusal::Malformed);
        }
        if let (Op::Repeat | Op::Same, Some(known)) = (raw.op, of) {
            // Where its words are not given, the log says what is said again.
            entry.text = evidence.clone().unwrap_or_else(|| known.content().to_owned());
            entry.evidence = evidence.unwrap_or_default();
            return Ok(entry);
        }
        raw.text.unwrap_or_default().trim().clone_into(&mut entry.text);
        entry.evidence = evidence.ok_or(Refusal::NoEvidence)?;
        entry.inferred = sources.bears(&entry.text, &entry.evidence, of)?;
        let old = of.map_or("", |k| k.content());
        entry.gone =
            raw.gone.unwrap_or_default().into_iter().filter(|g| !g.trim().is_empty() && old.contains(g)).collect();
        entry.day = raw.day.as_deref().and_then(day_of).filter(|d| sources.names_day(*d, &entry.text));
        entry.people = raw.people.unwrap_or_default().into_iter().filter(|p| sources.names_person(p)).collect();
        for link in raw.links.unwrap_or_default() {
            let to = self.link_end(&link.to, earlier).filter(|to| entry.of.is_none_or(|of| *to != LinkEnd::Memory(of)));
            entry.links.extend(to.map(|to| EntryLink { to, relation: link.relation }));
        }
        Ok(entry)
    }

    /// What a link leads to; nothing where that was never sent or was refused.
    fn link_end(&self, handle: &str, earlier: &[Result<MailEntry, Refusal>]) -> Option<LinkEnd> {
        if let Some(known) = self.named(handle) {
            return Some(LinkEnd::Memory(known.id));
        }
        let place: usize = handle.trim().strip_prefix(['E', 'e'])?.parse().ok()?;
        let at = place.checked_sub(1)?;
        earlier.get(at)?.as_ref().ok().map(|_| LinkEnd::Entry(at))
    }
}

/// The entries of a reply as they came.
fn raw_entries(reply: &str) -> Result<Vec<Result<RawEntry, Refusal>>, Refusal> {
    let mut raw = read_each::<RawEntry>(reply, "entries")?;
    if !raw.is_empty() && raw.iter().all(Result::is_err) {
        return Err(Refusal::Malformed);
    }
    raw.truncate(MAX_ENTRIES);
    Ok(raw)
}

#[cfg(test)]
mod tests;
