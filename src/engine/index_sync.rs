//! Keeps the in-memory index in step with the store: at the start, after own commits, and after
//! those of other connections.

use super::mirror::Mirror;
use super::{Engine, MAX_ATTEMPTS, PAGE, outrun, sessions, unless_outrun};
use crate::analysis::meanings;
use crate::consolidation::{ChangeSet, LogEntry, Record, Shelf, hex};
use crate::decision::Ruling;
use crate::model::{Id, Memory, NodeType, StorageTier};
use crate::search::{Index, IndexMatch, IndexScan, PACK_HEAD, PackHead, Row};
use crate::store::{Committed, LogRange, Seq, Store};
use crate::{Code, Error, Result};
use async_lock::MutexGuard;
use futures_lite::future::zip;

impl Engine {
    pub(super) async fn read_all(&self) -> Result<()> {
        let read = async |last: Option<Memory>| self.store.page(last.map(|m| m.id), PAGE).await;
        self.each_page(PAGE, read, async |page| {
            self.index_all(&page);
            Ok(())
        })
        .await?;
        self.mirror.index.borrow_mut().settle();
        Ok(())
    }

    pub(super) async fn turn(&self) -> Result<MutexGuard<'_, ()>> {
        let turn = self.mirror.turn.lock().await;
        self.catch_up().await?;
        Ok(turn)
    }

    pub(super) async fn catch_up(&self) -> Result<()> {
        let head = self.store.head().await?;
        if head < self.mirror.seen() {
            // The owner has cleared the database, so everything in memory is outdated.
            self.mirror.clear();
            self.client.clear_caches();
            self.embeddings_lost();
        }
        if head == self.mirror.seen() {
            return Ok(());
        }
        let news = self.store.log(LogRange::since(self.mirror.seen())).await?;
        let mut touched: Vec<Id> = Vec::new();
        for entry in &news {
            touched.extend(&entry.touched);
        }
        touched.sort_unstable();
        touched.dedup();
        for ids in touched.chunks(PAGE) {
            let memories = self.store.found(ids).await?;
            self.forget_caches_of(&memories);
            self.index_all(&memories);
            self.read_embeddings(ids).await?;
        }
        if let Some(last) = news.last().filter(|e| e.seq > self.mirror.seen()) {
            self.mirror.reach(last.seq, last.hash.clone());
        }
        Ok(())
    }

    /// Seals and writes a set. `Ok(Err(entry))` for a used key. Without a base it is written whatever others wrote.
    pub(super) async fn commit(&self, set: ChangeSet) -> Result<Result<LogEntry, LogEntry>> {
        for _ in 0..MAX_ATTEMPTS {
            if set.base.is_none() {
                self.catch_up().await?;
            }
            let base = set.base.unwrap_or(self.mirror.seen());
            match self.commit_all(vec![set.clone()], base).await {
                Err(e)
                    if e.code == Code::Conflict
                        && set.base.is_none()
                        && self.store.head().await? != self.mirror.seen() => {}
                done => return done?.pop().ok_or_else(outrun),
            }
        }
        Err(outrun())
    }

    /// Writes sets that were planned at `base` in one transaction.
    pub(super) async fn commit_all(&self, sets: Vec<ChangeSet>, base: Seq) -> Result<Vec<Result<LogEntry, LogEntry>>> {
        if base != self.mirror.seen() {
            return Err(Error::new(Code::Conflict, "the store changed after the plan was made; try again"));
        }
        let (mut seq, mut last) = (base, self.mirror.last());
        let mut ready = Vec::with_capacity(sets.len());
        for set in sets {
            // If a set was written before, later sets fail, because their entries contain its hash.
            let set = self.seal_set(ChangeSet { base: Some(seq), ..set }, &last).await?;
            last.clone_from(&set.entry.hash);
            seq += 1;
            ready.push(set);
        }
        let done = self.store.commit_all(ready.clone()).await?;
        let mut written = Vec::with_capacity(ready.len());
        for (set, done) in ready.into_iter().zip(done) {
            written.push(match done {
                Committed::Written(seq) => Ok(self.apply_written(set, seq)),
                Committed::Replayed(entry) => Err(*entry),
            });
        }
        if let Some(listener) = self.listener.as_ref().filter(|_| written.iter().any(Result::is_ok)) {
            listener.committed(&written.iter().flatten().cloned().collect::<Vec<_>>());
        }
        self.pack_if_due().await;
        Ok(written)
    }

    async fn seal_set(&self, mut set: ChangeSet, last: &str) -> Result<ChangeSet> {
        self.update_summaries(&mut set).await?;
        set.records.extend(set.memories.iter().filter(|m| m.node_type != NodeType::Memory).map(sessions::node_note));
        self.embed_set(&mut set).await?;
        let salt = hex(&self.platform.seed()[..8]);
        let seq = set.base.unwrap_or_default() + 1;
        set.entry = LogEntry { seq, key: set.key.clone(), ..set.entry }.seal(last, salt);
        if let Some(id) = set.entry.memory_id.filter(|_| set.entry.confirmation == Some(Ruling::Provisional)) {
            set.records.push(Record::put(Shelf::Provisional, id.to_string(), set.entry.id.to_string().into_bytes()));
        }
        if set.memories.iter().any(Memory::is_forgotten) {
            // No forgotten text may survive in the snapshot.
            let gone = self.mirror.index.borrow().pack_keys().into_iter().map(|key| Record::gone(Shelf::Codes, key));
            set.records.extend(gone);
        }
        Ok(set)
    }

    /// Cached model answers may repeat forgotten text.
    fn forget_caches_of(&self, memories: &[Memory]) {
        if memories.iter().any(Memory::is_forgotten) {
            self.client.clear_caches();
        }
    }

    fn apply_written(&self, set: ChangeSet, seq: Seq) -> LogEntry {
        self.embeddings_kept(&set.records);
        self.forget_caches_of(&set.memories);
        // After a gap, `catch_up` reads the commits of others and this one.
        if seq == self.mirror.seen() + 1 {
            self.index_all(&set.memories);
            self.mirror.reach(seq, set.entry.hash.clone());
            if set.memories.iter().any(Memory::is_forgotten) {
                self.mirror.index.borrow_mut().settle();
                self.mirror.unpacked();
            }
        }
        LogEntry { seq, ..set.entry }
    }

    /// Indexes memories with their vectors, which are computed from their texts and never stored.
    pub(super) fn index_all(&self, memories: &[Memory]) {
        for memory in memories {
            let has_text = !memory.is_forgotten() && memory.storage_tier != StorageTier::Stub;
            let vector = has_text.then(|| self.embedder.vector(&memory.content));
            self.mirror.put(memory, vector.as_deref().map(|v| (self.embedder.model(), v)));
        }
    }

    /// The `k` memories nearest to a vector among the wanted ones, by quantised cosines, and those within their error.
    pub(super) fn nearest(&self, vector: &[f32], k: usize, wanted: &dyn Fn(&Row) -> bool) -> Vec<IndexMatch> {
        let scan = IndexScan::nearest(self.embedder.model(), vector, k);
        let found = self.mirror.index.borrow().scan(&scan, &|row, score| wanted(row).then_some(score));
        found.into_iter().map(|m| IndexMatch { id: m.id, score: m.score }).collect()
    }

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
        let Some(index) = unpack(&*self.store, &head).await? else { return Ok(false) };
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
            self.index_all(&memories);
        }
        Ok(true)
    }

    pub(super) async fn pack_if_due(&self) {
        if self.mirror.seen() >= self.mirror.pack.seq.get() + WORTH + self.mirror.index.borrow().len() as u64 / 8 {
            // A snapshot only speeds up opening, so a failure is ignored and retried later.
            let _ = self.pack().await;
        }
    }

    /// Saves a snapshot of the index for a fast opening, unless few memories are stored or nothing has changed.
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

