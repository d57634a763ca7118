//! A forest of small trees over named features: scores, and what each feature added to them.
//!
//! The trees are fitted by `examples/fit` and generated into `weights.bin`; nothing here learns.

use super::packed::{Chances, Unpacker};

/// More leaves than this a tree cannot have: each is a bit of a word.
pub const MAX_LEAVES: usize = 32;
/// Trees for each of several classes.
///
/// Scoring asks each edge of each feature once: a value above it shuts out the leaves left of every split there.
/// The leftmost leaf still open is where a walk would have ended. The ways to the leaves are for reasons alone.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    base: Vec<f32>,
    /// Each feature that is asked for, and one past its last edge.
    features: Vec<(u16, u32)>,
    /// The edges, lowest first within a feature, and one past the last of the splits there.
    edges: Vec<(f32, u32)>,
    /// The tree of each split, by feature and edge.
    split_trees: Vec<u16>,
    /// The leaves that stay open where a value is above the split's edge.
    split_masks: Vec<u32>,
    /// For each tree its first leaf and its first split.
    trees: Vec<(u32, u32)>,
    /// What the leaves of each tree add, left to right.
    values: Vec<f32>,
    /// The splits on the way to each leaf, as bits: where the way goes right, where it goes left.
    ways: Vec<(u32, u32)>,
    /// The feature of each split, before those of its branches.
    asks: Vec<u16>,
    /// Half of what its right branch adds more than its left one.
    halves: Vec<f32>,
}

/// A split while a forest is read: which edge, which tree, which leaves are left of it.
struct Split {
    feature: u16,
    edge: u16,
    tree: u16,
    mask: u32,
}

struct Reader<'a> {
    bits: Unpacker<'a>,
    shape: [Chances<2>; 32],
    which: Chances<1024>,
    leaf: [Chances<128>; 3],
    edges: &'a [(u16, Vec<f32>)],
    scale: f32,
    splits: Vec<Split>,
}

impl Forest {
    /// Reads a forest; returns what follows it. `None` where the bytes are not a forest.
    ///
    /// Classes, base scores, leaf scale, count of features and of trees, then one packed stream: per feature its
    /// distance to the one before and its edges; the trees, one of each class in turn, a split before its branches.
    pub fn parse(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (classes, rest) = bytes.split_first()?;
        let classes = usize::from(*classes).max(1);
        let (base, rest) = rest.split_at_checked(4 * classes)?;
        let base = base.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let (head, rest) = rest.split_first_chunk::<12>()?;
        let word = |n: usize| usize::from(u16::from_le_bytes([head[n], head[n + 1]]));
        let scale = f32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let (used, trees) = (word(4), word(6));
        let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        let (packed, rest) = rest.split_at_checked(length as usize)?;
        let mut bits = Unpacker::new(packed);
        let edges = read_edges(&mut bits, used);
        let mut out = Self { base, ..Self::default() };
        let mut r = Reader {
            bits,
            shape: std::array::from_fn(|_| Chances::new()),
            which: Chances::new(),
            leaf: std::array::from_fn(|_| Chances::new()),
            edges: &edges,
            scale,
            splits: Vec::new(),
        };
        for tree in 0..trees {
            out.trees.push((out.values.len() as u32, out.asks.len() as u32));
            out.read_node(&mut r, tree as u16, 0, (0, 0))?;
        }
        // Splits are put in the order of their edges: count, sum up, fill.
        let splits = r.splits;
        let mut first_edge = Vec::with_capacity(used);
        for (feature, list) in &edges {
            first_edge.push(out.edges.len());
            out.edges.extend(list.iter().map(|e| (*e, 0)));
            out.features.push((*feature, out.edges.len() as u32));
        }
        let edge_of = |s: &Split| first_edge[usize::from(s.feature)] + usize::from(s.edge);
        let mut next = vec![0u32; out.edges.len() + 1];
        for s in &splits {
            next[edge_of(s) + 1] += 1;
        }
        for n in 1..next.len() {
            next[n] += next[n - 1];
            out.edges[n - 1].1 = next[n];
        }
        out.split_trees = vec![0; splits.len()];
        out.split_masks = vec![0; splits.len()];
        for s in &splits {
            let place = &mut next[edge_of(s)];
            out.split_trees[*place as usize] = s.tree;
            out.split_masks[*place as usize] = s.mask;
            *place += 1;
        }
        Some((out, rest))
    }

