//! [`Draft`]: a memory that is not stored yet.

use super::importance::importance_or_tier;
use super::limits::{Limits, each, text, unit};
use super::{
    Category, DayOrTime, EventId, Evidence, ImportanceFactor, Metadata, Property, Retention, Source, Statement, Time,
    importance_of,
};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Words of a topic, parts of a headline, and characters of one.
const TOPIC_WORDS: usize = 6;
const HEADLINE_PARTS: usize = 5;
const HEADLINE: usize = 120;

/// A memory that is not stored yet. Only `content` is required.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Draft {
    /// The content in one or two sentences; 1 to 8,000 characters.
    pub content: String,
    /// What it is about, in a few words; follows from the subject line or the content where absent.
    pub topic: Option<String>,
    /// It in one line: its topic and current values; follows from those where absent.
    pub headline: Option<String>,
    /// The category; `misc` by default.
    #[serde(default)]
    pub category: Category,
    /// The subject line without prefixes such as Re: and Fwd:.
    pub subject: Option<String>,
    /// The mail thread.
    pub thread_id: Option<String>,
    /// Addresses or names of the people involved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<String>,
    /// Names of things that the memory mentions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// Search keywords.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Names and values found in the content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<Property>,
    /// 0–1, or the name of a tier; by default computed from the factors.
    #[serde(default, deserialize_with = "importance_or_tier")]
    #[tsify(optional, type = "number | Tier")]
    pub importance: Option<f32>,
    /// Why it matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub importance_factors: Vec<ImportanceFactor>,
    /// Confidence of the extraction, 0–1; 1 by default.
    pub confidence: Option<f32>,
    /// When the event happened or will happen; by default the time of storing.
    pub occurred_at: Option<DayOrTime>,
    /// When the source stated it: a mail's date.
    pub stated_at: Option<Time>,
    /// The start of its validity.
    pub valid_from: Option<DayOrTime>,
    /// The end of its validity: a deadline or an expiry.
    pub valid_until: Option<DayOrTime>,
    /// The class of the source; `user_input` by default.
    #[serde(default)]
    pub source_type: Source,
    /// The author: an address where known.
    pub author: Option<String>,
    /// The calendar event that it describes.
    pub event: Option<EventId>,
    /// The message id, or another id of the source.
    pub source_id: Option<String>,
    /// The quoted source text that supports it.
    pub evidence: Option<Evidence>,
    /// How long it is kept; `semantic` by default.
    pub retention: Option<Retention>,
    /// The application's own data; up to 4,000 characters as JSON.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// Whether it is worth storing only as a change of a stored memory. Set by the extraction without a model.
    #[serde(skip)]
    pub is_minor: bool,
}

impl Draft {
    /// A draft with this content and default values.
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// The content as one statement; `None` if it is empty.
    pub fn statement(&self) -> Option<Statement> {
        let (source, author) = (self.source_id.clone(), self.author.clone());
        let said = Statement { source, author, at: self.stated_at, ..Statement::new(&self.content) };
        Some(said).filter(|s| !s.text.is_empty())
    }

    /// What it is about: as given, the subject line, or the first words of its content.
    pub fn topic(&self) -> String {
        let given = self.topic.clone().or_else(|| self.subject.clone()).filter(|topic| !topic.trim().is_empty());
        let topic =
            given.unwrap_or_else(|| self.content.split_whitespace().take(TOPIC_WORDS).collect::<Vec<_>>().join(" "));
        topic.chars().take(HEADLINE).collect()
    }

