//! Longest common subsequences.

/// The index pairs of a longest common subsequence of two lists of these lengths.
pub fn common_pairs(first: usize, second: usize, same: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let at = |i: usize, j: usize| i * (second + 1) + j;
    // The lengths for the suffixes, filled from the end.
    let mut longest = vec![0u16; (first + 1) * (second + 1)];
    for i in (0..first).rev() {
        for j in (0..second).rev() {
            longest[at(i, j)] = if same(i, j) {
                longest[at(i + 1, j + 1)] + 1
            } else {
                longest[at(i + 1, j)].max(longest[at(i, j + 1)])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < first && j < second {
        if same(i, j) {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[at(i + 1, j)] >= longest[at(i, j + 1)] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
