//! Lists memories by page, ordered by id, which is the order of creation.

use super::searching::involves;
use super::versions::is_memory;
use super::{Engine, PAGE};
use crate::Result;
use crate::consolidation::When;
use crate::model::{Category, DayOrTime, Generation, Id, Memory, Metadata, Time, TimeSpan, Zone};
use crate::search::Row;
use serde::{Deserialize, Serialize};

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum ListOrder {
    /// Oldest first.
    #[default]
    Oldest,
    /// Newest first.
    Newest,
}

/// A filter for memories. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ListOptions {
    /// The last id of the previous page.
    pub after: Option<Id>,
    /// The most memories returned; default 1,000.
    pub limit: Option<u32>,
    /// `oldest` (default) or `newest` first.
    pub order: ListOrder,
    /// Only memories that happen or fall due at or after this time, or on or after this day.
    pub from: Option<DayOrTime>,
    /// Only memories that happen or fall due before this time or day.
    pub to: Option<DayOrTime>,
    /// Only this category.
    pub category: Option<Category>,
    /// Only memories from this thread.
    pub thread_id: Option<String>,
    /// Only memories that involve all of these people, by name or part of it.
    pub people: Vec<String>,
    /// Only memories with these metadata fields.
    pub metadata: Metadata,
    /// Include older versions and deleted memories.
    pub include_superseded: bool,
    /// The state known at this time, instead of now.
    pub as_of: Option<Time>,
    /// What was true at this time, by statement dates and validity ranges.
    pub valid_at: Option<Time>,
}

impl ListOptions {
    fn allows(&self, m: &Memory, zone: Zone) -> bool {
        is_memory(m)
            && self.lies_within(m, zone)
            && self.category.is_none_or(|c| c == m.category)
            && self.thread_id.as_ref().is_none_or(|t| m.thread_id.as_ref() == Some(t))
            && m.metadata.has(&self.metadata)
            && involves(m, &self.people)
    }

    fn lies_within(&self, m: &Memory, zone: Zone) -> bool {
        let span = TimeSpan::between(self.from, self.to, zone);
        span.is_none_or(|span| span.holds(m.occurred_at) || m.valid_until.is_some_and(|until| span.holds(until)))
    }

    fn follows(&self, id: Id) -> bool {
        self.after.is_none_or(|after| if self.order == ListOrder::Newest { id < after } else { id > after })
    }
}

impl Engine {
    /// Returns up to `limit` memories and summaries after an id; `all_versions` also older, deleted and archived ones.
    pub async fn list(&self, after: Option<Id>, limit: usize, all_versions: bool) -> Result<Vec<Memory>> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let include_superseded = all_versions;
        self.listed(&ListOptions { after, limit: Some(limit), include_superseded, ..ListOptions::default() }).await
    }

    /// Returns the memories that match these options, by default as known now.
    pub async fn listed(&self, options: &ListOptions) -> Result<Vec<Memory>> {
        let limit = options.limit.map_or(PAGE, |n| n as usize);
        let when = When { as_of: options.as_of, valid_at: options.valid_at };
        let present = when == When::default();
        self.catch_up().await?;
        // Stores only page forwards, so the index provides the ids.
        let mut ids: Vec<Id> = {
            let index = self.mirror.index.borrow();
            let is_wanted = |r: &&Row| !present || options.include_superseded || r.is_current() && !r.is_archived();
            index.rows().filter(is_wanted).map(|r| r.id).filter(|id| options.follows(*id)).collect()
        };
        ids.sort_unstable();
        if options.order == ListOrder::Newest {
            ids.reverse();
        }
        let seen = self.view(&when).await?;
        let (mut found, mut slices) = (Vec::new(), self.slices());
        for ids in ids.chunks(limit.saturating_mul(2).clamp(50, PAGE)) {
            for memory in self.store.found(ids).await? {
                let seen_then = if present { Some(memory) } else { seen.stood(memory) };
                let Some(memory) = seen_then.filter(|m| options.allows(m, self.options.zone)) else { continue };
                let is_wanted = match when.valid_at {
                    Some(at) => self.held(&memory, &seen, at).await?,
                    None => {
                        let is_open = !present || memory.generation != Generation::Archived;
                        options.include_superseded || memory.is_current() && is_open
                    }
                };
                if is_wanted && found.len() < limit {
                    found.push(memory);
                }
            }
            if found.len() >= limit {
                break;
            }
            slices.next().await;
        }
        Ok(found)
    }
}
