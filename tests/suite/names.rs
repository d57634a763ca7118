//! Type names, private ones included, must be unique in the crate, so that a name never means two things.
//!
//! `wasm` is exempt, since its names are those of JavaScript, and so is `encoder`, a crate of its own.

use crate::layers::sources;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the type name that a line declares; associated types of an `impl` or a trait do not count.
fn parse_type_name(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let code = match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest.trim_start(),
        None => code,
    };
    let (kind, rest) = code.split_once(' ')?;
    let known = match kind {
        "struct" | "enum" | "trait" => true,
        "type" => !line.starts_with(' '),
        _ => false,
    };
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    known.then_some(&rest[..end]).filter(|name| !name.is_empty())
}

#[test]
fn type_names_are_unique() {
    let mut files = Vec::new();
    sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut files);
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, text) in files.iter().filter(|(file, _)| !file.starts_with("wasm/") && !file.starts_with("encoder/")) {
        for name in text.lines().filter_map(parse_type_name) {
            found.entry(name).or_default().push(file);
        }
    }
    assert!(found.len() > 300, "only {} types were found", found.len());
    found.retain(|_, files| files.len() > 1);
    assert!(found.is_empty(), "give each its own name: {found:#?}");
}

#[test]
fn only_type_declarations_are_recognised() {
    let lines = ["pub(super) struct Row<'a> {", "    enum Kind {", "pub trait Store {", "type Names = Vec<u8>;"];
    assert_eq!(lines.map(parse_type_name), [Some("Row"), Some("Kind"), Some("Store"), Some("Names")]);
    let others = ["    type Error = E;", "// struct Row", "let x = 1;", "impl Row {", "fn structure() {}", ""];
    assert_eq!(others.map(parse_type_name), [None; 6]);
}
