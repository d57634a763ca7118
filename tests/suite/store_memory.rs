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

/// A provided method compiles even if it is not forwarded, but is then slower and not atomic.
#[test]
fn the_page_store_forwards_every_call() {
    let (calls, page) = (include_str!("../../src/store/mod.rs"), include_str!("../../src/wasm/backend.rs"));
    // These only call other methods.
    let made_of_others = ["commit", "found", "link"];
    let names = calls.split("    async fn ").skip(1).filter_map(|rest| rest.split('(').next());
    let names: Vec<&str> = names.filter(|name| !made_of_others.contains(name)).collect();
    assert!(names.len() >= 15, "{names:?}");
    let missing: Vec<_> = names.iter().filter(|name| !page.contains(&format!(" {name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
