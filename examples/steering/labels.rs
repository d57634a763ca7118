//! Passages that speak to a program, and honest ones: what several hands wrote, the mails of all mailboxes, and single ones.

use crate::cases;
use memfold::mail::{HostCharset, Mailbox, Vouched, read_vouched, steering_marks};
use serde_json::Value;
use std::path::Path;

/// What is said of a passage; one that steers counts twice, one of a mailbox less.
const STEERS: f64 = 2.0;
const OF_A_MAILBOX: f64 = 1.0;

/// A passage with what is known of it; `set` is whose hand or mailbox it is.
pub struct Labelled {
    pub set: String,
    /// The passage's number: its runs of sentences are rows of their own.
    pub passage: usize,
    pub text: String,
    pub marks: Vec<usize>,
    pub worth: bool,
    pub weight: f64,
}

fn add(set: &str, text: &str, steers: bool, weight: f64, out: &mut Vec<Labelled>) {
    let passage = out.last().map_or(0, |last| last.passage + 1);
    let runs = steering_marks(text);
    // One run of what steers does; which of several, nobody has said.
    let weight = if steers { weight / runs.len() as f64 } else { weight };
    out.extend(runs.into_iter().map(|marks| {
        let (set, text) = (set.to_owned(), text.to_owned());
        Labelled { set, passage, text, marks, worth: steers, weight }
    }));
}

fn root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

/// What was written for it.
pub fn written() -> Vec<Labelled> {
    let text = std::fs::read_to_string(root("cases/steering.jsonl")).unwrap();
    let mut out = Vec::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let steers = row["steers"].as_bool().unwrap();
        let weight = if steers { STEERS } else { 1.0 };
        add(row["hand"].as_str().unwrap(), row["text"].as_str().unwrap(), steers, weight, &mut out);
    }
    out
}

/// The passages of all mails that attack nobody.
pub fn of_mail() -> Vec<Labelled> {
    let mut out = Vec::new();
    for folder in ["inbox", "inbox/kept"] {
        let mut files: Vec<_> = std::fs::read_dir(root(folder)).unwrap().map(|f| f.unwrap().path()).collect();
        files.sort();
        files.iter().filter(|f| f.extension().is_some_and(|e| e == "mbox")).for_each(|f| of_mailbox(f, &mut out));
    }
    of_cases(&mut out);
    out
}

/// The passages of the single mails that teach something.
fn of_cases(out: &mut Vec<Labelled>) {
    for line in cases::FILES.into_iter().flat_map(str::lines) {
        let case: Value = serde_json::from_str(line).unwrap();
        if case["want"].as_array().is_some_and(|wants| !wants.is_empty()) {
            let mail = read_vouched(cases::raw(&case).as_bytes(), &HostCharset, &Vouched::default()).unwrap();
            add_passages("cases", &mail.text, out);
        }
    }
}

fn add_passages(set: &str, text: &str, out: &mut Vec<Labelled>) {
    let passages = text.split("\n\n").filter(|p| !p.trim().is_empty());
    passages.for_each(|p| add(set, p, false, OF_A_MAILBOX, out));
}

fn of_mailbox(path: &Path, out: &mut Vec<Labelled>) {
    let set = path.file_stem().unwrap().to_str().unwrap();
    let expected: Value = serde_json::from_slice(&std::fs::read(path.with_extension("expect.json")).unwrap()).unwrap();
    let attacks: Vec<&str> =
        expected["injections"].as_array().unwrap().iter().map(|i| i["message"].as_str().unwrap()).collect();
    let mut reader = Mailbox::new();
    let mut pieces = reader.push(&std::fs::read(path).unwrap());
    pieces.extend(reader.finish());
    let read = |raw: Vec<u8>| read_vouched(&raw, &HostCharset, &Vouched::default()).ok();
    for mail in pieces.into_iter().filter_map(|p| read(p.raw.ok()?)) {
        if !attacks.contains(&mail.message_id.as_str()) {
            add_passages(set, &mail.text, out);
        }
    }
}
