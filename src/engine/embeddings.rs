//! Similarity by a remote embedder; the built-in one serves where a vector is missing. Vectors of different embedders
//! are never compared, and each similarity is mapped to the scale of the bands.

use super::model_client::Recent;
use super::{Cancel, Consolidate, Engine, PAGE};
use crate::consolidation::{ChangeSet, Record, Shelf, hex};
use crate::decision::{Refusal, tokens};
use crate::embed::{Levels, Remote, TextKind, Unmade, anchors, calibrated, measured, sound};
use crate::json::read_kept;
use crate::model::{Draft, Id, Memory, StorageTier};
use crate::search::{IndexMatch, RemoteVectors};
use crate::similarity::{Calibration, rank};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

const MOST: usize = 256;
/// Texts of one request, and most characters sent of each; the built-in embedder reads as many.
const BATCH: usize = 64;
const MAX_CHARS: usize = 2_000;
const MAX_REFUSED: u32 = 3;
/// Most vectors of one memory, one for each embedder.
const MODELS: usize = 64;
/// Pseudo-count: so many memories of a language weigh as much as the anchor texts.
const CALM: f32 = 5.0;

#[derive(Debug, Clone)]
pub(super) struct Embeddings {
    pub remote: Rc<dyn Remote>,
    /// Key suffix of its records.
    pub tag: String,
    space: RefCell<RemoteVectors>,
    scale: Rc<RefCell<Option<Scale>>>,
    /// Vectors of recent questions and documents, by their kind and text.
    made: Rc<RefCell<Recent<Rc<[f32]>, MOST>>>,
    /// The head's answers by the hash of the pair; `None` for an unusable answer.
    pub judged: Rc<RefCell<Recent<Option<[f32; 4]>, MOST>>>,
    failed: RefCell<Vec<Id>>,
}

#[derive(Debug, Clone)]
struct Scale {
    dimensions: usize,
    calibration: Calibration,
    unrelated: f32,
}

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

impl Embeddings {
    fn key(&self, id: Id) -> String {
        format!("{id}/{}", self.tag)
    }

    fn calibrate(&self, dimensions: usize, levels: Levels) {
        let [unrelated, ..] = levels;
        self.scale.replace(Some(Scale { dimensions, calibration: calibrated(levels), unrelated }));
    }

    fn made_of(&self, text: &str, kind: TextKind) -> Option<Rc<[f32]>> {
        self.made.borrow().of(&[kind.as_str(), text].concat())
    }

    fn dimensions(&self) -> Option<usize> {
        self.scale.borrow().as_ref().map(|s| s.dimensions)
    }

    fn space(&self) -> Option<RefMut<'_, RemoteVectors>> {
        let dimensions = self.dimensions()?;
        let mut space = self.space.borrow_mut();
        if space.dimensions() != dimensions {
            *space = RemoteVectors::new(dimensions);
        }
        Some(space)
    }

    fn record(&self, id: Id, vector: &[f32]) -> Record {
        Record::put(Shelf::Vectors, self.key(id), RemoteVectors::encode(vector))
    }

    /// Sets or removes the vector of a record, unless it belongs to another embedder.
    fn apply(&self, key: &str, value: Option<&[u8]>) {
        let Some((Ok(id), tag)) = key.split_once('/').map(|(id, tag)| (id.parse(), tag)) else { return };
        if let Some(mut space) = self.space().filter(|_| tag == self.tag) {
            match value {
                Some(stored) => space.put(id, stored),
                None => space.remove(id),
            }
        }
    }
}

pub(super) fn keeps_no_vector(m: &Memory) -> bool {
    m.is_forgotten() || m.storage_tier == StorageTier::Stub
}

pub(super) fn cut_for_embedder(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(at);
    }
}

impl Engine {
    /// Adds a remote embedder and loads its stored vectors; [`Engine::reembed`] requests the missing ones.
    pub async fn with_embeddings(mut self, remote: Rc<dyn Remote>) -> Result<Self> {
        // Another prefix makes other vectors, so its change must re-embed.
        let known = format!("{}\0{:?}{}", remote.model(), remote.dimensions(), remote.prefix(TextKind::Document));
        let tag = hex(&hmac_sha256::Hash::hash(known.as_bytes())[..8]);
        let (space, scale, made, judged, failed) = Default::default();
        let embeddings = Embeddings { remote, tag, space, scale, made, judged, failed };
        if self.is_measured(&embeddings).await? {
            self.each_record(Shelf::Vectors, async |page| {
                let gone = |id: &Id| self.mirror.index.borrow().row(*id).is_none_or(|r| !r.is_current());
                let ids = page.iter().filter_map(|(key, _)| key.split_once('/')?.0.parse().ok());
                let doubtful: Vec<Id> = ids.filter(gone).collect();
                page.iter().for_each(|(key, value)| embeddings.apply(key, Some(value)));
                self.sweep_embeddings(doubtful).await
            })
            .await?;
        }
        self.embeddings = Some(embeddings);
        Ok(self)
    }

