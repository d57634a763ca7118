//! [`Postings`]: the rows that contain each term, in a compact sorted part and a small recent part.

use std::collections::HashMap;

/// The rows of each term, ascending, with the term's count in the row.
#[derive(Debug, Default, Clone)]
pub(super) struct Postings {
    keys: Vec<u64>,
    /// The end of each key's list in `lists`.
    ends: Vec<u32>,
    /// Encoded lists: twice the distance to the previous row, plus 1 if a count other than 1 follows.
    lists: Vec<u8>,
    /// The number of rows in the merged part.
    merged: u32,
    recent: HashMap<u64, Vec<(u32, u8)>>,
}

impl Postings {
    /// Adds the distinct terms of a new row, whose number must be the greatest.
    pub fn add(&mut self, row: u32, terms: &[(u64, u8)]) {
        for (term, count) in terms {
            self.recent.entry(*term).or_default().push((row, *count));
        }
    }

    /// Replaces `out` by the rows that contain a term, with their counts.
    pub fn rows(&self, term: u64, out: &mut Vec<(u32, u8)>) {
        out.clear();
        if let Ok(at) = self.keys.binary_search(&term) {
            self.list(at, out);
        }
        if let Some(recent) = self.recent.get(&term) {
            out.extend_from_slice(recent);
        }
    }

    /// Like [`Self::rows`], but returns `false` if roughly more than `crowd` rows contain the term.
    pub fn rows_unless(&self, term: u64, crowd: usize, out: &mut Vec<(u32, u8)>) -> bool {
        let length = |at: usize| self.ends[at] as usize - if at == 0 { 0 } else { self.ends[at - 1] as usize };
        let merged = self.keys.binary_search(&term).map_or(0, length);
        let few = merged + self.recent.get(&term).map_or(0, Vec::len) <= crowd;
        if few {
            self.rows(term, out);
        }
        few
    }

    fn list(&self, at: usize, out: &mut Vec<(u32, u8)>) {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        let bytes = &self.lists[start as usize..self.ends[at] as usize];
        // Each entry takes at least one byte; resizing once avoids capacity checks in the loop.
        let before = out.len();
        out.resize(before + bytes.len(), (0, 1));
        let (mut row, mut end, mut bytes) = (0, before, bytes.iter());
        for slot in &mut out[before..] {
            let Some(head) = varint(&mut bytes) else { break };
            row += head >> 1;
            slot.0 = row;
            if head & 1 != 0 {
                slot.1 = bytes.next().copied().unwrap_or(1);
            }
            end += 1;
        }
        out.truncate(end);
    }

    /// Whether the recent part is large enough for a merge, given the total number of rows.
    pub fn is_due(&self, rows: u32) -> bool {
        rows - self.merged > MIN_RECENT + rows / 8
    }

    /// Merges the recent part into the lists. `place` maps a row to its new number, in the same order, or to `None` if
    /// it was removed.
    pub fn merge(&mut self, rows: u32, place: &dyn Fn(u32) -> Option<u32>) {
        let mut recent: Vec<u64> = self.recent.keys().copied().collect();
        recent.sort_unstable();
        let all = self.keys.len() + recent.len();
        let (mut keys, mut ends): (Vec<u64>, Vec<u32>) = (Vec::with_capacity(all), Vec::with_capacity(all));
        let mut lists = Vec::with_capacity(self.lists.len() + 2 * recent.len());
        let mut found = Vec::new();
        let (mut old, mut new) = (0, 0);
        while old < self.keys.len() || new < recent.len() {
            let key = match (self.keys.get(old), recent.get(new)) {
                (Some(a), Some(b)) => *a.min(b),
                (Some(a), None) | (None, Some(a)) => *a,
                (None, None) => break,
            };
            found.clear();
            if self.keys.get(old) == Some(&key) {
                self.list(old, &mut found);
                old += 1;
            }
            if recent.get(new) == Some(&key) {
                found.extend(self.recent.remove(&key).unwrap_or_default());
                new += 1;
            }
            let mut last = 0;
            for (row, count) in &found {
                let Some(row) = place(*row) else { continue };
                put_varint((row - last) << 1 | u32::from(*count != 1), &mut lists);
                if *count != 1 {
                    lists.push(*count);
                }
                last = row;
            }
            if lists.len() as u32 != ends.last().copied().unwrap_or(0) {
                keys.push(key);
                ends.push(lists.len() as u32);
            }
        }
        keys.shrink_to_fit();
        ends.shrink_to_fit();
        lists.shrink_to_fit();
        *self = Self { keys, ends, lists, merged: rows, recent: HashMap::new() };
    }

    /// Encodes the postings, which must be merged.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(4 + 12 * self.keys.len() + self.lists.len());
        out.extend((self.keys.len() as u32).to_le_bytes());
        self.keys.iter().for_each(|key| out.extend(key.to_le_bytes()));
        self.ends.iter().for_each(|end| out.extend(end.to_le_bytes()));
        out.extend_from_slice(&self.lists);
        out
    }

    /// Decodes the postings over this many rows; `None` if the bytes are inconsistent.
    pub fn from_bytes(bytes: &[u8], rows: u32) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (keys, rest) = rest.split_at_checked(8 * count)?;
        let (ends, lists) = rest.split_at_checked(4 * count)?;
        let keys: Vec<u64> = keys.as_chunks().0.iter().map(|k| u64::from_le_bytes(*k)).collect();
        let ends: Vec<u32> = ends.as_chunks().0.iter().map(|e| u32::from_le_bytes(*e)).collect();
        let fits = ends.last().copied().unwrap_or(0) as usize == lists.len() && ends.is_sorted() && keys.is_sorted();
        fits.then(|| Self { keys, ends, lists: lists.to_vec(), merged: rows, recent: HashMap::new() })
    }

    /// The approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        let recent: usize = self.recent.values().map(|v| 24 + 8 * v.capacity()).sum();
        8 * self.keys.capacity() + 4 * self.ends.capacity() + self.lists.capacity() + recent
    }
}

/// Recent rows below this number never trigger a merge.
const MIN_RECENT: u32 = 1_024;

fn put_varint(mut n: u32, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

#[inline(always)]
fn varint(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let first = *bytes.next()?;
    if first < 0x80 {
        return Some(u32::from(first));
    }
    let (mut n, mut shift) = (u32::from(first & 0x7f), 7);
    loop {
        let byte = *bytes.next()?;
        n |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(n);
        }
        shift += 7;
    }
}
