//! A model that the application brings: a JavaScript function behind the port.
//!
//! The function is the entry's, which keeps the time and never rejects; the reply's content is checked elsewhere.

use super::error::write;
use crate::decision::{Prompt, Refusal};
use crate::llm::{Answering, Model, Reply};
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// `(question) => Promise<{text, tokens} | {refusal}>`.
#[derive(Debug)]
pub(super) struct Callback(pub Function);

impl Model for Callback {
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a> {
        Box::pin(async move {
            let failed = |_| Refusal::Failed;
            let question = write(prompt).map_err(|_| Refusal::Failed)?;
            let answer = self.0.call1(&JsValue::NULL, &question).map_err(failed)?;
            let answer = JsFuture::from(Promise::resolve(&answer)).await.map_err(failed)?;
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
}