    /// Reads a shelf in pages, because all of it may take hundreds of megabytes.
    async fn each_record(
        &self,
        shelf: Shelf,
        work: impl AsyncFnMut(Vec<(String, Vec<u8>)>) -> Result<()>,
    ) -> Result<()> {
        let read = async |last: Option<(String, Vec<u8>)>| {
            self.store.records(shelf, last.as_ref().map(|(key, _)| key.as_str()), PAGE).await
        };
        self.each_page(PAGE, read, work).await
    }

    async fn is_measured(&self, embeddings: &Embeddings) -> Result<bool> {
        if embeddings.dimensions().is_none() {
            let stored = self.store.record(Shelf::Embedders, &embeddings.tag).await?;
            let known: Option<(usize, Levels)> = stored.as_deref().and_then(read_kept);
            let fits = |(d, _): &(usize, Levels)| embeddings.remote.dimensions().is_none_or(|own| own == *d);
            known.filter(fits).into_iter().for_each(|(dimensions, levels)| embeddings.calibrate(dimensions, levels));
        }
        Ok(embeddings.dimensions().is_some())
    }

    async fn sweep_embeddings(&self, ids: Vec<Id>) -> Result<()> {
        let read = self.store.memories(&ids).await?;
        let mut records = Vec::new();
        for (id, _) in ids.into_iter().zip(read).filter(|(_, m)| m.as_ref().is_none_or(keeps_no_vector)) {
            records.extend(self.embedding_records(id).await?);
        }
        if records.is_empty() { Ok(()) } else { self.keep_embeddings(records).await }
    }

    async fn keep_embeddings(&self, records: Vec<Record>) -> Result<()> {
        self.store.keep(records.clone()).await?;
        self.embeddings_kept(&records);
        Ok(())
    }

    /// Embeds a draft, unless it was handled before; `None` if there is no remote embedder or it fails.
    pub(super) async fn meant_by(&self, draft: &Draft, how: &Consolidate<'_>) -> Result<Option<Rc<[f32]>>> {
        if self.embeddings.is_none() || self.handled_before(how.key.as_deref()).await?.is_some() {
            return Ok(None);
        }
        Ok(self.mean_one(&draft.content, TextKind::Document, how.cancel).await)
    }

    pub(super) async fn mean_one(&self, text: &str, kind: TextKind, cancel: Cancel<'_>) -> Option<Rc<[f32]>> {
        self.mean(&[text], kind, cancel).await.pop()
    }

    /// Embeds all drafts of a mail in one call, unless the mail was handled before.
    pub(super) async fn mean_drafts(
        &self,
        drafts: &[&Draft],
        key: impl Fn(usize) -> String,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        if self.embeddings.is_none() || drafts.len() < 2 {
            return Ok(());
        }
        for n in 0..drafts.len() {
            if self.handled_before(Some(&key(n))).await?.is_some() {
                return Ok(());
            }
        }
        // More would evict each other from the cache.
        let texts: Vec<&str> = drafts.iter().map(|draft| draft.content.as_str()).take(MOST / 2).collect();
        self.mean(&texts, TextKind::Document, cancel).await;
        Ok(())
    }

    /// Returns the vectors of texts, embedding those not cached; empty if any request fails.
    async fn mean(&self, texts: &[&str], kind: TextKind, cancel: Cancel<'_>) -> Vec<Rc<[f32]>> {
        let Some(embeddings) = &self.embeddings else { return Vec::new() };
        let lacks = |text: &&&str| embeddings.made_of(text, kind).is_none();
        let missing: Vec<&str> = texts.iter().filter(lacks).copied().collect();
        for some in missing.chunks(BATCH) {
            let made = cancel.unless_gone(Box::pin(self.make(embeddings, some, kind))).await;
            let Some(Ok(vectors)) = made else { return Vec::new() };
            for (text, vector) in some.iter().zip(vectors) {
                embeddings.made.borrow_mut().put(&[kind.as_str(), text].concat(), vector.into());
            }
        }
        texts.iter().map_while(|text| embeddings.made_of(text, kind)).collect()
    }

