//! Marks hits that may be outdated by a newer memory, and ranks the newer one first.
//!
//! The set of hits does not change.

use super::Hit;
use crate::Result;
use crate::engine::Engine;
use crate::model::{EdgeKind, Id, Memory};
use crate::store::Store;

impl<S: Store> Engine<S> {
    /// Returns the current memories that may replace some of these, with a weight of `least` or more.
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

    /// Lists on each hit the memories that may outdate it, and ranks those before it. Older
    /// versions come last. Scores are adjusted to the order.
    pub(super) async fn rank_newer_first(&self, hits: &mut Vec<Hit>) -> Result<()> {
        let current: Vec<Id> = hits.iter().map(|h| &h.memory).filter(|m| m.is_current()).map(|m| m.id).collect();
        if !current.is_empty() {
            for (older, newer) in self.newer_than(&current, 0.0).await? {
                let hit = hits.iter_mut().find(|h| h.memory.id == older);
                hit.into_iter().for_each(|h| h.may_be_outdated_by.push(newer.id));
            }
        }
        move_newer_before(hits);
        // A stable partition keeps the order of equals.
        let (current, older): (Vec<Hit>, Vec<Hit>) = hits.drain(..).partition(|hit| hit.memory.superseded_by.is_none());
        let least = current.last().map_or(1.0, |hit| hit.score);
        hits.extend(current);
        hits.extend(older.into_iter().map(|hit| Hit { score: hit.score.min(least * BELOW), ..hit }));
        Ok(())
    }
}

/// Factor that puts a score just below another.
const BELOW: f32 = 0.99;

/// Moves hits before those they may outdate, with their score.
fn move_newer_before(hits: &mut Vec<Hit>) {
    // A moved hit may have a newer one itself; `left` bounds the moves, so cycles terminate.
    let (mut at, mut left) = (0, hits.len() * hits.len());
    while at < hits.len() {
        let newer = &hits[at].may_be_outdated_by;
        match (at + 1..hits.len()).find(|later| newer.contains(&hits[*later].memory.id)).filter(|_| left > 0) {
            Some(later) => {
                let mut hit = hits.remove(later);
                hit.score = hits[at].score;
                hits.insert(at, hit);
                hits[at + 1].score *= BELOW;
                left -= 1;
            }
            None => at += 1,
        }
    }
    // A lowered score may be below its successor's; restore the falling order.
    for at in (1..hits.len()).rev() {
        hits[at - 1].score = hits[at - 1].score.max(hits[at].score);
    }
}
