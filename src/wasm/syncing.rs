//! The class's methods by which stores tell each other what has changed. They seal nothing and send nothing.

use super::class::Engine;
use super::error::{read, write};
use super::net::Net;
use super::promise::{AbortSignal, gone, promise, start};
use crate::consolidation::Feed;
use crate::endpoint::checked_address;
use crate::engine::Cancel;
use js_sys::Promise;
use tsify::Ts;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Engine {
    /// What a hub has not been told yet.
    #[wasm_bindgen(unchecked_return_type = "Promise<Feed>")]
    pub fn changes(&self, hub: String) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.changes(&hub).await })
    }

    /// Takes in what a client tells, and answers.
    #[wasm_bindgen(unchecked_return_type = "Promise<Feed>")]
    pub fn apply(&self, feed: Ts<Feed>) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.apply(read(&feed.js_value(), "feed")?).await })
    }

    /// Takes over what a hub has answered.
    #[wasm_bindgen(unchecked_return_type = "Promise<boolean>")]
    pub fn settle(&self, hub: String, upto: f64, answer: Ts<Feed>) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.settle(&hub, upto as u64, read(&answer.js_value(), "answer")?).await })
    }

    /// A step of an exchange of what is sealed, by the name of the engine's method. One for all: each would weigh as much.
    #[wasm_bindgen(unchecked_return_type = "Promise<unknown>")]
    pub fn exchange(&self, what: String, first: JsValue, second: JsValue, signal: Option<AbortSignal>) -> Promise {
        let engine = self.0.clone();
        start(Box::pin(async move {
            match what.as_str() {
                "address" => write(&checked_address(&Net, &read::<String>(&first, "url")?, "url").map(drop)?),
                "pull" => write(&engine.pull(read(&first, "notes")?, read(&second, "records")?).await?),
                "push" => write(&engine.push(read(&first, "notes")?, read(&second, "most")?).await?),
                "inquire" => write(&engine.inquire(read(&first, "erased")?).await?),
                "hear" => {
                    let aborted = || signal.as_ref().is_some_and(AbortSignal::aborted);
                    let gone = || gone(signal.as_ref());
                    let cancel = Cancel::when(&aborted).or_when(&gone);
                    write(&engine.hear(read(&first, "answer")?, cancel).await?)
                }
                "aside" => write(&engine.aside(&read::<Vec<String>>(&first, "names")?).await?),
                _ => write(&engine.put_aside(read(&first, "texts")?, read(&second, "expected")?).await?),
            }
        }))
    }
}
