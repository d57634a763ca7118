//! Trying a model out: what it is asked, and what is wrong where something is. What is asked holds nothing of the user's.

use super::{Chatted, EndpointFault};
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;

/// How a reply's form is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemaUse {
    /// By its JSON schema.
    Strict,
    /// As JSON.
    Json,
    /// In words alone.
    None,
}

/// What an endpoint was found to take and to give.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Features {
    /// How the form of its last reply was asked for.
    pub schema: Option<SchemaUse>,
    /// Whether it takes a temperature.
    pub temperature: Option<bool>,
    /// Whether it tells the tokens that were used.
    pub tokens: bool,
    /// Whether the answer was right.
    pub right: bool,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeReport {
    /// Whether it works.
    pub ok: bool,
    /// A stable code of how it works, or of what is wrong.
    pub code: &'static str,
    /// What the endpoint said, in one line.
    pub detail: String,
    /// What it takes and gives, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<Features>,
    /// Milliseconds that it took.
    pub ms: u32,
}

/// Milliseconds past which an answer is slow.
const SLOW: u32 = 10_000;
/// Characters of what an endpoint says that are told.
const MOST: usize = 300;

/// Listens to a model that is tried out.
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
    /// The two memories of which the second raises a question.
    pub const PAIR: [&'static str; 2] =
        ["The Q1 marketing budget is 50 million won.", "Marketing gets 60 million won for Q1."];

    pub(super) fn asked(&self, asked: (SchemaUse, bool), said: String) {
        let mut heard = self.0.borrow_mut();
        heard.asked = Some(asked);
        heard.said = said;
    }

    /// Takes note of an answer.
    pub fn answered(&self, done: &Chatted) {
        let mut heard = self.0.borrow_mut();
        match done {
            Ok(reply) => {
                heard.text.clone_from(&reply.text);
                heard.counted |= reply.tokens > 0;
            }
            Err(fault) => heard.fault = Some(fault.clone()),
        }
    }

    /// What came of it: whether the decision was right, and the code for which the answer was refused, if it was. The key is
    /// left out of what was said.
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

    /// What is told to one who did not wait.
    pub fn given_up(&self, ms: u32) -> ProbeReport {
        ProbeReport { ok: false, code: "aborted", detail: String::new(), features: None, ms }
    }
}

/// The code of what went wrong on the way.
fn code_of(fault: &EndpointFault, said: &str) -> &'static str {
    let said = said.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let no_model = says(&["model"]) && says(&["not", "unknown", "invalid", "exist", "no such", "unsupported"]);
    match fault.code {
        "not_found" if says(&["model"]) => "no_such_model",
        "rejected" if says(&["apikey", "api key", "api_key", "api-key"]) => "unauthorized",
        "rejected" if no_model => "no_such_model",
        // An answer that is no JSON at all comes from a page, not from an interface for programs.
        "not_json" => "not_an_api",
        code => code,
    }
}

/// The message within a server's answer, in one line.
fn message(said: &str) -> String {
    let read: Value = crate::json::read(said, "reply").unwrap_or_default();
    let told = if read.is_array() { &read[0] } else { &read };
    let fields = [&told["error"]["message"], &told["message"], &told["error"], &told["detail"]];
    let text = fields.into_iter().find(|v| !v.is_null()).and_then(Value::as_str).unwrap_or(said);
    without_tags(text).split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MOST).collect()
}

/// A text with a blank for each tag, and for the text that no page shows.
fn without_tags(text: &str) -> String {
    let mut pieces = text.split('<');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once('>') {
            Some((tag, _)) if ["style", "script", "title"].iter().any(|hidden| tag.starts_with(hidden)) => {
                out.push(' ')
            }
            Some((_, text)) => out.extend([" ", text]),
            None => out.extend(["<", piece]),
        }
    }
    out
}
