//! The figures by which sessions are tagged and the sleep cycle goes, with their defaults.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How the questions of a session are tagged. All fields are optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct TaggingFigures {
    /// Questions that are looked at together, 1 to 50; 5 where absent.
    pub window: u32,
    /// Tags that a batch gets at most, 1 to 50; 8 where absent.
    pub max_tags_per_batch: u32,
}

impl Default for TaggingFigures {
    fn default() -> Self {
        Self { window: 5, max_tags_per_batch: 8 }
    }
}

/// The figures of the sleep cycle. All fields are optional.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SleepFigures {
    /// The share of the day's tokens that it may use, 0–1; .3 where absent.
    pub budget_share: f32,
    /// No two memories of a cluster are less alike than this, on the scale of the bands, 0–1; .8 where absent.
    pub least_likeness: f32,
    /// A model is asked about clusters that are more alike than this on average, 0–1; .8 where absent,
    pub model_likeness: f32,
    /// and of at least this weight; 4 where absent.
    pub model_weight: f32,
    /// Clusters are of at least so many memories, 2 to 48; 3 where absent.
    pub least_members: u32,
    /// What was said, or found, within so many days is left alone; 14 where absent.
    pub settled_days: u32,
    /// Days at the floor before a memory leaves the hot tier; 7 where absent.
    pub cold_after_days: u32,
    /// Days in the cold tier before only a stub is kept; 180 where absent.
    pub stub_after_days: u32,
    /// Minutes of silence after which a session counts as ended; 60 where absent.
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
    /// Checks what the types leave open.
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
    /// Checks what the types leave open.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for a share that is not from 0 to 1, or a cluster of fewer than two.
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
