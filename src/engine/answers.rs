//! Replies that were given before: the last few in this process, and those on their shelf in the store.
//!
//! It never looks at what they say. They go with everything that is forgotten, since they repeat it.

use super::recent::Recent;
use crate::Result;
use crate::consolidation::{Record, Shelf, hex};
use crate::store::Store;

/// Answers that are kept in the store.
const MOST_STORED: usize = 1_024;
/// Replies that are kept in the process.
const MOST_REPLIES: usize = 64;

/// Replies by the hash of what was asked: a rehearsal and the import after it ask the same.
pub(super) type Replies = Recent<String, MOST_REPLIES>;

/// The hash of what is asked, as the key of its answer.
pub(super) fn key(asked: &str) -> String {
    let hash = hmac_sha256::Hash::hash(asked.as_bytes());
    hex(&hash[..16])
}

/// What the store keeps under a key.
pub(super) async fn shelved<S: Store>(store: &S, key: &str) -> Result<Option<String>> {
    let bytes = store.record(Shelf::Answers, key).await?;
    Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// The records that keep these answers, and make room for them.
pub(super) async fn shelving<S: Store>(store: &S, answers: Vec<(String, String)>) -> Result<Vec<Record>> {
    if answers.is_empty() {
        return Ok(Vec::new());
    }
    let there = store.records(Shelf::Answers, None, MOST_STORED + 1).await?;
    let excess = (there.len() + answers.len()).saturating_sub(MOST_STORED);
    // Keys are hashes: those that follow a new one are as good as drawn by lot.
    let from = there.partition_point(|(key, _)| *key <= answers[0].0);
    let drawn = there.iter().cycle().skip(from).take(excess.min(there.len()));
    let gone = drawn.filter(|(key, _)| answers.iter().all(|(k, _)| k != key));
    let mut records: Vec<Record> = gone.map(|(key, _)| Record::gone(Shelf::Answers, key)).collect();
    records.extend(answers.into_iter().map(|(key, text)| Record::put(Shelf::Answers, key, text.into_bytes())));
    Ok(records)
}

/// The records that empty the shelf.
pub(super) async fn unshelving<S: Store>(store: &S) -> Result<Vec<Record>> {
    let all = store.records(Shelf::Answers, None, usize::MAX).await?;
    Ok(all.into_iter().map(|(key, _)| Record::gone(Shelf::Answers, key)).collect())
}
