//! A forest of small decision trees over named features: scores, and each feature's contribution.
//! `examples/fit` fits it.

use std::ops::Range;

/// Maximum leaves of a tree: each is a bit of a `u32`.
pub const MAX_LEAVES: usize = 32;
/// Marks a leaf where a split would have its feature.
pub const LEAF: u8 = u8::MAX;
/// Decision trees for several classes, evaluated without walking them.
///
/// Each feature has a usual value, and leaves are ordered so that a walk with all usual values ends
/// at the first. A feature with another value excludes the usual side of every split between the
/// two values. The first leaf that is not excluded is where a walk would end. Paths to leaves are
/// needed for reasons only.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    base: Vec<f32>,
    /// The features that splits test.
    features: Vec<Condition>,
    /// The thresholds of each feature: ascending from its usual value, then descending below it.
    /// The second number is one past the last split at that threshold.
    edges: Vec<(f32, u32)>,
    /// The tree of each split, by feature and threshold.
    split_trees: Vec<u16>,
    /// The leaves to exclude where a value lies beyond the split's threshold.
    split_masks: Vec<u32>,
    /// For each tree, its first leaf and first split.
    trees: Vec<(u32, u32)>,
    /// The score of each leaf, by tree.
    values: Vec<f32>,
    /// The path to each leaf as bits per split: right turns, left turns.
    paths: Vec<(u32, u32)>,
    /// The feature of each split, parents first.
    split_features: Vec<u16>,
    /// For each split, half the difference between its right and left branch.
    half_gains: Vec<f32>,
}

/// A feature that splits test.
#[derive(Debug, Clone)]
struct Condition {
    feature: u16,
    usual: f32,
    /// Its thresholds above and below the usual value, each with the index of their first split.
    above: (Range<u32>, u32),
    below: (Range<u32>, u32),
}

/// A split while a forest is parsed: its threshold, its tree and the leaves on its usual side.
struct TreeSplit {
    feature: u16,
    edge: u16,
    tree: u16,
    mask: u32,
}

struct NodeReader<'a> {
    /// For each node, the position of its feature in `edges`, or [`LEAF`].
    nodes: std::slice::Iter<'a, u8>,
    /// For each split, the position of its threshold among those of its feature.
    cuts: std::slice::Iter<'a, u8>,
    /// For each leaf, its score in steps of `scale`.
    leaves: std::slice::Iter<'a, u8>,
    edges: &'a [(u16, Vec<f32>)],
    usual: &'a [f32],
    scale: f32,
    splits: Vec<TreeSplit>,
}

