//! A model endpoint behind the model port, in three dialects. It carries questions and replies and judges neither.

use super::breaker::Tries;
use super::options::{Dialect, Named, bearer, ending, of_model};
use super::transport::post;
use super::{Breaker, Chatted, EndpointFault, EndpointProbe, Host, Request, SchemaUse, Wait, in_time, secret};
use crate::decision::{Example, Prompt, Refusal};
use crate::llm::{Answering, Form, Model, Reply};
use crate::{Error, Result};
use serde_json::Value;
use std::cell::Cell;
use std::rc::Rc;

/// Bytes of a response that are read.
const MOST: usize = 1024 * 1024;

/// What is asked, in words.
#[derive(Debug, Clone, Copy)]
pub struct ChatQuestion<'a> {
    /// What is to be done.
    pub system: &'a str,
    /// Answered questions.
    pub examples: &'a [Example],
    /// The question itself.
    pub text: &'a str,
    /// The JSON schema of the reply, as JSON text.
    pub schema: &'a str,
    /// Milliseconds that are left, where they are fewer than the endpoint's own.
    pub within: Option<f64>,
}

impl<'a> From<&'a Prompt> for ChatQuestion<'a> {
    fn from(prompt: &'a Prompt) -> Self {
        let Prompt { system, examples, text, schema, within, .. } = prompt;
        Self { system, examples, text, schema, within: *within }
    }
}

/// How chat is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chat {
    OpenAi,
    Anthropic,
    Gemini,
}

/// How a reply is asked for beside its text: its schema, and a temperature.
type RequestForm = (SchemaUse, bool);

impl Dialect for Chat {
    const NAMES: &'static [(&'static str, Self)] =
        &[("openai", Self::OpenAi), ("anthropic", Self::Anthropic), ("gemini", Self::Gemini)];
    const MORE: &'static [&'static str] = &["form"];
    const FIELD: &'static str = "endpoint";

    fn path(self, base: &str, model: &str) -> String {
        match self {
            Self::OpenAi => ending(base, "/chat/completions"),
            Self::Anthropic if base.ends_with("/messages") => base.to_owned(),
            Self::Anthropic => [base.strip_suffix("/v1").unwrap_or(base), "/v1/messages"].concat(),
            Self::Gemini => of_model(base, model, ":generateContent"),
        }
    }

    fn headers(self, key: &str, hostname: &str) -> Vec<(&'static str, String)> {
        match self {
            Self::OpenAi => bearer(key, hostname),
            Self::Anthropic => vec![
                ("x-api-key", key.to_owned()),
                ("anthropic-version", "2023-06-01".to_owned()),
                ("anthropic-dangerous-direct-browser-access", "true".to_owned()),
            ],
            Self::Gemini => vec![("x-goog-api-key", key.to_owned())],
        }
    }
}

