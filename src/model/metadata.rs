//! [`Metadata`]: the application's own data in a memory. The engine only filters by it.

use super::limits::{count, text};
use crate::{Error, Result, json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The application's own fields of a memory: up to 256 names and 4,000 characters as JSON.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(transparent)]
pub struct Metadata(#[tsify(type = "Record<string, unknown>")] Map<String, Value>);

const MAX_CHARS: usize = 4_000;

impl Metadata {
    /// Whether it has no fields.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it has every field of `wanted` with the same value.
    pub fn has(&self, wanted: &Self) -> bool {
        wanted.0.iter().all(|(name, value)| self.0.get(name) == Some(value))
    }

    /// Merges `newer` into a copy; null removes a field.
    #[must_use]
    pub fn with(&self, newer: &Self) -> Self {
        let mut all = self.clone();
        for (name, value) in &newer.0 {
            match value {
                Value::Null => all.0.remove(name),
                value => all.0.insert(name.clone(), value.clone()),
            };
        }
        all
    }

    pub(super) fn validate(&self) -> Result<()> {
        count("metadata", self.0.len())?;
        text("metadata", &json::write(&self.0).map_err(|e| Error::field("metadata", e.message.as_str()))?, MAX_CHARS)
    }
}
