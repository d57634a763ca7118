//! One run: processes on disks, a scheduler that interleaves their calls, and the rules that hold after each commit.

use super::host::{FAR, Fault, Host, Life, Sim, SimModel, SimStore};
use super::reference::Reference;
use super::steps::{Acknowledged, EVE, Hub, ME, Running, Step, Target, Which, perform};
use crate::kit::{Angles, Dice};
use futures::executor::block_on;
use futures::future::LocalBoxFuture;
use futures::task::noop_waker_ref;
use memfold::consolidation::{Action, LogEntry, Shelf};
use memfold::decision::{Decision, Policy};
use memfold::embed::HashingEmbedder;
use memfold::engine::{Engine, Hit, LogQuery, Options, SearchOptions};
use memfold::model::{Id, Memory, NodeType, Retention, Source};
use memfold::store::{LogRange, MemoryStore, Store};
use memfold::{Code, Result};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::task::{Context, Poll};

/// What is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Three tabs over one store, compared with an exact reference.
    Tabs,
    /// A hub, a phone and a laptop with two tabs, which exchange.
    Peers,
    /// Two stores that import each other's exports.
    Copies,
    /// Two tabs that read mail with a model.
    Mail,
}

impl Kind {
    /// The disk of each process. The hub is disk 0 of peers.
    fn disks(self) -> &'static [usize] {
        match self {
            Self::Tabs => &[0, 0, 0],
            Self::Peers => &[0, 1, 2, 2],
            Self::Copies => &[0, 1],
            Self::Mail => &[0, 0],
        }
    }
}

type Inspector = Engine;

struct Disk {
    store: MemoryStore,
    /// An engine without faults over the same store.
    inspector: Inspector,
    full: Rc<Cell<u8>>,
    head: u64,
    memories: BTreeMap<Id, Memory>,
    reference: Reference,
    exports: Vec<String>,
}

enum Ended {
    Opened(Result<Box<Running>>),
    Did(Result<Acknowledged>),
}

struct Work {
    /// The operation, if it is not an opening.
    operation: Option<usize>,
    future: LocalBoxFuture<'static, Ended>,
    polls: u32,
}

struct Process {
    disk: usize,
    life: Rc<Life>,
    engine: Option<Rc<Running>>,
    works: Vec<Work>,
}

/// A step that was started, and what became of it.
struct Operation {
    step: Step,
    at: usize,
    target: Target,
    commits: u32,
    /// Troubles of all processes when it started.
    troubles: u64,
    is_done: bool,
}

pub struct World {
    kind: Kind,
    sim: Rc<Sim>,
    dice: Dice,
    disks: Vec<Disk>,
    processes: Vec<Process>,
    operations: Vec<Operation>,
    hub: Rc<Hub>,
    reply: Rc<RefCell<String>>,
    buried: u64,
}

/// Codes by which the owner's operations are refused.
const REFUSED: &[Code] = &[
    Code::NotFound,
    Code::InvalidInput,
    Code::InvalidField,
    Code::AlreadyUndone,
    Code::AlreadySettled,
    Code::HasDependents,
    Code::Forgotten,
];
/// Polls after which a task is taken to hang.
const MOST_POLLS: u32 = 100_000;

pub type Outcome<T = ()> = std::result::Result<T, String>;

macro_rules! ensure {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err(format!($($why)+));
        }
    };
}
pub(super) use ensure;

fn options(kind: Kind) -> Options {
    let policy = if kind == Kind::Mail { Policy::BALANCED } else { Policy::FAST };
    Options { policy, owner: vec![ME.into()], ..Options::default() }
}

async fn open(kind: Kind, store: impl Store + 'static, host: Host, pack_from: usize) -> Result<Engine> {
    let options = Options { pack_from, ..options(kind) };
    match kind {
        Kind::Mail => Engine::open(store, HashingEmbedder, host, options).await,
        _ => Engine::open(store, Angles, host, options).await,
    }
}

impl World {
    pub fn new(kind: Kind, seed: u64, faults: &[(u64, Fault)]) -> Self {
        let sim = Sim::new(faults);
        let count = kind.disks().iter().max().unwrap() + 1;
        let disk = |_| {
            let store = MemoryStore::default();
            let inspector = block_on(open(kind, store.connect(), Host(sim.clone()), usize::MAX)).unwrap();
            let (full, memories, reference, exports) = Default::default();
            Disk { store, inspector, full, head: 0, memories, reference, exports }
        };
        let disks: Vec<Disk> = (0..count).map(disk).collect();
        let process = |disk: &usize| Process { disk: *disk, life: Rc::default(), engine: None, works: Vec::new() };
        let processes = kind.disks().iter().map(process).collect();
        let hub = Hub::new(sim.clone());
        let (dice, operations, reply, buried) = (Dice(seed), Vec::new(), Rc::default(), 0);
        let mut world = Self { kind, sim, dice, disks, processes, operations, hub, reply, buried };
        for at in 0..world.processes.len() {
            world.start_opening(at);
        }
        world
    }

