//! No import cycles between the files of a layer.
//!
//! A file imports another when it names an item defined there, by `use` or inline, through
//! `super::`, `self::`, `crate::` or a child module. A name is followed through re-exports to its
//! definition, so a `mod.rs` counts only for its own items. `mod x;` and `pub use` import nothing.
//! Tests do not count, nor does the type `Engine`: every file of `engine` implements a part of it.

use crate::layers::sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Names = Vec<String>;

/// Known cycles. A cycle that is gone must leave this list.
const KNOWN_CYCLES: &[&[&str]] = &[];

/// A source file: its path in the crate, and the names in its text.
#[derive(Default)]
struct File {
    name: String,
    children: BTreeSet<String>,
    /// The imported names, each with its path.
    uses: BTreeMap<String, Names>,
    globs: Vec<Names>,
    /// The names in `uses` that are re-exported.
    reexported: BTreeSet<String>,
    /// All other paths in the text.
    paths: Vec<Names>,
}

fn module(name: &str) -> Names {
    let name = name.strip_suffix(".rs").unwrap();
    let name = name.strip_suffix("/mod").unwrap_or(name);
    if name == "lib" { Vec::new() } else { name.split('/').map(String::from).collect() }
}

/// The tokens of a text: identifiers and punctuation, without comments, literals and tests.
fn tokenize(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = |n: usize| &rest[n..];
        if rest.starts_with("//") {
            rest = after(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            rest = after(rest.find("*/").map_or(rest.len(), |at| at + 2));
        } else if let Some(raw) = raw_string_len(rest) {
            rest = after(raw);
        } else if c == '"' {
            rest = after(quoted_len(rest, '"'));
        } else if c == '\'' {
            let mut letters = rest[1..].chars();
            let lifetime = letters.next() != Some('\\') && letters.next() != Some('\'');
            rest = after(if lifetime { 1 } else { quoted_len(rest, '\'') });
        } else if rest.starts_with("#[cfg(test)]") {
            let (body, semicolon) = (rest.find('{'), rest.find(';'));
            rest = match (body, semicolon) {
                (Some(b), s) if s.is_none_or(|s| b < s) => after(rest.find("\n}").map_or(rest.len(), |at| at + 2)),
                (_, s) => after(s.map_or(rest.len(), |s| s + 1)),
            };
        } else if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            out.push(rest[..end].into());
            rest = after(end);
        } else if rest.starts_with("::") {
            out.push("::".into());
            rest = after(2);
        } else {
            if !c.is_whitespace() {
                out.push(c.into());
            }
            rest = after(c.len_utf8());
        }
    }
    out
}

/// The length of the raw string literal at the start of the text.
fn raw_string_len(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    rest[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let from = 1 + hashes + 1;
    Some(text[from..].find(&end).map_or(text.len(), |at| from + at + end.len()))
}

/// The length of the literal at the start of the text, both quotes included.
fn quoted_len(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if !escaped && c == quote {
            return at + 1;
        }
        escaped = !escaped && c == '\\';
    }
    text.len()
}

fn is_name(mark: &str) -> bool {
    mark.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Collects the paths of the `use` tree at `at` with their imported names; returns the index after
/// the tree.
fn collect_use_tree(marks: &[String], mut at: usize, head: &[String], out: &mut Vec<(Names, String)>) -> usize {
    let mut path = head.to_vec();
    loop {
        match marks[at].as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while marks[at] != "}" {
                    at = collect_use_tree(marks, at, &path, out);
                    at += usize::from(marks[at] == ",");
                }
                return at + 1;
            }
            "*" => {
                out.push((path, "*".into()));
                return at + 1;
            }
            "as" => {
                out.push((path, marks[at + 1].clone()));
                return at + 2;
            }
            mark if is_name(mark) => {
                if mark != "self" || path.is_empty() {
                    path.push(mark.into());
                }
                at += 1;
            }
            _ => {
                let name = path.last().unwrap().clone();
                out.push((path, name));
                return at;
            }
        }
    }
}

