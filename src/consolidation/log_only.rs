//! Change sets that write a log entry and no memory.

use super::ChangeSet;
use super::entry::{LogEntry, Status, Trigger};
use crate::decision::{Analyst, Decision, Reason, Refusal};
use crate::language::{has_hangul, shown};
use crate::model::Draft;

/// The log entry of a suspicious passage. A memory is created only if the owner accepts it.
pub fn suspect(draft: Draft, key: String, entry: LogEntry) -> ChangeSet {
    let korean = has_hangul(&draft.content);
    let reason = shown::SUSPECTED.text(korean);
    let entry = LogEntry {
        decision: Decision::Skip,
        trigger: Some(Trigger::NewMail),
        status: Status::Skipped,
        needs_review: true,
        source_id: draft.source_id.clone(),
        reasons: vec![Reason::Suspected],
        reason: reason.to_owned(),
        draft: Some(Box::new(draft)),
        ..entry
    };
    ChangeSet { key: Some(key), ..ChangeSet::new(entry) }
}

/// The log entry of model output that the mail does not support, with a reason for each item.
pub fn unusable(reasons: Vec<Reason>, source: &str, korean: bool, key: String, entry: LogEntry) -> ChangeSet {
    let reason = shown::UNUSABLE.text(korean);
    let entry = LogEntry {
        decision: Decision::Skip,
        trigger: Some(Trigger::NewMail),
        status: Status::Skipped,
        analyst: Analyst::Model,
        source_id: Some(source.to_owned()),
        reasons,
        reason: reason.to_owned(),
        ..entry
    };
    ChangeSet { key: Some(key), ..ChangeSet::new(entry) }
}

/// The log entry of a chat without facts to keep. Without an idempotency key, it can be added again.
pub fn nothing_found(source: &str, korean: bool, entry: LogEntry) -> ChangeSet {
    let reasons = vec![Reason::ModelRefused { error: Refusal::NothingFound.as_str().to_owned() }];
    let set = unusable(reasons, source, korean, String::new(), entry);
    let reason = shown::NOTHING_FOUND.text(korean).to_owned();
    ChangeSet { key: None, entry: LogEntry { reason, ..set.entry }, ..set }
}

/// The log entry of an input that failed. It has no idempotency key, so the input can be retried.
pub fn failure(error: &crate::Error, entry: LogEntry) -> ChangeSet {
    let reason = Reason::Failed { error: error.code.as_str().to_owned(), message: error.message.clone() };
    let entry = LogEntry {
        status: Status::Error,
        needs_review: true,
        reasons: vec![reason],
        reason: error.message.clone(),
        ..entry
    };
    ChangeSet::new(entry)
}