    pub fn injected(&self) -> Vec<(u64, Fault)> {
        self.sim.injected.borrow().clone()
    }

    /// Runs the steps, then calms the host, finishes what was interrupted and checks the end.
    pub fn run(&mut self, steps: &[Step]) -> Outcome {
        for step in steps {
            self.begin(step)?;
            for _ in 0..self.dice.roll(25) {
                self.turn()?;
            }
        }
        self.sim.is_calm.set(true);
        self.drain()?;
        for at in 0..self.processes.len() {
            if self.processes[at].life.is_cut() {
                self.end_process(at);
            }
        }
        self.drain()?;
        self.finish_interrupted()?;
        if self.kind == Kind::Peers {
            self.converge()?;
        }
        self.check_end()
    }

    fn start_opening(&mut self, at: usize) {
        let p = &mut self.processes[at];
        p.life = Rc::default();
        let disk = &self.disks[p.disk];
        let (sim, life, full) = (self.sim.clone(), p.life.clone(), disk.full.clone());
        let store = SimStore { store: disk.store.connect(), sim: sim.clone(), life, full };
        let future = open(self.kind, store, Host(sim), 4);
        let future = Box::pin(async move { Ended::Opened(future.await.map(Box::new)) });
        p.works.push(Work { operation: None, future, polls: 0 });
    }

    fn end_process(&mut self, at: usize) {
        let p = &mut self.processes[at];
        p.life.is_over.set(true);
        self.buried += p.life.troubles.get() + 1;
        p.works.clear();
        p.engine = None;
        if self.is_hub(at) {
            self.hub.engine.borrow_mut().take();
        }
        self.start_opening(at);
    }

    fn is_hub(&self, at: usize) -> bool {
        self.kind == Kind::Peers && at == 0
    }

    fn troubles(&self) -> u64 {
        let far = self.sim.injected.borrow().iter().filter(|(call, _)| *call >= FAR).count() as u64;
        let lives: u64 = self.processes.iter().map(|p| p.life.troubles.get()).sum();
        self.buried + lives + far + self.hub.misses.get()
    }

    /// Starts a step once its process can take it.
    fn begin(&mut self, step: &Step) -> Outcome {
        let count = self.processes.len();
        let mut at = match *step {
            Step::Jump { minutes } => {
                self.sim.jump(minutes);
                return Ok(());
            }
            Step::Tell { at, .. } | Step::Again { at, .. } | Step::Delete { at, .. } | Step::Restore { at, .. } => at,
            Step::Forget { at, .. } | Step::Undo { at, .. } | Step::Redo { at, .. } | Step::Review { at, .. } => at,
            Step::Settle { at, .. } | Step::Mail { at, .. } | Step::Note { at, .. } | Step::Search { at, .. } => at,
            Step::Sleep { at }
            | Step::Sync { at }
            | Step::Import { at, .. }
            | Step::Close { at }
            | Step::Kill { at } => at,
        } as usize
            % count;
        if matches!(step, Step::Kill { .. }) {
            self.end_process(at);
            return Ok(());
        }
        if matches!(step, Step::Sync { .. }) {
            // The hub does not exchange with itself.
            at = 1 + at % (count - 1);
        }
        // A search runs beside another call of its engine; the others take turns.
        let is_search = matches!(step, Step::Search { .. });
        while self.processes[at].engine.is_none() || !(is_search || self.processes[at].works.is_empty()) {
            ensure!(self.turn()?, "process {at} never gets ready");
        }
        let (mut step, mut target) = (step.clone(), None);
        if let Step::Again { which, .. } = step {
            let told = |o: &&Operation| matches!(o.step, Step::Tell { .. } | Step::Mail { .. } | Step::Note { .. });
            let told: Vec<&Operation> = self.operations.iter().filter(told).collect();
            let Some(first) = choose(&told, which) else { return Ok(()) };
            (step, target) = (first.step.clone(), Some(first.target.clone()));
        }
        let Some(target) = target.or_else(|| self.target(&step, at)) else { return Ok(()) };
        self.start(step, at, target);
        Ok(())
    }

