//! Token budgets: limits for a call, an import and a day, and what was used of them.

use super::{Engine, MAX_ATTEMPTS, outrun, unless_outrun};
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct DayUsage {
    pub calls: u32,
    pub tokens: u32,
    pub cached: u32,
}

impl DayUsage {
    pub fn of_call(tokens: u32) -> Self {
        Self { calls: 1, tokens, cached: 0 }
    }

    fn plus(self, more: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(more.calls),
            tokens: self.tokens.saturating_add(more.tokens),
            cached: self.cached.saturating_add(more.cached),
        }
    }
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
        let (_, _, used) = self.usage_record().await?;
        let DayUsage { calls, tokens, cached } = used;
        let daily_tokens = self.options.daily_tokens;
        let tokens_left = daily_tokens.map(|most| most.saturating_sub(tokens));
        let rests_until = self.client.rests_until(self.platform.now());
        Ok(Usage { calls, tokens, daily_tokens, tokens_left, cached, rests_until })
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
        Ok(self.usage_record().await?.2.tokens)
    }

    async fn usage_record(&self) -> Result<(String, Option<Vec<u8>>, DayUsage)> {
        let day = self.platform.now().day(self.options.zone).to_string();
        let record = self.ledger.record(Shelf::Usage, &day).await?;
        let used = record.as_deref().and_then(read_kept).unwrap_or_default();
        Ok((day, record, used))
    }

    pub(super) async fn count_usage(&self, more: DayUsage) -> Result<()> {
        for _ in 0..MAX_ATTEMPTS {
            let (day, before, used) = self.usage_record().await?;
            let mut records = Vec::new();
            if before.is_none() {
                let old = self.ledger.records(Shelf::Usage, None, 64).await?.into_iter().filter(|(key, _)| *key != day);
                records.extend(old.map(|(key, _)| Record::gone(Shelf::Usage, key)));
            }
            records.push(Record::json(Shelf::Usage, day, &used.plus(more))?.over(before));
            if unless_outrun(self.ledger.keep(records).await)?.is_some() {
                return Ok(());
            }
        }
        Err(outrun())
    }
}
