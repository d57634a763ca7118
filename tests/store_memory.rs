//! The reference store keeps every promise of the list.

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod conformance;

use conformance::{Backend, committing, reading, records, sharing};
use memfold::store::MemoryStore;

#[derive(Default)]
struct InMemory(MemoryStore);

impl Backend for InMemory {
    type Store = MemoryStore;
    async fn open(&self) -> MemoryStore {
        self.0.connect()
    }
}

macro_rules! native_tests {
    ($($module:ident :: $case:ident),+ $(,)?) => {
        $(#[test]
        fn $case() {
            futures::executor::block_on($module::$case(&InMemory::default()));
        })+
    };
}
conformance::for_each_case!(native_tests);
