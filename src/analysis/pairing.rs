//! Pairs the values of two memories by meaning, kind and neighbouring words.

use super::align::Alignment;
use super::reading::Reading;
use super::words::Word;
use crate::language::{Found, Match};

#[derive(Debug, Clone, Default)]
pub struct Pairing {
    /// For each stored value, its partner and how they compare.
    pub of_a: Vec<Option<(usize, Match)>>,
    /// For each new value, its partner and how they compare.
    pub of_b: Vec<Option<(usize, Match)>>,
    /// For each new value, how many neighbouring words match its partner's.
    pub near: Vec<u8>,
}

/// The range of a value's words, end exclusive.
pub fn words_of(words: &[Word], v: &Found) -> (usize, usize) {
    let from = words.partition_point(|w| w.end <= v.span.start);
    let to = words.partition_point(|w| w.start < v.span.end);
    (from, to.max(from))
}

fn neighbours(words: &[Word], (from, to): (usize, usize)) -> (Option<usize>, Option<usize>) {
    let telling = |i: &usize| words[*i].weight > 0.0;
    ((0..from.min(words.len())).rev().take(4).find(telling), (to..words.len()).take(4).find(telling))
}

impl Pairing {
    pub fn of(a: &Reading, b: &Reading, al: &Alignment) -> Self {
        Self::among(a, b, al, &[], &[])
    }

    /// Pairs only values that are not negated: a negated value replaces nothing.
    pub(super) fn of_affirmed(a: &Reading, b: &Reading, al: &Alignment) -> Self {
        Self::among(a, b, al, a.denied(), b.denied())
    }

    fn among(a: &Reading, b: &Reading, al: &Alignment, not_a: &[bool], not_b: &[bool]) -> Self {
        let (va, vb) = (&a.values, &b.values);
        let mut out = Self { of_a: vec![None; va.len()], of_b: vec![None; vb.len()], near: vec![0; vb.len()] };
        let around_a: Vec<_> = va.iter().map(|v| neighbours(&a.words, words_of(&a.words, v))).collect();
        let around_b: Vec<_> = vb.iter().map(|v| neighbours(&b.words, words_of(&b.words, v))).collect();
        let met = |x: Option<usize>, y: Option<usize>| match (x, y) {
            (Some(i), Some(j)) => al.of_b[j].is_some_and(|m| al.matches[m].a == i),
            _ => false,
        };
        let mut found = Vec::new();
        let holds = |denied: &[bool], n: usize| !denied.get(n).copied().unwrap_or_default();
        for (j, y) in vb.iter().enumerate().filter(|(j, _)| holds(not_b, *j)) {
            for (i, x) in va.iter().enumerate().filter(|(i, _)| holds(not_a, *i)) {
                let how = x.value.compare(&y.value);
                let base = match how {
                    Match::Same => 3.0,
                    Match::Compatible => 2.0,
                    Match::Different => 1.0,
                    Match::Unlike => continue,
                };
                let (p, q) = (around_a[i], around_b[j]);
                let near = u8::from(met(p.0, q.0))
                    + u8::from(met(p.1, q.1))
                    + u8::from(met(p.0, q.1))
                    + u8::from(met(p.1, q.0));
                let drift = (i as f32 / va.len() as f32 - j as f32 / vb.len() as f32).abs();
                found.push((base + 0.2 * f32::from(near.min(2)) - 0.1 * drift, i, j, how, near));
            }
        }
        found.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.2.cmp(&y.2)).then(x.1.cmp(&y.1)));
        for (_, i, j, how, near) in found {
            if out.of_a[i].is_none() && out.of_b[j].is_none() {
                out.of_a[i] = Some((j, how));
                out.of_b[j] = Some((i, how));
                out.near[j] = near;
            }
        }
        out
    }

    /// This pairing with the new value `j` as the replacement of the stored value `i`.
    pub fn with_replacement(&self, (i, j): (usize, usize)) -> Self {
        let mut out = self.clone();
        if let Some((j, _)) = out.of_a[i] {
            out.of_b[j] = None;
        }
        if let Some((i, _)) = out.of_b[j] {
            out.of_a[i] = None;
        }
        (out.of_a[i], out.of_b[j]) = (Some((j, Match::Different)), Some((i, Match::Different)));
        // The text itself names what is replaced.
        out.near[j] = out.near[j].max(1);
        out
    }

    /// Marks words inside equal values as matched, so that `2 p.m.` covers `14:00`.
    pub fn mark(&self, a: &Reading, b: &Reading, al: &mut Alignment) {
        for (of, r, scores) in [(&self.of_a, a, &mut al.scores_a), (&self.of_b, b, &mut al.scores_b)] {
            let agreed = r.values.iter().zip(of).filter(|(_, mate)| mate.is_some_and(|(_, how)| how.agrees()));
            for (from, to) in agreed.map(|(v, _)| words_of(&r.words, v)) {
                scores[from..to].iter_mut().for_each(|score| *score = score.max(0.97));
            }
        }
    }
}
