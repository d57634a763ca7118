//! What a model says besides what is new: that a memory is said again, that two are one matter, and what cannot be used.

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

/// The handle of the memory that holds a word.
fn handle(prompt: &Prompt, word: &str) -> Value {
    json!(prompt.candidates.iter().find(|c| c.content.contains(word)).map(|c| c.handle))
}

/// What a line of a mail is to this model: `Again <word> …` is said again, `Now <word> …` is how it stands now, `Also <word> …`
/// what stands and this besides, `Same <word> <word> …` are one matter, `One <word> <word> …` are too and
/// stand so now, `Odd …` is about nothing that was sent, and all else is new.
fn entry(prompt: &Prompt, line: &str) -> Value {
    let words: Vec<&str> = line.split(' ').collect();
    match words[0] {
        "Again" => json!({"op": "repeat", "of": handle(prompt, words[1]), "evidence": line}),
        "Same" => {
            json!({"op": "same", "of": handle(prompt, words[1]), "with": handle(prompt, words[2]), "evidence": line})
        }
        "Now" => {
            let of = handle(prompt, words[1]);
            json!({"op": "update", "of": of, "text": line, "category": "project", "evidence": line})
        }
        "Also" => {
            let known = prompt.candidates.iter().find(|c| c.content.contains(words[1])).unwrap();
            let text = format!("{} {line}", known.content);
            json!({"op": "update", "of": known.handle, "text": text, "category": "project", "evidence": line})
        }
        "One" => {
            let (of, with) = (handle(prompt, words[1]), handle(prompt, words[2]));
            json!({"op": "same", "of": of, "with": with, "text": line, "category": "project", "evidence": line})
        }
        "Odd" => json!({"op": "repeat", "of": "M99"}),
        _ => json!({"op": "new", "text": line, "category": "project", "evidence": line}),
    }
}

fn model() -> Model {
    Model::new(|prompt| {
        let text = prompt.text.split("\nSubject: ").nth(1).unwrap();
        let lines = text.lines().skip(1).take_while(|l| !l.starts_with("=== ")).filter(|l| !l.trim().is_empty());
        let entries: Vec<Value> = lines.map(|line| entry(prompt, line)).collect();
        Ok(Reply { text: json!({ "entries": entries }).to_string(), tokens: 9 })
    })
}

fn reading(m: Owned) -> Owned {
    m.with_model(Rc::new(model()))
}

/// Takes in a mail of a day of February 2025 from somebody.
fn from(m: &Owned, who: &str, id: u32, day: u32, text: &str) -> MailReceipt {
    let head =
        format!("From: {who}\r\nTo: me@example.org\r\nSubject: Heron {id}\r\nDate: {day} Feb 2025 09:00:00 +0000\r\n");
    ingest(m, mail(id, &head, text), IngestOptions::default()).pop().unwrap()
}

fn said(m: &Owned, id: u32, day: u32, text: &str) -> MailReceipt {
    from(m, "Ann <ann@acme.example>", id, day, text)
}

fn sole(receipt: MailReceipt) -> LogEntry {
    let [done] = <[_; 1]>::try_from(receipt.receipts).unwrap();
    done.entry
}

fn on(day: u32) -> Option<Time> {
    Some(format!("2025-02-{day:02}T09:00:00Z").parse().unwrap())
}

fn holding(m: &Owned, word: &str) -> Memory {
    let found: Vec<Memory> = current(m).into_iter().filter(|m| m.content.contains(word)).collect();
    assert_eq!(found.len(), 1, "{word}: {found:?}");
    found.into_iter().next().unwrap()
}

fn sound(m: &Owned) {
    assert_eq!(block_on(m.check()).unwrap().problems, []);
}

fn waiting(m: &Owned) -> Vec<ReviewItem> {
    block_on(m.reviews()).unwrap()
}

fn settle(m: &Owned, id: Id, verdict: OwnerVerdict) -> memfold::Result<LogEntry> {
    block_on(m.review(id, verdict, &Default::default()))
}

