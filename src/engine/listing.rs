//! Lists memories by page, ordered by id, which is the order of creation.

use super::searching::involves;
use super::versions::is_memory;
use super::{Engine, PAGE};
use crate::Result;
use crate::consolidation::When;
use crate::model::{Category, DayOrTime, Generation, Id, Memory, Metadata, Time, TimeSpan, Zone};
use crate::store::Store;
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

    /// Whether a memory comes after the previous page.
    fn follows(&self, id: Id) -> bool {
        self.after.is_none_or(|after| if self.order == ListOrder::Newest { id < after } else { id > after })
    }
}

fn is_known(m: &Memory) -> bool {
    m.is_current() && m.generation != Generation::Archived
}

impl<S: Store> Engine<S> {
    /// Returns up to `limit` memories and summaries with an id after `after`, by id. `all_versions`
    /// includes older versions, deleted memories and archived ones.
    pub async fn list(&self, after: Option<Id>, limit: usize, all_versions: bool) -> Result<Vec<Memory>> {
        self.oldest(after, limit, &|m| is_memory(m) && (all_versions || is_known(m))).await
    }

    /// Returns the memories that match these options, by default as known now.
    pub async fn listed(&self, options: &ListOptions) -> Result<Vec<Memory>> {
        let limit = options.limit.map_or(PAGE, |n| n as usize);
        let when = When { as_of: options.as_of, valid_at: options.valid_at };
        let present = when == When::default();
        if present && options.order == ListOrder::Oldest {
            let wanted =
                |m: &Memory| options.allows(m, self.options.zone) && (options.include_superseded || is_known(m));
            return self.oldest(options.after, limit, &wanted).await;
        }
        if present && !options.include_superseded {
            return self.newest(limit, options).await;
        }
        let seen = self.view(&when).await?;
        let mut found = Vec::new();
        let mut all = self.list(None, usize::MAX, true).await?;
        if options.order == ListOrder::Newest {
            all.reverse();
        }
        for memory in all.into_iter().filter(|m| options.follows(m.id)) {
            let stood = if present { Some(memory) } else { seen.stood(memory) };
            let Some(memory) = stood.filter(|m| options.allows(m, self.options.zone)) else { continue };
            let wanted = match when.valid_at {
                Some(at) => self.held(&memory, &seen, at).await?,
                None => options.include_superseded || memory.is_current(),
            };
            if wanted {
                found.push(memory);
            }
            if found.len() == limit {
                break;
            }
        }
        Ok(found)
    }

    async fn oldest(&self, after: Option<Id>, limit: usize, wanted: &dyn Fn(&Memory) -> bool) -> Result<Vec<Memory>> {
        let mut found = Vec::new();
        let mut after = after;
        loop {
            let most = (2 * limit.saturating_sub(found.len()).min(PAGE)).clamp(50, PAGE);
            let page = self.store.page(after, most).await?;
            let end = page.len() < most;
            after = page.last().map(|m| m.id);
            found.extend(page.into_iter().filter(wanted));
            if end || found.len() >= limit {
                found.truncate(limit);
                return Ok(found);
            }
        }
    }

    /// Stores only page forwards, so the index provides the newest ids.
    async fn newest(&self, limit: usize, options: &ListOptions) -> Result<Vec<Memory>> {
        self.catch_up().await?;
        let mut ids: Vec<Id> = {
            let index = self.mirror.index.borrow();
            let known = index.rows().filter(|r| r.is_current() && !r.is_archived());
            known.map(|r| r.id).filter(|id| options.follows(*id)).collect()
        };
        ids.sort_by(|a, b| b.cmp(a));
        let mut found = Vec::new();
        for ids in ids.chunks((2 * limit).clamp(50, PAGE)) {
            if found.len() >= limit {
                break;
            }
            let read = self.store.found(ids).await?.into_iter();
            found.extend(read.filter(|m| options.allows(m, self.options.zone) && is_known(m)));
        }
        found.truncate(limit);
        Ok(found)
    }
}
