//! Forged mail and mail by strangers makes no confirmed change.
//!
//! A row of `cases/senders.jsonl` has a stored fact, a mail or mailbox that attacks it, and often
//! the genuine mail, which changes it. Rows of `cases/details.jsonl` are sensitive details in a
//! stranger's mail.

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

/// An engine that stores one fact, stated by the owner or by a sender.
fn engine_with_fact(by: &str, content: &str) -> Owned {
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

/// Counts the confirmed effects since `before`: memories replaced or changed without a question to
/// the owner, and new memories in the owner's name.
fn count_effects(m: &Owned, before: &[Memory], seen: usize) -> usize {
    let after = current(m);
    let log: Vec<LogEntry> = block_on(m.log(&LogQuery::default())).unwrap().into_iter().skip(seen).collect();
    let is_asked = |id| log.iter().any(|e| e.needs_review && e.touched.contains(&id));
    // A provisional change is shown with the previous value.
    let is_marked = |k: &Memory| serde_json::to_string(k).unwrap().contains("\"provisional\"");
    let stands = |b: &&Memory| after.iter().any(|a| a.id == b.id && a.content == b.content);
    let changed = before.iter().filter(|b| !stands(b)).filter(|b| {
        let by = after.iter().find(|a| a.previous_version_id == Some(b.id) || a.id == b.id);
        by.is_none_or(|a| !is_marked(a) && !is_asked(a.id))
    });
    let owned = after.iter().filter(|a| a.source_type == Source::UserInput && before.iter().all(|b| b.id != a.id));
    changed.count() + owned.filter(|a| a.previous_version_id.is_none()).count()
}

fn effects_of_attack(row: &Value, head: &str, mailbox: &str) -> usize {
    let m = engine_with_fact(text(row, "by"), text(row, "stored"));
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
    count_effects(&m, &before, seen)
}

#[test]
fn forged_or_strangers_mail_has_no_confirmed_effect() {
    let (mut tried, mut effective, mut powerless) = (BTreeMap::new(), Vec::new(), Vec::new());
    for row in rows("senders") {
        let name = format!("{} {}", text(&row, "id"), text(&row, "what"));
        *tried.entry(text(&row, "finding").to_owned()).or_insert(0) += 1;
        if effects_of_attack(&row, "head", "mbox") > 0 {
            effective.push(name.clone());
        }
        let is_controlled = row["control"].is_array() || row["control_mbox"].is_string();
        if is_controlled && effects_of_attack(&row, "control", "control_mbox") == 0 {
            powerless.push(name);
        }
    }
    for row in rows("details").iter().filter(|r| r["detail"].is_string()) {
        *tried.entry("G7".to_owned()).or_insert(0) += 1;
        let m = engine_with_fact("billing@acme.example", text(row, "stored"));
        let (before, seen) = (current(&m), block_on(m.log(&LogQuery::default())).unwrap().len());
        let head = "From: x@evil.example\r\nTo: me@example.org\r\nSubject: Workshop\r\n";
        ingest(&m, mail(2, head, text(row, "text")), IngestOptions::default());
        if count_effects(&m, &before, seen) > 0 {
            effective.push(text(row, "id").to_owned());
        }
    }
    println!("attacks by finding: {tried:?}; {} with a confirmed effect", effective.len());
    assert!(effective.is_empty(), "{}: {effective:#?}", effective.len());
    // A row tests nothing if the genuine mail changes nothing either.
    assert!(powerless.is_empty(), "{}: {powerless:#?}", powerless.len());
}
