//! Checks that every backend makes before a write: numbers are finite and record keys are ASCII.
//!
//! Other numbers would not be read back unchanged, and backends sort other keys differently.

use super::conflict;
use crate::consolidation::{ChangeSet, LogEntry, Record};
use crate::decision::Reason;
use crate::model::{ImportanceFactor, Memory};
use crate::similarity::Factors;
use crate::{Error, Result};

/// Refuses a set with a number that is not finite; the error names the field.
pub(super) fn check_set(set: &ChangeSet) -> Result<()> {
    for (i, memory) in set.memories.iter().enumerate() {
        require_finite(memory_numbers(memory), || format!("memories[{i}]"))?;
    }
    for (i, (_, vector)) in set.vectors.iter().enumerate() {
        let values = vector.iter().flat_map(|v| &v.values);
        require_finite(values.map(|x| ("values", f64::from(*x))), || format!("vectors[{i}]"))?;
    }
    for (i, edge) in set.edges.iter().enumerate() {
        require_finite([("weight", f64::from(edge.weight))], || format!("edges[{i}]"))?;
    }
    for (i, edge) in set.entry.edges_before.iter().enumerate() {
        require_finite([("weight", f64::from(edge.weight))], || format!("entry.edgesBefore[{i}]"))?;
    }
    if let Some(draft) = &set.entry.draft {
        let numbers = importance_numbers(draft.importance, draft.confidence, None, &draft.importance_factors);
        require_finite(numbers, || "entry.draft".into())?;
    }
    check_keys(&set.records)?;
    require_finite(entry_numbers(&set.entry), || "entry".into())
}

/// Refuses keys that are not ASCII.
pub(super) fn check_keys(records: &[Record]) -> Result<()> {
    match records.iter().position(|r| !r.key.is_ascii()) {
        Some(i) => Err(Error::field(format!("records[{i}].key"), "is not ASCII")),
        None => Ok(()),
    }
}

/// The conflict for a side record that differs from its expected value.
pub(super) fn record_conflict(record: &Record) -> Error {
    conflict(format!("the record {}/{} is not what was expected", record.shelf.as_str(), record.key))
}

fn memory_numbers(m: &Memory) -> impl Iterator<Item = (&'static str, f64)> {
    importance_numbers(Some(m.importance), Some(m.confidence), Some(m.stability), &m.importance_factors)
}

fn importance_numbers(
    importance: Option<f32>,
    confidence: Option<f32>,
    stability: Option<f32>,
    factors: &[ImportanceFactor],
) -> impl Iterator<Item = (&'static str, f64)> {
    [("importance", importance), ("confidence", confidence), ("stability", stability)]
        .into_iter()
        .chain(factors.iter().map(|f| ("importanceFactors", Some(f.weight))))
        .filter_map(|(name, x)| Some((name, f64::from(x?))))
}

fn entry_numbers(e: &LogEntry) -> impl Iterator<Item = (&'static str, f64)> {
    let similarity = e.similarity.iter().flat_map(|s| {
        let Factors { content, people, thread_id, subject, entities } = s.factors;
        [Some(s.score), Some(content), people, thread_id, subject, entities]
    });
    let alternatives = e.alternatives.iter().flat_map(|a| [Some(a.score), a.probability]);
    let reasons = e.reasons.iter().flat_map(|r| match r {
        Reason::ScoreInBand { score, from } => [Some(*score), Some(*from)],
        Reason::Feature(f) => [Some(f.weight), None],
        Reason::LocalAnalystSure { confidence }
        | Reason::NotSure { confidence }
        | Reason::AnalystsDisagree { confidence, .. }
        | Reason::ModelAnswered { confidence } => [Some(*confidence), None],
        _ => [None, None],
    });
    [("confidence", f64::from(e.confidence)), ("processingMs", e.processing_ms)]
        .into_iter()
        .chain(similarity.flatten().map(|x| ("similarity", f64::from(x))))
        .chain(alternatives.flatten().map(|x| ("alternatives", f64::from(x))))
        .chain(reasons.flatten().map(|x| ("reasons", f64::from(x))))
}

fn require_finite(numbers: impl IntoIterator<Item = (&'static str, f64)>, owner: impl Fn() -> String) -> Result<()> {
    match numbers.into_iter().find(|(_, x)| !x.is_finite()) {
        Some((name, _)) => Err(Error::field(format!("{}.{name}", owner()), "is not a finite number")),
        None => Ok(()),
    }
}
