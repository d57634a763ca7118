//! Rereads by a model of mails that rules alone have read.

use crate::kit::{Fake, Model};
use crate::model_costs::{Memories, engine, log, mail};
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{Action, LogEntry, Record, Shelf};
use memfold::decision::{Decision, Policy, Prompt, Refusal};
use memfold::embed::HashingEmbedder;
use memfold::engine::{Cancel, DeleteOptions, Engine, IngestOptions, IngestReport, Options};
use memfold::llm::Reply;
use memfold::mail::HostCharset;
use memfold::model::{Id, Memory, Metadata};
use memfold::store::{MemoryStore, Store};
use serde_json::{Value, json};
use std::rc::Rc;

const BUDGET: &str = "The budget of the Heron project is 50M KRW.";
const KICKOFF: &str = "The kickoff meeting is on 22 January at 2 pm in room 301.";
const TOLD: &str = "Heron kicks off on 22 January at 2 pm in room 301.";

fn letter() -> String {
    mail(1, &[BUDGET, "\r\n\r\n", KICKOFF].concat())
}

fn run(m: &Memories, options: IngestOptions, mails: &[String]) -> memfold::Result<(IngestReport, Vec<LogEntry>)> {
    let (mut report, mut entries) = (IngestReport::default(), Vec::new());
    for raw in mails {
        let mut intake = m.intake(options.clone());
        let mut pieces = intake.push(raw.as_bytes());
        pieces.extend(intake.finish());
        let receipts = block_on(m.ingest_all(&mut intake, pieces, &HostCharset, Cancel::default()))?;
        entries.extend(receipts.into_iter().flat_map(|r| r.receipts).map(|r| r.entry));
        report = intake.report().clone();
    }
    assert!(block_on(m.check()).unwrap().problems.is_empty());
    Ok((report, entries))
}

fn reread(m: &Memories, mails: &[String]) -> (IngestReport, Vec<LogEntry>) {
    run(m, IngestOptions { reread: true, ..IngestOptions::default() }, mails).unwrap()
}

/// A store whose mails rules alone have read.
fn read_by_rules(mails: &[String]) -> MemoryStore {
    let store = MemoryStore::default();
    run(&engine(store.connect(), None, 1), IngestOptions::default(), mails).unwrap();
    store
}

/// An engine over a store, with a model that answers by a script.
fn with_model(store: &MemoryStore, script: impl Fn(&Prompt) -> Value + 'static) -> (Memories, Model) {
    let model =
        Model::new(move |prompt| Ok(Reply { text: json!({"entries": script(prompt)}).to_string(), tokens: 100 }));
    (engine(store.connect(), None, 5_000_000).with_model(Rc::new(model.clone())), model)
}

fn current(m: &Memories) -> Vec<String> {
    let mut all: Vec<String> = block_on(m.list(None, 99, false)).unwrap().into_iter().map(|m| m.content).collect();
    all.sort();
    all
}

fn memory(m: &Memories, says: &str) -> Memory {
    block_on(m.list(None, 99, true)).unwrap().into_iter().find(|m| m.content == says).unwrap()
}

fn handle(prompt: &Prompt, says: &str) -> Option<String> {
    prompt.candidates.iter().find(|c| c.content.contains(says)).map(|c| c.handle.to_owned())
}

fn new(text: &str, evidence: &str) -> Value {
    json!({"op": "new", "text": text, "category": "meeting", "day": "2025-01-22", "evidence": evidence})
}

/// Repeats the budget and tells the kickoff anew.
fn half(prompt: &Prompt) -> Value {
    let repeat = json!({"op": "repeat", "of": handle(prompt, "50M"), "category": "project", "evidence": BUDGET});
    json!([repeat, new(TOLD, KICKOFF)])
}

#[test]
fn reread_memories_of_rules_give_way_to_the_reply_and_one_undo_brings_them_back() {
    let store = read_by_rules(&[letter()]);
    let (m, model) = with_model(&store, half);
    let (before, logged) = (current(&m), log(&m).len());
    assert_eq!(before.len(), 2, "{before:?}");
    let rules = memory(&m, &before.iter().find(|text| text.contains("22 January")).unwrap().clone());
    let (report, entries) = reread(&m, &[letter()]);
    assert_eq!(model.prompts().len(), 1);
    assert_eq!((report.created, report.skipped, report.gave_way, report.drafts), (1, 1, 1, 2));
    let budget = before.iter().find(|text| text.contains("50M")).unwrap().clone();
    let mut after = [budget, TOLD.to_owned()];
    after.sort();
    assert_eq!(current(&m), after);
    let gone = entries.last().unwrap();
    assert_eq!((gone.action, gone.decision, &gone.touched), (Action::Delete, Decision::Delete, &vec![rules.id]));
    assert_eq!(gone.reason, "A model has read this mail again and found other facts.");
    assert_eq!(block_on(m.get(rules.id)).unwrap().unwrap().content, rules.content);

    // A second reread, also without the stored replies, asks nothing and changes nothing.
    let there = log(&m);
    let (report, _) = reread(&m, &[letter()]);
    assert_eq!((report.replayed, report.gave_way), (2, 0));
    forget_replies(&store);
    reread(&m, &[letter()]);
    run(&m, IngestOptions::default(), &[letter()]).unwrap();
    assert_eq!((log(&m) == there, model.prompts().len()), (true, 1));

    let ids: Vec<Id> = entries.iter().map(|e| e.id).collect();
    let undone = block_on(m.undo_all(&ids)).unwrap();
    assert_eq!((undone.kept.len(), current(&m)), (0, before));
    // After the undo, it is not read again either.
    let there = log(&m);
    reread(&m, &[letter()]);
    assert_eq!((log(&m) == there, there.len() > logged, model.prompts().len()), (true, true, 1));
}

