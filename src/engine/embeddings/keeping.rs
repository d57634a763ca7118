//! Stores, restores and removes the remote embedder's vectors.

use super::making::BATCH;
use super::{Embeddings, keeps_no_vector};
use crate::consolidation::{ChangeSet, Record, Shelf};
use crate::embed::TextKind;
use crate::engine::{Cancel, Engine};
use crate::model::{Id, Memory};
use crate::store::Store;
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

const MAX_REFUSED: u32 = 3;
/// Most records per shelf for one memory, one for each embedder.
const MODELS: usize = 64;

/// The progress of re-embedding.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Reembedding {
    /// The embedder's model.
    pub model: String,
    /// The dimensions of its vectors, once known.
    pub dimensions: Option<u32>,
    /// Memories embedded by this call.
    pub embedded: u32,
    /// Current memories still without a vector, `failed` included; the built-in embedder serves them.
    pub waiting: u32,
    /// Memories whose text the embedder has refused since the engine was opened.
    pub failed: u32,
    /// Why the call ended early, as a stable code such as `timeout` or `unauthorized`.
    pub stopped: Option<String>,
}

impl<S: Store> Engine<S> {
    /// Embeds memories whose merged text was not embedded with their commit. On failure they wait for [`Engine::reembed`].
    pub(in crate::engine) async fn embed_merged(&self, ids: &[Id], cancel: Cancel<'_>) -> Result<()> {
        let Some(embeddings) = &self.embeddings else { return Ok(()) };
        let lacking: Vec<Id> = ids.iter().copied().filter(|id| !embeddings.space.borrow().contains(*id)).collect();
        if lacking.is_empty() {
            return Ok(());
        }
        let lacks = |m: &Memory| m.is_current() && !keeps_no_vector(m);
        let memories: Vec<Memory> = self.store.found(&lacking).await?.into_iter().filter(lacks).collect();
        let texts: Vec<&str> = memories.iter().map(|m| m.content.as_str()).collect();
        let made = self.mean(&texts, TextKind::Document, cancel).await;
        if !made.is_empty() && made.len() == memories.len() {
            self.keep_vectors(embeddings, &memories, &made).await?;
        }
        Ok(())
    }

    /// Builds the records that remove a memory's vectors, of every embedder.
    pub(in crate::engine) async fn embedding_records(&self, id: Id) -> Result<Vec<Record>> {
        let prefix = format!("{id}/");
        let mut records = Vec::new();
        for shelf in [Shelf::Vectors, Shelf::Wholes] {
            let found = self.store.records(shelf, Some(&prefix), MODELS).await?;
            let own = found.into_iter().take_while(|(key, _)| key.starts_with(&prefix));
            records.extend(own.map(|(key, _)| Record::gone(shelf, key)));
        }
        Ok(records)
    }

    /// Removes the vectors of memories that a change set leaves without a full text.
    pub(in crate::engine) async fn drop_embeddings(&self, set: &mut ChangeSet) -> Result<()> {
        for memory in set.memories.iter().filter(|m| keeps_no_vector(m)) {
            if let Some(embeddings) = self.embeddings.as_ref().filter(|e| e.remote.keeps()) {
                embeddings.space.borrow_mut().remove(memory.id);
            }
            set.records.extend(self.embedding_records(memory.id).await?);
        }
        Ok(())
    }

    pub(in crate::engine) fn embeddings_kept(&self, records: &[Record]) {
        if let Some(embeddings) = &self.embeddings {
            for record in records {
                match record.shelf {
                    Shelf::Vectors => embeddings.apply(&record.key, record.value.as_deref()),
                    Shelf::Wholes => embeddings.keep(record),
                    _ => {}
                }
            }
        }
    }

    pub(in crate::engine) fn embeddings_lost(&self) {
        if let Some(embeddings) = &self.embeddings {
            embeddings.space.take();
            embeddings.failed.take();
        }
    }

    /// Loads vectors that another connection may have written.
    pub(in crate::engine) async fn read_embeddings(&self, ids: &[Id]) -> Result<()> {
        let Some(embeddings) = self.embeddings.as_ref().filter(|e| !e.remote.keeps()) else { return Ok(()) };
        if !self.is_measured(embeddings).await? {
            return Ok(());
        }
        let keys: Vec<String> = ids.iter().map(|id| embeddings.key(*id)).collect();
        for (key, value) in keys.iter().zip(self.store.each_record(Shelf::Vectors, &keys).await?) {
            embeddings.apply(key, value.as_deref());
        }
        Ok(())
    }

