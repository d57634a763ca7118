//! The index over all memories: vectors, terms, and what structure names (thread, subject, entity).
//!
//! It holds no contents and decides nothing; it answers which memories are worth looking at.

use super::cosine;
use super::rank;
use super::terms::terms;
use crate::language::fold;
use crate::model::{Category, Generation, Id, Memory, Statement, StorageTier, Time};
use crate::order;
use std::collections::{HashMap, HashSet};

/// The best of a scan: a memory and how well it matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The memory.
    pub id: Id,
    /// Its cosine or lexical score.
    pub score: f32,
}

/// What is kept of a memory for finding it.
#[derive(Debug, Clone)]
pub struct Row {
    /// The memory.
    pub id: Id,
    /// The version that replaced it.
    pub superseded_by: Option<Id>,
    /// Whether it was deleted.
    pub deleted: bool,
    /// Whether it was merged into a summary.
    pub archived: bool,
    /// Whether only a stub of it is kept.
    pub stub: bool,
    /// Its category.
    pub category: Category,
    /// When it happened.
    pub occurred_at: Time,
    /// Until when it holds.
    pub valid_until: Option<Time>,
    length: u32,
    live: bool,
}

impl Row {
    /// Whether it happened, or falls due, from the first of these times on and before the second.
    pub fn lies_in(&self, (from, to): (Time, Time)) -> bool {
        let within = |t: Time| from <= t && t < to;
        within(self.occurred_at) || self.valid_until.is_some_and(within)
    }

    /// Whether it is what is known now.
    pub fn is_current(&self) -> bool {
        self.superseded_by.is_none() && !self.deleted
    }
}

/// An exact index held in memory.
#[derive(Debug, Default)]
pub struct Index {
    rows: Vec<Row>,
    place: HashMap<Id, u32>,
    vectors: HashMap<u32, Box<[f32]>>,
    names: HashMap<Name, Vec<u32>>,
    postings: HashMap<u64, Vec<(u32, u8)>>,
    total_length: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    Thread(Box<str>),
    Subject(Box<str>),
    Entity(Box<str>),
}

/// At most this many memories are taken for each name, the latest first.
const PER_NAME: usize = 12;
/// BM25's usual parameters.
const K1: f32 = 1.2;
const B: f32 = 0.75;

impl Index {
    /// The number of memories it holds.
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.place.is_empty()
    }

    /// Whether it holds this memory.
    pub fn contains(&self, id: Id) -> bool {
        self.place.contains_key(&id)
    }

    /// What is kept of a memory.
    pub fn row(&self, id: Id) -> Option<&Row> {
        self.place.get(&id).map(|at| &self.rows[*at as usize])
    }

    /// Adds a memory, or replaces what is kept of it. Without a vector the one it had is kept.
    pub fn put(&mut self, memory: &Memory, vector: Option<Vec<f32>>) {
        let old = self.place.get(&memory.id).copied();
        let kept = old.and_then(|at| self.vectors.remove(&at)).filter(|_| !memory.is_forgotten());
        let vector = vector.map(Vec::into_boxed_slice).or(kept);
        if let Some(at) = old {
            // The old row stays as a hole in the postings; it is skipped because it is not live.
            self.total_length -= u64::from(self.rows[at as usize].length);
            self.rows[at as usize].live = false;
        }
        let at = self.rows.len() as u32;
        let mut counts: HashMap<u64, u8> = HashMap::new();
        let mut length = 0;
        let texts = [Some(memory.content.as_str()), memory.subject.as_deref()];
        let names = memory.entities.iter().map(String::as_str);
        for term in texts.into_iter().flatten().chain(names).flat_map(terms) {
            let n = counts.entry(term).or_default();
            *n = n.saturating_add(1);
            length += 1;
        }
        for (term, n) in counts {
            self.postings.entry(term).or_default().push((at, n));
        }
        for name in names_of(&memory.into()) {
            self.names.entry(name).or_default().push(at);
        }
        self.rows.push(Row {
            id: memory.id,
            superseded_by: memory.superseded_by,
            deleted: memory.deleted_at.is_some(),
            archived: memory.generation == Generation::Archived,
            stub: memory.storage_tier == StorageTier::Stub,
            category: memory.category,
            occurred_at: memory.occurred_at,
            valid_until: memory.valid_until,
            length,
            live: true,
        });
        self.total_length += u64::from(length);
        self.place.insert(memory.id, at);
        if let Some(vector) = vector {
            self.vectors.insert(at, vector);
        }
    }

    /// What is kept of every memory.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|r| r.live)
    }

    /// The vector of a memory, if it has one.
    pub fn vector(&self, id: Id) -> Option<&[f32]> {
        self.vectors.get(self.place.get(&id)?).map(AsRef::as_ref)
    }

    /// The `k` memories with the highest cosine among those that `wanted` lets pass; ties by id.
    pub fn nearest(&self, vector: &[f32], k: usize, wanted: impl Fn(&Row) -> bool) -> Vec<Match> {
        let scored = self.rows.iter().enumerate().filter(|(_, r)| r.live && wanted(r)).filter_map(|(at, r)| {
            let v = self.vectors.get(&(at as u32))?;
            Some(Match { id: r.id, score: cosine(vector, v) })
        });
        top(scored.collect(), k)
    }

    /// The `k` memories with the highest BM25 score for the terms of `text`; those without any term are absent.
    pub fn lexical(&self, text: &str, k: usize, wanted: impl Fn(&Row) -> bool) -> Vec<Match> {
        let count = self.len() as f32;
        let average = (self.total_length as f32 / count.max(1.0)).max(1.0);
        let mut scores: HashMap<u32, f32> = HashMap::new();
        let distinct: HashSet<u64> = terms(text).into_iter().collect();
        for term in distinct {
            let Some(postings) = self.postings.get(&term) else { continue };
            let live = postings.iter().filter(|(at, _)| self.rows[*at as usize].live);
            let n = live.clone().count() as f32;
            let idf = (1.0 + (count - n + 0.5) / (n + 0.5)).ln();
            for (at, tf) in live {
                let row = &self.rows[*at as usize];
                if wanted(row) {
                    let tf = f32::from(*tf);
                    let norm = K1 * (1.0 - B + B * row.length as f32 / average);
                    *scores.entry(*at).or_default() += idf * tf * (K1 + 1.0) / (tf + norm);
                }
            }
        }
        top(scores.into_iter().map(|(at, score)| Match { id: self.rows[at as usize].id, score }).collect(), k)
    }

    /// The current memories that structure names: same thread, subject or entity, also through an older
    /// version. The latest of each name; by ascending id.
    pub fn structural(&self, statement: &Statement<'_>) -> Vec<Id> {
        let mut found = Vec::new();
        for name in names_of(statement) {
            let rows = self.names.get(&name).map_or(&[][..], Vec::as_slice);
            let heads = rows.iter().rev().filter(|at| self.rows[**at as usize].live);
            found.extend(heads.filter_map(|at| self.head(*at)).take(PER_NAME));
        }
        order::sort(&mut found, Id::cmp);
        found.dedup();
        found
    }

    /// The current version of a row's chain, unless it was deleted.
    fn head(&self, at: u32) -> Option<Id> {
        let mut row = &self.rows[at as usize];
        // A chain is never longer than the index; the bound only guards against a cycle in bad data.
        for _ in 0..self.rows.len() {
            match row.superseded_by {
                Some(next) => row = self.row(next)?,
                None => return (!row.deleted).then_some(row.id),
            }
        }
        None
    }
}

