//! An index as records of bytes, about a thousand rows each, from which it is there again in a moment.
//!
//! A pack is never the truth: what does not fit together is refused whole, and the index is read from the memories.

use super::codes::{CHUNK, Codes};
use super::index::{Index, ModelVectors};
use super::postings::Postings;
use super::row::Row;
use super::terms::terms;
use crate::model::{Category, DayOrTime, Id, Time};
use chrono::{Datelike, NaiveDate};
use std::collections::HashMap;
use std::mem::take;

/// What a pack says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackHead {
    /// The number of the last commit that is in it.
    pub seq: u64,
    /// The hash of that commit's entry.
    pub hash: String,
    /// The embedder of its vectors.
    pub model: String,
    dimensions: u32,
    rows: u32,
    /// How many pieces the lists of words, and what replaced what, are in.
    lists: u32,
    links: u32,
    /// Tells whether words were read as they are now.
    print: u64,
}

/// The name of the record that a pack begins with.
pub const PACK_HEAD: &str = "head";
const TERMS: &str = "terms";
const LINKS: &str = "links";
/// Raised with every change of the layout.
const LAYOUT: u32 = 8;
const ROW: usize = 48;
/// A Durable Object takes two megabytes a value.
const PIECE: usize = 1 << 20;
const CATEGORIES: [Category; 6] =
    [Category::Task, Category::Decision, Category::Meeting, Category::Project, Category::Ads, Category::Misc];
/// Words whose reading stands for that of all.
const SAMPLE: &str = "예산은 6천만원으로 확정되었습니다 회의를 옮겼다 계약서 검토 프로스트아이 the meetings were moved, contracts \
    approved and invoice SK-70413 paid by Friday in Corran Bay";

fn chunk_key(chunk: usize) -> String {
    format!("c{chunk:06}")
}

fn piece_key(name: &str, n: usize) -> String {
    format!("{name}.{n:03}")
}

/// Adds a record, in pieces that every store takes.
fn push(records: &mut Vec<(String, Vec<u8>)>, key: &str, mut bytes: Vec<u8>) {
    for n in 0.. {
        let rest = if bytes.len() > PIECE { bytes.split_off(PIECE) } else { Vec::new() };
        records.push((piece_key(key, n), bytes));
        if rest.is_empty() {
            break;
        }
        bytes = rest;
    }
}

fn pieces(bytes: usize) -> usize {
    bytes.div_ceil(PIECE).max(1)
}

/// In so many a chunk's record may be.
fn chunk_pieces(dimensions: usize) -> usize {
    pieces((2 * dimensions + ROW + 8) * CHUNK)
}

impl PackHead {
    /// Reads a head; `None` where another version made it, or it is broken.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut r = PackReader(bytes);
        (r.u32()? == LAYOUT).then_some(())?;
        let (seq, print, dimensions, rows) = (r.u64()?, r.u64()?, r.u32()?, r.u32()?);
        let (lists, links) = (r.u32()?, r.u32()?);
        let (model, hash) = (r.text()?, r.text()?);
        Some(Self { seq, hash, model, dimensions, rows, lists, links, print })
    }

    /// The keys of its other records, in the order in which they are unpacked; of a chunk's pieces the last may be missing.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        let mut add = |name: &str, pieces: usize| keys.extend((0..pieces).map(|n| piece_key(name, n)));
        // What takes longest to unpack first, while the others are read.
        add(TERMS, self.lists as usize);
        add(LINKS, self.links as usize);
        for chunk in 0..(self.rows as usize).div_ceil(CHUNK) {
            add(&chunk_key(chunk), chunk_pieces(self.dimensions as usize));
        }
        keys
    }

    fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(LAYOUT.to_le_bytes());
        out.extend(self.seq.to_le_bytes());
        out.extend(self.print.to_le_bytes());
        out.extend(self.dimensions.to_le_bytes());
        out.extend(self.rows.to_le_bytes());
        out.extend(self.lists.to_le_bytes());
        out.extend(self.links.to_le_bytes());
        for text in [&self.model, &self.hash] {
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text.as_bytes());
        }
        out
    }
}

