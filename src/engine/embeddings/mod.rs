//! Semantic similarity by a remote embedder. The built-in embedder serves wherever a remote vector
//! is missing or the remote fails.
//!
//! Vectors of different embedders are never compared. Each similarity is mapped to the scale of the
//! bands. No memory waits for an embedder, and its records can be rebuilt.

mod judging;
mod keeping;
mod making;

pub(super) use judging::{HeadAnswers, judged_alone};
pub use keeping::Reembedding;

use super::model_client::Recent;
use super::{Engine, PAGE};
use crate::Result;
use crate::consolidation::{Record, Shelf, hex};
use crate::embed::{Levels, Remote, TextKind, calibrated};
use crate::model::{Id, Memory, StorageTier};
use crate::search::RemoteVectors;
use crate::similarity::Calibration;
use crate::store::Store;
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

/// Cached vectors of recent texts; one takes a few kilobytes.
const MOST: usize = 256;
/// Cached full vectors from an external index; the cache is cleared beyond this.
const AT_HAND: usize = 2_048;

/// A remote embedder with its vectors.
#[derive(Debug, Clone)]
pub(super) struct Embeddings {
    remote: Rc<dyn Remote>,
    /// Key suffix of its records.
    tag: String,
    space: RefCell<RemoteVectors>,
    /// Bytes of full vectors kept in memory.
    room: usize,
    scale: Rc<RefCell<Option<Scale>>>,
    /// Vectors of recent questions and documents, by their kind and text.
    made: Rc<RefCell<Recent<Rc<[f32]>, MOST>>>,
    judged: Rc<RefCell<Recent<[f32; 4], MOST>>>,
    /// Memories whose text the embedder refused.
    failed: RefCell<Vec<Id>>,
}

/// The embedder's calibration.
#[derive(Debug, Clone)]
struct Scale {
    dimensions: usize,
    calibration: Calibration,
    /// The cosine of unrelated texts.
    unrelated: f32,
}

impl Embeddings {
    fn key(&self, id: Id) -> String {
        format!("{id}/{}", self.tag)
    }

    fn scale_by(&self, record: &[u8]) -> bool {
        let mut words = record.chunks_exact(4).filter_map(|w| w.try_into().ok());
        let (Some(dimensions), mut levels) = (words.next().map(u32::from_le_bytes), Levels::default()) else {
            return false;
        };
        for level in &mut levels {
            let Some(word) = words.next() else { return false };
            *level = f32::from_le_bytes(word);
        }
        let dimensions = dimensions as usize;
        if self.remote.dimensions().is_some_and(|d| d != dimensions) || levels.iter().any(|l| !l.is_finite()) {
            return false;
        }
        let [unrelated, ..] = levels;
        self.scale.replace(Some(Scale { dimensions, calibration: calibrated(levels), unrelated }));
        true
    }

    fn made_of(&self, text: &str, kind: TextKind) -> Option<Rc<[f32]>> {
        self.made.borrow().of(&[kind.as_str(), text].concat())
    }

    fn keep_made(&self, text: &str, kind: TextKind, vector: Rc<[f32]>) {
        self.made.borrow_mut().put(&[kind.as_str(), text].concat(), vector);
    }

    fn dimensions(&self) -> Option<usize> {
        self.scale.borrow().as_ref().map(|s| s.dimensions)
    }

    /// Returns the vector space, once its dimensions are known.
    fn space(&self) -> Option<RefMut<'_, RemoteVectors>> {
        let dimensions = self.dimensions()?;
        let mut space = self.space.borrow_mut();
        if space.dimensions() != dimensions {
            *space = RemoteVectors::new(dimensions, self.room);
        }
        Some(space)
    }

    /// Builds the records of a memory's vector: compact codes, read at opening, and the full vector for exact ranking.
    fn records(&self, id: Id, vector: &[f32]) -> [Record; 2] {
        let mut whole = vec![0; 4 * vector.len()];
        for (bytes, x) in whole.as_chunks_mut().0.iter_mut().zip(vector) {
            *bytes = x.to_le_bytes();
        }
        let codes = (Shelf::Vectors, RemoteVectors::encode(vector));
        [codes, (Shelf::Wholes, whole)].map(|(shelf, value)| Record::put(shelf, self.key(id), value))
    }
}

fn whole_of(bytes: &[u8]) -> Rc<[f32]> {
    bytes.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x)).collect()
}

