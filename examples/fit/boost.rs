//! Gradient-boosted trees with histograms: small, deterministic and fast enough for thousands of rows.

use crate::pairs::Rng;
use memfold::analysis::forest::LEAF;

#[derive(Clone, Copy)]
pub struct Options {
    pub rounds: usize,
    pub rate: f64,
    pub leaves: usize,
    pub min_rows: usize,
    pub features: f64,
    pub rows: f64,
    pub l2: f64,
    /// Tries one random cut of each feature instead of all. The trees are rougher, correlate less and generalise
    /// better.
    pub random_cuts: bool,
    pub seed: u64,
}

/// Feature values as bin numbers, by column.
pub struct Binned {
    pub edges: Vec<Vec<f32>>,
    pub columns: Vec<Vec<u8>>,
    pub rows: usize,
}

impl Binned {
    /// Cuts each feature into at most 32 bins. Edges are rounded to 16 bits, as they are stored.
    pub fn of(x: &[&[f32]]) -> Self {
        let n = x.first().map_or(0, |r| r.len());
        let mut edges = Vec::with_capacity(n);
        let mut columns = Vec::with_capacity(n);
        for f in 0..n {
            let mut v: Vec<f32> = x.iter().map(|r| r[f]).collect();
            v.sort_by(f32::total_cmp);
            let mut distinct = v.clone();
            distinct.dedup();
            let mut e: Vec<f32> = if distinct.len() <= 32 {
                distinct.windows(2).map(|w| f32::midpoint(w[0], w[1])).collect()
            } else {
                (1..32).map(|q| v[q * v.len() / 32]).collect()
            };
            for t in &mut e {
                *t = f32::from_bits(t.to_bits() & 0xFFFF_0000);
            }
            e.dedup();
            let column = x.iter().map(|r| e.partition_point(|t| r[f] > *t) as u8).collect();
            edges.push(e);
            columns.push(column);
        }
        Self { edges, columns, rows: x.len() }
    }
}

#[derive(Clone)]
pub enum Tree {
    Leaf(f64),
    Split { feature: usize, bin: u8, left: Box<Tree>, right: Box<Tree> },
}

pub struct Model {
    pub classes: usize,
    pub base: Vec<f64>,
    pub trees: Vec<(usize, Tree)>,
}

struct Open {
    rows: Vec<u32>,
    g: f64,
    h: f64,
    best: Option<(f64, usize, u8)>,
    slot: usize,
}

pub fn fit(data: &Binned, y: &[usize], weight: &[f64], classes: usize, o: &Options) -> Model {
    let n = data.rows;
    let total: f64 = weight.iter().sum();
    let base: Vec<f64> = (0..classes)
        .map(|c| ((0..n).filter(|i| y[*i] == c).map(|i| weight[i]).sum::<f64>() / total).max(1e-6).ln())
        .collect();
    let mut score: Vec<Vec<f64>> = base.iter().map(|b| vec![*b; n]).collect();
    let mut rng = Rng(o.seed);
    let mut trees = Vec::with_capacity(o.rounds * classes);
    let mut p = vec![vec![0.0; n]; classes];
    for _ in 0..o.rounds {
        for i in 0..n {
            let top = (0..classes).map(|c| score[c][i]).fold(f64::MIN, f64::max);
            let mut sum = 0.0;
            for c in 0..classes {
                p[c][i] = (score[c][i] - top).exp();
                sum += p[c][i];
            }
            for row in &mut p {
                row[i] /= sum;
            }
        }
        let sample: Vec<u32> =
            (0..n as u32).filter(|_| (rng.next() >> 11) as f64 / (1u64 << 53) as f64 <= o.rows).collect();
        for c in 0..classes {
            let g: Vec<f64> = (0..n).map(|i| weight[i] * (p[c][i] - f64::from(u8::from(y[i] == c)))).collect();
            let h: Vec<f64> = (0..n).map(|i| weight[i] * (p[c][i] * (1.0 - p[c][i])).max(1e-6)).collect();
            let features: Vec<usize> = (0..data.columns.len())
                .filter(|f| !data.edges[*f].is_empty() && (rng.next() >> 11) as f64 / (1u64 << 53) as f64 <= o.features)
                .collect();
            let tree = grow(data, &g, &h, sample.clone(), &features, o, &mut rng);
            for (i, s) in score[c].iter_mut().enumerate() {
                *s += value(&tree, data, i);
            }
            trees.push((c, tree));
        }
    }
    Model { classes, base, trees }
}

