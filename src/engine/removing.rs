//! The owner's requests on memories: preview a deletion, delete, restore, forget. Mail and models cannot reach them.

use super::model_client::clear_answers;
use super::{Cancel, Engine, PAGE, outrun, retried};
use crate::analysis::Sought;
use crate::consolidation::{Act, Action, Cascade, ChangeSet, LogEntry, Topic, delete, derived, forget, topic};
use crate::language::Reference;
use crate::model::{Edge, EdgeKind, Id, Ids, Limits, Memory, Time};
use crate::search::Row;
use crate::store::LogRange;
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// Options of a deletion. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteOptions {
    /// What happens to the links of the deleted memories.
    pub cascade: Cascade,
    /// The words of the request, for the log.
    pub request: Option<String>,
}

/// A memory that a request would delete, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Doomed {
    /// Its current version.
    pub memory: Memory,
    /// The words of the request that it contains.
    pub matched: Vec<String>,
    /// The number of its versions.
    pub versions: u32,
    /// The number of its links.
    pub links: u32,
}

/// The memories that a deletion request matches. Nothing is deleted until their ids are confirmed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct DeletePreview {
    /// The words searched for.
    pub topic: Vec<String>,
    /// The matching memories, most matched words first.
    pub memories: Vec<Doomed>,
}

const MAX_LOOKED_AT: usize = 2_000;