impl<S: Store> Engine<S> {
    /// Adds a remote embedder to this engine and loads its stored vectors. Nothing is requested
    /// yet; [`Engine::reembed`] makes the missing ones.
    pub async fn with_embeddings(mut self, remote: Rc<dyn Remote>) -> Result<Self> {
        let mut known = format!("{}\0{:?}", remote.model(), remote.dimensions());
        // Another prefix makes other vectors, so its change must re-embed.
        known.push_str(remote.prefix(TextKind::Document));
        let tag = hex(&hmac_sha256::Hash::hash(known.as_bytes())[..8]);
        let (space, failed) = (RefCell::default(), RefCell::default());
        // Vectors from an external index are cached in full or not at all.
        let room = if remote.keeps() { usize::MAX } else { self.options.vector_cache };
        let (scale, made, judged) = Default::default();
        let embeddings = Embeddings { remote, tag, space, room, scale, made, judged, failed };
        if self.is_measured(&embeddings).await? && !embeddings.remote.keeps() {
            self.each_page(Shelf::Vectors, async |page| {
                let gone = |id: &Id| self.mirror.index.borrow().row(*id).is_none_or(|r| !r.is_current());
                let ids = page.iter().filter_map(|(key, _)| key.split_once('/')?.0.parse().ok());
                let doubtful: Vec<Id> = ids.filter(gone).collect();
                for (key, value) in page {
                    embeddings.apply(&key, Some(&value));
                }
                self.sweep_embeddings(doubtful).await
            })
            .await?;
        }
        self.embeddings = Some(embeddings);
        Ok(self)
    }

    /// Reads a shelf in pages, because all of it may take hundreds of megabytes.
    async fn each_page(
        &self,
        shelf: Shelf,
        mut work: impl AsyncFnMut(Vec<(String, Vec<u8>)>) -> Result<()>,
    ) -> Result<()> {
        let mut after: Option<String> = None;
        loop {
            let page = self.store.records(shelf, after.as_deref(), PAGE).await?;
            let end = page.len() < PAGE;
            after = page.last().map(|(key, _)| key.clone());
            work(page).await?;
            if end {
                return Ok(());
            }
        }
    }

    /// Whether the embedder is calibrated, here or by another connection.
    async fn is_measured(&self, embeddings: &Embeddings) -> Result<bool> {
        let known = embeddings.dimensions().is_some();
        Ok(known
            || (self.store.record(Shelf::Embedders, &embeddings.tag).await?).is_some_and(|r| embeddings.scale_by(&r)))
    }

    /// Removes the vectors of those of these memories that were forgotten meanwhile.
    async fn sweep_embeddings(&self, ids: Vec<Id>) -> Result<()> {
        let read = self.store.memories(&ids).await?;
        let forgotten = ids.into_iter().zip(read).filter(|(_, m)| m.as_ref().is_none_or(keeps_no_vector));
        let mut records = Vec::new();
        for (id, _) in forgotten {
            records.extend(self.embedding_records(id).await?);
        }
        if records.is_empty() {
            return Ok(());
        }
        self.store.keep(records.clone()).await?;
        self.embeddings_kept(&records);
        Ok(())
    }
}

impl Embeddings {
    /// Caches a vector from an external index.
    fn fetched(&self, id: Id, vector: Rc<[f32]>) {
        let Some(mut space) = self.space() else { return };
        if space.len() >= AT_HAND {
            *space = RemoteVectors::new(space.dimensions(), self.room);
        }
        space.put(id, &RemoteVectors::encode(&vector));
        space.keep(id, vector);
    }

    /// Parses a record key; `None` if it belongs to another embedder.
    fn id_of(&self, key: &str) -> Option<Id> {
        let (id, tag) = key.split_once('/')?;
        id.parse().ok().filter(|_| tag == self.tag)
    }

    /// Sets or removes the codes of a record.
    fn apply(&self, key: &str, value: Option<&[u8]>) {
        if let (Some(id), Some(mut space)) = (self.id_of(key), self.space()) {
            match value {
                Some(stored) => space.put(id, stored),
                None => space.remove(id),
            }
        }
    }

    /// Caches the full vector of a record.
    fn keep(&self, record: &Record) {
        if let (Some(id), Some(bytes), Some(mut space)) = (self.id_of(&record.key), &record.value, self.space()) {
            space.keep(id, whole_of(bytes));
        }
    }
}

/// Whether a memory's text is gone, or cut to a stub.
fn keeps_no_vector(m: &Memory) -> bool {
    m.is_forgotten() || m.storage_tier == StorageTier::Stub
}
