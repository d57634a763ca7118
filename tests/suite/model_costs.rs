//! The cost of a model: one call a mail, cached answers, budgets and estimates.

use crate::kit::{self, Fake, Model};
use futures::executor::block_on;
use memfold::consolidation::LogEntry;
use memfold::decision::{Analyst, Policy, Prompt, Reason, Task};
use memfold::embed::HashingEmbedder;
use memfold::engine::{Cancel, Consolidate, Engine, IngestOptions, LogQuery, Options};
use memfold::llm::Reply;
use memfold::mail::HostCharset;
use memfold::model::Draft;
use memfold::store::MemoryStore;
use serde_json::{Value, json};
use std::rc::Rc;

pub type Memories = Engine;

pub fn engine(store: MemoryStore, daily_tokens: Option<u32>, from: u64) -> Memories {
    let owner = vec!["me@b.example".into()];
    let policy = Policy { ask_below: 1.0, ..Policy::ACCURATE };
    let options = Options { policy, owner, daily_tokens, ..Options::default() };
    block_on(Engine::open(store, HashingEmbedder, Fake::from(from), options)).unwrap()
}

/// Mail number `n` of a thread about one project.
pub fn mail(n: u32, text: &str) -> String {
    let reply = if n > 1 { "In-Reply-To: <1@a.example>\r\nReferences: <1@a.example>\r\n" } else { "" };
    format!(
        "From: Kim <kim@a.example>\r\nTo: me@b.example\r\nSubject: {}Heron\r\nDate: Tue, {:02} Jan 2025 09:00:00 +0000\r\n\
         Message-ID: <{n}@a.example>\r\n{reply}\r\n{text}\r\n",
        if n > 1 { "Re: " } else { "" },
        13 + n,
    )
}

pub const FIRST: &str =
    "The budget of the Heron project is 50M KRW.\r\n\r\nThe kickoff meeting is on 22 January at 2 pm in room 301.";
pub const SECOND: &str =
    "Finance has now set 60M KRW aside for Heron.\r\n\r\nWe meet for the kickoff on 23 January at 3 pm in the canteen.";

pub fn ingest(m: &Memories, options: IngestOptions, mails: &[String]) -> Vec<LogEntry> {
    let mut entries = Vec::new();
    for raw in mails {
        let mut intake = m.intake(options.clone());
        let mut pieces = intake.push(raw.as_bytes());
        pieces.extend(intake.finish());
        for piece in pieces {
            let receipt =
                block_on(m.ingest_all(&mut intake, vec![piece], &HostCharset, Cancel::default())).unwrap().remove(0);
            assert_eq!(receipt.failed, None);
            entries.extend(receipt.receipts.into_iter().map(|r| r.entry));
        }
    }
    entries
}

/// A reply that gives the new memory `outcome` against every candidate.
pub fn answers(prompt: &Prompt, outcome: &str) -> Value {
    let all: Vec<&str> = prompt.candidates.iter().map(|c| c.handle).collect();
    json!({"entries": [kit::entry(prompt, outcome, &all)]})
}

/// A reply that makes each line of the mail a new memory.
fn each_line(prompt: &Prompt) -> Value {
    let mail = prompt.text.split("\nSubject: ").nth(1).unwrap();
    let lines = mail.lines().skip(1).take_while(|l| !l.starts_with("=== ")).filter(|l| !l.trim().is_empty());
    let entry = |l: &str| json!({"op": "new", "text": l, "category": "project", "day": null, "evidence": l});
    json!({"entries": lines.map(entry).collect::<Vec<_>>()})
}

/// A model that keeps every line of a mail, and links every draft to its candidates.
fn linking_model() -> Model {
    Model::new(|prompt| {
        let said = if kit::is_draft(prompt) { answers(prompt, "CREATE_AND_LINK") } else { each_line(prompt) };
        Ok(Reply { text: said.to_string(), tokens: 100 })
    })
}

pub fn refused(entry: &LogEntry) -> Option<&str> {
    entry.reasons.iter().find_map(|r| match r {
        Reason::ModelRefused { error } => Some(error.as_str()),
        _ => None,
    })
}

pub fn log(m: &Memories) -> Vec<LogEntry> {
    block_on(m.log(&LogQuery::default())).unwrap()
}