impl Engine {
    /// Finds the memories that a request in words means. It deletes nothing.
    pub async fn preview_delete(&self, request: &str) -> Result<DeletePreview> {
        Limits::name("request", request)?;
        let topic = topic(request, Reference { now: self.platform.now(), zone: self.options.zone })?;
        self.catch_up().await?;
        let ids = self.deletion_candidates(&topic);
        let mut found: Vec<(Vec<String>, Memory)> = Vec::new();
        for memory in self.store.found(&ids).await?.into_iter().filter(Memory::is_current) {
            found.push((topic.matched(&memory), memory));
        }
        let strict = found.iter().any(|(matched, _)| topic.means(matched, true));
        found.retain(|(matched, _)| topic.means(matched, strict));
        found.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.1.id.cmp(&b.1.id)));
        let mut memories = Vec::new();
        for (matched, memory) in found {
            let (chain, edges) = self.chains_and_edges(&[memory.id]).await?;
            memories.push(Doomed { memory, matched, versions: chain.len() as u32, links: edges.len() as u32 });
        }
        Ok(DeletePreview { topic: topic.words().to_vec(), memories })
    }

    fn deletion_candidates(&self, topic: &Topic) -> Vec<Id> {
        let index = self.mirror.index.borrow();
        let sought = Sought::new(&topic.words().join(" "), &self.mirror.own);
        let sharing = index.seek(sought.keys(), MAX_LOOKED_AT, &|r| r.is_current());
        let mut ids: Vec<Id> = sharing.iter().map(|m| m.id).collect();
        if topic.names_a_time() {
            // A date may be written in other words, so the newest memories are examined too.
            ids.sort_unstable();
            let is_other = |r: &&Row| r.is_current() && ids.binary_search(&r.id).is_err();
            let mut others: Vec<Id> = index.rows().filter(is_other).map(|r| r.id).collect();
            others.sort_by(|a, b| b.cmp(a));
            others.truncate(MAX_LOOKED_AT.saturating_sub(ids.len()));
            ids.extend(others);
        }
        ids
    }

    /// Deletes these memories with all their versions. They are hidden, and can be restored.
    pub async fn delete(&self, ids: &[Id], options: &DeleteOptions) -> Result<LogEntry> {
        let request = options.request.as_deref().unwrap_or_default();
        Limits::name("request", request)?;
        self.act(async |act, ids_of| {
            let (mut memories, edges) = self.chains_and_edges(ids).await?;
            if let Some(m) = memories.iter().find(|m| ids.contains(&m.id) && m.deleted_at.is_some()) {
                return Err(Error::new(Code::NotFound, format!("memory {} is deleted", m.id)));
            }
            memories.retain(|m| m.deleted_at.is_none());
            Ok(delete(&memories, edges, options.cascade, request, act, ids_of))
        })
        .await
    }

    /// Restores a deleted memory with its versions and links.
    pub async fn restore(&self, id: Id) -> Result<LogEntry> {
        let hid = |e: &LogEntry| {
            matches!(e.action, Action::Delete | Action::Undo | Action::Review) && e.touched.contains(&id)
        };
        // Planned as a whole: another tab may restore the memory meanwhile, by an entry that touches it too.
        self.act(async |act, ids_of| {
            let memory = self.stored(id).await?.ok_or_else(|| missing(id))?;
            if memory.is_forgotten() {
                return Err(Error::new(Code::Forgotten, "a forgotten memory cannot be restored"));
            }
            if memory.deleted_at.is_none() {
                return Err(Error::new(Code::InvalidInput, format!("memory {id} is not deleted")));
            }
            let entry = self.entries_in_force(hid).await?.pop().ok_or_else(|| missing(id))?;
            self.plan_undo(&entry, &self.store.log(LogRange::since(entry.seq)).await?, act, ids_of).await
        })
        .await
    }

    /// Erases these memories: every version, vector and edge, and every text in the log that could repeat them.
    pub async fn forget(&self, ids: &[Id]) -> Result<LogEntry> {
        self.act(async |act, ids_of| {
            let (mut memories, mut edges) = self.chains_and_edges(ids).await?;
            if let Some(m) = memories.iter().find(|m| ids.contains(&m.id) && m.is_forgotten()) {
                return Err(Error::new(Code::Forgotten, format!("memory {} is forgotten", m.id)));
            }
            let log = self.store.log(LogRange::default()).await?;
            let asked: Vec<Id> = memories.iter().map(|m| m.id).collect();
            loop {
                let gone: Vec<Id> = memories.iter().map(|m| m.id).collect();
                let mut more = derived(&asked, &gone, &log);
                more.extend(self.find_dependents(&edges, &gone).await?);
                if more.is_empty() {
                    break;
                }
                let (others, at_others) = self.chains_and_edges(&more).await?;
                memories.extend(others.into_iter().filter(|m| !gone.contains(&m.id)));
                edges.extend(at_others);
            }
            memories.retain(|m| !m.is_forgotten());
            self.plan_forget(&memories, &edges, &log, act, ids_of).await
        })
        .await
    }

    pub(super) async fn plan_forget(
        &self,
        memories: &[Memory],
        edges: &[Edge],
        log: &[LogEntry],
        act: Act<'_>,
        minted: &mut Ids,
    ) -> Result<ChangeSet> {
        let mut set = forget(memories, edges, log, act, minted);
        set.records = self.sent_removals().await?;
        let gone: Vec<Id> = memories.iter().map(|m| m.id).collect();
        set.records.extend(self.without(&gone).await?);
        // Cached replies repeat the memories they were asked about.
        set.records.extend(clear_answers(&*self.store).await?);
        Ok(set)
    }

    /// Finds what must be erased with these memories: their summaries, and tags and questions of no other memory.
    pub(super) async fn find_dependents(&self, edges: &[Edge], gone: &[Id]) -> Result<Vec<Id>> {
        let mut more = Vec::new();
        for edge in edges.iter().filter(|e| e.kind == EdgeKind::Found && gone.contains(&e.to)) {
            let all = self.store.edges(edge.from).await?;
            let only = all.iter().filter(|e| e.kind == EdgeKind::Found).all(|e| gone.contains(&e.to));
            if only && !gone.contains(&edge.from) && !more.contains(&edge.from) {
                more.push(edge.from);
            }
        }
        for edge in edges.iter().filter(|e| gone.contains(&e.from) && !gone.contains(&e.to)) {
            let only = match edge.kind {
                EdgeKind::ConsolidatedInto => true,
                EdgeKind::TaggedWith => self.store.edges(edge.to).await?.iter().all(|e| gone.contains(&e.from)),
                EdgeKind::RelatedTo | EdgeKind::MayReplace | EdgeKind::Found => false,
            };
            if only && !more.contains(&edge.to) && self.get(edge.to).await?.is_some() {
                more.push(edge.to);
            }
        }
        Ok(more)
    }

    pub(super) async fn chains_and_edges(&self, ids: &[Id]) -> Result<(Vec<Memory>, Vec<Edge>)> {
        if ids.is_empty() || ids.len() > PAGE {
            return Err(Error::field("ids", format!("must be 1 to {PAGE} ids")));
        }
        let mut memories = Vec::<Memory>::new();
        for id in ids {
            if memories.iter().any(|m| m.id == *id) {
                continue;
            }
            let chain = self.family(*id).await?;
            if chain.is_empty() {
                return Err(missing(*id));
            }
            memories.extend(chain);
        }
        let edges = self.links_of(&memories).await?;
        Ok((memories, edges))
    }

    /// Plans and commits an owner's request; plans again after a conflict. Then it embeds the texts that were written.
    pub(super) async fn act(&self, plan: impl AsyncFn(Act<'_>, &mut Ids) -> Result<ChangeSet>) -> Result<LogEntry> {
        let now = || self.platform.now();
        let done = self.act_if(now, async |act, ids| plan(act, ids).await.map(Some)).await?;
        let entry = done.ok_or_else(outrun)?;
        self.embed_merged(&entry.touched, Cancel::default()).await?;
        Ok(entry)
    }

    /// Like [`Self::act`] at a given time, unless there is nothing to do.
    pub(super) async fn act_if(
        &self,
        now: impl Fn() -> Time,
        mut plan: impl AsyncFnMut(Act<'_>, &mut Ids) -> Result<Option<ChangeSet>>,
    ) -> Result<Option<LogEntry>> {
        let _turn = self.mirror.turn.lock().await;
        retried(async || {
            self.catch_up().await?;
            let now = now();
            let planned = plan(self.act_at(now), &mut Ids::new(now, self.platform.seed())).await?;
            let Some(set) = planned else { return Ok(None) };
            let (Ok(entry) | Err(entry)) = self.commit(set).await?;
            Ok(Some(entry))
        })
        .await
    }
}

pub(super) fn missing(id: Id) -> Error {
    Error::new(Code::NotFound, format!("nothing has the id {id}"))
}

/// Returns the head of a chain, if the owner can still change it. `id` is for the error message.
pub(super) fn changeable_head(chain: &[Memory], id: Id) -> Result<&Memory> {
    let head = chain.last().ok_or_else(|| missing(id))?;
    if head.is_forgotten() {
        return Err(Error::new(Code::Forgotten, format!("memory {id} is forgotten")));
    }
    if head.deleted_at.is_some() {
        return Err(Error::new(Code::NotFound, format!("memory {id} is deleted")));
    }
    Ok(head)
}
