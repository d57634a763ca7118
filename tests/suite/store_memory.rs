//! The in-memory reference store passes every conformance case.

use crate::conformance;
use crate::conformance::{Backend, committing, reading, records, sharing};
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
