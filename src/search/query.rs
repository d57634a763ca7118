//! What an [`Index`] finds: by vectors, by words, by both together.
//!
//! It never changes the index. Cosines are those of codes: whoever needs the exact order compares whole vectors.

use super::index::Index;
use super::naming::{names_of, of_person};
use super::row::{GONE, IndexMatch, Row};
use super::terms::{asked_name, terms};
use super::vectors::{CHUNK, MARGIN, QueryLevels};
use crate::model::{Claim, Id};
use crate::similarity::rank;

/// At most this many memories are taken for each name, the latest first.
const PER_NAME: usize = 12;

/// What a scan looks for: `weight × max(cosine, floor) + prior` of each row, adjusted.
#[derive(Debug)]
pub struct IndexScan<'a> {
    /// The embedder of the vector.
    pub model: &'a str,
    /// The vector; one without direction is near to nothing.
    pub vector: &'a [f32],
    /// What the cosine counts for.
    pub weight: f32,
    /// The least that a cosine counts as; rows without a vector have it.
    pub floor: f32,
    /// What each row has already, as of [`Index::words`]; or nothing.
    pub prior: &'a [f32],
    /// At most this much is adjusted: `score ≤ lift.0 + lift.1 × raw`.
    pub lift: (f32, f32),
    /// Rows below this score are not wanted.
    pub least: f32,
    /// So many are wanted.
    pub k: usize,
    /// And what scores so little less than the last of them.
    pub margin: f32,
}

impl<'a> IndexScan<'a> {
    /// The ten nearest to a vector by their cosines alone, and what whole vectors may show to be as near.
    pub fn nearest(model: &'a str, vector: &'a [f32]) -> Self {
        // Rows without a vector have no more than the floor.
        let (weight, floor, prior, lift, least) = (1.0, -1.0, &[], (0.0, 1.0), -0.999);
        Self { model, vector, weight, floor, prior, lift, least, k: 10, margin: MARGIN }
    }
}

/// What the rows of an index have for some words.
#[derive(Debug)]
pub struct WordScores {
    /// The BM25 score of each row, 0 for those without any of them.
    pub scores: Vec<f32>,
    /// The best of those that are wanted.
    pub best: f32,
    /// What a text of average length that has each of them once would have.
    pub whole: f32,
}

/// One of the best rows of a scan.
#[derive(Debug, Clone, Copy)]
pub struct ScanMatch {
    /// The memory.
    pub id: Id,
    /// Its score.
    pub score: f32,
    /// Its cosine; 0 where it has no vector.
    pub cosine: f32,
    pub(super) row: u32,
}

impl ScanMatch {
    /// What it has in a list as of [`Index::words`].
    pub fn of(&self, list: &[f32]) -> f32 {
        list.get(self.row as usize).copied().unwrap_or_default()
    }
}

/// The `k` best of a scan, and what lies within a margin of them: of many alike four times as many at most.
pub(super) struct Closest {
    k: usize,
    /// The score that a row needs to be of interest.
    pub least: f32,
    margin: f32,
    /// So many are held before the worse ones go.
    most: usize,
    found: Vec<ScanMatch>,
}

impl Closest {
    pub fn new(k: usize, least: f32, margin: f32) -> Self {
        Self { k, least, margin, most: k.saturating_mul(8).clamp(CHUNK / 2, usize::MAX / 4), found: Vec::new() }
    }

    pub fn push(&mut self, found: ScanMatch) {
        self.found.push(found);
        if self.found.len() >= self.most {
            self.prune();
            // All that is left may be alike.
            self.most = self.most.max(2 * self.found.len());
        }
    }

    fn prune(&mut self) {
        if self.k > 0 && self.found.len() >= self.k {
            let mut scores: Vec<f32> = self.found.iter().map(|m| m.score).collect();
            let last = *scores.select_nth_unstable_by(self.k - 1, |a, b| b.total_cmp(a)).1;
            self.least = self.least.max(last - self.margin);
            self.found.retain(|m| m.score >= self.least);
        }
    }

    /// The best first, ties by id.
    pub fn finish(mut self) -> Vec<ScanMatch> {
        self.prune();
        let most = if self.margin > 0.0 { self.k.saturating_mul(4) } else { self.k };
        rank(self.found, most, |m| (m.score, m.id))
    }
}

