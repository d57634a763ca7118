//! [`Index`]: the search index over all memories by vectors, terms and names (thread, subject, person, entity).

use super::postings::Postings;
use super::terms::{is_korean, name_keys, of_person, terms};
use super::vectors::{CHUNK, Vectors, encode};
use crate::language::fnv;
use crate::model::{Category, DayOrTime, Generation, Id, Memory, StorageTier, TimeSpan};

/// An exact in-memory index.
#[derive(Debug)]
pub struct Index {
    pub(super) rows: Vec<Row>,
    pub(super) order: Vec<u32>,
    pub(super) successors: Vec<(u32, Id)>,
    /// The vectors of one embedder and its model tag; vectors of different embedders are never compared.
    pub(super) vectors: Vectors,
    pub(super) model: String,
    pub(super) postings: Postings,
    pub(super) total_length: u64,
    /// The number of terms in each row's text; [`UNUSED_ROW`] for an unused row.
    pub(super) lengths: Vec<u16>,
    /// Unused rows, and how many of them the postings still contain.
    pub(super) unused: usize,
    pub(super) unmerged: usize,
    /// Whether each chunk has changed since it was last packed.
    pub(super) stale: Vec<bool>,
    /// Maps a text to the keys of its word meanings; passed in, since this module does not know the lexicon.
    pub(super) meanings: fn(&str) -> Vec<u64>,
}

impl Index {
    /// An empty index, which also finds texts by `meanings`.
    pub fn new(meanings: fn(&str) -> Vec<u64>) -> Self {
        Self {
            rows: Vec::new(),
            order: Vec::new(),
            successors: Vec::new(),
            vectors: Vectors::default(),
            model: String::new(),
            postings: Postings::default(),
            total_length: 0,
            lengths: Vec::new(),
            unused: 0,
            unmerged: 0,
            stale: Vec::new(),
            meanings,
        }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    pub fn row(&self, id: Id) -> Option<&Row> {
        self.at(id).map(|at| &self.rows[at as usize])
    }

    /// The approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        (size_of::<Row>() + 2) * self.rows.capacity()
            + 4 * self.order.capacity()
            + size_of::<(u32, Id)>() * self.successors.capacity()
            + self.vectors.bytes()
            + self.postings.bytes()
    }

    /// The index of a memory in `order`, or the index to insert it at.
    fn place(&self, id: Id) -> Result<usize, usize> {
        // Ids ascend with time, so a new one is nearly always appended.
        match self.order.last() {
            Some(last) if self.rows[*last as usize].id < id => Err(self.order.len()),
            _ => self.order.binary_search_by(|at| self.rows[*at as usize].id.cmp(&id)),
        }
    }

    pub(super) fn at(&self, id: Id) -> Option<u32> {
        self.place(id).ok().map(|place| self.order[place])
    }

    /// Adds or replaces a memory. A vector comes with its embedder's model tag; without one, the previous vector stays.
    pub fn put(&mut self, memory: &Memory, vector: Option<(&str, &[f32])>) {
        let terms = self.count_terms(memory);
        let length: u16 =
            terms.iter().take_while(|t| !t.2).map(|t| u16::from(t.1)).fold(0, u16::saturating_add).min(UNUSED_ROW - 1);
        let print = fnv(17, terms.iter().map(|t| t.0 ^ u64::from(t.1)));
        let flag = |bit, is| if is { bit } else { 0 };
        let row = Row {
            id: memory.id,
            occurred_at: memory.occurred_at,
            until: memory.valid_until,
            print: (print >> 32) as u32,
            length,
            category: memory.category,
            flags: LIVE
                | flag(SUPERSEDED, memory.superseded_by.is_some())
                | flag(DELETED, memory.deleted_at.is_some())
                | flag(ARCHIVED, memory.generation == Generation::Archived)
                | flag(STUB, memory.storage_tier == StorageTier::Stub)
                | flag(KOREAN, is_korean(&memory.content)),
        };
        let place = self.place(memory.id);
        let old = place.ok().map(|place| self.order[place]);
        let at = match old {
            // Most writes leave the text and its terms unchanged.
            Some(at) if self.rows[at as usize].print == row.print && self.rows[at as usize].length == length => {
                self.rows[at as usize] = row;
                at
            }
            _ => {
                let at = self.rows.len() as u32;
                if at as usize == self.rows.capacity() {
                    let more = at as usize / 8 + 64;
                    self.rows.reserve_exact(more);
                    self.order.reserve_exact(more);
                    self.lengths.reserve_exact(more);
                }
                self.rows.push(row);
                self.lengths.push(length);
                match place {
                    Ok(place) => self.order[place] = at,
                    Err(place) => self.order.insert(place, at),
                }
                let distinct: Vec<(u64, u8)> = terms.iter().map(|t| (t.0, t.1)).collect();
                self.postings.add(at, &distinct);
                self.total_length += u64::from(length);
                if let Some(old) = old {
                    self.retire_row(old, at);
                }
                at
            }
        };
        self.set_successor(at, memory.superseded_by);
        self.mark_changed(at);
        if let Some((model, vector)) = vector {
            self.put_vector(at, model, vector);
        } else if memory.is_forgotten() {
            self.vectors.take(at);
        }
        if self.postings.is_due(self.rows.len() as u32) {
            self.settle();
        }
    }

