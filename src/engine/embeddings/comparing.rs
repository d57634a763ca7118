//! How near memories are by those vectors.

use super::whole_of;
use crate::Result;
use crate::consolidation::{Record, Shelf};
use crate::embed::{Embedder, TextKind};
use crate::engine::{Engine, Platform};
use crate::model::Id;
use crate::search::{IndexMatch, Near};
use crate::similarity::{cosine, rank};
use crate::store::Store;

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

    /// The memories that may be nearest to a text by that embedder, as far as their codes tell; those that are, where they
    /// would be more than `most`.
    pub(in crate::engine) async fn nearest_meant(
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
        let of = |(id, cosine): (Id, Option<f32>)| IndexMatch { id, score: cosine.unwrap_or(-1.0) };
        let nearest = rank(open.into_iter().zip(cosines).map(of).collect(), k, |m| (m.score, m.id));
        Ok(nearest.into_iter().map(|m| m.id).collect())
    }

    /// The memories that may be nearer to a text than this by that embedder, with what their nearness is at least and at
    /// most; all on the scale of the bands.
    pub(in crate::engine) fn near_meant(&self, vector: Option<&[f32]>, above: f32) -> Vec<Near> {
        let (Some(embeddings), Some(vector)) = (&self.embeddings, vector) else { return Vec::new() };
        let mut near = embeddings.space().map(|space| space.near(vector)).unwrap_or_default();
        for n in &mut near {
            (n.lower, n.upper) = (self.on_bands(n.lower), self.on_bands(n.upper));
        }
        near.retain(|n| n.upper > above);
        near
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
