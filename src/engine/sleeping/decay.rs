//! Upkeep of memories, one page per commit: fading, promotion and tags.

use super::{BATCH, Run, SkipReason};
use crate::Result;
use crate::consolidation::{Action, AdoptedNode, UpkeepChange, tend};
use crate::engine::Engine;
use crate::model::{Edge, EdgeKind, Generation, Id, Ids, Memory, NodeType, Retention, StorageTier, Time};
use crate::sleep;

const WINDOW: usize = 16;
const MIN_TAG_WEIGHT: f32 = 2.0;
/// The least stability of a tagged memory. `SMALL_TALK_STABILITY` is the most stability of small talk.
const TAGGED_STABILITY: f32 = 0.65;
const SMALL_TALK_STABILITY: f32 = 0.1;

pub(super) type Names = Vec<(Id, Vec<String>)>;

impl Engine {
    pub(super) async fn tend_some(&self, run: &mut Run<'_>) -> Result<()> {
        // While merges are pending, upkeep takes at most half of the run.
        let mut left = if run.place.all_merged { run.left } else { run.left.div_ceil(2) };
        let mut slices = self.slices();
        while left > 0 && !run.place.all_tended && run.cancel.check().is_ok() {
            let page = self.store.page(run.place.tended, BATCH.min(left as usize)).await?;
            let end = page.len() < BATCH.min(left as usize);
            left -= page.len() as u32;
            run.left -= page.len() as u32;
            run.report.looked_at += page.len() as u32;
            let spent = run.report.tokens;
            let names = self.write_tags(&page, run).await?;
            let tokens = run.report.tokens - spent;
            let before = run.place.clone();
            run.place.named = run.place.named.max(names.last().map(|(id, _)| *id));
            run.place.tended = if end { None } else { page.last().map(|m| m.id) };
            run.place.all_tended = end;
            if !self.tend_page(&page, names, tokens, run).await? {
                // After a concurrent write, the next run processes this page again.
                run.place = before;
                run.report.skip(SkipReason::Moved);
                return Ok(());
            }
            slices.next().await;
        }
        Ok(())
    }

    async fn tend_page(&self, page: &[Memory], names: Names, tokens: u32, run: &mut Run<'_>) -> Result<bool> {
        let _turn = self.turn().await?;
        let lives = |m: &&Memory| m.is_current() && matches!(m.node_type, NodeType::Memory | NodeType::Summary);
        let mut tended: Vec<UpkeepChange> =
            page.iter().filter(lives).map(|m| UpkeepChange { old: m.clone(), new: m.clone() }).collect();
        let mut ids = Ids::new(run.now, self.platform.seed());
        let (nodes, edges, tagged) = self.tag_memories(&mut tended, names, run.now, &mut ids);
        for t in tended.iter_mut().filter(|t| t.old.generation != Generation::Archived) {
            if t.old.generation == Generation::Young && sleep::is_small_talk(&t.old.content) {
                t.new.stability = t.new.stability.min(SMALL_TALK_STABILITY);
            }
            if sleep::is_promotable(&t.new) {
                t.new.retention = Retention::Core;
            }
            t.new.storage_tier = sleep::tier(&t.new, run.now);
        }
        tended.retain(|t| t.old != t.new);
        // Long-term questions that have faded are deleted.
        let is_hot = |m: &Memory| sleep::tier(m, run.now) == StorageTier::Hot;
        let faded = |m: &&Memory| m.node_type == NodeType::Query && m.is_current() && !is_hot(m);
        tended.extend(
            page.iter()
                .filter(faded)
                .map(|m| UpkeepChange { old: m.clone(), new: Memory { deleted_at: Some(run.now), ..m.clone() } }),
        );
        let moved = tended.iter().filter(|t| t.old.storage_tier != t.new.storage_tier).count() as u32;
        let promoted = tended.iter().filter(|t| t.old.retention != t.new.retention).count() as u32;
        if tended.is_empty() && nodes.is_empty() {
            return Ok(true);
        }
        let mut set = tend(Action::Tend, tended, (nodes, edges), self.act_at(run.now), &mut ids);
        set.entry.tokens = tokens;
        let Some(entry) = self.commit_step(set, run, None).await? else { return Ok(false) };
        run.report.entries.push(entry.id);
        run.report.moved += moved;
        run.report.promoted += promoted;
        run.report.tagged += tagged;
        Ok(true)
    }

