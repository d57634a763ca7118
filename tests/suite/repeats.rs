//! Model entries other than new facts: repetitions and unusable entries.

use crate::kit::Model;
use crate::post::{Owned, current, ingest, later, mail, mine};
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{LogEntry, OwnerVerdict, Status, When};
use memfold::decision::{Decision, Prompt, Reason};
use memfold::engine::{AddOptions, Cancel, IngestOptions, LogQuery, MailReceipt, ReviewItem, Role, Turn};
use memfold::llm::Reply;
use memfold::model::{Id, Memory, Source, Time};
use serde_json::{Value, json};
use std::rc::Rc;

/// The entries of changes that an entry confirmed.
pub(crate) fn confirmed(entry: &LogEntry) -> Vec<Id> {
    let of = |r: &Reason| if let Reason::Confirmed { entry } = r { Some(*entry) } else { None };
    entry.reasons.iter().filter_map(of).collect()
}

/// The handle of the candidate that contains a word.
pub(crate) fn handle(prompt: &Prompt, word: &str) -> Value {
    json!(prompt.candidates.iter().find(|c| c.content.contains(word)).map(|c| c.handle))
}

/// The model's entry for a mail line. `Again <word> …` repeats a memory, `Now <word> …` replaces it and `Also <word> …` extends
/// it. `Odd …` names an unknown handle. Any other line is new.
pub(crate) fn entry(prompt: &Prompt, line: &str) -> Value {
    let words: Vec<&str> = line.split(' ').collect();
    match words[0] {
        "Again" => json!({"op": "repeat", "of": handle(prompt, words[1]), "evidence": line}),
        "Now" => {
            let of = handle(prompt, words[1]);
            json!({"op": "update", "of": of, "text": line, "category": "project", "evidence": line})
        }
        "Also" => {
            let known = prompt.candidates.iter().find(|c| c.content.contains(words[1])).unwrap();
            let text = format!("{} {line}", known.content);
            json!({"op": "update", "of": known.handle, "text": text, "category": "project", "evidence": line})
        }
        "Odd" => json!({"op": "repeat", "of": "M99"}),
        _ => json!({"op": "new", "text": line, "category": "project", "evidence": line}),
    }
}

pub(crate) fn model() -> Model {
    Model::new(|prompt| {
        let text = prompt.text.split("\nSubject: ").nth(1).unwrap();
        let lines = text.lines().skip(1).take_while(|l| !l.starts_with("=== ")).filter(|l| !l.trim().is_empty());
        let entries: Vec<Value> = lines.map(|line| entry(prompt, line)).collect();
        Ok(Reply { text: json!({ "entries": entries }).to_string(), tokens: 9 })
    })
}

pub(crate) fn reading(m: Owned) -> Owned {
    m.with_model(Rc::new(model()))
}

/// Ingests a mail from `who`, dated by a day of February 2025.
pub(crate) fn from(m: &Owned, who: &str, id: u32, day: u32, text: &str) -> MailReceipt {
    let head =
        format!("From: {who}\r\nTo: me@example.org\r\nSubject: Heron {id}\r\nDate: {day} Feb 2025 09:00:00 +0000\r\n");
    ingest(m, mail(id, &head, text), IngestOptions::default()).pop().unwrap()
}

pub(crate) fn said(m: &Owned, id: u32, day: u32, text: &str) -> MailReceipt {
    from(m, "Ann <ann@acme.example>", id, day, text)
}

pub(crate) fn sole(receipt: MailReceipt) -> LogEntry {
    let [done] = <[_; 1]>::try_from(receipt.receipts).unwrap();
    done.entry
}

pub(crate) fn on(day: u32) -> Option<Time> {
    Some(format!("2025-02-{day:02}T09:00:00Z").parse().unwrap())
}

pub(crate) fn holding(m: &Owned, word: &str) -> Memory {
    let found: Vec<Memory> = current(m).into_iter().filter(|m| m.content.contains(word)).collect();
    assert_eq!(found.len(), 1, "{word}: {found:?}");
    found.into_iter().next().unwrap()
}

pub(crate) fn sound(m: &Owned) {
    assert_eq!(block_on(m.check()).unwrap().problems, []);
}

