//! Synchronises clients that share a key, over a hub that stores sealed steps of one chain. Each
//! client merges the steps of the others and appends its own result.
//!
//! Callers seal, send, open and verify the steps. Unsealed memories of a hub come in by `sync_inbox`.

use super::Engine;
use super::syncing::{FeedWrites, OwnerActions, validate_memory};
use crate::Result;
use crate::consolidation::{
    Action, ChangeSet, ClientChanges, Feed, ImportanceMerge, JoinRules, LogEntry, Node, Record, Shelf, Standing,
    Status, TwinChanges, TwinReplacement, alone, clear_effects, connected_ids, has_same_position, may_repeat,
    replace_twins, same, stays,
};
use crate::decision::Reason;
use crate::model::{Edge, Id, Memory};
use crate::store::{LogRange, Seq, Store};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How far a client and a chain are synchronised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SyncCursor {
    /// Unsent changes begin after this number of the log.
    pub pushed: Seq,
    /// Own commits after it that only applied the chain.
    pub made: Vec<Seq>,
    /// Memories that must also be sent, because they differ from the chain.
    pub about: Vec<Id>,
}

/// Changes to send.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutgoingChanges {
    /// The log entries and memories.
    pub told: ClientChanges,
    /// The number of the last log entry.
    pub upto: Seq,
    /// Whether the log continues.
    pub more: bool,
}

impl<S: Store> Engine<S> {
    /// Applies the other clients' changes: memories unchanged here are overwritten, the rest is
    /// merged by the rules of an import. Returns the new agreement and the number of new entries.
    ///
    /// # Errors
    /// Those of [`Engine::apply`].
    pub async fn pull(&self, mut agreed: SyncCursor, told: ClientChanges) -> Result<(SyncCursor, u32)> {
        let turn = self.turn().await?;
        let (parts, edges) = (told.parts(), told.edges());
        told.nodes.iter().try_for_each(|n| validate_memory(&n.memory))?;
        let mut others = self.store.log(LogRange::since(agreed.pushed)).await?;
        others.retain(|e| !agreed.made.contains(&e.seq));
        let mut entries = self.new_entries(told.entries).await?;
        let new = entries.len() as u32;
        let twins = self.find_twins(&told.nodes, &entries, agreed.pushed).await?;
        let mut acts = OwnerActions::default();
        for memories in parts {
            let at = |e: &&Edge| memories.iter().any(|m| m.id == e.from || m.id == e.to);
            let edges = edges.iter().filter(at).cloned().collect();
            // Memories that are still to be sent differ from the chain, whatever the cause.
            let done = self.apply_state(memories, edges, &mut entries, &others, Some(&agreed.about)).await?;
            acts.forget.extend(done.forget);
            acts.delete.extend(done.delete);
            acts.restore.extend(done.restore);
            acts.uncovered.extend(done.uncovered);
            agreed.made.extend(done.made);
        }
        self.replace_twins_with_shared(&twins, &told.nodes, &others, (&mut entries, &mut acts)).await?;
        drop(turn);
        // Actions repeated here are this client's own changes, which the others have not seen.
        let uncovered = std::mem::take(&mut acts.uncovered);
        self.repeat_actions(acts).await?;

        let _turn = self.turn().await?;
        agreed.made.extend(self.append_entries(entries).await?);
        self.log_moves(&uncovered).await?;
        agreed.about.extend(self.differing_memories(&told.nodes, &edges).await?);
        agreed.about.sort_unstable();
        agreed.about.dedup();
        let since = self.store.log(LogRange::since(agreed.pushed)).await?;
        if agreed.about.is_empty() && since.iter().all(|e| agreed.made.contains(&e.seq)) {
            // Everything here came from the chain.
            agreed.pushed = self.mirror.seen();
        }
        agreed.made.retain(|seq| *seq > agreed.pushed);
        Ok((agreed, new))
    }

    /// The next changes to send: at most `most` log entries, and their memories.
    pub async fn push(&self, agreed: SyncCursor, most: usize) -> Result<OutgoingChanges> {
        let _turn = self.mirror.turn.lock().await;
        let mut feed = self.feed_after(agreed.pushed, agreed.about, most.max(1)).await?;
        if feed.more {
            self.add_later_entries(&mut feed).await?;
        }
        let gone: Vec<Memory> = feed.memories.iter().filter(|m| m.is_forgotten()).cloned().collect();
        let mut told = ClientChanges { entries: self.redacted_entries(&gone, agreed.pushed).await?, nodes: Vec::new() };
        told.entries.append(&mut feed.entries);
        for memory in feed.memories {
            let edges = self.store.edges(memory.id).await?;
            told.nodes.push(Node { at: 0, memory, edges });
        }
        Ok(OutgoingChanges { told, upto: feed.upto, more: feed.more })
    }