/// BM25's usual parameters.
const K1: f32 = 1.2;
const B: f32 = 0.6;
/// Among fewer memories than these every term is looked at; among more, those that most of them have are left out.
const FEW: f32 = 1_000.0;

impl IndexScan<'_> {
    /// The raw score without which a row cannot reach `least`; a little less, since the sums are rounded.
    fn raw_least(&self, least: f32) -> f32 {
        (least - self.lift.0) / self.lift.1 - 1e-5
    }
}

impl Index {
    /// The best rows of those that `adjust` gives a score, best first. `adjust` must rise with the raw score.
    pub fn scan(&self, scan: &IndexScan<'_>, adjust: &dyn Fn(&Row, f32) -> Option<f32>) -> Vec<ScanMatch> {
        let is_its_own = self.model == scan.model && self.vectors.dimensions == scan.vector.len();
        let levels = QueryLevels::new(scan.vector).filter(|_| is_its_own);
        let mut closest = Closest::new(scan.k, scan.least, scan.margin);
        let mut wanted = scan.raw_least(scan.least);
        let mut cosines = [f32::NAN; CHUNK];
        for (chunk, rows) in self.rows.chunks(CHUNK).enumerate() {
            match levels.as_ref().filter(|_| chunk < self.vectors.chunks()) {
                Some(levels) => self.vectors.cosines(chunk, levels, &mut cosines),
                None => cosines.fill(f32::NAN),
            }
            let priors = scan.prior.as_chunks().0.get(chunk).unwrap_or(&[0.0; CHUNK]);
            for n in 0..rows.len().min(CHUNK) {
                // Without a call, since hardly any row passes.
                let nearness = if cosines[n] > scan.floor { cosines[n] } else { scan.floor };
                let raw = scan.weight * nearness + priors[n];
                if raw < wanted || !rows[n].is_live() {
                    continue;
                }
                let Some(score) = adjust(&rows[n], raw).filter(|score| *score >= closest.least) else { continue };
                let cosine = if cosines[n].is_nan() { 0.0 } else { cosines[n] };
                closest.push(ScanMatch { id: rows[n].id, score, cosine, row: (chunk * CHUNK + n) as u32 });
                wanted = scan.raw_least(closest.least);
            }
        }
        closest.finish()
    }

    /// The memories in which all of these people may take part, as one of their people or in their text, by ascending
    /// id; `None` where no name has a word to find it by.
    pub fn involving(&self, people: &[String]) -> Option<Vec<Id>> {
        let asked: Vec<u64> = people.iter().flat_map(|name| asked_name(name)).collect();
        if asked.is_empty() {
            return None;
        }
        let groups: Vec<[u64; 2]> = asked.iter().map(|term| [*term, of_person(*term)]).collect();
        Some(self.of_each(&mut groups.iter().map(|group| &group[..])))
    }

