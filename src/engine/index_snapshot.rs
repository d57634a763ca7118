//! Saves the index as packed records, so that opening reads no memories.
//!
//! A snapshot is valid only while the log still contains its last entry. Later entries are caught up from the log.

use super::mirror::Mirror;
use super::unless_outrun;
use super::{Engine, Options, PAGE};
use crate::Result;
use crate::analysis::meanings;
use crate::consolidation::{ChangeSet, Record, Shelf};
use crate::search::{Index, PACK_HEAD, PackHead};
use crate::store::Store;
use futures_lite::future::poll_once;
use std::collections::VecDeque;
use std::pin::Pin;

/// A future already polled once, so that its I/O has started before it is awaited.
enum StartedRead<W: Future> {
    Done(W::Output),
    Going(Pin<Box<W>>),
}

impl<W: Future> StartedRead<W> {
    async fn new(work: W) -> Self {
        let mut work = Box::pin(work);
        match poll_once(&mut work).await {
            Some(output) => Self::Done(output),
            None => Self::Going(work),
        }
    }

    async fn end(self) -> W::Output {
        match self {
            Self::Done(output) => output,
            Self::Going(work) => work.await,
        }
    }
}

/// Records per read, and reads in flight. Overlapping reads keep the database busy; together they take about 5 MB.
const AT_ONCE: usize = 8;
const AHEAD: usize = 3;
/// Commits that make a new snapshot worthwhile, plus an eighth of the memories.
const WORTH: u64 = 1_000;

impl<S: Store> Engine<S> {
    /// Loads the index from its snapshot; `false` if none is valid.
    pub(super) async fn read_pack(&self) -> Result<bool> {
        let mirror = &self.mirror;
        let Some(bytes) = self.store.record(Shelf::Codes, PACK_HEAD).await? else { return Ok(false) };
        let Some(head) = PackHead::read(&bytes).filter(|h| h.seq > 0 && h.model == self.embedder.model()) else {
            return Ok(false);
        };
        let stands = match mirror.seen() == head.seq {
            true => mirror.last() == head.hash,
            false => self.store.link(Some(head.seq)).await?.is_some_and(|(_, hash)| hash == head.hash),
        };
        if !stands {
            return Ok(false);
        }
        let Some(index) = unpack(&self.store, &self.options, &head).await? else { return Ok(false) };
        // Another tab may have saved a new snapshot meanwhile; parts of two snapshots do not fit.
        if self.store.record(Shelf::Codes, PACK_HEAD).await?.as_ref() != Some(&bytes) {
            return Ok(false);
        }
        mirror.index.replace(index);
        mirror.pack.seq.set(head.seq);
        mirror.reach(head.seq, head.hash);
        mirror.pack.head.replace(Some(bytes));
        // The snapshot may fall between the write of a memory and that of its vector.
        let lacking = mirror.index.borrow().unembedded(self.embedder.model());
        for ids in lacking.chunks(PAGE) {
            let memories = self.store.found(ids).await?;
            self.index_all(&memories).await?;
        }
        Ok(true)
    }

    /// Saves a snapshot if enough has changed since the last one.
    pub(super) async fn pack_if_due(&self) {
        if self.mirror.seen() >= self.mirror.pack.seq.get() + WORTH + self.mirror.index.borrow().len() as u64 / 8 {
            // A snapshot only speeds up opening, so a failure is ignored and retried later.
            let _ = self.pack().await;
        }
    }

    /// Saves a snapshot of the index, which makes the next opening fast. Does nothing if few memories are stored or
    /// nothing has changed. [`Engine::close`] calls it too.
    pub async fn pack(&self) -> Result<()> {
        let Mirror { index, pack, .. } = &self.mirror;
        let seq = self.mirror.seen();
        if self.rehearses || seq == pack.seq.get() || index.borrow().len() < self.options.pack_from {
            return Ok(());
        }
        let own = pack.head.take();
        let stands = match &own {
            Some(head) => Some(head.clone()),
            None => self.store.record(Shelf::Codes, PACK_HEAD).await?,
        };
        let seq = self.mirror.seen();
        let records = {
            let mut index = index.borrow_mut();
            let records = index.pack(self.embedder.model(), seq, &self.mirror.last(), own.is_none());
            // Later changes go to the next snapshot. If this write fails, the next one is complete.
            index.packed();
            records
        };
        let Some(records) = records else { return Ok(()) };
        let head = records.last().map(|(_, head)| head.clone());
        let record = |(key, value): (String, Vec<u8>)| {
            let expect = (key == PACK_HEAD).then(|| stands.clone());
            Record { shelf: Shelf::Codes, key, value: Some(value), expect }
        };
        pack.seq.set(seq);
        // If another tab saved first, its snapshot serves as well.
        if unless_outrun(self.store.keep(records.into_iter().map(record).collect()).await)?.is_some() {
            pack.head.replace(head);
        }
        Ok(())
    }
}

impl Mirror {
    /// Adds the snapshot's removal to a change set, so that no forgotten text survives in it.
    pub fn drop_pack(&self, set: &mut ChangeSet) {
        for key in self.index.borrow().pack_keys() {
            set.records.push(Record::gone(Shelf::Codes, key));
        }
    }

    /// Clears the state of a removed snapshot.
    pub fn unpacked(&self) {
        self.pack.head.take();
        // One behind the store, so that closing saves a new snapshot.
        self.pack.seq.set(self.seen());
    }
}

/// Decodes a snapshot while its next records are being read; `None` if it is incomplete.
async fn unpack<S: Store>(store: &S, options: &Options, head: &PackHead) -> Result<Option<Index>> {
    let keys = head.keys();
    let mut batches = keys.chunks(AT_ONCE).map(|some| (some, store.each_record(Shelf::Codes, some)));
    let mut begun = VecDeque::with_capacity(AHEAD);
    for (some, read) in batches.by_ref().take(AHEAD) {
        begun.push_back((some, StartedRead::new(read).await));
    }
    let index = Index::new(options.vector_cache, meanings);
    let Some(mut unpacking) = index.unpacking(head) else { return Ok(None) };
    while let Some((some, read)) = begun.pop_front() {
        let records = read.end().await;
        if let Some((some, read)) = batches.next() {
            begun.push_back((some, StartedRead::new(read).await));
        }
        if unpacking.take(some, records?).is_none() {
            return Ok(None);
        }
    }
    Ok(unpacking.finish())
}
