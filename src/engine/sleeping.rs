//! The sleep cycle: at rest, memories fade, get their tags, and those that say nearly the same become one.
//!
//! Every step is one commit that also moves the lease and the place where the cycle stands. A run that is killed
//! anywhere loses nothing, a second tab finds the lease taken, and a stale lease makes its holder's commits fail.

mod decay;
mod merging;
mod writing;

use super::day::{Day, read_kept};
use super::limits::unless_outrun;
use super::sessions::read_young;
use super::{Cancel, Engine, Platform};
use crate::consolidation::{ChangeSet, LogEntry, Record, Shelf};
use crate::embed::Embedder;
use crate::model::{Id, Ids, NodeType, Time};
use crate::sleep::MergeCandidates;
use crate::store::Store;
use crate::{Error, Result, json};
use serde::{Deserialize, Serialize};

/// Nodes that one run looks at where nobody says.
const NODES: u32 = 500;
/// Tokens that one run may use where nobody says.
const TOKENS: u32 = 20_000;
/// How long a lease holds without being renewed.
const LEASE_MILLIS: i64 = 5 * 60_000;
/// Sessions that one run ends, and memories that one commit tends.
const SESSIONS: usize = 8;
const BATCH: usize = 64;
/// After a whole pass the cycle rests so long.
const REST_MILLIS: i64 = 20 * 3_600_000;

/// How far a run of the sleep cycle goes. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SleepOptions {
    /// At most so many memories are looked at, 1 to 100,000, but for what the last of them is folded with; 500 where
    /// absent. The next run goes on behind them.
    pub max_nodes: Option<u32>,
    /// At most so many tokens are used; 20,000 where absent, and never more than 30 % of the day's.
    pub max_tokens: Option<u32>,
    /// Tell what would be merged, and write nothing.
    pub dry_run: bool,
    /// When it runs; now where absent.
    pub now: Option<Time>,
}

/// What there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Census {
    /// Memories and summaries that are searched.
    pub active: u32,
    /// Memories that a summary stands for.
    pub archived: u32,
    /// Summaries.
    pub summaries: u32,
    /// Of the active ones, those of which only a stub is kept.
    pub stubs: u32,
    /// Questions of the long term.
    pub queries: u32,
    /// Tags of the long term.
    pub tags: u32,
    /// People of memories that are kept for long.
    pub persons: u32,
}

/// Why something was left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Another tab or worker is at it.
    Leased,
    /// A whole pass was made within the last 20 hours.
    Rested,
    /// The caller gave up; what was done stays.
    Aborted,
    /// Too few memories are alike.
    Alone,
    /// Its folded text would be no shorter, or too long.
    NotShorter,
    /// It was merged before, and taken back.
    TakenBack,
    /// Something else was written meanwhile; the next run looks again.
    Moved,
    /// The tokens of the run, or of the day, are used up: it was done without a model.
    OverBudget,
    /// What the model wrote was refused, which is in the log: it was folded without a model.
    Refused,
    /// The model gave no answer: it was done without one.
    Unanswered,
}

/// How often something was left, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
pub struct Skipped {
    /// Why.
    pub why: SkipReason,
    /// How often.
    pub count: u32,
}

/// What a run of the sleep cycle did.
#[derive(Debug, Clone, PartialEq, Default, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SleepReport {
    /// What there was.
    pub before: Census,
    /// What there is now.
    pub after: Census,
    /// Memories looked at.
    pub looked_at: u32,
    /// Summaries written.
    pub merges: u32,
    /// Memories that they stand for, and that were archived.
    pub folded: u32,
    /// Memories that got tags.
    pub tagged: u32,
    /// Memories that moved to another tier.
    pub moved: u32,
    /// Memories that became core.
    pub promoted: u32,
    /// Sessions that were ended because nobody did.
    pub sessions: u32,
    /// Calls of a model.
    pub calls: u32,
    /// Tokens that they used.
    pub tokens: u32,
    /// What was left, and why.
    pub skipped: Vec<Skipped>,
    /// What would be merged; of a dry run alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<MergeCandidates>,
    /// The log entries, in the order they were written; each can be taken back.
    pub entries: Vec<Id>,
    /// Whether a whole pass over all memories is done; else the next run goes on.
    pub finished: bool,
    /// How long it took.
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