const KAYAK: &str = "The kayak course costs 300 euros and takes four evenings.";
const BOATHOUSE: &str = "Evenings with the paddle club begin at the boathouse in the harbour.";

#[test]
fn a_repetition_moves_the_day_and_undoing_it_puts_it_back() {
    let m = reading(mine());
    let made = sole(said(&m, 1, 3, KAYAK));
    let before = holding(&m, "kayak");
    assert_eq!((before.stated_at, before.occurred_at), (on(3), on(3).unwrap()));
    let entry = sole(said(&m, 2, 10, "Again kayak as agreed"));
    assert_eq!(
        (entry.decision, entry.status, entry.touched.as_slice()),
        (Decision::Skip, Status::Success, &[before.id][..])
    );
    assert!(entry.reasons.contains(&Reason::SaidAgain) && !entry.needs_review);
    let after = holding(&m, "kayak");
    // Where nobody named a day, it is that on which it was said.
    assert_eq!((after.stated_at, after.occurred_at, &after.content), (on(10), on(10).unwrap(), &before.content));
    assert_eq!(after.statements, before.statements);
    sound(&m);
    // It held from the first time on, and then stood as it was said then.
    let at = |when: When| block_on(m.history_at(before.id, &when)).unwrap();
    assert_eq!(at(When { valid_at: on(5), as_of: None }).len(), 1);
    assert_eq!(at(When { valid_at: None, as_of: Some(made.time) })[0].stated_at, on(3));

    let undone = block_on(m.undo(entry.id)).unwrap();
    assert_eq!((holding(&m, "kayak").stated_at, holding(&m, "kayak").occurred_at), (on(3), on(3).unwrap()));
    block_on(m.undo(undone.id)).unwrap();
    assert_eq!((holding(&m, "kayak").stated_at, holding(&m, "kayak").occurred_at), (on(10), on(10).unwrap()));
    // The owner's word takes it back as well, and that word too.
    let again = sole(said(&m, 3, 12, "Again kayak once more"));
    assert_eq!(block_on(m.undo(entry.id)).unwrap_err().code, Code::HasDependents);
    let rejected = settle(&m, again.id, OwnerVerdict::Reject).unwrap();
    assert_eq!(holding(&m, "kayak").stated_at, on(10));
    block_on(m.undo(rejected.id)).unwrap();
    assert_eq!(holding(&m, "kayak").stated_at, on(12));
    sound(&m);
    // What was said again is still undone as a whole.
    block_on(m.undo(made.id)).unwrap();
    assert!(current(&m).is_empty());
    sound(&m);
}

#[test]
fn a_day_moves_forward_alone_and_only_by_who_may_say_so() {
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
    // Nor in a rehearsal, which says of it nothing that would change.
    let mut intake = m.intake(IngestOptions { dry_run: true, ..IngestOptions::default() });
    let copy = block_on(m.rehearsal(Default::default())).unwrap();
    let head = "From: ann@acme.example\r\nTo: me@example.org\r\nSubject: Heron\r\n";
    for piece in {
        intake.push(mail(9, head, "Again kayak as agreed").as_bytes());
        intake.finish()
    } {
        block_on(copy.ingest(&mut intake, piece, &memfold::mail::HostCharset, Cancel::default())).unwrap();
    }
    assert_eq!((intake.report().skipped, intake.report().changes.len()), (1, 0));
    assert_eq!(holding(&m, "kayak").stated_at, on(10));
}