fn value(t: &Tree, data: &Binned, i: usize) -> f64 {
    let mut t = t;
    loop {
        match t {
            Tree::Leaf(v) => return *v,
            Tree::Split { feature, bin, left, right } => {
                t = if data.columns[*feature][i] <= *bin { left } else { right }
            }
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn best_split(
    data: &Binned,
    g: &[f64],
    h: &[f64],
    rows: &[u32],
    sums: (f64, f64),
    features: &[usize],
    o: &Options,
    rng: &mut Rng,
) -> Option<(f64, usize, u8)> {
    if rows.len() < 2 * o.min_rows {
        return None;
    }
    let parent = sums.0 * sums.0 / (sums.1 + o.l2);
    let mut best: Option<(f64, usize, u8)> = None;
    let mut hist = [(0.0f64, 0.0f64, 0u32); 64];
    for &f in features {
        let bins = data.edges[f].len() + 1;
        hist[..bins].fill((0.0, 0.0, 0));
        let column = &data.columns[f];
        for &r in rows {
            let r = r as usize;
            let cell = &mut hist[usize::from(column[r])];
            cell.0 += g[r];
            cell.1 += h[r];
            cell.2 += 1;
        }
        let (mut gl, mut hl, mut nl) = (0.0, 0.0, 0usize);
        let filled = || hist[..bins].iter().enumerate().filter(|(_, c)| c.2 > 0).map(|(b, _)| b);
        let (Some(low), Some(high)) = (filled().next(), filled().next_back()) else { continue };
        if low == high {
            continue;
        }
        let only = o.random_cuts.then(|| low + rng.below(high - low));
        for (b, cell) in hist[..bins - 1].iter().enumerate() {
            gl += cell.0;
            hl += cell.1;
            nl += cell.2 as usize;
            if only.is_some_and(|x| x != b)
                || (only.is_none() && cell.2 == 0)
                || nl < o.min_rows
                || rows.len() - nl < o.min_rows
            {
                continue;
            }
            let (gr, hr) = (sums.0 - gl, sums.1 - hl);
            let gain = gl * gl / (hl + o.l2) + gr * gr / (hr + o.l2) - parent;
            if gain > 1e-7 && best.is_none_or(|(x, ..)| gain > x) {
                best = Some((gain, f, b as u8));
            }
        }
    }
    best
}

fn grow(data: &Binned, g: &[f64], h: &[f64], rows: Vec<u32>, features: &[usize], o: &Options, rng: &mut Rng) -> Tree {
    let sums = |rows: &[u32]| rows.iter().fold((0.0, 0.0), |(x, y), r| (x + g[*r as usize], y + h[*r as usize]));
    let s = sums(&rows);
    let mut open =
        vec![Open { best: best_split(data, g, h, &rows, s, features, o, rng), rows, g: s.0, h: s.1, slot: 0 }];
    // Slots: a flat tree of (split, left slot, right slot) or a leaf.
    let mut slots: Vec<Option<(usize, u8, usize, usize)>> = vec![None];
    while open.len() < o.leaves {
        let Some((k, (_, f, b))) = open
            .iter()
            .enumerate()
            .filter_map(|(k, l)| l.best.map(|b| (k, b)))
            .max_by(|x, y| x.1.0.total_cmp(&y.1.0).then(y.0.cmp(&x.0)))
        else {
            break;
        };
        let leaf = open.swap_remove(k);
        let (left, right): (Vec<u32>, Vec<u32>) = leaf.rows.iter().partition(|r| data.columns[f][**r as usize] <= b);
        let (l, r) = (slots.len(), slots.len() + 1);
        slots[leaf.slot] = Some((f, b, l, r));
        slots.push(None);
        slots.push(None);
        for (rows, slot) in [(left, l), (right, r)] {
            let s = sums(&rows);
            open.push(Open { best: best_split(data, g, h, &rows, s, features, o, rng), rows, g: s.0, h: s.1, slot });
        }
    }
    let mut values = vec![0.0; slots.len()];
    for l in &open {
        values[l.slot] = -o.rate * l.g / (l.h + o.l2);
    }
    fn build(slots: &[Option<(usize, u8, usize, usize)>], values: &[f64], at: usize) -> Tree {
        match slots[at] {
            None => Tree::Leaf(values[at]),
            Some((feature, bin, l, r)) => Tree::Split {
                feature,
                bin,
                left: Box::new(build(slots, values, l)),
                right: Box::new(build(slots, values, r)),
            },
        }
    }
    build(&slots, &values, 0)
}

impl Model {
    /// Serialises the forest for `memfold::analysis::forest`.
    pub fn bytes(&self, data: &Binned) -> Vec<u8> {
        let mut top = 1e-9f64;
        self.trees.iter().for_each(|(_, tree)| top = top.max(tree.largest_score()));
        let scale = (top / 63.0) as f32;
        assert!(data.edges.len() < usize::from(LEAF), "more than a forest can hold");
        let mut nodes = Vec::new();
        for (n, (class, tree)) in self.trees.iter().enumerate() {
            assert_eq!(*class, n % self.classes, "trees take turns");
            tree.write(data, f64::from(scale), &mut nodes);
        }
        let mut out = vec![self.classes as u8];
        for b in &self.base {
            out.extend((*b as f32).to_le_bytes());
        }
        out.extend(scale.to_le_bytes());
        out.extend((nodes.len() as u32 / 3).to_le_bytes());
        out.extend(nodes);
        out
    }
}

impl Tree {
    fn largest_score(&self) -> f64 {
        match self {
            Self::Leaf(v) => v.abs(),
            Self::Split { left, right, .. } => left.largest_score().max(right.largest_score()),
        }
    }

    /// Writes the nodes in the format that `Forest::parse` reads.
    fn write(&self, data: &Binned, scale: f64, out: &mut Vec<u8>) {
        match self {
            Self::Leaf(v) => out.extend([LEAF, (v / scale).round() as i8 as u8, 0]),
            Self::Split { feature, bin, left, right } => {
                let threshold = (data.edges[*feature][usize::from(*bin)].to_bits() >> 16) as u16;
                out.push(*feature as u8);
                out.extend(threshold.to_le_bytes());
                left.write(data, scale, out);
                right.write(data, scale, out);
            }
        }
    }
}
