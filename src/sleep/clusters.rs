//! Selects memories that may be merged and groups them into clusters.
//!
//! Complete linkage: any two members are similar, so small steps never join unlike memories.

use super::facts::tokens_of;
use crate::language::{Folded, Script, fold, tokens, words};
use crate::model::{
    Category, Generation, Id, Memory, NodeType, Retention, Source, StorageTier, Time, Zone, same_address,
    same_organisation,
};
use serde::Serialize;

pub const MOST_MEMBERS: usize = 48;
const DAY_MILLIS: i64 = 86_400_000;
/// Memories stated or accessed within this many days are not merged.
const SETTLED_DAYS: i64 = 14;
/// The least similarity of any two memories in a cluster, on the scale of the similarity bands; a model summarises
/// clusters with a higher mean and at least this weight.
pub const LEAST_LIKENESS: f32 = 0.8;
const MODEL_WEIGHT: f32 = 4.0;
const MAX_IMPORTANCE: f32 = 0.9;
/// Memories above this rank are used too often to be merged.
const MAX_RANK: f32 = 0.75;

/// Memories that may be merged.
#[derive(Debug, Clone, PartialEq, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct MergeCandidates {
    /// The memories, by id.
    pub ids: Vec<Id>,
    /// Their mean similarity, 0–1.
    pub similarity: f32,
    /// The sum over the members: 1 plus repeats and positive ratings, minus negative ratings.
    pub weight: f32,
    /// The estimated tokens of their merged text for a model.
    pub tokens: u32,
}

/// The rank of a node, 0–1: .4 recency + .3 repeat + .2 feedback + .1 if old.
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

pub fn weight_of(memory: &Memory) -> f32 {
    (1.0 + memory.repeat as f32 + memory.feedback.up as f32 - memory.feedback.down as f32).max(0.0)
}

/// Whether a memory may be merged: settled, rarely used, and neither provisional nor still valid.
pub fn is_candidate(m: &Memory, now: Time, zone: Zone) -> bool {
    let settled = |t: Time| t.millis() + SETTLED_DAYS * DAY_MILLIS <= now.millis();
    m.node_type == NodeType::Memory
        && m.is_current()
        && !m.is_provisional()
        && m.generation != Generation::Archived
        && m.retention != Retention::Core
        && m.storage_tier != StorageTier::Stub
        && m.importance < MAX_IMPORTANCE
        && m.feedback.up <= m.feedback.down
        && settled(m.own_time())
        && settled(m.occurred_at.end(zone))
        && m.accessed_at.is_none_or(settled)
        && m.valid_until.is_none_or(|t| t.end(zone) <= now)
        && rank_of(m, now) <= MAX_RANK
}

/// The features that decide whether two memories may be merged, computed once per memory.
#[derive(Debug)]
pub struct Kin {
    category: Category,
    source: Source,
    teller: Option<String>,
    thread: Option<String>,
    subject: Option<String>,
    names: Vec<String>,
    /// The stems of its words without digits, if neither a name nor a subject tells its topic.
    words: Vec<u64>,
}

impl Kin {
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

    /// Whether two memories may be merged. They need the same category and source class, and mails also the same author
    /// or organisation. Subject, names or thread must agree as far as both have them; otherwise the words must.
    pub fn may_join(&self, other: &Self) -> bool {
        if (self.category, self.source) != (other.category, other.source) {
            return false;
        }
        // A statement is never attributed to another author.
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
            (None, None) => thread || self.has_same_words(other),
            (Some(true), _) => true,
            (Some(false), _) => thread && names != Some(false) || names == Some(true),
            (None, Some(shared)) => shared,
        }
    }

    /// Whether the memories share half of the shorter list of names; `None` if either has none.
    fn shares_names(&self, other: &Self) -> Option<bool> {
        let (few, many) = if self.names.len() <= other.names.len() {
            (&self.names, &other.names)
        } else {
            (&other.names, &self.names)
        };
        let common = few.iter().filter(|s| many.contains(s)).count();
        (!few.is_empty()).then_some(2 * common >= few.len())
    }

    /// Whether nine tenths of the words agree, or only one of the two has a name or a subject.
    fn has_same_words(&self, other: &Self) -> bool {
        let common = self.words.iter().filter(|w| other.words.binary_search(w).is_ok()).count();
        let named = self.words.is_empty() != other.words.is_empty();
        named || 20 * common >= 9 * (self.words.len() + other.words.len())
    }
}

