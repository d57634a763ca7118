//! The sample inbox through the mail layer alone: what a person would want remembered has a draft that holds it.
//!
//! Prints its figures (`cargo test --test suite inbox:: -- --nocapture`) and holds their floors.

use crate::needles::{has_needle, holds, norm};
use memfold::extract::drafts;
use memfold::mail::{Account, HostCharset, Mail, Mailbox, Vouched, read_vouched};
use memfold::model::{Draft, Zone};
use serde_json::Value;
use std::fs;

const SEOUL: Zone = Zone::from_minutes(540);

fn file(name: &str) -> Vec<u8> {
    fs::read(format!("{}/tests/inbox/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn mails() -> Vec<(Mail, Vec<Draft>)> {
    mails_of("sample", "suhyun.bae@daoncold.example")
}

fn mails_of(name: &str, owner: &str) -> Vec<(Mail, Vec<Draft>)> {
    let account = Account { owner: vec![owner.into()], zone: Some(SEOUL), ..Account::default() };
    let mut mailbox = Mailbox::new();
    let mut pieces = mailbox.push(&file(&format!("{name}.mbox")));
    pieces.extend(mailbox.finish());
    let one = |p: memfold::mail::Piece| {
        let vouched = Vouched { labelled: true, ..Vouched::default() };
        let mail = read_vouched(&p.raw.unwrap(), &HostCharset, &vouched).unwrap();
        let found = drafts(&mail, &account).into_iter().filter(|draft| !draft.is_minor).collect();
        (mail, found)
    };
    pieces.into_iter().map(one).collect()
}

fn ids(value: &Value) -> Vec<&str> {
    value.as_array().map(|a| a.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

#[test]
fn needles_match_as_the_inbox_says() {
    assert_eq!(norm("EUR 9,150 만 원\n3월  20일 1 2"), "eur9150만원3월20일1 2");
    assert!(has_needle(&norm("예산 9,150만원"), "9,150만") && !has_needle(&norm("180"), "80"));
    assert!(has_needle(&norm("3월 20일(목) 16:00"), "16:00"));
}

#[test]
fn the_sample_inbox_is_read_without_loss() {
    let mails = mails();
    assert_eq!(mails.len(), 66);
    for (mail, _) in &mails {
        assert!(!mail.message_id.ends_with("@no-message-id.invalid>"), "{}", mail.message_id);
        assert!(mail.date.is_some() && mail.from.is_some() && !mail.subject.is_empty());
        assert!(mail.thread_id.bytes().all(|b| b.is_ascii_digit()), "the thread number of Gmail");
        assert!(mail.labels.iter().all(|l| l.chars().any(|c| ('가'..='힣').contains(&c))), "{:?}", mail.labels);
        assert!(!mail.text.is_empty() && !mail.text.contains('\u{FFFD}'), "{}", mail.message_id);
        assert!(!mail.text.contains("작성:") && !mail.text.contains("Original Message"), "{}", mail.text);
    }
    assert_eq!(mails.iter().filter(|(m, _)| !m.suspicious.is_empty()).count(), 3);
}

#[test]
fn every_draft_can_be_stored_and_shows_its_evidence() {
    for (mail, drafts) in mails() {
        for draft in drafts {
            draft.validate().unwrap();
            assert_eq!(draft.source_id.as_deref(), Some(mail.message_id.as_str()));
            if let Some(e) = &draft.evidence {
                assert_eq!(&mail.text[e.start as usize..e.end as usize], e.text);
            }
            for factor in &draft.importance_factors {
                let literal = factor.evidence.as_deref().unwrap();
                assert!(!literal.is_empty(), "{factor:?}");
            }
        }
    }
}

#[test]
fn what_a_person_would_want_remembered_has_a_draft() {
    let mails = mails();
    let expect: Value = serde_json::from_slice(&file("sample.expect.json")).unwrap();
    let facts = expect["current"].as_array().unwrap();
    let by_id = |id: &str| {
        let id = id.to_owned();
        mails.iter().filter(move |(m, _)| m.message_id == id).flat_map(|(_, d)| d)
    };
    let (mut found, mut category, mut category_of, mut dates, mut dates_of) = (0, 0, 0, 0, 0);
    for fact in facts {
        let hits: Vec<&Draft> =
            ids(&fact["messages"]).into_iter().flat_map(by_id).filter(|d| holds(&d.content, &fact["anyOf"])).collect();
        let Some(hit) = hits.last() else {
            println!("missed  {} {}", fact["id"], fact["about"]);
            continue;
        };
        found += 1;
        category_of += 1;
        let wanted = fact["category"].as_str().unwrap();
        if wanted.split('|').any(|w| w == hit.category.as_str()) {
            category += 1;
        } else {
            println!("category {} {} is {}: {}", fact["id"], wanted, hit.category.as_str(), hit.content);
        }
        if let Some(day) = fact["occurredAt"].as_str() {
            dates_of += 1;
            let got = hit.occurred_at.map(|t| t.day(SEOUL).to_string()).unwrap_or_default();
            if got == day {
                dates += 1;
            } else {
                println!("date    {} {day} is {got}: {}", fact["id"], hit.content);
            }
        }
    }
    // A draft is spurious that meets no fact, and no history or version of one, and whose mail states none.
    let telling: Vec<&str> =
        facts.iter().chain(expect["notCurrent"].as_array().unwrap()).flat_map(|f| ids(&f["messages"])).collect();
    let meets = |d: &Draft| facts.iter().any(|f| holds(&d.content, &f["anyOf"]));
    let (mut spurious, mut all) = (0, 0);
    let mut beside = 0;
    for (mail, drafts) in &mails {
        for draft in drafts {
            all += 1;
            if !meets(draft) && !telling.contains(&mail.message_id.as_str()) {
                spurious += 1;
                println!("spurious {}", draft.content);
            } else if !meets(draft) {
                beside += 1;
            }
        }
    }
    // One mail may leave a fact to an update that only the consolidation completes (a new dock, the same hours).
    println!(
        "facts {found}/{} category {category}/{category_of} dates {dates}/{dates_of} drafts {all} beside {beside} spurious {spurious} ({:.2} a mail)",
        facts.len(),
        spurious as f64 / mails.len() as f64
    );
    // Precision comes first: a doubtful sentence of a long mail is left out.
    assert!(found * 100 >= facts.len() * 82, "facts");
    assert!(category * 100 >= category_of * 95, "categories");
    assert!(dates * 100 >= dates_of * 95, "dates");
    assert!(spurious * 10 <= mails.len(), "spurious");
}

#[test]
fn what_tries_to_steer_the_memory_is_not_drafted() {
    let mails = mails();
    let expect: Value = serde_json::from_slice(&file("sample.expect.json")).unwrap();
    for injection in expect["injections"].as_array().unwrap() {
        let id = injection["message"].as_str().unwrap();
        let (_, drafts) = mails.iter().find(|(m, _)| m.message_id == id).unwrap();
        for draft in drafts {
            assert!(!holds(&draft.content, &injection["needles"]), "{}", draft.content);
            assert_ne!(draft.source_type, memfold::model::Source::UserInput);
            for word in ["Corran Bay", "Callum", "폐기하고", "memories"] {
                assert!(!draft.content.contains(word), "{}", draft.content);
            }
        }
    }
}

#[test]
fn forgeries_in_other_mailboxes_are_not_drafted() {
    for name in ["reed", "fenland", "neoul", "quay", "kept/noru", "kept/mosby", "kept/larkin"] {
        let expect: Value = serde_json::from_slice(&file(&format!("{name}.expect.json"))).unwrap();
        let mails = mails_of(name, expect["me"].as_str().unwrap());
        for injection in expect["injections"].as_array().unwrap().iter().filter(|i| i["needles"].is_array()) {
            let id = injection["message"].as_str().unwrap();
            let (_, drafts) = mails.iter().find(|(m, _)| m.message_id == id).unwrap();
            for draft in drafts {
                assert!(!holds(&draft.content, &injection["needles"]), "{name}: {}", draft.content);
            }
        }
    }
}

#[test]
fn a_second_delivery_has_the_same_keys() {
    let mails = mails();
    let mut twice = 0;
    for (n, (a, _)) in mails.iter().enumerate() {
        for (b, _) in mails.iter().skip(n + 1).filter(|(b, _)| b.message_id == a.message_id) {
            twice += 1;
            let key = |m| memfold::mail::idempotency_key("Me@x.example", m, 0);
            assert_eq!(key(a), key(b));
        }
    }
    assert_eq!(twice, 2);
}