#[test]
fn what_was_said_between_two_times_of_a_memory_is_history() {
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

/// One round of an exchange until nothing is left to tell.
fn sync(client: &Owned, hub: &Owned) {
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

fn alike(client: &Owned, hub: &Owned) {
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
fn a_repetition_and_two_made_one_reach_the_other_store_and_are_taken_back_there() {
    let (hub, client) = (mine(), reading(later(1_000_000, |_| {})));
    said(&client, 1, 3, KAYAK);
    said(&client, 2, 4, BOATHOUSE);
    alike(&client, &hub);
    let again = sole(said(&client, 3, 10, "Again kayak as agreed"));
    let same = sole(said(&client, 4, 11, "Same kayak boathouse it is"));
    alike(&client, &hub);
    assert_eq!(holding(&hub, "kayak").stated_at, on(10));
    // The hub's owner takes the day back, then makes one of the two.
    block_on(hub.undo(again.id)).unwrap();
    alike(&client, &hub);
    assert_eq!(holding(&client, "kayak").stated_at, on(3));
    assert_eq!(waiting(&hub).len(), 1);
    let one = settle(&hub, same.id, OwnerVerdict::Accept).unwrap();
    alike(&client, &hub);
    assert_eq!((current(&client).len(), waiting(&client).len()), (1, 0));
    block_on(client.undo(one.id)).unwrap();
    alike(&client, &hub);
    assert_eq!(current(&hub).len(), 2);
}

/// A memory of two matters, which a model takes for one.
fn proposed() -> (Owned, LogEntry) {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    said(&m, 2, 4, BOATHOUSE);
    let entry = sole(said(&m, 3, 10, "Same boathouse kayak it is"));
    (m, entry)
}

#[test]
fn what_is_told_anew_of_two_that_are_one_matter_is_kept_before_the_owner_says_so() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    said(&m, 2, 4, BOATHOUSE);
    let told = "One kayak boathouse matter, and the boathouse costs 40 now";
    let [update, proposal] = &said(&m, 3, 10, told).receipts[..] else { panic!("two entries") };
    assert_eq!((update.entry.decision, update.entry.needs_review), (Decision::Update, false));
    assert_eq!(holding(&m, "costs 40").version, 2);
    assert_eq!((proposal.entry.decision, proposal.entry.needs_review), (Decision::Skip, true));
    assert_eq!((current(&m).len(), waiting(&m).len()), (2, 1));
    settle(&m, proposal.entry.id, OwnerVerdict::Accept).unwrap();
    let [one] = &current(&m)[..] else { panic!("one is left") };
    assert!(one.content.contains("costs 40"));
}

#[test]
fn two_memories_become_one_only_when_the_owner_says_so() {
    let (m, entry) = proposed();
    let (kayak, house) = (holding(&m, "kayak"), holding(&m, "boathouse"));
    assert_eq!(
        (entry.decision, entry.status, entry.touched.len(), entry.needs_review),
        (Decision::Skip, Status::Skipped, 0, true)
    );
    assert_eq!(entry.reasons, [Reason::ModelRead, Reason::OneMatter { with: kayak.id }]);
    let [item] = &waiting(&m)[..] else { panic!("nothing waits") };
    assert_eq!((item.existing.as_ref(), item.other.as_ref()), (Some(&house), Some(&kayak)));
    // Whoever says so again is not heard again.
    let again = sole(said(&m, 4, 11, "Same kayak boathouse I say"));
    assert!(!again.needs_review && waiting(&m).len() == 1);
    for other in [Decision::Create, Decision::CreateAndLink] {
        assert_eq!(settle(&m, entry.id, OwnerVerdict::Change(other)).unwrap_err().code, Code::InvalidInput);
    }

    let done = settle(&m, entry.id, OwnerVerdict::Accept).unwrap();
    let one = holding(&m, "kayak");
    assert_eq!((current(&m).len(), done.memory_id), (1, Some(one.id)));
    // What was said later stands first; the earlier is the version before.
    assert!(one.content.contains("boathouse") && one.content.contains("300 euros"), "{}", one.content);
    assert_eq!((one.previous_version_id, one.version, one.stated_at), (Some(kayak.id), 2, on(4)));
    for id in [kayak.id, house.id] {
        assert_eq!(block_on(m.get(id)).unwrap().unwrap().superseded_by, Some(one.id));
        assert_eq!(block_on(m.history(id)).unwrap().last().unwrap().id, one.id);
    }
    assert!(waiting(&m).is_empty());
    sound(&m);
    let label: Value = serde_json::from_str(block_on(m.corrections()).unwrap().trim()).unwrap();
    assert_eq!((&label["existing"]["content"], &label["new"]["content"]), (&json!(KAYAK), &json!(BOATHOUSE)));
    assert_eq!(settle(&m, entry.id, OwnerVerdict::Accept).unwrap_err().code, Code::AlreadySettled);

    block_on(m.undo(done.id)).unwrap();
    let place = |m: &Memory| (m.content.clone(), m.version, m.superseded_by, m.retention, m.statements.clone());
    assert_eq!((place(&holding(&m, "kayak")), place(&holding(&m, "boathouse"))), (place(&kayak), place(&house)));
    sound(&m);
    assert_eq!(waiting(&m).len(), 1);
    block_on(m.redo(done.id)).unwrap();
    assert_eq!(current(&m).len(), 1);
    sound(&m);
    // Whichever is forgotten, nothing that was made of it stays.
    block_on(m.forget(&[house.id])).unwrap();
    sound(&m);
    let text = block_on(m.export()).unwrap();
    assert!(!text.contains("boathouse") && !text.contains("kayak"), "{text}");
}

#[test]
fn a_proposal_that_is_dismissed_or_moot_is_not_made_again() {
    let (m, entry) = proposed();
    settle(&m, entry.id, OwnerVerdict::Reject).unwrap();
    assert_eq!((current(&m).len(), waiting(&m).len()), (2, 0));
    let again = sole(said(&m, 4, 11, "Same kayak boathouse I say"));
    assert!(!again.needs_review && waiting(&m).is_empty());

    let (m, entry) = proposed();
    block_on(m.delete(&[holding(&m, "kayak").id], &Default::default())).unwrap();
    assert!(waiting(&m).is_empty());
    assert_eq!(settle(&m, entry.id, OwnerVerdict::Accept).unwrap_err().code, Code::NotFound);
    assert_eq!(current(&m).len(), 1);

    let (m, entry) = proposed();
    block_on(m.forget(&[holding(&m, "kayak").id])).unwrap();
    assert!(waiting(&m).is_empty());
    assert_eq!(settle(&m, entry.id, OwnerVerdict::Accept).unwrap_err().code, Code::Forgotten);
    sound(&m);
}

#[test]
fn what_the_owner_said_is_proposed_about_like_the_rest_and_keeps_its_class() {
    let m = reading(mine());
    let note = [Turn { role: Role::User, content: KAYAK.into(), at: on(3) }];
    block_on(m.add(&note, &AddOptions::default(), Cancel::default())).unwrap();
    said(&m, 2, 4, BOATHOUSE);
    let (kayak, house) = (holding(&m, "kayak"), holding(&m, "boathouse"));
    let entry = sole(from(&m, "Cy <cy@else.example>", 3, 10, "Same boathouse kayak it is"));
    assert_eq!((holding(&m, "kayak"), holding(&m, "boathouse")), (kayak, house));
    assert_eq!(waiting(&m).len(), 1);
    settle(&m, entry.id, OwnerVerdict::Accept).unwrap();
    assert_eq!((current(&m).len(), holding(&m, "kayak").source_type), (1, Source::UserInput));
    sound(&m);
}

#[test]
fn the_receipt_of_a_mail_names_what_could_not_be_used() {
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
    // Once, however often it comes.
    said(&m, 1, 3, &[KAYAK, "\r\n\r\nOdd\r\n"].concat());
    assert_eq!(block_on(m.log(&LogQuery::default())).unwrap().len(), log.len());
    sound(&m);
}

#[test]
fn a_change_without_standing_stands_once_who_has_it_goes_on_from_there() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let course = holding(&m, "kayak");
    let stranger = "Eve <eve@elsewhere.example>";
    let kept = sole(from(&m, stranger, 2, 10, "Now kayak lessons are 350 euros"));
    assert_eq!(kept.decision, Decision::CreateAndLink);
    assert!(kept.reasons.iter().any(|r| matches!(r, Reason::NoStanding { .. })), "{kept:#?}");
    // Whoever has none for the older memory gives the newer no more of it.
    let more = sole(from(&m, stranger, 3, 11, "Now lessons in the kayak are 355 euros"));
    assert_eq!(more.decision, Decision::Update);
    assert_eq!((more.confirmed().count(), current(&m).len()), (0, 2));

    let entry = sole(said(&m, 4, 12, "Now lessons in the kayak are 360 euros"));
    assert_eq!((entry.decision, entry.confirmed().collect::<Vec<_>>()), (Decision::Update, vec![kept.id]));
    let head = holding(&m, "kayak");
    let line = block_on(m.history(head.id)).unwrap();
    let told: Vec<(u32, bool)> = line.iter().map(|m| (m.version, m.is_current())).collect();
    assert_eq!(told, [(1, false), (2, false), (3, false), (4, true)]);
    assert_eq!((line[0].id, line[1].id), (course.id, kept.memory_id.unwrap()));
    assert_eq!(waiting(&m), []);
    sound(&m);

    block_on(m.undo(entry.id)).unwrap();
    let stands: Vec<String> = current(&m).into_iter().map(|m| m.content).collect();
    assert_eq!(stands.len(), 2, "{stands:?}");
    assert!(waiting(&m).iter().any(|item| item.entry.id == kept.id));
    assert_eq!(block_on(m.history(course.id)).unwrap().len(), 1);
    sound(&m);
}

#[test]
fn what_nobody_with_standing_has_said_is_not_confirmed_by_who_says_something_else() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let kept = sole(from(&m, "Eve <eve@elsewhere.example>", 2, 10, "Now kayak lessons are 350 euros"));
    let more = sole(said(&m, 3, 11, "Also kayak shoes are needed"));
    assert_eq!((more.confirmed().count(), more.needs_review, current(&m).len()), (0, true, 3), "{more:#?}");
    assert!(holding(&m, "300").is_current() && waiting(&m).iter().any(|item| item.entry.id == kept.id));
    // Who says another value has settled it.
    let entry = sole(said(&m, 4, 12, "Now kayak lessons are 360 euros"));
    assert_eq!((entry.confirmed().collect::<Vec<_>>(), current(&m).len()), (vec![more.id, kept.id], 1), "{entry:#?}");
    sound(&m);
}