/// Where the cycle stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CyclePlace {
    /// The last memory that was tended.
    tended: Option<Id>,
    /// Whether this pass has tended all.
    all_tended: bool,
    /// The last memory around which others were looked for.
    merged: Option<Id>,
    /// Whether this pass has looked around all.
    all_merged: bool,
    /// The last memory whose tags a model was asked for; those before it are not asked about again.
    named: Option<Id>,
    /// When the last whole pass ended.
    passed: Option<Time>,
}

/// A worker's right to run the cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lease {
    owner: String,
    until: Time,
}

/// A run under way.
struct Run<'a> {
    now: Time,
    /// What the steady clock showed then.
    started: f64,
    dry: bool,
    left: u32,
    tokens: u32,
    cancel: Cancel<'a>,
    place: CyclePlace,
    /// The lease and the place as they are stored, by which a commit proves that it may.
    lease: Vec<u8>,
    owner: String,
    report: SleepReport,
}

impl Run<'_> {
    /// The records that ride in each commit: the lease goes on, and the place moves.
    fn hold(&mut self, ticks: f64) -> Result<Vec<Record>> {
        let until = self.now.plus_millis((ticks - self.started) as i64 + LEASE_MILLIS);
        let renewed = json::write(&Lease { owner: self.owner.clone(), until })?.into_bytes();
        let held = std::mem::replace(&mut self.lease, renewed.clone());
        let lease = Record::put(Shelf::Sleep, LEASE, renewed).over(Some(held));
        Ok(vec![lease, Record::json(Shelf::Sleep, PLACE, &self.place)?])
    }
}