    /// Stored texts of an exchange, by name.
    pub async fn aside(&self, names: &[String]) -> Result<Vec<Option<String>>> {
        let held = self.store.each_record(Shelf::Held, names).await?;
        Ok(held.into_iter().map(|text| Some(String::from_utf8_lossy(&text?).into_owned())).collect())
    }

    /// Stores texts of an exchange, all or none. `expected` is one text's previous value.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`] if it has another; errors of the store.
    pub async fn put_aside(&self, texts: Vec<(String, String)>, expected: (String, Option<String>)) -> Result<()> {
        let (name, text) = expected;
        let text = text.map(String::into_bytes);
        let record = |(key, value): (String, String)| {
            let expect = (key == name).then(|| text.clone());
            Record { shelf: Shelf::Held, key, value: Some(value.into_bytes()), expect }
        };
        self.store.keep(texts.into_iter().map(record).collect()).await
    }

    /// Pairs (local id, shared id) of memories from one input, by idempotency key, where only this
    /// client knows the local one.
    async fn find_twins(&self, nodes: &[Node], entries: &[LogEntry], pushed: Seq) -> Result<Vec<(Id, Id)>> {
        let came: HashSet<Id> = nodes.iter().filter(|n| !n.memory.is_forgotten()).map(|n| n.memory.id).collect();
        let mut twins: Vec<(Id, Id)> = Vec::new();
        for entry in entries {
            let (Some(key), Some(there)) = (&entry.key, entry.memory_id.filter(|id| came.contains(id))) else {
                continue;
            };
            let own = self.store.entry_by_key(key).await?;
            let own = own.filter(|e| e.id != entry.id && e.seq > pushed);
            if let Some(here) = own.and_then(|e| e.memory_id).filter(|id| *id != there && !came.contains(id)) {
                twins.push((here, there));
            }
        }
        // One to one: another client may have split an input into two memories.
        let (mut gone, mut stays) = (HashSet::new(), HashSet::new());
        twins.retain(|(here, there)| gone.insert(*here) && stays.insert(*there));
        Ok(twins)
    }

    /// Replaces local duplicates by the shared memories in one commit. The owner's deletions and
    /// erasures of a duplicate are repeated on the shared memory.
    async fn replace_twins_with_shared(
        &self,
        twins: &[(Id, Id)],
        came: &[Node],
        others: &[LogEntry],
        (entries, acts): (&mut [LogEntry], &mut OwnerActions),
    ) -> Result<()> {
        let ids: Vec<Id> = twins.iter().flat_map(|(here, there)| [*here, *there]).collect();
        let known = self.store.memories(&ids).await?;
        let of = |id: Id| known.iter().flatten().find(|m| m.id == id);
        let mut pairs = Vec::new();
        for (here, there) in twins {
            let (Some(h), Some(t)) = (of(*here), of(*there).filter(|t| !t.is_forgotten())) else { continue };
            if !h.is_forgotten() {
                if h.deleted_at.is_some() && t.deleted_at.is_none() {
                    acts.delete.push(*there);
                }
                pairs.push((*here, *there));
            } else if others.iter().any(|e| e.action == Action::Forget && e.written().any(|id| id == *here)) {
                acts.forget.push(*there);
            }
        }
        if pairs.is_empty() {
            return Ok(());
        }
        // References to a replaced memory are newer than it.
        let mut tied: Vec<Id> = others.iter().flat_map(LogEntry::ids).collect();
        tied.extend(ids);
        let here = self.load_connected(tied).await?;
        let either = |m: &&Memory| pairs.iter().any(|(gone, stays)| *gone == m.id || *stays == m.id);
        let links = self.links_of(&here.iter().filter(either).cloned().collect::<Vec<_>>()).await?;
        let (own, there) = split_by_origin(others, came);
        let twins = TwinReplacement { pairs: &pairs, here: &here, links: &links, own: &own, there: &there };
        let TwinChanges { mut memories, edges } = replace_twins(&twins, self.join_rules());
        // Entries about memories connected with a moved one no longer describe local effects.
        let placed = |m: &&Memory| here.iter().all(|h| h.id != m.id || stays(h, m));
        let moved = memories.iter().filter(|m| !placed(m)).map(|m| m.id).collect();
        acts.uncovered.extend(clear_effects(entries, &connected_ids(&[], &here, moved)));
        let gone: Vec<Memory> = here.iter().filter(|m| pairs.iter().any(|(gone, _)| *gone == m.id)).cloned().collect();
        memories.extend(gone.iter().map(|m| alone(m.forgotten(self.platform.now()))));
        self.commit_feed(FeedWrites { memories, stored: here, gone, edges, removed: Vec::new() }, &[]).await.map(drop)
    }

