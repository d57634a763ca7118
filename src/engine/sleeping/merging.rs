//! Folding memories that say nearly the same into summaries, one cluster a commit.

use super::{BATCH, Run, SkipReason};
use crate::Result;
use crate::consolidation::{Analyst, Merge, merge_into, merge_key};
use crate::engine::Engine;
use crate::engine::budget::Day;
use crate::model::{Id, Ids, Memory, Time};
use crate::search::Row;
use crate::similarity::cosine;
use crate::sleep::{self, Folding, Kin, LEAST_LIKENESS, MergeCandidates, folded};

const NEAR: usize = 64;
/// The minimum size of a cluster.
const LEAST_MEMBERS: usize = 3;

struct Item {
    memory: Memory,
    vector: Vec<f32>,
    remote_vector: Option<Vec<f32>>,
    kin: Kin,
}

impl Engine {
    pub(super) async fn merge_some(&self, run: &mut Run<'_>) -> Result<()> {
        if run.place.all_merged {
            return Ok(());
        }
        let mut seeds: Vec<Id> = {
            let index = self.mirror.index.borrow();
            let open = |r: &&Row| self.mirror.is_whole(r) && !r.is_archived();
            index.rows().filter(open).map(|r| r.id).filter(|id| run.place.merged.is_none_or(|at| *id > at)).collect()
        };
        seeds.sort_unstable();
        let mut done: Vec<Id> = Vec::new();
        let mut slices = self.slices();
        for page in seeds.chunks(BATCH) {
            for seed in self.items(page, run.now).await? {
                if run.left == 0 || run.cancel.check().is_err() {
                    return Ok(());
                }
                let at = seed.memory.id;
                if !done.contains(&at) {
                    let taken = self.merge_around(seed, run).await?;
                    // What is settled with it is not looked at again, and was work as well.
                    let looks = (taken.len() as u32).clamp(1, run.left);
                    run.left -= looks;
                    run.report.looked_at += looks;
                    done.extend(taken);
                    run.place.merged = Some(at);
                }
                slices.next().await;
            }
            // What is no candidate is passed over without a look.
            run.place.merged = page.last().copied().or(run.place.merged);
        }
        (run.place.merged, run.place.all_merged) = (None, true);
        Ok(())
    }

    async fn merge_around(&self, seed: Item, run: &mut Run<'_>) -> Result<Vec<Id>> {
        let id = seed.memory.id;
        let open = |r: &Row| self.mirror.is_whole(r) && !r.is_archived() && r.id != id;
        let alike = self.alike(&seed, NEAR, &open);
        if alike.is_empty() {
            run.report.skip(SkipReason::Alone);
            return Ok(Vec::new());
        }
        let mut items = vec![seed];
        items.extend(self.items(&alike, run.now).await?);
        let like = |a: usize, b: usize| self.likeness(&items[a], &items[b]);
        let akin = |a: usize, b: usize| items[a].kin.may_join(&items[b].kin);
        let (members, similarity) = sleep::cluster(items.len(), &like, &akin, LEAST_LIKENESS);
        let fresh: Vec<Memory> = members.iter().map(|at| items[*at].memory.clone()).collect();
        if fresh.len() < LEAST_MEMBERS {
            run.report.skip(SkipReason::Alone);
            return Ok(Vec::new());
        }
        match folded(&fresh, self.options.zone).filter(|f| f.taken.len() >= LEAST_MEMBERS) {
            Some(folding) => self.fold(&fresh, folding, similarity, run).await,
            None => {
                run.report.skip(SkipReason::NotShorter);
                Ok(Vec::new())
            }
        }
    }

    async fn fold(&self, all: &[Memory], folding: Folding, similarity: f32, run: &mut Run<'_>) -> Result<Vec<Id>> {
        let mut taken = folding.taken.clone();
        taken.sort_unstable();
        let sources: Vec<Memory> = taken.iter().map(|at| all[*at].clone()).collect();
        let fresh = sources.len() as u32;
        let ids: Vec<Id> = sources.iter().map(|m| m.id).collect();
        let weight: f32 = sources.iter().map(sleep::weight_of).sum();
        let key = merge_key(&sources);
        if self.store.entry_by_key(&key).await?.is_some() {
            run.report.skip(SkipReason::TakenBack);
            return Ok(ids);
        }
        if run.dry {
            run.report.folded += fresh;
            run.report.merges += 1;
            run.report.candidates.push(MergeCandidates {
                ids: ids.clone(),
                similarity,
                weight,
                tokens: folding.tokens as u32,
            });
            return Ok(ids);
        }
        let written = self.write_summary(&sources, &folding, (similarity, weight), run).await?;
        if written.text.is_none() && run.cancel.check().is_err() {
            return Ok(ids);
        }
        let analyst = if written.text.is_some() { Analyst::Model } else { Analyst::Local };
        let (text, tokens, refused) = (written.text.unwrap_or(folding.text), written.tokens, written.refused);
        let _turn = self.turn().await?;
        let act = self.act_at(run.now);
        let merge = Merge { sources: &sources, text, analyst, tokens, refused, key };
        let set = merge_into(merge, act, &mut Ids::new(run.now, self.platform.seed()));
        run.place.merged = ids.iter().copied().find(|id| *id == all[0].id).or(run.place.merged);
        match self.commit_step(set, run, Some(&|day: &mut Day| day.merges += 1)).await? {
            Some(entry) => {
                run.report.entries.push(entry.id);
                run.report.merges += 1;
                run.report.folded += fresh;
                drop(_turn);
                let summary: Vec<Id> = entry.memory_id.into_iter().collect();
                self.embed_merged(&summary, run.cancel).await?;
            }
            None => run.report.skip(SkipReason::Moved),
        }
        Ok(ids)
    }

    async fn items(&self, ids: &[Id], now: Time) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        for memory in self.store.found(ids).await? {
            if sleep::is_candidate(&memory, now, self.options.zone) {
                let (vector, remote_vector) = (self.embedder.vector(&memory.content), self.remote_vector(memory.id));
                items.push(Item { kin: Kin::of(&memory), memory, vector, remote_vector });
            }
        }
        Ok(items)
    }

    /// The similarity on the band scale, by the remote embedder if it knows both memories.
    fn likeness(&self, a: &Item, b: &Item) -> f32 {
        match (&a.remote_vector, &b.remote_vector) {
            (Some(a), Some(b)) => self.on_bands(cosine(a, b)),
            _ => self.embedder.calibration().apply(cosine(&a.vector, &b.vector)),
        }
    }

    /// Returns the nearest `k` memories by each embedder that are similar enough to be merged.
    fn alike(&self, seed: &Item, k: usize, wanted: &dyn Fn(&Row) -> bool) -> Vec<Id> {
        let scale = self.embedder.calibration();
        let near = self.nearest(&seed.vector, k, wanted);
        let mut ids: Vec<Id> =
            near.into_iter().filter(|m| scale.apply(m.score) >= LEAST_LIKENESS).map(|m| m.id).collect();
        let known = |id: Id| self.mirror.index.borrow().row(id).is_some_and(wanted);
        for near in self.nearest_meant(seed.remote_vector.as_deref(), k, &known) {
            if self.on_bands(near.score) >= LEAST_LIKENESS && !ids.contains(&near.id) {
                ids.push(near.id);
            }
        }
        ids
    }
}
