//! The IndexedDB store passes every conformance case in a page.

#![cfg(target_arch = "wasm32")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod conformance;
mod indexeddb;
#[path = "kit/quantised.rs"]
mod quantised;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

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

#[wasm_bindgen_test::wasm_bindgen_test]
fn quantised_cosines_stay_within_the_margin() {
    quantised::quantised_cosines_stay_within_the_margin();
}
