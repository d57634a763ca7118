//! The store that the options choose.

use super::options::{Backend, OpenOptions};
use crate::consolidation::{ChangeSet, LogEntry, Vector};
use crate::model::{Edge, Id, Memory};
use crate::store::{Committed, LogRange, MemoryStore, Seq, Store};
use crate::{Code, Error, Result};

/// One of the stores that this build has.
#[derive(Debug)]
pub(super) enum AnyStore {
    Memory(MemoryStore),
}

impl AnyStore {
    /// Opens what the options ask for.
    pub(super) async fn open(options: &OpenOptions) -> Result<Self> {
        Ok(match options.store.unwrap_or(Backend::Memory) {
            Backend::Memory => Self::Memory(MemoryStore::default()),
            Backend::Indexeddb => return Err(Error::new(Code::Unsupported, options.database()?)),
        })
    }
}

/// Passes a call on to the store there is.
macro_rules! pass {
    ($self:ident . $method:ident ( $($arg:expr),* )) => {
        match $self {
            Self::Memory(store) => store.$method($($arg),*).await,
        }
    };
}

impl Store for AnyStore {
    async fn commit(&self, set: ChangeSet) -> Result<Committed> {
        pass!(self.commit(set))
    }
    async fn head(&self) -> Result<Seq> {
        pass!(self.head())
    }
    async fn memories(&self, ids: &[Id]) -> Result<Vec<Option<Memory>>> {
        pass!(self.memories(ids))
    }
    async fn page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Memory>> {
        pass!(self.page(after, limit))
    }
    async fn vectors(&self, ids: &[Id]) -> Result<Vec<Option<Vector>>> {
        pass!(self.vectors(ids))
    }
    async fn edges(&self, id: Id) -> Result<Vec<Edge>> {
        pass!(self.edges(id))
    }
    async fn edge_page(&self, after: Option<Id>, limit: usize) -> Result<Vec<Edge>> {
        pass!(self.edge_page(after, limit))
    }
    async fn log(&self, range: LogRange) -> Result<Vec<LogEntry>> {
        pass!(self.log(range))
    }
    async fn entry(&self, id: Id) -> Result<Option<LogEntry>> {
        pass!(self.entry(id))
    }
    async fn entry_by_key(&self, key: &str) -> Result<Option<LogEntry>> {
        pass!(self.entry_by_key(key))
    }
    async fn close(&self) -> Result<()> {
        pass!(self.close())
    }
}