#[test]
fn one_word_reply_is_read_only_after_a_proposal() {
    let model = linking_model();
    let m = engine(MemoryStore::default(), None, 1).with_model(Rc::new(model.clone()));
    let answer = |word: &str| {
        let asked = model.prompts().len();
        let day = asked + 13;
        let reply = format!(
            "From: me@b.example\r\nTo: Kim <kim@a.example>\r\nSubject: Re: Heron\r\nDate: Tue, {day} Jan 2025 10:00:00 +0000\r\n\
             Message-ID: <r{day}@b.example>\r\nIn-Reply-To: <1@a.example>\r\nReferences: <1@a.example>\r\n\r\n{word}\r\n"
        );
        ingest(&m, IngestOptions { sent: true, ..IngestOptions::default() }, &[reply]);
        model.prompts().split_off(asked)
    };
    ingest(&m, IngestOptions::default(), &[mail(1, "Any chance you do my late on 8 November? I do your Sunday 16th.")]);
    assert!(answer("Thanks!").is_empty());
    ingest(&m, IngestOptions::default(), &[mail(2, "So do you take the late on 8 November?")]);
    assert!(matches!(&answer("Yep.")[..], [one] if one.text.contains("late on 8 November")));
    assert!(answer("ok").is_empty(), "what the owner has said themself proposes nothing to them");
}

#[test]
fn mail_takes_one_model_call() {
    let model = linking_model();
    let m = engine(MemoryStore::default(), None, 1).with_model(Rc::new(model.clone()));
    assert_eq!(ingest(&m, IngestOptions::default(), &[mail(1, FIRST)]).len(), 2);
    let entries = ingest(&m, IngestOptions::default(), &[mail(2, SECOND)]);
    let prompts = model.prompts();
    assert_eq!((entries.len(), prompts.len()), (2, 2));
    let sent = prompts.last().unwrap();
    assert_eq!((sent.task, sent.source.as_deref(), sent.candidates.len()), (Task::Mail, Some("<2@a.example>"), 2));
    // The prompt includes the earlier mails of the thread.
    assert!(sent.text.contains(" BEFORE 2025-01-14 Kim") && sent.text.contains("50M KRW"), "{}", sent.text);
    assert!(entries.iter().all(|e| e.analyst == Analyst::Model && refused(e).is_none()), "{entries:?}");
    // The entries count the tokens of the call once.
    assert_eq!(entries.iter().map(|e| e.tokens).sum::<u32>(), 100);
    let usage = block_on(m.usage()).unwrap();
    assert_eq!((usage.calls as usize, usage.tokens), (prompts.len(), 100 * prompts.len() as u32));
}

#[test]
fn refused_reply_entry_falls_back_to_the_rules() {
    let model = Model::new(|prompt| {
        let mut said = each_line(prompt);
        said["entries"][0]["text"] = json!("Finance has now set 99M KRW aside for Heron.");
        Ok(Reply { text: said.to_string(), tokens: 1 })
    });
    let m = engine(MemoryStore::default(), None, 1).with_model(Rc::new(model.clone()));
    let entries = ingest(&m, IngestOptions::default(), &[mail(2, SECOND)]);
    assert_eq!(entries.iter().map(refused).collect::<Vec<_>>(), [None, Some("no_evidence")]);
    assert_eq!(entries.iter().map(|e| e.needs_review).collect::<Vec<_>>(), [false, true]);
    assert!(entries[1].input.contains("60M") && entries.iter().all(|e| !e.input.contains("99M")), "{entries:?}");
    assert_eq!(model.prompts().len(), 1);
}

#[test]
fn unreadable_reply_is_retried_once() {
    for (good_at, calls) in [(1, 1), (2, 2), (9, 2)] {
        let model = Model::new(move |prompt| {
            let tries = prompt.examples.len() - prompt.ours + 1;
            let text = if tries >= good_at { answers(prompt, "SKIP").to_string() } else { "I think so.".to_owned() };
            Ok(Reply { text, tokens: 10 })
        });
        let m = engine(MemoryStore::default(), None, 1).with_model(Rc::new(model.clone()));
        tell(&m, "The Heron budget is 50M");
        let entry = tell(&m, "The Heron budget is 60M");
        assert_eq!(model.prompts().len(), calls);
        assert_eq!((entry.tokens, refused(&entry)), (10 * calls as u32, (good_at == 9).then_some("not_json")));
        if calls == 2 {
            let again = &model.prompts()[1];
            assert_eq!(again.examples.last().unwrap().reply, "I think so.");
        }
    }
}

pub fn tell(m: &Memories, content: &str) -> LogEntry {
    let draft = Draft { thread_id: Some("t".into()), ..Draft::new(content) };
    block_on(m.consolidate(draft, &Consolidate::default())).unwrap().entry
}

/// The local analyst is unsure of this after "The Heron budget is 50M".
const CHANGED: &str = "60M is what Heron may spend";