fn forget_replies(store: &MemoryStore) {
    for (key, _) in block_on(store.records(Shelf::Answers, None, 99)).unwrap() {
        let gone = Record { shelf: Shelf::Answers, key, value: None, expect: None };
        block_on(store.keep(vec![gone])).unwrap();
    }
}

#[test]
fn reread_memories_are_updated_in_place_or_give_way_to_an_empty_reply() {
    let store = read_by_rules(&[letter()]);
    let text = "The budget of the Heron project is 50M KRW; it kicks off on 22 January at 2 pm in room 301.";
    let (m, _) = with_model(&store, move |prompt| {
        let evidence = [BUDGET, "\n\n", KICKOFF].concat();
        json!([{"op": "update", "of": handle(prompt, "50M"), "text": text, "category": "project", "evidence": evidence}])
    });
    let (report, _) = reread(&m, &[letter()]);
    assert_eq!((report.updated, report.gave_way, current(&m)), (1, 1, vec![text.to_owned()]));

    let store = read_by_rules(&[letter()]);
    let (m, model) = with_model(&store, |_| json!([]));
    let (report, entries) = reread(&m, &[letter()]);
    assert_eq!((report.drafts, report.gave_way, current(&m).len()), (0, 1, 0));
    let there = log(&m);
    forget_replies(&store);
    reread(&m, &[letter()]);
    assert_eq!((log(&m) == there, model.prompts().len()), (true, 1));
    block_on(m.restore(entries[0].touched[0])).unwrap();
    assert_eq!(current(&m).len(), 2);
}

#[test]
fn reread_changes_nothing_that_the_owner_or_another_mail_has_stated() {
    let store = read_by_rules(&[letter(), mail(2, BUDGET)]);
    let (m, _) = with_model(&store, |prompt| {
        let of = handle(prompt, "room 400");
        json!([{"op": "update", "of": of, "text": KICKOFF, "category": "meeting", "day": "2025-01-22", "evidence": KICKOFF}])
    });
    let kickoff = current(&m).into_iter().find(|text| text.contains("22 January")).unwrap();
    let corrected = "The kickoff meeting is on 22 January at 2 pm in room 400.";
    block_on(m.update(memory(&m, &kickoff).id, corrected, &Metadata::default())).unwrap();
    let (before, reviews) = (current(&m), block_on(m.reviews()).unwrap().len());
    let (report, entries) = reread(&m, &[letter()]);
    assert_eq!((report.skipped, report.updated, report.gave_way), (1, 0, 0), "{entries:?}");
    assert_eq!((current(&m), block_on(m.reviews()).unwrap().len()), (before, reviews));
}

#[test]
fn reread_memories_of_several_mails_give_way_once_all_of_them_are_read() {
    let repeated = mail(2, BUDGET);
    let store = read_by_rules(&[letter(), repeated.clone()]);
    let (m, _) = with_model(&store, |_| json!([]));
    let mbox = |mails: &[String]| {
        mails.iter().map(|mail| ["From x Thu Jan  1 00:00:00 2025\r\n", mail, "\r\n"].concat()).collect::<String>()
    };
    let budget: Vec<String> = current(&m).into_iter().filter(|text| text.contains("50M")).collect();
    assert_eq!((budget.len(), current(&m).len()), (1, 2));
    let options = IngestOptions { reread: true, dry_run: true, ..IngestOptions::default() };
    let left = |mails: &[String]| {
        let rehearsal = block_on(m.rehearsal()).unwrap();
        run(&rehearsal, options.clone(), &[mbox(mails)]).unwrap();
        current(&rehearsal)
    };
    assert_eq!(left(&[letter()]), budget);
    assert!(left(&[letter(), repeated]).is_empty());
}

