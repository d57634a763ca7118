//! The engine over a simulated store, clock, network, model and peers, from one seed. Calls of several processes
//! interleave, and at planned calls something goes wrong: the process ends, an answer is lost, late, cut off or
//! repeated, the disk is full, the clock jumps, the model or the hub lies, and hostile mail arrives.
//!
//! After each commit `check()` finds no problem and the commit changes only what its step may change. In the end each
//! acknowledged write is stored once, and peers agree. A failing run is shrunk and printed as a test to be pasted.
//!
//! `MEMFOLD_FAULTS` sets the number of fault points (default 2,000; `make soak`: 1,000,000), `MEMFOLD_SEED` the first seed.

mod host;
mod reference;
mod steps;
mod world;

use crate::kit::Dice;
use host::{FAR, Fault};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;
use steps::Step;
use world::{Kind, World};

#[derive(Debug, Clone)]
struct Scenario {
    kind: Kind,
    /// The seed of the interleaving.
    seed: u64,
    steps: Vec<Step>,
    /// Faults by the number of the call.
    faults: Vec<(u64, Fault)>,
}

const KINDS: [Kind; 4] = [Kind::Tabs, Kind::Peers, Kind::Copies, Kind::Mail];

impl Scenario {
    fn from_seed(seed: u64) -> Self {
        let dice = &mut Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let kind = *dice.pick(&KINDS);
        let most = if kind == Kind::Mail { 14 } else { 24 };
        let steps = (0..4 + dice.roll(most)).map(|_| roll_step(kind, dice)).collect();
        // One call of a store in 8 to one in 64, and one in three of the model and the hub.
        let rate = 8 << dice.roll(4);
        let mut faults: Vec<u64> = (0..12_000).filter(|_| dice.roll(rate) == 0).collect();
        faults.extend((FAR..FAR + 200).filter(|_| dice.roll(3) == 0));
        let faults = faults.into_iter().map(|call| (call, Fault::roll(dice))).collect();
        Self { kind, seed, steps, faults }
    }

    /// Runs it and returns the injected faults, and what went wrong.
    fn run(&self) -> (Vec<(u64, Fault)>, Result<(), String>) {
        let mut world = World::new(self.kind, self.seed, &self.faults);
        let done = catch_unwind(AssertUnwindSafe(|| world.run(&self.steps)));
        let done = done.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            Err(format!("panics: {}", text.or(panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default()))
        });
        (world.injected(), done)
    }

    fn fails(&self) -> bool {
        self.run().1.is_err()
    }

    /// A failing run with fewer steps and faults.
    fn shrunk(mut self) -> Self {
        self.faults = self.run().0;
        let mut runs = 600;
        loop {
            let before = (self.steps.len(), self.faults.len());
            shrink(&mut runs, &self.faults.clone(), |faults| {
                let fewer = Self { faults, ..self.clone() };
                fewer.fails().then(|| self = fewer).is_some()
            });
            shrink(&mut runs, &self.steps.clone(), |steps| {
                let fewer = Self { steps, ..self.clone() };
                fewer.fails().then(|| self = fewer).is_some()
            });
            if runs == 0 || before == (self.steps.len(), self.faults.len()) {
                return self;
            }
        }
    }

    /// The run as a test.
    fn as_test(&self) -> String {
        let steps: String =
            self.steps.iter().map(|s| format!("            Step::{s:?},\n").replace('[', "vec![")).collect();
        let faults: String = self.faults.iter().map(|(at, f)| format!("({at}, Fault::{f:?}), ")).collect();
        format!(
            "#[test]\nfn seed_{}() {{\n    holds(&Scenario {{\n        kind: Kind::{:?},\n        seed: {},\n        steps: vec![\n\
             {steps}        ],\n        faults: vec![{}],\n    }});\n}}",
            self.seed,
            self.kind,
            self.seed,
            faults.trim_end_matches(", ")
        )
    }
}

