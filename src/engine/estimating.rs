//! Estimates the cost of an import: a dry run that counts model calls instead of sending them.

use super::{Engine, IngestReport};
use crate::Result;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The estimated cost of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Messages.
    pub mails: u32,
    /// Memories that they yield.
    pub drafts: u32,
    /// Model calls.
    pub calls: u32,
    /// Tokens of questions and answers. Schemas are left out, though some endpoints count them.
    pub tokens: u32,
}

impl<S: Store> Engine<S> {
    /// Returns a dry-run copy ([`Engine::rehearsal`]) that counts model calls instead of sending
    /// them, even if no model is set.
    pub async fn gauging(&self, scratch: S) -> Result<Self> {
        let mut copy = self.rehearsal(scratch).await?;
        copy.client.gauge = Some(Rc::default());
        Ok(copy)
    }

    /// Returns the calls counted, together with the report of an import over this copy.
    pub fn gauged(&self, report: &IngestReport) -> Estimate {
        let (calls, tokens) = self.client.gauge.as_ref().map_or((0, 0), |g| (g.calls.get(), g.tokens.get()));
        Estimate { mails: report.mails, drafts: report.drafts, calls, tokens }
    }
}
