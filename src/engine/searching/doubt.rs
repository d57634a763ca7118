//! Hits that may be outdated: a newer memory may be about the same thing, and nobody has looked yet.
//!
//! It adds no hit and takes none away; of two the newer stands first.

use super::Hit;
use crate::Result;
use crate::embed::Embedder;
use crate::engine::{Engine, Platform};
use crate::model::{EdgeKind, Id, Memory};
use crate::store::Store;

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The memories by which some of these may be outdated, as they stand now; the doubt weighs `least` or more.
    pub(in crate::engine) async fn newer_than(&self, current: &[Id], least: f32) -> Result<Vec<(Id, Memory)>> {
        let mut doubts = self.store.edges_at(current).await?;
        doubts.retain(|e| e.kind == EdgeKind::MayReplace && current.contains(&e.from) && e.weight >= least);
        if doubts.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<Id> = doubts.iter().map(|e| e.to).collect();
        let mut found: Vec<(Id, Memory)> = Vec::new();
        for (edge, newer) in doubts.iter().zip(self.store.memories(&ids).await?) {
            let Some(newer) = newer else { continue };
            let head = if newer.is_current() { Some(newer) } else { self.chain_over(newer.id, &[]).await?.pop() };
            let stands = head.filter(|m| m.is_current() && m.id != edge.from);
            let known = |m: &Memory| found.iter().any(|(older, n)| *older == edge.from && n.id == m.id);
            if let Some(head) = stands.filter(|m| !known(m)) {
                found.push((edge.from, head));
            }
        }
        Ok(found)
    }

    /// Says of each hit by which newer memories it may be outdated, and puts those of them that are hits before it.
    pub(super) async fn mark_doubts(&self, hits: &mut Vec<Hit>) -> Result<()> {
        let current: Vec<Id> = hits.iter().map(|h| &h.memory).filter(|m| m.is_current()).map(|m| m.id).collect();
        if current.is_empty() {
            return Ok(());
        }
        let newer = self.newer_than(&current, 0.0).await?;
        if newer.is_empty() {
            return Ok(());
        }
        for (older, newer) in newer {
            let hit = hits.iter_mut().find(|h| h.memory.id == older);
            hit.into_iter().for_each(|h| h.may_be_outdated_by.push(newer.id));
        }
        // Of two the newer may have nothing of what was asked.
        let answers = |hit: &Hit| !hit.matched.is_empty() || !hit.highlights.is_empty();
        // What is put before another may have a newer one itself. A row of doubts that bites its tail ends all the same.
        let (mut at, mut left) = (0, hits.len() * hits.len());
        while at < hits.len() {
            let (older, newer) = (&hits[at], &hits[at].may_be_outdated_by);
            let is_newer = |hit: &Hit| newer.contains(&hit.memory.id) && (answers(hit) || !answers(older));
            let later = (at + 1..hits.len()).find(|later| is_newer(&hits[*later]));
            match later.filter(|_| left > 0) {
                Some(later) => {
                    let hit = hits.remove(later);
                    hits.insert(at, hit);
                    left -= 1;
                }
                None => at += 1,
            }
        }
        Ok(())
    }
}
