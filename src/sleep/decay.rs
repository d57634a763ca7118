//! How memories fade, and what brings them back.
//!
//! Everything follows from a memory and a time: nothing counts days, so that a sleep cycle that ran late loses nothing.

use super::figures::SleepFigures;
use crate::model::{Memory, NodeType, Retention, StorageTier, Time};

/// No memory falls below this.
const FLOOR: f64 = 0.02;
/// What defines the owner does not fall below this.
const CORE_FLOOR: f64 = 0.60;
/// The exponent of the power law.
const EXPONENT: f64 = 4.0;
/// Days until a memory of no worth has begun to fade, and how much longer one of full worth takes (as a power of e):
/// plain mail is down to a half after a month and a half and at the floor after thirteen, small talk after three days
/// and three weeks, what is stable after years.
const DAYS: f64 = 0.95;
const SPREAD: f64 = 12.0;
/// What stability and importance count for.
const BY_STABILITY: f64 = 0.6;
const BY_IMPORTANCE: f64 = 0.4;
const DAY_MILLIS: f64 = 86_400_000.0;

/// What one access adds of the stability that is missing, and what a word of the owner's does.
const GAIN: f32 = 0.12;
const GAIN_UP: f32 = 0.2;
const LOSS_DOWN: f32 = 0.3;
/// Accesses of one session beyond these teach nothing new.
const PER_SESSION: u32 = 4;
/// What makes a memory core.
const CORE_ACCESSES: u32 = 10;
const CORE_SESSIONS: u32 = 3;
const CORE_STABILITY: f32 = 0.85;

/// What of a memory tells how it fades.
#[derive(Debug, Clone, Copy)]
pub struct Keeping {
    /// When it was stored, or last found.
    pub met: Time,
    /// How well it keeps, 0–1.
    pub stability: f32,
    /// What it is worth, 0–1.
    pub importance: f32,
    /// Whether it defines the owner.
    pub core: bool,
}

impl From<&Memory> for Keeping {
    fn from(memory: &Memory) -> Self {
        Self {
            met: memory.last_met(),
            stability: memory.stability,
            importance: memory.importance,
            core: memory.retention == Retention::Core,
        }
    }
}

impl Keeping {
    /// How strongly such a memory is remembered at a time. It never falls with `met`, `stability` or `importance`.
    pub fn strength(&self, now: Time) -> f32 {
        let days = ((now.millis() - self.met.millis()) as f64 / DAY_MILLIS).max(0.0);
        let faded = (-EXPONENT * (1.0 + days / self.pace()).ln()).exp();
        faded.max(self.floor()) as f32
    }

    /// Days until it has begun to fade.
    fn pace(&self) -> f64 {
        let unit = |x: f32| f64::from(x).clamp(0.0, 1.0);
        let worth = BY_STABILITY * unit(self.stability) + BY_IMPORTANCE * unit(self.importance);
        DAYS * (SPREAD * worth).exp()
    }

    fn floor(&self) -> f64 {
        if self.core { CORE_FLOOR } else { FLOOR }
    }
}

/// How strongly a memory is remembered at a time, from its floor (.60 for core, .02 else) to 1.
///
/// It falls by a power law from when the memory was stored, or last found, more slowly the more stable and important it is.
///
/// ```
/// use memfold::sleep::strength;
/// use memfold::model::{Draft, Ids, Memory, Time};
/// let then = Time::from_millis(1_741_000_000_000);
/// let memory = Memory::from_draft(Ids::new(then, [7; 16]).mint(), Draft::new("The door code is 4711"), then);
/// assert_eq!(strength(&memory, then), 1.0);
/// assert!(strength(&memory, then.plus_millis(90 * 86_400_000)) < 0.5);
/// ```
pub fn strength(memory: &Memory, now: Time) -> f32 {
    Keeping::from(memory).strength(now)
}

/// How strongly a memory is remembered by the summary that stands for it: as it would be by itself, or as the summary is
/// where that was found since.
pub fn strength_within(source: &Memory, summary: &Memory, now: Time) -> f32 {
    let found = summary.accessed_at.is_some_and(|at| at > summary.created_at);
    strength(source, now).max(if found { strength(summary, now) } else { 0.0 })
}

/// The tier that a memory belongs in at a time. Core is always hot, and what is a stub stays one.
pub fn tier(memory: &Memory, now: Time, figures: &SleepFigures) -> StorageTier {
    if memory.storage_tier == StorageTier::Stub {
        return StorageTier::Stub;
    }
    if memory.retention == Retention::Core {
        return StorageTier::Hot;
    }
    // The day on which the power law meets the floor.
    let keeping = Keeping::from(memory);
    let at_floor = keeping.pace() * ((-keeping.floor().ln() / EXPONENT).exp() - 1.0);
    let days = (now.millis() - keeping.met.millis()) as f64 / DAY_MILLIS - at_floor;
    // What stands for others is kept whole: it holds all their numbers and names. So is what waits for a word of the owner's.
    let is_kept_whole = memory.node_type == NodeType::Summary || memory.is_provisional();
    let (cold, stub) = (f64::from(figures.cold_after_days), f64::from(figures.stub_after_days));
    if days >= cold + stub && !is_kept_whole {
        StorageTier::Stub
    } else if days >= cold {
        StorageTier::Cold
    } else {
        StorageTier::Hot
    }
}

/// A memory after one session found it this many times, the last time at `at`.
#[must_use]
pub fn reinforced(memory: &Memory, times: u32, at: Time) -> Memory {
    let mut m = memory.clone();
    for _ in 0..times.min(PER_SESSION) {
        m.stability += (1.0 - m.stability) * GAIN;
    }
    m.access_count = m.access_count.saturating_add(times);
    m.session_count = m.session_count.saturating_add(1);
    m.accessed_at = m.accessed_at.max(Some(at));
    if m.storage_tier == StorageTier::Cold {
        m.storage_tier = StorageTier::Hot;
    }
    m
}

/// A memory after its owner said so many times that it was useful, and that it was not.
#[must_use]
pub fn judged(memory: &Memory, up: u32, down: u32) -> Memory {
    let mut m = memory.clone();
    for _ in 0..up.min(PER_SESSION) {
        m.stability += (1.0 - m.stability) * GAIN_UP;
    }
    for _ in 0..down.min(PER_SESSION) {
        m.stability -= m.stability * LOSS_DOWN;
    }
    m.feedback.up = m.feedback.up.saturating_add(up);
    m.feedback.down = m.feedback.down.saturating_add(down);
    m
}

/// Whether a memory has been found so often, over so many sessions, that it defines its owner.
pub fn is_promotable(memory: &Memory) -> bool {
    memory.retention != Retention::Core
        && memory.is_current()
        && memory.access_count >= CORE_ACCESSES
        && memory.session_count >= CORE_SESSIONS
        && memory.stability >= CORE_STABILITY
}
