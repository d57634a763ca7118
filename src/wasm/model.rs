//! Models and embedders from the application's options: callback functions or endpoints.
//!
//! A callback gets an `AbortSignal` that fires when its result is no longer needed.

use super::error::{text, write};
use super::net::Net;
use crate::decision::{Prompt, Refusal};
use crate::embed::{Judging, Making, Remote, TextKind, TextPair};
use crate::endpoint::{
    Breaker, ChatEndpoint, ChatResult, EmbeddingsEndpoint, EndpointFault, EndpointProbe, Host, form_of, guarded,
};
use crate::llm::{Answering, Form, Model, Reply};
use crate::{Error, Result, json};
use futures_lite::future::or;
use js_sys::{Array, Float32Array, Function, Promise, Reflect};
use serde_json::Value;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

fn field(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

pub(super) fn word(of: &JsValue, name: &str) -> Option<String> {
    field(of, name).as_string()
}

pub(super) fn options(port: &JsValue, what: &str) -> Result<Option<Value>> {
    match field(port, "endpoint") {
        none if none.is_undefined() => Ok(None),
        given => json::read(&text(&given, what)?, what).map(Some),
    }
}

/// The timeout in milliseconds, already validated by the TypeScript entry.
pub(super) fn patience(port: &JsValue) -> u32 {
    field(port, "patience").as_f64().unwrap_or_default() as u32
}

/// A running call of a callback; dropping it fires the callback's signal.
struct Call(AbortController);

impl Call {
    fn end(&self, why: &str) {
        let reason = js_sys::Error::new(why);
        // Setting a property of an object that was just made cannot fail.
        let _ = Reflect::set(&reason, &"refusal".into(), &why.into());
        self.0.abort_with_reason(&reason);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.0.signal().aborted() {
            self.end("given_up");
        }
    }
}

async fn call_function(
    function: &Function,
    given: &JsValue,
    more: &JsValue,
    ms: u32,
) -> std::result::Result<JsValue, EndpointFault> {
    let failed = |error: JsValue| EndpointFault::new(code(&word(&error, "refusal").unwrap_or_default()));
    let call = Call(AbortController::new().map_err(failed)?);
    let called = function.call3(&JsValue::NULL, given, &call.0.signal(), more).map_err(failed)?;
    let work = async { JsFuture::from(Promise::resolve(&called)).await.map_err(failed) };
    let late = async {
        Net.pause(ms).await;
        call.end("timeout");
        Err(EndpointFault::new("timeout"))
    };
    let done = or(work, late).await;
    // The call has ended, so its signal must not fire on drop.
    std::mem::forget(call);
    done
}

fn code(named: &str) -> &'static str {
    if named == "wrong_dimension" { "wrong_dimension" } else { Refusal::named(named).as_str() }
}

/// Creates a model from `{ask: (question, stop) => Promise<{text, tokens}>, tag?, origin?, form?, patience}` or
/// `{endpoint, tag?, patience}`. Also returns the prompt form for mail, if known.
pub(super) fn model(port: &JsValue, probe: Option<Rc<EndpointProbe>>) -> Result<(Rc<dyn Model>, Option<Form>)> {
    let tag = word(port, "tag");
    if let Some(given) = options(port, "endpoint")? {
        let endpoint = ChatEndpoint::new(Rc::new(Net), &given, patience(port))?.tagged(tag).probed(probe);
        let form = endpoint.form();
        return Ok((Rc::new(endpoint), Some(form)));
    }
    let form = match (word(port, "form").as_deref(), tag.as_deref()) {
        (Some("short"), _) => Some(Form::Short),
        (Some("full"), _) => Some(Form::Full),
        // An endpoint that another host calls.
        (Some("guess"), Some(name)) => Some(form_of(name)),
        _ => None,
    };
    let function = field(port, "ask").dyn_into().map_err(|_| Error::field("analyst", "is not a function"))?;
    let (origin, patience) = (word(port, "origin"), patience(port));
    Ok((Rc::new(HostModel { function, name: tag, origin, patience, probe }), form))
}

#[derive(Debug)]
struct HostModel {
    function: Function,
    name: Option<String>,
    origin: Option<String>,
    /// Timeout in whole milliseconds: a float would link float formatting into the wasm file.
    patience: u32,
    probe: Option<Rc<EndpointProbe>>,
}

