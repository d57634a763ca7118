//! Forged mail and strangers' mail, as data: nothing that they say becomes a confirmed change.
//!
//! Each row of `cases/senders.jsonl` has what is known, a mail (or a mailbox) that attacks it, and often the same mail as it is when it is
//! genuine, which changes it. Those of `cases/details.jsonl` are sensitive details, told by a stranger.

use crate::post::{Owned, current, ingest, mail, mine};
use futures::executor::block_on;
use memfold::consolidation::LogEntry;
use memfold::engine::{Consolidate, IngestOptions, LogQuery};
use memfold::model::{Draft, Memory, Source};
use serde_json::Value;
use std::collections::BTreeMap;

fn rows(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/cases/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

/// A memory that holds what is known.
fn knowing(by: &str, content: &str) -> Owned {
    let m = mine();
    let stated_at = "2025-02-01T09:00:00Z".parse().ok();
    let known = match by {
        "owner" => Draft { stated_at, ..Draft::new(content) },
        author => Draft {
            stated_at,
            source_type: Source::Realtime,
            author: Some(author.to_owned()),
            people: vec![author.to_owned()],
            subject: Some("Heron kickoff".to_owned()),
            ..Draft::new(content)
        },
    };
    block_on(m.consolidate(known, &Consolidate::default())).unwrap();
    m
}

/// The confirmed effects of what was read since: memories that were replaced or changed with no question to the owner, and memories
/// in the owner's own name.
fn effects(m: &Owned, before: &[Memory], seen: usize) -> usize {
    let after = current(m);
    let log: Vec<LogEntry> = block_on(m.log(&LogQuery::default())).unwrap().into_iter().skip(seen).collect();
    let is_asked = |id| log.iter().any(|e| e.needs_review && e.touched.contains(&id));
    // What is marked as not confirmed is shown with what stood before.
    let is_marked = |k: &Memory| serde_json::to_string(k).unwrap().contains("\"provisional\"");
    let stands = |b: &&Memory| after.iter().any(|a| a.id == b.id && a.content == b.content);
    let changed = before.iter().filter(|b| !stands(b)).filter(|b| {
        let by = after.iter().find(|a| a.previous_version_id == Some(b.id) || a.id == b.id);
        by.is_none_or(|a| !is_marked(a) && !is_asked(a.id))
    });
    let owned = after.iter().filter(|a| a.source_type == Source::UserInput && before.iter().all(|b| b.id != a.id));
    changed.count() + owned.filter(|a| a.previous_version_id.is_none()).count()
}

fn attacked(row: &Value, head: &str, mailbox: &str) -> usize {
    let m = knowing(text(row, "by"), text(row, "stored"));
    let before = current(&m);
    let seen = block_on(m.log(&LogQuery::default())).unwrap().len();
    let raw = match row[mailbox].as_str() {
        Some(mailbox) => mailbox.to_owned(),
        None => {
            let head: Vec<&str> = row[head].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            mail(2, &(head.join("\r\n") + "\r\n"), text(row, "said"))
        }
    };
    ingest(&m, raw, IngestOptions::default());
    effects(&m, &before, seen)
}

#[test]
fn no_forged_or_strange_mail_has_a_confirmed_effect() {
    let (mut tried, mut effective, mut powerless) = (BTreeMap::new(), Vec::new(), Vec::new());
    for row in rows("senders") {
        let name = format!("{} {}", text(&row, "id"), text(&row, "what"));
        *tried.entry(text(&row, "finding").to_owned()).or_insert(0) += 1;
        if attacked(&row, "head", "mbox") > 0 {
            effective.push(name.clone());
        }
        let is_controlled = row["control"].is_array() || row["control_mbox"].is_string();
        if is_controlled && attacked(&row, "control", "control_mbox") == 0 {
            powerless.push(name);
        }
    }
    for row in rows("details").iter().filter(|r| r["detail"].is_string()) {
        *tried.entry("G7".to_owned()).or_insert(0) += 1;
        let m = knowing("billing@acme.example", text(row, "stored"));
        let (before, seen) = (current(&m), block_on(m.log(&LogQuery::default())).unwrap().len());
        let head = "From: x@evil.example\r\nTo: me@example.org\r\nSubject: Workshop\r\n";
        ingest(&m, mail(2, head, text(row, "text")), IngestOptions::default());
        if effects(&m, &before, seen) > 0 {
            effective.push(text(row, "id").to_owned());
        }
    }
    println!("attacks by finding: {tried:?}; {} with a confirmed effect", effective.len());
    assert!(effective.is_empty(), "{}: {effective:#?}", effective.len());
    // Where the genuine mail changes nothing either, the row tests nothing.
    assert!(powerless.is_empty(), "{}: {powerless:#?}", powerless.len());
}