/// Removes ever smaller parts of a list while `fails` accepts the rest.
fn shrink<T: Clone>(runs: &mut u32, all: &[T], mut fails: impl FnMut(Vec<T>) -> bool) {
    let (mut left, mut size) = (all.to_vec(), all.len().div_ceil(2));
    while size > 0 && !left.is_empty() {
        let mut at = 0;
        while at < left.len() && *runs > 0 {
            *runs -= 1;
            let rest = [&left[..at], &left[(at + size).min(left.len())..]].concat();
            if fails(rest.clone()) {
                left = rest;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
}

fn roll_step(kind: Kind, dice: &mut Dice) -> Step {
    let (at, which) = (dice.roll(4) as u8, dice.roll(1 << 16) as u16);
    let owner = |dice: &mut Dice| {
        let verdicts = ["accept", "reject", "CREATE", "UPDATE", "SKIP", "CREATE_AND_LINK"];
        match dice.roll(14) {
            0 | 1 => Step::Delete { at, which, cut: dice.roll(2) == 0 },
            2 | 3 => Step::Restore { at, which },
            4 => Step::Forget { at, which },
            5..8 => Step::Undo { at, which },
            8 | 9 => Step::Redo { at, which },
            _ => {
                let verdict = *dice.pick(&verdicts);
                Step::Review { at, which, verdict }
            }
        }
    };
    let host = |dice: &mut Dice| match dice.roll(6) {
        0 | 1 => Step::Kill { at },
        2 => Step::Close { at },
        3 => Step::Jump { minutes: *dice.pick(&[1_440, 9_999_999, -90, -100_000]) },
        _ => Step::Search { at, number: dice.roll(9) as u8 },
    };
    let tell = |dice: &mut Dice| {
        let topics = if kind == Kind::Tabs { 3 } else { 2 };
        let angle = *dice.pick(&[0, 5, 30, 35, 50, 65, 80, 95, 125]);
        Step::Tell { at, topic: dice.roll(topics) as u8, angle, day: dice.roll(9) as u8, own: dice.roll(5) == 0 }
    };
    match (kind, dice.roll(20)) {
        (_, 0 | 1) => host(dice),
        (_, 2..7) => owner(dice),
        (Kind::Peers, 7..13) => Step::Sync { at },
        (Kind::Copies, 7..12) => Step::Import { at, from: dice.roll(2) as u8 },
        (Kind::Mail, 7) => Step::Sleep { at },
        (Kind::Mail, 8 | 9) => Step::Settle { at, which, confirm: dice.roll(2) == 0 },
        (Kind::Mail, 10..12) => Step::Note { at, number: dice.roll(12) as u8 },
        (Kind::Mail, _) => Step::Mail { at, numbers: (0..1 + dice.roll(3)).map(|_| dice.roll(24) as u8).collect() },
        (_, 7..10) => Step::Again { at, which },
        _ => tell(dice),
    }
}

fn holds(scenario: &Scenario) {
    let done = scenario.run().1;
    assert!(done.is_ok(), "{}", done.unwrap_err());
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

#[test]
fn no_fault_loses_doubles_or_tears_a_memory() {
    let (most, first) = (number("MEMFOLD_FAULTS").unwrap_or(2_000) as usize, number("MEMFOLD_SEED").unwrap_or(0));
    let (next, points) = (AtomicU64::new(first), AtomicUsize::new(0));
    let (counts, failed) = (Mutex::new(BTreeMap::<String, usize>::new()), Mutex::new(Vec::<u64>::new()));
    let (started, minutes) = (Instant::now(), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while points.load(Ordering::Relaxed) < most && failed.lock().unwrap().is_empty() {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let scenario = Scenario::from_seed(seed);
                    let (injected, done) = scenario.run();
                    points.fetch_add(injected.len(), Ordering::Relaxed);
                    let mut counts = counts.lock().unwrap();
                    for (_, fault) in injected {
                        let name = format!("{fault:?}").split('(').next().unwrap().to_owned();
                        *counts.entry(name).or_default() += 1;
                    }
                    *counts.entry(format!("{:?} runs", scenario.kind)).or_default() += 1;
                    if done.is_err() {
                        failed.lock().unwrap().push(seed);
                    }
                    let minute = started.elapsed().as_secs() as usize / 60;
                    if minutes.fetch_max(minute, Ordering::Relaxed) < minute {
                        println!("{minute} min: {} of {most} fault points", points.load(Ordering::Relaxed));
                    }
                }
            });
        }
    });
    let (points, last) = (points.into_inner(), next.into_inner());
    println!("{points} fault points, seeds {first} to {}: {:?}", last - 1, counts.into_inner().unwrap());
    if let Some(seed) = failed.into_inner().unwrap().into_iter().min() {
        let small = Scenario::from_seed(seed).shrunk();
        panic!("seed {seed}: {}\n\n{}", small.run().1.unwrap_err(), small.as_test());
    }
}