impl HostModel {
    async fn answer(&self, prompt: &Prompt) -> ChatResult {
        let failed = || EndpointFault::new(Refusal::Failed.as_str());
        let question = write(prompt).map_err(|_| failed())?;
        let patience = prompt.within.map_or(self.patience, |left| (left as u32).min(self.patience));
        let answer = call_function(&self.function, &question, &JsValue::UNDEFINED, patience).await?;
        let text = word(&answer, "text").ok_or_else(failed)?;
        let tokens = field(&answer, "tokens").as_f64().filter(|n| n.fract() == 0.0).unwrap_or_default() as u32;
        Ok(Reply { text, tokens })
    }
}

impl Model for HostModel {
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a> {
        Box::pin(async move {
            let done = self.answer(prompt).await;
            if let Some(probe) = &self.probe {
                probe.answered(&done);
            }
            done.map_err(|fault| Refusal::named(fault.code))
        })
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    fn patience(&self) -> Option<f64> {
        Some(f64::from(self.patience))
    }
}

/// Creates an embedder from `{model, dimensions?, local?, embed: (texts, stop, kind) => Promise<{vectors: Float32Array,
/// dimensions}>, patience}` or `{endpoint, patience}`. The optional `judge: (pairs, stop) => Promise<Float32Array>` is a
/// classification head.
pub(super) fn embedder(port: &JsValue) -> Result<Rc<dyn Remote>> {
    if let Some(given) = options(port, "embeddings")? {
        return Ok(Rc::new(EmbeddingsEndpoint::new(Rc::new(Net), &given, patience(port))?));
    }
    let dimensions = field(port, "dimensions").as_f64().map(|d| d as usize);
    match (word(port, "model"), field(port, "embed").dyn_into()) {
        (Some(model), Ok(embed)) => {
            let (judge, is_local) = (field(port, "judge").dyn_into().ok(), field(port, "local").is_truthy());
            let (patience, [breaker, judge_breaker]) = (patience(port), Default::default());
            Ok(Rc::new(HostEmbedder { model, dimensions, is_local, embed, judge, patience, breaker, judge_breaker }))
        }
        _ => Err(Error::field("embedder", "is not an embedder")),
    }
}

#[derive(Debug)]
struct HostEmbedder {
    model: String,
    dimensions: Option<usize>,
    is_local: bool,
    embed: Function,
    judge: Option<Function>,
    patience: u32,
    breaker: Breaker,
    judge_breaker: Breaker,
}

impl Remote for HostEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    fn is_local(&self) -> bool {
        self.is_local
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str], kind: TextKind) -> Making<'a> {
        Box::pin(async move {
            let list: Array = texts.iter().map(|text| JsValue::from_str(text)).collect();
            let kind = JsValue::from_str(kind.as_str());
            let work = Box::pin(rows(&self.embed, &list, &kind, self.patience));
            // `answer` has the timeout, so this one is unlimited.
            guarded(&Net, &self.breaker, u32::MAX, texts.len(), work).await
        })
    }

    fn judges(&self) -> bool {
        self.judge.is_some()
    }

    fn judge<'a>(&'a self, pairs: &'a [TextPair<'a>]) -> Judging<'a> {
        Box::pin(async move {
            let Some(judge) = &self.judge else { return Ok(Vec::new()) };
            let list: Array =
                pairs.iter().map(|p| Array::of3(&p.stored.into(), &p.new.into(), &p.is_one_thread.into())).collect();
            let work = Box::pin(async {
                let logs = call_function(judge, &list, &JsValue::UNDEFINED, self.patience).await?;
                let logs = logs.dyn_into::<Float32Array>();
                logs.map(|logs| logs.to_vec()).map_err(|_| EndpointFault::new(Refusal::Failed.as_str()))
            });
            guarded(&Net, &self.judge_breaker, u32::MAX, pairs.len(), work).await
        })
    }
}

async fn rows(
    function: &Function,
    given: &JsValue,
    more: &JsValue,
    ms: u32,
) -> std::result::Result<Vec<Vec<f32>>, EndpointFault> {
    let made = call_function(function, given, more, ms).await?;
    match (field(&made, "vectors").dyn_into::<Float32Array>(), field(&made, "dimensions").as_f64()) {
        (Ok(vectors), Some(wide)) if wide >= 1.0 => {
            Ok(vectors.to_vec().chunks(wide as usize).map(<[f32]>::to_vec).collect())
        }
        _ => Err(EndpointFault::new(Refusal::Failed.as_str())),
    }
}
