//! Similarity by the remote embedder's vectors.

use super::whole_of;
use crate::Result;
use crate::consolidation::{Record, Shelf};
use crate::embed::TextKind;
use crate::engine::Engine;
use crate::model::Id;
use crate::search::IndexMatch;
use crate::similarity::{cosine, rank};
use crate::store::Store;
use std::rc::Rc;

/// Pseudo-count: so many memories of a language weigh as much as the anchor texts.
const CALM: f32 = 5.0;
/// The nearest so many are re-ranked by full vectors.
const WHOLE: usize = 32;

impl<S: Store> Engine<S> {
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

    /// Returns the memories nearest to a text by their codes; by full vectors if the codes leave more than `most`.
    pub(in crate::engine) async fn nearest_meant(
        &self,
        vector: Option<&[f32]>,
        (k, most): (usize, usize),
        wanted: &dyn Fn(Id) -> bool,
    ) -> Result<Vec<Id>> {
        let (Some(embeddings), Some(meant)) = (&self.embeddings, vector) else { return Ok(Vec::new()) };
        let open = embeddings.space().map(|space| space.nearest(meant, k, wanted)).unwrap_or_default();
        if open.len() <= most {
            return Ok(open);
        }
        let cosines = self.meant_cosines(vector, &open).await?;
        let of = |(id, cosine): (Id, Option<f32>)| IndexMatch { id, score: cosine.unwrap_or(-1.0) };
        let nearest = rank(open.into_iter().zip(cosines).map(of).collect(), k, |m| (m.score, m.id));
        Ok(nearest.into_iter().map(|m| m.id).collect())
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
