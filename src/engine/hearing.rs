//! What a hub tells in the clear to a client that seals its own memories: mail and tools' words that were told to the hub
//! itself. Each is a new input here, decided as any other.
//!
//! It takes over no id, class, version, deletion, link or log entry: nothing that a hub says touches what clients sealed.

use super::{Cancel, Consolidate, Engine, Platform};
use crate::consolidation::{Action, FEED_FORMAT, Feed, LogEntry, same};
use crate::decision::Speaker;
use crate::embed::Embedder;
use crate::model::{Draft, Id, Memory, NodeType, Retention, Source};
use crate::store::{LogRange, Seq, Store};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// A memory that a hub told and that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// Its id there.
    pub id: Id,
    /// Why.
    pub why: NotHeard,
}

/// Why a memory was not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum NotHeard {
    /// It claims a class of source above a tool's.
    Class,
    /// It has the id of a memory that clients have sealed, and is another.
    Id,
    /// It is sealed in a way that is not read any more.
    Format,
    /// It breaks a rule of every memory.
    Invalid,
}

/// What was heard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Heard {
    /// How many memories were taken in.
    pub taken: u32,
    /// Those that were not.
    pub refused: Vec<Refused>,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// What a client that seals tells a hub that it listens to: who it is, and what is to be forgotten there because it was
    /// forgotten here after entry `erased`. It ends at its `upto`.
    pub async fn inquire(&self, erased: Seq) -> Result<Feed> {
        let forget = self.forgotten_since(erased).await?;
        let feed = Feed::new(self.identity().await?, 0);
        Ok(Feed { upto: self.store.head().await?, forget, ..feed })
    }

    /// Takes in what the hub itself answered.
    ///
    /// # Errors
    /// [`Code::VersionTooNew`]; as [`Engine::consolidate`].
    pub async fn hear(&self, answer: Feed, cancel: Cancel<'_>) -> Result<Heard> {
        if answer.format > FEED_FORMAT {
            return Err(Error::new(Code::VersionTooNew, "the hub answers in a format that this version does not read"));
        }
        let mut heard = Heard::default();
        let mut memories = answer.memories;
        memories.sort_by_key(|m| (m.created_at, m.id));
        for memory in memories {
            let id = memory.id;
            let why = match self.admitted(memory, &answer.entries).await? {
                Ok(None) => continue,
                Err(why) => why,
                Ok(Some((draft, speaker))) => {
                    let how = Consolidate { key: Some(named(id)), speaker: Some(speaker), cancel, dry_run: false };
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

    /// The draft that a hub's memory is here, and who says it; nothing where there is nothing to take in, or why it is
    /// refused.
    async fn admitted(
        &self,
        memory: Memory,
        told: &[LogEntry],
    ) -> Result<Result<Option<(Box<Draft>, Speaker)>, NotHeard>> {
        if let Some(own) = self.store.found(&[memory.id]).await?.into_iter().next() {
            // An object that was told without a key before has the same.
            return Ok(if same(&own, &memory) { Ok(None) } else { Err(NotHeard::Id) });
        }
        // What is left of a forgotten memory has no class of its own.
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
        // Both have handled the same mail.
        let keys = told.iter().filter(|e| e.memory_id == Some(memory.id)).filter_map(|e| e.key.clone());
        for key in keys.chain([named(memory.id)]) {
            if self.store.entry_by_key(&key).await?.is_some() {
                return Ok(Ok(None));
            }
        }
        let draft = memory.to_draft(None);
        // Nobody here has seen who wrote it: whom the owner has written to has no more say than others.
        let now = self.platform.now();
        let is_ahead = draft.stated_at.is_some_and(|at| at.millis() - now.millis() > AHEAD);
        let address = draft.author.clone().filter(|_| draft.source_type == Source::Realtime);
        let speaker = Speaker { shown: address.clone(), address, is_ahead, ..Speaker::default() };
        // Nothing is core because a hub says so, and nothing was said later than now.
        let retention = draft.retention.filter(|r| *r != Retention::Core);
        let stated_at = draft.stated_at.map(|at| at.min(now));
        Ok(Ok(Some((Box::new(Draft { retention, stated_at, ..draft }), speaker))))
    }

    /// The hub's own ids of what was forgotten here after a number.
    async fn forgotten_since(&self, after: Seq) -> Result<Vec<Id>> {
        let since = self.store.log(LogRange::since(after)).await?;
        let gone: Vec<Id> = since.iter().filter(|e| e.action == Action::Forget).flat_map(LogEntry::written).collect();
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let log = self.store.log(LogRange::default()).await?;
        let about = |e: &&LogEntry| e.memory_id.or(e.target_id).is_some_and(|id| gone.contains(&id));
        Ok(log.iter().filter(about).filter_map(|e| e.key.as_deref()?.strip_prefix(HUB)?.parse().ok()).collect())
    }
}

/// Milliseconds by which a clock may be ahead of this one.
const AHEAD: i64 = 24 * 60 * 60 * 1000;

/// How keys of what a hub told begin.
const HUB: &str = "hub/";

/// The idempotency key of a hub's memory.
fn named(id: Id) -> String {
    format!("{HUB}{id}")
}
