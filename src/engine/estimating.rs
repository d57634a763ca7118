//! What an import would cost, before it is begun: a dry run that counts questions instead of asking them.
//!
//! It sends nothing and writes nothing.

use super::{Engine, IngestReport, Platform};
use crate::Result;
use crate::embed::Embedder;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// About what an import would ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Messages.
    pub mails: u32,
    /// Memories that they teach.
    pub drafts: u32,
    /// Calls of a model.
    pub calls: u32,
    /// Tokens of questions and answers, without those of schemas, which some endpoints count as well.
    pub tokens: u32,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// A rehearsal ([`Engine::rehearsal`]) that asks nobody and counts what it would have asked, whether there is a
    /// model or not.
    pub async fn gauging(&self, scratch: S) -> Result<Self>
    where
        E: Clone,
        P: Clone,
    {
        let mut copy = self.rehearsal(scratch).await?;
        copy.client.gauge = Some(Rc::default());
        Ok(copy)
    }

    /// What was counted, beside what an import over this copy has reported.
    pub fn gauged(&self, report: &IngestReport) -> Estimate {
        let (calls, tokens) = self.client.gauge.as_ref().map_or((0, 0), |g| (g.calls.get(), g.tokens.get()));
        Estimate { mails: report.mails, drafts: report.drafts, calls, tokens }
    }
}
