//! Requests vectors from the remote embedder.

use super::{Embeddings, MOST, whole_of};
use crate::Result;
use crate::consolidation::{Record, Shelf};
use crate::decision::{Refusal, tokens};
use crate::embed::{TextKind, Unmade, anchors, measured, sound};
use crate::engine::{Cancel, Consolidate, Engine};
use crate::model::{Draft, Id};
use crate::similarity::{cosine, rank};
use crate::store::Store;
use std::rc::Rc;

pub(super) const BATCH: usize = 64;
/// Most characters sent of a text; the built-in embedder reads as many.
const MAX_CHARS: usize = 2_000;

pub(super) fn cut(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(at);
    }
}

impl<S: Store> Engine<S> {
    /// Embeds a draft, unless it was handled before; `None` if there is no remote embedder or it fails.
    pub(in crate::engine) async fn meant_by(&self, draft: &Draft, how: &Consolidate<'_>) -> Result<Option<Rc<[f32]>>> {
        if self.embeddings.is_none() || self.handled_before(how.key.as_deref()).await?.is_some() {
            return Ok(None);
        }
        Ok(self.mean_near(&draft.content, TextKind::Document, how.cancel).await)
    }

    /// Embeds a text. If an external index keeps the vectors, also fetches the nearest ones.
    pub(in crate::engine) async fn mean_near(
        &self,
        text: &str,
        kind: TextKind,
        cancel: Cancel<'_>,
    ) -> Option<Rc<[f32]>> {
        let embeddings = self.embeddings.as_ref()?;
        let vector = self.mean(&[text], kind, cancel).await.pop()?;
        if embeddings.remote.keeps() {
            let found = cancel.unless_gone(embeddings.remote.nearest(&vector)).await;
            // If the external index fails, the built-in embedder compares.
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

    /// Embeds all drafts of a mail in one call, except those handled before.
    pub(in crate::engine) async fn mean_drafts(
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
        // More would evict each other from the cache.
        texts.truncate(MOST / 2);
        self.mean(&texts, TextKind::Document, cancel).await;
        Ok(())
    }

    /// Returns the vectors of texts, embedding those not cached; empty if any request fails.
    pub(in crate::engine) async fn mean(&self, texts: &[&str], kind: TextKind, cancel: Cancel<'_>) -> Vec<Rc<[f32]>> {
        let Some(embeddings) = &self.embeddings else { return Vec::new() };
        let lacks = |text: &&&str| embeddings.made_of(text, kind).is_none();
        let missing: Vec<&str> = texts.iter().filter(lacks).copied().collect();
        for some in missing.chunks(BATCH) {
            match cancel.unless_gone(Box::pin(self.make(embeddings, some, kind))).await {
                Some(Ok(vectors)) => {
                    for (text, vector) in some.iter().zip(vectors) {
                        embeddings.keep_made(text, kind, vector.into());
                    }
                }
                // The built-in embedder takes over.
                Some(Err(_)) | None => return Vec::new(),
            }
        }
        texts.iter().map_while(|text| embeddings.made_of(text, kind)).collect()
    }

    pub(super) async fn make(
        &self,
        embeddings: &Embeddings,
        texts: &[&str],
        kind: TextKind,
    ) -> Result<Vec<Vec<f32>>, Unmade> {
        if embeddings.dimensions().is_none() {
            self.measure(embeddings).await?;
        }
        let mut texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        for text in &mut texts {
            // Masked one by one, so that a text's vector does not depend on its batch.
            self.options.mask(&mut [text]);
        }
        self.request(embeddings, texts, kind, embeddings.dimensions(), |_| Ok(())).await
    }

    /// Sends one embedding request; `serves` validates the vectors.
    async fn request(
        &self,
        embeddings: &Embeddings,
        mut texts: Vec<String>,
        kind: TextKind,
        dimensions: Option<usize>,
        serves: fn(&[Vec<f32>]) -> Result<(), Unmade>,
    ) -> Result<Vec<Vec<f32>>, Unmade> {
        for text in &mut texts {
            cut(text);
            text.insert_str(0, embeddings.remote.prefix(kind));
        }
        let make = async |sent: &[&str]| {
            let made = embeddings.remote.embed(sent, kind).await?;
            let made = sound(made, sent.len(), dimensions.or(embeddings.remote.dimensions()))?;
            serves(&made).map(|()| made)
        };
        self.send_noted(embeddings, "embeddings", texts, make).await
    }

    /// Sends one request and records it in the outbox. For an embedder on the device, only failures
    /// are recorded, without texts.
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
        let noting = |texts| self.note_sending(from, purpose, (texts, Vec::new()), 0);
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

    /// Calibrates the embedder with the anchor texts, once, before its first use.
    async fn measure(&self, embeddings: &Embeddings) -> Result<(), Unmade> {
        // An embedder that refuses the anchors is failing; it is not the texts' fault.
        let fault = |unmade| Unmade { by_text: false, ..unmade };
        let texts = anchors().into_iter().map(str::to_owned).collect();
        let measures = |made: &[Vec<f32>]| measured(made).map(drop);
        let vectors = self.request(embeddings, texts, TextKind::Document, None, measures).await;
        let vectors = vectors.map_err(fault)?;
        let levels = measured(&vectors)?;
        let dimensions = vectors.first().map_or(0, Vec::len) as u32;
        let words = levels.iter().map(|l| l.to_le_bytes());
        let value: Vec<u8> = std::iter::once(dimensions.to_le_bytes()).chain(words).flatten().collect();
        embeddings.scale_by(&value);
        let record = Record::put(Shelf::Embedders, &embeddings.tag, value);
        // If this write fails, the next opening calibrates again.
        let _ = self.store.keep(vec![record]).await;
        Ok(())
    }

    /// Returns the cosines of these memories and a text, by full vectors; `None` for memories without one.
    pub(in crate::engine) async fn meant_cosines(
        &self,
        vector: Option<&[f32]>,
        ids: &[Id],
    ) -> Result<Vec<Option<f32>>> {
        let Some(vector) = vector else { return Ok(vec![None; ids.len()]) };
        let wholes = self.whole_vectors(ids).await?;
        Ok(wholes.into_iter().map(|whole| whole.map(|whole| cosine(vector, &whole))).collect())
    }

    /// Returns the full vectors of these memories by the remote embedder; `None` for memories it has
    /// not embedded. Vectors read from the store are cached.
    pub(in crate::engine) async fn whole_vectors(&self, ids: &[Id]) -> Result<Vec<Option<Rc<[f32]>>>> {
        let mut wholes = vec![None; ids.len()];
        let Some(embeddings) = &self.embeddings else { return Ok(wholes) };
        let mut missing: Vec<usize> = Vec::new();
        if let Some(space) = embeddings.space() {
            for (at, id) in ids.iter().enumerate().filter(|(_, id)| space.contains(**id)) {
                match space.whole(*id) {
                    Some(whole) => wholes[at] = Some(Rc::clone(whole)),
                    None => missing.push(at),
                }
            }
        }
        if missing.is_empty() {
            return Ok(wholes);
        }
        let keys: Vec<String> = missing.iter().map(|at| embeddings.key(ids[*at])).collect();
        let stored = self.store.each_record(Shelf::Wholes, &keys).await?;
        let Some(mut space) = embeddings.space() else { return Ok(wholes) };
        for (at, stored) in missing.into_iter().zip(stored) {
            let whole = stored.map(|bytes| whole_of(&bytes)).filter(|v| v.len() == space.dimensions());
            // Memories embedded before full vectors were stored have their codes only.
            let Some(whole) = whole.or_else(|| Some(space.shown(ids[at])?.into())) else { continue };
            wholes[at] = Some(Rc::clone(&whole));
            space.keep(ids[at], whole);
        }
        Ok(wholes)
    }

    /// Maps a remote cosine to the scale of the similarity bands.
    pub(in crate::engine) fn on_bands(&self, cosine: f32) -> f32 {
        let scale = self.embeddings.as_ref().map(|e| e.scale.borrow());
        scale.as_deref().and_then(Option::as_ref).map_or(0.0, |s| s.calibration.apply(cosine))
    }

    /// Whether the remote embedder has not embedded a memory yet.
    pub(in crate::engine) fn is_unseen(&self, id: Id) -> bool {
        let own = self.embeddings.as_ref().filter(|e| !e.remote.keeps());
        own.is_some_and(|embeddings| embeddings.space().is_none_or(|space| !space.contains(id)))
    }

    /// Returns the `k` memories nearest to a text.
    pub(in crate::engine) async fn nearest_meant(
        &self,
        vector: Option<&[f32]>,
        k: usize,
        wanted: &dyn Fn(Id) -> bool,
    ) -> Result<Vec<Id>> {
        let (Some(embeddings), Some(meant)) = (&self.embeddings, vector) else { return Ok(Vec::new()) };
        let open = embeddings.space().map(|space| space.nearest(meant, k, wanted)).unwrap_or_default();
        let cosines = self.meant_cosines(vector, &open).await?;
        let nearest = rank(open.into_iter().zip(cosines).collect(), k, |(id, cosine)| (cosine.unwrap_or(-1.0), *id));
        Ok(nearest.into_iter().map(|(id, _)| id).collect())
    }

    /// Returns the `most` memories nearest to a question with their scores on the band scale.
    /// `group` gives a memory's language, or `None` to exclude it. Cosines are corrected by the
    /// mean of their language, since questions are nearer to texts in their own language.
    pub(in crate::engine) async fn nearest_answers(
        &self,
        vector: Option<&[f32]>,
        most: usize,
        group: &dyn Fn(Id) -> Option<bool>,
    ) -> Result<Vec<(Id, f32)>> {
        let (Some(embeddings), Some(vector)) = (&self.embeddings, vector) else { return Ok(Vec::new()) };
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
        let known = known.into_iter().map(|(id, korean, about)| (id, about - above[usize::from(korean)], korean));
        let mut nearest = rank(known.collect(), most, |(id, near, _)| (*near, *id));
        let ids: Vec<Id> = nearest.iter().take(WHOLE).map(|(id, ..)| *id).collect();
        for (found, cosine) in nearest.iter_mut().zip(self.meant_cosines(Some(vector), &ids).await?) {
            found.1 = cosine.map_or(found.1, |cosine| cosine - above[usize::from(found.2)]);
        }
        let nearest = rank(nearest, most, |(id, near, _)| (*near, *id));
        Ok(nearest.into_iter().map(|(id, near, _)| (id, self.on_bands(near))).collect())
    }

    /// Returns the records of a new memory's vector, if it was made.
    pub(in crate::engine) fn embedding_of(&self, id: Id, text: &str) -> Vec<Record> {
        let made = self.embeddings.as_ref().and_then(|e| Some((e, e.made_of(text, TextKind::Document)?)));
        match made {
            Some((embeddings, vector)) if embeddings.remote.keeps() => embeddings.fetched(id, vector),
            Some((embeddings, vector)) => return embeddings.records(id, &vector).into(),
            None => {}
        }
        Vec::new()
    }
}

/// Pseudo-count: so many memories of a language weigh as much as the anchor texts.
const CALM: f32 = 5.0;
/// The nearest so many are re-ranked by full vectors.
const WHOLE: usize = 32;
