//! Pairs of statements that the rules must decide without a model, by class (`tests/cases/probes.jsonl`).
//!
//! `cargo test --test suite -- probes:: --nocapture` prints the passes of each class and every failure.

use crate::kit::real;
use crate::post;
use futures::executor::block_on;
use memfold::consolidation::{LogEntry, Status};
use memfold::decision::{Decision, Policy};
use memfold::engine::{AddOptions, Cancel, Consolidate, Engine, IngestOptions, Role, Turn};
use memfold::model::{Draft, Memory};
use memfold::store::MemoryStore;
use serde_json::Value;
use std::collections::BTreeMap;

type Memories = Engine;

/// How the two statements of a probe reach the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Two notes by the owner.
    Note,
    /// Two drafts by an application.
    Draft,
    /// Two mails of one thread by one author.
    Mail,
}

/// Log entries of the second statement and the memories after it.
struct Outcome {
    entries: Vec<LogEntry>,
    current: Vec<Memory>,
}

fn field<'a>(probe: &'a Value, name: &str) -> &'a str {
    probe[name].as_str().unwrap_or_default()
}

fn list(probe: &Value, name: &str) -> Vec<String> {
    probe[name].as_array().into_iter().flatten().map(|v| v.as_str().unwrap().to_owned()).collect()
}

fn add(m: &Memories, text: &str) -> Vec<LogEntry> {
    let turn = Turn { role: Role::User, content: text.to_owned(), at: None };
    let receipt = block_on(m.add(&[turn], &AddOptions::default(), Cancel::default())).unwrap();
    receipt.receipts.into_iter().map(|r| r.entry).collect()
}

fn run_probe(probe: &Value, way: Way) -> Outcome {
    let (old, new) = (field(probe, "old"), field(probe, "new"));
    match way {
        Way::Mail => {
            let m = post::mine();
            let send = |id: u32, text: &str| {
                let day = 19 + id;
                let thread = if id > 1 { "In-Reply-To: <1@x.example>\r\nReferences: <1@x.example>\r\n" } else { "" };
                let re = if id > 1 { "Re: " } else { "" };
                let head = format!(
                    "From: Ada <ada@club.example>\r\nTo: me@example.org\r\nSubject: {re}News\r\n{thread}Date: {day} Feb 2025 09:00:00 +0000"
                );
                let receipts = post::ingest(&m, post::mail(id, &head, text), IngestOptions::default());
                receipts.into_iter().flat_map(|r| r.receipts).map(|r| r.entry).collect::<Vec<_>>()
            };
            send(1, old);
            Outcome { entries: send(2, new), current: post::current(&m) }
        }
        Way::Note | Way::Draft => {
            let m: Memories = real(MemoryStore::default(), Policy::BALANCED, 0);
            let tell = |text: &str| match way {
                Way::Note => add(&m, text),
                _ => vec![block_on(m.consolidate(Draft::new(text), &Consolidate::default())).unwrap().entry],
            };
            tell(old);
            let entries = tell(new);
            Outcome { entries, current: block_on(m.list(None, 100, false)).unwrap() }
        }
    }
}

impl Outcome {
    fn is_updated(&self) -> bool {
        self.entries.iter().any(|e| e.decision == Decision::Update && e.status == Status::Success)
    }

    fn is_skipped(&self) -> bool {
        self.entries.iter().all(|e| e.decision == Decision::Skip)
    }

    /// Both statements are kept, linked and flagged for review.
    fn is_flagged(&self) -> bool {
        self.entries.iter().any(|e| e.decision == Decision::CreateAndLink && e.needs_review)
    }

