//! Caches model replies: the latest in this process, others in the store.
//!
//! The cache never interprets replies. They repeat memories, so forgetting a memory clears them all.

use crate::Result;
use crate::consolidation::{Record, Shelf, hex};
use crate::store::Store;

/// Most replies kept in the store.
const MOST_STORED: usize = 1_024;
/// Most replies kept in the process.
const MOST_REPLIES: usize = 64;

/// Replies by the hash of their question. A dry run and the import after it share them.
pub(super) type Replies = Recent<String, MOST_REPLIES>;

/// Hashes a question into its cache key.
pub(super) fn key(asked: &str) -> String {
    let hash = hmac_sha256::Hash::hash(asked.as_bytes());
    hex(&hash[..16])
}

pub(super) async fn shelved<S: Store>(store: &S, key: &str) -> Result<Option<String>> {
    let bytes = store.record(Shelf::Answers, key).await?;
    Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// Builds the records that store replies and evict others beyond the limit.
pub(super) async fn store_answers<S: Store>(store: &S, answers: Vec<(String, String)>) -> Result<Vec<Record>> {
    if answers.is_empty() {
        return Ok(Vec::new());
    }
    let there = store.records(Shelf::Answers, None, MOST_STORED + 1).await?;
    let excess = (there.len() + answers.len()).saturating_sub(MOST_STORED);
    // Keys are hashes, so evicting the keys after a new one is random eviction.
    let from = there.partition_point(|(key, _)| *key <= answers[0].0);
    let drawn = there.iter().cycle().skip(from).take(excess.min(there.len()));
    let gone = drawn.filter(|(key, _)| answers.iter().all(|(k, _)| k != key));
    let mut records: Vec<Record> = gone.map(|(key, _)| Record::gone(Shelf::Answers, key)).collect();
    records.extend(answers.into_iter().map(|(key, text)| Record::put(Shelf::Answers, key, text.into_bytes())));
    Ok(records)
}

pub(super) async fn clear_answers<S: Store>(store: &S) -> Result<Vec<Record>> {
    let all = store.records(Shelf::Answers, None, usize::MAX).await?;
    Ok(all.into_iter().map(|(key, _)| Record::gone(Shelf::Answers, key)).collect())
}

/// The latest values by key, at most `MOST`.
#[derive(Debug, Clone)]
pub(super) struct Recent<V, const MOST: usize> {
    kept: Vec<(String, V)>,
    next: usize,
}

impl<V, const MOST: usize> Default for Recent<V, MOST> {
    fn default() -> Self {
        Self { kept: Vec::new(), next: 0 }
    }
}

impl<V: Clone, const MOST: usize> Recent<V, MOST> {
    pub fn of(&self, key: &str) -> Option<V> {
        self.kept.iter().find(|(k, _)| k == key).map(|(_, value)| value.clone())
    }

    pub fn forget(&mut self, key: &str) {
        self.kept.retain(|(k, _)| k != key);
        self.next = 0;
    }

    pub fn put(&mut self, key: &str, value: V) {
        if let Some(kept) = self.kept.iter_mut().find(|(k, _)| k == key) {
            kept.1 = value;
        } else if self.kept.len() < MOST {
            self.kept.push((key.to_owned(), value));
        } else {
            self.kept[self.next] = (key.to_owned(), value);
            self.next = (self.next + 1) % MOST;
        }
    }
}