impl Index {
    /// The records that bring the pack of this index up to commit `seq`, the head last: those that changed since they
    /// were packed last, or all. `None` where vectors of several embedders are in use, or of another one.
    pub fn pack(&mut self, model: &str, seq: u64, hash: &str, all: bool) -> Option<Vec<(String, Vec<u8>)>> {
        let [space] = &self.spaces[..] else { return None };
        (space.model == model).then_some(())?;
        let dimensions = space.codes.dimensions() as u32;
        self.settle();
        let chunks = self.rows.len().div_ceil(CHUNK);
        let mut records = Vec::new();
        for chunk in 0..chunks {
            if all || self.stale.get(chunk).copied().unwrap_or(true) {
                let mut out = Vec::with_capacity(CHUNK * ROW);
                self.rows.iter().skip(chunk * CHUNK).take(CHUNK).for_each(|row| put_row(row, &mut out));
                // In one record, since a record takes a browser longer than its bytes.
                out.extend(self.spaces[0].codes.bytes_of(chunk));
                push(&mut records, &chunk_key(chunk), out);
            }
        }
        let mut links = Vec::with_capacity(self.successors.len() * 20);
        for (row, id) in &self.successors {
            links.extend(row.to_le_bytes());
            links.extend(id.to_bytes());
        }
        let terms = self.postings.to_bytes();
        let (lists, link_count) = (pieces(terms.len()) as u32, pieces(links.len()) as u32);
        push(&mut records, LINKS, links);
        push(&mut records, TERMS, terms);
        let (rows, print) = (self.rows.len() as u32, self.print());
        let head = PackHead {
            seq,
            hash: hash.to_owned(),
            model: model.to_owned(),
            dimensions,
            rows,
            lists,
            links: link_count,
            print,
        };
        records.push((PACK_HEAD.to_owned(), head.write()));
        Some(records)
    }

    /// Every key that a pack of this index may have, and some more.
    pub fn pack_keys(&self) -> Vec<String> {
        let chunks = self.rows.len() / CHUNK + 8;
        let dimensions = self.spaces.iter().map(|s| s.codes.dimensions()).max().unwrap_or(0);
        let mut keys = vec![PACK_HEAD.to_owned()];
        let mut add = |name: &str, pieces: usize| keys.extend((0..pieces).map(|n| piece_key(name, n)));
        add(TERMS, chunks + 8);
        add(LINKS, chunks + 8);
        for chunk in 0..chunks {
            add(&chunk_key(chunk), chunk_pieces(dimensions));
        }
        keys
    }

    /// Notes that all that was packed is kept.
    pub fn packed(&mut self) {
        self.stale = vec![false; self.rows.len().div_ceil(CHUNK)];
    }

    /// Begins an index of a pack; `None` where words were read otherwise.
    pub fn unpacking(mut self, head: &PackHead) -> Option<Unpacking<'_>> {
        (head.print == self.print()).then_some(())?;
        self.rows = Vec::with_capacity(head.rows as usize);
        let mut codes = Codes::new(head.dimensions as usize);
        codes.reserve((head.rows as usize).div_ceil(CHUNK));
        Some(Unpacking { index: self, head, codes, part: Vec::new(), links: None, lists: Vec::new(), postings: None })
    }

    fn print(&self) -> u64 {
        let keys = terms(SAMPLE).into_iter().map(|t| t.key).chain((self.meanings)(SAMPLE));
        let version = env!("CARGO_PKG_VERSION").bytes().map(u64::from);
        version.chain(keys).fold(17, |n: u64, k| (n ^ k).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
    }
}

/// An index of a pack of which the records are still coming, so that some are unpacked while others are read.
#[derive(Debug)]
pub struct Unpacking<'a> {
    index: Index,
    head: &'a PackHead,
    codes: Codes,
    /// What has come of the next chunk.
    part: Vec<u8>,
    links: Option<Vec<u8>>,
    /// What has come of the lists of words, and all of them.
    lists: Vec<u8>,
    postings: Option<Postings>,
}

