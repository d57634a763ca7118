//! Reads single memories, their links and the log.

use super::versions::is_memory;
use super::{Engine, Platform};
use crate::Result;
use crate::consolidation::{LogEntry, Problem, Rule, Status, check, undone_by};
use crate::decision::Decision;
use crate::language::fold;
use crate::model::{DayOrTime, Edge, EdgeKind, Id, Memory};
use crate::similarity::rank;
use crate::store::{LogRange, Seq};
use serde::{Deserialize, Serialize};

/// A memory linked to another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Related {
    /// The link.
    pub edge: Edge,
    /// The current version of the memory at the link's other end.
    pub memory: Memory,
}

/// A filter for log entries. All fields are optional; an entry must match every one given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct LogQuery {
    /// Only entries with a greater sequence number.
    pub after: Option<u64>,
    /// Only this decision.
    pub decision: Option<Decision>,
    /// Only this status.
    pub status: Option<Status>,
    /// Only entries that target or touch this memory.
    pub target: Option<Id>,
    /// Only entries from this source (message id).
    pub source: Option<String>,
    /// Only entries of this user.
    pub user_id: Option<String>,
    /// Only entries within this span; combined with `from` and `to`.
    pub date_range: Option<DateRange>,
    /// Only entries at or after this time, or on or after this day.
    pub from: Option<DayOrTime>,
    /// Only entries before this time or day.
    pub to: Option<DayOrTime>,
    /// Only entries whose input or reason contains this text, ignoring case.
    pub text: Option<String>,
    /// Only entries that need a review (`true`), or only those that do not (`false`).
    pub needs_review: Option<bool>,
    /// The most entries returned; without limit by default.
    pub limit: Option<u32>,
    /// Newest entries first. Default: oldest first.
    pub newest_first: bool,
}

/// A span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct DateRange {
    /// Start, inclusive.
    pub from: Option<DayOrTime>,
    /// End, exclusive.
    pub to: Option<DayOrTime>,
}

impl Engine {
    /// Returns a memory of any version; `None` if it is unknown or was forgotten.
    pub async fn get(&self, id: Id) -> Result<Option<Memory>> {
        Ok(self.stored(id).await?.filter(|m| !m.is_forgotten()))
    }

    /// Like [`Self::get`], but also returns the tombstone of a forgotten memory.
    pub(super) async fn stored(&self, id: Id) -> Result<Option<Memory>> {
        Ok(self.store.memories(&[id]).await?.pop().flatten())
    }

    /// Returns the current versions of memories linked to any version of this one, strongest link first.
    pub async fn related(&self, id: Id) -> Result<Vec<Related>> {
        self.catch_up().await?;
        let chain = self.family(id).await?;
        let own = |id: Id| chain.iter().any(|m| m.id == id);
        let mut related: Vec<Related> = Vec::new();
        for edge in self.links_of(&chain).await?.into_iter().filter(|e| is_link(e) && !(own(e.from) && own(e.to))) {
            let Some(memory) = self.history(if own(edge.from) { edge.to } else { edge.from }).await?.pop() else {
                continue;
            };
            if memory.deleted_at.is_none() && related.iter().all(|r| r.memory.id != memory.id) {
                related.push(Related { edge, memory });
            }
        }
        Ok(rank(related, usize::MAX, |r| (r.edge.weight, r.edge.id)))
    }

    /// Returns every link between memories, by id.
    pub async fn links(&self) -> Result<Vec<Edge>> {
        Ok(self.all_edges().await?.into_iter().filter(is_link).collect())
    }

    /// Passes on all pages of `size` items; `read` gets the last item of the page before.
    pub(super) async fn each_page<T: Clone>(
        &self,
        size: usize,
        read: impl AsyncFn(Option<T>) -> Result<Vec<T>>,
        mut work: impl AsyncFnMut(Vec<T>) -> Result<()>,
    ) -> Result<()> {
        let (mut last, mut slices) = (None, self.slices());
        loop {
            let page = read(last.take()).await?;
            let end = page.len() < size;
            last = page.last().cloned();
            work(page).await?;
            if end {
                return Ok(());
            }
            slices.next().await;
        }
    }

