//! Implements the model port over HTTP, in the request formats of three providers.

use super::service::{BEARER, Dialect, GOOGLE, Service, TRIES, contains_key, limited};
use super::transport::post;
use super::{ChatResult, EndpointFault, EndpointProbe, Host, SchemaUse, Wait};
use crate::decision::{Example, Prompt, Refusal};
use crate::llm::{Answering, Form, Model, Reply};
use crate::{Error, Result, json};
use serde_json::{Value, json};
use std::rc::Rc;

const MAX_RESPONSE: usize = 1024 * 1024;

#[derive(Debug, Clone, Copy)]
pub struct ChatQuestion<'a> {
    pub system: &'a str,
    pub examples: &'a [Example],
    pub text: &'a str,
    /// The JSON schema of the reply, as text.
    pub schema: &'a str,
    /// Milliseconds left, if fewer than the endpoint's own limit.
    pub within: Option<f64>,
}

impl<'a> From<&'a Prompt> for ChatQuestion<'a> {
    fn from(prompt: &'a Prompt) -> Self {
        let Prompt { system, examples, text, schema, within, .. } = prompt;
        Self { system, examples, text, schema, within: *within }
    }
}

/// How a request asks for its schema, and whether it sets a temperature.
type RequestForm = (SchemaUse, bool);

#[derive(Debug)]
struct ChatDialect {
    at: Dialect,
    /// Request forms, the strictest first. Some models reject a temperature.
    forms: &'static [RequestForm],
    body: fn(&str, ChatQuestion<'_>, RequestForm) -> Value,
    /// JSON pointers to the reply's text and to its token counts.
    text: &'static str,
    tokens: &'static [&'static str],
}

use SchemaUse::{Json, None as Free, Strict};

static DIALECTS: [ChatDialect; 3] = [
    ChatDialect {
        at: Dialect { name: "openai", path: "/chat/completions", end: "/chat/completions", headers: BEARER },
        forms: &[(Strict, true), (Json, true), (Free, true), (Free, false)],
        body: openai,
        text: "/choices/0/message/content",
        tokens: &["/usage/total_tokens"],
    },
    ChatDialect {
        at: Dialect {
            name: "anthropic",
            path: "/v1/messages",
            end: "/messages",
            headers: &[
                ("x-api-key", "{key}"),
                ("anthropic-version", "2023-06-01"),
                ("anthropic-dangerous-direct-browser-access", "true"),
            ],
        },
        forms: &[(Strict, true), (Free, true), (Free, false)],
        body: anthropic,
        text: "/content",
        tokens: &["/usage/input_tokens", "/usage/output_tokens"],
    },
    ChatDialect {
        at: Dialect {
            name: "gemini",
            path: "/models/{model}:generateContent",
            end: ":generateContent",
            headers: GOOGLE,
        },
        forms: &[(Strict, true), (Json, true), (Free, true)],
        body: gemini,
        text: "/candidates/0/content/parts",
        tokens: &["/usageMetadata/totalTokenCount"],
    },
];

