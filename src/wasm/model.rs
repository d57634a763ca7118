//! A model that the application brings: a JavaScript function behind the port.
//!
//! The function is the entry's, which keeps the time and never rejects; the reply's content is checked elsewhere.

use super::error::write;
use crate::decision::{Prompt, Refusal};
use crate::llm::{Answering, Model, Reply};
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[derive(Debug)]
    type AbortController;

    #[wasm_bindgen(constructor)]
    fn new() -> AbortController;

    #[wasm_bindgen(method)]
    fn abort(this: &AbortController);

    #[wasm_bindgen(method, getter)]
    fn signal(this: &AbortController) -> JsValue;
}

/// Stops what nobody waits for any more.
struct Stop(Option<AbortController>);

impl Drop for Stop {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}

/// `(question, within, stop) => Promise<{text, tokens} | {refusal}>`, with `tag` and `origin` as properties.
#[derive(Debug)]
pub(super) struct Callback {
    function: Function,
    name: Option<String>,
    origin: Option<String>,
}

impl From<Function> for Callback {
    fn from(function: Function) -> Self {
        let of = |name: &str| Reflect::get(&function, &name.into()).ok().and_then(|v| v.as_string());
        let (name, origin) = (of("tag"), of("origin"));
        Self { function, name, origin }
    }
}

impl Model for Callback {
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a> {
        Box::pin(async move {
            let failed = |_| Refusal::Failed;
            let question = write(prompt).map_err(|_| Refusal::Failed)?;
            let controller = AbortController::new();
            let signal = controller.signal();
            let mut stop = Stop(Some(controller));
            let called = self.function.call3(&JsValue::NULL, &question, &JsValue::UNDEFINED, &signal);
            let answer = JsFuture::from(Promise::resolve(&called.map_err(failed)?)).await.map_err(failed)?;
            stop.0 = None;
            let field = |name: &str| Reflect::get(&answer, &name.into()).ok();
            match field("text").and_then(|text| text.as_string()) {
                Some(text) => {
                    let tokens = field("tokens").and_then(|n| n.as_f64()).unwrap_or_default() as u32;
                    Ok(Reply { text, tokens })
                }
                None => Err(Refusal::named(&field("refusal").and_then(|r| r.as_string()).unwrap_or_default())),
            }
        })
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }
}
