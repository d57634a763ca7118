//! Aligns the words of a new memory with those of a stored one, by stem, sense, number or spelling.

use super::words::{Kind, Word};

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
    scores_a: Vec<f32>,
    scores_b: Vec<f32>,
}

/// Cheap negative test: most pairs of words are rejected here without a full comparison.
#[inline(always)]
fn cannot_match(a: &Word, b: &Word) -> bool {
    let numbers = a.number.is_some() && b.number.is_some();
    if a.hash == b.hash || a.kind != b.kind || numbers {
        return false;
    }
    let letters = matches!(a.kind, Kind::Latin | Kind::Hangul);
    // Words of one script with fewer than two shared bigrams cannot have similar spelling.
    a.function
        || b.function
        || letters && (a.grams & b.grams).count_ones() < 2 && !a.sense.zip(b.sense).is_some_and(|(x, y)| x.same(y))
}

/// The match score of two words and its kind; `None` if they do not match.
pub fn meet(a: &Word, b: &Word) -> Option<(f32, How)> {
    if cannot_match(a, b) { None } else { compare_words(a, b) }
}

/// The full comparison behind [`meet`].
fn compare_words(a: &Word, b: &Word) -> Option<(f32, How)> {
    if let (Some(x), Some(y)) = (a.number, b.number) {
        if (x - y).abs() < 1e-9 {
            return Some((if a.kind == b.kind { 1.0 } else { 0.97 }, How::Number));
        }
        return None;
    }
    if a.hash == b.hash && a.stem == b.stem {
        return Some((1.0, How::Same));
    }
    if a.function || b.function {
        return None;
    }
    if a.kind == Kind::Code || b.kind == Kind::Code || a.kind == Kind::Number || b.kind == Kind::Number {
        let (code, other) = if a.kind == Kind::Code { (a, b) } else { (b, a) };
        let tail: &str = code.stem.trim_start_matches(|c: char| !c.is_ascii_digit());
        if code.kind == Kind::Code && other.kind == Kind::Number && tail.len() >= 2 && tail == other.stem {
            return Some((0.9, How::Part));
        }
        if code.kind == Kind::Number && other.kind == Kind::Number {
            let long =
                if code.stem.len() > other.stem.len() { (&code.stem, &other.stem) } else { (&other.stem, &code.stem) };
            if long.0.contains('-') && long.0.ends_with(long.1.as_str()) && long.1.len() >= 3 {
                return Some((0.9, How::Part));
            }
        }
        return None;
    }
    if let (Some(x), Some(y)) = (a.sense, b.sense)
        && x.same(y)
    {
        return Some((0.88, How::Sense));
    }
    let common = (a.grams & b.grams).count_ones();
    if a.kind == b.kind && common < 2 {
        return None;
    }
    let (short, long) = if a.stem.len() <= b.stem.len() { (a, b) } else { (b, a) };
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
        let dice = 2.0 * common as f32 / (a.gram_count + b.gram_count).max(1) as f32;
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
        for (_, _, m) in found {
            if out.of_a[m.a].is_none() && out.of_b[m.b].is_none() {
                out.of_a[m.a] = Some(0);
                out.of_b[m.b] = Some(0);
                out.matches.push(m);
            }
        }
        out.matches.sort_by_key(|m| m.b);
        for (n, m) in out.matches.iter().enumerate() {
            out.of_a[m.a] = Some(n);
            out.of_b[m.b] = Some(n);
        }
        out.update_scores(&[], &[]);
        out
    }

    /// Recomputes the scores; words inside values that both texts state count as matched too.
    pub fn update_scores(&mut self, said_a: &[bool], said_b: &[bool]) {
        let matches = &self.matches[..];
        for (scores, of, said) in [(&mut self.scores_a, &self.of_a, said_a), (&mut self.scores_b, &self.of_b, said_b)] {
            scores.clear();
            scores.extend(of.iter().enumerate().map(|(n, m)| {
                let said = if said.get(n).copied().unwrap_or(false) { 0.97 } else { 0.0 };
                m.map_or(said, |m| matches[m].score.max(said))
            }));
        }
    }

    /// The match score of a stored word, 0 if unmatched.
    pub fn score_a(&self, i: usize) -> f32 {
        self.scores_a.get(i).copied().unwrap_or(0.0)
    }

    /// The match score of a new word, 0 if unmatched.
    pub fn score_b(&self, j: usize) -> f32 {
        self.scores_b.get(j).copied().unwrap_or(0.0)
    }

    /// Whether a stored word matches a word or lies in a shared value.
    pub fn met_a(&self, i: usize) -> bool {
        self.score_a(i) > 0.0
    }

    /// Whether a new word matches a word or lies in a shared value.
    pub fn met_b(&self, j: usize) -> bool {
        self.score_b(j) > 0.0
    }

    /// The longest subsequence of content matches in the same order in both texts.
    pub fn in_order(&self, a: &[Word]) -> Vec<usize> {
        let m: Vec<usize> = (0..self.matches.len()).filter(|n| a[self.matches[*n].a].weight > 0.0).collect();
        let mut best: Vec<(usize, Option<usize>)> = Vec::with_capacity(m.len());
        for i in 0..m.len() {
            let mut b = (1, None);
            for j in 0..i {
                if self.matches[m[j]].a < self.matches[m[i]].a && best[j].0 + 1 > b.0 {
                    b = (best[j].0 + 1, Some(j));
                }
            }
            best.push(b);
        }
        let mut at = (0..m.len()).max_by_key(|i| (best[*i].0, std::cmp::Reverse(*i)));
        let mut out = Vec::new();
        while let Some(i) = at {
            out.push(m[i]);
            at = best[i].1;
        }
        out.reverse();
        out
    }
}
