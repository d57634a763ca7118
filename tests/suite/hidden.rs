//! What a browser does not show is not read: the reader against Chromium's verdicts (tests/mail/hidden.test.mjs).

use memfold::mail::{HostCharset, Mail, read};
use serde_json::Value;

/// Shown by Chromium, and not read all the same: what might hide text is not looked at closer, and letters that lie one
/// over the other are no text.
const LOST: &[&str] = &[
    "filter-brightness",
    "clip-path-path",
    "letter-spacing-negative",
    "letter-spacing-wide",
    "word-position-path",
    "canvas",
];

fn page(html: &str) -> Mail {
    let head = "From: a@b.example\r\nSubject: x\r\nDate: Tue, 14 Jan 2025 09:00:00 +0900\r\n";
    let raw = format!("{head}Content-Type: text/html; charset=utf-8\r\n\r\n{html}");
    read(raw.as_bytes(), &HostCharset).unwrap()
}

/// All that was read of a page, quotes and signatures too, with single spaces.
fn words(mail: &Mail) -> String {
    let signatures = mail.sections.iter().map(|s| s.signature.as_str());
    let all: Vec<&str> = std::iter::once(mail.text.as_str()).chain(signatures).collect();
    all.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cases() -> Vec<Value> {
    let text = include_str!("../cases/hidden.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_a_browser_does_not_show_is_not_read() {
    let (mut leaks, mut shown) = (Vec::new(), 0);
    for case in cases() {
        let (id, probe) = (case["id"].as_str().unwrap(), case["probe"].as_str().unwrap());
        let seen = case["desktop"].as_bool().expect("a verdict; record it with tests/mail/hidden.test.mjs");
        shown += usize::from(seen);
        if !seen && words(&page(case["html"].as_str().unwrap())).contains(probe) {
            leaks.push(id.to_owned());
        }
    }
    assert_eq!(leaks, [""; 0], "hidden text was read");
    assert!(shown >= 50 && cases().len() - shown >= 150);
}

#[test]
fn what_a_browser_shows_is_read_but_for_a_known_few() {
    let mut lost = Vec::new();
    for case in cases().iter().filter(|c| c["desktop"] == true) {
        if !words(&page(case["html"].as_str().unwrap())).contains(case["probe"].as_str().unwrap()) {
            lost.push(case["id"].as_str().unwrap().to_owned());
        }
    }
    println!("{} of the shown snippets are not read: {lost:?}", lost.len());
    assert_eq!(lost, LOST);
}