    /// The distinct terms of a memory with their counts: text terms first, then meanings and names (`true`).
    fn count_terms(&self, memory: &Memory) -> Vec<(u64, u8, bool)> {
        let texts = [Some(memory.content.as_str()), memory.subject.as_deref()];
        let names = memory.entities.iter().map(String::as_str);
        let mut all: Vec<u64> = texts.into_iter().flatten().chain(names).flat_map(terms).map(|t| t.key).collect();
        all.sort_unstable();
        let mut counted: Vec<(u64, u8, bool)> = Vec::with_capacity(all.len() + 4);
        let mut push = |term: u64, name: bool| match counted.last_mut() {
            Some(last) if last.0 == term && last.2 == name => last.1 = last.1.saturating_add(1),
            _ => counted.push((term, 1, name)),
        };
        all.iter().for_each(|term| push(*term, false));
        let mut names = name_keys(&memory.into());
        names.extend((self.meanings)(&memory.content));
        names.extend(memory.people.iter().flat_map(|p| terms(p)).map(|t| of_person(t.key)));
        names.sort_unstable();
        names.dedup();
        names.iter().for_each(|name| push(*name, true));
        counted
    }

    fn retire_row(&mut self, old: u32, new: u32) {
        self.rows[old as usize].flags = 0;
        self.lengths[old as usize] = UNUSED_ROW;
        self.mark_changed(old);
        self.total_length -= u64::from(self.rows[old as usize].length);
        self.set_successor(old, None);
        self.unused += 1;
        self.unmerged += 1;
        self.vectors.shift(old, new);
    }

    fn set_successor(&mut self, at: u32, next: Option<Id>) {
        match (self.successors.binary_search_by_key(&at, |s| s.0), next) {
            (Ok(place), Some(next)) => self.successors[place].1 = next,
            (Ok(place), None) => drop(self.successors.remove(place)),
            (Err(place), Some(next)) => self.successors.insert(place, (at, next)),
            (Err(_), None) => {}
        }
    }

    /// Marks the row's chunk as changed since the last pack.
    fn mark_changed(&mut self, at: u32) {
        let chunk = at as usize / CHUNK;
        self.stale.resize(self.stale.len().max(chunk + 1), true);
        self.stale[chunk] = true;
    }

    pub(super) fn successor(&self, at: u32) -> Option<Id> {
        self.successors.binary_search_by_key(&at, |s| s.0).ok().map(|place| self.successors[place].1)
    }

    fn put_vector(&mut self, at: u32, model: &str, vector: &[f32]) {
        if self.model != model || self.vectors.dimensions != vector.len() {
            self.vectors = Vectors::new(vector.len());
            model.clone_into(&mut self.model);
            self.stale.clear();
        }
        let (step, codes) = encode(vector);
        self.vectors.put(at, (step, &codes));
    }

    pub fn drop_vector(&mut self, id: Id) {
        if let Some(at) = self.at(id) {
            self.mark_changed(at);
            self.vectors.take(at);
        }
    }

