//! The sleep cycle: at rest, memories fade, get their tags, and those that say nearly the same become one.
//!
//! Every step is one commit that also moves the lease and the place where the cycle stands. A run that is killed
//! anywhere loses nothing, a second tab finds the lease taken, and a stale lease makes its holder's commits fail.

use super::Cancel;
use super::sessions::read_young;
use super::{Engine, PAGE, Platform};
use crate::consolidation::{
    Act, Adopted, Analyst, ChangeSet, LogEntry, Merge, Record, Shelf, Tended, adopt, merge_into, merge_key,
    refused_merge, tend,
};
use crate::embed::Embedder;
use crate::graph::{self, Folding, MergeCandidates, folded};
use crate::model::{Edge, EdgeKind, Generation, Id, Ids, Memory, NodeType, Retention, Time};
use crate::similarity::{Match, Row, cosine};
use crate::store::Store;
use crate::{Code, Error, Result, json, order};
use serde::{Deserialize, Serialize};

/// Nodes that one run looks at where nobody says.
const NODES: u32 = 500;
/// Tokens that one run may use where nobody says.
const TOKENS: u32 = 20_000;
/// How long a lease holds without being renewed.
const LEASE_MILLIS: i64 = 5 * 60_000;
/// How long a session may be silent before it counts as ended.
const SILENCE_MILLIS: i64 = 60 * 60_000;
/// Sessions that one run ends, and memories that one commit tends.
const SESSIONS: usize = 8;
const BATCH: usize = 64;
/// After a whole pass the cycle rests so long.
const REST_MILLIS: i64 = 20 * 3_600_000;
/// Memories looked at around each.
const NEAR: usize = 64;
/// Archived neighbours that may lead to a summary that is there.
const NEAR_ARCHIVED: usize = 4;
/// Memories whose texts are looked at together for tags.
const WINDOW: usize = 16;
/// What a tag of memories needs.
const LEAST_TAG: f32 = 2.0;
/// Knowledge that carries a tag is at least so stable; small talk at most.
const TAGGED: f32 = 0.65;
const IDLE: f32 = 0.1;

/// How far a run of the sleep cycle goes. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SleepOptions {
    /// At most so many memories are looked at, 1 to 100,000; 500 where absent. The next run goes on behind them.
    pub max_nodes: Option<u32>,
    /// At most so many tokens are used; 20,000 where absent, and never more than 30 % of the day's.
    pub max_tokens: Option<u32>,
    /// Tell what would be merged, and write nothing.
    pub dry_run: bool,
    /// When it runs; now where absent.
    pub now: Option<Time>,
}

/// What there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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
}

/// Why something was left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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
    /// The tokens of the run, or of the day, are used up: it was folded without a model.
    OverBudget,
    /// What the model wrote was refused; the memories are as they were, and the next run folds them without it.
    Refused,
}

/// How often something was left, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Skipped {
    /// Why.
    pub why: SkipReason,
    /// How often.
    pub count: u32,
}

/// What a run of the sleep cycle did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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

/// The counters of one day.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase")]
pub struct Day {
    /// The day, in the owner's zone: `2026-11-22`.
    pub day: String,
    /// Searches that were recorded.
    pub searches: u32,
    /// Of these, those whose best hit speaks of what was asked.
    pub hits: u32,
    /// Hits that the owner found useful.
    pub up: u32,
    /// Hits that the owner found useless.
    pub down: u32,
    /// Summaries written.
    pub merges: u32,
    /// Memories archived.
    pub folded: u32,
    /// Calls of a model for summaries and tags.
    pub calls: u32,
    /// Tokens that they used.
    pub tokens: u32,
    /// Memories and summaries that were searched when the last run ended.
    pub active: u32,
    /// Memories archived when the last run ended.
    pub archived: u32,
}

