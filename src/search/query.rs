//! What an [`Index`] finds: by vectors, by words, by both together.
//!
//! It never changes the index, and says no more of a row than its codes prove.

use super::codes::{CHUNK, pass_bare};
use super::index::{Index, ModelVectors};
use super::naming::{names_of, of_person};
use super::probe::{Gate, Passed, Probe};
use super::row::{GONE, IndexMatch, Row};
use super::terms::{asked_name, terms};
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
    /// What each row has already; where empty, only rows with vectors are looked at.
    pub prior: &'a [f32],
    /// At most this much is adjusted: `score ≤ offset + gain × raw`.
    pub offset: f32,
    /// See `offset`.
    pub gain: f32,
    /// Rows below this score are not wanted.
    pub least: f32,
    /// So many are wanted.
    pub k: usize,
}

impl<'a> IndexScan<'a> {
    /// The ten nearest to a vector, by their cosines alone.
    pub fn nearest(model: &'a str, vector: &'a [f32]) -> Self {
        let (offset, gain, least) = (0.0, 1.0, -1.0);
        Self { model, vector, weight: 1.0, floor: -1.0, prior: &[], offset, gain, least, k: 10 }
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

/// A row that may be among the best, as far as its codes tell.
#[derive(Debug, Clone, Copy)]
pub struct Open {
    /// The memory.
    pub id: Id,
    /// What its score is at least and at most.
    pub lower: f32,
    /// See `lower`.
    pub upper: f32,
    /// What its cosine is about; 0 where it has no vector.
    pub cosine: f32,
    pub(super) row: u32,
}

impl Open {
    /// What it has in a list as of [`Index::words`].
    pub fn of(&self, list: &[f32]) -> f32 {
        list.get(self.row as usize).copied().unwrap_or_default()
    }
}

/// BM25's usual parameters.
const K1: f32 = 1.2;
const B: f32 = 0.6;
/// So many rows of a chunk are looked at one by one rather than all together.
const SOME: usize = 32;
/// So many chunks for which it is asked in vain.
const VAIN: usize = 4;
/// Among fewer memories than these every term is looked at; among more, those that most of them have are left out.
const FEW: f32 = 1_000.0;

impl IndexScan<'_> {
    #[inline(always)]
    fn raw(&self, cosine: f32, prior: f32) -> f32 {
        self.weight * cosine.clamp(-1.0, 1.0).max(self.floor) + prior
    }

    /// The raw score without which a row cannot reach `least`; a little less, since the sums are rounded.
    fn raw_least(&self, least: f32) -> f32 {
        (least - self.offset) / self.gain - 1e-5
    }
}

impl Index {
    /// Every row that may be among the `k` best of those that `adjust` gives a score; whoever knows the exact cosine
    /// of each knows the best. `adjust` must rise with the raw score.
    pub fn scan(&self, scan: &IndexScan<'_>, adjust: &dyn Fn(&Row, f32) -> Option<f32>) -> Vec<Open> {
        let space = self.spaces.iter().find(|s| s.model == scan.model && s.codes.dimensions() == scan.vector.len());
        let probe = Probe::new(scan.vector);
        let mut open: Vec<Open> = Vec::new();
        let mut passed: Vec<Passed> = Vec::new();
        let mut padded = [0.0f32; CHUNK];
        let mut most = scan.k.saturating_mul(4).clamp(CHUNK / 4, usize::MAX / 4);
        // How often all rows of a chunk were summed up although it was asked which need be.
        let mut vain = 0;
        let known = space.zip(probe.as_ref());
        let mut least = self.reached(scan, known, adjust);
        for (chunk, rows) in self.rows.chunks(CHUNK).enumerate() {
            let known = known.filter(|(space, _)| chunk < space.codes.chunks());
            if known.is_none() && scan.prior.is_empty() {
                continue;
            }
            let some = scan.prior.get(chunk * CHUNK..).unwrap_or_default();
            let priors = some.first_chunk().unwrap_or_else(|| {
                padded.fill(0.0);
                padded[..some.len()].copy_from_slice(some);
                &padded
            });
            let gate = Gate { weight: scan.weight, floor: scan.floor, least: scan.raw_least(least), priors };
            match known {
                Some((space, probe)) => {
                    // Those that get there if they are as near as can be, unless they would without any prior.
                    let some = gate.least > gate.weight && vain < VAIN && {
                        pass_bare(&Gate { floor: 1.0, ..gate }, &mut passed);
                        passed.len() <= SOME
                    };
                    if some {
                        space.codes.pass_some(chunk, probe, &gate, &mut passed);
                    } else {
                        vain += 1;
                        space.codes.pass(chunk, probe, &gate, &mut passed);
                    }
                }
                None => pass_bare(&gate, &mut passed),
            }
            for Passed { row: n, cosine, bound } in passed.iter().copied() {
                let Some(row) = rows.get(n).filter(|r| r.is_live()) else { continue };
                if bound.is_nan() && scan.prior.is_empty() {
                    continue;
                }
                let at = chunk * CHUNK + n;
                let upper = adjust(row, scan.raw(cosine + bound, priors[n])).filter(|upper| *upper >= least);
                let Some(upper) = upper else { continue };
                let Some(lower) = adjust(row, scan.raw(cosine - bound, priors[n])) else { continue };
                let cosine = if bound.is_nan() { 0.0 } else { cosine };
                open.push(Open { id: row.id, row: at as u32, lower, upper, cosine });
                if open.len() >= 2 * most {
                    least = close(&mut open, scan.k, least);
                    // All that is left may be alike.
                    most = most.max(open.len());
                }
            }
        }
        close(&mut open, scan.k, least);
        open
    }

