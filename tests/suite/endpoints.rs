//! Endpoints over a host that does what a script says.

use futures::executor::block_on;
use memfold::decision::Example;
use memfold::embed::{Remote, TextKind, Unmade};
use memfold::endpoint::*;
use memfold::llm::Form;
use memfold::{Code, Error};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// What a server does with one request.
#[derive(Debug, Clone)]
enum HostAct {
    Answers(u16, String),
    Waits(u16, &'static str),
    Redirects,
    BreaksOff,
    IsNotThere,
    Hangs,
}

#[derive(Debug, Default)]
struct Scripted {
    acts: RefCell<VecDeque<HostAct>>,
    sent: RefCell<Vec<Request>>,
    paused: RefCell<Vec<u32>>,
    now: Cell<u64>,
    read: Rc<Cell<usize>>,
}

#[derive(Debug)]
struct BodyPieces(VecDeque<Result<Vec<u8>, Lost>>, Rc<Cell<usize>>);

impl ReplyBody for BodyPieces {
    fn next(&mut self) -> Wait<'_, Result<Option<Vec<u8>>, Lost>> {
        let next = self.0.pop_front().transpose();
        if let Ok(Some(bytes)) = &next {
            self.1.set(self.1.get() + bytes.len());
        }
        Box::pin(std::future::ready(next))
    }
}

impl Host for Scripted {
    fn address(&self, url: &str) -> Option<Address> {
        let at = url::Url::parse(url).ok()?;
        Some(Address {
            protocol: format!("{}:", at.scheme()),
            hostname: at.host_str()?.to_owned(),
            origin: at.origin().ascii_serialization(),
            path: at.path().to_owned(),
            query: at.query().map(|q| format!("?{q}")).unwrap_or_default(),
            signed: !at.username().is_empty() || at.password().is_some(),
        })
    }

    fn send<'a>(&'a self, request: &'a Request) -> Wait<'a, Result<Response, Lost>> {
        self.sent.borrow_mut().push(request.clone());
        let act = self.acts.borrow_mut().pop_front().unwrap_or(HostAct::IsNotThere);
        Box::pin(async move {
            let body = |text: &str| -> VecDeque<_> { text.as_bytes().chunks(1_000).map(|b| Ok(b.to_vec())).collect() };
            let (status, redirects, retry_after, pieces) = match act {
                HostAct::Answers(status, text) => (status, false, None, body(&text)),
                HostAct::Waits(status, after) => (status, false, Some(after.to_owned()), body("busy")),
                HostAct::Redirects => (0, true, None, VecDeque::new()),
                HostAct::BreaksOff => (200, false, None, [Ok(b"{".to_vec()), Err(Lost)].into()),
                HostAct::IsNotThere => return Err(Lost),
                HostAct::Hangs => std::future::pending().await,
            };
            Ok(Response { status, redirects, retry_after, body: Box::new(BodyPieces(pieces, self.read.clone())) })
        })
    }

    /// Time limits pass only where a server hangs; pauses between tries pass at once.
    fn pause(&self, ms: u32) -> Wait<'static, ()> {
        if ms < 20_000 {
            self.paused.borrow_mut().push(ms);
        }
        let passes = ms < 20_000 || ms == HANGS;
        Box::pin(async move {
            if !passes {
                std::future::pending::<()>().await;
            }
        })
    }

    fn now(&self) -> u64 {
        self.now.get()
    }

    fn random(&self) -> f64 {
        0.5
    }
}

/// The time limit of those who wait for a server that hangs.
const HANGS: u32 = 30_001;

fn host(acts: impl IntoIterator<Item = HostAct>) -> Rc<Scripted> {
    Rc::new(Scripted { acts: RefCell::new(acts.into_iter().collect()), ..Scripted::default() })
}

fn named(dialect: &str, url: &str) -> Value {
    json!({ "dialect": dialect, "url": url, "model": "m/1", "key": "key-1234567" })
}

