//! Requests vectors from the remote embedder.

use super::{Embeddings, MOST, Meant};
use crate::Result;
use crate::consolidation::{Record, Shelf};
use crate::decision::{Refusal, tokens};
use crate::embed::{TextKind, Unmade, anchors, measured, sound};
use crate::engine::{Cancel, Consolidate, Engine};
use crate::model::Draft;
use crate::store::Store;
use std::rc::Rc;

pub(super) const BATCH: usize = 64;
/// Most characters sent of a text; the built-in embedder reads as many.
const MAX_CHARS: usize = 2_000;

/// Truncates a text to the length that is sent.
pub(super) fn cut(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(at);
    }
}

impl<S: Store> Engine<S> {
    /// Embeds a draft, unless it was handled before; empty if there is no remote embedder or it fails.
    pub(in crate::engine) async fn meant_by(&self, draft: &Draft, how: &Consolidate<'_>) -> Result<Meant> {
        if self.embeddings.is_none() || self.handled_before(how.key.as_deref()).await?.is_some() {
            return Ok(Meant::default());
        }
        let vector = self.mean_near(&draft.content, TextKind::Document, how.cancel).await;
        Ok(Meant { vector, seen: Some(vec![draft.content.clone()]) })
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
            self.options.masks(&mut [text]);
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
        if paid && self.client.shared.budget.is_day_spent(self.env()).await.map_err(unnoted)? {
            return Err(Unmade::new(Refusal::OverBudget.as_str()));
        }
        let from = (embeddings.remote.origin(), Some(embeddings.remote.model()));
        let outbox = &self.client.outbox;
        let noting = |texts| outbox.sending(self.env(), from, purpose, (texts, Vec::new()), 0);
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
            outbox.came_back(self.env(), out, outcome, used).await.map_err(unnoted)?;
        }
        if paid && outcome.is_some() {
            self.client.shared.budget.count_call(self.env(), used).await.map_err(unnoted)?;
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
}
