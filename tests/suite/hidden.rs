//! Hidden text is not read: the reader of mail against Chromium's verdicts
//! (tests/mail/hidden.test.mjs).

use memfold::mail::{HostCharset, Mail, read};
use serde_json::Value;

/// Shown by Chromium but not read, with the reason. Both lists together may only shrink.
const LOST: &[(&str, &str)] = &[
    ("filter-brightness", "a filter that changes colours hides"),
    ("clip-path-path", "a path is not measured, so it hides"),
    ("word-position-path", "an offset path is not followed, so it hides"),
    ("v-gradient-text", "a background within the letters is not computed, so it hides"),
    ("v-cut-but-high", "a clipped box of a fixed height hides, because lines are not laid out"),
    ("v-absolute", "placed boxes are not laid out, so they hide"),
    ("v-centred", "a transformation is not computed, so it hides"),
    ("v-transform", "a transformation is not computed, so it hides"),
    ("v-clip-path-round", "clip paths are not measured, so they hide"),
    ("v-mso-hide", "hidden in Outlook alone is hidden"),
    ("v-not", "`:not()` is not evaluated, so it may match"),
    ("v-nth", "the place among siblings is not known, so it may match"),
    ("v-keyframes", "animations are not followed, so they hide"),
    ("v-first-child-elsewhere", "the place among siblings is not known, so it may match"),
];

/// Not shown by Chromium but read, with the reason. This list may only shrink.
const LEAKED: &[(&str, &str)] = &[
    ("column-collapse", "cells are not matched with columns"),
    ("covered-whole", "boxes over text are not laid out"),
    ("covered-sized", "boxes over text are not laid out"),
    ("covered-before-it-comes", "boxes over text are not laid out"),
    ("covered-by-pull", "boxes over text are not laid out"),
    ("covered-by-picture", "boxes over text are not laid out"),
    ("covered-by-after", "pseudo-elements are not laid out"),
];

fn names(list: &[(&str, &str)]) -> Vec<String> {
    list.iter().map(|entry| entry.0.to_owned()).collect()
}

fn page(html: &str) -> Mail {
    let head = "From: a@b.example\r\nSubject: x\r\nDate: Tue, 14 Jan 2025 09:00:00 +0900\r\n";
    let raw = format!("{head}Content-Type: text/html; charset=utf-8\r\n\r\n{html}");
    read(raw.as_bytes(), &HostCharset).unwrap()
}

/// All text that was read from a page, quotes and signatures included, with single spaces.
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
fn hidden_text_is_not_read_except_in_known_cases() {
    let (mut leaks, mut shown) = (Vec::new(), 0);
    for case in cases() {
        let (id, probe) = (case["id"].as_str().unwrap(), case["probe"].as_str().unwrap());
        let seen = case["desktop"].as_bool().expect("a verdict; record it with tests/mail/hidden.test.mjs");
        shown += usize::from(seen);
        if !seen && words(&page(case["html"].as_str().unwrap())).contains(probe) {
            leaks.push(id.to_owned());
        }
    }
    assert_eq!(leaks, names(LEAKED), "hidden text was read");
    assert!(shown >= 50 && cases().len() - shown >= 150);
}

#[test]
fn visible_text_is_read_except_in_known_cases() {
    let mut lost = Vec::new();
    for case in cases().iter().filter(|c| c["desktop"] == true) {
        if !words(&page(case["html"].as_str().unwrap())).contains(case["probe"].as_str().unwrap()) {
            lost.push(case["id"].as_str().unwrap().to_owned());
        }
    }
    println!("{} of the shown snippets are not read: {lost:?}", lost.len());
    assert_eq!(lost, names(LOST));
}
