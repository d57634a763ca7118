//! A memory that has been extracted or entered but not stored.

use super::importance::importance_or_tier;
use super::limits::{Limits, count, text, unit};
use super::{
    Category, DayOrTime, EventId, Evidence, ImportanceFactor, Metadata, Property, Retention, Source, Statement, Time,
    importance_of,
};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Words of a topic, parts of a headline, and characters of one.
const TOPIC_WORDS: usize = 6;
const HEADLINE_PARTS: usize = 4;
const HEADLINE: usize = 120;

/// A memory that is not stored yet. Only `content` is required; every other field has a default.
///
/// ```
/// use memfold::model::{Category, Draft};
/// let draft = Draft { category: Category::Meeting, ..Draft::new("1월 22일 2시 킥오프 미팅") };
/// assert!(draft.validate().is_ok());
/// ```
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Draft {
    /// The memory in one or two sentences; 1 to 8,000 characters.
    pub content: String,
    /// What it is about, in a few words; follows from the subject line or the content where absent.
    pub topic: Option<String>,
    /// It in one line: its topic and current values; follows from those where absent.
    pub headline: Option<String>,
    /// Its category.
    #[serde(default)]
    pub category: Category,
    /// The subject line without Re:, Fwd: and the like.
    pub subject: Option<String>,
    /// The thread it was said in.
    pub thread_id: Option<String>,
    /// Addresses or names of those involved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<String>,
    /// Names of the things it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Names and values found in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<Property>,
    /// 0–1, or the name of a tier; follows from the factors where absent.
    #[serde(default, deserialize_with = "importance_or_tier")]
    #[tsify(optional, type = "number | Tier")]
    pub importance: Option<f32>,
    /// Why it matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub importance_factors: Vec<ImportanceFactor>,
    /// How sure the extraction is, 0–1; 1 where absent.
    pub confidence: Option<f32>,
    /// When it happened or will happen; the time of storing where absent.
    pub occurred_at: Option<DayOrTime>,
    /// When the source said so (a mail's date).
    pub stated_at: Option<Time>,
    /// From when it holds.
    pub valid_from: Option<DayOrTime>,
    /// Until when it holds: a deadline, an expiry.
    pub valid_until: Option<DayOrTime>,
    /// The class of its source; `user_input` where absent.
    #[serde(default)]
    pub source_type: Source,
    /// Who said it: an address, where one is known.
    pub author: Option<String>,
    /// The event of a calendar that it tells of.
    pub event: Option<EventId>,
    /// The message id, or whatever names the source.
    pub source_id: Option<String>,
    /// The words it rests on.
    pub evidence: Option<Evidence>,
    /// How it is kept; semantic where absent.
    pub retention: Option<Retention>,
    /// What the application keeps beside it for itself; up to 4,000 characters as JSON.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl Draft {
    /// A draft with this content and the defaults.
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// What it says, as one statement; nothing where it says nothing.
    pub fn statement(&self) -> Option<Statement> {
        let (source, author) = (self.source_id.clone(), self.author.clone());
        let said = Statement { source, author, at: self.stated_at, ..Statement::new(&self.content) };
        Some(said).filter(|s| !s.text.is_empty())
    }

    /// What it is about: as given, the subject line, or the first words of its content.
    pub fn topic(&self) -> String {
        let given = self.topic.clone().or_else(|| self.subject.clone()).filter(|topic| !topic.trim().is_empty());
        given.unwrap_or_else(|| self.content.split_whitespace().take(TOPIC_WORDS).collect::<Vec<_>>().join(" "))
    }

    /// It in one line: as given, or its topic and the values that its content still holds, or else its content cut short.
    pub fn headline(&self) -> String {
        if let Some(given) = self.headline.as_ref().filter(|h| !h.trim().is_empty()) {
            return given.clone();
        }
        let topic = self.topic.as_ref().or(self.subject.as_ref()).filter(|topic| !topic.trim().is_empty());
        let values = self.properties.iter().map(|p| p.value.as_str()).filter(|v| self.content.contains(v));
        let parts: Vec<&str> = topic.map(String::as_str).into_iter().chain(values).take(HEADLINE_PARTS).collect();
        let is_told = topic.is_some() && parts.len() > 1;
        let words = || self.content.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = if is_told { parts.join(" · ") } else { words() };
        if line.chars().count() <= HEADLINE {
            return line;
        }
        line.chars().take(HEADLINE - 1).chain(['…']).collect()
    }

    /// When it happens, where that was named: not the time at which it was said.
    pub fn happens_at(&self) -> Option<DayOrTime> {
        self.occurred_at.filter(|at| self.stated_at.is_none_or(|said| *at != said))
    }

    /// Its own time, by which the newer of two statements is told: when it was said, else when it happened.
    pub fn own_time(&self) -> Option<Time> {
        self.stated_at.or_else(|| self.occurred_at.map(DayOrTime::utc))
    }

    /// The importance given, or what follows from the factors.
    pub fn importance(&self) -> f32 {
        self.importance.unwrap_or_else(|| importance_of(&self.importance_factors))
    }

    /// Checks every rule of a draft; the error names the field.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for the first field that breaks a rule.
    pub fn validate(&self) -> Result<()> {
        text("content", &self.content, Limits::CONTENT)?;
        if self.content.trim().is_empty() {
            return Err(Error::field("content", "is empty"));
        }
        for (name, value) in [
            ("topic", &self.topic),
            ("headline", &self.headline),
            ("subject", &self.subject),
            ("threadId", &self.thread_id),
            ("sourceId", &self.source_id),
            ("author", &self.author),
        ] {
            if let Some(value) = value {
                text(name, value, Limits::NAME)?;
            }
        }
        for (name, list) in [("people", &self.people), ("entities", &self.entities), ("keywords", &self.keywords)] {
            count(name, list.len())?;
            for (i, item) in list.iter().enumerate() {
                text(&format!("{name}[{i}]"), item, Limits::NAME)?;
            }
        }
        count("properties", self.properties.len())?;
        for (i, p) in self.properties.iter().enumerate() {
            text(&format!("properties[{i}].name"), &p.name, Limits::NAME)?;
            text(&format!("properties[{i}].value"), &p.value, Limits::CONTENT)?;
        }
        if let Some(event) = &self.event {
            text("event.uid", &event.uid, Limits::NAME)?;
            text("event.organizer", event.organizer.as_deref().unwrap_or_default(), Limits::NAME)?;
        }
        self.metadata.validate()?;
        count("importanceFactors", self.importance_factors.len())?;
        for (i, f) in self.importance_factors.iter().enumerate() {
            unit(&format!("importanceFactors[{i}].weight"), Some(f.weight))?;
            if let Some(evidence) = &f.evidence {
                text(&format!("importanceFactors[{i}].evidence"), evidence, Limits::CONTENT)?;
            }
        }
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
