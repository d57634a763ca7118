//! The vectors of one embedder beside the built-in one: codes of all, and as many whole ones as there is room for.
//!
//! It compares vectors of that embedder alone and knows nothing else of the memories. Which of two is nearer it says only as
//! far as codes prove; whoever has the whole vectors tells the rest.

use super::codes::{CHUNK, Coded, Codes};
use super::probe::{Gate, Probe};
use super::query::{Open, close};
use crate::model::Id;
use std::rc::Rc;

/// Bytes before the components: what one step of them is worth, and the length of what they leave out.
const HEAD: usize = 8;

/// Memories by the vectors that one embedder gave them.
#[derive(Debug, Clone, Default)]
pub struct Space {
    codes: Codes,
    /// Which row is whose, by ascending id.
    place: Vec<(Id, u32)>,
    /// Whose each row is, or was.
    owners: Vec<Id>,
    free: Vec<u32>,
    /// The whole vectors that are kept, by row, and how many they are.
    whole: Vec<Option<Rc<[f32]>>>,
    kept: usize,
    /// The most of them.
    most: usize,
}

/// What the cosine of a memory's vector and another is at least and at most.
#[derive(Debug, Clone, Copy)]
pub struct Near {
    /// The memory.
    pub id: Id,
    /// The least.
    pub lower: f32,
    /// The most.
    pub upper: f32,
}

impl Space {
    /// An empty one for vectors of this length that keeps up to `room` bytes of whole vectors beside their codes.
    pub fn new(dimensions: usize, room: usize) -> Self {
        Self { codes: Codes::tiled(dimensions), most: room / (4 * dimensions.max(1)), ..Self::default() }
    }

    /// A unit vector as it is stored for comparing: four bytes for what a step is worth and four for the length of what the
    /// codes leave out, then a code for each component.
    pub fn encode(vector: &[f32]) -> Vec<u8> {
        let Coded { scale, error, codes } = Coded::of(vector);
        let mut out = Vec::with_capacity(HEAD + codes.len());
        out.extend_from_slice(&scale.to_le_bytes());
        out.extend_from_slice(&error.to_le_bytes());
        out.extend(codes.iter().map(|code| code.cast_unsigned()));
        out
    }

    /// Puts the stored vector of a memory; one of another length is left out.
    pub fn put(&mut self, id: Id, stored: &[u8]) {
        let dimensions = self.codes.dimensions();
        let Some(head) = stored.len().checked_sub(dimensions).filter(|_| dimensions > 0) else { return };
        let (head, codes) = stored.split_at(head);
        let codes = codes.iter().map(|code| code.cast_signed());
        let coded = match head.as_chunks() {
            ([scale, error], []) => {
                let [scale, error] = [*scale, *error].map(f32::from_le_bytes);
                Coded { scale, error, codes: codes.collect() }
            }
            // Of a vector of which nothing else was ever kept: its codes are the vector.
            ([step], []) => {
                let step = f32::from_le_bytes(*step);
                Coded::of(&codes.map(|code| f32::from(code) * step).collect::<Vec<f32>>())
            }
            _ => return,
        };
        if !(coded.scale.is_finite() && coded.error >= 0.0) {
            return;
        }
        let row = match self.find(id) {
            Ok(at) => self.place[at].1,
            Err(at) => {
                let row = self.free.pop().unwrap_or_else(|| {
                    self.owners.push(id);
                    self.whole.push(None);
                    (self.owners.len() - 1) as u32
                });
                self.owners[row as usize] = id;
                self.place.insert(at, (id, row));
                row
            }
        };
        self.codes.put_coded(row, &coded);
        self.drop_whole(row);
    }

    /// Keeps the whole vector of a memory that it holds, as far as there is room.
    pub fn keep(&mut self, id: Id, vector: Rc<[f32]>) {
        if let (Some(row), true) = (self.row(id), self.most > 0 && vector.len() == self.codes.dimensions()) {
            self.drop_whole(row);
            // As in an index: those that are needed again soon come back.
            if self.kept >= self.most {
                self.whole.fill(None);
                self.kept = 0;
            }
            self.whole[row as usize] = Some(vector);
            self.kept += 1;
        }
    }

    fn drop_whole(&mut self, row: u32) {
        self.kept -= usize::from(self.whole[row as usize].take().is_some());
    }

    /// Lets go of a memory.
    pub fn remove(&mut self, id: Id) {
        if let Ok(at) = self.find(id) {
            let (_, row) = self.place.remove(at);
            self.codes.take(row);
            self.drop_whole(row);
            self.free.push(row);
        }
    }

