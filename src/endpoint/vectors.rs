//! An embeddings endpoint behind the embedder port, in four dialects. Whether its vectors may be used is judged elsewhere.

use super::breaker::Tries;
use super::kinds::{COHERE, GEMINI, KindMark};
use super::options::{Dialect, Named, bearer, ending, of_model};
use super::transport::post;
use super::{Breaker, EndpointFault, Host, Request, in_time};
use crate::embed::{Making, Remote, TextKind, Unmade};
use crate::{Error, Result, json};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::rc::Rc;

/// Bytes of a response that are read for each text, and once more for what is around them.
const EACH: usize = 128 * 1024;
/// The longest vector that may be asked for.
const LONGEST: f64 = 16_384.0;

/// How vectors are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VectorDialect {
    OpenAi,
    Gemini,
    Ollama,
    Cohere,
}

impl Dialect for VectorDialect {
    const NAMES: &'static [(&'static str, Self)] =
        &[("openai", Self::OpenAi), ("gemini", Self::Gemini), ("ollama", Self::Ollama), ("cohere", Self::Cohere)];
    const MORE: &'static [&'static str] = &["dimensions"];
    const FIELD: &'static str = "embeddings";

    fn path(self, base: &str, model: &str) -> String {
        match self {
            Self::OpenAi => ending(base, "/embeddings"),
            Self::Gemini => of_model(base, model, ":batchEmbedContents"),
            Self::Ollama => ending(base, "/api/embed"),
            Self::Cohere => ending(base, "/embed"),
        }
    }

    fn headers(self, key: &str, hostname: &str) -> Vec<(&'static str, String)> {
        match self {
            Self::OpenAi => bearer(key, hostname),
            Self::Gemini => vec![("x-goog-api-key", key.to_owned())],
            Self::Ollama | Self::Cohere => vec![("authorization", ["Bearer ", key].concat())],
        }
    }
}

/// What vectors are asked for.
#[derive(Debug, Clone, Copy)]
struct AskedVectors<'a> {
    model: &'a str,
    texts: &'a [&'a str],
    dimensions: Option<usize>,
    /// In the plainer form.
    plain: bool,
    /// The field by which the model is told what they are for.
    told: Option<(&'static str, &'static str)>,
}

impl VectorDialect {
    /// How a model of this name is told what its texts are for.
    fn mark(self, model: &str) -> KindMark {
        match self {
            Self::Gemini => GEMINI,
            Self::Cohere => COHERE,
            // It has no field for it.
            Self::Ollama => Some(KindMark::of(model)).filter(|m| !m.is_field()).unwrap_or(KindMark::None),
            Self::OpenAi => KindMark::of(model),
        }
    }

    /// The body of a request; the plainer form leaves out what some servers do not know.
    fn body(self, asked: &AskedVectors<'_>) -> Value {
        let AskedVectors { model, texts, dimensions, plain, told } = *asked;
        let plain = plain && self == Self::OpenAi;
        let length = dimensions.filter(|_| !plain).map(Value::from);
        let (kind, value) = told.filter(|_| !plain).map_or(("", None), |(name, value)| (name, Some(value.into())));
        // Voyage has names of its own for the form and the length.
        let voyage = model.starts_with("voyage-");
        let fields = |fields: Vec<(&str, Option<Value>)>| -> Value {
            let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
            Value::Object(given.collect::<Map<_, _>>())
        };
        let input: Value = texts.iter().copied().collect();
        match self {
            Self::OpenAi => fields(vec![
                ("model", Some(model.into())),
                ("input", Some(input)),
                ("encoding_format", (!plain && !voyage).then(|| "float".into())),
                (if voyage { "output_dimension" } else { "dimensions" }, length),
                (kind, value),
            ]),
            Self::Cohere => fields(vec![
                ("model", Some(model.into())),
                ("texts", Some(input)),
                (kind, value),
                ("embedding_types", Some(Value::Array(vec!["float".into()]))),
                ("output_dimension", length),
            ]),
            Self::Ollama => fields(vec![("model", Some(model.into())), ("input", Some(input)), ("dimensions", length)]),
            Self::Gemini => {
                let model: Value = ["models/", model].concat().into();
                let request = |text: &&str| {
                    let part = fields(vec![("text", Some((*text).into()))]);
                    let content = fields(vec![("parts", Some(Value::Array(vec![part])))]);
                    fields(vec![
                        ("model", Some(model.clone())),
                        ("content", Some(content)),
                        (kind, value.clone()),
                        ("outputDimensionality", length.clone()),
                    ])
                };
                fields(vec![("requests", Some(texts.iter().map(request).collect()))])
            }
        }
    }

    /// The vectors of a reply, in the order of the texts; some servers answer in another and say so.
    fn rows(self, reply: &mut Value) -> Option<Vec<Value>> {
        let reply = if self == Self::Cohere { reply.get_mut("embeddings")? } else { reply };
        let (list, field) = match self {
            Self::OpenAi => ("data", Some("embedding")),
            Self::Gemini => ("embeddings", Some("values")),
            Self::Ollama => ("embeddings", None),
            Self::Cohere => ("float", None),
        };
        let Value::Array(mut rows) = reply.get_mut(list)?.take() else { return None };
        if self == Self::OpenAi {
            rows.sort_by(|a, b| a["index"].as_u64().cmp(&b["index"].as_u64()));
        }
        if let Some(field) = field {
            rows.iter_mut().for_each(|row| *row = row.get_mut(field).map(Value::take).unwrap_or_default());
        }
        Some(rows)
    }
}

