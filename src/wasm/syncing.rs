//! Sync methods of the JavaScript API. Sending happens elsewhere.

use super::class::JsEngine;
use super::error::read;
use super::net::Net;
use crate::consolidation::Feed;
use crate::endpoint::checked_address;
use js_sys::Promise;
use tsify::Ts;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_class = Engine)]
impl JsEngine {
    #[wasm_bindgen(unchecked_return_type = "Promise<Feed>")]
    pub fn changes(&self, hub: String) -> Promise {
        self.run(async move |engine| engine.changes(&hub).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Feed>")]
    pub fn apply(&self, feed: Ts<Feed>) -> Promise {
        self.run(async move |engine| engine.apply(read(&feed.js_value(), "feed")?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<boolean>")]
    pub fn settle(&self, hub: String, upto: f64, answer: Ts<Feed>) -> Promise {
        self.run(async move |engine| engine.settle(&hub, upto as u64, read(&answer.js_value(), "answer")?).await)
    }

    /// Refuses an URL of a hub by the rules for endpoints.
    #[wasm_bindgen(js_name = checkAddress, unchecked_return_type = "Promise<void>")]
    pub fn check_address(&self, url: String) -> Promise {
        self.run(async move |_| checked_address(&Net, &url, "url").map(drop))
    }
}
