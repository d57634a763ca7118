//! Clients that share a key tell each other what has changed, over a hub that keeps it sealed: each joins by itself what
//! the others told with what is here, and appends what came of it as the next step of one chain.
//!
//! It seals and sends nothing, and trusts what it is given: whoever holds the key has opened it and seen that the chain is
//! whole. What a hub tells in the clear comes in by `hearing`.

use super::syncing::{Acts, alone, checked, key_of, stands_as};
use super::{Engine, Platform};
use crate::consolidation::{
    Act, Action, ChangeSet, Expectation, Feed, ImportanceMerge, JoinRules, LogEntry, Node, Standing, Status, Told,
    Twins, disown, may_repeat, replace_twins, same,
};
use crate::decision::Reason;
use crate::embed::Embedder;
use crate::model::{Edge, Id, Ids, Memory};
use crate::store::{LogRange, Seq, Store};
use crate::{Code, Error, Result, order};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// A step of a chain: its number, and the hash of its sealed text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChainStep {
    /// Its number; 0 where there is none.
    pub at: u64,
    /// The hash; empty where there is none.
    pub hash: String,
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

/// What a client notes of a chain.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Chain {
    /// The last step that was taken over.
    pub seen: ChainStep,
    /// What is left to tell begins after this.
    pub pushed: Seq,
    /// What must be told besides: it stands here otherwise than there.
    pub about: Vec<Id>,
    /// Own commits that came of the chain.
    pub made: Vec<Seq>,
    /// Memories made up to here may be known to others before their entries are: a later version names them.
    pub ahead: Seq,
    /// The step that was sent; whether it was appended shows when the chain is read again.
    pub sent: Option<Sent>,
    /// The hub itself, and up to where it was heard.
    pub hub: Option<Id>,
    pub heard: Seq,
    /// What was forgotten up to here was passed on to it.
    pub erased: Seq,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Sent {
    step: ChainStep,
    upto: Seq,
    /// The end of the log at that time.
    ahead: Seq,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The last step of a hub's chain that was taken over, and the one that was sent after it, if one was.
    ///
    /// # Errors
    /// As [`Engine::changes`].
    pub async fn chain(&self, hub: &str) -> Result<(ChainStep, Option<ChainStep>)> {
        let chain: Chain = self.noted(&key(hub)?).await?;
        Ok((chain.seen, chain.sent.map(|s| s.step)))
    }

    /// Forgets what was noted of a hub's chain: all of it is read again, and all that is here is told again.
    ///
    /// # Errors
    /// As [`Engine::changes`].
    pub async fn unchain(&self, hub: &str) -> Result<()> {
        self.write_down(&key(hub)?, &Chain::default()).await
    }

    /// Takes in what others told with the steps after `from`, up to `step`: what was not changed here as it stands there,
    /// the rest joined by the rules of an import. Gives how many entries were new.
    ///
    /// # Errors
    /// [`Code::Conflict`] where another connection has gone on meanwhile; as [`Engine::apply`].
    pub async fn pull(&self, hub: &str, from: u64, step: ChainStep, told: Told) -> Result<u32> {
        let key = key(hub)?;
        let turn = self.turn.lock().await;
        self.catch_up().await?;
        let mut chain: Chain = self.noted(&key).await?;
        if chain.seen.at != from {
            return Err(Error::new(Code::Conflict, "another connection has read this chain meanwhile; try again"));
        }
        let (parts, edges) = (told.parts(), told.edges());
        for memories in &parts {
            checked(&Feed { memories: memories.clone(), ..Feed::new(self.identity().await?, 0) })?;
        }
        let mut others = self.store.log(LogRange { after: chain.pushed, ..LogRange::default() }).await?;
        others.retain(|e| !chain.made.contains(&e.seq));
        let mut entries = self.unlogged(told.entries).await?;
        let new = entries.len() as u32;
        let twins = self.twins(&told.nodes, &entries, &chain).await?;
        let mut acts = Acts::default();
        for memories in parts {
            let ids: HashSet<Id> = memories.iter().map(|m| m.id).collect();
            let at = |e: &&Edge| ids.contains(&e.from) || ids.contains(&e.to);
            let edges = edges.iter().filter(at).cloned().collect();
            let done = self.take_in(memories, edges, &mut entries, &others, Some(&[])).await?;
            acts.forget.extend(done.forget);
            acts.delete.extend(done.delete);
            acts.restore.extend(done.restore);
            acts.made.extend(done.made);
        }
        chain.made.append(&mut acts.made);
        let came: Vec<&Memory> = told.nodes.iter().map(|n| &n.memory).collect();
        let replaced = self.replace(&twins, &came, &others, (&mut entries, &mut acts)).await?;
        drop(turn);
        let acted = self.carry_out(acts).await?;

        let _turn = self.turn.lock().await;
        self.catch_up().await?;
        chain.made.extend(self.log_all(entries).await?);
        chain.about.extend(self.unlike(&told.nodes, &edges).await?);
        order::sort(&mut chain.about, Id::cmp);
        chain.about.dedup();
        let mut since = self.store.log(LogRange { after: chain.pushed, ..LogRange::default() }).await?;
        since.retain(|e| !chain.made.contains(&e.seq));
        if since.is_empty() && chain.about.is_empty() {
            // All that is here came from there.
            chain.pushed = self.seen.get();
        }
        chain.made.extend(replaced.into_iter().chain(acted));
        chain.made.retain(|seq| *seq > chain.pushed);
        chain.seen = step;
        self.write_down(&key, &chain).await?;
        Ok(new)
    }

    /// What is to be told next: a stretch of the log of no more than `most` entries, and what it touched.
    ///
    /// # Errors
    /// As [`Engine::changes`].
    pub async fn push(&self, hub: &str, most: usize) -> Result<ToTell> {
        let key = key(hub)?;
        let _turn = self.turn.lock().await;
        let chain: Chain = self.noted(&key).await?;
        let mut feed = self.told(chain.pushed, chain.about, most.max(1)).await?;
        if feed.more {
            self.complete(&mut feed).await?;
        }
        let gone: Vec<Memory> = feed.memories.iter().filter(|m| m.is_forgotten()).cloned().collect();
        let mut told = Told { entries: self.silenced(&gone, chain.pushed).await?, nodes: Vec::new() };
        told.entries.extend(feed.entries);
        for memory in feed.memories {
            let edges = self.store.edges(memory.id).await?;
            told.nodes.push(Node { at: 0, memory, edges });
        }
        Ok(ToTell { told, upto: feed.upto, more: feed.more })
    }

    /// Notes that a stretch up to `upto` is being sent as this step.
    ///
    /// # Errors
    /// As [`Engine::changes`].
    pub async fn pushing(&self, hub: &str, step: ChainStep, upto: Seq) -> Result<()> {
        let key = key(hub)?;
        let ahead = self.store.head().await?;
        let chain: Chain = self.noted(&key).await?;
        self.write_down(&key, &Chain { sent: Some(Sent { step, upto, ahead }), ..chain }).await
    }

    /// The step that was sent has been appended.
    ///
    /// # Errors
    /// [`Code::Conflict`] where another one was sent meanwhile; as [`Engine::changes`].
    pub async fn pushed(&self, hub: &str, step: &ChainStep) -> Result<()> {
        let key = key(hub)?;
        let mut chain: Chain = self.noted(&key).await?;
        let Some(sent) = chain.sent.take().filter(|s| s.step == *step) else {
            return Err(Error::new(Code::Conflict, "another connection has told this meanwhile; try again"));
        };
        (chain.seen, chain.pushed) = (sent.step, sent.upto);
        chain.ahead = if sent.ahead > sent.upto { sent.ahead } else { 0 };
        self.write_down(&key, &past(chain)).await
    }

    /// There is nothing to tell up to `upto` that others do not know.
    ///
    /// # Errors
    /// As [`Engine::changes`].
    pub async fn known(&self, hub: &str, upto: Seq) -> Result<()> {
        let key = key(hub)?;
        let chain: Chain = self.noted(&key).await?;
        self.write_down(&key, &past(Chain { pushed: upto, ..chain })).await
    }

    /// What was made here and elsewhere of one input, by its idempotency key, and is known only here: each with what others
    /// know.
    async fn twins(&self, nodes: &[Node], entries: &[LogEntry], chain: &Chain) -> Result<Vec<(Id, Id)>> {
        let came: HashSet<Id> = nodes.iter().filter(|n| !n.memory.is_forgotten()).map(|n| n.memory.id).collect();
        let mut twins: Vec<(Id, Id)> = Vec::new();
        for entry in entries {
            let (Some(key), Some(there)) = (&entry.key, entry.memory_id.filter(|id| came.contains(id))) else {
                continue;
            };
            let own = self.store.entry_by_key(key).await?;
            let own = own.filter(|e| e.id != entry.id && e.seq > chain.pushed.max(chain.ahead));
            if let Some(here) = own.and_then(|e| e.memory_id).filter(|id| *id != there && !came.contains(id)) {
                twins.push((here, there));
            }
        }
        // One stands for one: a client may have handled an input that another one knows in two parts.
        let (mut gone, mut stays) = (HashSet::new(), HashSet::new());
        twins.retain(|(here, there)| gone.insert(*here) && stays.insert(*there));
        Ok(twins)
    }

    /// Puts what others know in the place of what only is here, in one commit; gives its number. What the owner has
    /// deleted or forgotten of it is to be deleted or forgotten there.
    async fn replace(
        &self,
        twins: &[(Id, Id)],
        came: &[&Memory],
        others: &[LogEntry],
        (entries, acts): (&mut [LogEntry], &mut Acts),
    ) -> Result<Option<Seq>> {
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
            return Ok(None);
        }
        // Whoever names what goes was written after it.
        let touched = others.iter().flat_map(|e| e.touched.iter().copied());
        let here = self.reached(touched.chain(ids).collect()).await?;
        let gone: Vec<Memory> = here.iter().filter(|m| pairs.iter().any(|(id, _)| *id == m.id)).cloned().collect();
        let links = self.links_of(&gone).await?;
        let (own, there) = known_elsewhere(others, came);
        let twins = Twins { pairs: &pairs, here: &here, links: &links, own: &own, there: &there };
        let unified = replace_twins(&twins, self.join_rules());
        disown(entries, &unified.memories.iter().map(|m| m.id).collect::<Vec<_>>());
        let now = self.platform.now();
        let mut minted = Ids::new(now, self.platform.seed());
        let act = Act { user_id: &self.options.user_id, now, base: self.seen.get() };
        let log = self.store.log(LogRange::default()).await?;
        let wiped = self.wiping(&gone, &[], &log, act, &mut minted).await?;
        let stood = |id: Id| here.iter().find(|m| m.id == id);
        let tombs = gone.iter().map(|m| alone(m.forgotten(now)));
        let memories: Vec<Memory> = tombs.chain(unified.memories).collect();
        let mut touched: Vec<Id> = memories.iter().map(|m| m.id).chain(pairs.iter().map(|(_, there)| *there)).collect();
        touched.extend(unified.edges.iter().flat_map(|e| [e.from, e.to]));
        order::sort(&mut touched, Id::cmp);
        touched.dedup();
        let moved = memories.iter().filter(|m| !m.is_forgotten()).filter_map(|m| stood(m.id));
        let entry = LogEntry {
            action: Action::Sync,
            touched,
            before: moved.map(Standing::of).collect(),
            reasons: vec![Reason::Imported { memories: 0, edges: unified.edges.len() as u32 }],
            ..LogEntry::new(minted.mint(), now, &self.options.user_id, "")
        };
        let expect = memories.iter().map(|m| Expectation { id: m.id, revision: stood(m.id).map(|s| s.revision) });
        let set = ChangeSet {
            base: wiped.base,
            expect: expect.collect(),
            memories: memories.clone(),
            vectors: gone.iter().map(|m| (m.id, None)).collect(),
            edges: unified.edges,
            removed_edges: unified.removed,
            redacted: wiped.redacted,
            records: wiped.records,
            ..ChangeSet::new(entry)
        };
        let entry = self.commit(set).await?.map_err(|_| Error::new(Code::Internal, "a replacement has no key"))?;
        self.index_all(&memories).await?;
        Ok(Some(entry.seq))
    }

    /// Adds to a stretch the later entries that touched what it tells, and so on: nobody may see what became of a memory
    /// without the entries that tell of it.
    async fn complete(&self, feed: &mut Feed) -> Result<()> {
        let mut rest = self.store.log(LogRange { after: feed.upto, ..LogRange::default() }).await?;
        rest.retain(|e| e.action != Action::Sync || !e.before.is_empty());
        loop {
            let told: HashSet<Id> = feed.memories.iter().map(|m| m.id).collect();
            let ids = |e: &LogEntry| -> Vec<Id> {
                e.touched.iter().chain(&e.memory_id).chain(&e.target_id).copied().collect()
            };
            let (more, others): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|e| ids(e).iter().any(|id| told.contains(id)));
            if more.is_empty() {
                order::sort(&mut feed.entries, |a, b| a.seq.cmp(&b.seq));
                return Ok(());
            }
            feed.memories = self.reached(told.into_iter().chain(more.iter().flat_map(ids)).collect()).await?;
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
fn known_elsewhere(others: &[LogEntry], came: &[&Memory]) -> (HashSet<Id>, HashMap<Id, Standing>) {
    let (mut own, mut there) = (HashSet::new(), HashMap::new());
    for entry in others {
        for stood in entry.before.iter().filter(|s| !own.contains(&s.id)) {
            there.entry(stood.id).or_insert(*stood);
        }
        // What an entry touched was there before, unless it made it or brought it.
        let brought = if entry.action == Action::Import { &entry.touched[..] } else { &[] };
        own.extend(entry.memory_id.iter().chain(brought).filter(|id| !there.contains_key(id)));
    }
    for memory in came {
        own.remove(&memory.id);
        there.insert(memory.id, Standing::of(memory));
    }
    (own, there)
}

/// The name of what is noted of a hub's chain.
pub(super) fn key(hub: &str) -> Result<String> {
    Ok(["chain/", &key_of(hub)?].concat())
}

/// The notes once everything up to `pushed` is known to others.
fn past(mut chain: Chain) -> Chain {
    chain.about.clear();
    chain.made.retain(|seq| *seq > chain.pushed);
    chain
}