    /// The memories that hold all terms of any of these lists, by ascending id.
    pub fn holding(&self, lists: &[Vec<u64>]) -> Vec<Id> {
        let mut ids: Vec<Id> = lists.iter().flat_map(|terms| self.of_each(&mut terms.chunks(1))).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The memories that hold a term of each group, by ascending id; none where there is no group.
    fn of_each(&self, groups: &mut dyn Iterator<Item = &[u64]>) -> Vec<Id> {
        let (mut rows, mut found): (Option<Vec<u32>>, _) = (None, Vec::new());
        for group in groups {
            let mut of_group: Vec<u32> = Vec::new();
            for term in group {
                self.postings.rows(*term, &mut found);
                of_group.extend(found.iter().map(|(row, _)| row));
            }
            of_group.sort_unstable();
            of_group.dedup();
            match &mut rows {
                Some(rows) => rows.retain(|row| of_group.binary_search(row).is_ok()),
                None => rows = Some(of_group),
            }
        }
        let rows = rows.unwrap_or_default().into_iter().map(|at| &self.rows[at as usize]);
        let mut ids: Vec<Id> = rows.filter(|row| row.is_live()).map(|row| row.id).collect();
        ids.sort_unstable();
        ids
    }

    /// What the rows have for keys with what each counts for.
    pub fn words(&self, keys: &[(u64, f32)], wanted: &dyn Fn(&Row) -> bool) -> WordScores {
        let mut scores = vec![0.0f32; self.rows.len().next_multiple_of(CHUNK)];
        let (mut best, mut whole) = (0.0f32, 0.0f32);
        let count = self.len() as f32;
        let average = (self.total_length as f32 / count.max(1.0)).max(1.0);
        let mut distinct: Vec<(u64, f32)> = Vec::with_capacity(keys.len());
        for (key, weight) in keys.iter().copied() {
            match distinct.iter_mut().find(|d| d.0 == key) {
                Some(known) => known.1 = known.1.max(weight),
                None => distinct.push((key, weight)),
            }
        }
        let mut found = Vec::new();
        // Slices, because a look into a Vec is a call where size counts more than speed.
        let (sums, lengths, rows) = (&mut scores[..], &self.lengths[..], &self.rows[..]);
        let (slope, base) = (K1 * B / average, K1 * (1.0 - B));
        // Together what says next to nothing may be many rows long.
        let crowd = if count < FEW { usize::MAX } else { self.len() / 2 };
        for (term, weight) in distinct {
            if !self.postings.rows_unless(term, crowd, &mut found) {
                continue;
            }
            if self.loose > 0 {
                found.retain(|(at, _)| lengths[*at as usize] != GONE);
            }
            let n = found.len() as f32;
            let rare = weight * (1.0 + (count - n + 0.5) / (n + 0.5)).ln();
            let gain = rare * (K1 + 1.0);
            whole += rare;
            for (at, times) in &found[..] {
                let (at, times) = (*at as usize, f32::from(*times));
                let score = sums[at] + gain * times / (times + base + slope * f32::from(lengths[at]));
                sums[at] = score;
                // A score only grows, so that the best of all steps is the best of all rows.
                if score > best && wanted(&rows[at]) {
                    best = score;
                }
            }
        }
        WordScores { scores, best, whole }
    }

    /// As [`Self::seek`], for the terms of a text.
    pub fn lexical(&self, text: &str, k: usize, wanted: &dyn Fn(&Row) -> bool) -> Vec<IndexMatch> {
        self.seek(&terms(text).iter().map(|t| (t.key, 1.0)).collect::<Vec<_>>(), k, wanted)
    }

    /// The `k` memories with the highest BM25 score for keys with what each counts for; those without any are absent.
    pub fn seek(&self, keys: &[(u64, f32)], k: usize, wanted: &dyn Fn(&Row) -> bool) -> Vec<IndexMatch> {
        // Of any row: the best is not asked for.
        let WordScores { scores, .. } = self.words(keys, &|_| true);
        let mut closest = Closest::new(k, f32::MIN_POSITIVE, 0.0);
        for (at, row) in self.rows.iter().enumerate() {
            // Nearly all rows lack the words.
            if scores[at] >= closest.least && wanted(row) {
                closest.push(ScanMatch { id: row.id, score: scores[at], cosine: 0.0, row: at as u32 });
            }
        }
        closest.finish().into_iter().map(|m| IndexMatch { id: m.id, score: m.score }).collect()
    }

    /// The current memories that structure names: same thread, subject or entity, also through an older
    /// version. The latest of each name; by ascending id.
    pub fn structural(&self, statement: &Claim<'_>) -> Vec<Id> {
        let (mut found, mut rows) = (Vec::new(), Vec::new());
        for name in names_of(statement) {
            self.postings.rows(name, &mut rows);
            let heads = rows.iter().rev().filter(|(at, _)| self.rows[*at as usize].flags != 0);
            found.extend(heads.filter_map(|(at, _)| self.head(*at)).take(PER_NAME));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The current version of a row's chain, unless it was deleted.
    fn head(&self, mut at: u32) -> Option<Id> {
        // A chain is never longer than the index; the bound only guards against a cycle in bad data.
        for _ in 0..self.rows.len() {
            match self.successor(at) {
                Some(next) => at = self.at(next)?,
                None => {
                    let row = &self.rows[at as usize];
                    return (!row.is_deleted()).then_some(row.id);
                }
            }
        }
        None
    }
}
