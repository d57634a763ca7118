//! How an embedding model is told whether a text is a question or a document: by a field of the request, by a prefix, or not at all.
//!
//! The name of the model decides; a server that refuses the field is asked without it.

use crate::embed::TextKind;

/// How a model is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KindMark {
    /// It makes no difference, or is not known to make one.
    None,
    /// A field of the request, and its values.
    Field { name: &'static str, query: &'static str, document: &'static str },
    /// What stands before the text.
    Prefix { query: &'static str, document: &'static str },
}

/// Cohere's, also over servers that pass it on.
pub(super) const COHERE: KindMark =
    KindMark::Field { name: "input_type", query: "search_query", document: "search_document" };
pub(super) const GEMINI: KindMark =
    KindMark::Field { name: "taskType", query: "RETRIEVAL_QUERY", document: "RETRIEVAL_DOCUMENT" };
const VOYAGE: KindMark = KindMark::Field { name: "input_type", query: "query", document: "document" };
const JINA: KindMark = KindMark::Field { name: "task", query: "retrieval.query", document: "retrieval.passage" };

const INSTRUCTED: KindMark =
    KindMark::Prefix { query: "Instruct: Given a question, retrieve the notes that answer it\nQuery: ", document: "" };
const REPRESENTED: KindMark =
    KindMark::Prefix { query: "Represent this sentence for searching relevant passages: ", document: "" };

/// What the names of models begin with, and how these are told. The first that fits counts.
const NAMES: &[(&str, KindMark)] = &[
    ("voyage-", VOYAGE),
    ("jina-embeddings-v1", KindMark::None),
    ("jina-embeddings-v2", KindMark::None),
    ("jina-embeddings-", JINA),
    ("embed-v", COHERE),
    ("embed-english-", COHERE),
    ("embed-multilingual-", COHERE),
    ("nomic-embed-text", KindMark::Prefix { query: "search_query: ", document: "search_document: " }),
    ("embeddinggemma", KindMark::Prefix { query: "task: search result | query: ", document: "title: none | text: " }),
    ("qwen3-embedding", INSTRUCTED),
    ("mxbai-embed-large", REPRESENTED),
    ("bge-small-en", REPRESENTED),
    ("bge-base-en", REPRESENTED),
    ("bge-large-en", REPRESENTED),
];

impl KindMark {
    /// How the model of this name is told.
    pub fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        if let Some((_, mark)) = NAMES.iter().find(|(start, _)| name.starts_with(start)) {
            return *mark;
        }
        let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
        match (words.any(|word| word == "e5"), name.contains("instruct")) {
            (true, true) => INSTRUCTED,
            (true, false) => Self::Prefix { query: "query: ", document: "passage: " },
            (false, _) => Self::None,
        }
    }

    /// The prefix of a text.
    pub fn prefix(self, kind: TextKind) -> &'static str {
        match (self, kind) {
            (Self::Prefix { query, .. }, TextKind::Query) => query,
            (Self::Prefix { document, .. }, TextKind::Document) => document,
            _ => "",
        }
    }

    /// The field of a request and its value.
    pub fn field(self, kind: TextKind) -> Option<(&'static str, &'static str)> {
        match (self, kind) {
            (Self::Field { name, query, .. }, TextKind::Query) => Some((name, query)),
            (Self::Field { name, document, .. }, TextKind::Document) => Some((name, document)),
            _ => None,
        }
    }

    /// Whether it is told by a field.
    pub const fn is_field(self) -> bool {
        matches!(self, Self::Field { .. })
    }

    /// Whether the vectors of documents are others than those of texts of no kind.
    pub fn marks_documents(self) -> bool {
        self.field(TextKind::Document).is_some() || !self.prefix(TextKind::Document).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_told_the_kind_as_their_makers_want() {
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
            let mark = KindMark::of(model);
            assert_eq!((mark.prefix(TextKind::Query), mark.prefix(TextKind::Document)), (query, document), "{model}");
            assert_eq!((mark.field(TextKind::Query), mark.marks_documents()), (None, !document.is_empty()), "{model}");
        }
        for (model, query, document) in [
            ("voyage-3.5-lite", ("input_type", "query"), ("input_type", "document")),
            ("embed-multilingual-v3.0", ("input_type", "search_query"), ("input_type", "search_document")),
            ("embed-v4.0", ("input_type", "search_query"), ("input_type", "search_document")),
            ("jina-embeddings-v3", ("task", "retrieval.query"), ("task", "retrieval.passage")),
        ] {
            let mark = KindMark::of(model);
            assert_eq!((mark.field(TextKind::Query), mark.field(TextKind::Document)), (Some(query), Some(document)));
            assert_eq!((mark.prefix(TextKind::Query), mark.marks_documents()), ("", true), "{model}");
        }
        let instructed = KindMark::of("multilingual-e5-large-instruct");
        assert!(instructed.prefix(TextKind::Query).ends_with("Query: ") && !instructed.marks_documents());
    }
}