    /// Merges recent postings, and compacts the rows if more than an eighth is unused.
    pub fn settle(&mut self) {
        self.unmerged = 0;
        if self.unused <= self.rows.len() / 8 {
            let rows = &self.rows;
            self.postings.merge(rows.len() as u32, &|at| (rows[at as usize].flags != 0).then_some(at));
            return;
        }
        let mut places = vec![u32::MAX; self.rows.len()];
        let mut count = 0u32;
        for (at, place) in places.iter_mut().enumerate() {
            if self.rows[at].flags == 0 {
                continue;
            }
            *place = count;
            self.rows[count as usize] = self.rows[at];
            self.lengths[count as usize] = self.lengths[at];
            self.vectors.shift(at as u32, count);
            count += 1;
        }
        self.rows.truncate(count as usize);
        self.lengths.truncate(count as usize);
        self.vectors.truncate(count as usize);
        for at in &mut self.order {
            *at = places[*at as usize];
        }
        for (at, _) in &mut self.successors {
            *at = places[*at as usize];
        }
        self.unused = 0;
        self.stale.clear();
        self.postings.merge(count, &|at| Some(places[at as usize]).filter(|at| *at != u32::MAX));
    }

    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|r| r.flags != 0)
    }

    /// The memories whose direct successor is one of these.
    pub fn replaced_by(&self, ids: &[Id]) -> Vec<Id> {
        self.successors.iter().filter(|s| ids.contains(&s.1)).map(|s| self.rows[s.0 as usize].id).collect()
    }

    /// The live memories that lack a vector of this embedder; stubs need none.
    pub fn unembedded(&self, model: &str) -> Vec<Id> {
        let has = |at: usize| self.model == model && self.vectors.has(at as u32);
        let lacks = |(at, r): &(usize, &Row)| r.is_live() && !r.is_stub() && !has(*at);
        self.rows.iter().enumerate().filter(lacks).map(|(_, r)| r.id).collect()
    }
}

/// A search result: a memory and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexMatch {
    pub id: Id,
    /// The cosine or lexical score.
    pub score: f32,
}

#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub id: Id,
    /// When the event happened or will happen.
    pub occurred_at: DayOrTime,
    pub(super) until: Option<DayOrTime>,
    /// A hash of the terms, to detect changes.
    pub(super) print: u32,
    pub(super) length: u16,
    pub category: Category,
    pub(super) flags: u8,
}

pub(super) const UNUSED_ROW: u16 = u16::MAX;

pub(super) const LIVE: u8 = 1;
pub(super) const SUPERSEDED: u8 = 2;
pub(super) const DELETED: u8 = 4;
pub(super) const ARCHIVED: u8 = 8;
pub(super) const STUB: u8 = 16;
pub(super) const KOREAN: u8 = 64;

impl Row {
    pub fn lies_in(&self, span: &TimeSpan) -> bool {
        span.holds(self.occurred_at) || self.until.is_some_and(|until| span.holds(until))
    }

    /// Whether its deadline, or the day of a task, is in a time span.
    pub fn falls_due_in(&self, span: &TimeSpan) -> bool {
        let own_day = Some(self.occurred_at).filter(|_| self.category == Category::Task);
        self.until.or(own_day).is_some_and(|end| span.holds(end))
    }

    pub(super) fn is_live(&self) -> bool {
        self.flags & LIVE != 0
    }

    pub(super) fn length(&self) -> u64 {
        u64::from(self.length)
    }

    /// The row's value in [`Index::lengths`].
    pub(super) fn indexed_length(&self) -> u16 {
        if self.is_live() { self.length.min(UNUSED_ROW - 1) } else { UNUSED_ROW }
    }

    /// Whether it is the current version and not deleted.
    pub fn is_current(&self) -> bool {
        self.flags & (SUPERSEDED | DELETED) == 0
    }

    pub fn is_superseded(&self) -> bool {
        self.flags & SUPERSEDED != 0
    }

    pub fn is_deleted(&self) -> bool {
        self.flags & DELETED != 0
    }

    /// Whether it was merged into a summary.
    pub fn is_archived(&self) -> bool {
        self.flags & ARCHIVED != 0
    }

    pub fn is_stub(&self) -> bool {
        self.flags & STUB != 0
    }

    /// Whether its text is mostly Korean.
    pub fn is_korean(&self) -> bool {
        self.flags & KOREAN != 0
    }
}