/// A review with CREATE of an entry without text once stored an empty memory.
#[test]
fn seed_242() {
    holds(&Scenario {
        kind: Kind::Mail,
        seed: 242,
        steps: vec![
            Step::Mail { at: 0, numbers: vec![13] },
            Step::Mail { at: 2, numbers: vec![4, 12, 15] },
            Step::Note { at: 3, number: 9 },
            Step::Note { at: 1, number: 11 },
            Step::Review { at: 2, which: 24113, verdict: "reject" },
            Step::Mail { at: 1, numbers: vec![13] },
            Step::Mail { at: 0, numbers: vec![15, 11, 20] },
            Step::Review { at: 3, which: 23294, verdict: "CREATE" },
            Step::Mail { at: 2, numbers: vec![13, 20, 6] },
            Step::Undo { at: 1, which: 7367 },
        ],
        faults: vec![(1_000_004, Fault::Repeat)],
    });
}

/// Two clients that exchange at once, and a crash; an exchange once failed because another tab wrote meanwhile.
#[test]
fn seed_200428() {
    holds(&Scenario {
        kind: Kind::Peers,
        seed: 200_428,
        steps: vec![
            Step::Sync { at: 2 },
            Step::Sync { at: 0 },
            Step::Tell { at: 2, topic: 1, angle: 35, day: 1, own: false },
            Step::Redo { at: 1, which: 60260 },
            Step::Forget { at: 3, which: 59676 },
            Step::Sync { at: 1 },
            Step::Tell { at: 0, topic: 1, angle: 125, day: 6, own: false },
            Step::Sync { at: 2 },
        ],
        faults: vec![(32, Fault::Crash)],
    });
}

/// Three clients whose clocks differ. The hub got an update before the memory that it updates, and then rejected the memory.
#[test]
fn seed_107656() {
    holds(&Scenario {
        kind: Kind::Peers,
        seed: 107_656,
        steps: vec![
            Step::Tell { at: 2, topic: 1, angle: 95, day: 3, own: false },
            Step::Search { at: 1, number: 0 },
            Step::Sync { at: 0 },
            Step::Search { at: 3, number: 1 },
            Step::Jump { minutes: -100_000 },
            Step::Tell { at: 2, topic: 1, angle: 125, day: 8, own: false },
            Step::Sync { at: 3 },
            Step::Tell { at: 3, topic: 1, angle: 5, day: 4, own: false },
            Step::Tell { at: 2, topic: 1, angle: 95, day: 5, own: true },
            Step::Tell { at: 3, topic: 1, angle: 95, day: 3, own: true },
            Step::Tell { at: 3, topic: 0, angle: 5, day: 7, own: false },
            Step::Search { at: 0, number: 6 },
            Step::Tell { at: 1, topic: 1, angle: 125, day: 7, own: true },
            Step::Sync { at: 1 },
            Step::Kill { at: 1 },
            Step::Tell { at: 0, topic: 1, angle: 125, day: 5, own: false },
            Step::Undo { at: 3, which: 33646 },
            Step::Review { at: 0, which: 1285, verdict: "reject" },
        ],
        faults: vec![(175, Fault::Crash)],
    });
}