    async fn make(&self, embeddings: &Embeddings, texts: &[&str], kind: TextKind) -> Result<Vec<Vec<f32>>, Unmade> {
        if embeddings.dimensions().is_none() {
            self.measure(embeddings).await?;
        }
        let mut texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        // Masked one by one, so that a text's vector does not depend on its batch.
        texts.iter_mut().for_each(|text| self.options.mask(&mut [text]));
        self.request(embeddings, texts, kind, |_| Ok(())).await
    }

    async fn request(
        &self,
        embeddings: &Embeddings,
        mut texts: Vec<String>,
        kind: TextKind,
        check: fn(&[Vec<f32>]) -> Result<(), Unmade>,
    ) -> Result<Vec<Vec<f32>>, Unmade> {
        for text in &mut texts {
            cut_for_embedder(text);
            text.insert_str(0, embeddings.remote.prefix(kind));
        }
        let dimensions = embeddings.dimensions().or(embeddings.remote.dimensions());
        let make = async |sent: &[&str]| {
            let made = sound(embeddings.remote.embed(sent, kind).await?, sent.len(), dimensions)?;
            check(&made).map(|()| made)
        };
        self.send_noted(embeddings, "embeddings", texts, make).await
    }

    /// Sends one request and records it. For an embedder on the device, only failures are recorded, without texts.
    pub(super) async fn send_noted<T>(
        &self,
        embeddings: &Embeddings,
        purpose: &str,
        texts: Vec<String>,
        work: impl AsyncFnOnce(&[&str]) -> Result<T, Unmade>,
    ) -> Result<T, Unmade> {
        let unnoted = |_| Unmade { code: "unnoted".to_owned(), by_text: false };
        // An embedder run by the application itself costs no tokens.
        let paid = embeddings.remote.origin().is_some();
        if paid && self.is_day_spent().await.map_err(unnoted)? {
            return Err(Unmade::new(Refusal::OverBudget.as_str()));
        }
        let from = (embeddings.remote.origin(), Some(embeddings.remote.model()));
        let noting = |texts| self.note_sending(from, purpose, texts, 0);
        let is_local = embeddings.remote.is_local();
        let out = if is_local { None } else { Some(noting(texts.clone()).await.map_err(unnoted)?) };
        let sent: Vec<&str> = texts.iter().map(String::as_str).collect();
        let made = work(&sent).await;
        let outcome = match &made {
            Ok(_) => Some("answered"),
            Err(unmade) => Some(unmade.code.as_str()).filter(|code| *code != "resting"),
        };
        let used =
            if made.is_ok() { sent.iter().fold(0, |sum: u32, text| sum.saturating_add(tokens(text))) } else { 0 };
        let out = match out {
            None if made.is_err() => Some(noting(Vec::new()).await.map_err(unnoted)?),
            out => out,
        };
        if let Some(out) = out {
            self.note_outcome(out, outcome, used).await.map_err(unnoted)?;
        }
        if paid && outcome.is_some() {
            self.count_call(used).await.map_err(unnoted)?;
        }
        made
    }

    async fn measure(&self, embeddings: &Embeddings) -> Result<(), Unmade> {
        let texts = anchors().into_iter().map(str::to_owned).collect();
        let made = self.request(embeddings, texts, TextKind::Document, |made| measured(made).map(drop)).await;
        // An embedder that refuses the anchors is failing; it is not the texts' fault.
        let vectors = made.map_err(|unmade| Unmade { by_text: false, ..unmade })?;
        let (levels, dimensions) = (measured(&vectors)?, vectors.first().map_or(0, Vec::len));
        embeddings.calibrate(dimensions, levels);
        if let Ok(record) = Record::json(Shelf::Embedders, &embeddings.tag, &(dimensions, levels)) {
            // If this write fails, the next opening calibrates again.
            let _ = self.store.keep(vec![record]).await;
        }
        Ok(())
    }

    pub(super) fn meant_similarity(&self, vector: Option<&[f32]>, id: Id) -> Option<f32> {
        let cosine = self.embeddings.as_ref()?.space()?.cosine(id, vector?)?;
        Some(self.on_bands(cosine))
    }