    fn start(&mut self, step: Step, at: usize, target: Target) {
        let engine = self.processes[at].engine.clone().unwrap();
        let hub = (self.kind == Kind::Peers).then(|| self.hub.clone());
        let work = perform(engine, step_at(&step, at), target.clone(), hub);
        let future = Box::pin(async move { Ended::Did(work.await) });
        let work = Work { operation: Some(self.operations.len()), future, polls: 0 };
        self.processes[at].works.push(work);
        let troubles = self.troubles();
        self.operations.push(Operation { step, at, target, commits: 0, troubles, is_done: false });
    }

    /// Chooses what a step acts on; `None` if there is nothing.
    fn target(&self, step: &Step, at: usize) -> Option<Target> {
        let disk = &self.disks[self.processes[at].disk];
        let memory = |which: Which| {
            let all: Vec<Id> =
                disk.memories.values().filter(|m| m.node_type == NodeType::Memory).map(|m| m.id).collect();
            choose(&all, which).map(|id| Target { id: Some(*id), ..Target::default() })
        };
        let entry = |which: Which| {
            let all = block_on(disk.store.log(LogRange::default())).unwrap();
            choose(&all, which).map(|e| Target { id: Some(e.id), ..Target::default() })
        };
        match *step {
            Step::Tell { topic, angle, own, .. } => {
                let n = self.operations.len();
                let (text, key) = (format!("topic{topic} says mark{n}x @{angle}"), format!("key {n}"));
                Some(Target { id: None, text, key, has_own: own })
            }
            Step::Delete { which, .. } | Step::Restore { which, .. } | Step::Forget { which, .. } => memory(which),
            Step::Settle { which, .. } => memory(which),
            Step::Undo { which, .. } | Step::Redo { which, .. } | Step::Review { which, .. } => entry(which),
            Step::Import { from, .. } => {
                let from = &self.disks[usize::from(from) % self.disks.len()];
                let text = from.exports.last()?.clone();
                Some(Target { text, ..Target::default() })
            }
            _ => Some(Target::default()),
        }
    }

    /// Polls one task, drawn by lot. `false` if there is none.
    fn turn(&mut self) -> Outcome<bool> {
        let ready: Vec<(usize, usize)> =
            self.processes.iter().enumerate().flat_map(|(p, of)| (0..of.works.len()).map(move |w| (p, w))).collect();
        if ready.is_empty() {
            return Ok(false);
        }
        let (at, n) = *self.dice.pick(&ready);
        let work = &mut self.processes[at].works[n];
        work.polls += 1;
        let operation = work.operation;
        ensure!(work.polls < MOST_POLLS, "never ends: {:?}", operation.map(|n| &self.operations[n].step));
        let polled = work.future.as_mut().poll(&mut Context::from_waker(noop_waker_ref()));
        for disk in 0..self.disks.len() {
            self.observe(disk, operation)?;
        }
        if let Poll::Ready(ended) = polled {
            self.processes[at].works.remove(n);
            match ended {
                Ended::Opened(Ok(engine)) => self.opened(at, *engine),
                // Each fault comes once, so opening succeeds in the end.
                Ended::Opened(Err(e)) => {
                    ensure!(self.processes[at].life.troubles.get() > 0, "opening fails: {e:?}");
                    self.end_process(at);
                }
                Ended::Did(done) => self.ended(operation.unwrap(), done)?,
            }
        }
        for at in 0..self.processes.len() {
            if self.processes[at].life.is_over.get() {
                self.end_process(at);
            }
        }
        Ok(true)
    }

    fn opened(&mut self, at: usize, engine: Running) {
        let engine = if self.kind == Kind::Mail {
            let (sim, life, last) = (self.sim.clone(), self.processes[at].life.clone(), self.reply.clone());
            engine.with_model(Rc::new(SimModel { sim, life, last }))
        } else {
            engine
        };
        let engine = Rc::new(engine);
        if self.is_hub(at) {
            *self.hub.engine.borrow_mut() = Some((engine.clone(), self.processes[at].life.clone()));
        }
        self.processes[at].engine = Some(engine);
    }

