//! A forest of small trees over named features: scores, and what each feature added to them.
//!
//! The trees are fitted by `examples/fit` and generated into `weights.bin`; nothing here learns.

use std::ops::Range;

/// More leaves than this a tree cannot have: each is a bit of a word.
pub const MAX_LEAVES: usize = 32;
/// Stands for a leaf where a split would name its feature.
pub const LEAF: u8 = u8::MAX;
/// Trees for each of several classes.
///
/// Each feature has a usual value, and the leaves of a tree stand in such an order that a walk with the usual values
/// ends at the first. Scoring asks only the edges between a value and the usual one: each shuts out the leaves on the
/// usual side of every split there. The first leaf that is not shut out is where a walk would have ended; most splits
/// are never looked at. The ways to the leaves are for reasons alone.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    base: Vec<f32>,
    /// Each feature that is asked for.
    features: Vec<Condition>,
    /// The edges of each feature, those above its usual value upwards, then those below it downwards; and one past the
    /// last of the splits there.
    edges: Vec<(f32, u32)>,
    /// The tree of each split, by feature and edge.
    split_trees: Vec<u16>,
    /// The leaves that are shut out where a value lies beyond the split's edge.
    split_masks: Vec<u32>,
    /// For each tree its first leaf and its first split.
    trees: Vec<(u32, u32)>,
    /// What the leaves of each tree add, in their order.
    values: Vec<f32>,
    /// The splits on the way to each leaf, as bits: where the way goes right, where it goes left.
    ways: Vec<(u32, u32)>,
    /// The feature of each split, before those of its branches.
    asks: Vec<u16>,
    /// Half of what its right branch adds more than its left one.
    halves: Vec<f32>,
}

/// A feature that is asked for.
#[derive(Debug, Clone)]
struct Condition {
    feature: u16,
    usual: f32,
    /// Its edges above the usual value and those below it, each with the first of their splits.
    above: (Range<u32>, u32),
    below: (Range<u32>, u32),
}

/// A split while a forest is read: which edge, which tree, which leaves are on its usual side.
struct TreeSplit {
    feature: u16,
    edge: u16,
    tree: u16,
    mask: u32,
}

struct NodeReader<'a> {
    /// For each node the feature that it asks for, by its place among `edges`, or [`LEAF`].
    nodes: std::slice::Iter<'a, u8>,
    /// For each split its edge, by its place among those of the feature.
    cuts: std::slice::Iter<'a, u8>,
    /// For each leaf what it adds, in steps of `scale`.
    leaves: std::slice::Iter<'a, u8>,
    edges: &'a [(u16, Vec<f32>)],
    usual: &'a [f32],
    scale: f32,
    splits: Vec<TreeSplit>,
}