impl Unpacking<'_> {
    /// Takes what there is under the next of [`PackHead::keys`]; `None` where it does not fit.
    pub fn take(&mut self, keys: &[String], records: Vec<Option<Vec<u8>>>) -> Option<()> {
        for (key, bytes) in keys.iter().zip(records) {
            let (Some((name, piece)), Some(bytes)) = (key.split_once('.'), bytes) else { continue };
            let piece: u32 = piece.parse().ok()?;
            match name {
                LINKS if piece < self.head.links => self.links.get_or_insert_default().extend(bytes),
                TERMS if piece < self.head.lists => {
                    self.lists.extend(bytes);
                    if piece + 1 == self.head.lists {
                        self.postings = Some(Postings::from_bytes(&take(&mut self.lists), self.head.rows)?);
                    }
                }
                _ if name.starts_with('c') => self.take_chunk(name.get(1..)?.parse().ok()?, bytes)?,
                _ => {}
            }
        }
        Some(())
    }

    /// Takes a piece of a chunk. Those of a chunk follow one another, and the chunks too.
    fn take_chunk(&mut self, chunk: usize, bytes: Vec<u8>) -> Option<()> {
        // Another pack may have been larger.
        if chunk >= self.chunks() {
            return Some(());
        }
        if chunk != self.codes.chunks() {
            self.end_chunk()?;
        }
        (chunk == self.codes.chunks()).then_some(())?;
        match self.part.is_empty() {
            true => self.part = bytes,
            false => self.part.extend(bytes),
        }
        Some(())
    }

    /// Unpacks the chunk that has come whole.
    fn end_chunk(&mut self) -> Option<()> {
        let bytes = take(&mut self.part);
        let (mut r, rows) = (PackReader(&bytes), &mut self.index.rows);
        for _ in 0..CHUNK.min(self.head.rows as usize - rows.len()) {
            rows.push(row(&mut r)?);
        }
        self.codes.push_bytes(r.0)
    }

    fn chunks(&self) -> usize {
        (self.head.rows as usize).div_ceil(CHUNK)
    }

    /// The index, after the last record; `None` where it is not whole.
    pub fn finish(mut self) -> Option<Index> {
        if self.codes.chunks() < self.chunks() {
            self.end_chunk()?;
        }
        (self.codes.chunks() == self.chunks()).then_some(())?;
        let Self { mut index, head, codes, links, postings, .. } = self;
        index.spaces = vec![ModelVectors { model: head.model.clone(), codes, whole: HashMap::new() }];
        index.postings = postings?;
        let links = links?;
        let mut r = PackReader(&links);
        while !r.0.is_empty() {
            let link = (r.u32()?, r.id()?);
            (link.0 < head.rows).then_some(())?;
            index.successors.push(link);
        }
        let live = |at: &u32| index.rows[*at as usize].is_live();
        let mut order: Vec<u32> = (0..head.rows).filter(live).collect();
        if !order.is_sorted_by_key(|at| index.rows[*at as usize].id) {
            order.sort_by(|a, b| index.rows[*a as usize].id.cmp(&index.rows[*b as usize].id));
        }
        index.lengths = index.rows.iter().map(Row::kept_length).collect();
        index.holes = index.rows.len() - order.len();
        index.total_length = order.iter().map(|at| index.rows[*at as usize].length()).sum();
        index.order = order;
        index.packed();
        Some(index)
    }
}

fn put_row(row: &Row, out: &mut Vec<u8>) {
    out.extend(row.id.to_bytes());
    out.extend(number_of(row.occurred_at).to_le_bytes());
    out.extend(row.until.map_or(NEVER, number_of).to_le_bytes());
    out.extend(row.print.to_le_bytes());
    out.extend(row.met.to_le_bytes());
    for number in [row.length, row.stability, row.importance] {
        out.extend(number.to_le_bytes());
    }
    out.push(CATEGORIES.iter().position(|c| *c == row.category).unwrap_or(5) as u8);
    out.push(row.flags);
}

/// What stands where a memory has no end.
const NEVER: i64 = i64::MAX;
/// Days are told by numbers above this one, which no time in milliseconds reaches.
const DAYS: i64 = 1 << 60;

fn number_of(at: DayOrTime) -> i64 {
    match at {
        DayOrTime::Time(time) => time.millis(),
        DayOrTime::Day(day) => DAYS + i64::from(day.num_days_from_ce()),
    }
}

fn day_or_time(number: i64) -> Option<DayOrTime> {
    if number < DAYS {
        return Some(Time::from_millis(number).into());
    }
    NaiveDate::from_num_days_from_ce_opt(i32::try_from(number - DAYS).ok()?).map(DayOrTime::Day)
}

fn row(r: &mut PackReader<'_>) -> Option<Row> {
    Some(Row {
        id: r.id()?,
        occurred_at: day_or_time(r.u64()?.cast_signed())?,
        until: Some(r.u64()?.cast_signed())
            .filter(|n| *n != NEVER)
            .map(day_or_time)
            .map_or(Some(None), |t| t.map(Some))?,
        print: r.u32()?,
        met: r.u32()?,
        length: r.u16()?,
        stability: r.u16()?,
        importance: r.u16()?,
        category: *CATEGORIES.get(usize::from(r.take::<1>()?[0]))?,
        flags: r.take::<1>()?[0],
    })
}

/// Bytes that are read from the front.
pub(super) struct PackReader<'a>(pub &'a [u8]);

impl PackReader<'_> {
    pub fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn id(&mut self) -> Option<Id> {
        self.take().map(Id::from_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.u32()? as usize;
        let (text, rest) = (self.0.get(..length)?, self.0.get(length..)?);
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}