/// Where the cycle stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Place {
    /// The last memory that was tended.
    tended: Option<Id>,
    /// Whether this pass has tended all.
    all_tended: bool,
    /// The last memory around which others were looked for.
    merged: Option<Id>,
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
    place: Place,
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
        let expect = Some(Some(std::mem::replace(&mut self.lease, renewed.clone())));
        Ok(vec![
            Record { shelf: Shelf::Sleep, key: LEASE.to_owned(), value: Some(renewed), expect },
            Record {
                shelf: Shelf::Sleep,
                key: PLACE.to_owned(),
                value: Some(json::write(&self.place)?.into_bytes()),
                expect: None,
            },
        ])
    }
}

const LEASE: &str = "lease";
const PLACE: &str = "place";
const DAYS: &str = "day/";
/// What a model wrote and was not committed yet, and for which memories it was refused, by the key of the merge.
const WRITTEN: &str = "written/";
const REFUSED: &str = "refused/";

/// What came of asking a model for a summary.
enum Written {
    /// Nobody was asked: the folded text stands.
    Not,
    /// Its text.
    Text(String),
    /// It was refused, and that is in the log.
    Refused,
    /// The caller gave up.
    GaveUp,
}

/// What is known of a memory that may be merged.
struct Item {
    memory: Memory,
    vector: Vec<f32>,
}

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
            run.place = Place::default();
            self.merge_some(&mut run).await?;
        } else if run.place.passed.is_some_and(|t| now.millis() < t.millis() + REST_MILLIS) {
            self.end_silent(&mut run).await?;
            run.report.finished = true;
            run.report.skip(SkipReason::Rested);
        } else if self.lease(&mut run).await? {
            self.end_silent(&mut run).await?;
            self.tend_some(&mut run).await?;
            self.merge_some(&mut run).await?;
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
        let (index, graph) = (self.index.borrow(), self.graph.borrow());
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
            *(if row.node.node_type == NodeType::Query { &mut c.queries } else { &mut c.tags }) += 1;
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
        let record =
            Record { shelf: Shelf::Sleep, key: LEASE.to_owned(), value: Some(run.lease.clone()), expect: Some(stored) };
        match self.store.keep(vec![record]).await {
            Ok(()) => Ok(true),
            Err(e) if e.code == Code::Conflict => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Gives the lease back, notes where the cycle stands, and counts what was done.
    async fn rest(&self, run: &mut Run<'_>) -> Result<()> {
        let aborted = run.cancel.check().is_err();
        if aborted {
            run.report.skip(SkipReason::Aborted);
        }
        let done = run.place.all_tended && run.place.merged.is_none() && run.left > 0 && !aborted;
        if done {
            run.place.all_tended = false;
            run.place.passed = Some(run.now);
            run.report.finished = true;
        }
        let mut records = run.hold(self.platform.ticks())?;
        records[0].value = None;
        let census = self.census();
        let counted = move |day: &mut Day| (day.active, day.archived) = (census.active, census.archived);
        records.push(self.counted(run.now, &counted).await?);
        match self.store.keep(records).await {
            // Somebody took over meanwhile, or counted a search; they will go on.
            Err(e) if e.code == Code::Conflict => Ok(()),
            done => done,
        }
    }

    /// Ends sessions that have been silent for an hour.
    async fn end_silent(&self, run: &mut Run<'_>) -> Result<()> {
        for (name, stored) in self.store.records(Shelf::Sessions, None, SESSIONS).await? {
            let silent = read_young(&stored).is_ok_and(|y| y.last.millis() + SILENCE_MILLIS <= run.now.millis());
            if silent && run.cancel.check().is_ok() {
                let done = self.finalize_at(&name, run.now).await?;
                run.report.sessions += 1;
                run.report.entries.extend(done.entries);
            }
        }
        Ok(())
    }

    /// Lets memories fade, promotes and tags them, a batch a commit.
    async fn tend_some(&self, run: &mut Run<'_>) -> Result<()> {
        // Half of the run at most, so that merging always gets its turn; a pass that is through leaves it all.
        let mut left = run.left.div_ceil(2);
        while left > 0 && !run.place.all_tended && run.cancel.check().is_ok() {
            let page = self.store.page(run.place.tended, BATCH.min(left as usize)).await?;
            let end = page.len() < BATCH.min(left as usize);
            left -= page.len() as u32;
            run.report.looked_at += page.len() as u32;
            let before = run.place.clone();
            run.place.tended = if end { None } else { page.last().map(|m| m.id) };
            run.place.all_tended = end;
            if !self.tend_page(&page, run).await? {
                // Something was written meanwhile: the next run looks at this page again.
                run.place = before;
                run.report.skip(SkipReason::Moved);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tends a page of memories in one commit; whether it could be written.
    async fn tend_page(&self, page: &[Memory], run: &mut Run<'_>) -> Result<bool> {
        let _turn = self.turn.lock().await;
        self.catch_up().await?;
        let lives = |m: &&Memory| m.is_current() && matches!(m.node_type, NodeType::Memory | NodeType::Summary);
        let mut tended: Vec<Tended> =
            page.iter().filter(lives).map(|m| Tended { old: m.clone(), new: m.clone() }).collect();
        let mut ids = Ids::new(run.now, self.platform.seed());
        let (nodes, edges, tagged) = self.tag_memories(&mut tended, run.now, &mut ids).await?;
        for t in tended.iter_mut().filter(|t| t.old.generation != Generation::Archived) {
            if t.old.generation == Generation::Young && graph::is_small_talk(&t.old.content) {
                t.new.stability = t.new.stability.min(IDLE);
            }
            if graph::is_promotable(&t.new) {
                t.new.retention = Retention::Core;
            }
            t.new.storage_tier = graph::tier(&t.new, run.now);
        }
        tended.retain(|t| t.old != t.new);
        let moved = tended.iter().filter(|t| t.old.storage_tier != t.new.storage_tier).count() as u32;
        let promoted = tended.iter().filter(|t| t.old.retention != t.new.retention).count() as u32;
        if tended.is_empty() && nodes.is_empty() {
            return Ok(true);
        }
        let act = Act { user_id: &self.options.user_id, now: run.now, base: self.seen.get() };
        let mut set = tend(tended, act, &mut ids);
        let more = adopt(nodes, edges, act, &mut ids);
        set.entry.before.extend(more.entry.before);
        set.entry.touched.extend(more.entry.touched);
        set.expect.extend(more.expect);
        set.memories.extend(more.memories);
        set.edges = more.edges;
        let Some(entry) = self.commit_held(set, run, None).await? else { return Ok(false) };
        run.report.entries.push(entry.id);
        run.report.moved += moved;
        run.report.promoted += promoted;
        run.report.tagged += tagged;
        Ok(true)
    }

    /// Names the tags of young memories: nodes, as they were and will be, edges, and how many memories got one.
    async fn tag_memories(
        &self,
        tended: &mut [Tended],
        now: Time,
        ids: &mut Ids,
    ) -> Result<(Vec<Adopted>, Vec<Edge>, u32)> {
        let young = |t: &Tended| t.old.generation == Generation::Young && t.old.node_type == NodeType::Memory;
        let places: Vec<usize> = (0..tended.len()).filter(|at| young(&tended[*at])).collect();
        let (mut nodes, mut edges, mut count): (Vec<Adopted>, Vec<Edge>, u32) = Default::default();
        for window in places.chunks(WINDOW) {
            let batch: Vec<&Memory> = window.iter().map(|at| &tended[*at].old).collect();
            let graph = self.graph.borrow();
            let found = graph::tags(&batch, &|key| graph.tag(key).is_some(), LEAST_TAG, graph::MOST_TAGS);
            let mut carries = vec![false; window.len()];
            for tag in found {
                let at = match nodes.iter().position(|(_, n)| n.keywords.first() == Some(&tag.key)) {
                    Some(at) => at,
                    None => {
                        let old = graph.tag(&tag.key).cloned();
                        if old.is_none() && !graph.has_room() {
                            continue;
                        }
                        let young = graph::node_of(NodeType::Entity, &tag.name, now, ids);
                        nodes.push((old.clone(), graph::adopted(&young, old.as_ref(), now)));
                        nodes.len() - 1
                    }
                };
                let node = &mut nodes[at].1;
                node.repeat = node.repeat.saturating_add(tag.texts.len() as u32);
                for text in tag.texts {
                    carries[text] = true;
                    let (from, to) = (batch[text].id, node.id);
                    let kind = EdgeKind::TaggedWith;
                    edges.push(Edge { id: ids.mint(), from, to, kind, relation: None, weight: 0.5, created_at: now });
                }
            }
            drop(graph);
            for at in window.iter().zip(&carries).filter(|(_, c)| **c).map(|(at, _)| at) {
                let new = &mut tended[*at].new;
                // What carries a tag is knowledge: it is kept for longer.
                (new.generation, new.stability) = (Generation::Old, new.stability.max(TAGGED));
                count += 1;
            }
        }
        Ok((nodes, edges, count))
    }

    /// Folds memories into summaries, one cluster a commit.
    async fn merge_some(&self, run: &mut Run<'_>) -> Result<()> {
        let mut seeds: Vec<Id> = {
            let (index, graph) = (self.index.borrow(), self.graph.borrow());
            let open = |r: &&Row| r.is_current() && !r.is_archived() && !r.is_stub() && !graph.is_summary(r.id);
            index.rows().filter(open).map(|r| r.id).filter(|id| run.place.merged.is_none_or(|at| *id > at)).collect()
        };
        order::sort(&mut seeds, Id::cmp);
        let mut done: Vec<Id> = Vec::new();
        for page in seeds.chunks(BATCH) {
            for seed in self.items(page, run.now).await? {
                if run.left == 0 || run.cancel.check().is_err() {
                    return Ok(());
                }
                run.left -= 1;
                run.report.looked_at += 1;
                if !done.contains(&seed.memory.id) {
                    let at = seed.memory.id;
                    let taken = self.merge_around(seed, run).await?;
                    done.extend(taken);
                    run.place.merged = Some(at);
                }
            }
            // What is no candidate is passed over without a look.
            run.place.merged = page.last().copied().or(run.place.merged);
        }
        run.place.merged = None;
        Ok(())
    }

    /// Looks around one memory, and folds what belongs together; the memories that are settled by it.
    async fn merge_around(&self, seed: Item, run: &mut Run<'_>) -> Result<Vec<Id>> {
        let id = seed.memory.id;
        let open = |r: &Row| {
            r.is_current() && !r.is_archived() && !r.is_stub() && r.id != id && !self.graph.borrow().is_summary(r.id)
        };
        let near = self.near(&seed.vector, NEAR, &open).await?;
        let alike: Vec<Id> = near.into_iter().filter(|m| m.score >= graph::LEAST_LIKENESS).map(|m| m.id).collect();
        if alike.is_empty() {
            run.report.skip(SkipReason::Alone);
            return Ok(Vec::new());
        }
        let mut items = vec![seed];
        items.extend(self.items(&alike, run.now).await?);
        let scale = self.embedder.calibration();
        let like = |a: usize, b: usize| scale.apply(cosine(&items[a].vector, &items[b].vector));
        let akin = |a: usize, b: usize| graph::akin(&items[a].memory, &items[b].memory);
        let mut others: Vec<(usize, f32)> = (1..items.len()).map(|at| (at, like(0, at))).collect();
        order::sort(&mut others, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let members = graph::cluster(0, &others, &like, &akin);
        let similarity = graph::mean_likeness(&members, &like);
        let fresh: Vec<Memory> = members.iter().map(|at| items[*at].memory.clone()).collect();
        if fresh.len() < 2 {
            run.report.skip(SkipReason::Alone);
            return Ok(Vec::new());
        }
        // A summary that is there grows, where all that it stands for still fits.
        if let Some((summary, sources)) = self.summary_near(&items[0], &fresh).await? {
            let all: Vec<Memory> = fresh.iter().chain(&sources).cloned().collect();
            let whole = |f: &Folding| (fresh.len()..all.len()).all(|at| f.taken.contains(&at));
            let grown = folded(&all, self.options.zone).filter(|f| whole(f) && f.taken.len() >= sources.len() + 2);
            if let Some(folding) = grown {
                return self.fold(&all, fresh.len(), Some(summary), folding, similarity, run).await;
            }
        }
        if fresh.len() < graph::LEAST_MEMBERS {
            run.report.skip(SkipReason::Alone);
            return Ok(Vec::new());
        }
        match folded(&fresh, self.options.zone).filter(|f| f.taken.len() >= graph::LEAST_MEMBERS) {
            Some(folding) => self.fold(&fresh, fresh.len(), None, folding, similarity, run).await,
            None => {
                run.report.skip(SkipReason::NotShorter);
                Ok(Vec::new())
            }
        }
    }

    /// The summary that stands for memories like these, with its sources.
    async fn summary_near(&self, seed: &Item, fresh: &[Memory]) -> Result<Option<(Memory, Vec<Memory>)>> {
        let near = self.near(&seed.vector, NEAR_ARCHIVED, &|r: &Row| r.is_current() && r.is_archived()).await?;
        for found in near.into_iter().filter(|m| m.score >= graph::LEAST_LIKENESS) {
            for id in self.folded(found.id, true).await? {
                let Some(summary) = self.get(id).await?.filter(Memory::is_current) else { continue };
                let ids = self.folded(id, false).await?;
                let sources: Vec<Memory> = self.store.memories(&ids).await?.into_iter().flatten().collect();
                let fits = |m: &Memory| sources.iter().all(|s| graph::akin(s, m));
                if fresh.iter().all(fits) && sources.len() + fresh.len() <= 2 * graph::MOST_MEMBERS {
                    return Ok(Some((summary, sources)));
                }
            }
        }
        Ok(None)
    }

    /// Folds a cluster: the text, the gate, the proof, the commit. The memories that are settled by it.
    async fn fold(
        &self,
        all: &[Memory],
        fresh: usize,
        earlier: Option<Memory>,
        folding: Folding,
        similarity: f32,
        run: &mut Run<'_>,
    ) -> Result<Vec<Id>> {
        let mut taken = folding.taken.clone();
        order::sort(&mut taken, usize::cmp);
        let sources: Vec<Memory> = taken.iter().map(|at| all[*at].clone()).collect();
        let fresh = taken.iter().filter(|at| **at < fresh).count();
        let ids: Vec<Id> = sources.iter().map(|m| m.id).collect();
        let weight: f32 = sources.iter().map(graph::weight_of).sum();
        let key = merge_key(&sources);
        if self.store.entry_by_key(&key).await?.is_some() {
            run.report.skip(SkipReason::TakenBack);
            return Ok(ids);
        }
        if run.dry {
            let summary = earlier.map(|m| m.id);
            run.report.folded += fresh as u32;
            run.report.merges += 1;
            run.report.candidates.push(MergeCandidates {
                ids: ids.clone(),
                summary,
                similarity,
                weight,
                tokens: folding.tokens as u32,
            });
            return Ok(ids);
        }
        let calls = (run.report.calls, run.report.tokens);
        let written = self.write_summary(&key, &sources, &folding, (similarity, weight), run).await?;
        let (calls, tokens) = (run.report.calls - calls.0, run.report.tokens - calls.1);
        let (text, analyst) = match written {
            Written::Not => (folding.text, Analyst::Local),
            Written::Text(text) => (text, Analyst::Model),
            Written::Refused | Written::GaveUp => return Ok(ids),
        };
        let _turn = self.turn.lock().await;
        self.catch_up().await?;
        let act = Act { user_id: &self.options.user_id, now: run.now, base: self.seen.get() };
        let kept = [WRITTEN, &key].concat();
        let merge = Merge { sources: &sources, fresh, earlier: earlier.as_ref(), text, analyst, tokens, key };
        let mut set = merge_into(merge, act, &mut Ids::new(run.now, self.platform.seed()));
        if let Some(summary) = set.memories.last() {
            let vector = self.embed_one(&summary.content).await?;
            set.vectors.push((summary.id, Some(self.vector_of(vector))));
        }
        if analyst == Analyst::Model {
            set.records.push(Record { shelf: Shelf::Sleep, key: kept, value: None, expect: None });
        }
        run.place.merged = ids.iter().copied().find(|id| *id == all[0].id).or(run.place.merged);
        let counted = move |day: &mut Day| {
            day.merges += 1;
            day.folded += fresh as u32;
            day.calls += calls;
            day.tokens += tokens;
        };
        match self.commit_held(set, run, Some(&counted)).await? {
            Some(entry) => {
                run.report.entries.push(entry.id);
                run.report.merges += 1;
                run.report.folded += fresh as u32;
            }
            None => run.report.skip(SkipReason::Moved),
        }
        Ok(ids)
    }

    /// Asks the model for the text of a summary, where one is set and it is worth asking.
    async fn write_summary(
        &self,
        key: &str,
        sources: &[Memory],
        folding: &Folding,
        (similarity, weight): (f32, f32),
        run: &mut Run<'_>,
    ) -> Result<Written> {
        let Some(writer) = &self.writer else { return Ok(Written::Not) };
        let (kept, refused) = ([WRITTEN, key].concat(), [REFUSED, key].concat());
        if let Some(text) = self.kept::<String>(&kept).await? {
            return Ok(Written::Text(text));
        }
        if self.kept::<bool>(&refused).await?.is_some() {
            return Ok(Written::Not);
        }
        let left = self.tokens_left(run).await?;
        if !graph::is_worth_asking(similarity, weight, &folding.text, left as usize) {
            if graph::is_worth_asking(similarity, weight, &folding.text, usize::MAX) {
                run.report.skip(SkipReason::OverBudget);
            }
            return Ok(Written::Not);
        }
        let Some((answer, tokens)) = run.cancel.unless_gone(writer.write(&folding.text)).await else {
            return Ok(Written::GaveUp);
        };
        run.report.calls += 1;
        run.report.tokens = run.report.tokens.saturating_add(tokens);
        let told: Vec<graph::Told<'_>> = sources.iter().map(graph::told).collect();
        let answer = answer.and_then(|text| match graph::refusal(&text, &told, &folding.days) {
            None => Ok(text),
            Some(why) => Err(why.to_owned()),
        });
        match answer {
            Ok(text) => {
                let value = Some(json::write(&text)?.into_bytes());
                self.store.keep(vec![Record { shelf: Shelf::Sleep, key: kept, value, expect: None }]).await?;
                Ok(Written::Text(text))
            }
            Err(why) => {
                run.report.skip(SkipReason::Refused);
                let _turn = self.turn.lock().await;
                self.catch_up().await?;
                let act = Act { user_id: &self.options.user_id, now: run.now, base: self.seen.get() };
                let mut set = refused_merge(sources, &why, tokens, act, &mut Ids::new(run.now, self.platform.seed()));
                let value = Some(json::write(&true)?.into_bytes());
                set.records.push(Record { shelf: Shelf::Sleep, key: refused, value, expect: None });
                let counted = move |day: &mut Day| {
                    day.calls += 1;
                    day.tokens = day.tokens.saturating_add(tokens);
                };
                let entry = self.commit_held(set, run, Some(&counted)).await?;
                run.report.entries.extend(entry.map(|e| e.id));
                Ok(Written::Refused)
            }
        }
    }

    /// Tokens that the run may still use: its own, and its share of the day's.
    async fn tokens_left(&self, run: &Run<'_>) -> Result<u32> {
        let left = run.tokens.saturating_sub(run.report.tokens);
        let Some(most) = self.options.daily_tokens else { return Ok(left) };
        let key = [DAYS, &run.now.day(self.options.zone).to_string()].concat();
        let used = self.kept::<Day>(&key).await?.map_or(0, |day| day.tokens);
        let share = ((most as f32 * graph::BUDGET_SHARE) as u32).saturating_sub(used);
        Ok(left.min(share).min(most.saturating_sub(self.used_today().await?)))
    }

    /// The records of what a model wrote, to be removed.
    pub(super) async fn unwritten(&self) -> Result<Vec<Record>> {
        let all = self.store.records(Shelf::Sleep, Some(WRITTEN), PAGE).await?;
        let here = all.into_iter().filter(|(key, _)| key.starts_with(WRITTEN));
        Ok(here.map(|(key, _)| Record { shelf: Shelf::Sleep, key, value: None, expect: None }).collect())
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
        match self.commit(set).await {
            Ok(Ok(entry)) => Ok(Some(entry)),
            Ok(Err(_)) => {
                run.lease = held;
                Ok(None)
            }
            Err(e) if e.code == Code::Conflict => {
                run.lease = held;
                // A lease that another worker has taken ends the run.
                if self.store.record(Shelf::Sleep, LEASE).await?.as_deref() != Some(&run.lease) {
                    run.left = 0;
                }
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    /// Memories that may be merged, with their vectors.
    async fn items(&self, ids: &[Id], now: Time) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        let memories = self.store.memories(ids).await?;
        for (memory, vector) in memories.into_iter().zip(self.store.vectors(ids).await?) {
            let Some(memory) = memory.filter(|m| graph::is_candidate(m, now)) else { continue };
            let vector = match vector.filter(|v| *v.model == *self.embedder.model()) {
                Some(vector) => vector.values,
                None => self.embed_one(&memory.content).await?,
            };
            items.push(Item { memory, vector });
        }
        Ok(items)
    }

    /// The memories nearest to a vector, on the scale of the bands, best first.
    async fn near(&self, vector: &[f32], k: usize, wanted: &dyn Fn(&Row) -> bool) -> Result<Vec<Match>> {
        let scale = self.embedder.calibration();
        let found = self.nearest(vector, k, wanted).await?;
        Ok(found.into_iter().map(|m| Match { score: scale.apply(m.score), ..m }).collect())
    }

    /// What is kept of the cycle under a key.
    async fn kept<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        Ok(self.store.record(Shelf::Sleep, key).await?.as_deref().and_then(read_kept))
    }

    /// The record that counts something on this day.
    pub(super) async fn counted(&self, now: Time, change: &dyn Fn(&mut Day)) -> Result<Record> {
        let name = now.day(self.options.zone).to_string();
        let key = [DAYS, &name].concat();
        let stored = self.store.record(Shelf::Sleep, &key).await?;
        let mut day: Day = stored.as_deref().and_then(read_kept).unwrap_or_default();
        day.day = name;
        change(&mut day);
        Ok(Record { shelf: Shelf::Sleep, key, value: Some(json::write(&day)?.into_bytes()), expect: Some(stored) })
    }

    /// The counters of the last days for which there are any, oldest first.
    pub(super) async fn days(&self, most: usize) -> Result<Vec<Day>> {
        let mut days: Vec<Day> = Vec::new();
        let mut after = DAYS.to_owned();
        loop {
            let page = self.store.records(Shelf::Sleep, Some(&after), PAGE).await?;
            let end = page.len() < PAGE;
            for (key, value) in page {
                if key.starts_with(DAYS) {
                    days.extend(read_kept::<Day>(&value));
                }
                after = key;
            }
            if end {
                let from = days.len().saturating_sub(most);
                return Ok(days.split_off(from));
            }
        }
    }
}

/// A side record that may be of another version is as good as none.
fn read_kept<T: serde::de::DeserializeOwned>(stored: &[u8]) -> Option<T> {
    json::read(std::str::from_utf8(stored).ok()?, "record").ok()
}
