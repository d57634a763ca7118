//! Implements the embedder port over HTTP for two providers. Callers check the vectors.

use super::service::{BEARER, Dialect, GOOGLE, Service, TRIES, guarded};
use super::transport::post;
use super::{EndpointFault, Host};
use crate::embed::{Making, Remote, TextKind};
use crate::{Error, Result};
use serde_json::{Value, json};
use std::rc::Rc;

/// Most bytes of a response for each text, plus once for the rest of the response.
const MAX_BYTES_PER_TEXT: usize = 128 * 1024;
const MAX_DIMENSIONS: f64 = 16_384.0;

struct EmbeddingRequest<'a> {
    model: &'a str,
    texts: &'a [&'a str],
    dimensions: Option<usize>,
    kind: Option<(&'static str, &'static str)>,
}

#[derive(Debug)]
struct VectorDialect {
    at: Dialect,
    mark: fn(&str) -> KindMark,
    /// Request bodies; the second omits fields that some servers reject.
    bodies: &'static [fn(&EmbeddingRequest<'_>) -> Value],
    /// The field with the list of vectors, and the field of each.
    rows: [&'static str; 2],
}

static DIALECTS: [VectorDialect; 2] = [
    VectorDialect {
        at: Dialect { name: "openai", path: "/embeddings", end: "/embeddings", headers: BEARER },
        mark: KindMark::of,
        bodies: &[openai, |wanted| json!({ "model": wanted.model, "input": wanted.texts })],
        rows: ["data", "embedding"],
    },
    VectorDialect {
        at: Dialect {
            name: "gemini",
            path: "/models/{model}:batchEmbedContents",
            end: ":batchEmbedContents",
            headers: GOOGLE,
        },
        mark: |_| field("taskType", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"),
        bodies: &[gemini],
        rows: ["embeddings", "values"],
    },
];

impl EmbeddingRequest<'_> {
    fn kind(&self) -> (&'static str, Option<Value>) {
        self.kind.map_or(("", None), |(name, value)| (name, Some(value.into())))
    }
}

fn with<const N: usize>(mut body: Value, fields: [(&str, Option<Value>); N]) -> Value {
    for (name, value) in fields {
        if let Some(value) = value {
            body[name] = value;
        }
    }
    body
}

fn openai(wanted: &EmbeddingRequest<'_>) -> Value {
    let body = json!({ "model": wanted.model, "input": wanted.texts });
    let length = wanted.dimensions.map(Value::from);
    // Voyage has its own names for the encoding and the length.
    if wanted.model.starts_with("voyage-") {
        return with(body, [("output_dimension", length), wanted.kind()]);
    }
    with(body, [("encoding_format", Some("float".into())), ("dimensions", length), wanted.kind()])
}

fn gemini(wanted: &EmbeddingRequest<'_>) -> Value {
    let model = ["models/", wanted.model].concat();
    let request = |text: &&str| {
        let body = json!({ "model": model, "content": { "parts": [{ "text": text }] } });
        with(body, [wanted.kind(), ("outputDimensionality", wanted.dimensions.map(Value::from))])
    };
    json!({ "requests": wanted.texts.iter().map(request).collect::<Vec<_>>() })
}

/// The vectors of a reply in the order of the texts; some servers reorder them by index.
fn vectors(dialect: &VectorDialect, reply: &Value, count: usize) -> Result<Vec<Vec<f32>>, EndpointFault> {
    let [list, field] = dialect.rows;
    let mut rows: Vec<&Value> = reply[list].as_array().into_iter().flatten().collect();
    rows.sort_by_key(|row| row["index"].as_u64());
    let number = |n: &Value| n.as_f64().map(|n| n as f32).filter(|n| n.is_finite());
    let vector = |row: &Value| -> Option<Vec<f32>> { row[field].as_array()?.iter().map(number).collect() };
    let rows: Option<Vec<Vec<f32>>> = rows.into_iter().map(vector).collect();
    let whole = rows.filter(|rows| rows.len() == count && rows.iter().all(|row| !row.is_empty()));
    let rows = whole.ok_or(EndpointFault::new("malformed"))?;
    if rows.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        return Err(EndpointFault::new("wrong_dimension"));
    }
    Ok(rows)
}

#[derive(Debug)]
pub struct EmbeddingsEndpoint {
    service: Service,
    dialect: &'static VectorDialect,
    tag: String,
    mark: KindMark,
    dimensions: Option<usize>,
}

