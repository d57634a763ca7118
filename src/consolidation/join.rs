//! Merges the versions of an export into the stored chains, with one head per chain.
//!
//! It never changes the text of a stored memory and never restores a forgotten one.

use super::plan::demote;
use super::{LogEntry, Standing};
use crate::analysis::analyse;
use crate::language::fold;
use crate::model::{Claim, Conflict, Edge, Id, Memory, Source, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::iter::successors;

/// Finds memories that both stores made from the same input, by idempotency key. References to the exported memory are
/// redirected to the local one, and its log entries are dropped. Returns pairs (exported id, local id).
pub fn unify(
    memories: &mut Vec<Memory>,
    edges: &mut Vec<Edge>,
    entries: &mut Vec<LogEntry>,
    log: &[LogEntry],
) -> Vec<(Id, Id)> {
    let mut twins: HashMap<Id, Id> = HashMap::new();
    let keys: HashMap<&str, &LogEntry> = log.iter().filter_map(|e| Some((e.key.as_deref()?, e))).collect();
    entries.retain(|imported| {
        let twin = imported.key.as_deref().and_then(|key| keys.get(key)).filter(|e| e.id != imported.id);
        let here = twin.and_then(|e| e.memory_id.or(e.target_id));
        let is_foreign = |id: &Id| Some(*id) != here && log.iter().all(|e| !e.touched.contains(id));
        twins.extend(here.and_then(|here| Some((imported.memory_id.filter(is_foreign)?, here))));
        twin.is_none()
    });
    let here = |id: Id| twins.get(&id).copied().unwrap_or(id);
    let apart: Vec<Id> =
        memories.iter().filter(|m| is_superseded_elsewhere(m, &twins, memories)).map(|m| m.id).collect();
    memories.retain(|m| !twins.contains_key(&m.id));
    for m in memories {
        if apart.contains(&m.id) {
            m.contradicted_by = m.contradicted_by.filter(|id| Some(*id) != m.superseded_by);
            m.superseded_by = None;
        }
        redirect(m, here);
    }
    edges.iter_mut().for_each(|e| (e.from, e.to) = (here(e.from), here(e.to)));
    edges.retain(|e| e.from != e.to);
    for e in entries {
        (e.target_id, e.memory_id) = (e.target_id.map(here), e.memory_id.map(here));
        e.alternatives.iter_mut().for_each(|a| a.id = here(a.id));
        e.edges_before.iter_mut().for_each(|e| (e.from, e.to) = (here(e.from), here(e.to)));
        // The other store's effects on the exported twin did not happen to the local one.
        let is_twin = |id: &Id| twins.contains_key(id);
        e.touched.retain(|id| !is_twin(id));
        e.before.retain(|s| !is_twin(&s.id));
        // A standing that references a twin cannot be restored.
        let ends = |s: &Standing| [s.previous_version_id, s.superseded_by, s.contradicted_by].into_iter().flatten();
        if e.before.iter().flat_map(ends).any(|id| is_twin(&id)) {
            e.touched.clear();
            e.before.clear();
        }
    }
    twins.into_iter().collect()
}

/// Whether the export superseded `m` by a memory that the local store keeps in another chain.
fn is_superseded_elsewhere(m: &Memory, twins: &HashMap<Id, Id>, imported: &[Memory]) -> bool {
    let known = |id: Id| imported.iter().find(|k| k.id == id);
    let Some(by) = m.superseded_by.and_then(|id| known(*twins.get(&id)?)) else { return false };
    let mut line = successors(Some(by), |at| known(at.previous_version_id?)).take(imported.len());
    line.all(|at| at.previous_version_id != Some(m.id))
}

/// The memories that an import writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Joined {
    /// Memories whose chains are new to the store, unchanged.
    pub fresh: Vec<Memory>,
    /// All versions of the chains that gained a version, as they will be stored.
    pub grown: Vec<Memory>,
    /// Where the stored memories among `grown` stood before.
    pub before: Vec<Standing>,
}

