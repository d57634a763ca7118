//! The sleep cycle: memories fade, get tags, and near-duplicates are merged. Each step is one commit that also moves
//! the cursor, so a killed run loses nothing.

mod decay;
mod merging;
mod writing;

use super::budget::Day;
use super::metrics::Census;
use super::sessions::parse_session;
use super::unless_outrun;
use super::{Cancel, Engine};
use crate::Result;
use crate::consolidation::{ChangeSet, LogEntry, Record, Shelf};
use crate::json::read_kept;
use crate::model::{Id, Limits, NodeType, Time};
use crate::sleep::MergeCandidates;
use serde::{Deserialize, Serialize};

const NODES: u32 = 500;
const TOKENS: u32 = 20_000;
/// Sessions that one run ends. `BATCH` is the number of memories per commit.
const SESSIONS: usize = 8;
const BATCH: usize = 64;
const REST_MILLIS: i64 = 20 * 3_600_000;
/// Time without a question after which a session ends.
const SILENCE_MILLIS: i64 = 3_600_000;

/// The limits of a sleep run. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SleepOptions {
    /// Memories to process, 1–100,000; default 500. The next run continues after them.
    pub max_nodes: Option<u32>,
    /// Tokens to use; default 20,000, and at most the budget share (default 30 %) of a day.
    pub max_tokens: Option<u32>,
    /// Whether to report merge candidates without writing.
    pub dry_run: bool,
    /// The time of the run; default now.
    pub now: Option<Time>,
}

/// The reason of a skip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The last full pass ended less than 20 hours ago.
    Rested,
    /// The caller aborted; committed steps stay.
    Aborted,
    /// Too few memories are similar.
    Alone,
    /// The merged text would not be shorter, or would be too long.
    NotShorter,
    /// The owner undid this merge before.
    TakenBack,
    /// A concurrent write; the next run retries.
    Moved,
    /// The token budget of the run or the day is used up. The step ran without a model.
    OverBudget,
    /// The model's summary was refused (see the log). A rule merged the texts instead.
    Refused,
    /// The model did not answer. The step ran without a model.
    Unanswered,
}

/// A skip reason and its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
pub struct Skipped {
    /// The reason.
    pub why: SkipReason,
    /// The count.
    pub count: u32,
}

/// The result of a sleep run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SleepReport {
    /// The counts before the run.
    pub before: Census,
    /// The counts after the run.
    pub after: Census,
    /// Memories processed.
    pub looked_at: u32,
    /// Summaries written.
    pub merges: u32,
    /// Memories archived by these summaries.
    pub folded: u32,
    /// Memories that got tags.
    pub tagged: u32,
    /// Memories that moved to another tier.
    pub moved: u32,
    /// Memories promoted to core.
    pub promoted: u32,
    /// Idle sessions that were ended.
    pub sessions: u32,
    /// Model calls.
    pub calls: u32,
    /// Tokens that these calls used.
    pub tokens: u32,
    /// The skips, by reason.
    pub skipped: Vec<Skipped>,
    /// The memories that would be merged; only in a dry run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<MergeCandidates>,
    /// The log entries in the order of writing; each can be undone.
    pub entries: Vec<Id>,
    /// Whether a full pass over all memories is complete. If not, the next run continues it.
    pub finished: bool,
    /// The duration in milliseconds.
    pub millis: f64,
}