impl Chat {
    /// The forms of a request, the strictest first. Some models take no temperature but their own.
    const fn forms(self) -> &'static [RequestForm] {
        use SchemaUse::{Json, None, Strict};
        match self {
            Self::OpenAi => &[(Strict, true), (Json, true), (None, true), (None, false)],
            Self::Anthropic => &[(Strict, true), (None, true), (None, false)],
            Self::Gemini => &[(Strict, true), (Json, true), (None, true)],
        }
    }

    /// The body of a request, as text, so that the fields of the schema keep their order: a model fills them in it.
    fn body(self, model: &str, question: ChatQuestion<'_>, (schema, warm): RequestForm) -> String {
        let quoted = |text: &str| crate::json::write(text).unwrap_or_default();
        let assistant = if self == Self::Gemini { "model" } else { "assistant" };
        let examples =
            question.examples.iter().flat_map(|e| [("user", e.text.as_str()), (assistant, e.reply.as_str())]);
        let turns = examples.chain([("user", question.text)]);
        let (model, system, given) = (quoted(model), quoted(question.system), question.schema);
        let temperature = if warm { r#","temperature":0"# } else { "" };
        let said = |turns: &mut dyn Iterator<Item = (&str, &str)>| {
            let turns: Vec<String> = turns.map(|(role, text)| message(self, role, &quoted(text))).collect();
            turns.join(",")
        };
        match self {
            Self::OpenAi => {
                let turns = said(&mut [("system", question.system)].into_iter().chain(turns));
                let form = match schema {
                    SchemaUse::Strict => format!(
                        r#","response_format":{{"type":"json_schema","json_schema":{{"name":"proposal","strict":true,"schema":{given}}}}}"#
                    ),
                    SchemaUse::Json => r#","response_format":{"type":"json_object"}"#.to_owned(),
                    SchemaUse::None => String::new(),
                };
                format!(r#"{{"model":{model}{temperature},"messages":[{turns}]{form}}}"#)
            }
            Self::Anthropic => {
                let turns = said(&mut { turns });
                let form = match schema {
                    SchemaUse::Strict => {
                        format!(r#","output_config":{{"format":{{"type":"json_schema","schema":{given}}}}}"#)
                    }
                    _ => String::new(),
                };
                format!(
                    r#"{{"model":{model},"max_tokens":2048{temperature},"system":{system},"messages":[{turns}]{form}}}"#
                )
            }
            Self::Gemini => {
                let turns = said(&mut { turns });
                let form = match schema {
                    SchemaUse::Strict => {
                        format!(r#","responseMimeType":"application/json","responseSchema":{}"#, plain(given))
                    }
                    SchemaUse::Json => r#","responseMimeType":"application/json""#.to_owned(),
                    SchemaUse::None => String::new(),
                };
                format!(
                    r#"{{"systemInstruction":{{"parts":[{{"text":{system}}}]}},"contents":[{turns}],"generationConfig":{{"temperature":0{form}}}}}"#
                )
            }
        }
    }

    /// The text of a reply; empty where there is none.
    fn text(self, reply: &Value) -> String {
        match self {
            Self::OpenAi => match &reply["choices"][0]["message"]["content"] {
                Value::String(text) => text.clone(),
                parts => joined(parts),
            },
            Self::Anthropic => joined(&reply["content"]),
            Self::Gemini => joined(&reply["candidates"][0]["content"]["parts"]),
        }
    }

    /// The tokens that a reply used; 0 where it does not say.
    fn tokens(self, reply: &Value) -> u32 {
        let of = |n: &Value| n.as_f64().filter(|n| n.fract() == 0.0).unwrap_or_default();
        let used = match self {
            Self::OpenAi => of(&reply["usage"]["total_tokens"]),
            Self::Anthropic => of(&reply["usage"]["input_tokens"]) + of(&reply["usage"]["output_tokens"]),
            Self::Gemini => of(&reply["usageMetadata"]["totalTokenCount"]),
        };
        used as u32
    }
}

fn message(dialect: Chat, role: &str, text: &str) -> String {
    match dialect {
        Chat::Gemini => format!(r#"{{"role":"{role}","parts":[{{"text":{text}}}]}}"#),
        _ => format!(r#"{{"role":"{role}","content":{text}}}"#),
    }
}

/// The texts of the parts of a reply.
fn joined(parts: &Value) -> String {
    let parts = parts.as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter_map(|part| part.as_str().or(part["text"].as_str())).collect()
}

/// The schema in the words of Gemini's older `responseSchema`: `nullable` instead of a type of null.
fn plain(schema: &str) -> String {
    let read: Value = crate::json::read(schema, "schema").unwrap_or_default();
    crate::json::write(&without_null(read)).unwrap_or_default()
}

fn without_null(value: Value) -> Value {
    match value {
        Value::Array(list) => list.into_iter().map(without_null).collect(),
        Value::Object(fields) => {
            let mut out = serde_json::Map::new();
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("additionalProperties", _) => {}
                    ("type", Value::Array(types)) => {
                        out.insert(name, types.into_iter().next().unwrap_or_default());
                        out.insert("nullable".to_owned(), Value::Bool(true));
                    }
                    ("enum", Value::Array(words)) => {
                        out.insert(name, words.into_iter().filter(|word| !word.is_null()).collect());
                    }
                    (_, value) => {
                        out.insert(name, without_null(value));
                    }
                }
            }
            Value::Object(out)
        }
        other => other,
    }
}

/// Billions of parameters up to which a model is asked in short.
const SMALL: f64 = 8.0;

/// How a model is asked, guessed by its name: in short where that tells a small one (`llama3.2:3b`, `gemma-2-2b-it`).
pub fn form_of(model: &str) -> Form {
    let model = model.to_ascii_lowercase();
    let letter = |b: &u8| b.is_ascii_lowercase();
    let small = |(at, _): (usize, char)| {
        let (before, from) = model.as_bytes().split_at(at);
        let before = before.strip_suffix(b"e").unwrap_or(before);
        let long = from.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let billions = model[at..at + long].parse::<f64>().ok();
        let apart = before.last().is_none_or(|b| !letter(b) && !b.is_ascii_digit() && *b != b'.');
        let ends = from.get(long) == Some(&b'b') && !from.get(long + 1).is_some_and(letter);
        apart && ends && billions.is_some_and(|billions| billions <= SMALL)
    };
    let nano = |(at, _): (usize, &str)| {
        let (before, after) = (&model[..at], &model[at + 4..]);
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        // A small one, but no model of so few parameters.
        let of_gpt = before
            .strip_suffix('-')
            .and_then(|b| b.rsplit_once("gpt-"))
            .is_some_and(|(_, version)| !version.is_empty() && version.chars().all(|c| word(c) || c == '.'));
        !of_gpt && !before.ends_with(word) && !after.starts_with(word)
    };
    let figures = model.char_indices().filter(|(_, c)| c.is_ascii_digit());
    if figures.into_iter().any(small) || model.match_indices("nano").any(nano) { Form::Short } else { Form::Full }
}

/// A model endpoint.
#[derive(Debug)]
pub struct ChatEndpoint {
    host: Rc<dyn Host>,
    named: Named<Chat>,
    /// What its answers are kept under.
    tag: String,
    form: Form,
    /// Whole milliseconds: a float in here would bring the printing of floats along.
    patience: u32,
    /// The form of requests that was taken last.
    level: Cell<usize>,
    breaker: Breaker,
    /// Who listens to how it is asked and what it says; then it is tried once and never rests.
    probe: Option<Rc<EndpointProbe>>,
}

impl ChatEndpoint {
    /// The endpoint that the application has named, which may take so many milliseconds for one question.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for an option that is none.
    pub fn new(host: Rc<dyn Host>, options: &Value, patience: u32) -> Result<Self> {
        let named = Named::<Chat>::of(host.as_ref(), options)?;
        let form = match options.get("form") {
            None => form_of(&named.model),
            Some(form) => match form.as_str() {
                Some("full") => Form::Full,
                Some("short") => Form::Short,
                _ => return Err(Error::field("endpoint.form", "is not full or short")),
            },
        };
        let (tag, level, breaker) = (named.model.clone(), Default::default(), Default::default());
        Ok(Self { host, named, tag, form, patience, level, breaker, probe: None })
    }

    /// The same, whose answers are kept under another name than the model's.
    #[must_use]
    pub fn tagged(mut self, tag: Option<String>) -> Self {
        self.tag = tag.unwrap_or(self.tag);
        self
    }

    /// The same, tried out.
    #[must_use]
    pub fn probed(mut self, probe: Rc<EndpointProbe>) -> Self {
        self.probe = Some(probe);
        self
    }

    /// How it is asked about mail.
    pub fn form(&self) -> Form {
        self.form
    }

    async fn once(&self, question: ChatQuestion<'_>) -> Chatted {
        let dialect = self.named.dialect;
        let asked = dialect.forms()[self.level.get()];
        let request = Request {
            url: self.named.url.clone(),
            headers: self.named.headers.clone(),
            body: dialect.body(&self.named.model, question, asked),
        };
        let mut said = String::new();
        let reply = post(self.host.as_ref(), &request, MOST, self.probe.as_ref().map(|_| &mut said)).await;
        if let Some(probe) = &self.probe {
            probe.asked(asked, said);
        }
        let reply = reply?;
        let text = dialect.text(&reply);
        if self.named.key.as_deref().is_some_and(|key| secret::repeats(&text, key)) {
            return Err(EndpointFault::new("leak"));
        }
        Ok(Reply { text, tokens: dialect.tokens(&reply) })
    }

    /// Whether to ask again in a plainer form, which is kept: an endpoint that knows no schema does not learn it.
    fn plainer(&self, fault: &EndpointFault) -> bool {
        if fault.is_of_form() && self.level.get() + 1 < self.named.dialect.forms().len() {
            self.level.set(self.level.get() + 1);
            return true;
        }
        if fault.code == "rejected" {
            // In no form: then it was not the form.
            self.level.set(0);
        }
        false
    }

    async fn tried(&self, question: ChatQuestion<'_>, patience: u32) -> Chatted {
        let mut tries = Tries::new(self.probe.is_some(), self.host.now() + u64::from(patience));
        loop {
            let fault = match self.once(question).await {
                Ok(reply) => return Ok(reply),
                Err(fault) => fault,
            };
            if !self.plainer(&fault) {
                match tries.next(&fault, self.host.random(), self.host.now()) {
                    Some(ms) => self.host.pause(ms).await,
                    None => return Err(fault),
                }
            }
        }
    }

    /// Somebody else's time for it is over.
    pub fn overdue(&self) {
        self.breaker.failed(self.host.now(), None);
    }

    /// The answer, unless it rests. Whoever gives up, by dropping this, says nothing of the endpoint.
    pub fn answer<'a>(&'a self, question: ChatQuestion<'a>) -> Wait<'a, Chatted> {
        Box::pin(async move {
            let rests = self.probe.is_none();
            if rests && self.breaker.rests(self.host.now()) {
                return Err(EndpointFault::new("resting"));
            }
            let patience = question.within.map_or(self.patience, |left| (left as u32).min(self.patience));
            let late = || Err(EndpointFault::new("timeout"));
            let done = in_time(self.host.as_ref(), patience, Box::pin(self.tried(question, patience)), late).await;
            match &done {
                Ok(_) => self.breaker.passed(),
                Err(fault) => self.breaker.failed(self.host.now(), fault.after),
            }
            done
        })
    }
}

impl Model for ChatEndpoint {
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a> {
        Box::pin(async move {
            let done = self.answer(prompt.into()).await;
            if let Some(probe) = &self.probe {
                probe.answered(&done);
            }
            done.map_err(|fault| Refusal::named(fault.code))
        })
    }

    fn name(&self) -> Option<&str> {
        Some(&self.tag)
    }

    fn origin(&self) -> Option<&str> {
        Some(&self.named.origin)
    }

    fn rests_for(&self) -> Option<f64> {
        Some(self.breaker.left(self.host.now()) as f64).filter(|ms| *ms > 0.0)
    }

    fn patience(&self) -> Option<f64> {
        Some(f64::from(self.patience))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_model_is_known_by_its_name() {
        let small = [
            "llama3.2:3b",
            "gemma-2-2b-it",
            "Qwen2.5-7B-Instruct",
            "gemma-3n-e4b",
            "phi-3.8b",
            "nano-llm",
            "x-nano",
            "llama-3b.Q4_K_M.gguf",
        ];
        let large = [
            "gpt-4o-mini",
            "gpt-5-nano",
            "llama3.1:70b",
            "qwen2.5-32b",
            "nanotron",
            "claude-sonnet-4-5",
            "a8b",
            "3bit",
            "mixtral-8x7b",
            "m-12.8b",
        ];
        assert!(small.iter().all(|model| form_of(model) == Form::Short), "{small:?}");
        assert!(large.iter().all(|model| form_of(model) == Form::Full), "{large:?}");
    }

    #[test]
    fn gemini_is_told_of_null_in_its_own_words_and_in_the_same_order() {
        let schema = r#"{"type":"object","properties":{"z":{"type":["string","null"],"enum":["a",null]},"b":{"type":"array","items":{"type":"number"}}},"required":["z","b"],"additionalProperties":false}"#;
        let wanted = r#"{"type":"object","properties":{"z":{"type":"string","nullable":true,"enum":["a"]},"b":{"type":"array","items":{"type":"number"}}},"required":["z","b"]}"#;
        assert_eq!(plain(schema), wanted);
    }
}