#[test]
fn changes_of_several_without_standing_stand_once_who_has_it_goes_on_from_the_last() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let course = holding(&m, "kayak");
    let kept = [(2, "Eve <eve@elsewhere.example>", 350), (3, "Dan <dan@yet.example>", 355)].map(|(id, who, euros)| {
        let kept = sole(from(&m, who, id, 10, &format!("Now {} kayak lessons are {euros} euros", "kayak")));
        assert_eq!(kept.decision, Decision::CreateAndLink, "{kept:#?}");
        kept
    });
    assert_eq!(current(&m).len(), 3);
    let entry = sole(said(&m, 4, 12, "Now kayak lessons are 360 euros"));
    let confirmed: Vec<Id> = entry.confirmed().collect();
    assert_eq!((entry.decision, confirmed), (Decision::Update, vec![kept[1].id, kept[0].id]), "{entry:#?}");
    let head = holding(&m, "360");
    let line = block_on(m.history(head.id)).unwrap();
    let told: Vec<(Id, u32, bool)> = line.iter().map(|m| (m.id, m.version, m.is_current())).collect();
    let [first, second] = kept.clone().map(|k| k.memory_id.unwrap());
    assert_eq!(told, [(course.id, 1, false), (first, 2, false), (second, 3, false), (head.id, 4, true)]);
    assert_eq!((current(&m).len(), waiting(&m)), (1, vec![]));
    sound(&m);
    block_on(m.undo(entry.id)).unwrap();
    assert_eq!((current(&m).len(), waiting(&m).len()), (3, 2));
    sound(&m);
}

