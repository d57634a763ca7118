//! The JavaScript API for sessions, queries, tags and the sleep cycle.

use super::class::{JsEngine, methods, parse_id};
use super::error::read_as;
use super::promise::AbortSignal;
use crate::Error;
use crate::engine::{NodeQuery, SleepOptions};
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

methods! {
    upsertQuery = upsert_query(text: String, options: Ts<SessionOptions>) -> "Promise<Memory>",
        async move |engine| engine.upsert_query(&text, read_as(&options, "options")?.session()).await;
    upsertTag = upsert_tag(name: String, options: Ts<SessionOptions>) -> "Promise<Memory>",
        async move |engine| engine.upsert_tag(&name, read_as(&options, "options")?.session()).await;
    linkTagToQuery = link_tag_to_query(tag: String, query: String, options: Ts<SessionOptions>) -> "Promise<Edge>",
        async move |engine| {
            let options = read_as(&options, "options")?;
            let weight = options.weight.unwrap_or(0.5);
            engine.link_tag_to_query(parse_id(&tag)?, parse_id(&query)?, weight, options.session()).await
        };
    getEdges = get_edges(node: String, options: Ts<SessionOptions>) -> "Promise<Edge[]>", async move |engine| {
        engine.edges_at(parse_id(&node)?, read_as(&options, "options")?.session.as_deref()).await
    };
    nodes = nodes(query: Ts<NodeQuery>) -> "Promise<NodeHit[]>",
        async move |engine| engine.nodes(&read_as(&query, "query")?).await;
    feedback = feedback(memory: String, word: String, options: Ts<SessionOptions>) -> "Promise<Memory>",
        async move |engine| {
            let options = read_as(&options, "options")?;
            let up = match word.as_str() {
                "up" => true,
                "down" => false,
                _ => return Err(Error::field("word", "is not `up` or `down`")),
            };
            let within = options.query.as_deref().map(|_| options.session());
            engine.feedback(parse_id(&memory)?, up, options.query.as_deref(), within).await
        };
    waitForTagging = wait_for_tagging(options: Ts<SessionOptions>) -> "Promise<Memory[]>",
        async move |engine| engine.wait_for_tagging(read_as(&options, "options")?.session()).await;
    finalizeSession = finalize_session(options: Ts<SessionOptions>) -> "Promise<Finalized>",
        async move |engine| engine.finalize_session(read_as(&options, "options")?.session()).await;
    collectMergeCandidates = collect_merge_candidates(options: Ts<SleepOptions>) -> "Promise<MergeCandidates[]>",
        async move |engine| engine.collect_merge_candidates(&read_as(&options, "options")?).await;
    runSleepCycle = run_sleep_cycle(options: Ts<SleepOptions>; signal) -> "Promise<SleepReport>",
        async move |engine, cancel| engine.run_sleep_cycle(&read_as(&options, "options")?, cancel).await;
    pulse = pulse(days: u32) -> "Promise<Pulse>", async move |engine| engine.pulse(days).await;
}