    /// Compares an answer with what was committed.
    fn ended(&mut self, n: usize, done: Result<Acknowledged>) -> Outcome {
        let troubles = self.troubles();
        let o = &mut self.operations[n];
        let (is_troubled, at, commits) = (troubles > o.troubles, o.at, o.commits);
        let what = format!("step {n}, {:?}", o.step);
        match done {
            Ok(done) => {
                o.is_done = !done.more;
                let writes = !matches!(o.step, Step::Search { .. } | Step::Sleep { .. } | Step::Close { .. })
                    && !matches!(o.step, Step::Sync { .. } | Step::Import { .. });
                let is_single = writes && !matches!(o.step, Step::Mail { .. } | Step::Note { .. });
                ensure!(!is_single || commits == u32::from(!done.replayed), "{what}: acknowledged, {commits} commits");
                let disk = &self.disks[self.processes[at].disk];
                for e in &done.entries {
                    let stored = block_on(disk.store.entry(e.id)).unwrap();
                    let is_written =
                        stored.is_some_and(|s| s.key == e.key && (s.redacted.is_some() || s.hash == e.hash));
                    ensure!(is_written || e.seq == 0, "{what}: acknowledged, but entry {} is not stored", e.id);
                }
                if matches!(o.step, Step::Close { .. }) {
                    self.end_process(at);
                }
            }
            Err(e) if REFUSED.contains(&e.code) => {
                let is_exchange = matches!(o.step, Step::Sync { .. } | Step::Import { .. });
                ensure!(
                    is_troubled || (commits == 0 && !is_exchange),
                    "{what}: refused after {commits} commits: {e:?}"
                );
                // The owner's request was answered; a told memory must be stored in the end.
                o.is_done = !matches!(o.step, Step::Tell { .. } | Step::Mail { .. } | Step::Note { .. });
                ensure!(o.is_done || is_troubled, "{what}: {e:?}");
            }
            Err(e) => ensure!(is_troubled, "{what} fails without a fault: {e:?}"),
        }
        let is_cut = self.processes[at].life.troubles.get() > 0;
        if is_cut && self.dice.roll(2) == 0 {
            self.end_process(at);
        }
        Ok(())
    }

    /// Checks a disk after the commit of an operation.
    fn observe(&mut self, at: usize, operation: Option<usize>) -> Outcome {
        let disk = &mut self.disks[at];
        let head = block_on(disk.store.head()).unwrap();
        if head == disk.head {
            return Ok(());
        }
        let entries = block_on(disk.store.log(LogRange::since(disk.head))).unwrap();
        disk.head = head;
        let Some(n) = operation else { return Err(format!("opening commits {entries:?}")) };
        let o = &mut self.operations[n];
        o.commits += 1;
        let report = block_on(disk.inspector.check()).unwrap();
        let what = format!("step {n}, {:?}", o.step);
        ensure!(report.problems.is_empty(), "{what}: {:#?} after {:?}", report.problems, brief(&entries));
        let now: BTreeMap<Id, Memory> =
            block_on(disk.store.page(None, usize::MAX)).unwrap().into_iter().map(|m| (m.id, m)).collect();
        check_commit(&o.step, &entries, &disk.memories, &now).map_err(|why| format!("{what}: {why}"))?;
        if self.kind == Kind::Tabs {
            ensure!(o.commits == 1 && entries.len() == 1, "{what}: commits twice");
            disk.reference
                .apply(&entries[0], &o.step, &o.target, &disk.inspector)
                .map_err(|why| format!("{what}: {why}"))?;
        }
        if self.kind == Kind::Mail && matches!(o.step, Step::Forget { .. }) {
            let is_mark = |word: &&str| word.starts_with("mark") || word.starts_with("evil");
            let words =
                |m: &Memory| m.content.split(&[' ', '.'][..]).filter(is_mark).map(str::to_owned).collect::<Vec<_>>();
            let gone = entries[0].touched.iter().filter_map(|id| disk.memories.get(id)).flat_map(words);
            let left: Vec<String> = now.values().flat_map(words).collect();
            disk.reference.erased.extend(gone.filter(|word| !left.contains(word)));
        }
        disk.memories = now;
        if self.kind == Kind::Tabs || self.kind == Kind::Copies {
            disk.exports.push(block_on(disk.inspector.export_pieces()).unwrap().concat());
        }
        Ok(())
    }

    fn drain(&mut self) -> Outcome {
        while self.turn()? {}
        Ok(())
    }

    /// Repeats what was not acknowledged, as the application would; now it must succeed.
    fn finish_interrupted(&mut self) -> Outcome {
        for n in 0..self.operations.len() {
            let o = &self.operations[n];
            let is_told = matches!(o.step, Step::Tell { .. } | Step::Mail { .. } | Step::Note { .. });
            if o.is_done || !is_told {
                continue;
            }
            let (step, at, target, last) = (o.step.clone(), o.at, o.target.clone(), self.operations.len());
            self.start(step, at, target);
            self.drain()?;
            ensure!(self.operations[last].is_done, "step {n} fails when it is repeated without faults");
        }
        Ok(())
    }

