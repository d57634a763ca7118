//! The IndexedDB store passes every conformance case in a service worker, as in a browser extension.

#![cfg(target_arch = "wasm32")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod conformance;
mod indexeddb;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_service_worker);

macro_rules! browser_tests {
    ($($module:ident :: $case:ident),+ $(,)?) => {
        $(#[wasm_bindgen_test::wasm_bindgen_test]
        async fn $case() {
            $module::$case(&indexeddb::Database::default()).await;
        })+
    };
}
use conformance::{committing, reading, records, sharing};
conformance::for_each_case!(browser_tests);
indexeddb::for_each_case_of_its_own!(browser_tests);
