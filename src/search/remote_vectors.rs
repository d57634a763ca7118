//! [`RemoteVectors`]: the vectors of an embedding model that runs in addition to the built-in embedder.

use super::query::{BestMatches, ScanMatch};
use super::vectors::{CHUNK, MARGIN, QueryLevels, Vectors, encode};
use crate::model::Id;
use std::collections::HashMap;
use std::rc::Rc;

/// The memories' vectors of one embedding model.
#[derive(Debug, Clone, Default)]
pub struct RemoteVectors {
    vectors: Vectors,
    rows: HashMap<Id, u32>,
    /// The last memory of each row.
    owners: Vec<Id>,
    free: Vec<u32>,
}

impl RemoteVectors {
    /// An empty table for vectors of this length, with up to `room` bytes of full-precision vectors.
    pub fn new(dimensions: usize, room: usize) -> Self {
        Self { vectors: Vectors::new(dimensions, room), ..Self::default() }
    }

    /// Encodes a vector for storage: the quantisation step in four bytes, then one code byte for each component.
    pub fn encode(vector: &[f32]) -> Vec<u8> {
        let (step, codes) = encode(vector);
        step.to_le_bytes().into_iter().chain(codes.iter().map(|code| code.cast_unsigned())).collect()
    }

    /// Decodes a stored vector; another length is ignored.
    pub fn put(&mut self, id: Id, stored: &[u8]) {
        let Some((step, codes)) = stored.split_first_chunk() else { return };
        let step = f32::from_le_bytes(*step);
        if codes.is_empty() || codes.len() != self.dimensions() || !step.is_finite() {
            return;
        }
        let row = *self.rows.entry(id).or_insert_with(|| {
            self.free.pop().unwrap_or_else(|| {
                self.owners.push(id);
                (self.owners.len() - 1) as u32
            })
        });
        self.owners[row as usize] = id;
        let codes: Vec<i8> = codes.iter().map(|code| code.cast_signed()).collect();
        self.vectors.put(row, (step, &codes));
    }

    /// Caches the full-precision vector of a memory in the table, within the byte limit.
    pub fn keep(&mut self, id: Id, vector: Rc<[f32]>) {
        if let Some(row) = self.rows.get(&id) {
            self.vectors.keep(*row, vector);
        }
    }

    pub fn remove(&mut self, id: Id) {
        if let Some(row) = self.rows.remove(&id) {
            self.vectors.take(row);
            self.free.push(row);
        }
    }

    pub fn dimensions(&self) -> usize {
        self.vectors.dimensions
    }

    /// The number of memories.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn contains(&self, id: Id) -> bool {
        self.rows.contains_key(&id)
    }

    /// The full-precision vector of a memory, if cached.
    pub fn whole(&self, id: Id) -> Option<&Rc<[f32]>> {
        self.vectors.whole(*self.rows.get(&id)?)
    }

    /// The vector decoded from a memory's codes.
    pub fn shown(&self, id: Id) -> Option<Vec<f32>> {
        let (scale, codes) = self.vectors.get(*self.rows.get(&id)?)?;
        Some(codes.into_iter().map(|code| scale * f32::from(code)).collect())
    }

    /// The `k` memories nearest to a vector that pass the filter, and those within [`MARGIN`] of them.
    pub fn nearest(&self, vector: &[f32], k: usize, wanted: &dyn Fn(Id) -> bool) -> Vec<Id> {
        let mut closest = BestMatches::new(k, -1.0, MARGIN);
        for (id, cosine) in self.cosines(vector) {
            if cosine >= closest.least && wanted(id) {
                closest.push(ScanMatch { id, score: cosine, cosine, row: 0 });
            }
        }
        closest.finish().into_iter().map(|m| m.id).collect()
    }

    /// The approximate cosine of each memory's vector with the query.
    pub fn cosines(&self, vector: &[f32]) -> Vec<(Id, f32)> {
        let levels = QueryLevels::new(vector).filter(|_| vector.len() == self.dimensions());
        let Some(levels) = levels else { return Vec::new() };
        let (mut near, mut cosines) = (Vec::with_capacity(self.len()), [0.0; CHUNK]);
        for (chunk, owners) in self.owners.chunks(CHUNK).enumerate().take(self.vectors.chunks()) {
            self.vectors.cosines(chunk, &levels, &mut cosines);
            let known = owners.iter().copied().zip(cosines).filter(|(_, cosine)| !cosine.is_nan());
            near.extend(known.map(|(id, cosine)| (id, cosine.clamp(-1.0, 1.0))));
        }
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Ids, Time};

    fn unit(angle: f32) -> Vec<f32> {
        let mut v = vec![0.0; 64];
        (v[3], v[40]) = (angle.to_radians().cos(), angle.to_radians().sin());
        v
    }

    fn ids<const N: usize>() -> [Id; N] {
        let mut ids = Ids::new(Time::from_millis(1), [3; 16]);
        [(); N].map(|()| ids.mint())
    }

    #[test]
    fn full_vectors_are_cached_within_the_limit() {
        let ids = ids::<4>();
        let mut vectors = RemoteVectors::new(64, 2 * 256);
        let kept = |vectors: &RemoteVectors| ids.iter().filter(|id| vectors.whole(**id).is_some()).count();
        for id in ids {
            vectors.put(id, &RemoteVectors::encode(&unit(9.0)));
            vectors.keep(id, unit(9.0).into());
            assert!(kept(&vectors) <= 2 && vectors.whole(id).is_some_and(|v| **v == unit(9.0)));
        }
        vectors.keep(ids[3], vec![1.0].into());
        assert_eq!(vectors.whole(ids[3]).map(|v| v.len()), Some(64));
        vectors.put(ids[3], &RemoteVectors::encode(&unit(8.0)));
        vectors.remove(ids[2]);
        assert!(kept(&vectors) == 0 && vectors.shown(ids[2]).is_none());
    }

    #[test]
    fn other_lengths_are_ignored() {
        let [id, other] = ids();
        let mut vectors = RemoteVectors::default();
        assert!(vectors.cosines(&[1.0]).is_empty() && vectors.nearest(&[], 1, &|_| true).is_empty());
        vectors.put(id, &[0; 8]);
        assert!(vectors.is_empty());
        let mut vectors = RemoteVectors::new(64, 0);
        for stored in [&[][..], &[0; 4], &[0xff; 68]] {
            vectors.put(id, stored);
        }
        vectors.put(other, &RemoteVectors::encode(&[1.0, 0.0]));
        assert!(!vectors.contains(id) && !vectors.contains(other));
        vectors.put(id, &RemoteVectors::encode(&unit(30.0)));
        let shown = vectors.shown(id).unwrap();
        assert!(shown.iter().zip(unit(30.0)).all(|(a, b)| (a - b).abs() < 0.005));
        assert!(vectors.contains(id) && vectors.cosines(&[1.0]).is_empty());
    }
}