const CHEAPER: &str = "Now kayak course costs 320 euros and takes five evenings.";

/// A note of the owner's, and a mail that would change it.
fn noted() -> (Model, Owned, LogEntry) {
    let model = model();
    let m = mine().with_model(Rc::new(model.clone()));
    let note = [Turn { role: Role::User, content: KAYAK.into(), at: on(3) }];
    block_on(m.add(&note, &AddOptions::default(), Cancel::default())).unwrap();
    let entry = sole(from(&m, "Bo <bo@club.example>", 2, 10, CHEAPER));
    assert_eq!((entry.decision, entry.status), (Decision::Update, Status::Skipped));
    (model, m, entry)
}

#[test]
fn a_change_of_a_note_stands_as_the_mail_told_it_once_its_owner_agrees() {
    let (model, m, entry) = noted();
    // Whoever reads the next mail is shown what was said since.
    from(&m, "Bo <bo@club.example>", 3, 13, "The kayak course again.");
    let shown = model.prompts().pop().unwrap().text;
    assert!(shown.contains(", formerly\n") && shown.contains("five evenings"), "{shown}");
    settle(&m, entry.id, OwnerVerdict::Accept).unwrap();
    let now = holding(&m, "320");
    assert_eq!((now.content.as_str(), now.version, now.source_type), (CHEAPER, 2, Source::UserInput));
    from(&m, "Bo <bo@club.example>", 4, 14, "The kayak course once more.");
    let shown = model.prompts().pop().unwrap().text;
    assert!(!shown.contains("formerly\n"), "{shown}");
    sound(&m);
}

