//! Synchronises two stores of one owner: a client sends its changes to a hub, which merges them by the rules of an
//! import, and applies the hub's answer. Applying a change twice has no effect.

use super::{Engine, PAGE, retried};
use crate::consolidation::{
    Action, ChangeSet, Expectation, FEED_FORMAT, Feed, ImportanceMerge, JoinRules, LogEntry, Record, Rule, Shelf,
    Trigger, alone, at_position_of, check, clear_effects, connected_ids, has_same_position, join, last_owner_action,
    may_repeat, moved, named, own_and_referenced_ids, same, unify,
};
use crate::decision::Reason;
use crate::model::{Edge, Id, Ids, Memory, NodeType};
use crate::store::{LogRange, Seq};
use crate::{Code, Error, Result, json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const FEED_ENTRIES: usize = 500;

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct HubState {
    id: Option<Id>,
    /// The hub has applied the client's log up to here.
    taken: Seq,
    /// Unsent entries begin after this number. Changes that came from the hub need not be sent.
    pushed: Seq,
    /// The client has applied the hub's log up to here.
    pulled: Seq,
}

#[derive(Default, Serialize, Deserialize)]
struct ClientState {
    taken: Seq,
    /// The hub's commits that this client caused, as (first, last) numbers.
    made: Vec<(Seq, Seq)>,
}

/// The owner's actions on the other side, to repeat on memories that changed here too.
#[derive(Default)]
struct OwnerActions {
    forget: Vec<Id>,
    delete: Vec<Id>,
    restore: Vec<Id>,
    /// The entry of what was written before them.
    entry: Option<Id>,
}

#[derive(Default)]
struct FeedWrites {
    memories: Vec<Memory>,
    stored: Vec<Memory>,
    gone: Vec<Memory>,
    edges: Vec<Edge>,
    removed: Vec<Edge>,
}

impl Engine {
    /// The next changes for this hub: a range of the log and the memories that it touched.
    pub async fn changes(&self, hub: &str) -> Result<Feed> {
        let key = key_of(hub)?;
        let _turn = self.mirror.turn.lock().await;
        let known: HubState = self.load_note(&key).await?;
        let mut feed = self.feed_after(known.pushed, Vec::new()).await?;
        (feed.to, feed.seen, feed.after) = (known.id, known.pulled, known.taken);
        Ok(feed)
    }

    /// Applies a client's feed by the rules of an import. The answer has the changes that the client has not seen and
    /// the merged state of its own. If the answer's `seen` is before the end of the feed, nothing was applied.
    pub async fn apply(&self, feed: Feed) -> Result<Feed> {
        check_feed(&feed)?;
        let turn = self.turn().await?;
        if self.store.record(Shelf::Held, "key").await?.is_some() {
            let message = "this hub has data that an earlier version sealed; see docs/upgrade.md on sealed sync";
            return Err(Error::new(Code::Unsupported, message));
        }
        let (own, seen, upto) = (self.identity().await?, feed.seen, feed.upto);
        let key = format!("from/{}", feed.from);
        let mut client: ClientState = self.load_note(&key).await?;
        if feed.to.is_some_and(|to| to != own) || client.taken < feed.after {
            // For another store, or with a gap before it: the client starts over.
            let taken = if feed.to == Some(own) { client.taken } else { 0 };
            return Ok(Feed { seen: taken, more: true, ..Feed::new(own, seen) });
        }
        client.made.retain(|(_, last)| *last > seen);
        let mut others = self.store.log(LogRange::since(seen)).await?;
        others.retain(|e| client.made.iter().all(|(first, last)| e.seq < *first || e.seq > *last));

        let begun = self.mirror.seen() + 1;
        let (mut memories, mut edges, mut entries) = (feed.memories, feed.edges, self.new_entries(feed.entries).await?);
        let (mut earlier, theirs) = (Vec::new(), entries.iter().map(|e| e.id).collect::<Vec<_>>());
        for key in entries.iter().filter_map(|e| e.key.as_deref()) {
            earlier.extend(self.store.entry_by_key(key).await?);
        }
        let twins = unify(&mut memories, &mut edges, &mut entries, &earlier);
        let mut about: Vec<Id> = memories.iter().map(|m| m.id).collect();
        let stand: Vec<Id> = twins.iter().map(|(_, here)| *here).collect();
        about.extend(&stand);
        let acts = self.apply_state(memories, edges, &mut entries, &others, Some(&stand)).await?;
        client.made.push((begun, self.mirror.seen()));
        drop(turn);
        client.made.extend(self.repeat_actions(acts).await?.into_iter().map(|seq| (seq, seq)));

        let _turn = self.turn().await?;
        let begun = self.mirror.seen() + 1;
        self.append_entries(entries).await?;
        client.made.push((begun, self.mirror.seen()));
        client.taken = client.taken.max(upto);
        self.save_note(&key, &client).await?;
        let mut answer = self.feed_after(seen, about).await?;
        answer.entries.retain(|e| !theirs.contains(&e.id));
        Ok(Feed { seen: upto, twins, ..answer })
    }

    /// Applies a hub's answer to the changes up to `upto`. Returns true if another round is needed.
    pub async fn settle(&self, hub: &str, upto: Seq, answer: Feed) -> Result<bool> {
        check_feed(&answer)?;
        // Applying an answer again has no effect, also if a part of it was written before another tab wrote.
        retried(async || self.settle_once(hub, upto, answer.clone()).await).await
    }

    async fn settle_once(&self, hub: &str, upto: Seq, answer: Feed) -> Result<bool> {
        let key = key_of(hub)?;
        let _turn = self.turn().await?;
        let known: HubState = self.load_note(&key).await?;
        let id = Some(answer.from);
        if (known.id.is_some() && known.id != id) || answer.seen < upto {
            let pulled = if known.id == id { known.pulled } else { 0 };
            self.save_note(&key, &HubState { id, taken: answer.seen, pushed: answer.seen, pulled }).await?;
            return Ok(true);
        }
        let (more, pulled) = (answer.more, answer.upto);
        let retired: Vec<Id> = answer.twins.iter().map(|(here, _)| *here).collect();
        let mut memories = answer.memories;
        memories.retain(|m| !retired.contains(&m.id));
        let since = self.store.log(LogRange::since(upto)).await?;
        // Both sides made a memory of one input: the local one becomes an unchained tombstone.
        let now = self.platform.now();
        memories.extend(self.store.found(&retired).await?.into_iter().map(|m| alone(m.forgotten(now))));
        let mut entries = self.new_entries(answer.entries).await?;
        let mut own: Vec<Id> = entries.iter().map(|e| e.id).collect();
        own.extend(self.apply_state(memories, answer.edges, &mut entries, &since, None).await?.entry);
        self.append_entries(entries).await?;
        let head = self.mirror.seen();
        // Skipped memories count as unseen, because the hub must merge them with the local changes.
        let pulled = if since.is_empty() { pulled } else { known.pulled };
        // Whatever another connection has written since the feed is still to be sent.
        let written = self.store.log(LogRange::since(upto)).await?;
        let pushed = if written.iter().all(|e| own.contains(&e.id)) { head } else { upto };
        self.save_note(&key, &HubState { id, taken: upto, pushed, pulled }).await?;
        Ok(more || pushed < head)
    }

    async fn identity(&self) -> Result<Id> {
        if let Some(id) = self.load_note::<Option<Id>>("self").await? {
            return Ok(id);
        }
        let id = Ids::new(self.platform.now(), self.platform.seed()).mint();
        self.save_note("self", &Some(id)).await?;
        Ok(id)
    }

    async fn load_note<T: DeserializeOwned + Default>(&self, key: &str) -> Result<T> {
        match self.store.record(Shelf::Sync, key).await? {
            Some(bytes) => json::read(&String::from_utf8_lossy(&bytes), "note"),
            None => Ok(T::default()),
        }
    }

    async fn save_note(&self, key: &str, value: &impl Serialize) -> Result<()> {
        self.store.keep(vec![Record::json(Shelf::Sync, key, value)?]).await
    }

    /// The next entries after a number, with their memories and those in `ids`.
    async fn feed_after(&self, after: Seq, mut ids: Vec<Id>) -> Result<Feed> {
        let mut feed = Feed::new(self.identity().await?, after);
        let mut entries =
            self.store.log(LogRange { after, limit: Some(FEED_ENTRIES + 1), ..LogRange::default() }).await?;
        feed.more = entries.len() > FEED_ENTRIES;
        entries.truncate(FEED_ENTRIES);
        feed.upto = entries.last().map_or(after, |e| e.seq);
        ids.extend(entries.iter().flat_map(LogEntry::ids));
        feed.memories = self.load_connected(ids).await?;
        feed.edges = self.links_of(&feed.memories).await?;
        // A sync entry is covered by the other store's own entries, unless it moved a memory.
        entries.retain(|e| e.action != Action::Sync || !e.before.is_empty());
        feed.entries = entries;
        Ok(feed)
    }

    async fn load_connected(&self, mut ids: Vec<Id>) -> Result<Vec<Memory>> {
        let mut found: Vec<Memory> = Vec::new();
        while !ids.is_empty() {
            ids.sort_unstable();
            ids.dedup();
            ids.retain(|id| found.iter().all(|m| m.id != *id));
            let mut next = Vec::new();
            for page in ids.chunks(PAGE) {
                for memory in self.store.found(page).await? {
                    next.extend(named(&memory));
                    found.push(memory);
                }
            }
            ids = next;
        }
        Ok(found)
    }

    pub(super) async fn links_of(&self, memories: &[Memory]) -> Result<Vec<Edge>> {
        self.store.edges_at(&memories.iter().map(|m| m.id).collect::<Vec<_>>()).await
    }

    async fn new_entries(&self, entries: Vec<LogEntry>) -> Result<Vec<LogEntry>> {
        let mut new = Vec::new();
        for entry in entries {
            if self.store.entry(entry.id).await?.is_none() {
                new.push(entry);
            }
        }
        Ok(new)
    }

    /// Writes the other side's state in one commit, so that no chain is incomplete meanwhile. Memories connected with a
    /// change in `others` are merged if `besides` is given (hub), and skipped otherwise (client). Memories connected
    /// with `besides` are merged too, because their versions differ on both sides.
    async fn apply_state(
        &self,
        came: Vec<Memory>,
        came_edges: Vec<Edge>,
        entries: &mut [LogEntry],
        others: &[LogEntry],
        besides: Option<&[Id]>,
    ) -> Result<OwnerActions> {
        let here = self.load_connected(came.iter().flat_map(own_and_referenced_ids).collect()).await?;
        let stored = |id: Id| here.iter().find(|m| m.id == id);
        let mut changed: Vec<Id> = others.iter().flat_map(|e| e.touched.iter().copied()).collect();
        let joins = besides.is_some();
        changed.extend(besides.into_iter().flatten());
        changed.retain(|id| stored(*id).is_some() || came.iter().any(|m| m.id == *id));
        let knot = connected_ids(&came, &here, changed);
        let tied = |id: Id| knot.contains(&id);
        let (mut effect, mut acts) = (FeedWrites::default(), OwnerActions::default());
        for m in came.iter().filter(|m| joins || !tied(m.id)) {
            match stored(m.id) {
                None if !tied(m.id) => effect.memories.push(m.clone()),
                None if m.is_forgotten() => effect.memories.push(alone(m.clone())),
                None => {}
                // Connected memories take the sender's positions, tombstones included.
                Some(s) if s.is_forgotten() && !tied(m.id) && !has_same_position(s, m) => {
                    effect.memories.push(at_position_of(m, s));
                }
                Some(s) if s.is_forgotten() || same(s, m) => {}
                Some(s) if m.is_forgotten() && !tied(m.id) => {
                    effect.gone.push(s.clone());
                    effect.memories.push(Memory { revision: s.revision + 1, ..m.clone() });
                }
                Some(_) if m.is_forgotten() => acts.forget.push(m.id),
                Some(s) if tied(m.id) => {
                    let acted = last_owner_action(entries.iter(), m.id);
                    if s.deleted_at.is_some() != m.deleted_at.is_some()
                        && acted > last_owner_action(others.iter(), m.id)
                    {
                        if m.deleted_at.is_some() { acts.delete.push(m.id) } else { acts.restore.push(m.id) }
                    }
                }
                Some(s) => effect.memories.push(Memory { revision: s.revision + 1, ..m.clone() }),
            }
        }
        if joins {
            let knotted: Vec<Memory> = here.iter().filter(|m| tied(m.id)).cloned().collect();
            let both = came.iter().filter(|m| tied(m.id) && (!m.is_forgotten() || stored(m.id).is_some()));
            let joined = join(&knotted, both.cloned().collect(), self.join_rules());
            effect.memories.extend(joined.fresh.into_iter().chain(joined.grown));
        }
        clear_effects(entries, &knot);
        // Local memories with text from erased ones are erased too.
        let gone: Vec<Id> = effect.gone.iter().map(|m| m.id).collect();
        let mut named_after = self.find_dependents(&self.links_of(&effect.gone).await?, &gone).await?;
        named_after.retain(|id| came.iter().all(|m| m.id != *id));
        acts.forget.extend(named_after);
        effect.stored = effect.memories.iter().filter_map(|m| stored(m.id)).cloned().collect();
        self.check_outcome(&here, &effect, entries).await?;
        self.decide_edges(&came, came_edges, others, &mut effect).await?;
        acts.entry = self.commit_feed(effect, entries).await?;
        Ok(acts)
    }

    /// Refuses a feed that would break a chain: the other store may be damaged, or lie.
    async fn check_outcome(&self, here: &[Memory], effect: &FeedWrites, entries: &[LogEntry]) -> Result<()> {
        let is_written = |id: Id| effect.memories.iter().any(|m| m.id == id);
        let after: Vec<Memory> = here.iter().filter(|m| !is_written(m.id)).chain(&effect.memories).cloned().collect();
        let nearby: Vec<Id> = effect.stored.iter().flat_map(named).collect();
        let broken = |log: &[LogEntry]| {
            check(&after, &[], log).flatten().find(|p| {
                let of_chain = matches!(p.rule, Rule::Chain | Rule::Reference | Rule::Forgotten);
                of_chain && p.id.is_some_and(|id| is_written(id) || nearby.contains(&id))
            })
        };
        if broken(entries).is_none() {
            return Ok(());
        }
        if self.store.head().await? != self.mirror.seen() {
            return Err(Error::new(Code::Conflict, "another connection wrote while the feed was compared"));
        }
        // An entry of an earlier exchange may have joined two chains.
        let mut log = self.store.log(LogRange::default()).await?;
        log.extend_from_slice(entries);
        broken(&log)
            .map_or(Ok(()), |p| Err(Error::new(Code::InvalidInput, format!("the feed is invalid: {}", p.message))))
    }

    /// Decides which edges to write and to remove. The sender's edges apply, unless `others` changed an end here.
    async fn decide_edges(
        &self,
        came: &[Memory],
        edges: Vec<Edge>,
        others: &[LogEntry],
        effect: &mut FeedWrites,
    ) -> Result<()> {
        let here = self.links_of(came).await?;
        let ends = self.store.found(&edges.iter().flat_map(|e| [e.from, e.to]).collect::<Vec<_>>()).await?;
        let lives = |id: Id| {
            let mut written = effect.memories.iter().filter(|m| m.id == id);
            written.next().or(ends.iter().find(|m| m.id == id)).is_some_and(|m| !m.is_forgotten())
        };
        let touched = |id: Id| others.iter().any(|e| e.touched.contains(&id) || e.memory_id == Some(id));
        let free = |e: &Edge| !touched(e.from) && !touched(e.to);
        let kept: Vec<Id> = edges.iter().map(|e| e.id).collect();
        let gone: Vec<Edge> = here.iter().filter(|e| !kept.contains(&e.id) && free(e)).cloned().collect();
        // Both ends may be local twins of received memories.
        let beyond = |e: &&Edge| came.iter().all(|m| m.id != e.from && m.id != e.to);
        let beyond: Vec<Id> = edges.iter().filter(beyond).map(|e| e.from).collect();
        let linked: Vec<Memory> = ends.iter().filter(|m| beyond.contains(&m.id)).cloned().collect();
        let linked = self.links_of(&linked).await?;
        let stored = || here.iter().chain(&linked);
        let put = edges.into_iter().filter(|e| match stored().find(|h| h.id == e.id) {
            Some(h) => h != e && free(e),
            None => !stored().any(|h| (h.from, h.to) == (e.from, e.to) && gone.iter().all(|g| g.id != h.id)),
        });
        effect.edges = put.filter(|e| lives(e.from) && lives(e.to)).collect();
        effect.removed = gone;
        Ok(())
    }

    async fn commit_feed(&self, effect: FeedWrites, entries: &[LogEntry]) -> Result<Option<Id>> {
        let FeedWrites { memories, stored, gone, edges, mut removed } = effect;
        if memories.is_empty() && edges.is_empty() && removed.is_empty() {
            return Ok(None);
        }
        removed.extend(self.links_of(&gone).await?);
        // An edge that moves to another end is written, not removed.
        removed.retain(|r| edges.iter().all(|e| e.id != r.id));
        removed.sort_by_key(|found| found.id);
        removed.dedup_by_key(|e| e.id);
        // The ends of edges count as touched, because peers learn of an edge through its memories.
        let mut touched: Vec<Id> = edges.iter().chain(&removed).flat_map(|e| [e.from, e.to]).collect();
        touched.extend(memories.iter().map(|m| m.id));
        touched.sort_unstable();
        touched.dedup();
        let now = self.platform.now();
        let was = |m: &Memory| stored.iter().find(|s| s.id == m.id).map(|s| s.revision);
        let new = memories.iter().filter(|m| was(m).is_none()).count() as u32;
        let entry = LogEntry {
            action: Action::Sync,
            trigger: Some(Trigger::Sync),
            touched,
            before: moved(&stored, &memories, entries),
            reasons: vec![Reason::Imported { memories: new, edges: edges.len() as u32 }],
            ..self.new_entry_at(now, "")
        };
        let expect = memories.iter().map(|m| Expectation { id: m.id, revision: was(m) }).collect();
        let mut set = ChangeSet {
            expect,
            memories,
            edges,
            removed_edges: removed.iter().map(|e| e.id).collect(),
            ..ChangeSet::new(entry)
        };
        if !gone.is_empty() {
            let act = self.act_at(now);
            let log = self.store.log(LogRange::default()).await?;
            let mut minted = Ids::new(now, self.platform.seed());
            let ChangeSet { base, redacted, records, .. } =
                self.plan_forget(&gone, &[], &log, act, &mut minted).await?;
            set = ChangeSet { base, redacted, records, ..set };
        }
        let entry = self.commit(set).await?.map_err(|_| Error::new(Code::Internal, "a feed has no key"))?;
        Ok(Some(entry.id))
    }

    async fn repeat_actions(&self, acts: OwnerActions) -> Result<Vec<Seq>> {
        let mut done = Vec::new();
        let one = std::slice::from_ref;
        // One by one, because an action may already have removed a later memory.
        for id in &acts.forget {
            done.push(self.forget(one(id)).await);
        }
        for id in &acts.delete {
            done.push(self.delete(one(id), &super::DeleteOptions::default()).await);
        }
        for id in &acts.restore {
            done.push(self.restore(*id).await);
        }
        // Actions with dependent entries here are skipped; the owner can repeat them.
        let settled =
            |e: &Error| !e.code.is_retryable() && !matches!(e.code, Code::Closed | Code::QuotaExceeded | Code::Corrupt);
        let made = done.into_iter().filter(|d| !d.as_ref().is_err_and(settled));
        made.map(|d| d.map(|entry| entry.seq)).collect()
    }

    /// Appends entries of the other side's log, redacted if their memories were forgotten since.
    async fn append_entries(&self, entries: Vec<LogEntry>) -> Result<()> {
        for entry in entries {
            let mut gone = self.store.found(&entry.ids()).await?;
            // An entry whose memory was skipped comes again, together with the merged memory.
            if entry.touched.iter().chain(&entry.memory_id).any(|id| gone.iter().all(|m| m.id != *id)) {
                continue;
            }
            gone.retain(Memory::is_forgotten);
            let entry =
                if may_repeat(&entry, &gone) && entry.redacted.is_none() { entry.redact().into_entry() } else { entry };
            // Both sides handled the input with this key, which stays with the local entry.
            let mut key = entry.key.clone();
            if let Some(used) = &key
                && self.store.entry_by_key(used).await?.is_some()
            {
                key = None;
            }
            let id = entry.id;
            match self.commit(ChangeSet { key, ..ChangeSet::new(entry.clone()) }).await {
                // Another connection has handled the same input meanwhile.
                Ok(Err(_)) => drop(self.commit(ChangeSet::new(entry)).await?),
                // Another connection has exchanged the same entries meanwhile.
                Err(e) if e.code == Code::Conflict && self.store.entry(id).await?.is_some() => {}
                done => drop(done?),
            }
        }
        Ok(())
    }

    pub(super) fn join_rules(&self) -> JoinRules {
        JoinRules {
            respect_source_priority: self.options.policy.respect_source_priority,
            keep_importance: self.options.merge.importance == ImportanceMerge::Max,
            now: self.platform.now(),
        }
    }
}

fn key_of(hub: &str) -> Result<String> {
    if hub.is_empty() || hub.len() > 500 || !hub.is_ascii() {
        return Err(Error::field("hub", "is not 1 to 500 ASCII characters"));
    }
    Ok(format!("to/{hub}"))
}

fn check_feed(feed: &Feed) -> Result<()> {
    if feed.format > FEED_FORMAT {
        let message = format!("the feed has format {}; this version reads {FEED_FORMAT}", feed.format);
        return Err(Error::new(Code::VersionTooNew, message));
    }
    let checked = |m: &&Memory| !m.is_forgotten() && m.node_type == NodeType::Memory;
    feed.memories.iter().filter(checked).try_for_each(Memory::validate)
}
