//! Meaning by an embedder that is somewhere else: its vectors lie beside the built-in ones, which serve wherever it has
//! made none, fails or is away.
//!
//! Like is compared with like: a memory and a text by this embedder where it knows both, else by the built-in one, each
//! on the scale of the bands. It never holds up a memory, and nothing is lost with its records.

use super::{Cancel, Consolidate, Engine, PAGE, Platform};
use crate::consolidation::{ChangeSet, Record, Shelf};
use crate::decision::{Refusal, tokens};
use crate::embed::{Embedder, Levels, Remote, Unmade, anchors, calibrated, measured, sound};
use crate::llm::Masks;
use crate::model::{Draft, Id, Memory, StorageTier};
use crate::similarity::{Calibration, Match, Near, Space, cosine, rank};
use crate::store::Store;
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

/// Texts of one call.
const BATCH: usize = 64;
/// Characters of a text that are sent, as many as the built-in embedder reads.
const MAX_CHARS: usize = 2_000;
/// Vectors of texts that are kept for the next step; one takes a few kilobytes.
const MOST: usize = 256;
/// Texts refused one after the other from which on it is the embedder and not the text.
const MAX_REFUSED: u32 = 3;
/// Vectors of memories that are kept elsewhere and at hand here, whole; past these, all are fetched anew.
const AT_HAND: usize = 2_048;
/// Vectors of one memory by different embedders that are looked for.
const MODELS: usize = 64;

/// How far re-embedding has come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Reembedding {
    /// The embedder's model.
    pub model: String,
    /// The length of its vectors, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<u32>,
    /// Memories that were given a vector by this call.
    pub embedded: u32,
    /// Current memories that have none yet; the built-in embedder serves for them.
    pub waiting: u32,
    /// Those of them that it would not embed since this memory was opened.
    pub failed: u32,
    /// Why the call ended before all was done, as a stable code such as `timeout` or `unauthorized`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// An embedder that is somewhere else, and what it has made.
#[derive(Debug, Clone)]
pub(super) struct Embeddings {
    remote: Rc<dyn Remote>,
    /// What its records are named by.
    tag: String,
    space: RefCell<Space>,
    /// Bytes of whole vectors that are kept in memory.
    room: usize,
    scale: Rc<RefCell<Option<Scale>>>,
    made: Rc<RefCell<Made>>,
    /// Memories whose text it would not embed.
    failed: RefCell<Vec<Id>>,
}

/// What was measured of it.
#[derive(Debug, Clone)]
struct Scale {
    dimensions: usize,
    calibration: Calibration,
}

/// The last texts and their vectors.
#[derive(Debug, Default)]
struct Made {
    kept: Vec<(String, Rc<[f32]>)>,
    next: usize,
}

impl Made {
    fn of(&self, text: &str) -> Option<Rc<[f32]>> {
        self.kept.iter().find(|(t, _)| t == text).map(|(_, v)| v.clone())
    }

    fn put(&mut self, text: &str, vector: Vec<f32>) {
        let entry = (text.to_owned(), vector.into());
        if self.kept.len() < MOST {
            self.kept.push(entry);
        } else {
            self.kept[self.next] = entry;
            self.next = (self.next + 1) % MOST;
        }
    }
}

impl Embeddings {
    fn key(&self, id: Id) -> String {
        format!("{id}/{}", self.tag)
    }

    /// Keeps what was measured; of a record that cannot be read nothing is kept.
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
        self.scale.replace(Some(Scale { dimensions, calibration: calibrated(levels) }));
        true
    }

    fn dimensions(&self) -> Option<usize> {
        self.scale.borrow().as_ref().map(|s| s.dimensions)
    }

    /// The space of its vectors, once their length is known.
    fn space(&self) -> Option<RefMut<'_, Space>> {
        let dimensions = self.dimensions()?;
        let mut space = self.space.borrow_mut();
        if space.dimensions() != dimensions {
            *space = Space::new(dimensions, self.room);
        }
        Some(space)
    }

    /// The records of a memory's vector: its codes, which an opening reads, and the whole of it, by which the nearest are
    /// told apart.
    fn records(&self, id: Id, vector: &[f32]) -> [Record; 2] {
        let mut whole = vec![0; 4 * vector.len()];
        for (bytes, x) in whole.as_chunks_mut().0.iter_mut().zip(vector) {
            *bytes = x.to_le_bytes();
        }
        [(Shelf::Vectors, Space::encode(vector)), (Shelf::Wholes, whole)].map(|(shelf, value)| Record {
            shelf,
            key: self.key(id),
            value: Some(value),
            expect: None,
        })
    }
}

