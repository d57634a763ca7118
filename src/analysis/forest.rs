//! A forest of small trees over named features: scores, and what each feature added to them.
//!
//! The trees are fitted by `examples/fit` and generated into `weights.bin`; nothing here learns.

/// Splits and leaves in one list; a tree is walked from its root by index.
#[derive(Debug, Clone, Copy)]
enum Node {
    Split { feature: u16, at: f32, right: u16, mean: f32 },
    Leaf(f32),
}

/// Trees for each of several classes.
#[derive(Debug, Clone)]
pub struct Forest {
    classes: usize,
    base: Vec<f32>,
    nodes: Vec<Node>,
    /// For each tree its class and the index of its root.
    roots: Vec<(u8, u32)>,
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }
    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|b| b[0])
    }
    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }
    fn f32(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes)
    }
}

impl Forest {
    /// Reads a forest; returns what follows it. `None` where the bytes are not a forest.
    ///
    /// Classes, base scores, leaf scale; per feature its edges; the class of each tree; then four streams, a split
    /// before its left branch: what each node is, features, edges, leaves.
    pub fn parse(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let mut r = Bytes(bytes);
        let classes = usize::from(r.u8()?);
        let mut base = Vec::with_capacity(classes);
        for _ in 0..classes {
            base.push(r.f32()?);
        }
        let scale = r.f32()?;
        let used = r.u16()?;
        let mut edges: Vec<(u16, Vec<f32>)> = Vec::with_capacity(used.into());
        for _ in 0..used {
            let feature = r.u16()?;
            let n = r.u8()?;
            let mut list = Vec::with_capacity(n.into());
            for _ in 0..n {
                list.push(f32::from_bits(u32::from(r.u16()?) << 16));
            }
            edges.push((feature, list));
        }
        let trees = r.u32()?;
        let mut out = Self { classes, base, nodes: Vec::new(), roots: Vec::with_capacity(trees as usize) };
        let mut of = Vec::with_capacity(trees as usize);
        for _ in 0..trees {
            of.push(r.u8().filter(|c| usize::from(*c) < classes)?);
        }
        let mut streams: [Bytes<'_>; 4] = [Bytes(&[]), Bytes(&[]), Bytes(&[]), Bytes(&[])];
        for s in &mut streams {
            let length = r.u32()? as usize;
            let (head, rest) = r.0.split_at_checked(length)?;
            (*s, r) = (Bytes(head), Bytes(rest));
        }
        for class in of {
            let root = out.nodes.len() as u32;
            out.roots.push((class, root));
            out.read_node(&mut streams, &edges, scale, root, 0)?;
        }
        Some((out, r.0))
    }

    fn read_node(
        &mut self,
        streams: &mut [Bytes<'_>; 4],
        edges: &[(u16, Vec<f32>)],
        scale: f32,
        root: u32,
        depth: u8,
    ) -> Option<f32> {
        if depth > 64 {
            return None;
        }
        let kind = streams[0].u8()?;
        if kind == 0 {
            let value = f32::from(streams[3].u8()? as i8) * scale;
            self.nodes.push(Node::Leaf(value));
            return Some(value);
        }
        let which = usize::from(kind - 1) << 8 | usize::from(streams[1].u8()?);
        let (feature, list) = edges.get(which)?;
        let at = *list.get(usize::from(streams[2].u8()?))?;
        let here = self.nodes.len();
        self.nodes.push(Node::Leaf(0.0));
        let left = self.read_node(streams, edges, scale, root, depth + 1)?;
        let right = (self.nodes.len() as u32 - root) as u16;
        let other = self.read_node(streams, edges, scale, root, depth + 1)?;
        let mean = f32::midpoint(left, other);
        self.nodes[here] = Node::Split { feature: *feature, at, right, mean };
        Some(mean)
    }

    /// How many classes are scored.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The raw score of each class.
    pub fn scores(&self, x: &[f32]) -> Vec<f32> {
        let mut out = self.base.clone();
        for (class, root) in &self.roots {
            let mut at = *root as usize;
            loop {
                match self.nodes[at] {
                    Node::Leaf(v) => {
                        out[usize::from(*class)] += v;
                        break;
                    }
                    Node::Split { feature, at: edge, right, .. } => {
                        let low = x.get(usize::from(feature)).is_none_or(|v| *v <= edge);
                        at = if low { at + 1 } else { *root as usize + usize::from(right) };
                    }
                }
            }
        }
        out
    }

    /// What each feature added to the score of `class` against that of `rival`, most first.
    pub fn reasons(&self, x: &[f32], class: usize, rival: usize) -> Vec<(u16, f32)> {
        let mut sum: std::collections::BTreeMap<u16, f32> = std::collections::BTreeMap::new();
        let value = |n: Node| match n {
            Node::Leaf(v) => v,
            Node::Split { mean, .. } => mean,
        };
        for (c, root) in &self.roots {
            let sign = if usize::from(*c) == class {
                1.0
            } else if usize::from(*c) == rival {
                -1.0
            } else {
                continue;
            };
            let mut at = *root as usize;
            while let Node::Split { feature, at: edge, right, mean } = self.nodes[at] {
                let low = x.get(usize::from(feature)).is_none_or(|v| *v <= edge);
                let next = if low { at + 1 } else { *root as usize + usize::from(right) };
                *sum.entry(feature).or_default() += sign * (value(self.nodes[next]) - mean);
                at = next;
            }
        }
        let mut out: Vec<(u16, f32)> = sum.into_iter().collect();
        out.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        out
    }
}

/// Probabilities of raw scores divided by a temperature.
pub fn softmax(scores: &[f32], temperature: f32) -> Vec<f32> {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let e: Vec<f32> = scores.iter().map(|s| ((s - top) / temperature.max(1e-3)).exp()).collect();
    let sum: f32 = e.iter().sum();
    e.iter().map(|v| v / sum).collect()
}
