//! Takes in unsealed memories of a hub for a client that seals its own: mail and tool output that
//! the hub ingested. Each is a new input, decided like any other.
//!
//! No id, class, version, deletion, edge or log entry is taken over: a hub cannot affect sealed memories.

use super::{Cancel, Consolidate, Engine};
use crate::consolidation::{Action, FEED_FORMAT, Feed, LogEntry, same};
use crate::decision::Speaker;
use crate::model::{Draft, Id, Memory, NodeType, Retention, Source};
use crate::store::{LogRange, Seq, Store};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// A hub's memory that was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// Its id at the hub.
    pub id: Id,
    /// The reason.
    pub why: NotHeard,
}

/// The reason of a rejection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum NotHeard {
    /// It claims a source class above tool output.
    Class,
    /// It has the id of a different memory that clients have sealed.
    Id,
    /// It is sealed in an outdated format.
    Format,
    /// It fails the validation of memories.
    Invalid,
}

/// The result of taking in a hub's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HubImportReport {
    /// The number of memories taken in.
    pub taken: u32,
    /// The rejected memories.
    pub refused: Vec<Refused>,
}

impl<S: Store> Engine<S> {
    /// The request of a sealing client to a hub: the client's id, and the hub's memories that were
    /// forgotten here after entry `erased`. Pass its `upto` as `erased` the next time.
    pub async fn inquire(&self, erased: Seq) -> Result<Feed> {
        let forget = self.forgotten_since(erased).await?;
        let feed = Feed::new(self.identity().await?, 0);
        Ok(Feed { upto: self.store.head().await?, forget, ..feed })
    }

    /// Takes in the hub's answer.
    ///
    /// # Errors
    /// [`Code::VersionTooNew`], and those of [`Engine::consolidate`].
    pub async fn hear(&self, answer: Feed, cancel: Cancel<'_>) -> Result<HubImportReport> {
        if answer.format > FEED_FORMAT {
            return Err(Error::new(Code::VersionTooNew, "the hub answers in a format that this version cannot read"));
        }
        let mut heard = HubImportReport::default();
        let mut memories = answer.memories;
        memories.sort_by_key(|m| (m.created_at, m.id));
        for memory in memories {
            let id = memory.id;
            let why = match self.admit_memory(memory, &answer.entries).await? {
                Ok(None) => continue,
                Err(why) => why,
                Ok(Some((draft, speaker))) => {
                    let how = Consolidate { key: Some(hub_key(id)), speaker: Some(speaker), cancel, dry_run: false };
                    match self.consolidate(*draft, &how).await {
                        Err(e) if e.code == Code::InvalidField => NotHeard::Invalid,
                        done => {
                            done?;
                            heard.taken += 1;
                            continue;
                        }
                    }
                }
            };
            heard.refused.push(Refused { id, why });
        }
        Ok(heard)
    }

    /// The draft and the speaker of a hub's memory; `None` if there is nothing to take in, or the
    /// reason of a rejection.
    async fn admit_memory(
        &self,
        memory: Memory,
        told: &[LogEntry],
    ) -> Result<Result<Option<(Box<Draft>, Speaker)>, NotHeard>> {
        if let Some(own) = self.store.found(&[memory.id]).await?.into_iter().next() {
            // An equal memory was synchronised before the client had a key.
            return Ok(if same(&own, &memory) { Ok(None) } else { Err(NotHeard::Id) });
        }
        // A tombstone has no source class.
        if memory.is_forgotten() {
            return Ok(Ok(None));
        }
        if memory.source_type.outranks(Source::ToolOutput) {
            return Ok(Err(NotHeard::Class));
        }
        if memory.node_type != NodeType::Memory || !memory.is_current() {
            return Ok(Ok(None));
        }
        if memory.content.starts_with(&format!("sealed1.m-{}.", memory.id)) {
            return Ok(Err(NotHeard::Format));
        }
        // Both sides have handled the same mail.
        let keys = told.iter().filter(|e| e.memory_id == Some(memory.id)).filter_map(|e| e.key.clone());
        for key in keys.chain([hub_key(memory.id)]) {
            if self.store.entry_by_key(&key).await?.is_some() {
                return Ok(Ok(None));
            }
        }
        let draft = memory.to_draft(None);
        // No local check has verified the author, so being a correspondent gives no authority.
        let now = self.platform.now();
        let is_ahead = draft.stated_at.is_some_and(|at| at.millis() - now.millis() > MAX_CLOCK_SKEW_MILLIS);
        let address = draft.author.clone().filter(|_| draft.source_type == Source::Realtime);
        let speaker = Speaker { shown: address.clone(), address, is_ahead, ..Speaker::default() };
        // A hub cannot make a memory core, and no statement is later than now.
        let retention = draft.retention.filter(|r| *r != Retention::Core);
        let stated_at = draft.stated_at.map(|at| at.min(now));
        Ok(Ok(Some((Box::new(Draft { retention, stated_at, ..draft }), speaker))))
    }

    /// The hub's ids of memories that were forgotten here after a number.
    async fn forgotten_since(&self, after: Seq) -> Result<Vec<Id>> {
        let since = self.store.log(LogRange::since(after)).await?;
        let gone: Vec<Id> = since.iter().filter(|e| e.action == Action::Forget).flat_map(LogEntry::written).collect();
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let log = self.store.log(LogRange::default()).await?;
        let about = |e: &&LogEntry| e.memory_id.or(e.target_id).is_some_and(|id| gone.contains(&id));
        Ok(log
            .iter()
            .filter(about)
            .filter_map(|e| e.key.as_deref()?.strip_prefix(HUB_KEY_PREFIX)?.parse().ok())
            .collect())
    }
}

const MAX_CLOCK_SKEW_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// The prefix of idempotency keys of a hub's memories.
const HUB_KEY_PREFIX: &str = "hub/";

/// The idempotency key of a hub's memory.
fn hub_key(id: Id) -> String {
    format!("{HUB_KEY_PREFIX}{id}")
}