/// A whole vector of a record.
fn whole_of(bytes: &[u8]) -> Rc<[f32]> {
    bytes.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x)).collect()
}

/// What a new memory means to that embedder.
#[derive(Debug, Default)]
pub(super) struct Meant {
    vector: Option<Rc<[f32]>>,
    /// The texts that were looked at, where there is such an embedder.
    seen: Option<Vec<String>>,
}

impl Meant {
    pub fn vector(&self) -> Option<&[f32]> {
        self.vector.as_deref()
    }

    /// The text of a planned version that was merged and not looked at yet.
    pub fn lacks(&mut self, set: &ChangeSet) -> Option<String> {
        let new = set.entry.memory_id.and_then(|id| set.memories.iter().find(|m| m.id == id))?;
        let seen = self.seen.as_mut().filter(|seen| !seen.contains(&new.content))?;
        seen.push(new.content.clone());
        Some(new.content.clone())
    }
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The same engine with an embedder that is somewhere else beside the built-in one. Nothing is asked of it yet: what
    /// it made earlier is read, and what it lacks is made by [`Engine::reembed`].
    ///
    /// # Errors
    /// Those of the store.
    pub async fn with_embeddings(mut self, remote: Rc<dyn Remote>) -> Result<Self> {
        let known = format!("{}\0{:?}", remote.model(), remote.dimensions());
        let tag = hmac_sha256::Hash::hash(known.as_bytes()).iter().take(8).map(|b| format!("{b:02x}")).collect();
        let (space, failed) = (RefCell::default(), RefCell::default());
        // What is kept elsewhere is at hand whole or not at all.
        let room = if remote.keeps() { usize::MAX } else { self.options.vector_cache };
        let embeddings = Embeddings { remote, tag, space, room, scale: Rc::default(), made: Rc::default(), failed };
        if self.is_measured(&embeddings).await? && !embeddings.remote.keeps() {
            let mut after: Option<String> = None;
            loop {
                let page = self.store.records(Shelf::Vectors, after.as_deref(), PAGE).await?;
                let ids: Vec<Id> = page.iter().filter_map(|(key, _)| key.split_once('/')?.0.parse().ok()).collect();
                let end = page.len() < PAGE;
                after = page.last().map(|(key, _)| key.clone());
                for (key, value) in page {
                    embeddings.apply(&key, Some(&value));
                }
                self.sweep_embeddings(&ids).await?;
                if end {
                    break;
                }
            }
        }
        self.embeddings = Some(embeddings);
        Ok(self)
    }

    /// Whether it was measured, here or by another connection.
    async fn is_measured(&self, embeddings: &Embeddings) -> Result<bool> {
        let known = embeddings.dimensions().is_some();
        Ok(known
            || (self.store.record(Shelf::Embedders, &embeddings.tag).await?).is_some_and(|r| embeddings.scale_by(&r)))
    }

