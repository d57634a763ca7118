//! The simulated host of one run: store, clock, model and processes, which fail where the plan says.

use crate::kit::{Dice, NOW, told};
use crate::{repeats, replies};
use futures::future::pending;
use memfold::consolidation::{ChangeSet, LogEntry, Record, Shelf};
use memfold::decision::{Prompt, Refusal, Task};
use memfold::engine::Platform;
use memfold::llm::{Answering, Reply};
use memfold::model::{Edge, Id, Memory, Time};
use memfold::store::{Committed, LogRange, MemoryStore, Seq, Store};
use memfold::{Code, Error, Result};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

/// What goes wrong at one call of the store, the model or the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The call fails without effect.
    Refuse,
    /// The call takes effect, but its answer is lost.
    LoseAnswer,
    /// The answer arrives so many turns later, after the answers of other calls.
    Delay(u8),
    /// The process ends before the call.
    Crash,
    /// The process ends after the call, before its answer.
    CrashAfter,
    /// The host closes the connection to the store; every call fails until the store is opened again.
    Disconnect,
    /// So many writes fail because the quota is used up.
    Full(u8),
    /// The clock jumps by so many minutes.
    Jump(i32),
    /// The message or the reply is cut off.
    Cut,
    /// An earlier message or reply arrives once more.
    Repeat,
    /// The model or the hub lies, each number in another way.
    Lie(u16),
}

/// Where a fault can be injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Read,
    Write,
    Model,
    Network,
}

impl Fault {
    fn fits(self, place: Place) -> bool {
        let stored = matches!(place, Place::Read | Place::Write);
        match self {
            Self::Refuse | Self::LoseAnswer | Self::Delay(_) | Self::Crash => true,
            Self::CrashAfter | Self::Disconnect | Self::Jump(_) => stored,
            Self::Full(_) => place == Place::Write,
            Self::Cut | Self::Repeat | Self::Lie(_) => !stored,
        }
    }

    pub fn roll(dice: &mut Dice) -> Self {
        match dice.roll(20) {
            0..3 => Self::Refuse,
            3..6 => Self::LoseAnswer,
            6..9 => Self::Delay(1 + dice.roll(40) as u8),
            9..11 => Self::Crash,
            11..13 => Self::CrashAfter,
            13 => Self::Disconnect,
            14 => Self::Full(1 + dice.roll(5) as u8),
            15 => {
                let minutes = *dice.pick(&[1, 90, 1_440, 50_000]);
                Self::Jump(if dice.roll(2) == 0 { minutes } else { -minutes })
            }
            16 => Self::Cut,
            17 => Self::Repeat,
            _ => Self::Lie(dice.roll(1 << 16) as u16),
        }
    }
}

/// The number of the first call of the model or the hub.
pub const FAR: u64 = 1_000_000;

/// What all processes of a run share.
pub struct Sim {
    planned: BTreeMap<u64, Fault>,
    /// Calls of stores, counted over all processes.
    calls: Cell<u64>,
    /// Calls of the model and the hub, counted from [`FAR`].
    far_calls: Cell<u64>,
    pub injected: RefCell<Vec<(u64, Fault)>>,
    /// Whether no more faults are injected.
    pub is_calm: Cell<bool>,
    clock: Cell<i64>,
    seeds: Cell<u64>,
}

impl Sim {
    pub fn new(faults: &[(u64, Fault)]) -> Rc<Self> {
        Rc::new(Self {
            planned: faults.iter().copied().collect(),
            calls: Cell::new(0),
            far_calls: Cell::new(FAR),
            injected: RefCell::default(),
            is_calm: Cell::new(false),
            clock: Cell::new(NOW),
            seeds: Cell::new(0),
        })
    }

    pub fn jump(&self, minutes: i32) {
        self.clock.set(self.clock.get() + i64::from(minutes) * 60_000);
    }

    /// The fault of the next call, if it fits the place.
    pub fn next_fault(&self, place: Place) -> Option<Fault> {
        let count = if matches!(place, Place::Read | Place::Write) { &self.calls } else { &self.far_calls };
        let call = count.replace(count.get() + 1);
        let fault = *self.planned.get(&call).filter(|f| !self.is_calm.get() && f.fits(place))?;
        self.injected.borrow_mut().push((call, fault));
        Some(fault)
    }
}

impl std::fmt::Debug for Sim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "call {}", self.calls.get())
    }
}

/// The clock and the randomness of a process.
#[derive(Debug)]
pub struct Host(pub Rc<Sim>);

impl Platform for Host {
    fn now(&self) -> Time {
        self.0.clock.set(self.0.clock.get() + 1);
        Time::from_millis(self.0.clock.get())
    }
    fn ticks(&self) -> f64 {
        self.0.seeds.get() as f64
    }
    fn seed(&self) -> [u8; 16] {
        self.0.seeds.set(self.0.seeds.get() + 1);
        let mixed = self.0.seeds.get().wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (u128::from(mixed) << 64 | u128::from(!mixed.reverse_bits())).to_be_bytes()
    }
}

/// Lets the other tasks run first.
pub async fn pause() {
    let mut first = true;
    poll_fn(|_| if std::mem::take(&mut first) { Poll::Pending } else { Poll::Ready(()) }).await;
}

pub async fn pauses(turns: u8) {
    for _ in 0..turns {
        pause().await;
    }
}

/// One life of a process, from the opening of its store to its end.
#[derive(Debug, Default)]
pub struct Life {
    pub is_over: Cell<bool>,
    is_cut: Cell<bool>,
    /// Calls that were not answered as usual.
    pub troubles: Cell<u64>,
}

