//! Records every request that leaves this device. Forgetting a memory removes all records, since any may repeat it.

use super::Engine;
use crate::Result;
use crate::consolidation::{Record, Shelf};
use crate::json::read_kept;
use crate::model::{Ids, Time};
use crate::store::Store;
use serde::{Deserialize, Serialize};

const MOST: usize = 500;
const MOST_BYTES: usize = 1_000_000;
/// More records than ever exist, even with several writers.
const ALL: usize = 10_000;
const SWEEP: u32 = 32;

/// A request that left this device.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    /// When it was sent.
    pub time: Time,
    /// The receiving origin; absent for a function of the application itself.
    pub to: Option<String>,
    /// The model, if it has a name.
    pub model: Option<String>,
    /// The purpose, such as `decisions`.
    pub purpose: String,
    /// The texts as sent, masked if masking is on. Fixed instructions are left out.
    pub texts: Vec<String>,
    /// Size of these texts and the instructions, in bytes.
    pub bytes: u32,
    /// Tokens used; 0 if unknown.
    pub tokens: u32,
    /// `answered`, `given_up`, an error such as `timeout` or `unauthorized`, or `unanswered` if the
    /// engine ended before the reply.
    pub outcome: String,
}

pub(super) struct OutgoingRequest {
    key: String,
    sent: Sent,
}

impl Engine {
    /// Returns the requests that left this device, newest first.
    pub async fn sent(&self, limit: Option<usize>) -> Result<Vec<Sent>> {
        let records = self.ledger.records(Shelf::Sent, None, ALL).await?;
        let newest = records.iter().rev().take(limit.unwrap_or(ALL));
        Ok(newest.filter_map(|(_, value)| read_kept(value)).collect())
    }

    /// Clears the records of requests.
    pub async fn clear_sent(&self) -> Result<()> {
        self.ledger.keep(self.sent_removals().await?).await
    }

    pub(super) async fn sent_removals(&self) -> Result<Vec<Record>> {
        let records = self.ledger.records(Shelf::Sent, None, ALL).await?;
        Ok(records.into_iter().map(|(key, _)| Record::gone(Shelf::Sent, key)).collect())
    }

    /// Records a request before it is sent. `rest` is the size of its fixed parts, in bytes.
    pub(super) async fn note_sending(
        &self,
        (to, model): (Option<&str>, Option<&str>),
        purpose: &str,
        texts: Vec<String>,
        rest: usize,
    ) -> Result<OutgoingRequest> {
        let time = self.platform.now();
        let key = Ids::new(time, self.platform.seed()).mint().to_string();
        let bytes = texts.iter().map(String::len).sum::<usize>() + rest;
        let sent = Sent {
            time,
            to: to.map(str::to_owned),
            model: model.map(str::to_owned),
            purpose: purpose.to_owned(),
            texts,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            tokens: 0,
            outcome: "unanswered".to_owned(),
        };
        self.ledger.keep(vec![Record::json(Shelf::Sent, &key, &sent)?]).await?;
        let count = self.client.recorded.get();
        self.client.recorded.set(count.wrapping_add(1));
        if count.is_multiple_of(SWEEP) {
            sweep(&*self.ledger).await?;
        }
        Ok(OutgoingRequest { key, sent })
    }

    /// Records the outcome of a request; `None` removes the record because nothing was sent.
    pub(super) async fn note_outcome(&self, out: OutgoingRequest, outcome: Option<&str>, tokens: u32) -> Result<()> {
        let record = match outcome {
            Some(outcome) => {
                let sent = Sent { outcome: outcome.to_owned(), tokens, ..out.sent };
                Record::json(Shelf::Sent, out.key, &sent)?
            }
            None => Record::gone(Shelf::Sent, out.key),
        };
        self.ledger.keep(vec![record]).await
    }
}

async fn sweep(store: &dyn Store) -> Result<()> {
    let records = store.records(Shelf::Sent, None, ALL).await?;
    let mut bytes = 0;
    let old = records.into_iter().rev().enumerate().filter_map(|(n, (key, value))| {
        bytes += value.len();
        (n >= MOST || bytes > MOST_BYTES).then(|| Record::gone(Shelf::Sent, key))
    });
    let old: Vec<Record> = old.collect();
    if old.is_empty() { Ok(()) } else { store.keep(old).await }
}