/// How versions from two stores are ordered within a chain.
#[derive(Debug, Clone, Copy)]
pub struct JoinRules {
    /// Whether a higher-priority source outranks a later statement.
    pub respect_source_priority: bool,
    /// Whether a new head takes over the higher importance.
    pub keep_importance: bool,
    /// The time of the import.
    pub now: Time,
}

/// Merges memories into the stored chains: a new version follows its predecessor, then source and time.
pub fn join(stored: &[Memory], imported: Vec<Memory>, rules: JoinRules) -> Joined {
    let mut work = ChainJoin { imported: index_by_id(&imported), known: index_by_id(stored), grown: Vec::new(), rules };
    let mut joined = Joined::default();
    let mut new: Vec<Memory> = imported.into_iter().filter(|m| !work.known.contains_key(&m.id)).collect();
    // Predecessors come first.
    new.sort_by_key(|m| (m.version, m.id));
    for memory in new {
        match work.neighbour(&memory) {
            // Forgotten on either side: keep a tombstone outside the chain.
            Some(stored) if memory.is_forgotten() || work.known.get(&stored).is_some_and(Memory::is_forgotten) => {
                let revision = memory.revision;
                joined.fresh.push(Memory { revision, ..alone(memory).forgotten(rules.now) });
            }
            Some(stored) => work.insert(memory, stored),
            None => joined.fresh.push(memory),
        }
    }
    work.supersede_across_chains();
    joined.before = stored.iter().filter(|m| work.grown.contains(&m.id)).map(Standing::of).collect();
    let here = |id: Id| stored.iter().any(|m| m.id == id);
    for id in &work.grown {
        let Some(mut memory) = work.known.remove(id) else { continue };
        if here(*id) {
            memory.revision += 1;
            memory.updated_at = rules.now;
        }
        joined.grown.push(memory);
    }
    joined
}

fn index_by_id(memories: &[Memory]) -> BTreeMap<Id, Memory> {
    memories.iter().map(|m| (m.id, m.clone())).collect()
}

/// Redirects a memory's references. It must not reference itself afterwards.
fn redirect(m: &mut Memory, to: impl Fn(Id) -> Id) {
    let own = m.id;
    for id in [&mut m.previous_version_id, &mut m.superseded_by, &mut m.contradicted_by] {
        *id = id.map(&to).filter(|id| *id != own);
    }
}

/// Links the versions in this order. `beside`, of another chain, supersedes the last one.
fn relink(known: &mut BTreeMap<Id, Memory>, chain: &[Id], beside: Option<Id>) {
    for (n, id) in chain.iter().enumerate() {
        let Some(m) = known.get_mut(id) else { continue };
        m.version = n as u32 + 1;
        m.previous_version_id = n.checked_sub(1).map(|n| chain[n]);
        m.superseded_by = chain.get(n + 1).copied().or(beside);
    }
}

/// A tombstone outside of its chain.
pub fn alone(m: Memory) -> Memory {
    Memory { version: 1, previous_version_id: None, superseded_by: None, ..m }
}

struct ChainJoin {
    imported: BTreeMap<Id, Memory>,
    known: BTreeMap<Id, Memory>,
    /// The memories of the chains that gained a version.
    grown: Vec<Id>,
    rules: JoinRules,
}

impl ChainJoin {
    /// The nearest known version, before `memory` or else after it. Deleted versions come last.
    fn neighbour(&self, memory: &Memory) -> Option<Id> {
        let (mut deleted, steps) = (None, self.imported.len());
        for back in [true, false] {
            let mut at = memory;
            for _ in 0..steps {
                let next = if back { at.previous_version_id } else { at.superseded_by };
                let Some(next) = next else { break };
                match self.known.get(&next) {
                    Some(known) if known.deleted_at.is_none() || known.is_forgotten() => return Some(next),
                    Some(_) => deleted = deleted.or(Some(next)),
                    None => {}
                }
                match self.imported.get(&next) {
                    // A superseding version with another predecessor belongs to another chain.
                    Some(m) if back || m.previous_version_id == Some(at.id) => at = m,
                    _ => break,
                }
            }
        }
        deleted
    }