fn parse(name: &str, text: &str) -> File {
    let marks = tokenize(text);
    let mut file = File { name: name.into(), ..File::default() };
    let mut at = 0;
    while at < marks.len() {
        let mark = marks[at].as_str();
        if mark == "mod" && marks[at + 2] == ";" {
            file.children.insert(marks[at + 1].clone());
            at += 3;
        } else if mark == "use" && marks[at + 1] != "<" {
            // `use` or `pub use` or `pub(crate) use`.
            let reexported = at > 0 && ["pub", ")"].contains(&marks[at - 1].as_str());
            let mut found = Vec::new();
            at = collect_use_tree(&marks, at + 1, &[], &mut found);
            for (path, name) in found {
                if name == "*" {
                    file.globs.push(path);
                    continue;
                }
                if reexported {
                    file.reexported.insert(name.clone());
                }
                file.uses.insert(name, path);
            }
        } else if is_name(mark) && (at == 0 || marks[at - 1] != "::") {
            let mut path = vec![mark.to_owned()];
            while at + 2 < marks.len() && marks[at + 1] == "::" && is_name(&marks[at + 2]) {
                path.push(marks[at + 2].clone());
                at += 2;
            }
            // Methods and fields are no paths.
            if path.len() > 1 && (at + 1 < path.len() * 2 || marks[at + 1 - path.len() * 2] != ".") {
                file.paths.push(path);
            }
            at += 1;
        } else {
            at += 1;
        }
    }
    file
}

struct Crate(BTreeMap<Names, File>);

impl Crate {
    fn read<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        Crate(files.into_iter().map(|(name, text)| (module(name), parse(name, text))).collect())
    }

    /// The module that defines the item at the end of a path, and the item. `None` for external
    /// items and for modules.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<(Names, String)> {
        let here = self.0.get(from)?;
        let (head, mut rest) = path.split_first()?;
        let mut at = match head.as_str() {
            "crate" => Vec::new(),
            "self" => from.to_vec(),
            "super" => from[..from.len().checked_sub(1)?].to_vec(),
            child if here.children.contains(child) => [from, std::slice::from_ref(head)].concat(),
            name => {
                let target = here.uses.get(name).filter(|t| depth < 9 && t[..] != path[..1])?;
                let whole = [&target[..], rest].concat();
                return self.resolve(from, &whole, depth + 1);
            }
        };
        while let Some((next, more)) = rest.split_first() {
            let file = self.0.get(&at)?;
            if next == "super" {
                at.pop();
            } else if file.children.contains(next) {
                at.push(next.clone());
            } else if let Some(target) = file.uses.get(next).filter(|_| depth < 9) {
                let whole = [&target[..], more].concat();
                return self.resolve(&at, &whole, depth + 1);
            } else {
                return Some((at, next.clone()));
            }
            rest = more;
        }
        None
    }

    /// For each file, the files of its layer that it imports, each with one imported item.
    fn imports(&self) -> BTreeMap<&str, BTreeMap<&str, String>> {
        let mut out = BTreeMap::new();
        for (from, file) in self.0.iter().filter(|(module, _)| !module.is_empty()) {
            let into: &mut BTreeMap<_, _> = out.entry(file.name.as_str()).or_default();
            let brought = file.uses.iter().filter(|(name, _)| !file.reexported.contains(*name)).map(|(_, path)| path);
            let globs = file.globs.iter().map(|path| [&path[..], &["*".to_owned()]].concat()).collect::<Vec<_>>();
            for path in brought.chain(&file.paths).chain(&globs) {
                let Some((to, item)) = self.resolve(from, path, 0) else { continue };
                if to != *from && to.first() == from.first() && !(to == ["engine"] && item == "Engine") {
                    into.insert(self.0[&to].name.as_str(), item);
                }
            }
        }
        out
    }

    /// Every cycle: its files, and the imports between them.
    fn cycles(&self) -> Vec<(Vec<&str>, String)> {
        let imports = self.imports();
        let reach = |from: &str| {
            let mut seen = BTreeSet::new();
            let mut open: Vec<&str> = imports[from].keys().copied().collect();
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    open.extend(imports[next].keys());
                }
            }
            seen
        };
        let reached: BTreeMap<&str, BTreeSet<&str>> = imports.keys().map(|f| (*f, reach(f))).collect();
        let mut found = BTreeMap::new();
        for (file, seen) in reached.iter().filter(|(file, seen)| seen.contains(**file)) {
            let circle: BTreeSet<&str> = seen.iter().filter(|f| reached[**f].contains(file)).copied().collect();
            let inner = imports[file].iter().filter(|(to, _)| circle.contains(**to));
            let lines = inner.map(|(to, item)| format!("\n  {file} → {to} ({item})"));
            found.entry(circle.clone()).or_insert_with(String::new).extend(lines);
        }
        found.into_iter().map(|(circle, lines)| (circle.into_iter().collect(), lines)).collect()
    }
}