pub(crate) fn waiting(m: &Owned) -> Vec<ReviewItem> {
    block_on(m.reviews()).unwrap()
}

pub(crate) fn settle(m: &Owned, id: Id, verdict: OwnerVerdict) -> memfold::Result<LogEntry> {
    block_on(m.review(id, verdict, &Default::default()))
}

pub(crate) const KAYAK: &str = "The kayak course costs 300 euros and takes four evenings.";
pub(crate) const BOATHOUSE: &str = "Evenings with the paddle club begin at the boathouse in the harbour.";

#[test]
fn a_repetition_moves_the_date_and_undo_restores_it() {
    let m = reading(mine());
    let made = sole(said(&m, 1, 3, KAYAK));
    let before = holding(&m, "kayak");
    assert_eq!((before.stated_at, before.occurred_at), (on(3), on(3).unwrap().into()));
    let entry = sole(said(&m, 2, 10, "Again kayak as agreed"));
    assert_eq!(
        (entry.decision, entry.status, entry.touched.as_slice()),
        (Decision::Skip, Status::Success, &[before.id][..])
    );
    assert!(entry.reasons.contains(&Reason::SaidAgain) && !entry.needs_review);
    let after = holding(&m, "kayak");
    // Without a date in the text, the statement's date is used.
    assert_eq!((after.stated_at, after.occurred_at, &after.content), (on(10), on(10).unwrap().into(), &before.content));
    assert_eq!(after.statements, before.statements);
    sound(&m);
    // It is valid from the first statement on, and earlier views show the earlier date.
    let at = |when: When| block_on(m.history_at(before.id, &when)).unwrap();
    assert_eq!(at(When { valid_at: on(5), as_of: None }).len(), 1);
    assert_eq!(at(When { valid_at: None, as_of: Some(made.time) })[0].stated_at, on(3));

    let undone = block_on(m.undo(entry.id)).unwrap();
    assert_eq!((holding(&m, "kayak").stated_at, holding(&m, "kayak").occurred_at), (on(3), on(3).unwrap().into()));
    block_on(m.undo(undone.id)).unwrap();
    assert_eq!((holding(&m, "kayak").stated_at, holding(&m, "kayak").occurred_at), (on(10), on(10).unwrap().into()));
    // A rejection by the owner also reverts it, and can be undone.
    let again = sole(said(&m, 3, 12, "Again kayak once more"));
    assert_eq!(block_on(m.undo(entry.id)).unwrap_err().code, Code::HasDependents);
    let rejected = settle(&m, again.id, OwnerVerdict::Reject).unwrap();
    assert_eq!(holding(&m, "kayak").stated_at, on(10));
    block_on(m.undo(rejected.id)).unwrap();
    assert_eq!(holding(&m, "kayak").stated_at, on(12));
    sound(&m);
    // Undoing the first statement removes the memory despite its repetitions.
    block_on(m.undo(made.id)).unwrap();
    assert!(current(&m).is_empty());
    sound(&m);
}

#[test]
fn only_later_authorised_repetitions_move_the_date() {
    let m = reading(mine());
    said(&m, 1, 10, KAYAK);
    let note = [Turn { role: Role::User, content: BOATHOUSE.into(), at: on(3) }];
    block_on(m.add(&note, &AddOptions::default(), Cancel::default())).unwrap();
    assert_eq!(holding(&m, "boathouse").source_type, Source::UserInput);
    for receipt in [
        said(&m, 2, 5, "Again kayak as agreed"),
        from(&m, "Cy <cy@else.example>", 3, 15, "Again kayak as agreed"),
        said(&m, 4, 15, "Again boathouse as agreed"),
    ] {
        let entry = sole(receipt);
        assert_eq!(
            (entry.decision, entry.status, entry.touched.len()),
            (Decision::Skip, Status::Skipped, 0),
            "{entry:?}"
        );
    }
    assert_eq!((holding(&m, "kayak").stated_at, holding(&m, "boathouse").stated_at), (on(10), on(3)));
    // A dry run reports no change either.
    let mut intake = m.intake(IngestOptions { dry_run: true, ..IngestOptions::default() });
    let copy = block_on(m.rehearsal()).unwrap();
    let head = "From: ann@acme.example\r\nTo: me@example.org\r\nSubject: Heron\r\n";
    for piece in {
        intake.push(mail(9, head, "Again kayak as agreed").as_bytes());
        intake.finish()
    } {
        block_on(copy.ingest_all(&mut intake, vec![piece], &memfold::mail::HostCharset, Cancel::default())).unwrap();
    }
    assert_eq!((intake.report().skipped, intake.report().changes.len()), (1, 0));
    assert_eq!(holding(&m, "kayak").stated_at, on(10));
}

