//! [`RemoteVectors`]: the vectors of an embedding model that runs in addition to the built-in embedder.

use super::index::IndexMatch;
use super::query::{BestMatches, ScanMatch};
use super::vectors::{CHUNK, QueryLevels, Vectors, encode};
use crate::model::Id;
use crate::similarity::cosine;
use std::collections::HashMap;

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
    /// An empty table for vectors of this length.
    pub fn new(dimensions: usize) -> Self {
        Self { vectors: Vectors::new(dimensions), ..Self::default() }
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

    pub fn remove(&mut self, id: Id) {
        if let Some(row) = self.rows.remove(&id) {
            self.vectors.take(row);
            self.free.push(row);
        }
    }

    pub fn dimensions(&self) -> usize {
        self.vectors.dimensions
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn contains(&self, id: Id) -> bool {
        self.rows.contains_key(&id)
    }

    /// The vector of a memory, decoded from its codes.
    pub fn vector(&self, id: Id) -> Option<Vec<f32>> {
        let (scale, codes) = self.vectors.get(*self.rows.get(&id)?)?;
        Some(codes.into_iter().map(|code| scale * f32::from(code)).collect())
    }

    /// The cosine of a memory's vector with the query; `None` without a vector.
    pub fn cosine(&self, id: Id, query: &[f32]) -> Option<f32> {
        Some(cosine(&self.vector(id)?, query))
    }

    /// The `k` memories nearest to a vector that pass the filter.
    pub fn nearest(&self, vector: &[f32], k: usize, wanted: &dyn Fn(Id) -> bool) -> Vec<IndexMatch> {
        let mut closest = BestMatches::new(k, -1.0, 0.0);
        for (id, cosine) in self.cosines(vector) {
            if cosine >= closest.least && wanted(id) {
                closest.push(ScanMatch { id, score: cosine, cosine, row: 0 });
            }
        }
        closest.finish().into_iter().map(|m| IndexMatch { id: m.id, score: m.score }).collect()
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
