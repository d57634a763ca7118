//! Memories as they stood at another time, told from the log.
//!
//! It never writes: looking back changes nothing.

use super::{Action, LogEntry, Standing};
use crate::model::{Id, Memory, Time, Zone};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A point of view in time: what was known then, what was true then, or both. Now where absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct When {
    /// What was known at this time, instead of what is known now.
    pub as_of: Option<Time>,
    /// What was true at this time: the version whose turn it was, by when things were said and how long they hold.
    pub valid_at: Option<Time>,
}

/// The standing of memories at one time.
#[derive(Debug)]
pub struct View {
    then: Time,
    /// Where those stood that were changed since; `None` for those that were not there yet.
    changed: HashMap<Id, Option<Standing>>,
}

impl View {
    /// The view at `then` over a log.
    pub fn at(then: Time, log: &[LogEntry]) -> Self {
        let mut since: Vec<&LogEntry> = log.iter().filter(|e| e.time > then && e.action != Action::Forget).collect();
        // Entries of an import keep their times, which need not ascend with their numbers.
        since.sort_by_key(|e| std::cmp::Reverse((e.time, e.seq)));
        let mut changed = HashMap::new();
        for entry in since {
            // What an import brought as it was had been written by an earlier entry, which came with it.
            for id in entry
                .touched
                .iter()
                .filter(|_| !matches!(entry.action, Action::Import | Action::Sync) || !entry.before.is_empty())
            {
                changed.insert(*id, None);
            }
            for standing in &entry.before {
                // An entry that moved no day says nothing of it: that of a later one still holds.
                let later = changed.get(&standing.id).copied().flatten();
                let (stated_at, occurred_at) = later.map_or((None, None), |s: Standing| (s.stated_at, s.occurred_at));
                let stated_at = standing.stated_at.or(stated_at);
                let occurred_at = standing.occurred_at.or(occurred_at);
                changed.insert(standing.id, Some(Standing { stated_at, occurred_at, ..*standing }));
            }
        }
        Self { then, changed }
    }

    /// A memory as it stood then; `None` where it was not there, or is forgotten.
    pub fn stood(&self, mut memory: Memory) -> Option<Memory> {
        if memory.is_forgotten() || memory.created_at > self.then {
            return None;
        }
        match self.changed.get(&memory.id) {
            Some(None) => return None,
            Some(Some(standing)) => standing.put_back(&mut memory),
            None => {}
        }
        Some(memory)
    }
}

/// From when on a version holds: its own word on it, else when it was said, or stored where it speaks of what is to come.
pub fn holds_from(memory: &Memory, zone: Zone) -> Time {
    let said = || memory.first_said().min(memory.created_at);
    memory.valid_from.map_or_else(said, |from| from.begin(zone))
}

/// Whether a version is what was true at `at`; `next` is the one that replaced it.
pub fn holds_at(memory: &Memory, next: Option<&Memory>, at: Time, zone: Zone) -> bool {
    let ended = memory.valid_until.is_some_and(|t| t.end(zone) <= at);
    let replaced = next.is_some_and(|n| holds_from(n, zone) <= at);
    memory.deleted_at.is_none() && holds_from(memory, zone) <= at && !ended && !replaced
}