#[test]
fn a_note_that_a_thread_would_have_changed_is_shown_to_whoever_reads_on_in_it() {
    let (model, m, _) = noted();
    for (id, other) in
        ["The fence is mended.", "The boiler is old.", "The roof leaks.", "The gate is green."].iter().enumerate()
    {
        from(&m, "Cy <cy@yard.example>", 10 + id as u32, 20, other);
    }
    let shown = |thread: &str| {
        let head = format!(
            "From: Dee <dee@pool.example>\r\nTo: me@example.org\r\nSubject: Re: Tuesdays\r\nDate: 21 Feb 2025 09:00:00 +0000\r\n{thread}"
        );
        ingest(&m, mail(20 + thread.len() as u32, &head, "Tuesdays suit everybody."), IngestOptions::default());
        model.prompts().pop().unwrap().text.contains("five evenings")
    };
    assert!(!shown(""));
    assert!(shown("In-Reply-To: <2@x.example>\r\n"));
}

#[test]
fn what_was_kept_beside_joins_what_it_would_have_replaced_with_all_that_came_after() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let kept = sole(from(&m, "Bo <bo@club.example>", 2, 10, "Now kayak course costs 320 euros."));
    assert_eq!(kept.decision, Decision::CreateAndLink);
    assert!(kept.reasons.iter().any(|r| matches!(r, Reason::NoStanding { .. })));
    let later = sole(from(&m, "Bo <bo@club.example>", 3, 12, "Now 320 kayak course costs 340 euros, said Bo."));
    assert_eq!(later.decision, Decision::Update);
    let before: Vec<Memory> = current(&m);
    let agreed = settle(&m, kept.id, OwnerVerdict::Change(Decision::Update)).unwrap();
    let now = holding(&m, "kayak");
    let line = block_on(m.history(now.id)).unwrap();
    let versions: Vec<(u32, &str)> = line.iter().map(|m| (m.version, m.content.as_str())).collect();
    assert_eq!(versions[0], (1, KAYAK));
    assert_eq!((versions[1].0, versions[2].0, versions.len()), (2, 3, 3));
    assert!(versions[2].1.contains("340"), "{versions:?}");
    assert!(waiting(&m).iter().all(|item| item.entry.id != kept.id));
    sound(&m);
    block_on(m.undo(agreed.id)).unwrap();
    let contents = |all: &[Memory]| all.iter().map(|m| (m.content.clone(), m.version)).collect::<Vec<_>>();
    assert_eq!(contents(&current(&m)), contents(&before));
    sound(&m);
}
