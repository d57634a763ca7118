//! The prompt about a mail and the stored memories it may concern: [`MailQuestion`].

use super::wording;
use crate::decision::{Language, Prompt, Shown, Task, cut};
use crate::language::Reference;
use crate::llm::{Question, write_fenced};
use crate::model::{Category, Claim, Id, Memory, Time, WrittenBy, Zone};
use chrono::{Datelike, NaiveDate, Timelike};
use serde::{Deserialize, Serialize};

/// Characters sent of a mail, of an earlier message and of a subject line.
const MAX_MAIL: usize = 8_000;
const MAX_EARLIER: usize = 350;
const MAX_SUBJECT: usize = 300;
/// Recipients named.
const MAX_TO: usize = 8;

/// Size of the prompt about a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Ten memories, with links, merges and outdated parts.
    #[default]
    Full,
    /// Six memories and few fields, for models of 2 to 8 billion parameters.
    Short,
}

impl Form {
    /// Most memories shown.
    pub const fn most_shown(self) -> usize {
        match self {
            Self::Full => 10,
            Self::Short => 6,
        }
    }
}

/// The author or a recipient of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Party {
    /// As `Name <address>`.
    pub name: String,
    /// Whether it is the owner.
    pub is_owner: bool,
}

impl Party {
    fn shown(&self) -> String {
        [self.name.as_str(), if self.is_owner { " (the owner)" } else { "" }].concat().trim_start().to_owned()
    }
}

/// An earlier message of the thread, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Its message id.
    pub source: String,
    /// Its author.
    pub from: String,
    /// The author's address, unless authentication failed.
    pub speaker: Option<String>,
    /// When it was sent.
    pub date: Option<Time>,
    /// Its text; the first 350 characters are sent.
    pub text: String,
}

/// A part of a mail by one author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its author.
    pub by: WrittenBy,
    /// Its text, without suspicious passages.
    pub text: String,
}

/// Characters of a memory that are sent, and of each of its former texts.
const MAX_MEMORY: usize = 1_000;
const MAX_FORMER: usize = 240;

/// A stored memory as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownMemory {
    /// Its id.
    pub id: Id,
    pub(super) shown: Shown,
    pub(super) day: Option<NaiveDate>,
    pub(super) said: Option<NaiveDate>,
    pub(super) stated_at: Time,
    /// Former texts, if the mail may return to them or is older than the memory.
    pub(super) former: Option<String>,
}

impl KnownMemory {
    /// A stored memory for a mail of this thread, with days in the owner's zone.
    pub fn new(memory: &Memory, thread: Option<&str>, zone: Zone) -> Self {
        let same_thread = memory.thread_id.is_some() && memory.thread_id.as_deref() == thread;
        // `happens_at` is empty unless a day was named.
        let of = memory.happens_at();
        let is_task = memory.category == Category::Task;
        let named = if is_task { memory.valid_until.or(of) } else { of.or(memory.valid_until) };
        let day = named.map(|t| t.day(zone));
        Self {
            id: memory.id,
            shown: Shown::new(&Claim::from(memory), same_thread),
            day,
            said: memory.stated_at.map(|t| t.day(zone)),
            stated_at: memory.own_time(),
            former: None,
        }
    }

    /// Adds the former texts.
    #[must_use]
    pub fn formerly(self, said: &[&str]) -> Self {
        let said: Vec<&str> = said.iter().map(|text| cut(text, MAX_FORMER)).collect();
        Self { former: (!said.is_empty()).then(|| said.join("\n")), ..self }
    }

    /// The text that is shown.
    pub fn content(&self) -> &str {
        &self.shown.content
    }
}

/// A mail or a note for the model to read, with the stored memories it may concern.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MailQuestion {
    /// Size of the prompt.
    pub form: Form,
    /// Whether it is a single new memory.
    pub is_draft: bool,
    /// The message id, or the id of a note.
    pub source: Option<String>,
    /// The author, as `Name <address>`.
    pub from: Party,
    /// The author's address, unless authentication failed.
    pub speaker: Option<String>,
    /// The recipients.
    pub to: Vec<Party>,
    /// The subject line.
    pub subject: String,
    /// Whether another author wrote the subject line, as in a reply or a forward.
    pub is_answer: bool,
    /// When it was said, and in which zone.
    pub at: Option<Reference>,
    /// The new parts of the mail, in order.
    pub passages: Vec<Passage>,
    /// The signature: not sent, but it supports names.
    pub signature: String,
    /// The last two messages of the thread, oldest first.
    pub before: Vec<Earlier>,
    /// The stored memories that it may concern, best first.
    pub known: Vec<KnownMemory>,
}

const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Handles of the shown memories.
static HANDLES: [&str; 24] = [
    "M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M16", "M17",
    "M18", "M19", "M20", "M21", "M22", "M23", "M24",
];

impl Question for MailQuestion {
    fn texts_mut(&mut self) -> Vec<&mut String> {
        let mut texts = vec![&mut self.subject, &mut self.from.name];
        texts.extend(self.to.iter_mut().map(|p| &mut p.name));
        for Passage { by, text } in &mut self.passages {
            texts.push(text);
            if let WrittenBy::Forwarded(author) = by {
                texts.push(author);
            }
        }
        texts.extend(self.before.iter_mut().flat_map(|e| [&mut e.from, &mut e.text]));
        texts.extend(self.known.iter_mut().flat_map(|k| k.shown.texts_mut().chain(&mut k.former)));
        texts
    }