    async fn all_pages<T: Clone>(&self, read: impl AsyncFn(Option<T>) -> Result<Vec<T>>) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.each_page(STEP, read, async |page| {
            all.extend(page);
            Ok(())
        })
        .await?;
        Ok(all)
    }

    pub(super) async fn everything(&self) -> Result<Vec<Memory>> {
        self.all_pages(async |last: Option<Memory>| self.store.page(last.map(|m| m.id), STEP).await).await
    }

    pub(super) async fn all_edges(&self) -> Result<Vec<Edge>> {
        self.all_pages(async |last: Option<Edge>| self.store.edge_page(last.map(|e| e.id), STEP).await).await
    }

    pub(super) async fn log_since(&self, after: Seq) -> Result<Vec<LogEntry>> {
        self.log_where(after, |_| true).await
    }

    /// Reads the log page by page; only the wanted entries are in memory together.
    pub(super) async fn log_where(&self, after: Seq, wanted: impl Fn(&LogEntry) -> bool) -> Result<Vec<LogEntry>> {
        let mut found = Vec::new();
        let range = |after| LogRange { limit: Some(STEP), ..LogRange::since(after) };
        let read = async |last: Option<LogEntry>| self.store.log(range(last.map_or(after, |e| e.seq))).await;
        self.each_page(STEP, read, async |page| {
            found.extend(page.into_iter().filter(&wanted));
            Ok(())
        })
        .await?;
        Ok(found)
    }

    /// Returns the entries undone since the first of these, each with the entry that undid it.
    pub async fn undone_since(&self, entries: &[LogEntry]) -> Result<Vec<(Id, Id)>> {
        let Some(after) = entries.iter().map(|e| e.seq).min() else { return Ok(Vec::new()) };
        Ok(undone_by(&self.log_since(after).await?))
    }

    /// Returns the log entries that match a query.
    pub async fn log(&self, query: &LogQuery) -> Result<Vec<LogEntry>> {
        let text = query.text.as_deref().map(fold);
        let (span, zone) = (query.date_range.unwrap_or_default(), self.options.zone);
        let wanted = |e: &LogEntry| {
            query.decision.is_none_or(|d| d == e.decision)
                && query.status.is_none_or(|s| s == e.status)
                && query.target.is_none_or(|id| e.target_id == Some(id) || e.touched.contains(&id))
                && query.source.as_ref().is_none_or(|s| e.source_id.as_ref() == Some(s))
                && query.user_id.as_ref().is_none_or(|user| *user == e.user_id)
                && [query.from, span.from].into_iter().flatten().all(|t| e.time >= t.begin(zone))
                && [query.to, span.to].into_iter().flatten().all(|t| e.time < t.begin(zone))
                && query.needs_review.is_none_or(|r| r == e.needs_review)
                && text.as_ref().is_none_or(|t| fold(&e.input).contains(t) || fold(&e.reason).contains(t))
        };
        let limit = query.limit.map_or(usize::MAX, |n| n as usize);
        let (mut found, mut slices) = (Vec::<LogEntry>::new(), self.slices());
        let mut range = LogRange { limit: Some(STEP), ..LogRange::since(query.after.unwrap_or(0)) };
        range.newest_first = query.newest_first;
        loop {
            let most = range.limit.unwrap_or_default();
            let entries = self.store.log(range.clone()).await?;
            let is_end = entries.len() < most;
            if range.newest_first {
                // A range has no upper end, so each step reads from the newest entry, four times as far.
                found.clear();
                range.limit = Some(4 * most);
            } else {
                range.after = entries.last().map_or(range.after, |e| e.seq);
            }
            found.extend(entries.into_iter().filter(wanted));
            if is_end || found.len() >= limit {
                found.truncate(limit);
                return Ok(found);
            }
            slices.next().await;
        }
    }

    pub(super) fn slices(&self) -> Slices<'_> {
        Slices::new(self.platform.as_ref())
    }

    /// Verifies every invariant of the store and reports violations. Changes nothing.
    pub async fn check(&self) -> Result<CheckReport> {
        let _turn = self.turn().await?;
        let memories = self.everything().await?;
        let edges = self.all_edges().await?;
        let log = self.log_since(0).await?;
        let (mut problems, mut slices) = (Vec::new(), self.slices());
        for found in check(&memories, &edges, &log) {
            problems.extend(found);
            slices.next().await;
        }
        let mut wrong = |rule, id, message: String| problems.push(Problem { rule, id, message });
        let head = self.store.head().await?;
        if log.len() as u64 != head {
            wrong(Rule::Counter, None, format!("the store counts {head} commits but has {} log entries", log.len()));
        }
        let indexed = self.mirror.index.borrow().len();
        let count = memories.iter().filter(|m| is_memory(m)).count();
        if indexed != count {
            wrong(Rule::Counter, None, format!("{count} memories are stored but {indexed} are indexed"));
        }
        for e in log.iter().filter(|e| e.key.is_some()) {
            let found = self.store.entry_by_key(e.key.as_deref().unwrap_or_default()).await?;
            if found.is_none_or(|f| f.id != e.id) {
                wrong(Rule::HandledOnce, Some(e.id), "is not found by its key".to_owned());
            }
            slices.next().await;
        }
        let forgotten: Vec<Id> = memories.iter().filter(|m| m.is_forgotten()).map(|m| m.id).collect();
        for id in forgotten {
            if !self.embedding_records(id).await?.is_empty() {
                wrong(Rule::Forgotten, Some(id), "is forgotten but still has a vector".to_owned());
            }
            slices.next().await;
        }
        let (memories, edges, entries) = (memories.len() as u32, edges.len() as u32, log.len() as u32);
        Ok(CheckReport { memories, edges, entries, problems })
    }
}

fn is_link(edge: &Edge) -> bool {
    matches!(edge.kind, EdgeKind::RelatedTo | EdgeKind::MayReplace | EdgeKind::ConsolidatedInto)
}

/// Longest slice in milliseconds.
const SLICE: f64 = 30.0;
pub(super) const STEP: usize = 100;

pub(crate) struct Slices<'p> {
    platform: &'p dyn Platform,
    since: f64,
}

impl<'p> Slices<'p> {
    pub fn new(platform: &'p dyn Platform) -> Self {
        Self { platform, since: platform.ticks() }
    }

    /// Yields to the event loop if this slice has used its time.
    pub async fn next(&mut self) {
        if self.platform.ticks() - self.since >= SLICE {
            self.platform.pause().await;
            self.since = self.platform.ticks();
        }
    }
}

/// The result of [`Engine::check`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// Memories checked, all versions included.
    pub memories: u32,
    /// Edges checked.
    pub edges: u32,
    /// Log entries checked.
    pub entries: u32,
    /// Every violated invariant; empty if there is none.
    pub problems: Vec<Problem>,
}