    /// Embeds up to `most` current memories that lack a vector, and reports how many still do.
    /// Progress is saved, so a later call in any tab continues. With `most` at 0 it only reports.
    pub async fn reembed(&self, most: usize, cancel: Cancel<'_>) -> Result<Reembedding> {
        let Some(embeddings) = self.embeddings.as_ref().filter(|e| !e.remote.keeps()) else {
            return Err(Error::new(Code::InvalidInput, "this engine stores no embeddings to renew"));
        };
        self.catch_up().await?;
        let mut report = Reembedding { model: embeddings.remote.model().to_owned(), ..Reembedding::default() };
        let waiting = self.waiting(embeddings);
        self.read_embeddings(&waiting[..most.min(waiting.len())]).await?;
        let mut open = self.waiting(embeddings);
        open.truncate(most);
        let (mut size, mut refused) = (BATCH, 0);
        while !open.is_empty() && report.stopped.is_none() {
            cancel.check()?;
            let some: Vec<Id> = open[..size.min(open.len())].to_vec();
            let read = self.store.memories(&some).await?;
            let memories: Vec<Memory> = read.into_iter().flatten().filter(|m| !keeps_no_vector(m)).collect();
            let texts: Vec<&str> = memories.iter().map(|m| m.content.as_str()).collect();
            if texts.is_empty() {
                open.drain(..some.len());
                continue;
            }
            let Some(made) = cancel.unless_gone(Box::pin(self.make(embeddings, &texts, TextKind::Document))).await
            else {
                return Err(Error::new(Code::Aborted, "the caller aborted"));
            };
            match made {
                Ok(vectors) => {
                    let vectors: Vec<Rc<[f32]>> = vectors.into_iter().map(Rc::from).collect();
                    report.embedded += self.keep_vectors(embeddings, &memories, &vectors).await?;
                    open.drain(..some.len());
                    (size, refused) = ((size * 2).min(BATCH), 0);
                }
                // Halves the batch to isolate the refused text, which is then left to the built-in embedder.
                Err(unmade) if unmade.by_text && some.len() > 1 => size = some.len().div_ceil(2),
                Err(unmade) => {
                    if unmade.by_text {
                        embeddings.failed.borrow_mut().extend(&some);
                        open.drain(..some.len());
                        refused += 1;
                    }
                    report.stopped = (!unmade.by_text || refused == MAX_REFUSED).then_some(unmade.code);
                }
            }
        }
        report.dimensions = embeddings.dimensions().map(|d| d as u32);
        report.failed = embeddings.failed.borrow().len() as u32;
        report.waiting = self.waiting(embeddings).len() as u32 + report.failed;
        if report.waiting == 0 && most > 0 {
            self.drop_other_models(embeddings).await?;
        }
        Ok(report)
    }

    /// Returns the current memories without a vector, except those the embedder refused.
    fn waiting(&self, embeddings: &Embeddings) -> Vec<Id> {
        let (index, space, failed) =
            (self.mirror.index.borrow(), embeddings.space.borrow(), embeddings.failed.borrow());
        let lacks = |id: &Id| !space.contains(*id) && !failed.contains(id);
        index.rows().filter(|r| r.is_current() && !r.is_stub()).map(|r| r.id).filter(lacks).collect()
    }

    /// Stores vectors and returns their number; removes those of memories forgotten meanwhile.
    async fn keep_vectors(&self, embeddings: &Embeddings, memories: &[Memory], vectors: &[Rc<[f32]>]) -> Result<u32> {
        let records: Vec<Record> =
            memories.iter().zip(vectors).flat_map(|(m, v)| embeddings.records(m.id, v)).collect();
        self.store.keep(records.clone()).await?;
        self.embeddings_kept(&records);
        self.sweep_embeddings(memories.iter().map(|m| m.id).collect()).await?;
        Ok(vectors.len() as u32)
    }

    /// Copies the full vectors to the store of a dry run; most of them are not in memory.
    pub(in crate::engine) async fn lend_wholes(&self, scratch: &S) -> Result<()> {
        if self.embeddings.is_none() {
            return Ok(());
        }
        self.each_page(Shelf::Wholes, async |wholes| {
            scratch.keep(wholes.into_iter().map(|(key, value)| Record::put(Shelf::Wholes, key, value)).collect()).await
        })
        .await
    }

    async fn drop_other_models(&self, embeddings: &Embeddings) -> Result<()> {
        for shelf in [Shelf::Vectors, Shelf::Wholes, Shelf::Embedders] {
            self.each_page(shelf, async |page| {
                let others = page.into_iter().filter(|(key, _)| !key.ends_with(&embeddings.tag));
                let removed: Vec<Record> = others.map(|(key, _)| Record::gone(shelf, key)).collect();
                if removed.is_empty() { Ok(()) } else { self.store.keep(removed).await }
            })
            .await?;
        }
        Ok(())
    }
}