const LEASE: &str = "lease";
const PLACE: &str = "place";

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Runs the sleep cycle for a while: ends sessions that nobody ended, lets memories fade, names their tags, and folds
    /// those that say nearly the same into summaries. The originals are archived, and every number and name is kept.
    ///
    /// A run looks at a bounded number of memories and goes on where the last one stood, also in another process.
    ///
    /// # Errors
    /// A bad option, and those of the store and the embedder; what was committed before stays.
    pub async fn run_sleep_cycle(&self, options: &SleepOptions, cancel: Cancel<'_>) -> Result<SleepReport> {
        let max_nodes = options.max_nodes.unwrap_or(NODES);
        if !(1..=100_000).contains(&max_nodes) {
            return Err(Error::field("maxNodes", "is not from 1 to 100000"));
        }
        let started = self.platform.ticks();
        let now = options.now.unwrap_or_else(|| self.platform.now());
        self.catch_up().await?;
        let before = self.census();
        let mut run = Run {
            now,
            started,
            dry: options.dry_run,
            left: max_nodes,
            tokens: options.max_tokens.unwrap_or(TOKENS),
            cancel,
            place: self.kept(PLACE).await?.unwrap_or_default(),
            lease: Vec::new(),
            owner: String::new(),
            report: SleepReport { before, ..SleepReport::default() },
        };
        if run.dry {
            run.place = CyclePlace::default();
            self.merge_some(&mut run).await?;
        } else if run.place.passed.is_some_and(|t| now.millis() < t.millis() + REST_MILLIS) {
            self.end_silent(&mut run).await?;
            run.report.finished = true;
            run.report.skip(SkipReason::Rested);
        } else if self.lease(&mut run).await? {
            self.end_silent(&mut run).await?;
            self.tend_some(&mut run).await?;
            self.merge_some(&mut run).await?;
            // What merging leaves is for tending.
            self.tend_some(&mut run).await?;
            self.rest(&mut run).await?;
        } else {
            run.report.skip(SkipReason::Leased);
        }
        run.report.after = self.census();
        run.report.millis = self.platform.ticks() - started;
        Ok(run.report)
    }

    /// The memories that would be merged, as they stand.
    ///
    /// # Errors
    /// Those of [`Engine::run_sleep_cycle`].
    pub async fn collect_merge_candidates(&self, options: &SleepOptions) -> Result<Vec<MergeCandidates>> {
        let dry = SleepOptions { dry_run: true, ..options.clone() };
        Ok(self.run_sleep_cycle(&dry, Cancel::default()).await?.candidates)
    }

    /// What there is.
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
            *(match row.node.node_type {
                NodeType::Query => &mut c.queries,
                NodeType::Person => &mut c.persons,
                _ => &mut c.tags,
            }) += 1;
        }
        c
    }

    /// Takes the lease, unless another worker holds it.
    async fn lease(&self, run: &mut Run<'_>) -> Result<bool> {
        let stored = self.store.record(Shelf::Sleep, LEASE).await?;
        if let Some(held) = stored.as_deref().and_then(read_kept::<Lease>)
            && held.until > run.now
            // A clock that was set back must not stop the cycle for good.
            && held.until.millis() <= run.now.millis() + 2 * LEASE_MILLIS
        {
            return Ok(false);
        }
        run.owner = Ids::new(run.now, self.platform.seed()).mint().to_string();
        let until = run.now.plus_millis(LEASE_MILLIS);
        run.lease = json::write(&Lease { owner: run.owner.clone(), until })?.into_bytes();
        let record = Record::put(Shelf::Sleep, LEASE, run.lease.clone()).over(stored);
        Ok(unless_outrun(self.store.keep(vec![record]).await)?.is_some())
    }

    /// Gives the lease back, notes where the cycle stands, and counts what was done.
    async fn rest(&self, run: &mut Run<'_>) -> Result<()> {
        let aborted = run.cancel.check().is_err();
        if aborted {
            run.report.skip(SkipReason::Aborted);
        }
        if run.place.all_tended && run.place.all_merged && !aborted {
            run.place = CyclePlace { passed: Some(run.now), named: run.place.named, ..CyclePlace::default() };
            run.report.finished = true;
        }
        let mut records = run.hold(self.platform.ticks())?;
        records[0].value = None;
        let census = self.census();
        let counted = move |day: &mut Day| (day.active, day.archived) = (census.active, census.archived);
        records.push(self.counted(run.now, &counted).await?);
        // Where somebody took over meanwhile, or counted a search, they will go on.
        unless_outrun(self.store.keep(records).await).map(drop)
    }

    /// Ends sessions that have been silent for long.
    async fn end_silent(&self, run: &mut Run<'_>) -> Result<()> {
        for (name, stored) in self.store.records(Shelf::Sessions, None, SESSIONS).await? {
            let silence = i64::from(self.options.sleep.silence_minutes) * 60_000;
            let silent = read_young(&stored).is_ok_and(|y| y.last.millis() + silence <= run.now.millis());
            if silent && run.cancel.check().is_ok() {
                let done = self.finalize_at(&name, run.now).await?;
                run.report.sessions += 1;
                run.report.entries.extend(done.entries);
            }
        }
        Ok(())
    }

    /// Commits a step of the cycle as long as the lease holds; `None` where something else was written meanwhile.
    async fn commit_held(
        &self,
        mut set: ChangeSet,
        run: &mut Run<'_>,
        counted: Option<&dyn Fn(&mut Day)>,
    ) -> Result<Option<LogEntry>> {
        let held = run.lease.clone();
        set.records.extend(run.hold(self.platform.ticks())?);
        if let Some(counted) = counted {
            set.records.push(self.counted(run.now, counted).await?);
        }
        let done = unless_outrun(self.commit(set).await)?;
        if let Some(Ok(entry)) = done {
            return Ok(Some(entry));
        }
        run.lease = held;
        // A lease that another worker has taken ends the run.
        if done.is_none() && self.store.record(Shelf::Sleep, LEASE).await?.as_deref() != Some(&run.lease) {
            run.left = 0;
        }
        Ok(None)
    }

    /// What is kept of the cycle under a key.
    async fn kept<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        Ok(self.store.record(Shelf::Sleep, key).await?.as_deref().and_then(read_kept))
    }
}
