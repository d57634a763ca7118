//! Lines of Rust for each folder of `src`, beside the budget of the second edition (docs/design/second-edition.md).

use super::layers::sources;
use std::collections::BTreeMap;
use std::path::Path;

/// Folders of the target tree that have replaced what they were written for, with their most lines.
const FINISHED: &[(&str, usize)] = &[("encoder", 850), ("extract", 2_200), ("search", 2_000)];
/// The whole of `src` and `build.rs`: today's most, which only falls until it is 40,000.
const TOTAL: usize = 45_820;

/// Lines of Rust by folder of `src`; `build.rs` and files outside of a folder count as `src`.
fn lines() -> BTreeMap<String, usize> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    files.push(("build.rs".to_owned(), std::fs::read_to_string(root.join("build.rs")).unwrap()));
    let mut lines = BTreeMap::new();
    for (name, text) in files {
        let folder = name.split_once('/').map_or("src", |(folder, _)| folder);
        *lines.entry(folder.to_owned()).or_default() += text.lines().count();
    }
    lines
}

#[test]
fn finished_folders_and_the_total_keep_their_budget() {
    let lines = lines();
    let total: usize = lines.values().sum();
    for (folder, count) in &lines {
        println!("{folder:>14} {count:>6}");
    }
    println!("{:>14} {total:>6} (goal 40000)", "all");
    for (folder, most) in FINISHED {
        let count = lines[*folder];
        assert!(count <= *most, "{folder}: {count} lines, budget {most}");
    }
    assert!(total <= TOTAL, "src: {total} lines, budget {TOTAL}");
}