    fn chain(&self, of: Id) -> Vec<Id> {
        let most = self.known.len() + 1;
        let is_known = |id: &Id| self.known.contains_key(id);
        let newer = |id: &Id| self.known.get(id)?.superseded_by.filter(is_known);
        let older = |id: &Id| self.known.get(id)?.previous_version_id.filter(is_known);
        let head = successors(Some(of), newer).take(most).last();
        let mut chain: Vec<Id> = successors(head, older).take(most).collect();
        chain.reverse();
        chain
    }

    /// The sort key that decides which of two versions is newer.
    fn rank(&self, m: &Memory) -> (Reverse<Option<Source>>, Time, Id) {
        let source = self.rules.respect_source_priority.then_some(m.source_type);
        // Statements dated more than a day ahead rank as the oldest.
        let ahead = m.own_time().millis() - self.rules.now.millis() > 24 * 60 * 60 * 1000;
        let time = if ahead { Time::default() } else { m.own_time() };
        (Reverse(source), time, m.id)
    }

    fn insert(&mut self, mut new: Memory, beside: Id) {
        let mut chain = self.chain(beside);
        let old_head = chain[chain.len() - 1];
        let older = |id: &Id| self.imported.get(id)?.previous_version_id;
        let line: Vec<Id> = successors(new.previous_version_id, older).take(self.imported.len()).collect();
        let mut place = chain.iter().rposition(|id| line.contains(id)).map_or(0, |at| at + 1);
        let rank = self.rank(&new);
        while chain.get(place).is_some_and(|id| self.known.get(id).is_some_and(|m| self.rank(m) <= rank)) {
            place += 1;
        }
        let deleted = self.known.get(&old_head).and_then(|m| m.deleted_at);
        new.deleted_at = deleted;
        let elsewhere = new.superseded_by.filter(|id| {
            let after = self.imported.get(id);
            place == chain.len() && after.is_some_and(|m| m.previous_version_id != Some(new.id) && !chain.contains(id))
        });
        if place < chain.len() {
            new.leave_core();
        } else if let Some(old) = self.known.get_mut(&old_head) {
            self.rules.demote_old_head(old, self.imported.get(&old_head), &mut new);
        }
        chain.insert(place, new.id);
        self.known.insert(new.id, new);
        relink(&mut self.known, &chain, elsewhere);
        self.note_grown(chain);
    }

    fn note_grown(&mut self, chain: Vec<Id>) {
        let new = chain.into_iter().filter(|id| !self.grown.contains(id)).collect::<Vec<_>>();
        self.grown.extend(new);
    }

    /// Supersedes stored heads that the export superseded by a new version of another chain.
    fn supersede_across_chains(&mut self) {
        let replaced: Vec<(Id, Id)> = self
            .imported
            .values()
            .filter_map(|m| Some((m.id, m.superseded_by?)))
            .filter(|(id, by)| {
                let beside =
                    |n: &Memory| n.previous_version_id.is_some_and(|p| p != *id) && self.imported.contains_key(by);
                self.known.get(id).is_some_and(Memory::is_current)
                    && self.grown.contains(by)
                    && self.imported.get(by).is_some_and(beside)
                    && self.chain(*id) != self.chain(*by)
            })
            .collect();
        for (id, by) in replaced {
            self.note_grown(self.chain(id));
            if let Some(old) = self.known.get_mut(&id) {
                old.superseded_by = Some(by);
                old.contradicted_by = self.imported.get(&id).and_then(|m| m.contradicted_by);
                old.leave_core();
            }
        }
    }
}

impl JoinRules {
    /// Demotes the old head. `elsewhere` is the old head in the export, whose verdict on a contradiction stands.
    fn demote_old_head(self, old: &mut Memory, elsewhere: Option<&Memory>, new: &mut Memory) {
        let decided = elsewhere.filter(|m| m.superseded_by.is_some());
        let denied = match decided {
            Some(m) => m.contradicted_by.is_some(),
            None => {
                fold(&old.content) != fold(&new.content)
                    && matches!(
                        analyse(&Claim::from(&*old), &Claim::from(&*new)).conflict,
                        Conflict::Update | Conflict::Contradiction
                    )
            }
        };
        demote(old, new, denied);
        if self.keep_importance {
            new.importance = new.importance.max(old.importance);
        }
    }
}
