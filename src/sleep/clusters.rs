//! Which memories may be folded into one, and which of them belong together.
//!
//! Every member is near every other (complete linkage), so that a row of small steps never joins unlike things.

use super::facts::tokens_of;
use super::figures::SleepFigures;
use crate::language::{Folded, Script, fold, tokens};
use crate::model::{
    Category, Generation, Id, Memory, NodeType, Retention, Source, StorageTier, Time, Zone, same_address,
    same_organisation,
};
use serde::Serialize;

/// Clusters are of at most so many memories.
pub const MOST_MEMBERS: usize = 48;
const DAY_MILLIS: i64 = 86_400_000;
/// What matters more than this is kept as it is.
const CRITICAL: f32 = 0.9;
/// So does what is asked for again and again.
const MOST_RANK: f32 = 0.75;

/// Memories that may be folded into one.
#[derive(Debug, Clone, PartialEq, Serialize, tsify::Tsify)]
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
pub fn is_candidate(m: &Memory, now: Time, zone: Zone, figures: &SleepFigures) -> bool {
    let settled = |t: Time| t.millis() + i64::from(figures.settled_days) * DAY_MILLIS <= now.millis();
    m.node_type == NodeType::Memory
        && m.is_current()
        && !m.is_provisional()
        && m.generation != Generation::Archived
        && m.retention != Retention::Core
        && m.storage_tier != StorageTier::Stub
        && m.importance < CRITICAL
        && m.feedback.up <= m.feedback.down
        && settled(m.own_time())
        && settled(m.occurred_at.end(zone))
        && m.accessed_at.is_none_or(settled)
        && m.valid_until.is_none_or(|t| t.end(zone) <= now)
        && rank_of(m, now) <= MOST_RANK
}

/// What tells whether two memories may stand in one text at all, read once for each.
#[derive(Debug)]
pub struct Kin {
    category: Category,
    source: Source,
    /// Who said it last.
    teller: Option<String>,
    thread: Option<String>,
    subject: Option<String>,
    names: Vec<String>,
    /// What it says but for figures, where nothing names what it is about.
    words: Vec<u64>,
}

impl Kin {
    /// Reads a memory.
    pub fn of(memory: &Memory) -> Self {
        // Names with digits are values, and the digits of a subject line number a series.
        let mut names: Vec<String> = memory.entities.iter().map(|s| fold(s)).collect();
        names.retain(|s| !s.bytes().any(|b| b.is_ascii_digit()));
        let bare = |s: &String| fold(s).chars().filter(|c| c.is_alphabetic()).collect();
        let subject = memory.subject.as_ref().map(bare);
        let mut words = Vec::new();
        if names.is_empty() && subject.is_none() {
            let text = Folded::new(&memory.content);
            words.extend(tokens(&text).iter().filter(|t| t.script != Script::Digits && !t.stop).map(|t| t.key));
            words.sort_unstable();
            words.dedup();
        }
        let (category, source) = (memory.category, memory.source_type);
        let teller = memory.tellers().next().map(str::to_owned);
        Self { category, source, teller, thread: memory.thread_id.clone(), subject, names, words }
    }

    /// Whether two may stand in one text: of one category and class of source, of mail also by one author or organisation, and about the same thing as far as both
    /// say about which; where neither does, they say the same but for figures.
    pub fn may_join(&self, other: &Self) -> bool {
        if (self.category, self.source) != (other.category, other.source) {
            return false;
        }
        // Nobody's words stand under the name of another.
        let same_teller = match (&self.teller, &other.teller) {
            (Some(a), Some(b)) => same_address(a, b) || same_organisation(a, b),
            (a, b) => a == b,
        };
        if self.source == Source::Realtime && !same_teller {
            return false;
        }
        let subject = self.subject.as_ref().zip(other.subject.as_ref()).map(|(a, b)| a == b);
        let names = self.shares_names(other);
        let thread = self.thread.is_some() && self.thread == other.thread;
        match (subject, names) {
            (None, None) => thread || self.says_as(other),
            (Some(true), _) => true,
            (Some(false), _) => thread && names != Some(false) || names == Some(true),
            (None, Some(shared)) => shared,
        }
    }

    /// Whether half of the fewer names stand among the others; `None` where one has none.
    fn shares_names(&self, other: &Self) -> Option<bool> {
        let (few, many) = if self.names.len() <= other.names.len() {
            (&self.names, &other.names)
        } else {
            (&other.names, &self.names)
        };
        let common = few.iter().filter(|s| many.contains(s)).count();
        (!few.is_empty()).then_some(2 * common >= few.len())
    }

    /// Whether nine tenths of their words are the same; also where one of them is named and the other is not.
    fn says_as(&self, other: &Self) -> bool {
        let common = self.words.iter().filter(|w| other.words.binary_search(w).is_ok()).count();
        let named = self.words.is_empty() != other.words.is_empty();
        named || 20 * common >= 9 * (self.words.len() + other.words.len())
    }
}

/// The members of a cluster around the first of `count`, the nearest first, with the mean likeness of every two of them.
/// Every two are at least `least` alike, and may stand in one text.
pub fn cluster(
    count: usize,
    like: &dyn Fn(usize, usize) -> f32,
    akin: &dyn Fn(usize, usize) -> bool,
    least: f32,
) -> (Vec<usize>, f32) {
    let mut near: Vec<(usize, f32)> = (1..count).filter(|at| akin(0, *at)).map(|at| (at, like(0, at))).collect();
    near.retain(|(_, likeness)| *likeness >= least);
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut members = vec![0];
    let (mut sum, mut pairs) = (0.0, 0.0f32);
    for (at, likeness) in near {
        if members.len() == MOST_MEMBERS {
            break;
        }
        let mut all = Some(likeness);
        for m in members.iter().skip(1) {
            let here = all.filter(|_| akin(*m, at)).map(|sum| (sum, like(*m, at)));
            all = here.filter(|(_, likeness)| *likeness >= least).map(|(sum, likeness)| sum + likeness);
        }
        if let Some(all) = all {
            (sum, pairs) = (sum + all, pairs + members.len() as f32);
            members.push(at);
        }
    }
    (members, sum / pairs.max(1.0))
}

/// Whether a model should be asked to write the summary of a cluster.
pub fn is_worth_asking(likeness: f32, weight: f32, text: &str, tokens_left: usize, figures: &SleepFigures) -> bool {
    // The reply is no longer than what is sent.
    likeness > figures.model_likeness && weight >= figures.model_weight && 2 * tokens_of(text) + 300 <= tokens_left
}
