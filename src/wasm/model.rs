//! A model and an embedder that the application brings: JavaScript functions behind the ports.
//!
//! The functions are the entry's, which keeps the time and never rejects; what they give is checked elsewhere.

use super::error::write;
use crate::decision::{Prompt, Refusal};
use crate::embed::{Making, Nearest, Remote, Unmade};
use crate::llm::{Answering, Model, Reply};
use crate::{Error, Result};
use js_sys::{Array, Float32Array, Function, Promise, Reflect};
use wasm_bindgen::JsCast;
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

/// What a function of the entry gives, within so many milliseconds where they are fewer than its own; it is told when
/// nobody waits for it any more.
async fn answer(function: &Function, given: &JsValue, within: Option<f64>) -> Result<JsValue, JsValue> {
    let controller = AbortController::new();
    let signal = controller.signal();
    let mut stop = Stop(Some(controller));
    let within = within.map_or(JsValue::UNDEFINED, JsValue::from);
    let called = function.call3(&JsValue::NULL, given, &within, &signal)?;
    let answer = JsFuture::from(Promise::resolve(&called)).await?;
    stop.0 = None;
    Ok(answer)
}

/// `(question, within, stop) => Promise<{text, tokens} | {refusal}>`, with `tag`, `origin` and
/// `patience` as properties.
#[derive(Debug)]
pub(super) struct Callback {
    function: Function,
    name: Option<String>,
    origin: Option<String>,
    /// Whole milliseconds: a float in here would bring the printing of floats along.
    patience: Option<u32>,
}

impl From<Function> for Callback {
    fn from(function: Function) -> Self {
        let of = |name: &str| Reflect::get(&function, &name.into()).ok();
        let word = |name: &str| of(name).and_then(|v| v.as_string());
        let (name, origin) = (word("tag"), word("origin"));
        let patience = of("patience").and_then(|v| v.as_f64()).map(|ms| ms as u32);
        Self { function, name, origin, patience }
    }
}

impl Model for Callback {
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a> {
        Box::pin(async move {
            let failed = |_| Refusal::Failed;
            let question = write(prompt).map_err(|_| Refusal::Failed)?;
            let answer = answer(&self.function, &question, prompt.within).await.map_err(failed)?;
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

    fn patience(&self) -> Option<f64> {
        self.patience.map(f64::from)
    }
}

/// `{model, origin?, dimensions?, embed: (texts, within, stop) => Promise<{vectors: Float32Array, dimensions} | {refusal}>}`,
/// with `nearest: (vector, within, stop) => Promise<{ids, vectors, dimensions} | {refusal}>` where they are kept elsewhere.
#[derive(Debug)]
pub(super) struct Elsewhere {
    model: String,
    origin: Option<String>,
    dimensions: Option<usize>,
    embed: Function,
    nearest: Option<Function>,
}

impl Elsewhere {
    /// The embedder that the entry describes.
    pub fn new(port: &JsValue) -> Result<Self> {
        let field = |name: &str| Reflect::get(port, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let dimensions = field("dimensions").as_f64().map(|d| d as usize);
        match (field("model").as_string(), field("embed").dyn_into()) {
            (Some(model), Ok(embed)) => {
                let (origin, nearest) = (field("origin").as_string(), field("nearest").dyn_into().ok());
                Ok(Self { model, origin, dimensions, embed, nearest })
            }
            _ => Err(Error::field("embedder", "is not an embedder")),
        }
    }
}

impl Remote for Elsewhere {
    fn model(&self) -> &str {
        &self.model
    }

    fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Making<'a> {
        Box::pin(async move {
            let list: Array = texts.iter().map(|text| JsValue::from_str(text)).collect();
            Ok(rows(&self.embed, &list).await?.1)
        })
    }

    fn keeps(&self) -> bool {
        self.nearest.is_some()
    }

    fn nearest<'a>(&'a self, vector: &'a [f32]) -> Nearest<'a> {
        Box::pin(async move {
            let Some(nearest) = &self.nearest else { return Ok(Default::default()) };
            let (made, vectors) = rows(nearest, &Float32Array::from(vector)).await?;
            let ids = Reflect::get(&made, &"ids".into()).map(|ids| Array::from(&ids)).unwrap_or_default();
            // One that is no id of ours is paired with nothing, and the pairs with it.
            let ids = ids.iter().filter_map(|id| id.as_string()?.parse().ok()).collect();
            Ok((ids, vectors))
        })
    }
}

/// What a function of the entry gives, with the vectors in it.
async fn rows(function: &Function, given: &JsValue) -> Result<(JsValue, Vec<Vec<f32>>), Unmade> {
    let made = answer(function, given, None).await.map_err(|_| Unmade::new(Refusal::Failed.as_str()))?;
    let field = |name: &str| Reflect::get(&made, &name.into()).unwrap_or(JsValue::UNDEFINED);
    match (field("vectors").dyn_into::<Float32Array>(), field("dimensions").as_f64()) {
        (Ok(vectors), Some(wide)) if wide >= 1.0 => {
            let vectors = vectors.to_vec().chunks(wide as usize).map(<[f32]>::to_vec).collect();
            Ok((made, vectors))
        }
        _ => {
            let refusal = field("refusal").as_string();
            Err(Unmade::new(refusal.unwrap_or_else(|| Refusal::Failed.as_str().to_owned())))
        }
    }
}