    /// Removes the vectors of memories that were forgotten while another connection was making them.
    async fn sweep_embeddings(&self, ids: &[Id]) -> Result<()> {
        let gone = |id: &Id| self.index.borrow().row(*id).is_none_or(|r| !r.is_current());
        let doubtful: Vec<Id> = ids.iter().copied().filter(gone).collect();
        let read = self.store.memories(&doubtful).await?;
        let forgotten = doubtful.into_iter().zip(read).filter(|(_, m)| m.as_ref().is_none_or(keeps_no_vector));
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

    /// What the new memory means, unless it was handled before; nothing where there is no such embedder or it fails.
    pub(super) async fn meant_by(&self, draft: &Draft, how: &Consolidate<'_>) -> Result<Meant> {
        if self.embeddings.is_none() || self.handled_before(how.key.as_deref()).await?.is_some() {
            return Ok(Meant::default());
        }
        let vector = self.mean_near(&draft.content, how.cancel).await;
        Ok(Meant { vector, seen: Some(vec![draft.content.clone()]) })
    }

    /// The vector of a text, with the vectors nearest to it at hand where they are kept elsewhere.
    pub(super) async fn mean_near(&self, text: &str, cancel: Cancel<'_>) -> Option<Rc<[f32]>> {
        let embeddings = self.embeddings.as_ref()?;
        let vector = self.mean(&[text], cancel).await.pop()?;
        if embeddings.remote.keeps() {
            let found = cancel.unless_gone(embeddings.remote.nearest(&vector)).await;
            // What cannot be found there is compared by the built-in embedder.
            if let Some(Ok((ids, vectors))) = found
                && let Ok(vectors) = sound(vectors, ids.len(), embeddings.dimensions())
            {
                for (id, vector) in ids.into_iter().zip(vectors) {
                    embeddings.fetched(id, vector.into());
                }
            }
        }
        Some(vector)
    }

    /// Makes the vectors of all drafts of a mail by one call, but for those that were handled before.
    pub(super) async fn mean_drafts(
        &self,
        drafts: &[&Draft],
        key: impl Fn(usize) -> String,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        if self.embeddings.is_none() || drafts.len() < 2 {
            return Ok(());
        }
        let mut texts = Vec::new();
        for (n, draft) in drafts.iter().enumerate() {
            if draft.validate().is_ok() && self.handled_before(Some(&key(n))).await?.is_none() {
                texts.push(draft.content.as_str());
            }
        }
        // As many at once as are kept.
        texts.truncate(MOST / 2);
        self.mean(&texts, cancel).await;
        Ok(())
    }

    /// The vectors of texts, made where they are not at hand; none where one of them cannot be made.
    pub(super) async fn mean(&self, texts: &[&str], cancel: Cancel<'_>) -> Vec<Rc<[f32]>> {
        let Some(embeddings) = &self.embeddings else { return Vec::new() };
        let lacks = |text: &&&str| embeddings.made.borrow().of(text).is_none();
        let missing: Vec<&str> = texts.iter().filter(lacks).copied().collect();
        for some in missing.chunks(BATCH) {
            match cancel.unless_gone(Box::pin(self.make(embeddings, some))).await {
                Some(Ok(vectors)) => {
                    for (text, vector) in some.iter().zip(vectors) {
                        embeddings.made.borrow_mut().put(text, vector);
                    }
                }
                // The built-in embedder serves.
                Some(Err(_)) | None => return Vec::new(),
            }
        }
        texts.iter().map_while(|text| embeddings.made.borrow().of(text)).collect()
    }

    async fn make(&self, embeddings: &Embeddings, texts: &[&str]) -> Result<Vec<Vec<f32>>, Unmade> {
        if embeddings.dimensions().is_none() {
            self.measure(embeddings).await?;
        }
        let mut texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        if self.options.mask {
            // Each by itself, so that a text has the same vector whatever it is sent with.
            for text in &mut texts {
                Masks::hide(&mut [text]);
            }
        }
        self.request(embeddings, texts, embeddings.dimensions()).await
    }

    /// One request, noted like any that leaves this device.
    async fn request(
        &self,
        embeddings: &Embeddings,
        mut texts: Vec<String>,
        dimensions: Option<usize>,
    ) -> Result<Vec<Vec<f32>>, Unmade> {
        for text in &mut texts {
            if let Some((at, _)) = text.char_indices().nth(MAX_CHARS) {
                text.truncate(at);
            }
        }
        let unnoted = |_| Unmade { code: "unnoted".to_owned(), by_text: false };
        // What the application embeds by itself costs no tokens.
        let paid = embeddings.remote.origin().is_some();
        if paid && self.is_day_spent().await.map_err(unnoted)? {
            return Err(Unmade::new(Refusal::OverBudget.as_str()));
        }
        let from = (embeddings.remote.origin(), Some(embeddings.remote.model()));
        let out = self.sending(from, "embeddings", texts.clone(), 0).await.map_err(unnoted)?;
        let sent: Vec<&str> = texts.iter().map(String::as_str).collect();
        let made = embeddings.remote.embed(&sent).await;
        let made = made.and_then(|made| sound(made, sent.len(), dimensions.or(embeddings.remote.dimensions())));
        let outcome = match &made {
            Ok(_) => Some("answered"),
            Err(unmade) => Some(unmade.code.as_str()).filter(|code| *code != "resting"),
        };
        let used =
            if made.is_ok() { sent.iter().fold(0, |sum: u32, text| sum.saturating_add(tokens(text))) } else { 0 };
        self.came_back(out, outcome, used).await.map_err(unnoted)?;
        if paid && outcome.is_some() {
            self.count_embedded(used).await.map_err(unnoted)?;
        }
        made
    }

    /// Measures an embedder before anything is decided by it, once.
    async fn measure(&self, embeddings: &Embeddings) -> Result<(), Unmade> {
        // The anchors are texts like any other: one that does not take them takes nothing.
        let fault = |unmade| Unmade { by_text: false, ..unmade };
        let texts = anchors().into_iter().map(str::to_owned).collect();
        let vectors = self.request(embeddings, texts, None).await.map_err(fault)?;
        let levels = measured(&vectors)?;
        let dimensions = vectors.first().map_or(0, Vec::len) as u32;
        let words = levels.iter().map(|l| l.to_le_bytes());
        let value: Vec<u8> = std::iter::once(dimensions.to_le_bytes()).chain(words).flatten().collect();
        embeddings.scale_by(&value);
        let record = Record { shelf: Shelf::Embedders, key: embeddings.tag.clone(), value: Some(value), expect: None };
        // What could not be kept is measured again when this memory is opened next.
        let _ = self.store.keep(vec![record]).await;
        Ok(())
    }

    /// The cosine of each of these memories and a text by that embedder, from the whole vectors; `None` where it has not
    /// seen one.
    pub(super) async fn meant_cosines(&self, vector: Option<&[f32]>, ids: &[Id]) -> Result<Vec<Option<f32>>> {
        let mut cosines = vec![None; ids.len()];
        let (Some(embeddings), Some(vector)) = (&self.embeddings, vector) else { return Ok(cosines) };
        let mut missing: Vec<usize> = Vec::new();
        if let Some(space) = embeddings.space() {
            for (at, id) in ids.iter().enumerate().filter(|(_, id)| space.contains(**id)) {
                match space.whole(*id) {
                    Some(whole) => cosines[at] = Some(cosine(vector, whole)),
                    None => missing.push(at),
                }
            }
        }
        if missing.is_empty() {
            return Ok(cosines);
        }
        let keys: Vec<String> = missing.iter().map(|at| embeddings.key(ids[*at])).collect();
        let stored = self.store.each_record(Shelf::Wholes, &keys).await?;
        let Some(mut space) = embeddings.space() else { return Ok(cosines) };
        for (at, stored) in missing.into_iter().zip(stored) {
            let whole = stored.map(|bytes| whole_of(&bytes)).filter(|v| v.len() == vector.len());
            // Those that were made before whole ones were kept are their codes.
            let Some(whole) = whole.or_else(|| Some(space.shown(ids[at])?.into())) else { continue };
            cosines[at] = Some(cosine(vector, &whole));
            space.keep(ids[at], whole);
        }
        Ok(cosines)
    }

    /// A cosine of that embedder on the scale of the bands.
    pub(super) fn on_bands(&self, cosine: f32) -> f32 {
        let scale = self.embeddings.as_ref().map(|e| e.scale.borrow());
        scale.as_deref().and_then(Option::as_ref).map_or(0.0, |s| s.calibration.apply(cosine))
    }

    /// The memories that may be nearest to a text by that embedder, as far as their codes tell; those that are, where they
    /// would be more than `most`.
    pub(super) async fn nearest_meant(
        &self,
        vector: Option<&[f32]>,
        (k, most): (usize, usize),
        wanted: &dyn Fn(Id) -> bool,
    ) -> Result<Vec<Id>> {
        let (Some(embeddings), Some(meant)) = (&self.embeddings, vector) else { return Ok(Vec::new()) };
        let open = embeddings.space().map(|space| space.may_be_nearest(meant, k, wanted)).unwrap_or_default();
        if open.len() <= most {
            return Ok(open);
        }
        let cosines = self.meant_cosines(vector, &open).await?;
        let of = |(id, cosine): (Id, Option<f32>)| Match { id, score: cosine.unwrap_or(-1.0) };
        let nearest = rank(open.into_iter().zip(cosines).map(of).collect(), k, |m| (m.score, m.id));
        Ok(nearest.into_iter().map(|m| m.id).collect())
    }

    /// The memories that may be nearer to a text than this by that embedder, with what their nearness is at least and at
    /// most; all on the scale of the bands.
    pub(super) fn near_meant(&self, vector: Option<&[f32]>, above: f32) -> Vec<Near> {
        let (Some(embeddings), Some(vector)) = (&self.embeddings, vector) else { return Vec::new() };
        let mut near = embeddings.space().map(|space| space.near(vector)).unwrap_or_default();
        for n in &mut near {
            (n.lower, n.upper) = (self.on_bands(n.lower), self.on_bands(n.upper));
        }
        near.retain(|n| n.upper > above);
        near
    }

    /// The records of a new memory's vector, where it was made.
    pub(super) fn embedding_of(&self, id: Id, text: &str) -> Vec<Record> {
        let made = self.embeddings.as_ref().and_then(|e| Some((e, e.made.borrow().of(text)?)));
        match made {
            Some((embeddings, vector)) if embeddings.remote.keeps() => embeddings.fetched(id, vector),
            Some((embeddings, vector)) => return embeddings.records(id, &vector).into(),
            None => {}
        }
        Vec::new()
    }

    /// Makes the vectors of memories whose text was merged while nobody could wait for them. Where none come, they wait for
    /// [`Engine::reembed`].
    ///
    /// # Errors
    /// Those of the store.
    pub(super) async fn embed_merged(&self, ids: &[Id], cancel: Cancel<'_>) -> Result<()> {
        let Some(embeddings) = &self.embeddings else { return Ok(()) };
        let lacks = |m: &Memory| m.is_current() && !keeps_no_vector(m) && !embeddings.space.borrow().contains(m.id);
        let memories: Vec<Memory> = self.store.memories(ids).await?.into_iter().flatten().filter(lacks).collect();
        let texts: Vec<&str> = memories.iter().map(|m| m.content.as_str()).collect();
        let made = self.mean(&texts, cancel).await;
        if !made.is_empty() && made.len() == memories.len() {
            self.keep_vectors(embeddings, &memories, &made).await?;
        }
        Ok(())
    }

    /// The records that remove a memory's vectors, by whatever embedder they were made.
    pub(super) async fn embedding_records(&self, id: Id) -> Result<Vec<Record>> {
        let prefix = format!("{id}/");
        let mut records = Vec::new();
        for shelf in [Shelf::Vectors, Shelf::Wholes] {
            let found = self.store.records(shelf, Some(&prefix), MODELS).await?;
            let own = found.into_iter().take_while(|(key, _)| key.starts_with(&prefix));
            records.extend(own.map(|(key, _)| Record { shelf, key, value: None, expect: None }));
        }
        Ok(records)
    }

    /// Takes the vectors along that a set leaves no text for.
    pub(super) async fn drop_embeddings(&self, set: &mut ChangeSet) -> Result<()> {
        for memory in set.memories.iter().filter(|m| keeps_no_vector(m)) {
            if let Some(embeddings) = self.embeddings.as_ref().filter(|e| e.remote.keeps()) {
                embeddings.space.borrow_mut().remove(memory.id);
            }
            set.records.extend(self.embedding_records(memory.id).await?);
        }
        Ok(())
    }

    /// Notes records that were written.
    pub(super) fn embeddings_kept(&self, records: &[Record]) {
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

    /// Forgets what belonged to a database that its owner has cleared.
    pub(super) fn embeddings_lost(&self) {
        if let Some(embeddings) = &self.embeddings {
            embeddings.space.take();
            embeddings.failed.take();
        }
    }

    /// Reads what another connection may have made of memories.
    pub(super) async fn read_embeddings(&self, ids: &[Id]) -> Result<()> {
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

    /// Gives up to `most` current memories the vectors that they lack, and says how many lack them still. What is done
    /// stays: a later call goes on, in whatever tab. With `most` at 0 it only tells.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] where no such embedder is set, or its vectors are kept elsewhere; [`Code::Aborted`], those
    /// of the store. A failing embedder is no error: the report says why it stopped.
    pub async fn reembed(&self, most: usize, cancel: Cancel<'_>) -> Result<Reembedding> {
        let Some(embeddings) = self.embeddings.as_ref().filter(|e| !e.remote.keeps()) else {
            return Err(Error::new(Code::InvalidInput, "no embeddings are kept here; there is nothing to re-embed"));
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
            let Some(made) = cancel.unless_gone(Box::pin(self.make(embeddings, &texts))).await else {
                return Err(Error::new(Code::Aborted, "the caller aborted"));
            };
            match made {
                Ok(vectors) => {
                    let vectors: Vec<Rc<[f32]>> = vectors.into_iter().map(Rc::from).collect();
                    report.embedded += self.keep_vectors(embeddings, &memories, &vectors).await?;
                    open.drain(..some.len());
                    (size, refused) = ((size * 2).min(BATCH), 0);
                }
                // Fewer at once, down to the one text that is at fault; that one is left to the built-in embedder.
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

    /// The current memories without a vector of that embedder, but for those that it would not embed.
    fn waiting(&self, embeddings: &Embeddings) -> Vec<Id> {
        let (index, space, failed) = (self.index.borrow(), embeddings.space.borrow(), embeddings.failed.borrow());
        let lacks = |id: &Id| !space.contains(*id) && !failed.contains(id);
        index.rows().filter(|r| r.is_current() && !r.is_stub()).map(|r| r.id).filter(lacks).collect()
    }

    /// Keeps vectors that were made, and how many; those of memories that were forgotten meanwhile go again.
    async fn keep_vectors(&self, embeddings: &Embeddings, memories: &[Memory], vectors: &[Rc<[f32]>]) -> Result<u32> {
        let records: Vec<Record> =
            memories.iter().zip(vectors).flat_map(|(m, v)| embeddings.records(m.id, v)).collect();
        self.store.keep(records.clone()).await?;
        self.embeddings_kept(&records);
        let ids: Vec<Id> = memories.iter().map(|m| m.id).collect();
        let read = self.store.memories(&ids).await?;
        let gone = ids.into_iter().zip(read).filter(|(_, m)| m.as_ref().is_none_or(keeps_no_vector));
        for (id, _) in gone {
            let removed = self.embedding_records(id).await?;
            self.store.keep(removed.clone()).await?;
            self.embeddings_kept(&removed);
        }
        Ok(vectors.len() as u32)
    }

    /// Gives the store of a rehearsal the whole vectors, most of which are not in memory.
    pub(super) async fn lend_wholes(&self, scratch: &S) -> Result<()> {
        let (mut after, mut end) = (None, self.embeddings.is_none());
        while !end {
            // By pages: all of them may be hundreds of megabytes, and they are held twice as it is.
            let wholes = self.store.records(Shelf::Wholes, after.as_deref(), PAGE).await?;
            end = wholes.len() < PAGE;
            after = wholes.last().map(|(key, _)| key.clone());
            let record = |(key, value)| Record { shelf: Shelf::Wholes, key, value: Some(value), expect: None };
            scratch.keep(wholes.into_iter().map(record).collect()).await?;
        }
        Ok(())
    }

    /// Removes what embedders made that are not used any more.
    async fn drop_other_models(&self, embeddings: &Embeddings) -> Result<()> {
        for shelf in [Shelf::Vectors, Shelf::Wholes, Shelf::Embedders] {
            let mut after: Option<String> = None;
            loop {
                let page = self.store.records(shelf, after.as_deref(), PAGE).await?;
                let end = page.len() < PAGE;
                after = page.last().map(|(key, _)| key.clone());
                let others = page.into_iter().filter(|(key, _)| !key.ends_with(&embeddings.tag));
                let removed = |(key, _)| Record { shelf, key, value: None, expect: None };
                let removed: Vec<Record> = others.map(removed).collect();
                if !removed.is_empty() {
                    self.store.keep(removed).await?;
                }
                if end {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl Embeddings {
    /// Has the vector of a memory at hand that is kept elsewhere.
    fn fetched(&self, id: Id, vector: Rc<[f32]>) {
        let Some(mut space) = self.space() else { return };
        if space.len() >= AT_HAND {
            *space = Space::new(space.dimensions(), self.room);
        }
        space.put(id, &Space::encode(&vector));
        space.keep(id, vector);
    }

    /// The memory of a key, where it is one of this embedder's.
    fn id_of(&self, key: &str) -> Option<Id> {
        let (id, tag) = key.split_once('/')?;
        id.parse().ok().filter(|_| tag == self.tag)
    }

    /// Puts or removes the codes under the key of a record.
    fn apply(&self, key: &str, value: Option<&[u8]>) {
        if let (Some(id), Some(mut space)) = (self.id_of(key), self.space()) {
            match value {
                Some(stored) => space.put(id, stored),
                None => space.remove(id),
            }
        }
    }

    /// Keeps the whole vector of a record in memory, whose codes are there.
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