/// The names by which structure finds a statement.
fn names_of(s: &Statement<'_>) -> Vec<Name> {
    let thread = s.thread_id.map(|t| Name::Thread(t.into()));
    let subject = s.subject.map(fold).filter(|s| !s.is_empty()).map(|s| Name::Subject(s.into()));
    let entities = s.entities.iter().map(|e| Name::Entity(fold(e).into()));
    thread.into_iter().chain(subject).chain(entities).collect()
}

/// The `k` best matches.
fn top(all: Vec<Match>, k: usize) -> Vec<Match> {
    rank(all, k, |m| (m.score, m.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Draft, Ids};

    fn memory(n: i64, content: &str, thread: &str) -> Memory {
        let now = Time::from_millis(n * 1000);
        let draft = Draft { thread_id: Some(thread.into()), ..Draft::new(content) };
        Memory::from_draft(Ids::new(now, [3; 16]).mint(), draft, now)
    }

    #[test]
    fn the_nearest_come_first_and_only_the_wanted() {
        let mut index = Index::default();
        let (a, b) = (memory(1, "a", "t"), memory(2, "b", "t"));
        index.put(&a, Some(vec![1.0, 0.0]));
        index.put(&b, Some(vec![0.6, 0.8]));
        let ids = |m: Vec<Match>| m.into_iter().map(|m| m.id).collect::<Vec<_>>();
        assert_eq!(ids(index.nearest(&[0.0, 1.0], 5, |_| true)), [b.id, a.id]);
        assert_eq!(ids(index.nearest(&[0.0, 1.0], 1, |r| r.id == a.id)), [a.id]);
    }

    #[test]
    fn a_replaced_memory_is_found_once_and_keeps_its_vector() {
        let mut index = Index::default();
        let mut a = memory(1, "예산 5000만원", "t");
        index.put(&a, Some(vec![1.0, 0.0]));
        a.revision = 2;
        index.put(&a, None);
        assert_eq!(index.len(), 1);
        assert_eq!(index.nearest(&[1.0, 0.0], 5, |_| true).len(), 1);
        assert_eq!(index.lexical("예산", 5, |_| true).len(), 1);
    }

    #[test]
    fn an_older_version_leads_to_its_head() {
        let mut index = Index::default();
        let (mut a, b) = (memory(1, "a", "t-1"), memory(2, "b", "t-2"));
        a.superseded_by = Some(b.id);
        index.put(&a, None);
        index.put(&b, None);
        assert!(index.structural(&(&a).into()).iter().eq([&b.id]));
    }

    #[test]
    fn an_exact_identifier_beats_common_words() {
        let mut index = Index::default();
        let a = memory(1, "Invoice SK-70413 is due on 25 April", "t");
        let b = memory(2, "Invoice SK-70418 is due on 18 April, the invoice", "t");
        index.put(&a, None);
        index.put(&b, None);
        assert_eq!(index.lexical("Do we still have to pay invoice SK-70413?", 2, |_| true)[0].id, a.id);
    }
}
