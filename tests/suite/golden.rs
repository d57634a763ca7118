//! One hash a test file over all that is read and decided from it. A refactoring must not change
//! any.
//!
//! For an intended change, compare the output before and after of
//! `MEMFOLD_GOLDEN=DIR cargo test --test suite golden::`; `MEMFOLD_GOLDEN=update` writes the new
//! hashes.

use crate::kit::Fake;
use crate::shown_values::Shown;
use futures::executor::block_on;
use memfold::analysis::analyse;
use memfold::decision::Policy;
use memfold::embed::HashingEmbedder;
use memfold::engine::{Cancel, Engine, IngestOptions, LogQuery, Options};
use memfold::extract::drafts;
use memfold::language::{Folded, Reference, cues, personal, time_phrase, tokens, values_in};
use memfold::mail::{Account, HostCharset, Mailbox, Vouched, read_vouched};
use memfold::model::{Draft, Zone};
use memfold::store::MemoryStore;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/golden.txt");

fn files(dir: &str, ext: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(dir);
    let mut all: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|f| f.unwrap().path()).collect();
    all.retain(|f| f.to_string_lossy().ends_with(ext));
    all.sort();
    all
}

fn rows(file: &Path) -> impl Iterator<Item = Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect::<Vec<_>>().into_iter()
}

/// Collects all strings of a JSON value.
fn collect_texts<'v>(value: &'v Value, out: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => out.push(text),
        Value::Array(list) => list.iter().for_each(|v| collect_texts(v, out)),
        Value::Object(map) => map.values().for_each(|v| collect_texts(v, out)),
        _ => {}
    }
}

/// Writes what the language layer reads from a text.
fn write_language(text: &str, out: &mut String) {
    let at = Reference { now: "2025-05-14T01:20:00Z".parse().unwrap(), zone: Zone::from_minutes(540) };
    let folded = Folded::new(text);
    writeln!(out, "{text}").unwrap();
    for found in values_in(&folded, Some(at)) {
        writeln!(out, "\tvalue {} {:?}", Shown(&found.value), found.span).unwrap();
    }
    for cue in cues(&folded) {
        writeln!(out, "\tcue {:?} {:?}", cue.kind, cue.span).unwrap();
    }
    for token in tokens(&folded) {
        writeln!(out, "\ttoken {} {:x} {}", token.stem(&folded), token.key, token.stop).unwrap();
    }
    for found in personal(text) {
        writeln!(out, "\tpersonal {found:?}").unwrap();
    }
    if let Some(found) = time_phrase(text, at) {
        writeln!(out, "\ttime {found:?}").unwrap();
    }
}

/// Writes the local analysis of a pair.
fn write_pair(row: &Value, out: &mut String) -> Option<()> {
    let draft = |v: &Value| serde_json::from_value::<Draft>(v.clone()).ok();
    let (a, b) = (draft(&row["existing"])?, draft(&row["new"])?);
    let found = analyse(&(&a).into(), &(&b).into());
    writeln!(out, "{}", row["id"]).unwrap();
    writeln!(out, "\t{:?} {:.3?} {} {:?}", found.outcome, found.probabilities, found.sure, found.relationship).unwrap();
    writeln!(out, "\t{} | {} | {:?}", found.subject_a, found.subject_b, found.conflict).unwrap();
    for change in &found.changes {
        writeln!(out, "\t{:?}", change.change).unwrap();
    }
    Some(())
}

/// Writes the drafts of a mailbox, and the log of its import without a model.
fn write_mailbox(file: &Path, out: &mut String) {
    let raw = std::fs::read(file).unwrap();
    let expect: Value =
        serde_json::from_slice(&std::fs::read(file.with_extension("expect.json")).unwrap()).unwrap_or_default();
    let owner: Vec<String> = expect["me"].as_str().map(str::to_owned).into_iter().collect();
    let account = Account { owner, zone: Some(Zone::from_minutes(540)), ..Account::default() };
    let vouched = Vouched { labelled: true, ..Vouched::default() };
    let pieces = |raw: &[u8]| {
        let mut mailbox = Mailbox::new();
        let mut pieces = mailbox.push(raw);
        pieces.extend(mailbox.finish());
        pieces
    };
    for piece in pieces(&raw) {
        let Ok(mail) = read_vouched(&piece.raw.unwrap(), &HostCharset, &vouched) else { continue };
        for draft in drafts(&mail, &account) {
            writeln!(out, "{}", serde_json::to_string(&draft).unwrap()).unwrap();
        }
    }
    let options = Options { policy: Policy::BALANCED, owner: account.owner.clone(), ..Options::default() };
    let fake = Fake::from(63_072_000_000);
    let m = block_on(Engine::open(MemoryStore::default(), HashingEmbedder, fake, options)).unwrap();
    let mut intake = m.intake(IngestOptions::default());
    let pieces: Vec<_> = pieces(&raw);
    block_on(m.ingest_all(&mut intake, pieces, &HostCharset, Cancel::default())).unwrap();
    for entry in block_on(m.log(&LogQuery::default())).unwrap() {
        writeln!(out, "{:?} {:?} {}", entry.decision, entry.reasons, entry.input).unwrap();
    }
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn readings_and_decisions_match_their_golden_hashes() {
    let mut found = Vec::new();
    let dump = std::env::var("MEMFOLD_GOLDEN").unwrap_or_default();
    let mut note = |kind: &str, file: &Path, out: String| {
        let name = file.file_name().unwrap().to_string_lossy();
        found.push(format!("{kind} {name} {:016x}", hash(&out)));
        if !matches!(dump.as_str(), "" | "update") {
            std::fs::create_dir_all(&dump).unwrap();
            std::fs::write(Path::new(&dump).join(format!("{kind}.{name}.txt")), out).unwrap();
        }
    };
    for file in files("eval/pairs", ".jsonl").iter().chain(&files("cases", ".jsonl")) {
        let (mut language, mut analysis) = (String::new(), String::new());
        for row in rows(file) {
            let mut all = Vec::new();
            collect_texts(&row, &mut all);
            all.retain(|t| t.len() <= 2_000 && t.contains(' '));
            all.sort();
            all.iter().for_each(|t| write_language(t, &mut language));
            write_pair(&row, &mut analysis);
        }
        note("language", file, language);
        if !analysis.is_empty() {
            note("analysis", file, analysis);
        }
    }
    for file in files("inbox", ".mbox") {
        let mut out = String::new();
        write_mailbox(&file, &mut out);
        note("mailbox", &file, out);
    }
    if dump == "update" {
        std::fs::write(FILE, found.join("\n") + "\n").unwrap();
    }
    let wanted = std::fs::read_to_string(FILE).unwrap();
    let wanted: Vec<&str> = wanted.lines().collect();
    let other: Vec<&String> = found.iter().filter(|line| !wanted.contains(&line.as_str())).collect();
    assert!(other.is_empty() && wanted.len() == found.len(), "changed: {other:#?}");
}