    /// Tags young memories. Returns nodes (old and new state), edges, and the number of tagged memories.
    fn tag_memories(
        &self,
        tended: &mut [UpkeepChange],
        names: Names,
        now: Time,
        ids: &mut Ids,
    ) -> (Vec<AdoptedNode>, Vec<Edge>, u32) {
        let young = |t: &UpkeepChange| t.old.generation == Generation::Young && t.old.node_type == NodeType::Memory;
        let said = |at: &usize| names.iter().find(|(id, _)| *id == tended[*at].old.id);
        let places: Vec<usize> = (0..tended.len()).filter(|at| young(&tended[*at])).collect();
        let (told, untold): (Vec<usize>, Vec<usize>) = places.into_iter().partition(|at| said(at).is_some());
        let told_names: Vec<Vec<String>> = told.iter().filter_map(said).map(|(_, names)| names.clone()).collect();
        let (mut nodes, mut edges, mut count): (Vec<AdoptedNode>, Vec<Edge>, u32) = Default::default();
        let graph = self.mirror.nodes.borrow();
        // The node of this kind and key: already among `nodes`, stored, or new.
        let node = |nodes: &mut Vec<AdoptedNode>, kind: NodeType, key: &str, name: &str, ids: &mut Ids| {
            let is_it = |n: &Memory| n.node_type == kind && n.keywords.first().is_some_and(|k| k == key);
            nodes.iter().position(|(_, n)| is_it(n)).or_else(|| {
                let old = if kind == NodeType::Person { graph.person(key) } else { graph.tag(key) }.cloned();
                if key.is_empty() || old.is_none() && !graph.has_room() {
                    return None;
                }
                let young = sleep::node_of(kind, name, now, ids);
                nodes.push((old.clone(), sleep::adopt_node(&young, old.as_ref(), now)));
                Some(nodes.len() - 1)
            })
        };
        let most = self.options.tagging.max_tags_per_batch as usize;
        let by_model = [(&told[..], sleep::named(&told_names, 2 * most))];
        let by_rule = untold.chunks(WINDOW).map(|window| {
            let batch: Vec<&Memory> = window.iter().map(|at| &tended[*at].old).collect();
            (window, sleep::tags(&batch, &|key| graph.tag(key).is_some(), MIN_TAG_WEIGHT, most))
        });
        let all: Vec<(&[usize], Vec<sleep::Tagged>)> = by_model.into_iter().chain(by_rule).collect();
        for (window, found) in all {
            let mut carries = vec![false; window.len()];
            for tag in found {
                let Some(at) = node(&mut nodes, NodeType::Entity, &tag.key, &tag.name, ids) else { continue };
                let node = &mut nodes[at].1;
                node.repeat = node.repeat.saturating_add(tag.texts.len() as u32);
                for text in tag.texts {
                    carries[text] = true;
                    edges.push(carries_tag(tended[window[text]].old.id, node.id, now, ids));
                }
            }
            for at in window.iter().zip(&carries).filter(|(_, c)| **c).map(|(at, _)| at) {
                let new = &mut tended[*at].new;
                // Tagged memories are knowledge, which is kept for longer.
                (new.generation, new.stability) = (Generation::Old, new.stability.max(TAGGED_STABILITY));
                count += 1;
                for person in &tended[*at].old.people {
                    let key = sleep::canonical_key(person);
                    if let Some(place) = node(&mut nodes, NodeType::Person, &key, person, ids) {
                        edges.push(carries_tag(tended[*at].old.id, nodes[place].1.id, now, ids));
                    }
                }
            }
        }
        (nodes, edges, count)
    }
}

fn carries_tag(from: Id, to: Id, now: Time, ids: &mut Ids) -> Edge {
    let kind = EdgeKind::TaggedWith;
    Edge { id: ids.mint(), from, to, kind, relation: None, weight: 0.5, created_at: now }
}
