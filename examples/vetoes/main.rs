//! What each veto meets on labelled pairs: `cargo run --example vetoes -- FILE…`.
#![allow(missing_docs, dead_code, clippy::all)]
#[path = "../fit/pairs.rs"]
mod pairs;
use std::collections::BTreeMap;
fn main() {
    let show = std::env::var("SHOW").unwrap_or_default();
    let mut seen: BTreeMap<(String, String), BTreeMap<String, u32>> = BTreeMap::new();
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        for line in text.lines().filter(|l| !l.trim().is_empty()) {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let side = |k: &str| serde_json::from_value::<pairs::Side>(row[k].clone()).unwrap();
            let (a, b) = (side("existing"), side("new"));
            let found = memfold::analysis::analyse(&a.statement(), &b.statement());
            let Some(v) = found.key_factors.iter().find(|f| {
                ["other_instance", "other_organisation", "denied", "other_value", "other_name", "other_roles"]
                    .contains(&f.code.as_str())
            }) else {
                continue;
            };
            let label = row["expected"].as_str().unwrap().to_owned();
            let name = file.rsplit('/').next().unwrap().to_owned();
            *seen.entry((v.code.clone(), "all".into())).or_default().entry(label.clone()).or_default() += 1;
            if show == v.code {
                println!("{label}\t{}\n   {}\n   {}\n   {:?}", name, a.content, b.content, v.evidence);
            }
            *seen.entry((v.code.clone(), name)).or_default().entry(label).or_default() += 1;
        }
    }
    for ((code, file), n) in seen {
        println!("{code:20} {file:26} {n:?}");
    }
}
