//! Reconstructs memories at an earlier time from the log.

use super::{Action, LogEntry, Standing};
use crate::model::{Id, Memory, Time, Zone};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A point of view in time: transaction time, valid time, or both. An absent field means now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct When {
    /// Transaction time: what the store knew at this time.
    pub as_of: Option<Time>,
    /// Valid time: the version that was true at this time, by statement dates and validity ranges.
    pub valid_at: Option<Time>,
}

/// The standings of memories at one time.
#[derive(Debug)]
pub struct View {
    then: Time,
    /// Standings of memories that changed since; `None` for memories that did not exist yet.
    changed: HashMap<Id, Option<Standing>>,
}

impl View {
    /// The view at `then` over a log.
    pub fn at(then: Time, log: &[LogEntry]) -> Self {
        let mut since: Vec<&LogEntry> = log.iter().filter(|e| e.time > then && e.action != Action::Forget).collect();
        // Imported entries keep their times, which need not ascend with their numbers.
        since.sort_by_key(|e| std::cmp::Reverse((e.time, e.seq)));
        let mut changed = HashMap::new();
        for entry in since {
            // An import without earlier standings brings the entries that wrote its memories along.
            for id in entry
                .touched
                .iter()
                .filter(|_| !matches!(entry.action, Action::Import | Action::Sync) || !entry.before.is_empty())
            {
                changed.insert(*id, None);
            }
            for standing in &entry.before {
                // An entry that moved no date has none; the date of a later entry applies.
                let later = changed.get(&standing.id).copied().flatten();
                let (stated_at, occurred_at) = later.map_or((None, None), |s: Standing| (s.stated_at, s.occurred_at));
                let stated_at = standing.stated_at.or(stated_at);
                let occurred_at = standing.occurred_at.or(occurred_at);
                changed.insert(standing.id, Some(Standing { stated_at, occurred_at, ..*standing }));
            }
        }
        Self { then, changed }
    }

    /// A memory as it was then; `None` if it did not exist or is forgotten.
    pub fn stood(&self, mut memory: Memory) -> Option<Memory> {
        if memory.is_forgotten() || memory.created_at > self.then {
            return None;
        }
        match self.changed.get(&memory.id) {
            Some(None) => return None,
            Some(Some(standing)) => standing.restore(&mut memory),
            None => {}
        }
        Some(memory)
    }
}

/// The start of a version's validity: its own start date, else the date of the statement or of
/// storage, whichever is earlier.
pub fn holds_from(memory: &Memory, zone: Zone) -> Time {
    let said = || memory.first_said().min(memory.created_at);
    memory.valid_from.map_or_else(said, |from| from.begin(zone))
}

/// Whether a version was true at `at`; `next` is the version that superseded it.
pub fn holds_at(memory: &Memory, next: Option<&Memory>, at: Time, zone: Zone) -> bool {
    let ended = memory.valid_until.is_some_and(|t| t.end(zone) <= at);
    let replaced = next.is_some_and(|n| holds_from(n, zone) <= at);
    memory.deleted_at.is_none() && holds_from(memory, zone) <= at && !ended && !replaced
}
