//! Which memories may be folded into one, and which of them belong together.
//!
//! Every member is near every other (complete linkage), so that a row of small steps never joins unlike things.

use super::facts::tokens_of;
use crate::language::fold;
use crate::model::{Generation, Id, Memory, NodeType, Retention, StorageTier, Time};
use serde::Serialize;

/// No two memories of a cluster are less alike than this, on the scale of the bands.
pub const LEAST_LIKENESS: f32 = 0.8;
/// Clusters are of at least so many memories, or bring at least two to a summary that is there.
pub const LEAST_MEMBERS: usize = 3;
/// And of at most so many.
pub const MOST_MEMBERS: usize = 48;
/// A model is asked about clusters that are more alike than this on average,
pub const MODEL_LIKENESS: f32 = 0.8;
/// and of at least this weight.
pub const MODEL_WEIGHT: f32 = 4.0;
/// The share of the day's tokens that the sleep cycle may use.
pub const BUDGET_SHARE: f32 = 0.3;

const DAY_MILLIS: i64 = 86_400_000;
/// What was said, or found, within so many days is left alone.
const SETTLED_DAYS: i64 = 14;
/// What matters more than this is kept as it is.
const CRITICAL: f32 = 0.9;
/// So does what is asked for again and again.
const MOST_RANK: f32 = 0.75;

/// Memories that may be folded into one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct MergeCandidates {
    /// The memories, by id.
    pub ids: Vec<Id>,
    /// The summary that they would join.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Id>,
    /// How alike they are on average, 0–1.
    pub similarity: f32,
    /// One for each, and what each was repeated, found useful or useless.
    pub weight: f32,
    /// What their folded text would cost a model.
    pub tokens: u32,
}

/// How much a node matters: .4 recency + .3 repeat + .2 feedback + .1 if old; 0–1.
pub fn rank_of(node: &Memory, now: Time) -> f32 {
    let last = node.accessed_at.unwrap_or(node.created_at).max(node.own_time().min(now));
    let days = ((now.millis() - last.millis()) as f32 / DAY_MILLIS as f32).max(0.0);
    let (up, down) = (node.feedback.up as f32, node.feedback.down as f32);
    let recency = 1.0 / (1.0 + days / 30.0);
    let repeat = 1.0 - 1.0 / (1.0 + node.repeat as f32);
    let feedback = ((up - down) / (up + down + 1.0)).max(0.0);
    let old = f32::from(u8::from(node.generation == Generation::Old));
    0.4 * recency + 0.3 * repeat + 0.2 * feedback + 0.1 * old
}

/// What a memory brings to a cluster's weight.
pub fn weight_of(memory: &Memory) -> f32 {
    (1.0 + memory.repeat as f32 + memory.feedback.up as f32 - memory.feedback.down as f32).max(0.0)
}

/// Whether a memory may be folded into others: settled, faded in interest, and nothing that anybody waits for.
pub fn is_candidate(m: &Memory, now: Time) -> bool {
    let settled = |t: Time| t.millis() + SETTLED_DAYS * DAY_MILLIS <= now.millis();
    m.node_type == NodeType::Memory
        && m.is_current()
        && m.generation != Generation::Archived
        && m.retention != Retention::Core
        && m.storage_tier != StorageTier::Stub
        && m.importance < CRITICAL
        && m.feedback.up <= m.feedback.down
        && settled(m.own_time())
        && settled(m.occurred_at)
        && m.accessed_at.is_none_or(settled)
        && m.valid_until.is_none_or(|t| t < now)
        && rank_of(m, now) <= MOST_RANK
}

/// Whether two memories may stand in one text at all: of one category and class of source, and about the same thing
/// where both say about which.
pub fn akin(a: &Memory, b: &Memory) -> bool {
    let same = |x: &Option<String>, y: &Option<String>| x.as_deref().zip(y.as_deref()).map(|(x, y)| bare(x) == bare(y));
    let subject = same(&a.subject, &b.subject);
    a.category == b.category
        && a.source_type == b.source_type
        && (shared(&a.entities, &b.entities).unwrap_or(true) || subject == Some(true))
        && (subject != Some(false)
            || a.thread_id.is_some() && a.thread_id == b.thread_id
            || shared(&a.entities, &b.entities) == Some(true))
}

/// Whether half of the shorter list stands in the longer; `None` where one is empty. Names with digits are values.
fn shared(a: &[String], b: &[String]) -> Option<bool> {
    let names = |list: &[String]| -> Vec<String> {
        list.iter().map(|s| fold(s)).filter(|s| !s.bytes().any(|b| b.is_ascii_digit())).collect()
    };
    let (a, b) = (names(a), names(b));
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let common = small.iter().filter(|s| large.contains(s)).count();
    (!small.is_empty()).then_some(2 * common >= small.len())
}

/// A subject line without its digits, by which those of a series are the same.
fn bare(subject: &str) -> String {
    fold(subject).chars().filter(|c| c.is_alphabetic()).collect()
}

/// The members of a cluster around `seed`, the nearest first: `near` are the places of others with their likeness to it,
/// best first. Every two members are at least [`LEAST_LIKENESS`] alike, and may stand in one text.
pub fn cluster(
    seed: usize,
    near: &[(usize, f32)],
    like: &dyn Fn(usize, usize) -> f32,
    akin: &dyn Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let mut members = vec![seed];
    for (at, likeness) in near {
        if *likeness < LEAST_LIKENESS || members.len() == MOST_MEMBERS {
            break;
        }
        let fits = |m: &usize| (*m == seed || like(*m, *at) >= LEAST_LIKENESS) && akin(*m, *at);
        if !members.contains(at) && members.iter().all(fits) {
            members.push(*at);
        }
    }
    members
}

/// The mean likeness of every two members.
pub fn mean_likeness(members: &[usize], like: &dyn Fn(usize, usize) -> f32) -> f32 {
    let (mut sum, mut pairs) = (0.0, 0.0f32);
    for (n, a) in members.iter().enumerate() {
        for b in &members[n + 1..] {
            sum += like(*a, *b);
            pairs += 1.0;
        }
    }
    sum / pairs.max(1.0)
}

/// Whether a model should be asked to write the summary of a cluster.
pub fn is_worth_asking(likeness: f32, weight: f32, text: &str, tokens_left: usize) -> bool {
    // The reply is no longer than what is sent.
    likeness > MODEL_LIKENESS && weight >= MODEL_WEIGHT && 2 * tokens_of(text) + 300 <= tokens_left
}
