//! Token budgets: limits for a call, an import and a day, and the counters of each day.

use super::{Engine, retried};
use crate::Result;
use crate::consolidation::{Record, Shelf};
use crate::json::read_kept;
use crate::model::Time;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TokenBudget {
    /// Most tokens; `None` for no limit.
    pub most: Option<u32>,
    pub tokens: u32,
    pub calls: u32,
}

impl TokenBudget {
    pub fn plus(self, calls: u32, tokens: u32) -> Self {
        Self { calls: self.calls + calls, tokens: self.tokens.saturating_add(tokens), ..self }
    }
}

/// The counters of one day.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase")]
pub struct Day {
    /// The day in the owner's time zone: `2026-11-22`.
    pub day: String,
    /// Recorded searches.
    pub searches: u32,
    /// Recorded searches whose best hit mentions the topic.
    pub hits: u32,
    /// Summaries written.
    pub merges: u32,
    /// Model calls, embedding requests included.
    pub calls: u32,
    /// Tokens of these calls; estimated for embeddings and where an endpoint does not report them.
    pub tokens: u32,
    /// Tokens of the calls for summaries and tags.
    pub sleep_tokens: u32,
    /// Replies served from the cache.
    pub cached: u32,
}

/// Model usage today, in the owner's time zone, by all engines over this store.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Calls sent, embedding requests included.
    pub calls: u32,
    /// Tokens used; estimated for embeddings and where an endpoint does not report them.
    pub tokens: u32,
    /// The daily token budget, if one is set.
    pub daily_tokens: Option<u32>,
    /// Tokens left of the daily budget.
    pub tokens_left: Option<u32>,
    /// Replies served from the cache.
    pub cached: u32,
    /// When the model may be asked again, if it is paused.
    pub rests_until: Option<Time>,
}

impl Engine {
    /// Returns today's model usage and the budget left.
    pub async fn usage(&self) -> Result<Usage> {
        let Day { calls, tokens, cached, .. } = self.day(self.platform.now()).await?.1;
        let daily_tokens = self.options.daily_tokens;
        let tokens_left = daily_tokens.map(|most| most.saturating_sub(tokens));
        let rests_until = self.client.rests_until(self.platform.now());
        Ok(Usage { calls, tokens, daily_tokens, tokens_left, cached, rests_until })
    }

    /// The stored counters of the day of `now`, and the same decoded.
    pub(super) async fn day(&self, now: Time) -> Result<(Option<Vec<u8>>, Day)> {
        let name = now.day(self.options.zone).to_string();
        let stored = self.ledger.record(Shelf::Sleep, &[DAYS, &name].concat()).await?;
        let day: Day = stored.as_deref().and_then(read_kept).unwrap_or_default();
        Ok((stored, Day { day: name, ..day }))
    }

    /// The record of the counters of the day of `now` after `change`; it is refused if they have changed meanwhile.
    pub(super) async fn counted(&self, now: Time, change: &dyn Fn(&mut Day)) -> Result<Record> {
        let (stored, mut day) = self.day(now).await?;
        change(&mut day);
        Ok(Record::json(Shelf::Sleep, [DAYS, &day.day].concat(), &day)?.over(stored))
    }

    pub(super) async fn count(&self, now: Time, change: &dyn Fn(&mut Day)) -> Result<()> {
        retried(async || self.ledger.keep(vec![self.counted(now, change).await?]).await).await
    }

    pub(super) async fn is_spent(&self, budget: &TokenBudget) -> Result<bool> {
        let full = |most: Option<u32>, used: u32| most.is_some_and(|most| used >= most);
        if full(budget.most, budget.tokens) {
            return Ok(true);
        }
        self.is_day_spent().await
    }

    pub(super) async fn is_day_spent(&self) -> Result<bool> {
        match self.options.daily_tokens {
            Some(most) => Ok(self.used_today().await? >= most),
            None => Ok(false),
        }
    }

    pub(super) async fn used_today(&self) -> Result<u32> {
        Ok(self.day(self.platform.now()).await?.1.tokens)
    }

    /// Counts a call that used these tokens.
    pub(super) async fn count_call(&self, tokens: u32) -> Result<()> {
        let called = |day: &mut Day| {
            day.calls = day.calls.saturating_add(1);
            day.tokens = day.tokens.saturating_add(tokens);
        };
        self.count(self.platform.now(), &called).await
    }
}

pub(super) const DAYS: &str = "day/";