    fn prompt(&self, fence: &str) -> Prompt {
        let (system, schema) = match self.form {
            Form::Full => (wording::SYSTEM, wording::SCHEMA),
            Form::Short => (wording::SYSTEM_SHORT, wording::SCHEMA_SHORT),
        };
        let mut prompt = Prompt::new(Task::Mail, wording::VERSION, self.language(), system, schema);
        if self.form == Form::Short {
            prompt.teach(wording::example(self.language()));
        }
        prompt.source.clone_from(&self.source);
        let draft = if self.is_draft { wording::DRAFT } else { "" };
        prompt.text = wording::DATA.replace('%', fence) + draft + self.chat() + &self.late();
        self.write_known(fence, &mut prompt.text);
        self.write_mail(fence, &mut prompt.text);
        prompt.text.extend(["\n=== ", fence, " END"]);
        let shown = |(k, handle): (&KnownMemory, &&'static str)| Shown { handle, ..k.shown.clone() };
        prompt.candidates = self.known.iter().zip(&HANDLES).map(shown).collect();
        prompt
    }
}

impl MailQuestion {
    /// Characters of a mail that are sent.
    pub const MOST: usize = MAX_MAIL;

    /// The language of the mail's own words, not of a forwarded part.
    pub fn language(&self) -> Language {
        let own = self.passages.iter().find(|p| p.by.is_own() && !p.text.trim().is_empty());
        Language::of(own.or(self.passages.first()).map_or(&self.subject, |p| &p.text))
    }

    /// The instructions for a mail older than some memories; empty otherwise and for small models.
    fn late(&self) -> String {
        let later = |k: &&KnownMemory| self.form == Form::Full && self.came_before(k);
        let named = self.known.iter().zip(&HANDLES).filter(|(k, _)| later(k)).map(|(_, handle)| *handle);
        let named = named.collect::<Vec<_>>().join(", ");
        if named.is_empty() { named } else { wording::LATE.replace('#', &named) }
    }

    /// The instructions for a chat; empty otherwise.
    fn chat(&self) -> &'static str {
        let speaks = |p: &Passage| matches!(p.by, WrittenBy::User | WrittenBy::Assistant);
        if self.passages.iter().any(speaks) { wording::CHAT } else { "" }
    }

    /// Whether the mail was written on a day before the memory was said.
    pub(super) fn came_before(&self, known: &KnownMemory) -> bool {
        self.at.is_some_and(|at| at.now < known.stated_at && at.day() < known.stated_at.day(at.zone))
    }

    /// Writes the memories and the earlier messages.
    fn write_known(&self, fence: &str, out: &mut String) {
        let zone = self.at.map(|at| at.zone).unwrap_or_default();
        for (known, handle) in self.known.iter().zip(&HANDLES) {
            let day = known.day.map(|d| [", of ", &d.to_string()].concat()).unwrap_or_default();
            let said = known.said.map(|d| [", said ", &d.to_string()].concat()).unwrap_or_default();
            let thread = if known.shown.same_thread { ", this thread" } else { "" };
            let head = [handle, " ", known.shown.category.as_str(), &day, &said, thread].concat();
            write_fenced(fence, &head, &known.shown.content, MAX_MEMORY, out);
            if let Some(former) = &known.former {
                write_fenced(fence, &[handle, ", formerly"].concat(), former, MAX_MEMORY, out);
            }
        }
        for earlier in &self.before {
            let date = earlier.date.map(|d| d.day(zone).to_string()).unwrap_or_default();
            write_fenced(fence, &["BEFORE ", &date, " ", &earlier.from].concat(), &earlier.text, MAX_EARLIER, out);
        }
    }

    fn write_mail(&self, fence: &str, out: &mut String) {
        let day = self.at.map_or_else(String::new, |at| {
            let (day, time) = (at.day(), at.now.local(at.zone).time());
            let weekday = WEEKDAYS[day.weekday().num_days_from_monday() as usize];
            format!(" {day} ({weekday}) {:02}:{:02}", time.hour(), time.minute())
        });
        write_fenced(fence, &["MAIL", &day].concat(), &self.header(), MAX_MAIL, out);
        let mut before = &WrittenBy::Sender;
        for passage in &self.passages {
            let (mark, author) = match &passage.by {
                WrittenBy::Forwarded(author) => (" FORWARDED by ", author.as_str()),
                WrittenBy::User => (" USER", ""),
                WrittenBy::Assistant => (" ASSISTANT", ""),
                WrittenBy::Sender if *before == WrittenBy::Sender => ("", ""),
                WrittenBy::Sender => (" FROM the sender again", ""),
            };
            before = &passage.by;
            if !mark.is_empty() {
                out.extend(["\n=== ", fence, mark, author]);
            }
            out.push('\n');
            out.push_str(passage.text.trim_end());
        }
    }

    fn header(&self) -> String {
        let to = self.to.iter().take(MAX_TO).map(Party::shown).collect::<Vec<_>>().join(", ");
        let more = if self.to.len() > MAX_TO { ", and others" } else { "" };
        let line = |(name, value): (&str, String)| [name, ": ", &value, "\n"].concat();
        let lines = [("From", self.from.shown()), ("To", to + more)].into_iter().filter(|(_, value)| !value.is_empty());
        let subject: String = self.subject.chars().take(MAX_SUBJECT).collect();
        lines.map(line).collect::<String>() + "Subject: " + &subject
    }

    pub(super) fn named(&self, handle: &str) -> Option<&KnownMemory> {
        let at = HANDLES.iter().position(|h| h.eq_ignore_ascii_case(handle.trim()))?;
        self.known.get(at)
    }
}
