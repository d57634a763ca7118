//! Layers import in one direction: a backward `crate::` path fails here.

use std::{fs, path::Path};

/// Each layer, and the layers that it may import. All may import `error`, `json` and
/// `mark_weights`.
const ALLOWED: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("json", &[]),
    ("mark_weights", &[]),
    ("model", &[]),
    ("language", &["model"]),
    ("mail", &["model", "language"]),
    ("extract", &["model", "language", "mail"]),
    ("similarity", &["model", "language"]),
    ("search", &["model", "language", "similarity"]),
    ("analysis", &["model", "language", "similarity", "search"]),
    ("decision", &["model", "language", "similarity", "analysis"]),
    ("consolidation", &["model", "language", "similarity", "analysis", "decision"]),
    ("sleep", &["model", "language", "similarity"]),
    ("store", &["model", "similarity", "decision", "consolidation"]),
    ("llm", &["model", "language", "decision", "analysis"]),
    ("embed", &["model", "language", "similarity"]),
    ("endpoint", &["language", "decision", "llm", "embed"]),
    (
        "engine",
        &[
            "model",
            "language",
            "similarity",
            "search",
            "analysis",
            "decision",
            "consolidation",
            "sleep",
            "mail",
            "extract",
            "store",
            "llm",
            "embed",
        ],
    ),
];

pub fn sources(dir: &Path, found: &mut Vec<(String, String)>) {
    for item in fs::read_dir(dir).unwrap() {
        let path = item.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap();
            found.push((name.to_str().unwrap().replace('\\', "/"), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The line and the first segment of every `crate::` path in the text, without comments.
fn imports(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter(|(_, l)| !l.trim_start().starts_with("//")).flat_map(|(n, l)| {
        l.match_indices("crate::").map(move |(at, m)| {
            let rest = &l[at + m.len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            (n + 1, &rest[..end])
        })
    })
}

#[test]
fn layers_import_in_one_direction() {
    let mut files = Vec::new();
    sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut files);
    assert!(files.len() > 20, "the sources were not found");
    let mut backward = Vec::new();
    for (name, text) in &files {
        let layer = name.split(['/', '.']).next().unwrap();
        // The encoder is a separate crate.
        if ["lib", "wasm", "encoder"].contains(&layer) {
            continue;
        }
        let (_, allowed) = ALLOWED.iter().find(|(l, _)| *l == layer).unwrap_or_else(|| panic!("unknown layer: {name}"));
        for (line, target) in imports(text) {
            let known = ALLOWED.iter().any(|(l, _)| *l == target);
            let open = ["error", "json", "mark_weights"].contains(&target) || target == layer;
            if known && !open && !allowed.contains(&target) {
                backward.push(format!("src/{name}:{line} ({layer}) imports crate::{target}"));
            }
        }
    }
    assert!(backward.is_empty(), "backward imports:\n{}", backward.join("\n"));
}

#[test]
fn backward_imports_are_detected() {
    let found: Vec<_> = imports("use crate::engine::Engine; // x\n// crate::store\nlet a = crate::mail::x;").collect();
    assert_eq!(found, [(1, "engine"), (3, "mail")]);
}