impl SleepReport {
    fn skip(&mut self, why: SkipReason) {
        match self.skipped.iter_mut().find(|s| s.why == why) {
            Some(s) => s.count += 1,
            None => self.skipped.push(Skipped { why, count: 1 }),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CycleCursor {
    tended: Option<Id>,
    all_tended: bool,
    merged: Option<Id>,
    all_merged: bool,
    /// The last memory that a model was asked to tag. Earlier ones are not asked about again.
    named: Option<Id>,
    passed: Option<Time>,
}

struct Run<'a> {
    now: Time,
    dry: bool,
    left: u32,
    tokens: u32,
    cancel: Cancel<'a>,
    place: CycleCursor,
    report: SleepReport,
}

const PLACE: &str = "place";

impl Engine {
    /// Ends idle sessions, fades and tags memories, and merges near-duplicates into summaries, for a bounded number of
    /// memories. The next run continues there, in any process.
    pub async fn run_sleep_cycle(&self, options: &SleepOptions, cancel: Cancel<'_>) -> Result<SleepReport> {
        let max_nodes = options.max_nodes.unwrap_or(NODES);
        Limits::range("maxNodes", max_nodes, (1, 100_000))?;
        let started = self.platform.ticks();
        let now = options.now.unwrap_or_else(|| self.platform.now());
        self.catch_up().await?;
        let before = self.census();
        let mut run = Run {
            now,
            dry: options.dry_run,
            left: max_nodes,
            tokens: options.max_tokens.unwrap_or(TOKENS),
            cancel,
            place: self.store.record(Shelf::Sleep, PLACE).await?.as_deref().and_then(read_kept).unwrap_or_default(),
            report: SleepReport { before, ..SleepReport::default() },
        };
        if run.dry {
            run.place = CycleCursor::default();
            self.merge_some(&mut run).await?;
        } else if run.place.passed.is_some_and(|t| now.millis() < t.millis() + REST_MILLIS) {
            self.end_idle_sessions(&mut run).await?;
            run.report.finished = true;
            run.report.skip(SkipReason::Rested);
        } else {
            self.end_idle_sessions(&mut run).await?;
            self.tend_some(&mut run).await?;
            self.merge_some(&mut run).await?;
            // Upkeep uses the remaining quota.
            self.tend_some(&mut run).await?;
            self.finish_run(&mut run).await?;
        }
        run.report.after = self.census();
        run.report.millis = self.platform.ticks() - started;
        Ok(run.report)
    }

    /// The memories that a run would merge now.
    pub async fn collect_merge_candidates(&self, options: &SleepOptions) -> Result<Vec<MergeCandidates>> {
        let dry = SleepOptions { dry_run: true, ..options.clone() };
        Ok(self.run_sleep_cycle(&dry, Cancel::default()).await?.candidates)
    }

    pub(super) fn census(&self) -> Census {
        let (index, graph) = (self.mirror.index.borrow(), self.mirror.nodes.borrow());
        let mut c = Census::default();
        for row in index.rows().filter(|r| r.is_current()) {
            if row.is_archived() {
                c.archived += 1;
                continue;
            }
            c.active += 1;
            c.stubs += u32::from(row.is_stub());
            c.summaries += u32::from(graph.is_summary(row.id));
        }
        for row in &graph.rows {
            *(match row.node_type {
                NodeType::Query => &mut c.queries,
                NodeType::Person => &mut c.persons,
                _ => &mut c.tags,
            }) += 1;
        }
        c
    }

    async fn finish_run(&self, run: &mut Run<'_>) -> Result<()> {
        let aborted = run.cancel.check().is_err();
        if aborted {
            run.report.skip(SkipReason::Aborted);
        }
        if run.place.all_tended && run.place.all_merged && !aborted {
            run.place = CycleCursor { passed: Some(run.now), named: run.place.named, ..CycleCursor::default() };
            run.report.finished = true;
        }
        self.store.keep(vec![Record::json(Shelf::Sleep, PLACE, &run.place)?]).await
    }

    async fn end_idle_sessions(&self, run: &mut Run<'_>) -> Result<()> {
        for (name, stored) in self.store.records(Shelf::Sessions, None, SESSIONS).await? {
            let silent = parse_session(&stored).is_ok_and(|y| y.last.millis() + SILENCE_MILLIS <= run.now.millis());
            if silent && run.cancel.check().is_ok() {
                let done = self.finalize_at(&name, run.now).await?;
                run.report.sessions += 1;
                run.report.entries.extend(done.entries);
            }
        }
        Ok(())
    }

    /// Commits a step with the cursor; `None` after a concurrent write.
    async fn commit_step(
        &self,
        mut set: ChangeSet,
        run: &Run<'_>,
        counted: Option<&dyn Fn(&mut Day)>,
    ) -> Result<Option<LogEntry>> {
        set.records.push(Record::json(Shelf::Sleep, PLACE, &run.place)?);
        if let Some(counted) = counted {
            set.records.push(self.counted(run.now, counted).await?);
        }
        Ok(unless_outrun(self.commit(set).await)?.and_then(Result::ok))
    }
}