/// The vectors of so many texts; any that is not a list of finite numbers is none.
fn vectors(rows: Option<Vec<Value>>, count: usize) -> std::result::Result<Vec<Vec<f32>>, EndpointFault> {
    let number = |n: &Value| n.as_f64().map(|n| n as f32).filter(|n| n.is_finite());
    let vector = |row: &Value| row.as_array()?.iter().map(number).collect::<Option<Vec<f32>>>();
    let rows: Option<Vec<Vec<f32>>> = rows.and_then(|rows| rows.iter().map(vector).collect());
    match rows {
        Some(rows) if rows.len() == count && !rows.iter().any(Vec::is_empty) => {
            if rows.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
                return Err(EndpointFault::new("wrong_dimension"));
            }
            Ok(rows)
        }
        _ => Err(EndpointFault::new("malformed")),
    }
}

/// An embeddings endpoint.
#[derive(Debug)]
pub struct EmbeddingsEndpoint {
    host: Rc<dyn Host>,
    named: Named<VectorDialect>,
    /// The tag of its vectors.
    tag: String,
    mark: KindMark,
    dimensions: Option<usize>,
    patience: u32,
    /// Whether it is asked in the plainer form.
    plain: Cell<bool>,
    breaker: Breaker,
}

impl EmbeddingsEndpoint {
    /// The endpoint that the application has named, which may take so many milliseconds for one call.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for an option that is none.
    pub fn new(host: Rc<dyn Host>, options: &Value, patience: u32) -> Result<Self> {
        let named = Named::<VectorDialect>::of(host.as_ref(), options)?;
        let dimensions = match options.get("dimensions").map(|n| n.as_f64().unwrap_or_default()) {
            None => None,
            Some(n) if (1.0..=LONGEST).contains(&n) && n.fract() == 0.0 => Some(n as usize),
            Some(_) => return Err(Error::field("embeddings.dimensions", "is not a whole number from 1 to 16,384")),
        };
        let mark = named.dialect.mark(&named.model);
        let tag = [named.name, "/", &named.model].concat();
        let (plain, breaker) = Default::default();
        Ok(Self { host, named, tag, mark, dimensions, patience, plain, breaker })
    }

    async fn once(&self, texts: &[&str], kind: TextKind) -> std::result::Result<Vec<Vec<f32>>, EndpointFault> {
        let (dialect, dimensions, told) = (self.named.dialect, self.dimensions, self.mark.field(kind));
        let asked = AskedVectors { model: &self.named.model, texts, dimensions, plain: self.plain.get(), told };
        let body = dialect.body(&asked);
        let request = Request {
            url: self.named.url.clone(),
            headers: self.named.headers.clone(),
            body: json::write(&body).unwrap_or_default(),
        };
        let mut reply = post(self.host.as_ref(), &request, EACH * (texts.len() + 1), None).await?;
        vectors(dialect.rows(&mut reply), texts.len())
    }

    async fn tried(&self, texts: &[&str], kind: TextKind) -> std::result::Result<Vec<Vec<f32>>, EndpointFault> {
        let mut tries = Tries::new(false, self.host.now() + u64::from(self.patience));
        let mut plainer = false;
        loop {
            let fault = match self.once(texts, kind).await {
                Ok(vectors) => return Ok(vectors),
                Err(fault) => fault,
            };
            if fault.is_of_form() && self.named.dialect == VectorDialect::OpenAi && !self.plain.get() {
                // Kept where it passes.
                plainer = true;
                self.plain.set(true);
                continue;
            }
            if plainer {
                self.plain.set(false);
            }
            match tries.next(&fault, self.host.random(), self.host.now()) {
                Some(ms) => self.host.pause(ms).await,
                None => return Err(fault),
            }
        }
    }
}

/// Whether the fault may be that of one of several texts, or of the only one: the endpoint needs no rest after it.
fn is_of_texts(code: &str, texts: usize) -> bool {
    matches!(code, "rejected" | "too_large") || code == "malformed" && texts > 1
}

impl Remote for EmbeddingsEndpoint {
    fn model(&self) -> &str {
        &self.tag
    }

    fn origin(&self) -> Option<&str> {
        Some(&self.named.origin)
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }

    fn prefix(&self, kind: TextKind) -> &'static str {
        self.mark.prefix(kind)
    }

    fn marks_documents(&self) -> bool {
        self.mark.marks_documents()
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str], kind: TextKind) -> Making<'a> {
        Box::pin(async move {
            let work = Box::pin(self.tried(texts, kind));
            guarded(self.host.as_ref(), &self.breaker, self.patience, texts.len(), work).await
        })
    }
}

/// What `work` gives in time, unless it rests.
pub async fn guarded<T>(
    host: &dyn Host,
    breaker: &Breaker,
    patience: u32,
    texts: usize,
    work: super::Wait<'_, std::result::Result<T, EndpointFault>>,
) -> std::result::Result<T, Unmade> {
    if breaker.rests(host.now()) {
        return Err(Unmade::new("resting"));
    }
    let done = in_time(host, patience, work, || Err(EndpointFault::new("timeout"))).await;
    match &done {
        Ok(_) => breaker.passed(),
        Err(fault) if is_of_texts(fault.code, texts) => {}
        Err(fault) => breaker.failed(host.now(), fault.after),
    }
    done.map_err(|fault| Unmade::new(fault.code))
}