    pub(super) fn remote_vector(&self, id: Id) -> Option<Vec<f32>> {
        self.embeddings.as_ref()?.space()?.vector(id)
    }

    pub(super) fn on_bands(&self, cosine: f32) -> f32 {
        let scale = self.embeddings.as_ref().map(|e| e.scale.borrow());
        scale.as_deref().and_then(Option::as_ref).map_or(0.0, |s| s.calibration.apply(cosine))
    }

    pub(super) fn is_unseen(&self, id: Id) -> bool {
        self.embeddings.as_ref().is_some_and(|e| e.space().is_none_or(|space| !space.contains(id)))
    }

    pub(super) fn nearest_meant(
        &self,
        vector: Option<&[f32]>,
        k: usize,
        wanted: &dyn Fn(Id) -> bool,
    ) -> Vec<IndexMatch> {
        let space = self.embeddings.as_ref().and_then(Embeddings::space);
        space.zip(vector).map(|(space, vector)| space.nearest(vector, k, wanted)).unwrap_or_default()
    }

    /// Returns the `most` memories nearest to a question on the band scale, corrected by the mean of their language, in
    /// which questions are nearer. `group` gives a memory's language, or `None` to exclude it.
    pub(super) fn nearest_answers(
        &self,
        vector: Option<&[f32]>,
        most: usize,
        group: &dyn Fn(Id) -> Option<bool>,
    ) -> Vec<(Id, f32)> {
        let (Some(embeddings), Some(vector)) = (&self.embeddings, vector) else { return Vec::new() };
        let near = embeddings.space().map(|space| space.cosines(vector)).unwrap_or_default();
        let unrelated = embeddings.scale.borrow().as_ref().map_or(0.0, |s| s.unrelated);
        let (mut known, mut sums) = (Vec::with_capacity(near.len()), [(0.0f32, 0.0f32); 2]);
        for (id, about) in near {
            let Some(korean) = group(id) else { continue };
            known.push((id, korean, about));
            let (count, sum) = &mut sums[usize::from(korean)];
            (*count, *sum) = (*count + 1.0, *sum + about);
        }
        // The mean of a few memories is unreliable, so it is shrunk towards the anchors.
        let above = sums.map(|(count, sum)| (sum - count * unrelated) / (count + CALM));
        let known = known.into_iter().map(|(id, korean, about)| (id, about - above[usize::from(korean)]));
        let nearest = rank(known.collect(), most, |(id, near): &(Id, f32)| (*near, *id));
        nearest.into_iter().map(|(id, near)| (id, self.on_bands(near))).collect()
    }

    /// Embeds memories whose text was not embedded with their commit. On failure they wait for [`Engine::reembed`].
    pub(super) async fn embed_merged(&self, ids: &[Id], cancel: Cancel<'_>) -> Result<()> {
        let Some(embeddings) = &self.embeddings else { return Ok(()) };
        let lacking: Vec<Id> = ids.iter().copied().filter(|id| !embeddings.space.borrow().contains(*id)).collect();
        self.embed_stored(embeddings, &lacking, cancel).await.map(drop)
    }

    /// Embeds the current memories among these in one request and returns their number; `None` if the caller aborts.
    async fn embed_stored(
        &self,
        embeddings: &Embeddings,
        ids: &[Id],
        cancel: Cancel<'_>,
    ) -> Result<Option<Result<u32, Unmade>>> {
        let mut memories = self.store.found(ids).await?;
        memories.retain(|m| m.is_current() && !keeps_no_vector(m));
        let texts: Vec<&str> = memories.iter().map(|m| m.content.as_str()).collect();
        if texts.is_empty() {
            return Ok(Some(Ok(0)));
        }
        let vectors = match cancel.unless_gone(Box::pin(self.make(embeddings, &texts, TextKind::Document))).await {
            Some(Ok(vectors)) => vectors,
            failed => return Ok(failed.map(|made| made.map(|_| 0))),
        };
        let records = memories.iter().zip(&vectors).map(|(m, vector)| embeddings.record(m.id, vector));
        self.keep_embeddings(records.collect()).await?;
        // Another connection may have forgotten one of them meanwhile.
        self.sweep_embeddings(memories.iter().map(|m| m.id).collect()).await?;
        Ok(Some(Ok(memories.len() as u32)))
    }

