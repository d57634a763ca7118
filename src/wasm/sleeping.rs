//! The JavaScript API for sessions, queries, tags and the sleep cycle.

use super::class::{JsEngine, parse_id};
use super::error::read;
use super::promise::AbortSignal;
use crate::engine::{NodeQuery, SleepOptions};
use crate::{Error, Result};
use js_sys::Promise;
use serde::{Deserialize, Serialize};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

/// The session and details of a query, tag, link or feedback.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionOptions {
    /// The session id, 1 to 64 of A–Z, a–z, 0–9, `-`, `_`, `.`; by default `default` (for `graph.edges`: the long-term
    /// graph).
    pub session: Option<String>,
    /// For a link: its weight, 0–1; 0.5 by default.
    pub weight: Option<f32>,
    /// For feedback: the query that found the memory.
    pub query: Option<String>,
}

impl SessionOptions {
    fn session(&self) -> &str {
        self.session.as_deref().unwrap_or("default")
    }
}

#[wasm_bindgen(js_class = Engine)]
impl JsEngine {
    #[wasm_bindgen(js_name = upsertQuery, unchecked_return_type = "Promise<Memory>")]
    pub fn upsert_query(&self, text: String, options: Ts<SessionOptions>) -> Promise {
        self.run(async move |engine| engine.upsert_query(&text, session(&options)?.session()).await)
    }

    #[wasm_bindgen(js_name = upsertTag, unchecked_return_type = "Promise<Memory>")]
    pub fn upsert_tag(&self, name: String, options: Ts<SessionOptions>) -> Promise {
        self.run(async move |engine| engine.upsert_tag(&name, session(&options)?.session()).await)
    }

    #[wasm_bindgen(js_name = linkTagToQuery, unchecked_return_type = "Promise<Edge>")]
    pub fn link_tag_to_query(&self, tag: String, query: String, options: Ts<SessionOptions>) -> Promise {
        self.run(async move |engine| {
            let options = session(&options)?;
            let weight = options.weight.unwrap_or(0.5);
            engine.link_tag_to_query(parse_id(&tag)?, parse_id(&query)?, weight, options.session()).await
        })
    }

    #[wasm_bindgen(js_name = getEdges, unchecked_return_type = "Promise<Edge[]>")]
    pub fn get_edges(&self, node: String, options: Ts<SessionOptions>) -> Promise {
        self.run(async move |engine| engine.edges_at(parse_id(&node)?, session(&options)?.session.as_deref()).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<NodeHit[]>")]
    pub fn nodes(&self, query: Ts<NodeQuery>) -> Promise {
        self.run(async move |engine| engine.nodes(&read(&query.js_value(), "query")?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Memory>")]
    pub fn feedback(&self, memory: String, word: String, options: Ts<SessionOptions>) -> Promise {
        self.run(async move |engine| {
            let options = session(&options)?;
            let up = match word.as_str() {
                "up" => true,
                "down" => false,
                _ => return Err(Error::field("word", "is not `up` or `down`")),
            };
            let within = options.query.as_deref().map(|_| options.session());
            engine.feedback(parse_id(&memory)?, up, options.query.as_deref(), within).await
        })
    }

    #[wasm_bindgen(js_name = waitForTagging, unchecked_return_type = "Promise<Memory[]>")]
    pub fn wait_for_tagging(&self, options: Ts<SessionOptions>) -> Promise {
        self.run(async move |engine| engine.wait_for_tagging(session(&options)?.session()).await)
    }

    #[wasm_bindgen(js_name = finalizeSession, unchecked_return_type = "Promise<Finalized>")]
    pub fn finalize_session(&self, options: Ts<SessionOptions>) -> Promise {
        self.run(async move |engine| engine.finalize_session(session(&options)?.session()).await)
    }

    #[wasm_bindgen(js_name = collectMergeCandidates, unchecked_return_type = "Promise<MergeCandidates[]>")]
    pub fn collect_merge_candidates(&self, options: Ts<SleepOptions>) -> Promise {
        self.run(async move |engine| engine.collect_merge_candidates(&read(&options.js_value(), "options")?).await)
    }

    #[wasm_bindgen(js_name = runSleepCycle, unchecked_return_type = "Promise<SleepReport>")]
    pub fn run_sleep_cycle(&self, options: Ts<SleepOptions>, signal: Option<AbortSignal>) -> Promise {
        self.run_until(signal, async move |engine, cancel| {
            engine.run_sleep_cycle(&read(&options.js_value(), "options")?, cancel).await
        })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Pulse>")]
    pub fn pulse(&self, days: u32) -> Promise {
        self.run(async move |engine| engine.pulse(days).await)
    }
}

fn session(options: &Ts<SessionOptions>) -> Result<SessionOptions> {
    read(&options.js_value(), "options")
}