impl Forest {
    /// Reads a forest; returns what follows it. `None` where the bytes are not a forest. The features of a `usual` pair
    /// change no score: the more another has in common with it, the sooner it is scored.
    ///
    /// Classes, base scores, leaf scale, count of features, of trees and of splits; per feature its number, how many edges
    /// it has and those; then nodes, cuts and leaves of the trees, one of each class in turn, a split before its branches.
    pub fn parse<'a>(bytes: &'a [u8], usual: &[f32]) -> Option<(Self, &'a [u8])> {
        let (classes, rest) = bytes.split_first()?;
        let classes = usize::from(*classes).max(1);
        let (base, rest) = rest.split_at_checked(4 * classes)?;
        let base = base.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let (head, rest) = rest.split_first_chunk::<12>()?;
        let word = |n: usize| usize::from(u16::from_le_bytes([head[n], head[n + 1]]));
        let scale = f32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let (used, trees) = (word(4), word(6));
        let splits = u32::from_le_bytes([head[8], head[9], head[10], head[11]]) as usize;
        let (edges, rest) = read_edges(rest, used)?;
        let leaves = splits.checked_add(trees)?;
        let (nodes, rest) = rest.split_at_checked(splits.checked_add(leaves)?)?;
        let (cuts, rest) = rest.split_at_checked(splits)?;
        let (leaves, rest) = rest.split_at_checked(leaves)?;
        let mut out = Self { base, ..Self::default() };
        let mut r = NodeReader {
            nodes: nodes.iter(),
            cuts: cuts.iter(),
            leaves: leaves.iter(),
            edges: &edges,
            usual,
            scale,
            splits: Vec::new(),
        };
        for tree in 0..trees {
            out.trees.push((out.values.len() as u32, out.asks.len() as u32));
            out.read_node(&mut r, tree as u16, (0, 0))?;
        }
        // Splits are put in the order of their edges: count, sum up, fill.
        let splits = r.splits;
        for (feature, list) in &edges {
            let usual = of(usual, *feature);
            let (low, high) = list.split_at(list.partition_point(|e| usual > *e));
            let mut place = |edges: &mut dyn Iterator<Item = &f32>| {
                let first = out.edges.len() as u32;
                out.edges.extend(edges.map(|e| (*e, 0)));
                (first..out.edges.len() as u32, 0)
            };
            let (above, below) = (place(&mut high.iter()), place(&mut low.iter().rev()));
            out.features.push(Condition { feature: *feature, usual, above, below });
        }
        let edge_of = |s: &TreeSplit| {
            let (Condition { above, below, .. }, edge) = (&out.features[usize::from(s.feature)], u32::from(s.edge));
            let low = below.0.len() as u32;
            (if edge >= low { above.0.start + edge - low } else { below.0.end - 1 - edge }) as usize
        };
        let mut next = vec![0u32; out.edges.len() + 1];
        for s in &splits {
            next[edge_of(s) + 1] += 1;
        }
        for n in 1..next.len() {
            next[n] += next[n - 1];
            out.edges[n - 1].1 = next[n];
        }
        let firsts: Vec<u32> = next.clone();
        out.split_trees = vec![0; splits.len()];
        out.split_masks = vec![0; splits.len()];
        for s in &splits {
            let place = &mut next[edge_of(s)];
            out.split_trees[*place as usize] = s.tree;
            out.split_masks[*place as usize] = s.mask;
            *place += 1;
        }
        for (edges, split) in out.features.iter_mut().flat_map(|f| [&mut f.above, &mut f.below]) {
            *split = firsts[edges.start as usize];
        }
        Some((out, rest))
    }

    /// Reads a node and what hangs on it; `way` says which splits led here.
    fn read_node(&mut self, r: &mut NodeReader<'_>, tree: u16, way: (u32, u32)) -> Option<f32> {
        let (first_leaf, first_split) = *self.trees.last()?;
        let first = self.values.len() - first_leaf as usize;
        let depth = (way.0 | way.1).count_ones() as usize;
        if depth >= MAX_LEAVES || first >= MAX_LEAVES {
            return None;
        }
        let which = *r.nodes.next()?;
        if which == LEAF {
            let value = f32::from(r.leaves.next()?.cast_signed()) * r.scale;
            self.values.push(value);
            self.ways.push(way);
            return Some(value);
        }
        let (feature, list) = r.edges.get(usize::from(which))?;
        let edge = usize::from(*r.cuts.next()?);
        let here = self.asks.len();
        let bit = 1u32.checked_shl(here as u32 - first_split)?;
        self.asks.push(*feature);
        self.halves.push(0.0);
        let below = r.splits.len();
        let low = self.read_node(r, tree, (way.0, way.1 | bit))?;
        let after = self.values.len() - first_leaf as usize;
        let above = r.splits.len();
        let high = self.read_node(r, tree, (way.0 | bit, way.1))?;
        let end = self.values.len() - first_leaf as usize;
        let (lows, highs) = (after - first, end - after);
        let turned = of(r.usual, *feature) > *list.get(edge)?;
        if turned {
            // What is above the edge is usual: its leaves go before the others.
            self.values[first_leaf as usize + first..].rotate_left(lows);
            self.ways[first_leaf as usize + first..].rotate_left(lows);
            r.splits[below..above].iter_mut().for_each(|s| s.mask <<= highs);
            r.splits[above..].iter_mut().for_each(|s| s.mask >>= lows);
        }
        let usual = if turned { highs } else { lows };
        let mask = (((1u64 << usual) - 1) << first) as u32;
        r.splits.push(TreeSplit { feature: which.into(), edge: edge as u16, tree, mask });
        self.halves[here] = (high - low) / 2.0;
        Some(f32::midpoint(low, high))
    }

    /// How many classes are scored.
    pub fn classes(&self) -> usize {
        self.base.len()
    }

    /// The leaves of each tree that are shut out; the lowest bit that is not set is where the tree ends.
    pub fn shut(&self, x: &[f32]) -> Vec<u32> {
        let mut shut = vec![0; self.trees.len()];
        // Slices, because a look into a Vec is a call where size counts more than speed.
        let (all, trees, masks, out) = (&self.edges[..], &self.split_trees[..], &self.split_masks[..], &mut shut[..]);
        for asked in &self.features[..] {
            let v = of(x, asked.feature);
            if v == asked.usual {
                continue;
            }
            let more = v > asked.usual;
            let (edges, first) = if more { &asked.above } else { &asked.below };
            let (from, mut to) = (*first as usize, *first as usize);
            for (edge, end) in &all[edges.start as usize..edges.end as usize] {
                if (v > *edge) != more {
                    break;
                }
                to = *end as usize;
            }
            for (tree, mask) in trees[from..to].iter().zip(&masks[from..to]) {
                if let Some(o) = out.get_mut(usize::from(*tree)) {
                    *o |= mask;
                }
            }
        }
        shut
    }

    /// The raw score of each class.
    pub fn scores(&self, x: &[f32]) -> Vec<f32> {
        self.sums(&self.shut(x))
    }

    /// The raw score of each class, given the leaves that are shut out.
    pub fn sums(&self, shut: &[u32]) -> Vec<f32> {
        let mut out = self.base.clone();
        let (sums, values) = (&mut out[..], &self.values[..]);
        let mut class = 0;
        for ((first, _), shut) in self.trees.iter().zip(shut) {
            sums[class] += values[*first as usize + shut.trailing_ones() as usize];
            class = if class + 1 == sums.len() { 0 } else { class + 1 };
        }
        out
    }

    /// What the `most` features that weighed most added to the score of `class` against that of `rival`.
    pub fn reasons(&self, shut: &[u32], class: usize, rival: usize, most: usize) -> Vec<(u16, f32)> {
        let ways = &self.ways[..];
        let mut sum = vec![0.0f32; self.features.iter().map(|f| usize::from(f.feature) + 1).max().unwrap_or(0)];
        let sum = &mut sum[..];
        for ((tree, (first_leaf, first_split)), shut) in self.trees.iter().enumerate().zip(shut) {
            let sign = match tree % self.base.len() {
                c if c == class => 1.0,
                c if c == rival => -1.0,
                _ => continue,
            };
            let (right, left) = ways[*first_leaf as usize + shut.trailing_ones() as usize];
            let (asks, halves) = (&self.asks[*first_split as usize..], &self.halves[*first_split as usize..]);
            let mut add = |mut way: u32, sign: f32| {
                while way != 0 {
                    let n = way.trailing_zeros() as usize;
                    sum[usize::from(asks[n])] += sign * halves[n];
                    way &= way - 1;
                }
            };
            add(right, sign);
            add(left, -sign);
        }
        let mut out: Vec<(u16, f32)> = Vec::with_capacity(most + 1);
        for (feature, weight) in sum.iter().enumerate() {
            let size = weight.abs();
            // Nearly all are too light for a place.
            if *weight == 0.0 || out.len() == most && out.last().is_none_or(|o| o.1.abs() >= size) {
                continue;
            }
            let at = out.iter().rposition(|o| o.1.abs() >= size).map_or(0, |p| p + 1);
            out.insert(at, (feature as u16, *weight));
            out.truncate(most);
        }
        out
    }
}

/// The value of a feature.
fn of(x: &[f32], feature: u16) -> f32 {
    x.get(usize::from(feature)).copied().unwrap_or(f32::NEG_INFINITY)
}

type Edges = Vec<(u16, Vec<f32>)>;

/// For each feature its number and its edges, which are the upper halves of floats; and what follows them.
fn read_edges(mut bytes: &[u8], used: usize) -> Option<(Edges, &[u8])> {
    let mut out = Vec::with_capacity(used);
    for _ in 0..used {
        let ([feature, count], rest) = bytes.split_first_chunk::<2>()?;
        let (edges, rest) = rest.split_at_checked(2 * usize::from(*count))?;
        let edges = edges.as_chunks().0.iter().map(|[low, high]| f32::from_le_bytes([0, 0, *low, *high]));
        out.push((u16::from(*feature), edges.collect()));
        bytes = rest;
    }
    Some((out, bytes))
}

/// Probabilities of raw scores divided by a temperature.
pub fn softmax(scores: &[f32], temperature: f32) -> Vec<f32> {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let e: Vec<f32> = scores.iter().map(|s| ((s - top) / temperature.max(1e-3)).exp()).collect();
    let sum: f32 = e.iter().sum();
    e.iter().map(|v| v / sum).collect()
}
