//! Sync methods of the JavaScript API. Sealing and sending happen elsewhere.

use super::class::JsEngine;
use super::error::{read, write};
use super::net::Net;
use super::promise::AbortSignal;
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

    /// One step of a sealed sync, selected by name. A single method, since each export adds to the wasm file's size.
    #[wasm_bindgen(unchecked_return_type = "Promise<unknown>")]
    pub fn exchange(&self, what: String, first: JsValue, second: JsValue, signal: Option<AbortSignal>) -> Promise {
        self.start(signal, async move |engine, cancel| match what.as_str() {
            "address" => write(&checked_address(&Net, &read::<String>(&first, "url")?, "url").map(drop)?),
            "pull" => write(&engine.pull(read(&first, "notes")?, read(&second, "records")?).await?),
            "push" => write(&engine.push(read(&first, "notes")?, read(&second, "most")?).await?),
            "inquire" => write(&engine.inquire(read(&first, "erased")?).await?),
            "hear" => write(&engine.hear(read(&first, "answer")?, cancel).await?),
            "aside" => write(&engine.aside(&read::<Vec<String>>(&first, "names")?).await?),
            _ => write(&engine.put_aside(read(&first, "texts")?, read(&second, "expected")?).await?),
        })
    }
}