    /// Logs moves that no local entry covers, so that earlier entries cannot be undone.
    async fn log_moves(&self, ids: &[Id]) -> Result<()> {
        let mut moved = self.store.found(ids).await?;
        moved.retain(|m| !m.is_forgotten());
        if moved.is_empty() {
            return Ok(());
        }
        let entry = LogEntry {
            action: Action::Sync,
            touched: moved.iter().map(|m| m.id).collect(),
            before: moved.iter().map(Standing::of).collect(),
            ..self.new_entry("")
        };
        self.commit(ChangeSet::new(entry)).await.map(drop)
    }

    /// Adds later entries about memories of the feed, transitively. A peer must not see a memory's
    /// new state without the entries that explain it.
    async fn add_later_entries(&self, feed: &mut Feed) -> Result<()> {
        let mut rest = self.store.log(LogRange::since(feed.upto)).await?;
        rest.retain(|e| e.action != Action::Sync || !e.before.is_empty());
        loop {
            let told: HashSet<Id> = feed.memories.iter().map(|m| m.id).collect();
            let (more, others): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|e| e.ids().iter().any(|id| told.contains(id)));
            if more.is_empty() {
                feed.entries.sort_by_key(|entry| entry.seq);
                return Ok(());
            }
            let mut ids: Vec<Id> = more.iter().flat_map(LogEntry::ids).collect();
            ids.extend(told);
            feed.memories = self.load_connected(ids).await?;
            feed.entries.extend(more);
            rest = others;
        }
    }

    async fn differing_memories(&self, nodes: &[Node], edges: &[Edge]) -> Result<Vec<Id>> {
        let mut unlike = Vec::new();
        for some in nodes.chunks(super::PAGE) {
            let ids: Vec<Id> = some.iter().map(|n| n.memory.id).collect();
            for (node, here) in some.iter().zip(self.store.memories(&ids).await?) {
                let there = &node.memory;
                let alike =
                    here.is_some_and(|m| same(&m, there) && (!m.is_forgotten() || has_same_position(&m, there)));
                if !alike || self.has_other_edges(there.id, edges).await? {
                    unlike.push(there.id);
                }
            }
        }
        Ok(unlike)
    }

    async fn has_other_edges(&self, id: Id, edges: &[Edge]) -> Result<bool> {
        let here = self.store.edges(id).await?;
        let there: Vec<&Edge> = edges.iter().filter(|e| e.from == id || e.to == id).collect();
        Ok(here.len() != there.len() || here.iter().any(|e| !there.contains(&e)))
    }

    /// Entries up to `pushed` that were redacted with these memories, but sent unredacted.
    async fn redacted_entries(&self, gone: &[Memory], pushed: Seq) -> Result<Vec<LogEntry>> {
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let mut log = self.store.log(LogRange::default()).await?;
        log.retain(|e| e.seq <= pushed && e.redacted.is_some());
        // A forgotten memory has no source, so every failed or suspicious entry may repeat it.
        let may =
            |e: &&LogEntry| may_repeat(e, gone) || e.status == Status::Error || e.reasons.contains(&Reason::Suspected);
        let said: HashSet<Id> = log.iter().filter(may).flat_map(|e| [Some(e.id), e.about]).flatten().collect();
        log.retain(|e| said.contains(&e.id) || e.about.is_some_and(|about| said.contains(&about)));
        Ok(log)
    }

    /// How versions from two sides are ordered.
    pub(super) fn join_rules(&self) -> JoinRules {
        JoinRules {
            respect_source_priority: self.options.policy.respect_source_priority,
            keep_importance: self.options.merge.importance == ImportanceMerge::Max,
            now: self.platform.now(),
        }
    }
}

/// Splits the memories that `others` changed: ids that only this client knows, and the peers' standings of the rest.
fn split_by_origin(others: &[LogEntry], came: &[Node]) -> (Vec<Id>, Vec<Standing>) {
    let mut there: Vec<Standing> = came.iter().map(|n| Standing::of(&n.memory)).collect();
    let mut own: Vec<Id> = Vec::new();
    for entry in others {
        for stood in &entry.before {
            if !own.contains(&stood.id) && there.iter().all(|s| s.id != stood.id) {
                there.push(*stood);
            }
        }
        // An entry's memories existed before it, unless it created or imported them.
        let brought = if entry.action == Action::Import { &entry.touched[..] } else { &[] };
        let made = entry.memory_id.iter().chain(brought);
        own.extend(made.filter(|id| there.iter().all(|s| s.id != **id)));
    }
    (own, there)
}
