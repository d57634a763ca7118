//! Aligns the words of a new memory with those of a stored one, by stem, sense, number or spelling.

use super::words::{Kind, Word};
use crate::language::common_pairs;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Same,
    /// The same number.
    Number,
    Sense,
    Part,
    /// Similar spelling, by shared bigrams.
    Alike,
}

#[derive(Debug, Clone, Copy)]
pub struct WordMatch {
    /// Index into the stored memory's words.
    pub a: usize,
    /// Index into the new memory's words.
    pub b: usize,
    /// Match quality, 0–1.
    pub score: f32,
    pub how: How,
}

/// One-to-one matches between two word lists, in the order of the new words.
#[derive(Debug, Clone, Default)]
pub struct Alignment {
    pub matches: Vec<WordMatch>,
    /// For each stored word, the index of its match.
    pub of_a: Vec<Option<usize>>,
    /// For each new word, the index of its match.
    pub of_b: Vec<Option<usize>>,
    /// Match score of each stored and each new word, 0 where unmatched.
    pub scores_a: Vec<f32>,
    pub scores_b: Vec<f32>,
}

/// The match score of two words and its kind; `None` if they do not match.
#[inline]
pub fn meet(a: &Word, b: &Word) -> Option<(f32, How)> {
    if let (Some(x), Some(y)) = (a.number, b.number) {
        let score = if a.kind == b.kind { 1.0 } else { 0.97 };
        return ((x - y).abs() < 1e-9).then_some((score, How::Number));
    }
    if a.hash == b.hash && a.stem == b.stem {
        return Some((1.0, How::Same));
    }
    if a.function || b.function {
        return None;
    }
    let (short, long) = if a.stem.len() <= b.stem.len() { (a, b) } else { (b, a) };
    if [a.kind, b.kind].iter().any(|kind| matches!(kind, Kind::Code | Kind::Number)) {
        let is_part = match (long.kind, short.kind) {
            // "W-1207" ends with 1207, and a phone number with its last group.
            (Kind::Code, Kind::Number) => {
                short.stem.len() >= 2 && long.stem.trim_start_matches(|c: char| !c.is_ascii_digit()) == short.stem
            }
            (Kind::Number, Kind::Number) => {
                long.stem.contains('-') && long.stem.ends_with(&short.stem) && short.stem.len() >= 3
            }
            _ => false,
        };
        return is_part.then_some((0.9, How::Part));
    }
    if a.shares_sense(b) {
        return Some((0.88, How::Sense));
    }
    let common = (a.grams & b.grams).count_ones();
    if a.kind == b.kind && common < 2 {
        return None;
    }
    if a.kind == Kind::Hangul && b.kind == Kind::Hangul {
        let n = short.stem.chars().count();
        if n >= 2 && (long.stem.starts_with(&short.stem) || long.stem.ends_with(&short.stem)) {
            return Some((0.8, How::Part));
        }
        if n >= 3 && long.stem.contains(&short.stem) {
            return Some((0.75, How::Part));
        }
    } else if a.kind == Kind::Latin && b.kind == Kind::Latin {
        let n = short.stem.len();
        if n >= 4 && long.stem.starts_with(&short.stem) && long.stem.len() <= n + 4 {
            return Some((0.78, How::Part));
        }
        if n >= 5 && long.stem.ends_with(&short.stem) {
            return Some((0.72, How::Part));
        }
        if n >= 6 && short.stem.as_bytes()[..5] == long.stem.as_bytes()[..5] {
            return Some((0.68, How::Alike));
        }
    }
    if a.kind == b.kind {
        let dice = 2.0 * common as f32 / (a.grams.count_ones() + b.grams.count_ones()).max(1) as f32;
        if dice >= 0.66 && short.stem.chars().count() >= 3 {
            return Some((0.4 + 0.3 * dice, How::Alike));
        }
        if a.kind == Kind::Hangul && dice >= 0.55 && short.stem.chars().count() >= 2 {
            // 옮겼다 and 옮긴: inflected forms of one verb share the first syllable.
            if a.stem.chars().next() == b.stem.chars().next() {
                return Some((0.55, How::Alike));
            }
        }
    }
    None
}

/// The weighted share of `part` that matches some word of `text`, 0–1; cheaper than an alignment.
pub fn cover(part: &[Word], text: &[Word]) -> f32 {
    let (mut got, mut all) = (0.0f32, 0.0f32);
    for p in part.iter().filter(|p| p.weight > 0.0) {
        let best = text.iter().filter(|t| !t.function).filter_map(|t| meet(t, p)).map(|m| m.0).fold(0.0f32, f32::max);
        got += p.weight * best;
        all += p.weight;
    }
    if all > 0.0 { got / all } else { 0.0 }
}

impl Alignment {
    pub fn of(a: &[Word], b: &[Word]) -> Self {
        let mut found: Vec<(f32, f32, WordMatch)> = Vec::with_capacity(b.len() * 2);
        let (na, nb) = (a.len().max(1) as f32, b.len().max(1) as f32);
        for (j, y) in b.iter().enumerate() {
            for (i, x) in a.iter().enumerate() {
                if x.function != y.function && x.number.is_none() {
                    continue;
                }
                if let Some((score, how)) = meet(x, y) {
                    // Identical neighbours break ties between several candidate matches.
                    let same_at = |d: isize| {
                        let (p, q) = (i.checked_add_signed(d), j.checked_add_signed(d));
                        match (p.and_then(|p| a.get(p)), q.and_then(|q| b.get(q))) {
                            (Some(p), Some(q)) => f32::from(u8::from(p.hash == q.hash)),
                            _ => 0.0,
                        }
                    };
                    let rank = score + 0.02 * (same_at(-1) + same_at(1)) - 0.01 * (i as f32 / na - j as f32 / nb).abs();
                    found.push((rank, score, WordMatch { a: i, b: j, score, how }));
                }
            }
        }
        found.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.2.b.cmp(&y.2.b)).then(x.2.a.cmp(&y.2.a)));
        let mut out = Self { of_a: vec![None; a.len()], of_b: vec![None; b.len()], ..Self::default() };
        (out.scores_a, out.scores_b) = (vec![0.0; a.len()], vec![0.0; b.len()]);
        for (_, _, m) in found {
            if out.scores_a[m.a] == 0.0 && out.scores_b[m.b] == 0.0 {
                (out.scores_a[m.a], out.scores_b[m.b]) = (m.score, m.score);
                out.matches.push(m);
            }
        }
        out.matches.sort_by_key(|m| m.b);
        for (n, m) in out.matches.iter().enumerate() {
            (out.of_a[m.a], out.of_b[m.b]) = (Some(n), Some(n));
        }
        out
    }

    /// Whether a stored word matches a word or lies in a shared value.
    pub fn met_a(&self, i: usize) -> bool {
        self.scores_a[i] > 0.0
    }

    /// Whether a new word matches a word or lies in a shared value.
    pub fn met_b(&self, j: usize) -> bool {
        self.scores_b[j] > 0.0
    }

    /// The longest subsequence of content matches in the same order in both texts.
    pub fn in_order(&self, a: &[Word]) -> Vec<usize> {
        let of_b: Vec<usize> = (0..self.matches.len()).filter(|n| a[self.matches[*n].a].weight > 0.0).collect();
        let mut of_a = of_b.clone();
        of_a.sort_by_key(|n| self.matches[*n].a);
        common_pairs(of_a.len(), of_b.len(), |i, j| of_a[i] == of_b[j]).into_iter().map(|(_, j)| of_b[j]).collect()
    }
}
