//! The class's methods by which stores tell each other what has changed. They seal nothing and send nothing.

use super::class::{AbortSignal, Engine, gone, promise, start};
use super::error::{read, write};
use crate::consolidation::{Feed, Told};
use crate::engine::{Agreed, Cancel};
use js_sys::Promise;
use serde::Deserialize;
use tsify::Ts;
use wasm_bindgen::prelude::*;

/// What the entry asks of the engine for an exchange of what is sealed: [`crate::engine::Engine`] has a method of each name.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Act {
    Pull(Agreed, Told),
    Push(Agreed, usize),
    Inquire(u64),
    Hear(Box<Feed>),
    Aside(Vec<String>),
    PutAside(Vec<(String, String)>, (String, Option<String>)),
}

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

    /// A step of an exchange of what is sealed. One method for all: each would weigh as much.
    #[wasm_bindgen(unchecked_return_type = "Promise<unknown>")]
    pub fn exchange(&self, act: JsValue, signal: Option<AbortSignal>) -> Promise {
        let engine = self.0.clone();
        start(Box::pin(async move {
            match read(&act, "answer")? {
                Act::Pull(agreed, told) => write(&engine.pull(agreed, told).await?),
                Act::Push(agreed, most) => write(&engine.push(agreed, most).await?),
                Act::Inquire(erased) => write(&engine.inquire(erased).await?),
                Act::Hear(answer) => {
                    let aborted = || signal.as_ref().is_some_and(AbortSignal::aborted);
                    let gone = || gone(signal.as_ref());
                    write(&engine.hear(*answer, Cancel::when(&aborted).or_when(&gone)).await?)
                }
                Act::Aside(names) => write(&engine.aside(&names).await?),
                Act::PutAside(texts, expected) => write(&engine.put_aside(texts, expected).await?),
            }
        }))
    }
}