#[test]
fn reread_does_not_bring_back_what_the_owner_deleted_or_erased() {
    for erase in [false, true] {
        let store = read_by_rules(&[letter()]);
        let (m, model) = with_model(&store, half);
        let kickoff = current(&m).into_iter().find(|text| text.contains("22 January")).unwrap();
        let id = memory(&m, &kickoff).id;
        match erase {
            false => block_on(m.delete(&[id], &DeleteOptions::default())).map(drop).unwrap(),
            true => block_on(m.forget(&[id])).map(drop).unwrap(),
        }
        let there = log(&m);
        reread(&m, &[letter()]);
        assert_eq!((log(&m) == there, model.prompts().len()), (true, 0), "{erase}");
    }
}

#[test]
fn reread_by_a_failing_model_changes_nothing_and_says_so() {
    let store = read_by_rules(&[letter()]);
    let model = Model::new(|_| Err(Refusal::Timeout));
    let m = engine(store.connect(), None, 5_000_000).with_model(Rc::new(model));
    let there = (log(&m), current(&m));
    let (report, _) = reread(&m, &[letter(), mail(3, "The venue of the Heron party is the old pier hall.")]);
    let failed = &report.failed[0];
    assert_eq!((failed.code, failed.end > 0, report.failed.len()), (Code::Model, true, 1));
    assert!(failed.message.ends_with("timeout"), "{}", failed.message);
    assert_eq!((log(&m), current(&m)), there);
    // The next attempt succeeds, also in another store that has imported the memories.
    let (m, _) = with_model(&MemoryStore::default(), half);
    let export = block_on(engine(store.connect(), None, 9_000_000).export_pieces()).unwrap().concat();
    block_on(m.import(&export)).unwrap();
    for m in [m, with_model(&store, half).0] {
        assert_eq!(reread(&m, &[letter()]).0.gave_way, 1);
    }
    // Over the budget no request is sent.
    let (m, model) = with_model(&read_by_rules(&[letter()]), half);
    let options = IngestOptions { reread: true, import_tokens: Some(0), ..IngestOptions::default() };
    let (report, _) = run(&m, options, &[letter()]).unwrap();
    assert_eq!((report.failed[0].code, model.prompts().len()), (Code::Model, 0));
}

#[test]
fn reread_needs_a_model() {
    let store = read_by_rules(&[letter()]);
    let options = IngestOptions { reread: true, ..IngestOptions::default() };
    let code = |m: &Memories| run(m, options.clone(), &[letter()]).unwrap_err().code;
    assert_eq!(code(&engine(store.connect(), None, 5_000_000)), Code::Unsupported);
    let fast = Options { policy: Policy::FAST, owner: vec!["me@b.example".into()], ..Options::default() };
    let m = block_on(Engine::open(store.connect(), HashingEmbedder, Fake::from(6_000_000), fast)).unwrap();
    assert_eq!(code(&m.with_model(Rc::new(Model::new(|_| Err(Refusal::Failed))))), Code::Unsupported);
}

#[test]
fn reread_replays_mails_that_a_model_has_read() {
    let store = MemoryStore::default();
    let (m, _) = with_model(&store, half);
    run(&m, IngestOptions::default(), &[letter()]).unwrap();
    let there = log(&m);
    let (m, other) = with_model(&store, |_| json!([]));
    assert!(reread(&m, &[letter()]).0.replayed > 0);
    forget_replies(&store);
    reread(&m, &[letter()]);
    assert_eq!((log(&m) == there, other.prompts().len()), (true, 0));
    // A mail that no import has seen is read as by an import.
    let (m, model) = with_model(&MemoryStore::default(), |_| json!([new(TOLD, KICKOFF)]));
    let (report, _) = reread(&m, &[letter()]);
    assert_eq!((report.created, report.gave_way, model.prompts().len()), (1, 0, 1));
    run(&m, IngestOptions::default(), &[letter()]).unwrap();
    assert_eq!((current(&m), model.prompts().len()), (vec![TOLD.to_owned()], 1));
}

#[test]
fn reread_is_estimated_and_rehearsed_without_a_change() {
    let store = read_by_rules(&[letter()]);
    let (m, model) = with_model(&store, half);
    let there = log(&m);
    let options = IngestOptions { reread: true, dry_run: true, ..IngestOptions::default() };
    let gauge = block_on(m.gauging()).unwrap();
    let (report, _) = run(&gauge, options.clone(), &[letter()]).unwrap();
    let estimate = gauge.gauged(&report);
    assert_eq!((estimate.calls, estimate.mails, report.failed.len(), model.prompts().len()), (1, 1, 0, 0));
    assert!(estimate.tokens > 500, "{}", estimate.tokens);
    let rehearsal = block_on(m.rehearsal()).unwrap();
    let (report, _) = run(&rehearsal, options, &[letter()]).unwrap();
    let changes: Vec<Decision> = report.changes.iter().map(|c| c.decision).collect();
    assert_eq!(changes, [Decision::Create, Decision::Delete]);
    assert!(report.changes[1].before.as_ref().unwrap().contains("22 January"));
    assert!(log(&m) == there);
    // The reread itself needs no second call.
    assert_eq!((reread(&m, &[letter()]).0.gave_way, model.prompts().len()), (1, 1));
}