    /// Exchanges until nothing is left: then all disks say the same.
    fn converge(&mut self) -> Outcome {
        if self.hub.has_lied.get() {
            return Ok(());
        }
        for client in [1, 2, 1, 2] {
            for round in 0.. {
                ensure!(round < 50, "client {client} never ends its exchange");
                let last = self.operations.len();
                self.start(Step::Sync { at: client as u8 }, client, Target::default());
                self.drain()?;
                if self.operations[last].is_done {
                    break;
                }
            }
        }
        let said = |disk: &Disk| {
            let alive = disk.memories.values().filter(|m| !m.is_forgotten());
            let alive: Vec<Memory> = alive.map(|m| Memory { revision: 0, ..m.clone() }).collect();
            (alive, block_on(disk.inspector.links()).unwrap())
        };
        let hub = said(&self.disks[0]);
        for client in &self.disks[1..] {
            let there = said(client);
            ensure!(there == hub, "client and hub differ:\n{there:#?}\n{hub:#?}");
        }
        // Each acknowledged memory is everywhere.
        for o in self.operations.iter().filter(|o| matches!(o.step, Step::Tell { .. })) {
            for disk in &self.disks {
                let entry = block_on(disk.store.entry_by_key(&o.target.key)).unwrap();
                ensure!(entry.is_some(), "{:?} is not on each disk", o.step);
            }
        }
        Ok(())
    }

    fn check_end(&mut self) -> Outcome {
        let told = self.operations.iter().filter(|o| matches!(o.step, Step::Tell { .. }));
        let mut asked: Vec<String> = told.map(|o| o.target.text.clone()).take(2).collect();
        asked.push("lessons 예산".to_owned());
        let options = SearchOptions { limit: Some(100), ..SearchOptions::default() };
        let ids = |found: Vec<Hit>| found.iter().map(|h| h.memory.id).collect::<BTreeSet<Id>>();
        let found_anew = |disk: &Disk| -> Vec<BTreeSet<Id>> {
            let host = Host(self.sim.clone());
            let fresh = block_on(open(self.kind, disk.store.connect(), host, usize::MAX)).unwrap();
            asked.iter().map(|text| ids(block_on(fresh.search(text, &options)).unwrap())).collect()
        };
        let anew: Vec<_> = self.disks.iter().map(found_anew).collect();
        for p in &self.processes {
            let engine = p.engine.as_ref().unwrap();
            for (text, there) in asked.iter().zip(&anew[p.disk]) {
                let here = ids(run_now(engine.search(text, &options)).map_err(|e| format!("{e:?}"))?);
                ensure!(here == *there, "a long-lived engine finds {here:?} for {text}, a new one {there:?}");
            }
            let report = run_now(engine.check()).map_err(|e| format!("{e:?}"))?;
            ensure!(report.problems.is_empty(), "{:?}", report.problems);
        }
        let has_jumped = self.injected().iter().any(|(_, f)| matches!(f, Fault::Jump(_)));
        for disk in &self.disks {
            for shelf in [Shelf::Answers, Shelf::Sleep, Shelf::Sessions, Shelf::Minor] {
                for (_, value) in block_on(disk.store.records(shelf, None, usize::MAX)).unwrap() {
                    let text = String::from_utf8_lossy(&value).into_owned();
                    let left = disk.reference.erased.iter().find(|word| text.contains(word.as_str()));
                    ensure!(left.is_none(), "{left:?} was erased and is in {}", shelf.as_str());
                }
            }
            if self.kind == Kind::Tabs {
                let log = block_on(disk.inspector.log(&LogQuery::default())).unwrap();
                let in_order = log.windows(2).all(|two| two[0].time < two[1].time);
                disk.reference.check_end(&disk.inspector, in_order && !has_jumped)?;
            }
        }
        Ok(())
    }
}

fn run_now<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let mut work = std::pin::pin!(work);
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(noop_waker_ref())) {
            return done;
        }
    }
}

fn choose<T>(of: &[T], which: Which) -> Option<&T> {
    of.get(usize::from(which) % of.len().max(1))
}

fn brief(entries: &[LogEntry]) -> Vec<(Action, Decision, &[Id])> {
    entries.iter().map(|e| (e.action, e.decision, &e.touched[..])).collect()
}