fn openai(model: &str, question: ChatQuestion<'_>, (schema, warm): RequestForm) -> Value {
    let mut turns = turns(question, "assistant", turn);
    turns.insert(0, turn("system", question.system));
    let mut body = json!({ "model": model, "messages": turns });
    if warm {
        body["temperature"] = 0.into();
    }
    match schema {
        Strict => {
            let schema = json!({ "name": "proposal", "strict": true, "schema": parse_schema(question.schema) });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        Json => body["response_format"] = json!({ "type": "json_object" }),
        Free => {}
    }
    body
}

fn anthropic(model: &str, question: ChatQuestion<'_>, (schema, warm): RequestForm) -> Value {
    let turns = turns(question, "assistant", turn);
    let mut body = json!({ "model": model, "max_tokens": 2048, "system": question.system, "messages": turns });
    if warm {
        body["temperature"] = 0.into();
    }
    if schema == Strict {
        body["output_config"] = json!({ "format": { "type": "json_schema", "schema": parse_schema(question.schema) } });
    }
    body
}

fn gemini(_: &str, question: ChatQuestion<'_>, (schema, _): RequestForm) -> Value {
    let part = |text: &str| json!([{ "text": text }]);
    let turns = turns(question, "model", |role, text| json!({ "role": role, "parts": [{ "text": text }] }));
    let mut config = json!({ "temperature": 0 });
    if schema != Free {
        config["responseMimeType"] = "application/json".into();
    }
    if schema == Strict {
        config["responseSchema"] = without_null(parse_schema(question.schema));
    }
    json!({ "systemInstruction": { "parts": part(question.system) }, "contents": turns, "generationConfig": config })
}

fn turn(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": text })
}

fn turns(question: ChatQuestion<'_>, assistant: &str, turn: fn(&str, &str) -> Value) -> Vec<Value> {
    let examples = question.examples.iter().flat_map(|e| [turn("user", &e.text), turn(assistant, &e.reply)]);
    examples.chain([turn("user", question.text)]).collect()
}

/// The schema as JSON in its field order, because models fill the fields in this order.
fn parse_schema(schema: &str) -> Value {
    json::read(schema, "schema").unwrap_or_default()
}

/// The schema in Gemini's older `responseSchema` format: `nullable` instead of a null type.
fn without_null(value: Value) -> Value {
    match value {
        Value::Array(list) => list.into_iter().filter(|v| !v.is_null()).map(without_null).collect(),
        Value::Object(fields) => {
            let mut out = serde_json::Map::new();
            for (name, value) in fields.into_iter().filter(|(name, _)| name != "additionalProperties") {
                match value {
                    Value::Array(types) if name == "type" => {
                        out.insert(name, types.into_iter().next().unwrap_or_default());
                        out.insert("nullable".to_owned(), Value::Bool(true));
                    }
                    value => {
                        out.insert(name, without_null(value));
                    }
                }
            }
            Value::Object(out)
        }
        other => other,
    }
}

impl ChatDialect {
    fn text(&self, reply: &Value) -> String {
        let text = |part: &Value| part.as_str().or(part["text"].as_str()).map(str::to_owned);
        match reply.pointer(self.text) {
            Some(Value::Array(parts)) => parts.iter().filter_map(text).collect(),
            Some(Value::String(text)) => text.clone(),
            _ => String::new(),
        }
    }

    fn tokens(&self, reply: &Value) -> u32 {
        self.tokens.iter().filter_map(|at| reply.pointer(at)?.as_f64()).sum::<f64>() as u32
    }
}

/// Most billions of parameters of a model that gets the short prompt.
const MAX_SHORT_FORM: f64 = 8.0;

/// The prompt size for a model's name: short for small models (`llama3.2:3b`, `gemma-2-2b-it`).
pub fn form_of(model: &str) -> Form {
    let model = model.to_ascii_lowercase();
    let small = |word: &str| {
        let (billions, rest) = word.trim_start_matches('e').split_once('b')?;
        let small = billions.parse::<f64>().is_ok_and(|billions| billions <= MAX_SHORT_FORM);
        (small && (rest.is_empty() || rest.starts_with('.'))).then_some(())
    };
    // OpenAI's "nano" models are not that small.
    let nano = |word: &str| word == "nano" && !model.contains("gpt-");
    let mut words = model.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    if words.any(|word| small(word).is_some() || nano(word)) { Form::Short } else { Form::Full }
}

#[derive(Debug)]
pub struct ChatEndpoint {
    service: Service,
    dialect: &'static ChatDialect,
    tag: String,
    form: Form,
    /// Records requests and replies of a trial; then there is one try and no pause.
    probe: Option<Rc<EndpointProbe>>,
}

impl ChatEndpoint {
    /// `patience` limits one call, in milliseconds.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for an invalid option.
    pub fn new(host: Rc<dyn Host>, options: &Value, patience: u32) -> Result<Self> {
        let dialects = DIALECTS.each_ref().map(|d| &d.at);
        let (place, service) = Service::new(host, options, patience, "endpoint", &dialects)?;
        let form = match options.get("form").map(|form| form.as_str().unwrap_or_default()) {
            None => form_of(&service.model),
            Some("full") => Form::Full,
            Some("short") => Form::Short,
            Some(_) => return Err(Error::field("endpoint.form", "is not full or short")),
        };
        Ok(Self { tag: service.model.clone(), service, dialect: &DIALECTS[place], form, probe: None })
    }

    #[must_use]
    pub fn tagged(mut self, tag: Option<String>) -> Self {
        self.tag = tag.unwrap_or(self.tag);
        self
    }

    #[must_use]
    pub fn probed(self, probe: Option<Rc<EndpointProbe>>) -> Self {
        Self { probe, ..self }
    }

    pub fn form(&self) -> Form {
        self.form
    }

    async fn once(&self, question: ChatQuestion<'_>, form: usize) -> ChatResult {
        let Self { service, dialect, probe, .. } = self;
        let form = dialect.forms[form];
        let request = service.request(&(dialect.body)(&service.model, question, form));
        let mut said = String::new();
        let reply = post(service.host.as_ref(), &request, MAX_RESPONSE, probe.as_ref().map(|_| &mut said)).await;
        if let Some(probe) = probe {
            probe.asked(form, said);
        }
        let reply = reply?;
        let text = dialect.text(&reply);
        if service.key.as_deref().is_some_and(|key| contains_key(&text, key)) {
            return Err(EndpointFault::new("leak"));
        }
        Ok(Reply { text, tokens: dialect.tokens(&reply) })
    }

    pub fn overdue(&self) {
        self.service.breaker.failed(self.service.host.now(), None);
    }

    /// Sends a question unless the breaker pauses. Dropping the future does not count as a failure.
    pub fn answer<'a>(&'a self, question: ChatQuestion<'a>) -> Wait<'a, ChatResult> {
        let service = &self.service;
        let patience = question.within.map_or(service.patience, |left| (left as u32).min(service.patience));
        Box::pin(async move {
            let (tries, forms) = (if self.probe.is_some() { 1 } else { TRIES }, self.dialect.forms.len());
            let work = service.ask(patience, tries, forms, async |form| self.once(question, form).await);
            let counts = |_: &EndpointFault| self.probe.is_none();
            limited(service.host.as_ref(), &service.breaker, patience, counts, Box::pin(work)).await
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
        Some(&self.service.origin)
    }

    fn rests_for(&self) -> Option<f64> {
        Some(self.service.breaker.left(self.service.host.now()) as f64).filter(|ms| *ms > 0.0)
    }

    fn patience(&self) -> Option<f64> {
        Some(f64::from(self.service.patience))
    }
}