impl Life {
    /// Whether its connection is lost.
    pub fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    pub fn trouble(&self) {
        self.troubles.set(self.troubles.get() + 1);
    }

    /// Ends the process: nothing after this call happens.
    pub async fn end<T>(&self) -> T {
        self.trouble();
        self.is_over.set(true);
        pending().await
    }
}

/// A connection to a disk.
#[derive(Debug)]
pub struct SimStore {
    pub store: MemoryStore,
    pub sim: Rc<Sim>,
    pub life: Rc<Life>,
    /// Writes that still fail because the disk is full.
    pub full: Rc<Cell<u8>>,
}

pub fn lost() -> Error {
    Error::new(Code::ConnectionLost, "lost by the simulation")
}

impl SimStore {
    async fn call<T>(&self, place: Place, work: impl Future<Output = Result<T>>) -> Result<T> {
        pause().await;
        if self.life.is_cut.get() {
            self.life.trouble();
            return Err(lost());
        }
        let fault = self.sim.next_fault(place);
        match fault {
            Some(Fault::Refuse) => {
                self.life.trouble();
                return Err(Error::new(Code::Storage, "refused by the simulation"));
            }
            Some(Fault::Disconnect) => {
                self.life.trouble();
                self.life.is_cut.set(true);
                return Err(lost());
            }
            Some(Fault::Crash) => return self.life.end().await,
            Some(Fault::Full(writes)) => self.full.set(writes),
            Some(Fault::Jump(minutes)) => self.sim.jump(minutes),
            _ => {}
        }
        if place == Place::Write && self.full.get() > 0 && !self.sim.is_calm.get() {
            self.life.trouble();
            self.full.set(self.full.get() - 1);
            return Err(Error::new(Code::QuotaExceeded, "the simulated disk is full"));
        }
        let done = work.await;
        match fault {
            Some(Fault::LoseAnswer) => {
                self.life.trouble();
                return done.and(Err(lost()));
            }
            Some(Fault::CrashAfter) => return self.life.end().await,
            Some(Fault::Delay(turns)) => pauses(turns).await,
            _ => {}
        }
        done
    }
}

#[async_trait::async_trait(?Send)]
impl Store for SimStore {
    async fn commit_all(&self, sets: Vec<ChangeSet>) -> Result<Vec<Committed>> {
        self.call(Place::Write, self.store.commit_all(sets)).await
    }
    async fn head(&self) -> Result<Seq> {
        self.call(Place::Read, self.store.head()).await
    }
    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        self.call(Place::Read, self.store.memories(ids)).await
    }
    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        self.call(Place::Read, self.store.page(after, limit)).await
    }
    async fn edges_at(&self, ids: &[Id]) -> Result<Vec<Edge>> {
        self.call(Place::Read, self.store.edges_at(ids)).await
    }
    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        self.call(Place::Read, self.store.edge_page(after, limit)).await
    }
    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        self.call(Place::Read, self.store.log(range)).await
    }
    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        self.call(Place::Read, self.store.entry(id)).await
    }
    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        self.call(Place::Read, self.store.entry_by_key(key)).await
    }
    async fn each_record(&self, shelf: Shelf, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        self.call(Place::Read, self.store.each_record(shelf, keys)).await
    }
    async fn records(&self, shelf: Shelf, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>> {
        self.call(Place::Read, self.store.records(shelf, after, limit)).await
    }
    async fn keep(&self, records: Vec<Record>) -> Result<()> {
        self.call(Place::Write, self.store.keep(records)).await
    }
    async fn close(&self) -> Result<()> {
        self.store.close().await
    }
}

/// A model that reads mail line by line, and lies as planned: then its reply fits the schema and is hostile.
#[derive(Debug)]
pub struct SimModel {
    pub sim: Rc<Sim>,
    pub life: Rc<Life>,
    pub last: Rc<RefCell<String>>,
}

impl memfold::llm::Model for SimModel {
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a> {
        Box::pin(async move {
            pause().await;
            let fault = self.sim.next_fault(Place::Model);
            let mut text = match (prompt.task, fault) {
                (Task::Mail, Some(Fault::Lie(seed))) => replies::reply(&mut Dice(u64::from(seed)), prompt).to_string(),
                (Task::Mail, _) => read_lines(prompt).to_string(),
                _ => json!({"delete": "*"}).to_string(),
            };
            match fault {
                Some(Fault::Refuse) => return Err(Refusal::Unreachable),
                Some(Fault::LoseAnswer) => return Err(Refusal::Timeout),
                Some(Fault::Crash) => return self.life.end().await,
                Some(Fault::Delay(turns)) => pauses(turns).await,
                Some(Fault::Cut) => text.truncate(text.floor_char_boundary(text.len() / 2)),
                Some(Fault::Repeat) => text.clone_from(&self.last.borrow()),
                _ => {}
            }
            self.last.borrow_mut().clone_from(&text);
            Ok(Reply { text, tokens: 3 })
        })
    }

    fn name(&self) -> Option<&str> {
        Some("simulated")
    }
}

fn read_lines(prompt: &Prompt) -> Value {
    let lines = told(prompt).lines().filter(|l| !l.trim().is_empty());
    let entry = |line: &str| {
        let word = line.split(' ').nth(1).unwrap_or_default();
        let is_known = prompt.candidates.iter().any(|c| !word.is_empty() && c.content.contains(word));
        let new = || json!({"op": "new", "text": line, "category": "project", "evidence": line});
        if is_known { repeats::entry(prompt, line) } else { new() }
    };
    json!({"entries": lines.map(entry).collect::<Vec<_>>()})
}
