//! Clients that share a key tell each other what has changed, over a hub that keeps it sealed: each joins by itself what
//! the others told with what is here, and appends what came of it as the next step of one chain.
//!
//! It seals and sends nothing, and trusts what it is given: whoever holds the key has opened it and seen that the chain is
//! whole. What a hub tells in the clear comes in by `hearing`.

use super::syncing::{Acts, Effect, drafted};
use super::{Engine, Platform};
use crate::Result;
use crate::consolidation::{
    Action, ChangeSet, Feed, ImportanceMerge, JoinRules, LogEntry, Node, Record, Shelf, Standing, Status, Told, Twins,
    Unified, alone, disown, may_repeat, replace_twins, same, stands_as, stays, tangled,
};
use crate::decision::Reason;
use crate::embed::Embedder;
use crate::model::{Edge, Id, Memory};
use crate::store::{LogRange, Seq, Store};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How far a client and a chain know of each other.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Agreed {
    /// What is left to tell begins after this number of the log.
    pub pushed: Seq,
    /// Own commits after it that only took over what came of the chain.
    pub made: Vec<Seq>,
    /// What must be told besides: it stands here otherwise than there.
    pub about: Vec<Id>,
}

/// A stretch that is to be told.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToTell {
    /// What it tells.
    pub told: Told,
    /// The number of its last log entry.
    pub upto: Seq,
    /// Whether the log goes on.
    pub more: bool,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Takes in what others told: what was not changed here as it stands there, the rest joined by the rules of an import.
    /// Gives what is agreed after it, and how many entries were new.
    ///
    /// # Errors
    /// As [`Engine::apply`].
    pub async fn pull(&self, mut agreed: Agreed, told: Told) -> Result<(Agreed, u32)> {
        let turn = self.turn().await?;
        let (parts, edges) = (told.parts(), told.edges());
        told.nodes.iter().try_for_each(|n| drafted(&n.memory))?;
        let mut others = self.store.log(LogRange::since(agreed.pushed)).await?;
        others.retain(|e| !agreed.made.contains(&e.seq));
        let mut entries = self.unlogged(told.entries).await?;
        let new = entries.len() as u32;
        let twins = self.twins(&told.nodes, &entries, agreed.pushed).await?;
        let mut acts = Acts::default();
        for memories in parts {
            let at = |e: &&Edge| memories.iter().any(|m| m.id == e.from || m.id == e.to);
            let edges = edges.iter().filter(at).cloned().collect();
            // What is still to be told stands here otherwise than there, whoever made it so.
            let done = self.take_in(memories, edges, &mut entries, &others, Some(&agreed.about)).await?;
            acts.forget.extend(done.forget);
            acts.delete.extend(done.delete);
            acts.restore.extend(done.restore);
            acts.untold.extend(done.untold);
            agreed.made.extend(done.made);
        }
        self.replace(&twins, &told.nodes, &others, (&mut entries, &mut acts)).await?;
        drop(turn);
        // What is done here because of what came is this client's own: nobody who told has seen it.
        let untold = std::mem::take(&mut acts.untold);
        self.carry_out(acts).await?;

        let _turn = self.turn().await?;
        agreed.made.extend(self.log_all(entries).await?);
        self.note_moved(&untold).await?;
        agreed.about.extend(self.unlike(&told.nodes, &edges).await?);
        agreed.about.sort_unstable();
        agreed.about.dedup();
        let since = self.store.log(LogRange::since(agreed.pushed)).await?;
        if agreed.about.is_empty() && since.iter().all(|e| agreed.made.contains(&e.seq)) {
            // All that is here came from there.
            agreed.pushed = self.mirror.seen();
        }
        agreed.made.retain(|seq| *seq > agreed.pushed);
        Ok((agreed, new))
    }

    /// What is to be told next: a stretch of the log of no more than `most` entries, and what it touched.
    pub async fn push(&self, agreed: Agreed, most: usize) -> Result<ToTell> {
        let _turn = self.mirror.turn.lock().await;
        let mut feed = self.told(agreed.pushed, agreed.about, most.max(1)).await?;
        if feed.more {
            self.complete(&mut feed).await?;
        }
        let gone: Vec<Memory> = feed.memories.iter().filter(|m| m.is_forgotten()).cloned().collect();
        let mut told = Told { entries: self.silenced(&gone, agreed.pushed).await?, nodes: Vec::new() };
        told.entries.append(&mut feed.entries);
        for memory in feed.memories {
            let edges = self.store.edges(memory.id).await?;
            told.nodes.push(Node { at: 0, memory, edges });
        }
        Ok(ToTell { told, upto: feed.upto, more: feed.more })
    }

    /// Texts that were put aside for an exchange, by their names.
    pub async fn aside(&self, names: &[String]) -> Result<Vec<Option<String>>> {
        let held = self.store.each_record(Shelf::Held, names).await?;
        Ok(held.into_iter().map(|text| Some(String::from_utf8_lossy(&text?).into_owned())).collect())
    }

    /// Puts texts aside for an exchange, all or none: the one of the expected name must have that text before.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`] where it has another; those of the store.
    pub async fn put_aside(&self, texts: Vec<(String, String)>, expected: (String, Option<String>)) -> Result<()> {
        let (name, text) = expected;
        let text = text.map(String::into_bytes);
        let record = |(key, value): (String, String)| {
            let expect = (key == name).then(|| text.clone());
            Record { shelf: Shelf::Held, key, value: Some(value.into_bytes()), expect }
        };
        self.store.keep(texts.into_iter().map(record).collect()).await
    }

    /// What was made here and elsewhere of one input, by its idempotency key, and is known only here: each with what others
    /// know.
    async fn twins(&self, nodes: &[Node], entries: &[LogEntry], pushed: Seq) -> Result<Vec<(Id, Id)>> {
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
        // One stands for one: a client may have handled an input that another one knows in two parts.
        let (mut gone, mut stays) = (HashSet::new(), HashSet::new());
        twins.retain(|(here, there)| gone.insert(*here) && stays.insert(*there));
        Ok(twins)
    }

    /// Puts what others know in the place of what only is here, in one commit. What the owner has deleted or forgotten of
    /// it is to be deleted or forgotten there.
    async fn replace(
        &self,
        twins: &[(Id, Id)],
        came: &[Node],
        others: &[LogEntry],
        (entries, acts): (&mut [LogEntry], &mut Acts),
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
        // Whoever names what goes was written after it.
        let mut tied: Vec<Id> = others.iter().flat_map(LogEntry::ids).collect();
        tied.extend(ids);
        let here = self.reached(tied).await?;
        let either = |m: &&Memory| pairs.iter().any(|(gone, stays)| *gone == m.id || *stays == m.id);
        let links = self.links_of(&here.iter().filter(either).cloned().collect::<Vec<_>>()).await?;
        let (own, there) = known_elsewhere(others, came);
        let twins = Twins { pairs: &pairs, here: &here, links: &links, own: &own, there: &there };
        let Unified { mut memories, edges } = replace_twins(&twins, self.join_rules());
        // What hangs together with what has moved was not done to it here.
        let placed = |m: &&Memory| here.iter().all(|h| h.id != m.id || stays(h, m));
        let moved = memories.iter().filter(|m| !placed(m)).map(|m| m.id).collect();
        acts.untold.extend(disown(entries, &tangled(&[], &here, moved)));
        let gone: Vec<Memory> = here.iter().filter(|m| pairs.iter().any(|(gone, _)| *gone == m.id)).cloned().collect();
        memories.extend(gone.iter().map(|m| alone(m.forgotten(self.platform.now()))));
        self.write(Effect { memories, stored: here, gone, edges, removed: Vec::new() }, &[]).await.map(drop)
    }

    /// Logs that memories have moved by what no entry tells here, so that nobody takes back what was done before that.
    async fn note_moved(&self, ids: &[Id]) -> Result<()> {
        let mut moved = self.store.found(ids).await?;
        moved.retain(|m| !m.is_forgotten());
        if moved.is_empty() {
            return Ok(());
        }
        let entry = LogEntry {
            action: Action::Sync,
            touched: moved.iter().map(|m| m.id).collect(),
            before: moved.iter().map(Standing::of).collect(),
            ..self.env().entry("")
        };
        self.commit(ChangeSet::new(entry)).await.map(drop)
    }

    /// Adds to a stretch the later entries that touched what it tells, and so on: nobody may see what became of a memory
    /// without the entries that tell of it.
    async fn complete(&self, feed: &mut Feed) -> Result<()> {
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
            feed.memories = self.reached(ids).await?;
            feed.entries.extend(more);
            rest = others;
        }
    }

    /// Those of the memories that stand here otherwise than there, or have other edges.
    async fn unlike(&self, nodes: &[Node], edges: &[Edge]) -> Result<Vec<Id>> {
        let mut unlike = Vec::new();
        for some in nodes.chunks(super::PAGE) {
            let ids: Vec<Id> = some.iter().map(|n| n.memory.id).collect();
            for (node, here) in some.iter().zip(self.store.memories(&ids).await?) {
                let there = &node.memory;
                let alike = here.is_some_and(|m| same(&m, there) && (!m.is_forgotten() || stands_as(&m, there)));
                if !alike || self.linked_otherwise(there.id, edges).await? {
                    unlike.push(there.id);
                }
            }
        }
        Ok(unlike)
    }

    async fn linked_otherwise(&self, id: Id, edges: &[Edge]) -> Result<bool> {
        let here = self.store.edges(id).await?;
        let there: Vec<&Edge> = edges.iter().filter(|e| e.from == id || e.to == id).collect();
        Ok(here.len() != there.len() || here.iter().any(|e| !there.contains(&e)))
    }

    /// Entries up to `pushed` that lost their texts with these memories: they were told with them.
    async fn silenced(&self, gone: &[Memory], pushed: Seq) -> Result<Vec<LogEntry>> {
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let mut log = self.store.log(LogRange::default()).await?;
        log.retain(|e| e.seq <= pushed && e.redacted.is_some());
        // Of one source: that of a forgotten memory is not known any more.
        let may =
            |e: &&LogEntry| may_repeat(e, gone) || e.status == Status::Error || e.reasons.contains(&Reason::Suspected);
        let said: HashSet<Id> = log.iter().filter(may).flat_map(|e| [Some(e.id), e.about]).flatten().collect();
        log.retain(|e| said.contains(&e.id) || e.about.is_some_and(|about| said.contains(&about)));
        Ok(log)
    }

    /// How versions from two sides are put in order.
    pub(super) fn join_rules(&self) -> JoinRules {
        JoinRules {
            respect_source_priority: self.options.policy.respect_source_priority,
            keep_importance: self.options.merge.importance == ImportanceMerge::Max,
            now: self.platform.now(),
        }
    }
}

/// What was made here and is known to nobody else, and where the rest of what was changed here stands for others: as it
/// came from there, or as it stood before.
fn known_elsewhere(others: &[LogEntry], came: &[Node]) -> (Vec<Id>, Vec<Standing>) {
    let mut there: Vec<Standing> = came.iter().map(|n| Standing::of(&n.memory)).collect();
    let mut own: Vec<Id> = Vec::new();
    for entry in others {
        for stood in &entry.before {
            if !own.contains(&stood.id) && there.iter().all(|s| s.id != stood.id) {
                there.push(*stood);
            }
        }
        // What an entry touched was there before, unless it made it or brought it.
        let brought = if entry.action == Action::Import { &entry.touched[..] } else { &[] };
        let made = entry.memory_id.iter().chain(brought);
        own.extend(made.filter(|id| there.iter().all(|s| s.id != **id)));
    }
    (own, there)
}