    /// A score that `k` rows are sure to reach, or the least that is wanted: by those that have most whatever their cosines
    /// are, looked at more closely.
    fn reached(
        &self,
        scan: &IndexScan<'_>,
        known: Option<(&ModelVectors, &Probe)>,
        adjust: &dyn Fn(&Row, f32) -> Option<f32>,
    ) -> f32 {
        let mut best: Vec<(f32, usize)> = Vec::new();
        let mut least = scan.least;
        // Of very many the order is not worth keeping.
        if scan.k == 0 || scan.k > CHUNK {
            return least;
        }
        let floor = scan.raw(scan.floor, 0.0);
        let mut wanted = f32::MIN_POSITIVE;
        let mut passed: Vec<Passed> = Vec::new();
        for (chunk, (priors, rows)) in scan.prior.as_chunks().0.iter().zip(self.rows.chunks(CHUNK)).enumerate() {
            pass_bare(&Gate { weight: 0.0, floor: 0.0, least: wanted, priors }, &mut passed);
            for (n, prior, row) in passed.iter().filter_map(|p| Some((p.row, priors[p.row], rows.get(p.row)?))) {
                if prior < wanted || !row.is_live() {
                    continue;
                }
                if let Some(score) = adjust(row, floor + prior).filter(|score| *score > least) {
                    let place = best.partition_point(|b| b.0 >= score);
                    best.insert(place, (score, chunk * CHUNK + n));
                    if best.len() >= scan.k {
                        best.truncate(scan.k);
                        least = best[scan.k - 1].0;
                        wanted = (scan.raw_least(least) - floor).max(f32::MIN_POSITIVE);
                    }
                }
            }
        }
        for (score, at) in &mut best {
            let near = known.filter(|(space, _)| space.codes.has(*at as u32));
            let Some((cosine, bound)) = near.map(|(space, probe)| space.codes.near(*at, probe)) else { continue };
            let closer = adjust(&self.rows[*at], scan.raw(cosine - bound, scan.prior[*at]));
            *score = closer.unwrap_or(*score);
        }
        let last = best.iter().map(|b| b.0).min_by(f32::total_cmp);
        last.filter(|_| best.len() == scan.k).unwrap_or(scan.least)
    }

    /// What is kept of an open row's memory.
    pub fn row_of(&self, open: &Open) -> &Row {
        &self.rows[open.row as usize]
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
        if !ids.is_sorted() {
            ids.sort_unstable();
        }
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
            if !of_group.is_sorted() {
                of_group.sort_unstable();
            }
            of_group.dedup();
            match &mut rows {
                Some(rows) => rows.retain(|row| of_group.binary_search(row).is_ok()),
                None => rows = Some(of_group),
            }
        }
        let rows = rows.unwrap_or_default().into_iter().map(|at| &self.rows[at as usize]);
        let mut ids: Vec<Id> = rows.filter(|row| row.is_live()).map(|row| row.id).collect();
        // Rows come with their memories, whose ids ascend.
        if !ids.is_sorted() {
            ids.sort_unstable();
        }
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

    /// The `k` memories with the highest BM25 score for the terms of `text`; those without any term are absent.
    pub fn lexical(&self, text: &str, k: usize, wanted: &dyn Fn(&Row) -> bool) -> Vec<IndexMatch> {
        self.seek(&terms(text).iter().map(|t| (t.key, 1.0)).collect::<Vec<_>>(), k, wanted)
    }

    /// The `k` memories with the highest BM25 score for keys with what each counts for; those without any are absent.
    pub fn seek(&self, keys: &[(u64, f32)], k: usize, wanted: &dyn Fn(&Row) -> bool) -> Vec<IndexMatch> {
        // Of any row: the best is not asked for.
        let WordScores { scores, .. } = self.words(keys, &|_| true);
        let mut found: Vec<IndexMatch> = Vec::new();
        let mut least = f32::MIN_POSITIVE;
        let most = k.saturating_mul(2).saturating_add(CHUNK / 16);
        let mut passed: Vec<Passed> = Vec::new();
        for (priors, rows) in scores.as_chunks().0.iter().zip(self.rows.chunks(CHUNK)) {
            // Nearly all rows lack the words.
            pass_bare(&Gate { weight: 0.0, floor: 0.0, least, priors }, &mut passed);
            for (score, row) in passed.iter().filter_map(|p| Some((priors[p.row], rows.get(p.row)?))) {
                if wanted(row) {
                    found.push(IndexMatch { id: row.id, score });
                }
            }
            if found.len() >= most {
                found = rank(found, k, |m| (m.score, m.id));
                least = found.last().map_or(least, |m| m.score);
            }
        }
        rank(found, k, |m| (m.score, m.id))
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

/// Lets go of the rows that cannot be among the `k` best; gives the score that they would have needed.
pub(super) fn close(open: &mut Vec<Open>, k: usize, least: f32) -> f32 {
    if k == 0 || open.len() < k {
        return least;
    }
    let mut lowers: Vec<f32> = open.iter().map(|o| o.lower).collect();
    let least = lowers.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a)).1.max(least);
    open.retain(|o| o.upper >= least);
    least
}