    /// How the outcome differs from the probe's expectation, if it does.
    fn mismatch(&self, probe: &Value) -> Option<String> {
        let (old, new) = (field(probe, "old"), field(probe, "new"));
        let what = match () {
            () if self.is_updated() => "UPDATE",
            () if self.is_flagged() => "flagged",
            () if self.is_skipped() => "SKIP",
            () => "kept beside",
        };
        let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        // Two sentences may become two memories.
        let sentences = |text: &str| text.split_inclusive(". ").map(bare).collect::<Vec<_>>();
        let stored: Vec<String> = self.current.iter().flat_map(|m| m.said()).map(|s| bare(&s.text)).collect();
        let is_stored = |text: &str| sentences(text).iter().all(|s| stored.iter().any(|t| t.contains(s.as_str())));
        let say = |why: &str| Some(format!("{what}: {why}"));
        // The part of the first statement that is still current.
        let older: String = {
            let said = self.current.iter().flat_map(|m| m.said());
            said.filter(|s| sentences(old).contains(&bare(&s.text)) || bare(&s.text).contains(&bare(old)))
                .map(|s| s.holds())
                .collect::<Vec<_>>()
                .join(" / ")
        };
        let lost = list(probe, "holds").into_iter().find(|words| !older.contains(words.as_str()));
        let left = list(probe, "gone").into_iter().find(|words| older.contains(words.as_str()));
        match field(probe, "want") {
            "told" if self.is_skipped() || !is_stored(new) => say("the new one is lost"),
            "apart" if self.is_updated() || self.is_skipped() => say("two things are one"),
            "apart" if !older.contains(old.trim_end_matches('.')) => say("the old one lost something"),
            "skip" if !self.is_skipped() => say("it was said before"),
            "changed" if !self.is_updated() && !self.is_flagged() => say("in silence"),
            "written" if !self.is_updated() => say("not written"),
            "written" if lost.is_some() => say(&format!("{:?} is lost, {older:?} holds", lost.unwrap())),
            "written" if left.is_some() => say(&format!("{:?} is left, {older:?} holds", left.unwrap())),
            "valued" => {
                let (value, never) = (field(probe, "value"), field(probe, "never"));
                let mut changes = self.entries.iter().flat_map(|e| &e.property_changes);
                let names = |c: &memfold::model::PropertyChange, it: &str| {
                    c.new_value.as_deref().is_some_and(|v| v.contains(it))
                };
                if changes.clone().any(|c| names(c, never)) {
                    return say("a denied value is the new one");
                }
                let is_right = changes.any(|c| names(c, value) && c.old_value.is_some());
                let silent = !self.is_updated() && !self.is_flagged();
                (self.is_updated() && !is_right || silent).then(|| format!("{what}: {value:?} is not the new value"))
            }
            _ => None,
        }
    }
}

/// Minimum passes of each class as notes, drafts and mails; 0 for classes that are not sent as mails.
const MINIMUMS: [(&str, [usize; 3]); 9] = [
    ("roles", [28, 28, 0]),
    ("verbs", [28, 28, 0]),
    ("cancelled", [21, 21, 18]),
    ("heads", [22, 22, 0]),
    ("removals", [23, 23, 18]),
    ("denied values", [19, 19, 18]),
    ("everyday", [33, 35, 0]),
    ("look-alikes", [39, 40, 0]),
    ("said again", [19, 18, 0]),
];

#[test]
fn each_class_of_probes_meets_its_minimum() {
    let probes: Vec<Value> =
        include_str!("../cases/probes.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut right: BTreeMap<(String, Way), (usize, usize, usize)> = BTreeMap::new();
    for probe in &probes {
        let class = field(probe, "class").to_owned();
        let by_mail = matches!(&*class, "cancelled" | "removals" | "denied values");
        for way in [Way::Note, Way::Draft, Way::Mail].into_iter().filter(|w| *w != Way::Mail || by_mail) {
            let outcome = run_probe(probe, way);
            let wrong = outcome.mismatch(probe);
            let (hold, written, all) = right.entry((class.clone(), way)).or_default();
            *all += 1;
            *written += usize::from(outcome.is_updated());
            *hold += usize::from(wrong.is_none());
            if let Some(wrong) = wrong {
                println!("{class} {way:?}: {} / {}: {wrong}", field(probe, "old"), field(probe, "new"));
            }
        }
    }
    println!();
    let mut short = Vec::new();
    for ((class, way), (hold, written, all)) in &right {
        println!("{class:14} {way:?}: {hold} of {all}, {written} updated");
        let least = MINIMUMS.iter().find(|(name, _)| name == class).unwrap().1[*way as usize];
        if *hold < least {
            short.push(format!("{class} {way:?}: {hold} of {all}, not {least}"));
        }
    }
    assert!(short.is_empty(), "{short:#?}");
}
