//! Snapshots of an index: byte records of about a thousand rows each, for fast loading.
//!
//! A snapshot is only a cache: if any part is inconsistent, the index is rebuilt from the memories.

use super::index::{Index, Row};
use super::postings::Postings;
use super::terms::terms;
use super::vectors::{CHUNK, Vectors};
use crate::json;
use crate::model::{Category, DayOrTime, Id, Time};
use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use std::mem::take;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackHead {
    layout: u32,
    /// The number of the last commit that it contains.
    pub seq: u64,
    /// The hash of that commit's log entry.
    pub hash: String,
    /// The model tag of its vectors.
    pub model: String,
    dimensions: usize,
    rows: u32,
    /// The number of records that hold the postings and successors.
    lists: usize,
    /// A fingerprint of the tokenizer and lexicon.
    print: u64,
}

pub const PACK_HEAD: &str = "head";
/// Increased with every change of the format.
const LAYOUT: u32 = 10;
const ROW: usize = 40;
const CHUNKS: char = 'c';
const LISTS: char = 'l';
/// The largest record in bytes; a Durable Object allows two megabytes.
const PIECE: usize = 1 << 20;
const CATEGORIES: [Category; 6] =
    [Category::Task, Category::Decision, Category::Meeting, Category::Project, Category::Ads, Category::Misc];
/// A sample text for the fingerprint.
const SAMPLE: &str = "예산은 6천만원으로 확정되었습니다 회의를 옮겼다 계약서 검토 프로스트아이 the meetings were moved, contracts \
    approved and invoice SK-70413 paid by Friday in Corran Bay";

fn keys(kind: char, many: usize) -> impl Iterator<Item = String> {
    (0..many).map(move |n| format!("{kind}{n:06}"))
}

impl PackHead {
    /// Decodes a header; `None` if it is corrupt or of another version.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let head: Self = json::read(std::str::from_utf8(bytes).ok()?, PACK_HEAD).ok()?;
        (head.layout == LAYOUT && fits(head.dimensions)).then_some(head)
    }

    /// The keys of the other records, in the order to load them.
    pub fn keys(&self) -> Vec<String> {
        // Postings take longest to decode, so they are loaded first.
        let chunks = (self.rows as usize).div_ceil(CHUNK);
        keys(LISTS, self.lists).chain(keys(CHUNKS, chunks)).collect()
    }
}

fn fits(dimensions: usize) -> bool {
    dimensions <= (PIECE / CHUNK - ROW - 4) / 2
}

impl Index {
    /// The records that update the snapshot of this index to commit `seq`, header last: only changed ones, or all.
    /// `None` if the vectors are of another embedder or too long for a record.
    pub fn pack(&mut self, model: &str, seq: u64, hash: &str, all: bool) -> Option<Vec<(String, Vec<u8>)>> {
        let dimensions = self.vectors.dimensions;
        (self.model == model && fits(dimensions)).then_some(())?;
        self.settle();
        let mut records = Vec::new();
        for ((chunk, rows), key) in self.rows.chunks(CHUNK).enumerate().zip(keys(CHUNKS, usize::MAX)) {
            if all || self.stale.get(chunk).copied().unwrap_or(true) {
                // Rows and vectors share a record, since the number of records costs a browser more time than their
                // size.
                let mut out = Vec::with_capacity(CHUNK * ROW);
                rows.iter().for_each(|row| put_row(row, &mut out));
                out.extend(self.vectors.bytes_of(chunk));
                records.push((key, out));
            }
        }
        let mut lists = (self.successors.len() as u32).to_le_bytes().to_vec();
        for (row, id) in &self.successors {
            lists.extend(row.to_le_bytes());
            lists.extend(id.to_bytes());
        }
        lists.extend(self.postings.to_bytes());
        records.extend(keys(LISTS, usize::MAX).zip(lists.chunks(PIECE).map(<[u8]>::to_vec)));
        let (rows, print, lists) = (self.rows.len() as u32, self.fingerprint(), lists.len().div_ceil(PIECE));
        let (hash, model) = (hash.to_owned(), model.to_owned());
        let head = PackHead { layout: LAYOUT, seq, hash, model, dimensions, rows, lists, print };
        records.push((PACK_HEAD.to_owned(), json::write(&head).ok()?.into_bytes()));
        Some(records)
    }