/// The cluster around item 0 of `count`: its members, nearest first, and their mean pairwise
/// similarity. Any two members are `akin` and have at least the similarity `least`.
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
        let others = members.iter().skip(1).map(|m| akin(*m, at).then(|| like(*m, at)).filter(|l| *l >= least));
        let all: Option<f32> = std::iter::once(Some(likeness)).chain(others).sum();
        if let Some(all) = all {
            (sum, pairs) = (sum + all, pairs + members.len() as f32);
            members.push(at);
        }
    }
    (members, sum / pairs.max(1.0))
}

pub fn is_worth_asking(likeness: f32, weight: f32, text: &str, tokens_left: usize) -> bool {
    // The reply is at most as long as the request.
    likeness > LEAST_LIKENESS && weight >= MODEL_WEIGHT && 2 * tokens_of(text) + 300 <= tokens_left
}

/// The key of a tag or a question: its word stems in order. Korean loses particles and blanks,
/// English plurals and case. Punctuation and stop words are dropped unless nothing else remains.
pub fn canonical_key(text: &str) -> String {
    let text = without_hyphens(text);
    let folded = Folded::new(&text);
    let words = tokens(&folded);
    let all_stop = words.iter().all(|t| t.stop);
    let mut key = String::new();
    let mut before: Option<(Script, usize)> = None;
    for token in words.iter().filter(|t| all_stop || !t.stop) {
        let (start, end) = token.range();
        // Adjacent letters and digits stay together; separate words stay apart.
        let apart = before
            .is_some_and(|(script, at)| at != start && script != Script::Korean && token.script != Script::Korean);
        if apart {
            key.push(' ');
        }
        let word = token.word(&folded);
        // A final 의 is often part of a noun, not the particle.
        let noun = token.script == Script::Korean && words!("small_talk.nouns of a key").end(word);
        key.push_str(&if noun { word.to_owned() } else { token.stem(&folded) });
        before = Some((token.script, end));
    }
    key
}

/// "kick-off" becomes "kickoff": a hyphen between letters joins one word.
fn without_hyphens(text: &str) -> String {
    let letter = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphabetic);
    let bytes = text.as_bytes();
    let joins = |at: usize| at > 0 && letter(bytes.get(at - 1)) && letter(bytes.get(at + 1));
    text.char_indices().filter(|(at, c)| *c != '-' || !joins(*at)).map(|(_, c)| c).collect()
}

/// The Dice similarity of two keys of one tag.
const SAME_TAG_SIMILARITY: f32 = 0.9;

/// Whether two keys denote one tag: nearly equal in letters, and equal in digits.
pub fn is_one_tag(one: &str, other: &str) -> bool {
    let digits = |key: &str| key.chars().filter(char::is_ascii_digit).collect::<String>();
    let close = |key: &str| key.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    if one == other {
        return true;
    }
    let (a, b) = (close(one), close(other));
    digits(one) == digits(other)
        && (a == b && !a.is_empty() || strsim::sorensen_dice(&a, &b) as f32 >= SAME_TAG_SIMILARITY)
}

/// Whether a text is only greetings, thanks and the like, without names and numbers.
pub fn is_small_talk(text: &str) -> bool {
    let folded = Folded::new(text);
    let words = tokens(&folded);
    let idle = |word: &str| words!("small_talk.english").contains(&word) || words!("small_talk.korean").begin(word);
    words.len() <= 12
        && words.iter().all(|t| match t.script {
            Script::Digits => false,
            Script::Korean | Script::Latin => t.stop || idle(t.word(&folded)) || idle(&t.stem(&folded)),
        })
}
