//! What comparing needs of a memory, stored or not.

use super::{Category, DayOrTime, Draft, Memory, Statement, Time};

/// A borrowed view of what a memory says and what it hangs on; [`Draft`] and [`Memory`] both give one.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The memory in one or two sentences.
    pub content: &'a str,
    /// What it was put together from, each with its time; empty where it was said at once.
    pub statements: &'a [Statement],
    /// Its category.
    pub category: Category,
    /// The subject line without Re:, Fwd: and the like.
    pub subject: Option<&'a str>,
    /// The thread it was said in.
    pub thread_id: Option<&'a str>,
    /// Who said it: an address, where one is known.
    pub author: Option<&'a str>,
    /// Addresses or names of those involved.
    pub people: &'a [String],
    /// Names of the things it is about.
    pub entities: &'a [String],
    /// When it happened or will happen.
    pub occurred_at: Option<DayOrTime>,
    /// When the source said so (a mail's date).
    pub stated_at: Option<Time>,
}

impl Claim<'_> {
    /// When it was said, else when it happened.
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
