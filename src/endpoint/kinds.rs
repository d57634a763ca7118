//! How an embedding model learns whether a text is a query or a document: by a request field, a prefix, or not at all.
//! The model's name decides; if a server rejects the field, the request is repeated without it.

use crate::embed::TextKind;

/// How a request marks the kind of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct KindMark {
    /// The request field; without one, the values are prefixes of the text.
    pub field: Option<&'static str>,
    pub query: &'static str,
    pub document: &'static str,
}

const fn field(name: &'static str, query: &'static str, document: &'static str) -> KindMark {
    KindMark { field: Some(name), query, document }
}

const fn prefix(query: &'static str, document: &'static str) -> KindMark {
    KindMark { field: None, query, document }
}

/// Cohere's field, also for servers that forward to it.
pub(super) const COHERE: KindMark = field("input_type", "search_query", "search_document");
pub(super) const GEMINI: KindMark = field("taskType", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT");
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
    /// The mark for a model's name.
    pub fn of(model: &str) -> Self {
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

    /// The prefix of a text; empty if a field is used.
    pub fn prefix(self, kind: TextKind) -> &'static str {
        if self.field.is_none() { self.value(kind) } else { "" }
    }

    /// The request field and its value, if one is used.
    pub fn field(self, kind: TextKind) -> Option<(&'static str, &'static str)> {
        Some((self.field?, self.value(kind)))
    }
}
