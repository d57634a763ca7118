//! The vectors of one embedder beside the built-in one, a byte a component.
//!
//! It compares vectors of that embedder alone and knows nothing else of the memories.

use super::{Match, rank};
use crate::model::Id;

/// Bytes before the components: what one step of them is worth.
const HEAD: usize = 4;

/// Memories by the vectors that one embedder gave them.
#[derive(Debug, Clone, Default)]
pub struct Space {
    dimensions: usize,
    /// Which row is whose, by ascending id.
    place: Vec<(Id, u32)>,
    /// Whole rows one after the other, each as it is stored.
    rows: Vec<u8>,
    free: Vec<u32>,
}

impl Space {
    /// A unit vector as it is stored: four bytes for what a step is worth, then a byte for each component.
    pub fn encode(vector: &[f32]) -> Vec<u8> {
        let most = vector.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
        let step = most / 127.0;
        let mut out = Vec::with_capacity(HEAD + vector.len());
        out.extend_from_slice(&step.to_le_bytes());
        out.extend(vector.iter().map(|x| (x / step).round() as i8 as u8));
        out
    }

    /// Puts the stored vector of a memory; one of another length than the first is left out.
    pub fn put(&mut self, id: Id, stored: &[u8]) {
        let Some(dimensions) = stored.len().checked_sub(HEAD).filter(|d| *d > 0) else { return };
        if self.place.is_empty() {
            (self.dimensions, self.rows, self.free) = (dimensions, Vec::new(), Vec::new());
        }
        if dimensions != self.dimensions {
            return;
        }
        let row = match self.find(id) {
            Ok(at) => self.place[at].1,
            Err(at) => {
                let row = self.free.pop().unwrap_or_else(|| {
                    self.rows.resize(self.rows.len() + stored.len(), 0);
                    (self.rows.len() / stored.len() - 1) as u32
                });
                self.place.insert(at, (id, row));
                row
            }
        };
        let from = row as usize * stored.len();
        self.rows[from..from + stored.len()].copy_from_slice(stored);
    }

    /// Lets go of a memory.
    pub fn remove(&mut self, id: Id) {
        if let Ok(at) = self.find(id) {
            self.free.push(self.place.remove(at).1);
        }
    }

    /// How many memories it holds.
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.place.is_empty()
    }

    /// Whether it holds a memory.
    pub fn contains(&self, id: Id) -> bool {
        self.find(id).is_ok()
    }

    /// The cosine of a memory's vector and a unit vector; `None` where it holds none to compare.
    pub fn cosine(&self, id: Id, vector: &[f32]) -> Option<f32> {
        let at = self.find(id).ok().filter(|_| vector.len() == self.dimensions)?;
        Some(self.of_row(self.place[at].1, vector))
    }

    /// The `k` memories with the highest cosine among those that `wanted` lets pass, best first and ties by id; where `k`
    /// are as many as there are, all that pass, by id.
    pub fn nearest(&self, vector: &[f32], k: usize, wanted: &dyn Fn(Id) -> bool) -> Vec<Match> {
        if vector.len() != self.dimensions {
            return Vec::new();
        }
        let all = self.place.iter().filter(|(id, _)| wanted(*id));
        let scored = all.map(|(id, row)| Match { id: *id, score: self.of_row(*row, vector) });
        let scored = scored.collect();
        if k < self.place.len() { rank(scored, k, |m| (m.score, m.id)) } else { scored }
    }

    fn find(&self, id: Id) -> Result<usize, usize> {
        self.place.binary_search_by(|(other, _)| other.cmp(&id))
    }

    fn of_row(&self, row: u32, vector: &[f32]) -> f32 {
        let long = HEAD + self.dimensions;
        let Some((head, codes)) = self.rows[row as usize * long..][..long].split_first_chunk::<HEAD>() else {
            return 0.0;
        };
        let cosine = dot(codes, vector) * f32::from_le_bytes(*head);
        if cosine.is_finite() { cosine.clamp(-1.0, 1.0) } else { 0.0 }
    }
}

/// The sum of the products of codes and components.
fn dot_scalar(codes: &[u8], vector: &[f32]) -> f32 {
    codes.iter().zip(vector).map(|(code, x)| f32::from(*code as i8) * x).sum()
}

#[cfg(not(target_arch = "wasm32"))]
use dot_scalar as dot;

