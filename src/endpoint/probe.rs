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
    let of_key = || said.match_indices("api").any(|(at, _)| follows(&said[at + 3..], &["key"], 1));
    let of_model = || {
        let model = said.match_indices("model");
        let unknown = ["unknown", "invalid", "no such", "unsupported"];
        model.into_iter().any(|(at, _)| follows(&said[at + 5..], &["not", "unknown", "invalid", "exist"], 80))
            || unknown
                .iter()
                .any(|word| said.match_indices(word).any(|(at, _)| follows(&said[at + word.len()..], &["model"], 20)))
    };
    match fault.code {
        "not_found" if said.contains("model") => "no_such_model",
        "rejected" if of_key() => "unauthorized",
        "rejected" if of_model() => "no_such_model",
        // An answer that is no JSON at all comes from a page, not from an interface for programs.
        "not_json" => "not_an_api",
        code => code,
    }
}

/// Whether one of the words begins within so many characters of a text.
fn follows(text: &str, words: &[&str], within: usize) -> bool {
    text.char_indices().take(within + 1).any(|(at, _)| words.iter().any(|word| text[at..].starts_with(word)))
}

/// The message within what a server said, in one line.
fn message(said: &str) -> String {
    let read: Value = crate::json::read(said, "reply").unwrap_or_default();
    let told = if read.is_array() { &read[0] } else { &read };
    let fields = [&told["error"]["message"], &told["message"], &told["error"], &told["detail"]];
    let text = fields.into_iter().find(|v| !v.is_null()).and_then(Value::as_str).unwrap_or(said);
    let words = without_tags(text);
    words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MOST).collect()
}

/// A text with a blank for each tag, and for what no page shows.
fn without_tags(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(open) = text[at..].find('<') {
        let start = at + open;
        out.push_str(&text[at..start]);
        let hidden = ["style", "script", "title"].into_iter().find_map(|name| {
            lower[start + 1..].starts_with(name).then_some(())?;
            let end = ["</", name, ">"].concat();
            lower[start..].find(&end).map(|n| start + n + end.len())
        });
        match hidden.or_else(|| text[start..].find('>').map(|n| start + n + 1)) {
            Some(end) => {
                out.push(' ');
                at = end;
            }
            None => {
                at = start;
                break;
            }
        }
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Reply;

    fn told(fault: EndpointFault, said: &str) -> (&'static str, String) {
        let probe = EndpointProbe::default();
        probe.asked((SchemaUse::Strict, true), said.to_owned());
        probe.answered(&Err(fault));
        let report = probe.report(false, Some("failed"), 5, Some("k-123"));
        assert!(!report.ok);
        (report.code, report.detail)
    }

    #[test]
    fn what_is_wrong_is_told_by_its_code_and_in_the_servers_words() {
        let of = |code, status| EndpointFault { status, ..EndpointFault::new(code) };
        let cases = [
            (
                of("unauthorized", 401),
                r#"{"error":{"message":"Incorrect key: k-123."}}"#,
                "unauthorized",
                "Incorrect key: •••.",
            ),
            (
                of("rejected", 400),
                r#"[{"error":{"message":"API key not valid."}}]"#,
                "unauthorized",
                "API key not valid.",
            ),
            (of("not_found", 404), "<html><title>x</title><h1>Not\n Found</h1>", "not_found", "Not Found"),
            (
                of("not_found", 404),
                r#"{"error":{"message":"model m not found"}}"#,
                "no_such_model",
                "model m not found",
            ),
            (
                of("rejected", 400),
                r#"{"error":"The model m does not exist"}"#,
                "no_such_model",
                "The model m does not exist",
            ),
            (of("rejected", 400), r#"{"detail":"unknown  model"}"#, "no_such_model", "unknown model"),
            (of("rejected", 400), r#"{"error":{"code":7}}"#, "rejected", r#"{"error":{"code":7}}"#),
            (of("rejected", 400), "a < b", "rejected", "a < b"),
            (of("not_json", 0), "", "not_an_api", ""),
        ];
        for (fault, said, code, detail) in cases {
            assert_eq!(told(fault, said), (code, detail.to_owned()), "{said}");
        }
        let busy = EndpointFault { after: Some(19_100), ..of("rate_limited", 429) };
        assert_eq!(told(busy, r#"{"message":"quota"}"#), ("rate_limited", "quota (20 s)".to_owned()));
        assert_eq!(told(of("rejected", 400), &"가".repeat(999)).1.chars().count(), MOST);
    }

    #[test]
    fn what_works_is_told_with_how() {
        let answered = |asked, tokens| {
            let probe = EndpointProbe::default();
            probe.asked(asked, String::new());
            probe.answered(&Ok(Reply { text: "x".to_owned(), tokens }));
            probe
        };
        let good = answered((SchemaUse::Strict, true), 40).report(true, None, 5, None);
        let features =
            Some(Features { schema: Some(SchemaUse::Strict), temperature: Some(true), tokens: true, right: true });
        assert_eq!(good, ProbeReport { ok: true, code: "ok", detail: String::new(), features, ms: 5 });
        assert_eq!(answered((SchemaUse::None, false), 0).report(true, None, 5, None).code, "downgraded");
        assert_eq!(answered((SchemaUse::Strict, true), 0).report(true, None, 10_001, None).code, "slow");
        let form = answered((SchemaUse::Strict, true), 0).report(false, Some("malformed"), 5, None);
        assert_eq!((form.ok, form.code, form.detail.as_str()), (false, "wrong_form", "malformed: x"));
        assert_eq!(answered((SchemaUse::Strict, true), 0).report(false, Some("timeout"), 5, None).code, "timeout");
    }
}
