//! What leaves this device: every request to a model is noted before it goes, and again when it has come to its end.
//!
//! It keeps the newest alone, and nothing that was forgotten; it never decides what is sent.

use super::day::read_kept;
use super::env::Env;
use super::{Engine, Platform};
use crate::Result;
use crate::consolidation::{Record, Shelf};
use crate::embed::Embedder;
use crate::language::fold;
use crate::llm::blanked;
use crate::model::{Ids, Time};
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Requests and bytes that are kept.
const MOST: usize = 500;
const MOST_BYTES: usize = 1_000_000;
/// More than is ever kept, whoever writes at the same time.
const ALL: usize = 10_000;
/// Requests after which the oldest are looked for.
const SWEEP: u32 = 32;
/// Characters of a piece of a text that is known again by itself, and those of a text that are looked for at most.
const PIECE: usize = 20;
const BEGINNING: usize = 300;

/// A request that left this device.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    /// When it was sent.
    pub time: Time,
    /// The origin that it went to; absent where an analyst of the application's own took it.
    pub to: Option<String>,
    /// The model that was asked, where it has a name.
    pub model: Option<String>,
    /// What it was for, such as `decisions`.
    pub purpose: String,
    /// The texts as they were sent, masked where they were; our instructions, the same for all, are left out.
    pub texts: Vec<String>,
    /// The message ids of the mails, and the names of the notes, whose words the texts hold: what is erased of one goes with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Bytes of these texts and the instructions.
    pub bytes: u32,
    /// Tokens that it used, where they are known.
    pub tokens: u32,
    /// `answered`, `given_up`, why there was no answer (`timeout`, `unauthorized`), or `unanswered` where nobody was
    /// there any more to see it.
    pub outcome: String,
}

/// A request that is out.
pub(super) struct Out {
    key: String,
    sent: Sent,
}

/// Notes that are not in the store yet, and how many were made. A rehearsal shares those of the engine that it copies.
#[derive(Debug, Clone, Default)]
pub(super) struct Outbox {
    notes: Rc<RefCell<Vec<Record>>>,
    count: Cell<u32>,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The requests that left this device, newest first.
    pub async fn sent(&self, limit: Option<usize>) -> Result<Vec<Sent>> {
        let records = self.client.outbox.records(self.env()).await?;
        let newest = records.iter().rev().take(limit.unwrap_or(ALL));
        Ok(newest.filter_map(|(_, value)| read_kept(value)).collect())
    }

    /// Forgets which requests left this device.
    pub async fn clear_sent(&self) -> Result<()> {
        self.client.outbox.notes.take();
        let records = self.store.records(Shelf::Sent, None, ALL).await?;
        self.store.keep(records.into_iter().map(|(key, _)| removal(key)).collect()).await
    }
}

impl Outbox {
    /// Notes a request that is about to go. `rest` is what goes along with the texts, in bytes.
    pub async fn sending<S: Store, P: Platform>(
        &self,
        env: Env<'_, S, P>,
        (to, model): (Option<&str>, Option<&str>),
        purpose: &str,
        (texts, sources): (Vec<String>, Vec<String>),
        rest: usize,
    ) -> Result<Out> {
        let time = env.platform.now();
        let key = Ids::new(time, env.platform.seed()).mint().to_string();
        let bytes = texts.iter().map(String::len).sum::<usize>() + rest;
        let sent = Sent {
            time,
            to: to.map(str::to_owned),
            model: model.map(str::to_owned),
            purpose: purpose.to_owned(),
            texts,
            sources,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            tokens: 0,
            outcome: "unanswered".to_owned(),
        };
        let out = Out { key, sent };
        self.note(env, vec![out.record()?]).await?;
        let count = self.count.get();
        self.count.set(count.wrapping_add(1));
        if count.is_multiple_of(SWEEP) && !env.rehearses {
            sweep(env.store).await?;
        }
        Ok(out)
    }

    /// Notes what came of a request; `None` where nothing went out after all.
    pub async fn came_back<S: Store, P>(
        &self,
        env: Env<'_, S, P>,
        out: Out,
        outcome: Option<&str>,
        tokens: u32,
    ) -> Result<()> {
        let record = match outcome {
            Some(outcome) => {
                let sent = Sent { outcome: outcome.to_owned(), tokens, ..out.sent };
                Out { sent, ..out }.record()?
            }
            None => removal(out.key),
        };
        self.note(env, vec![record]).await
    }

    /// Removals of the requests that hold words of one of these sources, one of these texts, or a good piece of one.
    pub async fn unsaid<S: Store, P>(
        &self,
        env: Env<'_, S, P>,
        texts: &[&str],
        sources: &[&str],
    ) -> Result<Vec<Record>> {
        let mut looked_for: Vec<String> = Vec::new();
        for text in texts {
            let plain = plain(text);
            let pieces = plain.split(['\n', '.', '!', '?']).map(str::trim).filter(|p| p.chars().count() >= PIECE);
            looked_for.extend(pieces.chain([plain.trim()]).map(|p| p.chars().take(BEGINNING).collect()));
        }
        let mut records = self.records(env).await?;
        records.retain(|(_, value)| {
            let holds = |text: &String| {
                let text = plain(text);
                looked_for.iter().any(|piece| !piece.is_empty() && text.contains(piece))
            };
            // What cannot be read may hold anything.
            let of_source = |sent: &Sent| sent.sources.iter().any(|s| sources.contains(&&**s));
            read_kept(value).is_none_or(|sent: Sent| of_source(&sent) || sent.texts.iter().any(holds))
        });
        Ok(records.into_iter().map(|(key, _)| removal(key)).collect())
    }

    /// What is noted, oldest first.
    async fn records<S: Store, P>(&self, env: Env<'_, S, P>) -> Result<Vec<(String, Vec<u8>)>> {
        self.note(env, Vec::new()).await?;
        env.store.records(Shelf::Sent, None, ALL).await
    }

    /// Writes notes down: a rehearsal's with the next of the engine that it copies, since its own store is thrown away.
    async fn note<S: Store, P>(&self, env: Env<'_, S, P>, notes: Vec<Record>) -> Result<()> {
        let waiting = {
            let mut outbox = self.notes.borrow_mut();
            outbox.retain(|old| notes.iter().all(|new| new.key != old.key));
            outbox.extend(notes);
            if env.rehearses || outbox.is_empty() {
                return Ok(());
            }
            std::mem::take(&mut *outbox)
        };
        env.store.keep(waiting).await
    }
}

/// Removes the oldest of what is noted.
async fn sweep<S: Store>(store: &S) -> Result<()> {
    let records = store.records(Shelf::Sent, None, ALL).await?;
    let mut bytes = 0;
    let old = records.into_iter().rev().enumerate().filter_map(|(n, (key, value))| {
        bytes += value.len();
        (n >= MOST || bytes > MOST_BYTES).then(|| removal(key))
    });
    let old: Vec<Record> = old.collect();
    if old.is_empty() { Ok(()) } else { store.keep(old).await }
}

impl Out {
    fn record(&self) -> Result<Record> {
        Record::json(Shelf::Sent, &self.key, &self.sent)
    }
}

fn removal(key: String) -> Record {
    Record::gone(Shelf::Sent, key)
}

/// A text in the form in which a masked and an unmasked one are compared, its lines apart.
fn plain(text: &str) -> String {
    let lines: Vec<String> = blanked(text).lines().map(fold).collect();
    lines.join("\n")
}