#[test]
fn question_over_budget_is_decided_locally_and_reviewed() {
    let model = linking_model();
    let m = engine(MemoryStore::default(), Some(100), 1).with_model(Rc::new(model.clone()));
    tell(&m, "The Heron budget is 50M");
    tell(&m, "The Heron team meets on Monday");
    assert_eq!(model.prompts().len(), 1);
    let entry = tell(&m, CHANGED);
    assert_eq!((refused(&entry), entry.needs_review), (Some("over_budget"), true));
    let usage = block_on(m.usage()).unwrap();
    assert_eq!((usage.calls, usage.tokens, usage.tokens_left), (1, 100, Some(0)));
}

#[test]
fn import_stops_asking_when_its_tokens_are_spent() {
    let model = linking_model();
    let m = engine(MemoryStore::default(), None, 1).with_model(Rc::new(model.clone()));
    ingest(&m, IngestOptions::default(), &[mail(1, FIRST)]);
    let before = model.prompts().len();
    let mut intake = m.intake(IngestOptions { import_tokens: Some(100), ..IngestOptions::default() });
    let texts = [
        "Finance has now set 60M KRW aside for Heron.",
        "The caterer of the kickoff wants 2M KRW.",
        "Ada will lead the Heron project from February.",
    ];
    let mbox: String = (2..)
        .zip(texts)
        .map(|(n, text)| format!("From x Thu Jan  1 00:00:00 2025\n{}\n", mail(n, text).replace("\r\n", "\n")))
        .collect();
    let mut pieces = intake.push(mbox.as_bytes());
    pieces.extend(intake.finish());
    let mut told = Vec::new();
    for piece in pieces {
        let receipt =
            block_on(m.ingest_all(&mut intake, vec![piece], &HostCharset, Cancel::default())).unwrap().remove(0);
        told.extend(receipt.receipts.iter().map(|r| refused(&r.entry).map(str::to_owned)));
    }
    assert_eq!(told, [None, Some("over_budget".to_owned()), Some("over_budget".to_owned())]);
    assert_eq!(model.prompts().len() - before, 1);
}

#[test]
fn estimate_makes_no_calls_and_predicts_those_of_the_import() {
    let third = "The caterer of the kickoff wants 2M KRW.";
    let mails = [mail(1, FIRST), mail(2, SECOND), mail(3, third)];
    let model = linking_model();
    let m = engine(MemoryStore::default(), None, 1).with_model(Rc::new(model.clone()));
    let copy = block_on(m.gauging()).unwrap();
    let mut intake = copy.intake(IngestOptions { dry_run: true, ..IngestOptions::default() });
    for raw in &mails {
        let mbox = format!("From x Thu Jan  1 00:00:00 2025\n{}\n", raw.replace("\r\n", "\n"));
        for piece in intake.push(mbox.as_bytes()) {
            block_on(copy.ingest_all(&mut intake, vec![piece], &HostCharset, Cancel::default())).unwrap();
        }
    }
    for piece in intake.finish() {
        block_on(copy.ingest_all(&mut intake, vec![piece], &HostCharset, Cancel::default())).unwrap();
    }
    let estimate = copy.gauged(intake.report());
    assert_eq!((model.prompts().len(), log(&m).len()), (0, 0));
    assert_eq!(block_on(m.usage()).unwrap(), memfold::engine::Usage::default());
    ingest(&m, IngestOptions::default(), &mails);
    let calls = model.prompts().len() as f64;
    let asked: u32 = model.prompts().iter().map(Prompt::tokens).sum();
    assert_eq!((estimate.mails, estimate.drafts), (3, 5));
    let ratio = f64::from(estimate.calls) / calls;
    assert!(
        (0.5..=2.0).contains(&ratio) && estimate.tokens > asked / 2 && estimate.tokens < asked * 3,
        "{estimate:?} {calls} {asked}"
    );
}

#[test]
fn dry_run_usage_is_charged_to_the_real_store() {
    let model = linking_model();
    let store = MemoryStore::default();
    let m = engine(store.connect(), Some(250), 1).with_model(Rc::new(model.clone()));
    ingest(&m, IngestOptions::default(), &[mail(1, FIRST)]);
    let before = block_on(m.usage()).unwrap();
    let copy = block_on(m.rehearsal()).unwrap();
    ingest(&copy, IngestOptions { dry_run: true, ..IngestOptions::default() }, &[mail(2, SECOND)]);
    assert_eq!(block_on(copy.usage()).unwrap().tokens, before.tokens + 100);
    let after = block_on(m.usage()).unwrap();
    assert_eq!((after.calls, after.tokens), (before.calls + 1, before.tokens + 100));
    assert_eq!(block_on(engine(store.connect(), Some(250), 2).usage()).unwrap(), after);
}