impl Forest {
    /// Parses a forest and returns the bytes after it; `None` if the bytes are malformed. `usual`
    /// never changes a score: pairs whose features resemble it are only scored faster.
    ///
    /// Format: number of classes, base scores, leaf scale, counts of features, trees and splits.
    /// Then for each feature its index, its number of thresholds and the thresholds.
    /// Then nodes, cuts and leaves of the trees, one tree of each class in turn, parents first.
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
            out.trees.push((out.values.len() as u32, out.split_features.len() as u32));
            out.read_node(&mut r, tree as u16, (0, 0))?;
        }
        // Counting sort of the splits by threshold.
        let splits = r.splits;
        for (feature, list) in &edges {
            let usual = value_of(usual, *feature);
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

    /// Parses a node and its subtree; `path` has the turns that lead to it.
    fn read_node(&mut self, r: &mut NodeReader<'_>, tree: u16, path: (u32, u32)) -> Option<f32> {
        let (first_leaf, first_split) = *self.trees.last()?;
        let first = self.values.len() - first_leaf as usize;
        let depth = (path.0 | path.1).count_ones() as usize;
        if depth >= MAX_LEAVES || first >= MAX_LEAVES {
            return None;
        }
        let which = *r.nodes.next()?;
        if which == LEAF {
            let value = f32::from(r.leaves.next()?.cast_signed()) * r.scale;
            self.values.push(value);
            self.paths.push(path);
            return Some(value);
        }
        let (feature, list) = r.edges.get(usize::from(which))?;
        let edge = usize::from(*r.cuts.next()?);
        let here = self.split_features.len();
        let bit = 1u32.checked_shl(here as u32 - first_split)?;
        self.split_features.push(*feature);
        self.half_gains.push(0.0);
        let below = r.splits.len();
        let low = self.read_node(r, tree, (path.0, path.1 | bit))?;
        let after = self.values.len() - first_leaf as usize;
        let above = r.splits.len();
        let high = self.read_node(r, tree, (path.0 | bit, path.1))?;
        let end = self.values.len() - first_leaf as usize;
        let (lows, highs) = (after - first, end - after);
        let turned = value_of(r.usual, *feature) > *list.get(edge)?;
        if turned {
            // The side above the threshold is the usual one, so its leaves move to the front.
            self.values[first_leaf as usize + first..].rotate_left(lows);
            self.paths[first_leaf as usize + first..].rotate_left(lows);
            r.splits[below..above].iter_mut().for_each(|s| s.mask <<= highs);
            r.splits[above..].iter_mut().for_each(|s| s.mask >>= lows);
        }
        let usual = if turned { highs } else { lows };
        let mask = (((1u64 << usual) - 1) << first) as u32;
        r.splits.push(TreeSplit { feature: which.into(), edge: edge as u16, tree, mask });
        self.half_gains[here] = (high - low) / 2.0;
        Some(f32::midpoint(low, high))
    }

    pub fn classes(&self) -> usize {
        self.base.len()
    }

    /// For each tree, a mask of excluded leaves; its lowest unset bit is the leaf reached.
    pub fn excluded(&self, x: &[f32]) -> Vec<u32> {
        let mut excluded = vec![0; self.trees.len()];
        // Slices, because indexing a Vec is a call when optimising for size.
        let (all, trees, masks, out) =
            (&self.edges[..], &self.split_trees[..], &self.split_masks[..], &mut excluded[..]);
        for asked in &self.features[..] {
            let v = value_of(x, asked.feature);
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
        excluded
    }

    pub fn scores(&self, x: &[f32]) -> Vec<f32> {
        self.sums(&self.excluded(x))
    }

    /// The raw score of each class, from the result of [`Self::excluded`].
    pub fn sums(&self, excluded: &[u32]) -> Vec<f32> {
        let mut out = self.base.clone();
        let (sums, values) = (&mut out[..], &self.values[..]);
        let mut class = 0;
        for ((first, _), excluded) in self.trees.iter().zip(excluded) {
            sums[class] += values[*first as usize + excluded.trailing_ones() as usize];
            class = if class + 1 == sums.len() { 0 } else { class + 1 };
        }
        out
    }

    /// The `most` heaviest features, with what each added to the score of `class` minus that of
    /// `rival`.
    pub fn reasons(&self, excluded: &[u32], class: usize, rival: usize, most: usize) -> Vec<(u16, f32)> {
        let paths = &self.paths[..];
        let mut sum = vec![0.0f32; self.features.iter().map(|f| usize::from(f.feature) + 1).max().unwrap_or(0)];
        let sum = &mut sum[..];
        for ((tree, (first_leaf, first_split)), excluded) in self.trees.iter().enumerate().zip(excluded) {
            let sign = match tree % self.base.len() {
                c if c == class => 1.0,
                c if c == rival => -1.0,
                _ => continue,
            };
            let (right, left) = paths[*first_leaf as usize + excluded.trailing_ones() as usize];
            let (split_features, half_gains) =
                (&self.split_features[*first_split as usize..], &self.half_gains[*first_split as usize..]);
            let mut add = |mut path: u32, sign: f32| {
                while path != 0 {
                    let n = path.trailing_zeros() as usize;
                    sum[usize::from(split_features[n])] += sign * half_gains[n];
                    path &= path - 1;
                }
            };
            add(right, sign);
            add(left, -sign);
        }
        let mut out: Vec<(u16, f32)> = Vec::with_capacity(most + 1);
        for (feature, weight) in sum.iter().enumerate() {
            let size = weight.abs();
            // Nearly all features are too light to rank.
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

fn value_of(x: &[f32], feature: u16) -> f32 {
    x.get(usize::from(feature)).copied().unwrap_or(f32::NEG_INFINITY)
}

type Edges = Vec<(u16, Vec<f32>)>;

/// Parses each feature's index and thresholds, stored as the upper halves of floats; returns the
/// bytes after them.
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

/// The softmax of scores divided by a temperature.
pub fn softmax(scores: &[f32], temperature: f32) -> Vec<f32> {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let e: Vec<f32> = scores.iter().map(|s| ((s - top) / temperature.max(1e-3)).exp()).collect();
    let sum: f32 = e.iter().sum();
    e.iter().map(|v| v / sum).collect()
}
