//! Rules for how memories fade and what reinforces them.
//!
//! A memory and a time determine the result, so a late sleep cycle loses nothing.

use crate::Result;
use crate::model::{Limits, Memory, NodeType, Retention, StorageTier, Time};
use serde::{Deserialize, Serialize};

const FLOOR: f64 = 0.02;
const CORE_FLOOR: f64 = 0.60;
const EXPONENT: f64 = 4.0;
/// The time scale in days of a memory without worth, and its exponential growth with worth. Plain
/// mail halves after six weeks and reaches the floor after thirteen months. Small talk takes three
/// days and three weeks, stable memories years.
const DAYS: f64 = 0.95;
const SPREAD: f64 = 12.0;
const BY_STABILITY: f64 = 0.6;
const BY_IMPORTANCE: f64 = 0.4;
const DAY_MILLIS: f64 = 86_400_000.0;
/// Days at the strength floor before a memory leaves the hot tier, and then days before only a stub is kept.
const COLD_AFTER: f64 = 7.0;
const STUB_AFTER: f64 = 180.0;

/// The share of the missing stability that an access adds. Ratings use `GAIN_UP` and `LOSS_DOWN`.
const GAIN: f32 = 0.12;
const GAIN_UP: f32 = 0.2;
const LOSS_DOWN: f32 = 0.3;
/// Further accesses within one session add nothing.
const MAX_ACCESSES_PER_SESSION: u32 = 4;
const CORE_ACCESSES: u32 = 10;
const CORE_SESSIONS: u32 = 3;
const CORE_STABILITY: f32 = 0.85;

/// The strength of a memory at a time, from its floor (.60 for core, .02 otherwise) to 1.
///
/// It falls by a power law since the last access, more slowly with higher stability and importance.
pub fn strength(memory: &Memory, now: Time) -> f32 {
    let faded = (-EXPONENT * (1.0 + days_since_met(memory, now).max(0.0) / pace(memory)).ln()).exp();
    faded.max(floor(memory)) as f32
}

fn days_since_met(memory: &Memory, now: Time) -> f64 {
    (now.millis() - memory.last_met().millis()) as f64 / DAY_MILLIS
}

fn pace(memory: &Memory) -> f64 {
    let unit = |x: f32| f64::from(x).clamp(0.0, 1.0);
    let worth = BY_STABILITY * unit(memory.stability) + BY_IMPORTANCE * unit(memory.importance);
    DAYS * (SPREAD * worth).exp()
}

fn floor(memory: &Memory) -> f64 {
    if memory.retention == Retention::Core { CORE_FLOOR } else { FLOOR }
}

/// The strength of a memory that a summary covers: its own, or a higher one of a summary accessed since.
pub fn strength_within(source: &Memory, summary: &Memory, now: Time) -> f32 {
    let found = summary.accessed_at.is_some_and(|at| at > summary.created_at);
    strength(source, now).max(if found { strength(summary, now) } else { 0.0 })
}

/// The storage tier of a memory at a time. Core memories are always hot, and stubs stay stubs.
pub fn tier(memory: &Memory, now: Time) -> StorageTier {
    if memory.storage_tier == StorageTier::Stub {
        return StorageTier::Stub;
    }
    if memory.retention == Retention::Core {
        return StorageTier::Hot;
    }
    // The days until the power law reaches the floor.
    let at_floor = pace(memory) * ((-floor(memory).ln() / EXPONENT).exp() - 1.0);
    let days = days_since_met(memory, now) - at_floor;
    // Summaries hold the facts of their sources. Provisional memories await a decision.
    let is_kept_whole = memory.node_type == NodeType::Summary || memory.is_provisional();
    if days >= COLD_AFTER + STUB_AFTER && !is_kept_whole {
        StorageTier::Stub
    } else if days >= COLD_AFTER {
        StorageTier::Cold
    } else {
        StorageTier::Hot
    }
}

/// The memory after one session accessed it `times` times, last at `at`.
#[must_use]
pub fn reinforced(memory: &Memory, times: u32, at: Time) -> Memory {
    let mut m = memory.clone();
    for _ in 0..times.min(MAX_ACCESSES_PER_SESSION) {
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

/// The memory after a rating by the owner.
#[must_use]
pub fn judged(memory: &Memory, up: bool) -> Memory {
    let mut m = memory.clone();
    m.stability += if up { (1.0 - m.stability) * GAIN_UP } else { -m.stability * LOSS_DOWN };
    m.feedback.add(up);
    m
}

pub fn is_promotable(memory: &Memory) -> bool {
    memory.retention != Retention::Core
        && memory.is_current()
        && memory.access_count >= CORE_ACCESSES
        && memory.session_count >= CORE_SESSIONS
        && memory.stability >= CORE_STABILITY
}

/// How the questions of a session are tagged. All fields are optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct TaggingFigures {
    /// Questions per batch, 1–50; default 5.
    pub window: u32,
    /// The most tags per batch, 1–50; default 8.
    pub max_tags_per_batch: u32,
}

impl Default for TaggingFigures {
    fn default() -> Self {
        Self { window: 5, max_tags_per_batch: 8 }
    }
}

/// The settings of the sleep cycle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SleepFigures {
    /// The share of the daily token budget that it may use, 0–1; default .3.
    pub budget_share: f32,
}

impl Default for SleepFigures {
    fn default() -> Self {
        Self { budget_share: 0.3 }
    }
}

impl TaggingFigures {
    pub fn validate(&self) -> Result<()> {
        Limits::range("tagging.window", self.window, (1, 50))?;
        Limits::range("tagging.maxTagsPerBatch", self.max_tags_per_batch, (1, 50))
    }
}

impl SleepFigures {
    pub fn validate(&self) -> Result<()> {
        Limits::unit("sleep.budgetShare", self.budget_share)
    }
}