    pub(super) async fn embedding_records(&self, id: Id) -> Result<Vec<Record>> {
        let prefix = format!("{id}/");
        let mut records = Vec::new();
        for shelf in [Shelf::Vectors, Shelf::Wholes] {
            let found = self.store.records(shelf, Some(&prefix), MODELS).await?;
            let own = found.into_iter().take_while(|(key, _)| key.starts_with(&prefix));
            records.extend(own.map(|(key, _)| Record::gone(shelf, key)));
        }
        Ok(records)
    }

    /// Adds the new memory's vector to its change set, and removes those of memories without a full text.
    pub(super) async fn embed_set(&self, set: &mut ChangeSet) -> Result<()> {
        for memory in &set.memories {
            if keeps_no_vector(memory) {
                set.records.extend(self.embedding_records(memory.id).await?);
            } else if let Some(embeddings) = self.embeddings.as_ref().filter(|_| set.entry.memory_id == Some(memory.id))
                && let Some(vector) = embeddings.made_of(&memory.content, TextKind::Document)
            {
                set.records.push(embeddings.record(memory.id, &vector));
            }
        }
        Ok(())
    }

    pub(super) fn embeddings_kept(&self, records: &[Record]) {
        let Some(embeddings) = &self.embeddings else { return };
        for record in records.iter().filter(|record| record.shelf == Shelf::Vectors) {
            embeddings.apply(&record.key, record.value.as_deref());
        }
    }

    pub(super) fn embeddings_lost(&self) {
        if let Some(embeddings) = &self.embeddings {
            embeddings.space.take();
            embeddings.failed.take();
        }
    }

    pub(super) async fn read_embeddings(&self, ids: &[Id]) -> Result<()> {
        let Some(embeddings) = &self.embeddings else { return Ok(()) };
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
        let Some(embeddings) = &self.embeddings else {
            return Err(Error::new(Code::InvalidInput, "this engine stores no embeddings to renew"));
        };
        self.catch_up().await?;
        let mut report = Reembedding { model: embeddings.remote.model().to_owned(), ..Reembedding::default() };
        let waiting = self.unembedded(embeddings);
        self.read_embeddings(&waiting[..most.min(waiting.len())]).await?;
        let mut open = self.unembedded(embeddings);
        open.truncate(most);
        let mut batches: Vec<Vec<Id>> = open.chunks(BATCH).rev().map(<[Id]>::to_vec).collect();
        let mut refused = 0;
        while let Some(some) = batches.pop() {
            cancel.check()?;
            match self.embed_stored(embeddings, &some, cancel).await? {
                None => return Err(Error::new(Code::Aborted, "the caller aborted")),
                Some(Ok(count)) => (report.embedded, refused) = (report.embedded + count, 0),
                // Halves isolate the refused text, which is then left to the built-in embedder.
                Some(Err(unmade)) if unmade.by_text && some.len() > 1 => {
                    let (first, second) = some.split_at(some.len() / 2);
                    batches.extend([second.to_vec(), first.to_vec()]);
                }
                Some(Err(unmade)) => {
                    if unmade.by_text {
                        embeddings.failed.borrow_mut().extend(&some);
                        refused += 1;
                    }
                    if !unmade.by_text || refused == MAX_REFUSED {
                        report.stopped = Some(unmade.code);
                        break;
                    }
                }
            }
        }
        report.dimensions = embeddings.dimensions().map(|d| d as u32);
        report.failed = embeddings.failed.borrow().len() as u32;
        report.waiting = self.unembedded(embeddings).len() as u32 + report.failed;
        if report.waiting == 0 && most > 0 {
            self.drop_other_models(embeddings).await?;
        }
        Ok(report)
    }

    fn unembedded(&self, embeddings: &Embeddings) -> Vec<Id> {
        let (index, space, failed) =
            (self.mirror.index.borrow(), embeddings.space.borrow(), embeddings.failed.borrow());
        let lacks = |id: &Id| !space.contains(*id) && !failed.contains(id);
        index.rows().filter(|r| r.is_current() && !r.is_stub()).map(|r| r.id).filter(lacks).collect()
    }

    async fn drop_other_models(&self, embeddings: &Embeddings) -> Result<()> {
        for shelf in [Shelf::Vectors, Shelf::Embedders] {
            self.each_record(shelf, async |page| {
                let others = page.into_iter().filter(|(key, _)| !key.ends_with(&embeddings.tag));
                let removed: Vec<Record> = others.map(|(key, _)| Record::gone(shelf, key)).collect();
                if removed.is_empty() { Ok(()) } else { self.store.keep(removed).await }
            })
            .await?;
        }
        Ok(())
    }
}
