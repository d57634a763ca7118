//! Decision trees over named features, fitted by `examples/fit`.

const MAX_DEPTH: usize = 32;
/// Marks a leaf where a split would have its feature.
pub const LEAF: u8 = u8::MAX;

/// Decision trees for several classes, one tree of each class in turn.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    base: Vec<f32>,
    /// The root of each tree among `nodes`.
    roots: Vec<usize>,
    /// The nodes of all trees, each followed by its branch below the threshold.
    nodes: Vec<TreeNode>,
}

#[derive(Debug, Clone, Copy)]
enum TreeNode {
    Leaf(f32),
    Split(TreeSplit),
}

#[derive(Debug, Clone, Copy)]
struct TreeSplit {
    feature: u16,
    threshold: f32,
    /// The node of the branch above the threshold.
    above: usize,
    /// Half the difference between the branches above and below.
    half_gain: f32,
}

/// The serialised nodes of a forest.
struct NodeReader<'a> {
    /// For each node, the position of its feature in `edges`, or [`LEAF`].
    nodes: std::slice::Iter<'a, u8>,
    /// For each split, the position of its threshold among those of its feature.
    cuts: std::slice::Iter<'a, u8>,
    /// For each leaf, its score in steps of `scale`.
    leaves: std::slice::Iter<'a, u8>,
    edges: &'a [(u16, Vec<f32>)],
    scale: f32,
}

impl Forest {
    /// Parses a forest and returns the bytes after it; `None` if the bytes are malformed.
    ///
    /// Format: number of classes, base scores, leaf scale, counts of features, trees and splits.
    /// Then for each feature its index, its number of thresholds and the thresholds.
    /// Then nodes, cuts and leaves of the trees, one tree of each class in turn, parents first.
    pub fn parse(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (classes, rest) = bytes.split_first()?;
        let (base, rest) = rest.split_at_checked(4 * usize::from(*classes).max(1))?;
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
        let mut reader =
            NodeReader { nodes: nodes.iter(), cuts: cuts.iter(), leaves: leaves.iter(), edges: &edges, scale };
        let mut out = Self { base, ..Self::default() };
        for _ in 0..trees {
            out.roots.push(out.nodes.len());
            out.read_node(&mut reader, 0)?;
        }
        Some((out, rest))
    }

    /// Parses a node and its subtree; returns its mean score.
    fn read_node(&mut self, reader: &mut NodeReader<'_>, depth: usize) -> Option<f32> {
        let which = *reader.nodes.next().filter(|_| depth < MAX_DEPTH)?;
        if which == LEAF {
            let value = f32::from(reader.leaves.next()?.cast_signed()) * reader.scale;
            self.nodes.push(TreeNode::Leaf(value));
            return Some(value);
        }
        let (feature, thresholds) = reader.edges.get(usize::from(which))?;
        let threshold = *thresholds.get(usize::from(*reader.cuts.next()?))?;
        let here = self.nodes.len();
        self.nodes.push(TreeNode::Leaf(0.0));
        let low = self.read_node(reader, depth + 1)?;
        let above = self.nodes.len();
        let high = self.read_node(reader, depth + 1)?;
        let half_gain = (high - low) / 2.0;
        self.nodes[here] = TreeNode::Split(TreeSplit { feature: *feature, threshold, above, half_gain });
        Some(f32::midpoint(low, high))
    }

    /// The score of the leaf that the features lead to; `visit` gets each split and whether it goes above.
    fn walk(&self, root: usize, x: &[f32], mut visit: impl FnMut(&TreeSplit, bool)) -> f32 {
        let nodes = &self.nodes[..];
        let mut at = root;
        loop {
            match &nodes[at] {
                TreeNode::Leaf(score) => return *score,
                TreeNode::Split(split) => {
                    let is_above = x.get(usize::from(split.feature)).is_some_and(|v| *v > split.threshold);
                    visit(split, is_above);
                    at = if is_above { split.above } else { at + 1 };
                }
            }
        }
    }

    /// The raw score of each class.
    pub fn scores(&self, x: &[f32]) -> Vec<f32> {
        let mut sums = self.base.clone();
        for (n, root) in self.roots.iter().enumerate() {
            sums[n % self.base.len()] += self.walk(*root, x, |_, _| {});
        }
        sums
    }

    /// The `most` heaviest features and what each added to the score of `class` minus that of `rival`.
    pub fn reasons(&self, x: &[f32], class: usize, rival: usize, most: usize) -> Vec<(u16, f32)> {
        let mut sums = vec![0.0f32; x.len()];
        for (n, root) in self.roots.iter().enumerate() {
            let sign = match n % self.base.len() {
                c if c == class => 1.0,
                c if c == rival => -1.0,
                _ => continue,
            };
            self.walk(*root, x, |split, is_above| {
                if let Some(sum) = sums.get_mut(usize::from(split.feature)) {
                    *sum += if is_above { sign } else { -sign } * split.half_gain;
                }
            });
        }
        let weights = sums.into_iter().enumerate().filter(|(_, weight)| *weight != 0.0);
        let mut out: Vec<(u16, f32)> = weights.map(|(feature, weight)| (feature as u16, weight)).collect();
        out.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        out.truncate(most);
        out
    }
}

type Edges = Vec<(u16, Vec<f32>)>;

/// Parses each feature's index and thresholds, stored as the upper halves of floats.
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