impl EmbeddingsEndpoint {
    /// `patience` limits one call, in milliseconds.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for an invalid option.
    pub fn new(host: Rc<dyn Host>, options: &Value, patience: u32) -> Result<Self> {
        let dialects = DIALECTS.each_ref().map(|d| &d.at);
        let (place, service) = Service::new(host, options, patience, "embeddings", &dialects)?;
        let dimensions = match options.get("dimensions").map(|n| n.as_f64().unwrap_or_default()) {
            None => None,
            Some(n) if (1.0..=MAX_DIMENSIONS).contains(&n) && n.fract() == 0.0 => Some(n as usize),
            Some(_) => return Err(Error::field("embeddings.dimensions", "is not a whole number from 1 to 16,384")),
        };
        let dialect = &DIALECTS[place];
        let tag = [dialect.at.name, "/", &service.model].concat();
        Ok(Self { mark: (dialect.mark)(&service.model), service, dialect, tag, dimensions })
    }

    async fn once(&self, texts: &[&str], kind: TextKind, form: usize) -> Result<Vec<Vec<f32>>, EndpointFault> {
        let Self { service, dialect, mark, dimensions, .. } = self;
        let wanted = EmbeddingRequest {
            model: &service.model,
            texts,
            dimensions: *dimensions,
            kind: mark.field.zip(Some(mark.value(kind))),
        };
        let request = service.request(&dialect.bodies[form](&wanted));
        let reply = post(service.host.as_ref(), &request, MAX_BYTES_PER_TEXT * (texts.len() + 1), None).await?;
        vectors(dialect, &reply, texts.len())
    }
}

impl Remote for EmbeddingsEndpoint {
    fn model(&self) -> &str {
        &self.tag
    }

    fn origin(&self) -> Option<&str> {
        Some(&self.service.origin)
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }

    fn prefix(&self, kind: TextKind) -> &'static str {
        if self.mark.field.is_none() { self.mark.value(kind) } else { "" }
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str], kind: TextKind) -> Making<'a> {
        let Service { host, breaker, patience, .. } = &self.service;
        Box::pin(async move {
            let forms = self.dialect.bodies.len();
            let work = self.service.ask(*patience, TRIES, forms, async |form| self.once(texts, kind, form).await);
            guarded(host.as_ref(), breaker, *patience, texts.len(), Box::pin(work)).await
        })
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct KindMark {
    /// The request field; without one, the values are prefixes of the text.
    field: Option<&'static str>,
    query: &'static str,
    document: &'static str,
}

const fn field(name: &'static str, query: &'static str, document: &'static str) -> KindMark {
    KindMark { field: Some(name), query, document }
}

const fn prefix(query: &'static str, document: &'static str) -> KindMark {
    KindMark { field: None, query, document }
}

/// Cohere's field, for servers that forward to it.
const COHERE: KindMark = field("input_type", "search_query", "search_document");
const INSTRUCTED: KindMark = prefix("Instruct: Given a question, retrieve the notes that answer it\nQuery: ", "");
const REPRESENTED: KindMark = prefix("Represent this sentence for searching relevant passages: ", "");

/// Marks by the start of a model's name; the first match counts.
const NAMES: &[(&str, KindMark)] = &[
    ("voyage-", field("input_type", "query", "document")),
    ("jina-embeddings-v1", prefix("", "")),
    ("jina-embeddings-v2", prefix("", "")),
    ("jina-embeddings-", field("task", "retrieval.query", "retrieval.passage")),
    ("embed-v", COHERE),
    ("embed-english-", COHERE),
    ("embed-multilingual-", COHERE),
    ("nomic-embed-text", prefix("search_query: ", "search_document: ")),
    ("embeddinggemma", prefix("task: search result | query: ", "title: none | text: ")),
    ("qwen3-embedding", INSTRUCTED),
    ("mxbai-embed-large", REPRESENTED),
    ("bge-small-en", REPRESENTED),
    ("bge-base-en", REPRESENTED),
    ("bge-large-en", REPRESENTED),
];

impl KindMark {
    fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        if let Some((_, mark)) = NAMES.iter().find(|(start, _)| name.starts_with(start)) {
            return *mark;
        }
        if !name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "e5") {
            return Self::default();
        }
        if name.contains("instruct") { INSTRUCTED } else { prefix("query: ", "passage: ") }
    }

    const fn value(self, kind: TextKind) -> &'static str {
        match kind {
            TextKind::Query => self.query,
            TextKind::Document => self.document,
        }
    }
}
