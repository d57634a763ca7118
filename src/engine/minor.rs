//! Remembers which minor drafts of a mail have changed nothing, so that another import does not compare them with
//! memories of later mails.

use super::model_client;
use crate::Result;
use crate::consolidation::{Record, Shelf};
use crate::store::Store;

#[derive(Debug, Default)]
pub(super) struct UnchangedDrafts {
    key: String,
    numbers: Vec<u8>,
    current: usize,
    has_news: bool,
}

impl UnchangedDrafts {
    /// Reads the record of a mail. `first_key` is the idempotency key of its first draft.
    pub async fn of_mail(store: &dyn Store, first_key: &str) -> Result<Self> {
        let key = model_client::key(first_key);
        let numbers = store.record(Shelf::Minor, &key).await?.unwrap_or_default();
        Ok(Self { key, numbers, ..Self::default() })
    }

    /// Starts a draft, and returns whether it is known to change nothing.
    pub fn start(&mut self, draft: usize) -> bool {
        self.current = draft;
        is_in(&self.numbers, draft)
    }

    /// Whether another import has found by now that the current draft changes nothing.
    pub async fn has_settled(&self, store: &dyn Store) -> Result<bool> {
        let numbers = store.record(Shelf::Minor, &self.key).await?;
        Ok(numbers.is_some_and(|numbers| is_in(&numbers, self.current)))
    }

    /// Adds the current draft.
    pub fn add(&mut self) {
        self.numbers.extend(u8::try_from(self.current));
        self.has_news = true;
    }

    /// Returns the record if it has to be written.
    pub fn record(&self) -> Option<Record> {
        self.has_news.then(|| Record::put(Shelf::Minor, &*self.key, self.numbers.clone()))
    }

    pub fn mark_stored(&mut self) {
        self.has_news = false;
    }
}

fn is_in(numbers: &[u8], draft: usize) -> bool {
    numbers.iter().any(|n| usize::from(*n) == draft)
}