fn chat(host: &Rc<Scripted>, dialect: &str, url: &str) -> ChatEndpoint {
    ChatEndpoint::new(host.clone(), &named(dialect, url), 30_000).unwrap()
}

fn good(text: &str) -> HostAct {
    HostAct::Answers(
        200,
        json!({ "choices": [{ "message": { "content": text } }], "usage": { "total_tokens": 40 } }).to_string(),
    )
}

const SCHEMA: &str = r#"{"type":"object","properties":{"z":{"type":["string","null"]},"a":{}}}"#;

fn asked(endpoint: &ChatEndpoint) -> Result<(String, u32), &'static str> {
    let examples = [Example { text: "a \"b\"".to_owned(), reply: "{}".to_owned() }];
    let question = ChatQuestion { system: "s", examples: &examples, text: "가\n", schema: SCHEMA, within: None };
    block_on(endpoint.answer(question)).map(|reply| (reply.text, reply.tokens)).map_err(|fault| fault.code)
}

#[test]
fn each_dialect_is_asked_where_and_how_it_wants() {
    let replies = [
        (
            "openai",
            "https://a.example/v1/?v=1#x",
            "https://a.example/v1/chat/completions?v=1",
            "authorization",
            json!({"choices":[{"message":{"content":[{"text":"o"},"k"]}}],"usage":{"total_tokens":3}}),
        ),
        (
            "openai",
            "https://a.azure.com/x/chat/completions",
            "https://a.azure.com/x/chat/completions",
            "api-key",
            json!({"choices":[{"message":{"content":"ok"}}],"usage":{"total_tokens":3.0}}),
        ),
        (
            "anthropic",
            "https://a.example",
            "https://a.example/v1/messages",
            "x-api-key",
            json!({"content":[{"text":"o"},{"text":"k"}],"usage":{"input_tokens":1,"output_tokens":2}}),
        ),
        (
            "anthropic",
            "https://a.example/v1",
            "https://a.example/v1/messages",
            "x-api-key",
            json!({"content":[{"text":"ok"}],"usage":{"input_tokens":1,"output_tokens":2}}),
        ),
        (
            "gemini",
            "https://a.example/v1beta",
            "https://a.example/v1beta/models/m%2F1:generateContent",
            "x-goog-api-key",
            json!({"candidates":[{"content":{"parts":[{"text":"ok"}]}}],"usageMetadata":{"totalTokenCount":3}}),
        ),
    ];
    for (dialect, url, wanted, header, reply) in replies {
        let host = host([HostAct::Answers(200, format!("\u{feff}{reply}"))]);
        assert_eq!(asked(&chat(&host, dialect, url)), Ok(("ok".to_owned(), 3)), "{dialect}");
        let sent = host.sent.borrow();
        assert_eq!(sent[0].url, wanted);
        assert!(sent[0].headers.iter().any(|(name, value)| *name == header && value.ends_with("key-1234567")));
        let body: Value = serde_json::from_str(&sent[0].body).unwrap();
        let texts = body.to_string();
        assert!(texts.contains(r#"a \"b\""#) && texts.contains("가\\n") && !texts.contains("key-1234567"), "{texts}");
        // A model fills the fields in the order of the schema.
        assert!(sent[0].body.find("\"z\"") < sent[0].body.find("\"a\""), "{}", sent[0].body);
    }
}

#[test]
fn an_endpoint_that_is_not_one_is_refused() {
    let good = named("openai", "https://a.example/v1");
    let with = |name: &str, value: Value| {
        let mut options = good.clone();
        options[name] = value;
        options
    };
    let cases = [
        (Value::Null, "endpoint"),
        (with("dialect", json!("toString")), "endpoint.dialect"),
        (with("model", json!("")), "endpoint.model"),
        (with("key", json!("a\r\nb: c")), "endpoint.key"),
        (with("key", json!("")), "endpoint.key"),
        (with("form", json!("long")), "endpoint.form"),
        (with("url", json!("http://a.example")), "endpoint.url"),
        (with("url", json!("http://localhost.a.example")), "endpoint.url"),
        (with("url", json!("http://127.0.0.1.a.example")), "endpoint.url"),
        (with("url", json!("https://u:p@a.example")), "endpoint.url"),
        (with("url", json!("file:///a")), "endpoint.url"),
        (with("url", json!("a.example")), "endpoint.url"),
    ];
    let host = host([]);
    for (options, field) in cases {
        let error: Error = ChatEndpoint::new(host.clone(), &options, 30_000).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (Code::InvalidField, Some(field)), "{options}");
    }
    for url in ["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1", "https://a.example"] {
        assert!(ChatEndpoint::new(host.clone(), &with("url", json!(url)), 30_000).is_ok(), "{url}");
    }
}

#[test]
fn each_failure_has_its_code_and_its_number_of_tries() {
    let many = |act: HostAct| vec![act; 8];
    let cases = [
        (many(HostAct::Answers(401, "no".into())), "unauthorized", 1),
        (many(HostAct::Answers(403, "no".into())), "unauthorized", 1),
        (many(HostAct::Answers(404, String::new())), "not_found", 1),
        (many(HostAct::Answers(413, String::new())), "rejected", 1),
        (many(HostAct::Answers(400, String::new())), "rejected", 4),
        (many(HostAct::Answers(307, String::new())), "redirected", 1),
        (many(HostAct::Redirects), "redirected", 1),
        (many(HostAct::Answers(429, String::new())), "rate_limited", 3),
        (many(HostAct::Waits(429, "0")), "rate_limited", 3),
        (many(HostAct::Waits(429, "3600")), "rate_limited", 1),
        (many(HostAct::Waits(503, "Thu, 01 Jan 1970 00:00:05 GMT")), "server_error", 3),
        (many(HostAct::Waits(503, "Thu, 01 Jan 1970 01:00:00 GMT")), "server_error", 1),
        (many(HostAct::Waits(503, "soon")), "server_error", 3),
        (many(HostAct::IsNotThere), "unreachable", 3),
        (many(HostAct::BreaksOff), "unreachable", 3),
        (many(HostAct::Answers(200, String::new())), "not_json", 1),
        (many(HostAct::Answers(200, "<!doctype html>".into())), "not_json", 1),
        (many(good(&"x".repeat(5 << 20))), "too_large", 1),
        (many(good("the KEY-1234567 is")), "leak", 1),
    ];
    for (acts, code, requests) in cases {
        let host = host(acts.clone());
        assert_eq!(asked(&chat(&host, "openai", "https://a.example")), Err(code), "{:?}", acts[0]);
        assert_eq!(host.sent.borrow().len(), requests, "{code}");
        assert!(host.read.get() < 1 << 20 | 1_000, "no more is read than may be: {}", host.read.get());
    }
    let host = host([HostAct::Hangs]);
    let slow = ChatEndpoint::new(host.clone(), &named("openai", "https://a.example"), HANGS).unwrap();
    assert_eq!(asked(&slow), Err("timeout"));
    // What asks for more time than there is is told at once, and not as slow.
    let host = self::host([HostAct::Waits(429, "7"), good("a")]);
    let hurried = ChatEndpoint::new(host.clone(), &named("openai", "https://a.example"), 5_000).unwrap();
    assert_eq!(asked(&hurried), Err("rate_limited"));
    assert_eq!(host.sent.borrow().len(), 1);
    for reply in ["null", "[null]", "7", "{}"] {
        let host = self::host([HostAct::Answers(200, reply.into())]);
        assert_eq!(asked(&chat(&host, "openai", "https://a.example")), Ok((String::new(), 0)));
    }
}

#[test]
fn pauses_grow_and_a_server_names_its_own() {
    let host = host([HostAct::IsNotThere, HostAct::IsNotThere, good("a")]);
    assert!(asked(&chat(&host, "openai", "https://a.example")).is_ok());
    assert_eq!(*host.paused.borrow(), [400, 800]);
    let host = self::host([HostAct::Waits(503, "7"), HostAct::Waits(503, "Thu, 01 Jan 1970 00:00:05 GMT"), good("a")]);
    assert!(asked(&chat(&host, "openai", "https://a.example")).is_ok());
    assert_eq!(*host.paused.borrow(), [7_000, 5_000]);
}

#[test]
fn a_plainer_form_is_kept_where_it_is_taken_and_not_where_none_is() {
    let refuse = || HostAct::Answers(422, String::new());
    let host = host([refuse(), refuse(), refuse(), good("a"), good("b")]);
    let endpoint = chat(&host, "openai", "https://a.example");
    assert!(asked(&endpoint).is_ok() && asked(&endpoint).is_ok());
    let kinds = |host: &Scripted| -> Vec<(Value, bool)> {
        let sent = host.sent.borrow();
        let bodies = sent.iter().map(|r| serde_json::from_str::<Value>(&r.body).unwrap());
        bodies.map(|b| (b["response_format"]["type"].clone(), b["temperature"].is_null())).collect()
    };
    let plain = (Value::Null, true);
    let forms =
        [(json!("json_schema"), false), (json!("json_object"), false), (Value::Null, false), plain.clone(), plain];
    assert_eq!(kinds(&host), forms);
    let host = self::host([refuse(), refuse(), refuse(), refuse(), good("a")]);
    let endpoint = chat(&host, "openai", "https://a.example");
    host.now.set(0);
    assert_eq!(asked(&endpoint), Err("rejected"));
    host.now.set(30_000);
    assert!(asked(&endpoint).is_ok());
    assert_eq!(kinds(&host).last(), Some(&forms[0]));
}

#[test]
fn a_failure_is_followed_by_a_rest_and_one_who_gives_up_by_none() {
    let host = host([
        HostAct::Answers(500, String::new()),
        HostAct::Answers(500, String::new()),
        HostAct::Answers(500, String::new()),
        good("a"),
    ]);
    let endpoint = chat(&host, "openai", "https://a.example");
    assert_eq!([asked(&endpoint), asked(&endpoint)], [Err("server_error"), Err("resting")]);
    assert_eq!(host.sent.borrow().len(), 3);
    host.now.set(30_000);
    assert!(asked(&endpoint).is_ok());
    let host = self::host([HostAct::Hangs, good("a")]);
    let endpoint = chat(&host, "openai", "https://a.example");
    {
        let mut given_up =
            endpoint.answer(ChatQuestion { system: "", examples: &[], text: "", schema: "{}", within: None });
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(given_up.as_mut().poll(&mut context).is_pending());
    }
    assert!(asked(&endpoint).is_ok());
}

fn embedding(host: &Rc<Scripted>, dialect: &str, dimensions: Option<u32>) -> EmbeddingsEndpoint {
    let mut options = named(dialect, "https://a.example/v1");
    if let Some(n) = dimensions {
        options["dimensions"] = json!(n);
    }
    EmbeddingsEndpoint::new(host.clone(), &options, 30_000).unwrap()
}

fn embedded(endpoint: &EmbeddingsEndpoint, texts: &[&str]) -> Result<Vec<Vec<f32>>, Unmade> {
    block_on(endpoint.embed(texts, TextKind::Document))
}

#[test]
fn each_dialect_embeds_in_the_order_of_the_texts() {
    let rows = [[1.0f32, 0.0], [0.5, 0.5]];
    let out_of_order = json!({"data":[{"index":1,"embedding":rows[1]},{"index":0,"embedding":rows[0]}]});
    let gemini = json!({"embeddings":[{"values":rows[0]},{"values":rows[1]}]});
    let cases = [
        (
            "openai",
            "/v1/embeddings",
            out_of_order,
            json!({"model":"m/1","input":["a","b"],"encoding_format":"float","dimensions":2}),
        ),
        (
            "gemini",
            "/v1/models/m%2F1:batchEmbedContents",
            gemini,
            json!({"requests":[
            {"model":"models/m/1","content":{"parts":[{"text":"a"}]},"taskType":"RETRIEVAL_DOCUMENT","outputDimensionality":2},
            {"model":"models/m/1","content":{"parts":[{"text":"b"}]},"taskType":"RETRIEVAL_DOCUMENT","outputDimensionality":2}]}),
        ),
    ];
    for (dialect, path, reply, body) in cases {
        let host = host([HostAct::Answers(200, reply.to_string())]);
        let endpoint = embedding(&host, dialect, Some(2));
        assert_eq!(embedded(&endpoint, &["a", "b"]), Ok(rows.map(Vec::from).to_vec()), "{dialect}");
        assert_eq!(
            (endpoint.model(), endpoint.origin()),
            (format!("{dialect}/m/1").as_str(), Some("https://a.example"))
        );
        let sent = host.sent.borrow();
        assert_eq!(sent[0].url, format!("https://a.example{path}"));
        assert_eq!(serde_json::from_str::<Value>(&sent[0].body).unwrap(), body);
    }
}

#[test]
fn vectors_that_are_none_are_refused_and_one_bad_text_rests_nobody() {
    let data = |rows: Value| {
        let rows: Vec<Value> =
            rows.as_array().unwrap_or(&vec![rows.clone()]).iter().map(|row| json!({ "embedding": row })).collect();
        HostAct::Answers(200, json!({ "data": rows }).to_string())
    };
    let cases = [
        (HostAct::Answers(200, "[null]".into()), "malformed"),
        (data(json!("AAAA")), "malformed"),
        (data(json!([[1.0]])), "malformed"),
        (data(json!([["1"], ["2"]])), "malformed"),
        (data(json!([[], []])), "malformed"),
        (data(json!([[null], [1]])), "malformed"),
        (data(json!([[[1]], [[1]]])), "malformed"),
        (data(json!([[1e39], [1.0]])), "malformed"),
        (data(json!([[1.0], [1.0, 2.0]])), "wrong_dimension"),
        (HostAct::Answers(200, "x".repeat(4 * 128 * 1024)), "too_large"),
        (HostAct::Answers(413, String::new()), "rejected"),
    ];
    for (act, code) in cases {
        let host = host([act.clone(), data(json!([[1.0], [1.0]]))]);
        let endpoint = embedding(&host, "openai", None);
        assert_eq!(embedded(&endpoint, &["a", "b"]).map_err(|e| e.code), Err(code.to_owned()), "{act:?}");
        // Only what does not lie in a text is rested after.
        assert_eq!(embedded(&endpoint, &["a", "b"]).is_ok(), code != "wrong_dimension", "{act:?}");
    }
    let host = host([data(json!([])), data(json!([[1.0]]))]);
    let endpoint = embedding(&host, "openai", None);
    assert!(embedded(&endpoint, &["a"]).is_err());
    assert_eq!(embedded(&endpoint, &["a"]).map_err(|e| e.code), Err("resting".to_owned()));
    for dimensions in [json!(0), json!(1.5), json!(16_385), json!("3")] {
        let mut options = named("openai", "https://a.example");
        options["dimensions"] = dimensions;
        let error = EmbeddingsEndpoint::new(host.clone(), &options, 1).unwrap_err();
        assert_eq!(error.field.as_deref(), Some("embeddings.dimensions"));
    }
}

#[test]
fn an_embedder_that_takes_the_plain_form_alone_is_asked_in_it() {
    let row = || HostAct::Answers(200, json!({ "data": [{ "index": 0, "embedding": [1.0] }] }).to_string());
    let host = host([HostAct::Answers(400, String::new()), row(), row()]);
    let endpoint = embedding(&host, "openai", Some(1));
    assert!(embedded(&endpoint, &["a"]).is_ok() && embedded(&endpoint, &["a"]).is_ok());
    let plain: Vec<bool> = host
        .sent
        .borrow()
        .iter()
        .map(|r| !r.body.contains("encoding_format") && !r.body.contains("dimensions"))
        .collect();
    assert_eq!(plain, [false, true, true]);
    let host = self::host([HostAct::Answers(400, String::new()), HostAct::Answers(400, String::new()), row()]);
    let endpoint = embedding(&host, "openai", None);
    assert_eq!(embedded(&endpoint, &["a"]).map_err(|e| e.code), Err("rejected".to_owned()));
    assert!(embedded(&endpoint, &["a"]).is_ok());
    assert!(host.sent.borrow()[2].body.contains("encoding_format"));
}

#[test]
fn models_learn_the_kind_of_a_text_as_their_makers_want() {
    let endpoint = |dialect: &str, model: &str| {
        let host = host([HostAct::IsNotThere]);
        let options = json!({ "dialect": dialect, "url": "https://a.example", "model": model });
        let endpoint = EmbeddingsEndpoint::new(host.clone(), &options, 30_000).unwrap();
        let _ = embedded(&endpoint, &["a"]);
        let body = host.sent.borrow()[0].body.clone();
        (endpoint, serde_json::from_str::<Value>(&body).unwrap())
    };
    for (model, query, document) in [
        ("text-embedding-3-small", "", ""),
        ("bge-m3", "", ""),
        ("jina-embeddings-v2-base-en", "", ""),
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("E5-large-v2", "query: ", "passage: "),
        ("somebody/me5tal", "", ""),
    ] {
        let (it, body) = endpoint("openai", model);
        assert_eq!((it.prefix(TextKind::Query), it.prefix(TextKind::Document)), (query, document), "{model}");
        assert_eq!(body, json!({ "model": model, "input": ["a"], "encoding_format": "float" }));
    }
    for (dialect, model, field, document) in [
        ("openai", "voyage-3.5-lite", "input_type", "document"),
        ("openai", "embed-multilingual-v3.0", "input_type", "search_document"),
        ("openai", "jina-embeddings-v3", "task", "retrieval.passage"),
    ] {
        let (it, body) = endpoint(dialect, model);
        assert_eq!(it.prefix(TextKind::Query), "", "{model}");
        assert_eq!(body[field], json!(document), "{model}");
    }
    let (instructed, _) = endpoint("openai", "multilingual-e5-large-instruct");
    assert!(instructed.prefix(TextKind::Query).ends_with("Query: "));
}

#[test]
fn a_rest_doubles_up_to_ten_minutes_and_ends_with_an_answer() {
    let breaker = Breaker::default();
    assert_eq!(breaker.left(0), 0);
    for seconds in [30, 60, 120, 240, 480, 600, 600] {
        breaker.failed(0, None);
        assert_eq!([0, seconds * 1_000].map(|now| breaker.left(now)), [seconds * 1_000, 0]);
    }
    breaker.passed();
    breaker.failed(0, Some(90_000));
    assert_eq!(breaker.left(0), 90_000);
    breaker.passed();
    breaker.failed(0, Some(u32::MAX));
    assert_eq!(breaker.left(0), 600_000, "a server cannot ask for days");
}

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
fn gemini_gets_nullable_fields_in_the_order_of_the_schema() {
    let schema = r#"{"type":"object","properties":{"z":{"type":["string","null"],"enum":["a",null]},"b":{"type":"array","items":{"type":"number"}}},"required":["z","b"],"additionalProperties":false}"#;
    let wanted = r#""responseSchema":{"type":"object","properties":{"z":{"type":"string","nullable":true,"enum":["a"]},"b":{"type":"array","items":{"type":"number"}}},"required":["z","b"]}"#;
    let host = host([HostAct::IsNotThere]);
    let question = ChatQuestion { system: "", examples: &[], text: "", schema, within: Some(1.0) };
    assert!(block_on(chat(&host, "gemini", "https://a.example").answer(question)).is_err());
    assert!(host.sent.borrow()[0].body.contains(wanted), "{}", host.sent.borrow()[0].body);
}

/// The report of a trial against one act of a server.
fn tried(act: HostAct, right: bool, refused: Option<&str>, ms: u32) -> ProbeReport {
    let probe = Rc::new(EndpointProbe::default());
    let host = host([act]);
    let endpoint = chat(&host, "openai", "https://a.example").probed(Some(probe.clone()));
    probe.answered(&asked_once(&endpoint));
    probe.report(right, refused, ms, Some("key-1234567"))
}

#[test]
fn a_trial_reports_a_code_and_the_words_of_the_server() {
    let of = |status, said: &str| HostAct::Answers(status, said.to_owned());
    let cases = [
        (401, r#"{"error":{"message":"Incorrect key: key-1234567."}}"#, "unauthorized", "Incorrect key: •••."),
        (403, r#"[{"error":{"message":"No."}}]"#, "unauthorized", "No."),
        (413, r#"[{"error":{"message":"API key not valid."}}]"#, "unauthorized", "API key not valid."),
        (404, "<html><title>x</title><h1>Not\n Found</h1>", "not_found", ""),
        (404, r#"{"error":{"message":"model m not found"}}"#, "no_such_model", "model m not found"),
        (413, r#"{"error":"The model m does not exist"}"#, "no_such_model", "The model m does not exist"),
        (413, r#"{"detail":"unknown  model"}"#, "no_such_model", "unknown model"),
        (413, r#"{"error":{"code":7}}"#, "rejected", r#"{"error":{"code":7}}"#),
        (413, "a < b", "rejected", "a < b"),
        (200, "", "not_an_api", ""),
    ];
    for (status, said, code, detail) in cases {
        let report = tried(of(status, said), false, Some("failed"), 5);
        assert_eq!((report.ok, report.code, report.detail.as_str()), (false, code, detail), "{said}");
    }
    let busy = tried(HostAct::Waits(429, "20"), false, Some("failed"), 5);
    assert_eq!((busy.code, busy.detail.as_str()), ("rate_limited", "busy (20 s)"));
    assert_eq!(tried(of(413, &"가".repeat(600)), false, Some("failed"), 5).detail.chars().count(), 300);
}

#[test]
fn a_trial_that_works_reports_how() {
    let report = tried(good("x"), true, None, 5);
    let features =
        Some(Features { schema: Some(SchemaUse::Strict), temperature: Some(true), tokens: true, right: true });
    assert_eq!(report, ProbeReport { ok: true, code: "ok", detail: String::new(), features, ms: 5 });
    assert_eq!(tried(good("x"), true, None, 10_001).code, "slow");
    let form = tried(good("x"), false, Some("malformed"), 5);
    assert_eq!((form.ok, form.code, form.detail.as_str()), (false, "wrong_form", "malformed: x"));
    assert_eq!(tried(good("x"), false, Some("timeout"), 5).code, "timeout");
    let probe = Rc::new(EndpointProbe::default());
    let host = host([HostAct::Answers(422, String::new()), good("x")]);
    let endpoint = chat(&host, "openai", "https://a.example").probed(Some(probe.clone()));
    probe.answered(&asked_once(&endpoint));
    assert_eq!(probe.report(true, None, 5, None).code, "downgraded");
}

fn asked_once(endpoint: &ChatEndpoint) -> ChatResult {
    block_on(endpoint.answer(ChatQuestion { system: "", examples: &[], text: "", schema: "{}", within: None }))
}

#[test]
fn a_reply_with_the_key_is_refused() {
    const KEY: &str = "key-1234567";
    let spaced: String = KEY.chars().flat_map(|c| [c, ' ']).collect();
    let unseen: String = KEY.chars().flat_map(|c| [c, '\u{200b}']).collect();
    for said in [KEY, &KEY.to_ascii_uppercase(), &spaced, &unseen, r"\u006bey-1234567"] {
        let host = host([good(&format!("키는 {said}입니다"))]);
        assert_eq!(asked(&chat(&host, "openai", "https://a.example")), Err("leak"), "{said}");
    }
    for said in ["", "key-123456"] {
        let host = host([good(said)]);
        assert_eq!(asked(&chat(&host, "openai", "https://a.example")), Ok((said.to_owned(), 40)));
    }
}
