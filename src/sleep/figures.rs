//! The settings of session tagging and of the sleep cycle, with their defaults.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How the questions of a session are tagged. All fields are optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct TaggingFigures {
    /// Questions per batch, 1–50; default 5.
    pub window: u32,
    /// The most tags per batch, 1–50; default 8.
    pub max_tags_per_batch: u32,
}

impl Default for TaggingFigures {
    fn default() -> Self {
        Self { window: 5, max_tags_per_batch: 8 }
    }
}

/// The settings of the sleep cycle. All fields are optional.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SleepFigures {
    /// The share of the daily token budget that it may use, 0–1; default .3.
    pub budget_share: f32,
    /// The minimum similarity of any two memories in a cluster, on the scale of the similarity bands, 0–1; default .8.
    pub least_likeness: f32,
    /// A model summarises clusters above this mean similarity, 0–1; default .8.
    pub model_likeness: f32,
    /// A model summarises clusters of at least this weight; default 4.
    pub model_weight: f32,
    /// The minimum size of a cluster, 2–48; default 3.
    pub least_members: u32,
    /// Memories stated or accessed within this many days are not merged; default 14.
    pub settled_days: u32,
    /// Days at the strength floor before a memory leaves the hot tier; default 7.
    pub cold_after_days: u32,
    /// Days in the cold tier before only a stub is kept; default 180.
    pub stub_after_days: u32,
    /// Minutes without a question after which a session ends; default 60.
    pub silence_minutes: u32,
}

impl Default for SleepFigures {
    fn default() -> Self {
        Self {
            budget_share: 0.3,
            least_likeness: 0.8,
            model_likeness: 0.8,
            model_weight: 4.0,
            least_members: 3,
            settled_days: 14,
            cold_after_days: 7,
            stub_after_days: 180,
            silence_minutes: 60,
        }
    }
}

impl TaggingFigures {
    /// Checks the ranges of the fields.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for a count that is not from 1 to 50.
    pub fn validate(&self) -> Result<()> {
        let counts = [("tagging.window", self.window), ("tagging.maxTagsPerBatch", self.max_tags_per_batch)];
        match counts.iter().find(|(_, n)| !(1..=50).contains(n)) {
            Some((name, _)) => Err(Error::field(*name, "is not from 1 to 50")),
            None => Ok(()),
        }
    }
}

impl SleepFigures {
    /// Checks the ranges of the fields.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for a share that is not from 0 to 1, a negative weight, or a
    /// cluster size that is not from 2 to 48.
    pub fn validate(&self) -> Result<()> {
        let shares = [
            ("sleep.budgetShare", self.budget_share),
            ("sleep.leastLikeness", self.least_likeness),
            ("sleep.modelLikeness", self.model_likeness),
        ];
        if let Some((name, _)) = shares.iter().find(|(_, x)| !(0.0..=1.0).contains(x)) {
            return Err(Error::field(*name, "is not a number from 0 to 1"));
        }
        if !self.model_weight.is_finite() || self.model_weight < 0.0 {
            return Err(Error::field("sleep.modelWeight", "is not a number from 0 on"));
        }
        if !(2..=48).contains(&self.least_members) {
            return Err(Error::field("sleep.leastMembers", "is not from 2 to 48"));
        }
        Ok(())
    }
}
