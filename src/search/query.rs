//! Queries of an [`Index`]: by vectors, by words or by both.
//!
//! Cosines are approximate, since they use quantised vectors.

use super::index::{Index, IndexMatch, Row, UNUSED_ROW};
use super::terms::{name_keys, of_person, person_terms, terms};
use super::vectors::{CHUNK, MARGIN, QueryLevels};
use crate::model::{Claim, Id};
use crate::similarity::rank;

/// The most memories for each name, latest first.
const PER_NAME: usize = 12;

/// A scan scores each row: `weight × max(cosine, floor) + prior`, then adjusted.
#[derive(Debug)]
pub struct IndexScan<'a> {
    /// The model tag of the query vector.
    pub model: &'a str,
    /// The query vector; a zero vector matches nothing.
    pub vector: &'a [f32],
    pub weight: f32,
    /// The lower bound of a cosine, also used for rows without a vector.
    pub floor: f32,
    /// The initial score of each row, as from [`Index::words`], or empty.
    pub prior: &'a [f32],
    /// The bound of the adjustment: `score ≤ lift.0 + lift.1 × raw`.
    pub lift: (f32, f32),
    /// The least score of a result.
    pub least: f32,
    /// The number of results.
    pub k: usize,
    /// Results within this margin of the last one are included too.
    pub margin: f32,
}

impl<'a> IndexScan<'a> {
    /// Finds the `k` nearest memories by cosine, and those within the quantisation margin of them.
    pub fn nearest(model: &'a str, vector: &'a [f32], k: usize) -> Self {
        // Rows without a vector score no more than the floor, which is below `least`.
        let (weight, floor, prior, lift, least) = (1.0, -1.0, &[], (0.0, 1.0), -0.999);
        Self { model, vector, weight, floor, prior, lift, least, k, margin: MARGIN }
    }
}

#[derive(Debug)]
pub struct WordScores {
    /// The BM25 score of each row; 0 without a match.
    pub scores: Vec<f32>,
    /// The best score of a row that passes the filter.
    pub best: f32,
    /// The score of a text of average length that contains every word once.
    pub whole: f32,
}

#[derive(Debug, Clone, Copy)]
pub struct ScanMatch {
    pub id: Id,
    pub score: f32,
    pub cosine: f32,
    pub(super) row: u32,
}

impl ScanMatch {
    /// The row's value in a list of scores from [`Index::words`].
    pub fn of(&self, list: &[f32]) -> f32 {
        list.get(self.row as usize).copied().unwrap_or_default()
    }
}

/// Collects the `k` best results and those within a margin of them, at most `4 * k` in all.
pub(super) struct BestMatches {
    k: usize,
    /// The score that a new result needs.
    pub least: f32,
    margin: f32,
    /// The number of results at which the worse ones are pruned.
    most: usize,
    found: Vec<ScanMatch>,
}

impl BestMatches {
    pub fn new(k: usize, least: f32, margin: f32) -> Self {
        Self { k, least, margin, most: k.saturating_mul(8).clamp(CHUNK / 2, usize::MAX / 4), found: Vec::new() }
    }

