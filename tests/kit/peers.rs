//! Helpers for tests with several stores or connections: writes memories, and reads what a store contains.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, dead_code)]

use crate::faults::Faulty;
use crate::kit::{Memories, over};
use futures::FutureExt;
use futures::executor::block_on;
use memfold::consolidation::LogEntry;
use memfold::engine::{Consolidate, DeleteOptions, LogQuery};
use memfold::model::{Draft, Edge, Id, Memory, Source, Time};
use memfold::store::MemoryStore;

const DAY: i64 = 86_400_000;

pub fn open(from: u64) -> Memories {
    over(MemoryStore::default(), from)
}

pub fn draft(on: i64, content: &str) -> Draft {
    Draft { stated_at: Some(Time::from_millis(1_700_000_000_000 + on * DAY)), ..Draft::new(content) }
}

/// A connection to a store before whose call number `n`, from 0, another connection writes a draft.
pub fn interrupted_by(store: &MemoryStore, n: u64, draft: Draft) -> Faulty {
    let other = over(store.connect(), 2_000_000);
    let write = move || drop(other.consolidate(draft.clone(), &Consolidate::default()).now_or_never().unwrap());
    Faulty::interrupted(store.connect(), n, Box::new(write))
}

pub fn keyed(m: &Memories, draft: Draft, key: &str) -> (Id, LogEntry) {
    let how = Consolidate { key: Some(key.into()), ..Consolidate::default() };
    let done = block_on(m.consolidate(draft, &how)).unwrap();
    (done.memory.unwrap().id, done.entry)
}

pub fn say(m: &Memories, on: i64, content: &str) -> (Id, LogEntry) {
    let key = content.bytes().fold(0u64, |sum, b| sum.wrapping_mul(31).wrapping_add(u64::from(b)));
    keyed(m, draft(on, content), &key.to_string())
}

pub fn all(m: &Memories) -> Vec<Memory> {
    block_on(m.list(None, 100_000, true)).unwrap()
}

pub fn log(m: &Memories) -> Vec<LogEntry> {
    block_on(m.log(&LogQuery::default())).unwrap()
}

/// What a store says, without how often it was written: memories that are not forgotten, and links.
pub fn said(m: &Memories) -> (Vec<Memory>, Vec<Edge>) {
    let alive = all(m).into_iter().filter(|m| !m.is_forgotten());
    (alive.map(|m| Memory { revision: 0, ..m }).collect(), block_on(m.links()).unwrap())
}

pub fn sound(m: &Memories) {
    assert_eq!(block_on(m.check()).unwrap().problems, []);
}

pub fn contents(m: &Memories) -> Vec<String> {
    all(m).into_iter().filter(Memory::is_current).map(|m| m.content).collect()
}

/// What is done in one of three stores; its number comes first.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// Topic, angle, day, whether the owner said it, key.
    Tell(usize, u8, u16, u8, bool, u8),
    Delete(usize, Which),
    Restore(usize, Which),
    Forget(usize, Which),
    Undo(usize, Which),
    Review(usize, Which, &'static str),
    /// How much of an exchange happens, and how many entries are told at once.
    Exchange(usize, u8, usize),
}

/// Which of all there are, as a share of 2⁶⁴.
pub type Which = u64;

fn pick<T>(of: &[T], which: Which) -> Option<&T> {
    of.get(((of.len() as u128 * u128::from(which)) >> 64) as usize)
}

/// Does these steps in turn, exchanges by `exchange`; a store that has changed is sound.
pub fn live(stores: [&Memories; 3], steps: &[Step], exchange: impl Fn(usize, u8, usize)) {
    for (n, step) in steps.iter().enumerate() {
        let (Step::Tell(at, ..)
        | Step::Delete(at, _)
        | Step::Restore(at, _)
        | Step::Forget(at, _)
        | Step::Undo(at, _)
        | Step::Review(at, ..)
        | Step::Exchange(at, ..)) = *step;
        let m = stores[at];
        let memory = |which| pick(&all(m), which).map(|m| m.id);
        let entry = |which| pick(&log(m), which).map(|e| e.id);
        match *step {
            Step::Tell(_, topic, angle, day, own, key) => {
                let source_type = if own { Source::UserInput } else { Source::Realtime };
                let content = format!("topic{topic} says word{n} @{angle}");
                keyed(m, Draft { source_type, ..draft(i64::from(day), &content) }, &format!("key {key}"));
            }
            Step::Exchange(_, how, most) => {
                exchange(at, how, most);
                stores.into_iter().for_each(sound);
            }
            // What is not allowed is refused and changes nothing.
            Step::Delete(_, i) => drop(memory(i).map(|id| block_on(m.delete(&[id], &DeleteOptions::default())))),
            Step::Restore(_, i) => drop(memory(i).map(|id| block_on(m.restore(id)))),
            Step::Forget(_, i) => drop(memory(i).map(|id| block_on(m.forget(&[id])))),
            Step::Undo(_, i) => drop(entry(i).map(|id| block_on(m.undo(id)))),
            Step::Review(_, i, verdict) => {
                let verdict = verdict.parse().unwrap();
                drop(entry(i).map(|id| block_on(m.review(id, verdict, &Default::default()))));
            }
        }
        sound(m);
    }
}