    /// It in one line: as given, or its topic and the further values that its content holds, or else its content cut short.
    pub fn headline(&self) -> String {
        if let Some(given) = self.headline.as_ref().filter(|h| !h.trim().is_empty()) {
            return given.clone();
        }
        let topic = self.topic.as_ref().or(self.subject.as_ref()).filter(|topic| !topic.trim().is_empty());
        let in_topic = |value: &str| topic.is_some_and(|topic| topic.to_lowercase().contains(&value.to_lowercase()));
        let told = self.properties.iter().filter(|p| self.content.contains(&p.value));
        let mut named = "";
        let values =
            told.map(|p| (p, p.normalised.as_deref().unwrap_or(&p.value))).filter(|(_, value)| !in_topic(value));
        let values = values.map(|(p, value)| {
            // The name that the text gives it, once: "budget £18,500 · draft 1 May", "dinner Friday · 7 pm".
            let before = self.content.find(&p.value).map_or("", |at| &self.content[..at]);
            let at = before.to_ascii_lowercase().rfind(&p.name.to_ascii_lowercase());
            let is_new = named != p.name && !in_topic(&p.name);
            named = &p.name;
            match at.and_then(|at| before.get(at..at + p.name.len())).filter(|_| is_new) {
                Some(name) => format!("{name} {value}"),
                None => value.to_owned(),
            }
        });
        let parts: Vec<String> = topic.cloned().into_iter().chain(values).take(HEADLINE_PARTS).collect();
        let is_told = topic.is_some() && parts.len() > 1;
        let words = || self.content.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = if is_told { parts.join(" · ") } else { words() };
        if line.chars().count() <= HEADLINE {
            return line;
        }
        line.chars().take(HEADLINE - 1).chain(['…']).collect()
    }

    /// When the event happens, unless that is only the time of the statement.
    pub fn happens_at(&self) -> Option<DayOrTime> {
        self.occurred_at.filter(|at| self.stated_at.is_none_or(|said| *at != said))
    }

    /// When it was stated, or else when it happened; decides which of two statements is newer.
    pub fn own_time(&self) -> Option<Time> {
        self.stated_at.or_else(|| self.occurred_at.map(DayOrTime::utc))
    }

    /// The given importance, or the one computed from the factors.
    pub fn importance(&self) -> f32 {
        self.importance.unwrap_or_else(|| importance_of(&self.importance_factors))
    }

    /// Checks all fields; the error names the invalid one.
    pub fn validate(&self) -> Result<()> {
        text("content", &self.content, Limits::CONTENT)?;
        if self.content.trim().is_empty() {
            return Err(Error::field("content", "is empty"));
        }
        let event = self.event.as_ref();
        for (name, value) in [
            ("topic", self.topic.as_ref()),
            ("headline", self.headline.as_ref()),
            ("subject", self.subject.as_ref()),
            ("threadId", self.thread_id.as_ref()),
            ("sourceId", self.source_id.as_ref()),
            ("author", self.author.as_ref()),
            ("event.uid", event.map(|e| &e.uid)),
            ("event.organizer", event.and_then(|e| e.organizer.as_ref())),
        ] {
            value.map_or(Ok(()), |value| text(name, value, Limits::NAME))?;
        }
        for (name, list) in [("people", &self.people), ("entities", &self.entities), ("keywords", &self.keywords)] {
            each(name, list, |field, item| text(field, item, Limits::NAME))?;
        }
        each("properties", &self.properties, |field, property| {
            text(&format!("{field}.name"), &property.name, Limits::NAME)?;
            text(&format!("{field}.value"), &property.value, Limits::CONTENT)?;
            let normalised = property.normalised.as_deref().unwrap_or_default();
            text(&format!("{field}.normalised"), normalised, Limits::NAME)
        })?;
        self.metadata.validate()?;
        each("importanceFactors", &self.importance_factors, |field, factor| {
            unit(&format!("{field}.weight"), Some(factor.weight))?;
            text(&format!("{field}.evidence"), factor.evidence.as_deref().unwrap_or_default(), Limits::CONTENT)
        })?;
        unit("importance", self.importance)?;
        unit("confidence", self.confidence)?;
        if let Some(e) = &self.evidence {
            text("evidence.text", &e.text, Limits::CONTENT)?;
            if e.end < e.start {
                return Err(Error::field("evidence.end", "lies before `evidence.start`"));
            }
        }
        match (self.valid_from, self.valid_until) {
            (Some(from), Some(until)) if until.is_before(from) => {
                Err(Error::field("validUntil", "lies before `validFrom`"))
            }
            _ => Ok(()),
        }
    }
}