#[test]
fn a_statement_dated_before_a_repetition_becomes_history() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    said(&m, 2, 20, "Again kayak as agreed");
    let model = Model::new(|prompt| {
        let text = "The kayak course costs 280 euros and takes four evenings.";
        let entry = json!({"op": "update", "of": handle(prompt, "kayak"), "text": text, "category": "project", "evidence": text});
        Ok(Reply { text: json!({"entries": [entry]}).to_string(), tokens: 1 })
    });
    let m = m.with_model(Rc::new(model));
    let entry = sole(said(&m, 3, 10, "The kayak course costs 280 euros and takes four evenings."));
    assert!(entry.reasons.contains(&Reason::OlderThanStored), "{entry:?}");
    assert!(holding(&m, "kayak").content.contains("300"));
    sound(&m);
}

/// Syncs until neither side has entries left to send.
pub(crate) fn sync(client: &Owned, hub: &Owned) {
    for _ in 0..9 {
        let told = block_on(client.changes("hub")).unwrap();
        let upto = told.upto;
        let answer = block_on(hub.apply(told)).unwrap();
        if !block_on(client.settle("hub", upto, answer)).unwrap() {
            return;
        }
    }
    panic!("they never come to an end");
}

pub(crate) fn assert_converged(client: &Owned, hub: &Owned) {
    sync(client, hub);
    let all = |m: &Owned| -> Vec<Memory> {
        let all = block_on(m.list(None, 99, true)).unwrap();
        all.into_iter().map(|m| Memory { revision: 0, ..m }).collect()
    };
    assert_eq!(all(client), all(hub));
    sound(client);
    sound(hub);
}

#[test]
fn repetitions_sync_and_can_be_undone_remotely() {
    let (hub, client) = (mine(), reading(later(1_000_000, |_| {})));
    said(&client, 1, 3, KAYAK);
    said(&client, 2, 4, BOATHOUSE);
    assert_converged(&client, &hub);
    let again = sole(said(&client, 3, 10, "Again kayak as agreed"));
    assert_converged(&client, &hub);
    assert_eq!(holding(&hub, "kayak").stated_at, on(10));
    // On the hub the owner undoes the repetition.
    block_on(hub.undo(again.id)).unwrap();
    assert_converged(&client, &hub);
    assert_eq!(holding(&client, "kayak").stated_at, on(3));
}

#[test]
fn a_mails_receipt_lists_refused_entries() {
    let m = reading(mine());
    let receipt = said(&m, 1, 3, &[KAYAK, "\r\n\r\nOdd\r\n"].concat());
    let refused: Vec<(u32, &str)> = receipt.refused.iter().map(|r| (r.entry, r.error.as_str())).collect();
    assert_eq!(refused, [(2, "unknown_handle")]);
    let log = block_on(m.log(&LogQuery::default())).unwrap();
    let aside: Vec<&LogEntry> = log.iter().filter(|e| e.touched.is_empty() && e.memory_id.is_none()).collect();
    let [entry] = &aside[..] else { panic!("{aside:?}") };
    assert_eq!(
        (entry.status, entry.needs_review, entry.source_id.as_deref()),
        (Status::Skipped, false, Some("<1@x.example>"))
    );
    assert_eq!(entry.reasons, [Reason::ModelRefused { error: "unknown_handle".into() }]);
    // A redelivered mail does not log the refusal again.
    said(&m, 1, 3, &[KAYAK, "\r\n\r\nOdd\r\n"].concat());
    assert_eq!(block_on(m.log(&LogQuery::default())).unwrap().len(), log.len());
    sound(&m);
}