/// The same, sixteen a step.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
fn dot(codes: &[u8], vector: &[f32]) -> f32 {
    use core::arch::wasm32::{
        f32x4_add as add, f32x4_convert_i32x4 as real, f32x4_extract_lane as lane, f32x4_mul as mul, f32x4_splat,
        i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_extend_high_i16x8 as high,
        i32x4_extend_low_i16x8 as low, v128, v128_load as load,
    };
    let ((codes, more), (components, rest)) = (codes.as_chunks::<16>(), vector.as_chunks::<16>());
    let (mut even, mut odd) = (f32x4_splat(0.0), f32x4_splat(0.0));
    for (codes, components) in codes.iter().zip(components) {
        let at = components.as_ptr().cast::<v128>();
        // SAFETY: sixteen codes are one load and sixteen components four; a load needs no alignment.
        let (codes, a, b, c, d) =
            unsafe { (load(codes.as_ptr().cast()), load(at), load(at.add(1)), load(at.add(2)), load(at.add(3))) };
        let (first, last) = (i16x8_extend_low_i8x16(codes), i16x8_extend_high_i8x16(codes));
        even = add(even, add(mul(real(low(first)), a), mul(real(low(last)), c)));
        odd = add(odd, add(mul(real(high(first)), b), mul(real(high(last)), d)));
    }
    let sums = add(even, odd);
    lane::<0>(sums) + lane::<1>(sums) + lane::<2>(sums) + lane::<3>(sums) + dot_scalar(more, rest)
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

    #[test]
    fn the_nearest_come_first_and_cosines_are_those_of_the_vectors() {
        let mut ids = Ids::new(Time::from_millis(1), [3; 16]);
        let ids: Vec<Id> = (0..30).map(|_| ids.mint()).collect();
        let mut space = Space::default();
        for (n, id) in ids.iter().enumerate().rev() {
            space.put(*id, &Space::encode(&unit(n as f32 * 3.0)));
        }
        for (n, id) in ids.iter().enumerate() {
            let cosine = space.cosine(*id, &unit(0.0)).unwrap();
            assert!((cosine - (n as f32 * 3.0).to_radians().cos()).abs() < 0.01, "{n}: {cosine}");
        }
        let near: Vec<Id> = space.nearest(&unit(100.0), 2, &|_| true).into_iter().map(|m| m.id).collect();
        assert_eq!(near, [ids[29], ids[28]]);
        space.remove(ids[29]);
        assert_eq!((space.nearest(&unit(100.0), 1, &|_| true)[0].id, space.contains(ids[29])), (ids[28], false));
        space.put(ids[29], &Space::encode(&unit(0.0)));
        assert!(space.cosine(ids[29], &unit(0.0)).is_some_and(|c| c > 0.99));
        assert!(space.cosine(ids[28], &unit(84.0)).is_some_and(|c| c > 0.99));
        assert_eq!(space.rows.len(), 30 * 68);
    }

    #[test]
    fn all_that_are_wanted_come_by_id() {
        let mut ids = Ids::new(Time::from_millis(1), [3; 16]);
        let ids: Vec<Id> = (0..5).map(|_| ids.mint()).collect();
        let mut space = Space::default();
        for (n, id) in ids.iter().enumerate() {
            space.put(*id, &Space::encode(&unit(n as f32 * 20.0)));
        }
        let all: Vec<Id> = space.nearest(&unit(80.0), 5, &|id| id != ids[1]).into_iter().map(|m| m.id).collect();
        assert_eq!(all, [ids[0], ids[2], ids[3], ids[4]]);
    }

    #[cfg(target_arch = "wasm32")]
    #[wasm_bindgen_test::wasm_bindgen_test]
    fn sums_of_any_length_are_the_scalar_ones() {
        for long in [1, 15, 16, 17, 64, 100, 1_536] {
            let codes: Vec<u8> = (0..long).map(|n| (n * 37 + 11) as u8).collect();
            let vector: Vec<f32> = (0..long).map(|n| ((n * 53) % 101) as f32 / 50.0 - 1.0).collect();
            let (simd, scalar) = (dot(&codes, &vector), dot_scalar(&codes, &vector));
            assert!((simd - scalar).abs() <= 1e-3 * scalar.abs().max(100.0), "{long}: {simd} {scalar}");
        }
    }

    #[test]
    fn vectors_of_another_length_are_neither_kept_nor_compared() {
        let id = Ids::new(Time::from_millis(1), [3; 16]).mint();
        let mut space = Space::default();
        assert!(space.nearest(&[1.0], 1, &|_| true).is_empty() && space.cosine(id, &[]).is_none());
        space.put(id, &[]);
        space.put(id, &[0; 4]);
        assert!(!space.contains(id));
        space.put(id, &Space::encode(&unit(1.0)));
        let other = Ids::new(Time::from_millis(2), [3; 16]).mint();
        space.put(other, &Space::encode(&[1.0, 0.0]));
        assert!(!space.contains(other) && space.cosine(id, &[1.0]).is_none());
    }
}
