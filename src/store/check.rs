//! Checks of every backend before a write: numbers are finite and record keys are ASCII, as JSON and sorting require.

use super::conflict;
use crate::consolidation::{ChangeSet, Record};
use crate::decision::Reason;
use crate::model::ImportanceFactor;
use crate::similarity::Factors;
use crate::{Error, Result};

/// Refuses a set with a number that is not finite; the error names the part of the set.
pub(super) fn check_set(set: &ChangeSet) -> Result<()> {
    check_keys(&set.records)?;
    let e = &set.entry;
    let memories = set
        .memories
        .iter()
        .map(|m| [m.importance, m.confidence, m.stability, weight(&m.importance_factors)].iter().sum::<f32>());
    let edges = set.edges.iter().chain(&e.edges_before).map(|e| e.weight);
    let drafts = e
        .draft
        .iter()
        .map(|d| d.importance.unwrap_or_default() + d.confidence.unwrap_or_default() + weight(&d.importance_factors));
    let similarity = e.similarity.iter().flat_map(|s| {
        let Factors { content, people, thread_id, subject, entities } = s.factors;
        [Some(s.score), Some(content), people, thread_id, subject, entities]
    });
    let alternatives = e.alternatives.iter().flat_map(|a| [Some(a.score), a.probability]);
    let reasons = e.reasons.iter().flat_map(|r| match r {
        Reason::ScoreInBand { score, from } => [Some(*score), Some(*from)],
        Reason::Feature(f) => [Some(f.weight), None],
        Reason::LocalAnalystSure { confidence } | Reason::NotSure { confidence } => [Some(*confidence), None],
        _ => [None, None],
    });
    let optional = similarity.chain(alternatives).chain(reasons).flatten();
    let entry = drafts.chain(optional).chain([e.confidence, e.processing_ms as f32]);
    require_finite("memories", memories)?;
    require_finite("edges", edges)?;
    require_finite("entry", entry)
}

pub(super) fn check_keys(records: &[Record]) -> Result<()> {
    match records.iter().position(|r| !r.key.is_ascii()) {
        Some(i) => Err(Error::field(format!("records[{i}].key"), "is not ASCII")),
        None => Ok(()),
    }
}

pub(super) fn record_conflict(record: &Record) -> Error {
    conflict(format!("the record {}/{} is not what was expected", record.shelf.as_str(), record.key))
}

fn weight(factors: &[ImportanceFactor]) -> f32 {
    factors.iter().map(|f| f.weight).sum()
}

fn require_finite(field: &str, mut numbers: impl Iterator<Item = f32>) -> Result<()> {
    if numbers.all(f32::is_finite) { Ok(()) } else { Err(Error::field(field, "has a number that is not finite")) }
}