/// A step as its process performs it: repeated by another one, an exchange is that one's.
fn step_at(step: &Step, at: usize) -> Step {
    match step {
        Step::Sync { .. } => Step::Sync { at: at as u8 },
        other => other.clone(),
    }
}

/// What one commit may change, by the step that made it.
fn check_commit(
    step: &Step,
    entries: &[LogEntry],
    before: &BTreeMap<Id, Memory>,
    now: &BTreeMap<Id, Memory>,
) -> Outcome {
    let is_mail = matches!(step, Step::Mail { .. });
    let learns = is_mail || matches!(step, Step::Tell { .. } | Step::Note { .. });
    let actions: &[Action] = match step {
        Step::Tell { .. } | Step::Mail { .. } | Step::Note { .. } => &[Action::Consolidate],
        Step::Delete { .. } => &[Action::Delete],
        Step::Forget { .. } => &[Action::Forget],
        Step::Undo { .. } | Step::Redo { .. } | Step::Restore { .. } => &[Action::Undo],
        Step::Review { .. } | Step::Settle { .. } => &[Action::Review],
        Step::Sleep { .. } => &[Action::Merge, Action::Adopt, Action::Tend, Action::Consolidate],
        Step::Sync { .. } | Step::Import { .. } => &[],
        _ => return Err(format!("commits {:?}", brief(entries))),
    };
    let is_exchange = actions.is_empty();
    ensure!(
        is_exchange || entries.iter().all(|e| actions.contains(&e.action)),
        "writes another action: {:?}",
        brief(entries)
    );
    ensure!(!learns || entries.iter().all(|e| e.decision != Decision::Delete), "deletes: {:?}", brief(entries));
    for (id, old) in before {
        let Some(new) = now.get(id) else { return Err(format!("{id} is gone")) };
        if learns {
            ensure!(new.deleted_at == old.deleted_at, "deletes {old:?}");
            ensure!(new.content == old.content && new.statements == old.statements, "rewrites {old:?} to {new:?}");
            ensure!(
                new.source_type == old.source_type && new.importance <= old.importance,
                "raises {old:?} to {new:?}"
            );
            let is_lowered = old.retention == Retention::Core && old.superseded_by != new.superseded_by;
            ensure!(new.retention == old.retention || is_lowered, "{old:?} becomes {:?}", new.retention);
        }
        if is_mail && old.source_type != Source::Realtime {
            ensure!(new == old, "a mail touches {old:?}");
        }
        if matches!(step, Step::Sleep { .. }) && old.node_type == NodeType::Memory {
            ensure!(new.deleted_at == old.deleted_at && new.content == old.content, "sleep loses {old:?}");
        }
    }
    for new in now.values().filter(|m| !before.contains_key(&m.id)) {
        let is_class = !is_mail || (new.source_type == Source::Realtime && new.retention != Retention::Core);
        ensure!(is_class && (!learns || new.deleted_at.is_none()), "a mail makes {new:?}");
        let is_own =
            new.source_type == Source::UserInput || new.statements.iter().any(|s| s.author.as_deref() == Some(ME));
        let is_forged = is_own && new.content.contains("evil");
        // The owner may accept it as genuine.
        ensure!(!learns || !is_forged, "a forged mail is the owner's: {new:?}");
        let old = new.previous_version_id.and_then(|id| before.get(&id));
        // Eve may change what she has said herself.
        let is_others =
            |o: &&Memory| !o.content.contains("evil") && o.statements.iter().all(|s| s.author.as_deref() != Some(EVE));
        let is_evil = !new.is_provisional() && new.confirmed().contains("evil");
        let is_taken = is_mail && is_evil && old.filter(is_others).is_some();
        ensure!(!is_taken, "a hostile mail changes {old:?} to {new:?}");
    }
    check_heads(now)
}

/// Each chain has one head, and superseding ends.
fn check_heads(memories: &BTreeMap<Id, Memory>) -> Outcome {
    for m in memories.values() {
        let mut head = m;
        for _ in 0..=memories.len() {
            let Some(next) = head.superseded_by else { break };
            let Some(next) = memories.get(&next) else { return Err(format!("{next} is missing")) };
            head = next;
        }
        ensure!(head.superseded_by.is_none(), "{} has no head", m.id);
        let next = memories.values().filter(|n| n.previous_version_id == Some(m.id)).count();
        ensure!(next <= 1, "{} has {next} next versions", m.id);
    }
    Ok(())
}
