//! Endpoints without a full engine: a chat endpoint to call on behalf of another host, and a connection test.

use super::error::{read, text, to_js};
use super::model::{model, options, word};
use super::net::Net;
use super::options::OpenOptions;
use super::platform::Host;
use super::promise::{AbortSignal, gone};
use crate::decision::{Analyst, Decision, Reason};
use crate::embed::HashingEmbedder;
use crate::endpoint::{ChatEndpoint, ChatQuestion, EndpointFault, EndpointProbe};
use crate::engine::{Cancel, Consolidate, Engine, Platform};
use crate::model::Draft;
use crate::store::MemoryStore;
use crate::{Code, json};
use js_sys::Promise;
use serde::Deserialize;
use serde_json::Value;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

#[derive(Deserialize)]
struct ForwardedQuestion {
    system: String,
    examples: Vec<crate::decision::Example>,
    text: String,
    schema: Value,
}

#[wasm_bindgen]
#[derive(Debug)]
pub struct Chat(Rc<ChatEndpoint>);

#[wasm_bindgen]
impl Chat {
    #[wasm_bindgen(constructor)]
    pub fn new(#[wasm_bindgen(unchecked_param_type = "object")] options: JsValue) -> Result<Self, JsValue> {
        let given = text(&options, "endpoint").and_then(|text| json::read(&text, "endpoint"));
        let made = given.and_then(|given| ChatEndpoint::new(Rc::new(Net), &given, u32::MAX));
        made.map(|endpoint| Self(Rc::new(endpoint))).map_err(to_js)
    }

    /// Sends a question. On failure, the error has a `refusal` code. The signal's reason tells a cancellation from a
    /// timeout.
    #[wasm_bindgen(unchecked_return_type = "Promise<{ text: string; tokens: number }>")]
    pub fn ask(
        &self,
        #[wasm_bindgen(unchecked_param_type = "object")] question: JsValue,
        signal: AbortSignal,
    ) -> Promise {
        let endpoint = self.0.clone();
        future_to_promise(async move {
            let asked: ForwardedQuestion = read(&question, "question").map_err(to_js)?;
            let schema = json::write(&asked.schema).map_err(to_js)?;
            let ForwardedQuestion { system, examples, text, .. } = &asked;
            let work = async {
                let question = ChatQuestion { system, examples, text, schema: &schema, within: None };
                endpoint.answer(question).await.map_err(|fault| refusal(&fault))
            };
            let left = async {
                gone(Some(&signal)).await;
                let why = js_sys::Reflect::get(&signal, &"reason".into()).unwrap_or_default();
                let given_up = word(&why, "refusal").is_some_and(|why| why == "given_up");
                if !given_up {
                    endpoint.overdue();
                }
                Err(refusal(&EndpointFault::new(if given_up { "given_up" } else { "timeout" })))
            };
            let reply = futures_lite::future::or(work, left).await?;
            let answer = js_sys::Object::new();
            js_sys::Reflect::set(&answer, &"text".into(), &reply.text.into())?;
            js_sys::Reflect::set(&answer, &"tokens".into(), &reply.tokens.into())?;
            Ok(answer.into())
        })
    }
}

/// An error with a `refusal` code, as an application's analyst rejects with.
fn refusal(fault: &EndpointFault) -> JsValue {
    let error = js_sys::Error::new(fault.code);
    // Setting a property of a new object cannot fail.
    let _ = js_sys::Reflect::set(&error, &"refusal".into(), &fault.code.into());
    error.into()
}

/// Tests a model: asks one question about two sample notes in a temporary memory, and reports the result.
#[wasm_bindgen(js_name = probeModel, unchecked_return_type = "Promise<unknown>")]
pub fn probe_model(
    #[wasm_bindgen(unchecked_param_type = "object")] port: JsValue,
    signal: Option<AbortSignal>,
) -> Promise {
    super::promise::promise(async move {
        let probe = Rc::new(EndpointProbe::default());
        let key = options(&port, "endpoint")?.and_then(|given| given["key"].as_str().map(str::to_owned));
        let (model, _) = model(&port, Some(probe.clone()))?;
        let options: OpenOptions = json::read(r#"{"policy":{"mode":"accurate"}}"#, "options")?;
        let engine =
            Engine::open(MemoryStore::default(), HashingEmbedder, Host, options.engine()?).await?.with_model(model);
        let [known, next] =
            EndpointProbe::PAIR.map(|content| Draft { thread_id: Some("t".to_owned()), ..Draft::new(content) });
        engine.consolidate(known, &Consolidate::default()).await?;
        let aborted = || signal.as_ref().is_some_and(AbortSignal::aborted);
        let gone = || gone(signal.as_ref());
        let how = Consolidate { cancel: Cancel::when(&aborted).or_when(&gone), ..Consolidate::default() };
        let started = Host.ticks();
        let spent = || (Host.ticks() - started).round() as u32;
        let entry = match engine.consolidate(next, &how).await {
            Ok(receipt) => receipt.entry,
            Err(error) if error.code == Code::Aborted => return Ok(probe.given_up(spent())),
            Err(error) => return Err(error),
        };
        let refused = entry.reasons.iter().find_map(|reason| match reason {
            Reason::ModelRefused { error } => Some(error.as_ref()),
            _ => None,
        });
        let right = entry.analyst == Analyst::Model && entry.decision == Decision::Update;
        Ok(probe.report(right, refused, spent(), key.as_deref()))
    })
}