    /// Reads a node and what hangs on it; `left` says what the leaf just left of it, under the same split, added,
    /// and `way` which splits led here.
    fn read_node(&mut self, r: &mut Reader<'_>, tree: u16, left: usize, way: (u32, u32)) -> Option<f32> {
        let (first_leaf, first_split) = *self.trees.last()?;
        let first = self.values.len() - first_leaf as usize;
        let depth = (way.0 | way.1).count_ones() as usize;
        if depth >= MAX_LEAVES || first >= MAX_LEAVES {
            return None;
        }
        if r.shape[depth].read(&mut r.bits, 1) == 0 {
            let value = (r.leaf[left].read(&mut r.bits, 7) as f32 - 64.0) * r.scale;
            self.values.push(value);
            self.ways.push(way);
            return Some(value);
        }
        let which = r.which.read(&mut r.bits, 10);
        let (feature, list) = r.edges.get(which as usize).filter(|e| !e.1.is_empty())?;
        let edge = r.bits.uniform(list.len() as u32);
        let here = self.asks.len();
        let bit = 1u32.checked_shl(here as u32 - first_split)?;
        self.asks.push(*feature);
        self.halves.push(0.0);
        let low = self.read_node(r, tree, 0, (way.0, way.1 | bit))?;
        let after = self.values.len() - first_leaf as usize;
        let beside = if after == first + 1 { 1 + usize::from(low > 0.0) } else { 0 };
        let high = self.read_node(r, tree, beside, (way.0 | bit, way.1))?;
        let mask = !((1u64 << after) - (1u64 << first)) as u32;
        r.splits.push(Split { feature: which as u16, edge: edge as u16, tree, mask });
        self.halves[here] = (high - low) / 2.0;
        Some(f32::midpoint(low, high))
    }

    /// How many classes are scored.
    pub fn classes(&self) -> usize {
        self.base.len()
    }

    /// The leaves still open in each tree; the lowest bit is where the tree ends.
    pub fn open(&self, x: &[f32]) -> Vec<u32> {
        let mut open = vec![u32::MAX; self.trees.len()];
        let (mut edge, mut split) = (0, 0);
        let (all, trees, masks) = (&self.edges[..], &self.split_trees[..], &self.split_masks[..]);
        let alive = &mut open[..];
        for (feature, end) in &self.features {
            let v = x.get(usize::from(*feature)).copied().unwrap_or(f32::NEG_INFINITY);
            let edges = &all[edge..*end as usize];
            let last = edges.iter().take_while(|e| v > e.0).last().map_or(split, |e| e.1 as usize);
            for (tree, mask) in trees[split..last].iter().zip(&masks[split..last]) {
                if let Some(o) = alive.get_mut(usize::from(*tree)) {
                    *o &= mask;
                }
            }
            edge = *end as usize;
            split = edges.last().map_or(split, |e| e.1 as usize);
        }
        open
    }

    /// The raw score of each class.
    pub fn scores(&self, x: &[f32]) -> Vec<f32> {
        self.sums(&self.open(x))
    }

    /// The raw score of each class, given the open leaves.
    pub fn sums(&self, open: &[u32]) -> Vec<f32> {
        let mut out = self.base.clone();
        // Slices, because a bounds check of a Vec is a call where size counts more than speed.
        let (sums, values) = (&mut out[..], &self.values[..]);
        let mut class = 0;
        for ((first, _), open) in self.trees.iter().zip(open) {
            sums[class] += values[*first as usize + open.trailing_zeros() as usize];
            class = if class + 1 == sums.len() { 0 } else { class + 1 };
        }
        out
    }

    /// What the `most` features that weighed most added to the score of `class` against that of `rival`.
    pub fn reasons(&self, open: &[u32], class: usize, rival: usize, most: usize) -> Vec<(u16, f32)> {
        let ways = &self.ways[..];
        let mut sum = vec![0.0f32; self.features.iter().map(|f| usize::from(f.0) + 1).max().unwrap_or(0)];
        let sum = &mut sum[..];
        for ((tree, (first_leaf, first_split)), open) in self.trees.iter().enumerate().zip(open) {
            let sign = match tree % self.base.len() {
                c if c == class => 1.0,
                c if c == rival => -1.0,
                _ => continue,
            };
            let (right, left) = ways[*first_leaf as usize + open.trailing_zeros() as usize];
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

/// For each feature its number and its edges, which are the upper halves of floats.
fn read_edges(bits: &mut Unpacker<'_>, used: usize) -> Vec<(u16, Vec<f32>)> {
    let (mut distance, mut count) = (Chances::<256>::new(), Chances::<32>::new());
    let mut high: [Chances<256>; 2] = std::array::from_fn(|_| Chances::new());
    let mut low: [Chances<256>; 2] = std::array::from_fn(|_| Chances::new());
    let mut out = Vec::with_capacity(used);
    let mut feature = 0u16;
    for _ in 0..used {
        loop {
            let d = distance.read(bits, 8) as u16;
            feature = feature.wrapping_add(d);
            if d < 255 {
                break;
            }
        }
        let n = count.read(bits, 5) as usize;
        let mut list = Vec::with_capacity(n);
        for k in 0..n {
            let h = high[usize::from(k > 0)].read(bits, 8);
            let l = low[(h & 1) as usize].read(bits, 8);
            list.push(f32::from_bits(h << 24 | l << 16));
        }
        out.push((feature, list));
    }
    out
}

/// Probabilities of raw scores divided by a temperature.
pub fn softmax(scores: &[f32], temperature: f32) -> Vec<f32> {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let e: Vec<f32> = scores.iter().map(|s| ((s - top) / temperature.max(1e-3)).exp()).collect();
    let sum: f32 = e.iter().sum();
    e.iter().map(|v| v / sum).collect()
}