    pub fn push(&mut self, found: ScanMatch) {
        self.found.push(found);
        if self.found.len() >= self.most {
            self.prune();
            // Pruning may keep everything, if the scores are similar.
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

    /// The results, best first, ties by id.
    pub fn finish(mut self) -> Vec<ScanMatch> {
        self.prune();
        rank(self.found, if self.margin > 0.0 { self.k.saturating_mul(4) } else { self.k }, |m| (m.score, m.id))
    }
}

/// The usual BM25 parameters.
const K1: f32 = 1.2;
const B: f32 = 0.6;
/// From this many memories on, terms that most of them contain are skipped.
const SMALL_INDEX: f32 = 1_000.0;

impl Index {
    /// The best rows, best first. `adjust` returns the final score or `None`, and must rise with the raw score.
    pub fn scan(&self, scan: &IndexScan<'_>, adjust: &dyn Fn(&Row, f32) -> Option<f32>) -> Vec<ScanMatch> {
        let is_its_own = self.model == scan.model && self.vectors.dimensions == scan.vector.len();
        let levels = QueryLevels::new(scan.vector).filter(|_| is_its_own);
        let mut closest = BestMatches::new(scan.k, scan.least, scan.margin);
        // The raw score needed to reach a score, minus a tolerance for rounding.
        let raw_of = |score: f32| (score - scan.lift.0) / scan.lift.1 - 1e-5;
        let mut wanted = raw_of(scan.least);
        let mut cosines = [f32::NAN; CHUNK];
        for (chunk, rows) in self.rows.chunks(CHUNK).enumerate() {
            match levels.as_ref().filter(|_| chunk < self.vectors.chunks()) {
                Some(levels) => self.vectors.cosines(chunk, levels, &mut cosines),
                None => cosines.fill(f32::NAN),
            }
            let priors = scan.prior.as_chunks().0.get(chunk).unwrap_or(&[0.0; CHUNK]);
            for n in 0..rows.len().min(CHUNK) {
                // Not `f32::max`, which is a call; hardly any row passes.
                let nearness = if cosines[n] > scan.floor { cosines[n] } else { scan.floor };
                let raw = scan.weight * nearness + priors[n];
                if raw < wanted || !rows[n].is_live() {
                    continue;
                }
                let Some(score) = adjust(&rows[n], raw).filter(|score| *score >= closest.least) else { continue };
                let cosine = if cosines[n].is_nan() { 0.0 } else { cosines[n] };
                closest.push(ScanMatch { id: rows[n].id, score, cosine, row: (chunk * CHUNK + n) as u32 });
                wanted = raw_of(closest.least);
            }
        }
        closest.finish()
    }

    /// The memories that involve all of these people, by name or in the text, by ascending id. `None` if no name has a
    /// searchable word.
    pub fn involving(&self, people: &[String]) -> Option<Vec<Id>> {
        let asked: Vec<u64> = people.iter().flat_map(|name| person_terms(name)).collect();
        if asked.is_empty() {
            return None;
        }
        let groups: Vec<[u64; 2]> = asked.iter().map(|term| [*term, of_person(*term)]).collect();
        Some(self.of_each(&mut groups.iter().map(|group| &group[..])))
    }

    /// The memories that contain all terms of at least one list, by ascending id.
    pub fn holding(&self, lists: &[Vec<u64>]) -> Vec<Id> {
        let mut ids: Vec<Id> = lists.iter().flat_map(|terms| self.of_each(&mut terms.chunks(1))).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The memories that contain a term of each group, by ascending id; none without groups.
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
        // Slices, since indexing a Vec is a call in a size-optimised build.
        let (sums, lengths, rows) = (&mut scores[..], &self.lengths[..], &self.rows[..]);
        let (slope, base) = (K1 * B / average, K1 * (1.0 - B));
        // Skip terms that most memories contain: long lists, little information.
        let crowd = if count < SMALL_INDEX { usize::MAX } else { self.len() / 2 };
        for (term, weight) in distinct {
            if !self.postings.rows_unless(term, crowd, &mut found) {
                continue;
            }
            if self.unmerged > 0 {
                found.retain(|(at, _)| lengths[*at as usize] != UNUSED_ROW);
            }
            let n = found.len() as f32;
            let rare = weight * (1.0 + (count - n + 0.5) / (n + 0.5)).ln();
            let gain = rare * (K1 + 1.0);
            whole += rare;
            for (at, times) in &found[..] {
                let (at, times) = (*at as usize, f32::from(*times));
                let score = sums[at] + gain * times / (times + base + slope * f32::from(lengths[at]));
                sums[at] = score;
                // Scores only grow, so the best intermediate score is the best final one.
                if score > best && wanted(&rows[at]) {
                    best = score;
                }
            }
        }
        WordScores { scores, best, whole }
    }

    /// Like [`Self::seek`], for the terms of a text.
    pub fn lexical(&self, text: &str, k: usize, wanted: &dyn Fn(&Row) -> bool) -> Vec<IndexMatch> {
        self.seek(&terms(text).iter().map(|t| (t.key, 1.0)).collect::<Vec<_>>(), k, wanted)
    }

    /// The `k` memories with the highest BM25 score for weighted keys; those without a match are left out.
    pub fn seek(&self, keys: &[(u64, f32)], k: usize, wanted: &dyn Fn(&Row) -> bool) -> Vec<IndexMatch> {
        // `best` is not used here, so no filter is needed.
        let WordScores { scores, .. } = self.words(keys, &|_| true);
        let mut closest = BestMatches::new(k, f32::MIN_POSITIVE, 0.0);
        for (at, row) in self.rows.iter().enumerate() {
            // Check the score first: nearly all rows lack the words.
            if scores[at] >= closest.least && wanted(row) {
                closest.push(ScanMatch { id: row.id, score: scores[at], cosine: 0.0, row: at as u32 });
            }
        }
        closest.finish().into_iter().map(|m| IndexMatch { id: m.id, score: m.score }).collect()
    }

    /// The current memories with the same thread, subject or entity, also via an older version: the latest of each
    /// name, by ascending id.
    pub fn structural(&self, statement: &Claim<'_>) -> Vec<Id> {
        let (mut found, mut rows) = (Vec::new(), Vec::new());
        for name in name_keys(statement) {
            self.postings.rows(name, &mut rows);
            let heads = rows.iter().rev().filter(|(at, _)| self.rows[*at as usize].flags != 0);
            found.extend(heads.filter_map(|(at, _)| self.head(*at)).take(PER_NAME));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The current version of a row's chain; `None` if it was deleted.
    fn head(&self, mut at: u32) -> Option<Id> {
        // The bound guards against a cycle in corrupt data.
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