const AT_ONCE: usize = 16;
/// Commits that make a new snapshot worthwhile, plus an eighth of the memories.
const WORTH: u64 = 1_000;

impl Mirror {
    /// Clears the state of a removed snapshot.
    pub fn unpacked(&self) {
        self.pack.head.take();
        // One behind the store, so that closing saves a new snapshot.
        self.pack.seq.set(self.seen());
    }
}

/// Decodes a snapshot while its next records are being read; `None` if it is incomplete.
async fn unpack(store: &dyn Store, head: &PackHead) -> Result<Option<Index>> {
    let keys = head.keys();
    let index = Index::new(meanings);
    let Some(mut unpacking) = index.unpacking(head) else { return Ok(None) };
    let (mut some, mut records) = (&keys[..0], Vec::new());
    for next in keys.chunks(AT_ONCE).map(Some).chain([None]) {
        let read = async {
            match next {
                Some(next) => store.each_record(Shelf::Codes, next).await,
                None => Ok(Vec::new()),
            }
        };
        // `zip` starts the read first, so it is under way while the records before it are decoded.
        let (read, taken) = zip(read, async { unpacking.take(some, std::mem::take(&mut records)) }).await;
        if taken.is_none() {
            return Ok(None);
        }
        (some, records) = (next.unwrap_or_default(), read?);
    }
    Ok(unpacking.finish())
}