    /// All keys that a snapshot of this index may have, with a few spare ones.
    pub fn pack_keys(&self) -> Vec<String> {
        let chunks = self.rows.len() / CHUNK + 8;
        keys(LISTS, 2 * chunks).chain(keys(CHUNKS, chunks)).chain([PACK_HEAD.to_owned()]).collect()
    }

    /// Marks all chunks as packed, after the records were stored.
    pub fn packed(&mut self) {
        self.stale = vec![false; self.rows.len().div_ceil(CHUNK)];
    }

    /// Starts loading a snapshot; `None` if it was made with another tokenizer or lexicon.
    pub fn unpacking(mut self, head: &PackHead) -> Option<Unpacking<'_>> {
        (head.print == self.fingerprint()).then_some(())?;
        self.rows = Vec::with_capacity(head.rows as usize);
        self.vectors = Vectors::new(head.dimensions);
        self.model.clone_from(&head.model);
        Some(Unpacking { index: self, head, lists: Vec::new(), postings: None })
    }

    fn fingerprint(&self) -> u64 {
        let keys = terms(SAMPLE).into_iter().map(|t| t.key).chain((self.meanings)(SAMPLE));
        let version = env!("CARGO_PKG_VERSION").bytes().map(u64::from);
        version.chain(keys).fold(17, |n: u64, k| (n ^ k).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
    }
}

/// An index being loaded from a snapshot; decodes records while others are read.
#[derive(Debug)]
pub struct Unpacking<'a> {
    index: Index,
    head: &'a PackHead,
    /// The bytes of the lists so far.
    lists: Vec<u8>,
    postings: Option<Postings>,
}

impl Unpacking<'_> {
    /// Decodes the records of the next [`PackHead::keys`]; `None` if they are inconsistent.
    pub fn take(&mut self, keys: &[String], records: Vec<Option<Vec<u8>>>) -> Option<()> {
        for (key, bytes) in keys.iter().zip(records) {
            let (Some(bytes), Ok(at)) = (bytes, key[1..].parse::<usize>()) else { continue };
            if key.starts_with(CHUNKS) {
                self.take_chunk(at, &bytes)?;
                continue;
            }
            self.lists.extend(bytes);
            if at + 1 == self.head.lists {
                self.take_lists()?;
            }
        }
        Some(())
    }

    fn take_lists(&mut self) -> Option<()> {
        let lists = take(&mut self.lists);
        let mut r = PackReader(&lists);
        for _ in 0..r.u32()? {
            let link = (r.u32()?, r.id()?);
            (link.0 < self.head.rows).then_some(())?;
            self.index.successors.push(link);
        }
        self.postings = Some(Postings::from_bytes(r.0, self.head.rows)?);
        Some(())
    }

    fn take_chunk(&mut self, chunk: usize, bytes: &[u8]) -> Option<()> {
        (chunk == self.index.vectors.chunks()).then_some(())?;
        let (mut r, rows) = (PackReader(bytes), &mut self.index.rows);
        for _ in 0..CHUNK.min(self.head.rows as usize - rows.len()) {
            rows.push(row(&mut r)?);
        }
        self.index.vectors.push_bytes(r.0)
    }

    /// The index after the last record; `None` if it is incomplete.
    pub fn finish(self) -> Option<Index> {
        let Self { mut index, head, postings, .. } = self;
        (index.vectors.chunks() == (head.rows as usize).div_ceil(CHUNK)).then_some(())?;
        index.postings = postings?;
        let live = |at: &u32| index.rows[*at as usize].is_live();
        let mut order: Vec<u32> = (0..head.rows).filter(live).collect();
        order.sort_by_key(|at| index.rows[*at as usize].id);
        index.lengths = index.rows.iter().map(Row::indexed_length).collect();
        index.unused = index.rows.len() - order.len();
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
    out.extend(row.length.to_le_bytes());
    out.push(CATEGORIES.iter().position(|c| *c == row.category).unwrap_or(5) as u8);
    out.push(row.flags);
}

/// Encodes a missing `until`.
const NEVER: i64 = i64::MAX;
/// Days are encoded above this number, which no time in milliseconds reaches.
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
        until: match r.u64()?.cast_signed() {
            NEVER => None,
            until => Some(day_or_time(until)?),
        },
        print: r.u32()?,
        length: r.u16()?,
        category: *CATEGORIES.get(usize::from(r.take::<1>()?[0]))?,
        flags: r.take::<1>()?[0],
    })
}

struct PackReader<'a>(&'a [u8]);

impl PackReader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn id(&mut self) -> Option<Id> {
        self.take().map(Id::from_bytes)
    }
}
