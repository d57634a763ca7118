//! Tests a model endpoint with fixed questions, free of user data, and names what is wrong.

use super::{ChatResult, EndpointFault};
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemaUse {
    Strict,
    Json,
    None,
}

#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Features {
    /// How its last request asked for JSON.
    pub schema: Option<SchemaUse>,
    pub temperature: Option<bool>,
    pub tokens: bool,
    pub right: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeReport {
    pub ok: bool,
    /// A stable code for how it works or what is wrong.
    pub code: &'static str,
    pub detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<Features>,
    /// Duration in milliseconds.
    pub ms: u32,
}

/// Milliseconds above which an answer is slow.
const SLOW: u32 = 10_000;
const MAX_MESSAGE_CHARS: usize = 300;

#[derive(Debug, Default)]
pub struct EndpointProbe(RefCell<ProbeNote>);

#[derive(Debug, Default)]
struct ProbeNote {
    asked: Option<(SchemaUse, bool)>,
    said: String,
    fault: Option<EndpointFault>,
    text: String,
    counted: bool,
}

impl EndpointProbe {
    /// Two memories; the second contradicts the first.
    pub const PAIR: [&'static str; 2] =
        ["The Q1 marketing budget is 50 million won.", "Marketing gets 60 million won for Q1."];

    pub(super) fn asked(&self, asked: (SchemaUse, bool), said: String) {
        let mut heard = self.0.borrow_mut();
        heard.asked = Some(asked);
        heard.said = said;
    }

    pub fn answered(&self, done: &ChatResult) {
        let mut heard = self.0.borrow_mut();
        match done {
            Ok(reply) => {
                heard.text.clone_from(&reply.text);
                heard.counted |= reply.tokens > 0;
            }
            Err(fault) => heard.fault = Some(fault.clone()),
        }
    }

    /// The result: whether the decision was right, and the code of a refused answer. The key is
    /// removed from the message.
    pub fn report(&self, right: bool, refused: Option<&str>, ms: u32, key: Option<&str>) -> ProbeReport {
        let heard = self.0.borrow();
        let (schema, temperature) = heard.asked.unzip();
        let (ok, code, detail) = match (&heard.fault, refused) {
            (_, Some("timeout")) => (false, "timeout", String::new()),
            (Some(fault), _) => {
                let mut detail = message(&heard.said);
                if let Some(after) = fault.after {
                    detail.push_str(&format!(" ({} s)", after.div_ceil(1_000)));
                }
                (false, code_of(fault, &heard.said), detail)
            }
            (None, Some(refused)) => (false, "wrong_form", [refused, ": ", &message(&heard.text)].concat()),
            _ if ms > SLOW => (true, "slow", String::new()),
            _ if matches!(schema, Some(SchemaUse::Json | SchemaUse::None)) => (true, "downgraded", String::new()),
            _ => (true, "ok", String::new()),
        };
        let detail = match key.filter(|key| !key.is_empty()) {
            Some(key) => detail.replace(key, "•••"),
            None => detail,
        };
        let features = Some(Features { schema, temperature, tokens: heard.counted, right });
        ProbeReport { ok, code, detail, features, ms }
    }

    pub fn given_up(&self, ms: u32) -> ProbeReport {
        ProbeReport { ok: false, code: "aborted", detail: String::new(), features: None, ms }
    }
}

fn code_of(fault: &EndpointFault, said: &str) -> &'static str {
    let said = said.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let no_model = says(&["model"]) && says(&["not", "unknown", "invalid", "exist", "no such", "unsupported"]);
    match fault.code {
        "not_found" if says(&["model"]) => "no_such_model",
        "rejected" if says(&["apikey", "api key", "api_key", "api-key"]) => "unauthorized",
        "rejected" if no_model => "no_such_model",
        // A reply that is no JSON comes from a web page rather than an API.
        "not_json" => "not_an_api",
        code => code,
    }
}

/// The error message in a server's response, in one line. A web page says no more than its status.
fn message(said: &str) -> String {
    let start = said.trim_start().get(..5).unwrap_or_default();
    if start.starts_with("<!") || start.eq_ignore_ascii_case("<html") {
        return String::new();
    }
    let read: Value = crate::json::read(said, "reply").unwrap_or_default();
    let told = if read.is_array() { &read[0] } else { &read };
    let fields = [&told["error"]["message"], &told["message"], &told["error"], &told["detail"]];
    let text = fields.into_iter().find(|v| !v.is_null()).and_then(Value::as_str).unwrap_or(said);
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_MESSAGE_CHARS).collect()
}
