//! The functions that are fuzzed (`fuzz/`), over the tests' data and over every finding so far.

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::Path;

fn findings(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/findings").join(target);
    let files = fs::read_dir(dir).into_iter().flatten();
    files.map(|f| fs::read(f.unwrap().path()).unwrap()).collect()
}

fn lines(text: &str) -> impl Iterator<Item = serde_json::Value> {
    text.lines().map(|l| serde_json::from_str(l).unwrap())
}

#[test]
fn mime_holds_over_broken_mail_and_findings() {
    for case in lines(include_str!("cases/broken_mail.jsonl")) {
        let raw: Vec<u8> = case["raw"].as_str().unwrap().chars().map(|c| c as u8).collect();
        targets::mime(&raw);
        targets::html(&raw);
    }
    findings("mime").iter().for_each(|f| targets::mime(f));
    findings("html").iter().for_each(|f| targets::html(f));
}

#[test]
fn mbox_holds_over_the_sample_in_chunks_of_any_length_and_findings() {
    let sample = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/inbox/sample.mbox")).unwrap();
    for step in [1, 2, 63, 255] {
        // The separators do not depend on what the messages say; a part of the sample will do.
        targets::mbox(&[&[step], &sample[..20_000]].concat());
    }
    findings("mbox").iter().for_each(|f| targets::mbox(f));
}

#[test]
fn pair_holds_over_terse_pairs_and_findings() {
    for pair in lines(include_str!("eval/pairs/own-terse.jsonl")).step_by(10) {
        let field = |side: &str, key: &str| pair[side][key].as_str().unwrap_or_default().to_owned();
        let one = |side: &str| ["content", "subject", "threadId"].map(|key| field(side, key)).join("\0") + "\0\0\0\0\0";
        targets::pair(format!("{}\0{}", one("existing"), one("new")).as_bytes());
    }
    findings("pair").iter().for_each(|f| targets::pair(f));
}
