//! How near memories are by those vectors.

use super::whole_of;
use crate::Result;
use crate::consolidation::{Record, Shelf};
use crate::embed::{Embedder, TextKind};
use crate::engine::{Engine, Platform};
use crate::model::Id;
use crate::search::IndexMatch;
use crate::similarity::{cosine, rank};
use crate::store::Store;

/// So many memories of a language weigh as much as what anchors say of it.
const CALM: f32 = 5.0;
/// Of so many the order is told by the whole vectors.
const WHOLE: usize = 32;

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The cosine of each of these memories and a text by that embedder, from the whole vectors; `None` where it has not
    /// seen one.
    pub(in crate::engine) async fn meant_cosines(
        &self,
        vector: Option<&[f32]>,
        ids: &[Id],
    ) -> Result<Vec<Option<f32>>> {
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
    pub(in crate::engine) fn on_bands(&self, cosine: f32) -> f32 {
        let scale = self.embeddings.as_ref().map(|e| e.scale.borrow());
        scale.as_deref().and_then(Option::as_ref).map_or(0.0, |s| s.calibration.apply(cosine))
    }

    /// Whether an embedder elsewhere has made no vector of a memory yet.
    pub(in crate::engine) fn is_unseen(&self, id: Id) -> bool {
        let own = self.embeddings.as_ref().filter(|e| !e.remote.keeps());
        own.is_some_and(|embeddings| embeddings.space().is_none_or(|space| !space.contains(id)))
    }

    /// The memories nearest to a text by that embedder, by their codes; by their whole vectors where they would be more than `most`.
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

    /// The `most` memories nearest to a question by that embedder, nearest first, with their nearness on the scale of the bands.
    /// `group` gives the language of those that are wanted: a question is nearer to texts in its own language whatever they
    /// say, so that each is compared with how near the texts of its language are on the whole.
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
        // Of few it is not known how near they are on the whole.
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

    /// The records of a new memory's vector, where it was made.
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