#[test]
fn files_of_a_layer_have_no_import_cycle() {
    let mut files = Vec::new();
    sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut files);
    files.retain(|(name, _)| !name.ends_with("tests.rs"));
    let whole = Crate::read(files.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let imports: usize = whole.imports().values().map(BTreeMap::len).sum();
    assert!(imports > 200, "only {imports} imports were found");
    let (closed, new): (Vec<_>, Vec<_>) = whole.cycles().into_iter().partition(|(c, _)| KNOWN_CYCLES.contains(&&c[..]));
    let new: Vec<String> = new.into_iter().map(|(circle, lines)| format!("{} files:{lines}", circle.len())).collect();
    assert!(new.is_empty(), "{} circles of files:\n{}", new.len(), new.join("\n"));
    assert_eq!(closed.len(), KNOWN_CYCLES.len(), "a circle was opened: take it off the list");
}

fn find_cycles(files: &[(&str, &str)]) -> Vec<String> {
    let whole = Crate::read([("lib.rs", "pub mod a; pub mod engine;")].into_iter().chain(files.iter().copied()));
    whole.cycles().into_iter().map(|(_, lines)| lines).collect()
}

#[test]
fn cycles_are_detected() {
    let two = [("a/mod.rs", "mod x; mod y;"), ("a/x.rs", "use super::y::Y;"), ("a/y.rs", "fn f() { super::x::g() }")];
    assert_eq!(find_cycles(&two), ["\n  a/x.rs → a/y.rs (Y)\n  a/y.rs → a/x.rs (g)"]);
    // Through a re-export, a child module, and a folder's own `mod.rs`.
    let reexported = [
        ("a/mod.rs", "mod x; mod y; pub use y::Y; pub struct Own;"),
        ("a/x.rs", "use super::Y;"),
        ("a/y.rs", "use super::x; fn f() { x::g() }"),
    ];
    assert_eq!(find_cycles(&reexported).len(), 1);
    let parent = [("a/mod.rs", "mod x; struct Own; fn f() { x::g() }"), ("a/x.rs", "use crate::a::Own;")];
    assert_eq!(find_cycles(&parent).len(), 1);
    let renamed = [
        ("a/mod.rs", "mod x; mod y;"),
        ("a/x.rs", "use super::{y as other}; const A: u8 = other::B;"),
        ("a/y.rs", "use super::x::{self, A}; const B: u8 = 'a' as u8;"),
    ];
    assert_eq!(find_cycles(&renamed).len(), 1);
}

#[test]
fn reexports_comments_and_tests_make_no_cycle() {
    // Re-exports, comments, strings and tests import nothing.
    let quiet = [
        ("a/mod.rs", "mod x; pub use x::X; pub struct Own;"),
        ("a/x.rs", "use super::Own; // super::y::Y\nconst S: &str = \"super::y::Y\";\n"),
        ("a/y.rs", "use super::X;\n#[cfg(test)]\nmod tests {\n use super::super::z::Z;\n}\n"),
        ("a/z.rs", "use super::y::Y;"),
    ];
    assert!(find_cycles(&quiet).is_empty());
    let parts = [
        ("engine/mod.rs", "mod x; use x::X; pub struct Engine; pub struct Other;"),
        ("engine/x.rs", "use super::Engine;"),
    ];
    assert!(find_cycles(&parts).is_empty());
    let other = [("engine/mod.rs", parts[0].1), ("engine/x.rs", "use super::{Engine, Other};")];
    assert_eq!(find_cycles(&other).len(), 1);
}
