//! The class's methods by which stores tell each other what has changed. They seal nothing and send nothing.

use super::class::{AbortSignal, Engine, gone, promise};
use super::error::read;
use crate::consolidation::{Feed, Sealed};
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

    /// Keeps what a client has sealed, and answers.
    #[wasm_bindgen(unchecked_return_type = "Promise<Sealed>")]
    pub fn hold(&self, told: Ts<Sealed>) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.hold(read(&told.js_value(), "feed")?).await })
    }

    /// The last step of a chain that was taken over, and the one that was sent after it.
    #[wasm_bindgen(unchecked_return_type = "Promise<unknown>")]
    pub fn chain(&self, hub: String) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.chain(&hub).await })
    }

    /// Forgets what was noted of a chain.
    #[wasm_bindgen(unchecked_return_type = "Promise<null>")]
    pub fn unchain(&self, hub: String) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.unchain(&hub).await })
    }

    /// Takes in what others told.
    #[wasm_bindgen(unchecked_return_type = "Promise<number>")]
    pub fn pull(&self, hub: String, from: f64, step: JsValue, told: JsValue) -> Promise {
        let engine = self.0.clone();
        promise(async move {
            let (step, told) = (read(&step, "step")?, read(&told, "told")?);
            engine.pull(&hub, from as u64, step, told).await
        })
    }

    /// What is to be told next.
    #[wasm_bindgen(unchecked_return_type = "Promise<unknown>")]
    pub fn push(&self, hub: String, most: u32) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.push(&hub, most as usize).await })
    }

    /// Notes that it is being sent.
    #[wasm_bindgen(unchecked_return_type = "Promise<null>")]
    pub fn pushing(&self, hub: String, step: JsValue, upto: f64) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.pushing(&hub, read(&step, "step")?, upto as u64).await })
    }

    /// Notes that it was appended.
    #[wasm_bindgen(unchecked_return_type = "Promise<null>")]
    pub fn pushed(&self, hub: String, step: JsValue) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.pushed(&hub, &read(&step, "step")?).await })
    }

    /// Notes that others know it.
    #[wasm_bindgen(unchecked_return_type = "Promise<null>")]
    pub fn known(&self, hub: String, upto: f64) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.known(&hub, upto as u64).await })
    }

    /// What is asked of the hub itself.
    #[wasm_bindgen(unchecked_return_type = "Promise<Feed>")]
    pub fn inquire(&self, hub: String) -> Promise {
        let engine = self.0.clone();
        promise(async move { engine.inquire(&hub).await })
    }

    /// Takes in what the hub itself says.
    #[wasm_bindgen(unchecked_return_type = "Promise<unknown>")]
    pub fn hear(&self, hub: String, until: f64, answer: Ts<Feed>, signal: Option<AbortSignal>) -> Promise {
        let engine = self.0.clone();
        promise(async move {
            let answer = read(&answer.js_value(), "answer")?;
            let aborted = || signal.as_ref().is_some_and(AbortSignal::aborted);
            let gone = || gone(signal.as_ref());
            engine.hear(&hub, until as u64, answer, Cancel::when(&aborted).or_when(&gone)).await
        })
    }
}
