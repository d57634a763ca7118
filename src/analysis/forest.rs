//! Decision trees over named features, fitted by `examples/fit`.

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

#[derive(Debug, Clone, Copy, Default)]
struct TreeNode {
    feature: u8,
    threshold: f32,
    /// The node of the branch above the threshold.
    above: usize,
    /// A leaf's score, or the mean of both branches.
    score: f32,
}

impl Forest {
    /// Parses a forest and returns the bytes after it; `None` if the bytes are malformed.
    ///
    /// Format: number of classes, base scores, leaf scale, number of nodes. Then the nodes of all trees, one tree of each
    /// class in turn, parents first, the branch below before the one above: a feature with the upper half of its
    /// threshold, or [`LEAF`], a score in steps of the scale, and 0.
    pub fn parse(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (classes, rest) = bytes.split_first()?;
        let (base, rest) = rest.split_at_checked(4 * usize::from(*classes).max(1))?;
        let base = base.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let (scale, rest) = rest.split_first_chunk()?;
        let (count, rest) = rest.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let (nodes, rest) = rest.split_at_checked((u32::from_le_bytes(*count) as usize).checked_mul(3)?)?;
        let mut out = Self { base, ..Self::default() };
        // The splits whose branch above has not begun.
        let (mut open, mut is_root) = (Vec::new(), true);
        for (at, [feature, low, high]) in nodes.as_chunks().0.iter().enumerate() {
            out.roots.extend(is_root.then_some(at));
            let mut node = TreeNode { feature: *feature, ..TreeNode::default() };
            if *feature == LEAF {
                node.score = f32::from(low.cast_signed()) * scale;
                let split: Option<usize> = open.pop();
                split.into_iter().for_each(|split| out.nodes[split].above = at + 1);
                is_root = split.is_none();
            } else {
                node.threshold = f32::from_le_bytes([0, 0, *low, *high]);
                open.push(at);
                is_root = false;
            }
            out.nodes.push(node);
        }
        for at in (0..out.nodes.len()).rev().filter(|_| is_root) {
            let TreeNode { feature, above, .. } = out.nodes[at];
            if feature != LEAF {
                out.nodes[at].score = f32::midpoint(out.nodes[at + 1].score, out.nodes[above].score);
            }
        }
        is_root.then_some((out, rest))
    }

    /// The score of the leaf that the features lead to; `visit` gets each feature and what its branch adds.
    fn walk(&self, root: usize, x: &[f32], mut visit: impl FnMut(u8, f32)) -> f32 {
        let nodes = &self.nodes[..];
        let mut at = root;
        loop {
            let TreeNode { feature, threshold, above, score } = nodes[at];
            if feature == LEAF {
                return score;
            }
            let is_above = x.get(usize::from(feature)).is_some_and(|v| *v > threshold);
            let half_gain = (nodes[above].score - nodes[at + 1].score) / 2.0;
            visit(feature, if is_above { half_gain } else { -half_gain });
            at = if is_above { above } else { at + 1 };
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
    pub fn reasons(&self, x: &[f32], class: usize, rival: usize, most: usize) -> Vec<(u8, f32)> {
        let mut sums = vec![0.0f32; usize::from(LEAF)];
        for (n, root) in self.roots.iter().enumerate() {
            match n % self.base.len() {
                c if c == class => _ = self.walk(*root, x, |feature, gain| sums[usize::from(feature)] += gain),
                c if c == rival => _ = self.walk(*root, x, |feature, gain| sums[usize::from(feature)] -= gain),
                _ => {}
            }
        }
        let heavy = sums.into_iter().enumerate().filter(|(_, weight)| *weight != 0.0);
        let mut out: Vec<(u8, f32)> = heavy.map(|(feature, weight)| (feature as u8, weight)).collect();
        out.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        out.truncate(most);
        out
    }
}

/// The softmax of scores divided by a temperature.
pub fn softmax(scores: &[f32], temperature: f32) -> Vec<f32> {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let e: Vec<f32> = scores.iter().map(|s| ((s - top) / temperature.max(1e-3)).exp()).collect();
    let sum: f32 = e.iter().sum();
    e.iter().map(|v| v / sum).collect()
}