    /// The length of its vectors.
    pub fn dimensions(&self) -> usize {
        self.codes.dimensions()
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

    /// The whole vector of a memory, where it is kept.
    pub fn whole(&self, id: Id) -> Option<&Rc<[f32]>> {
        self.whole[self.row(id)? as usize].as_ref()
    }

    /// The vector that the codes of a memory show: the vector itself, where nothing else of it was ever kept.
    pub fn shown(&self, id: Id) -> Option<Vec<f32>> {
        Some(self.codes.shown(self.row(id)?))
    }

    /// The memories among which are the `k` with the highest cosine of those that `wanted` lets pass: seldom many more.
    /// Whoever knows the exact cosine of each knows the `k`, ties by id.
    pub fn may_be_nearest(&self, vector: &[f32], k: usize, wanted: &dyn Fn(Id) -> bool) -> Vec<Id> {
        let (mut open, mut least) = (Vec::new(), -1.0);
        let mut most = k.saturating_mul(8).max(CHUNK / 2);
        self.each(vector, &mut |row, Near { id, lower, upper }| {
            if upper >= least && wanted(id) {
                open.push(Open { id, row, lower, upper, cosine: 0.0 });
                if open.len() >= most {
                    least = close(&mut open, k, least);
                    // All that is left may be alike.
                    most = most.max(2 * open.len());
                }
            }
            least
        });
        close(&mut open, k, least);
        open.iter().map(|o| o.id).collect()
    }

    /// What is known of every memory.
    pub fn near(&self, vector: &[f32]) -> Vec<Near> {
        let mut near = Vec::with_capacity(self.len());
        self.each(vector, &mut |_, n| {
            near.push(n);
            -1.0
        });
        near
    }

    /// Goes through the rows by their codes; `take` says which cosine is of interest from there on.
    fn each(&self, vector: &[f32], take: &mut dyn FnMut(u32, Near) -> f32) {
        let Some(probe) = Probe::new(vector).filter(|_| vector.len() == self.codes.dimensions()) else { return };
        let (mut least, mut passed) = (-1.0, Vec::new());
        for chunk in 0..self.codes.chunks() {
            let gate = Gate { weight: 1.0, floor: -1.0, least, priors: &[0.0; CHUNK] };
            self.codes.pass(chunk, &probe, &gate, &mut passed);
            for p in passed.iter().filter(|p| !p.bound.is_nan()) {
                let row = chunk * CHUNK + p.row;
                let [lower, upper] = [p.cosine - p.bound, p.cosine + p.bound].map(|x| x.clamp(-1.0, 1.0));
                least = take(row as u32, Near { id: self.owners[row], lower, upper });
            }
        }
    }

    fn row(&self, id: Id) -> Option<u32> {
        self.find(id).ok().map(|at| self.place[at].1)
    }

    fn find(&self, id: Id) -> Result<usize, usize> {
        self.place.binary_search_by(|(other, _)| other.cmp(&id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Ids, Time};
    use crate::similarity::cosine;

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
    fn what_may_be_nearest_is_left_open_and_what_is_gone_leaves_nothing() {
        let ids = ids::<30>();
        let mut space = Space::new(64, 0);
        for (n, id) in ids.iter().enumerate().rev() {
            space.put(*id, &Space::encode(&unit(n as f32 * 3.0)));
        }
        assert_eq!((space.len(), space.near(&unit(0.0)).len()), (30, 30));
        for Near { id, lower, upper } in space.near(&unit(0.0)) {
            let n = ids.iter().position(|other| *other == id).unwrap();
            let cosine = (n as f32 * 3.0).to_radians().cos();
            assert!(lower <= cosine && cosine <= upper && upper - lower < 0.02, "{n}: {lower} {upper}");
        }
        let nearest = |space: &Space, k| space.may_be_nearest(&unit(100.0), k, &|_| true);
        assert_eq!(nearest(&space, 1), [ids[29]]);
        assert_eq!(nearest(&space, 2).len(), 2);
        assert_eq!(space.may_be_nearest(&unit(100.0), 1, &|id| id < ids[20]), [ids[19]]);
        space.remove(ids[29]);
        assert_eq!((nearest(&space, 1), space.contains(ids[29])), (vec![ids[28]], false));
        space.put(ids[29], &Space::encode(&unit(0.0)));
        assert_eq!((nearest(&space, 1), space.owners.len()), (vec![ids[28]], 30));
    }

    #[test]
    fn whole_vectors_are_kept_as_far_as_there_is_room_and_go_with_their_codes() {
        let ids = ids::<4>();
        let mut space = Space::new(64, 2 * 256);
        for id in ids {
            space.put(id, &Space::encode(&unit(9.0)));
            space.keep(id, unit(9.0).into());
            assert!(space.kept <= 2 && space.whole(id).is_some_and(|v| **v == unit(9.0)));
        }
        space.keep(ids[3], vec![1.0].into());
        assert_eq!(space.whole(ids[3]).map(|v| v.len()), Some(64));
        space.put(ids[3], &Space::encode(&unit(8.0)));
        assert!(space.whole(ids[3]).is_none());
        space.remove(ids[2]);
        assert!(space.whole(ids[2]).is_none() && space.shown(ids[2]).is_none());
        let mut space = Space::new(64, 0);
        space.put(ids[0], &Space::encode(&unit(9.0)));
        space.keep(ids[0], unit(9.0).into());
        assert!(space.whole(ids[0]).is_none());
    }

    #[test]
    fn codes_of_which_nothing_else_was_kept_are_the_vector() {
        let [id] = ids();
        let mut space = Space::new(64, 0);
        let stored = Space::encode(&unit(30.0));
        let old = [&stored[..4], &stored[8..]].concat();
        space.put(id, &old);
        let shown = space.shown(id).unwrap();
        assert!((cosine(&shown, &unit(30.0)) - 1.0).abs() < 0.005);
        let near = space.near(&unit(70.0))[0];
        let exact = cosine(&shown, &unit(70.0));
        assert!(near.lower <= exact && exact <= near.upper && near.upper - near.lower < 1e-4, "{near:?} {exact}");
    }

    #[test]
    fn vectors_of_another_length_are_neither_kept_nor_compared() {
        let [id, other] = ids();
        let mut space = Space::default();
        assert!(space.near(&[1.0]).is_empty() && space.may_be_nearest(&[], 1, &|_| true).is_empty());
        space.put(id, &[0; 8]);
        assert!(space.is_empty());
        let mut space = Space::new(64, 0);
        space.put(id, &[]);
        space.put(id, &[0; 4]);
        space.put(id, &[0xff; 72]);
        assert!(!space.contains(id));
        space.put(id, &Space::encode(&unit(1.0)));
        space.put(other, &Space::encode(&[1.0, 0.0]));
        assert!(space.contains(id) && !space.contains(other) && space.near(&[1.0]).is_empty());
    }
}
