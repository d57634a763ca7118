//! The fields of a draft or memory that comparisons use.

use super::{Category, DayOrTime, Draft, Memory, Statement, Time};

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
            people: &m.people,
            entities: &m.entities,
            occurred_at: Some(m.occurred_at),
            stated_at: m.stated_at,
        }
    }
}
