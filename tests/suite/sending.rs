//! The sent log: one record per model request, bounded, masked as sent, and erased with forgotten memories.

use crate::kit;
use crate::kit::{Memories, Model, Silent};
use futures::executor::block_on;
use memfold::consolidation::{Record, Shelf};
use memfold::decision::{Policy, Prompt, Refusal};
use memfold::engine::{Cancel, Consolidate, Engine, Gone, Options, Sent};
use memfold::llm::{Answering, Reply};
use memfold::model::Draft;
use memfold::store::{MemoryStore, Store};
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;

const OLD: &str = "num 김 과장 전화는 010-1234-5678 입니다 @0";
const NEW: &str = "num 김 과장 전화는 010-9876-5432 입니다 @30";

fn reply_create(prompt: &Prompt) -> Result<Reply, Refusal> {
    Ok(kit::reply(&[kit::entry(prompt, "CREATE", &[])]))
}

fn open_with_model(store: MemoryStore, model: Rc<dyn memfold::llm::Model>) -> Memories {
    let options = Options { policy: Policy::ACCURATE, mask: true, ..Options::default() };
    block_on(Engine::open(store, kit::Angles, kit::Fake::from(1), options)).unwrap().with_model(model)
}

fn add(m: &Memories, content: &str) -> memfold::engine::Receipt {
    block_on(m.consolidate(Draft::new(content), &Consolidate::default())).unwrap()
}

fn sent(m: &Memories) -> Vec<Sent> {
    block_on(m.sent(None)).unwrap()
}

/// A model with the name and origin of an endpoint.
#[derive(Debug)]
struct NamedModel(Model);

impl memfold::llm::Model for NamedModel {
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a> {
        self.0.ask(prompt)
    }
    fn name(&self) -> Option<&str> {
        Some("qwen3")
    }
    fn origin(&self) -> Option<&str> {
        Some("http://localhost:11434")
    }
}

#[test]
fn requests_are_recorded_with_masked_texts_and_outcome() {
    let model = Model::new(reply_create);
    let m = open_with_model(MemoryStore::default(), Rc::new(NamedModel(model.clone())));
    add(&m, OLD);
    assert!(sent(&m).is_empty());
    add(&m, NEW);
    let prompt = &model.prompts()[0];
    let notes = sent(&m);
    assert_eq!(notes.len(), 1);
    let note = &notes[0];
    assert_eq!((note.to.as_deref(), note.model.as_deref()), (Some("http://localhost:11434"), Some("qwen3")));
    assert_eq!((note.purpose.as_str(), note.outcome.as_str(), note.tokens), ("mail", "answered", 7));
    assert_eq!((note.texts.len(), &note.texts[0]), (1, &prompt.text));
    assert!(note.texts[0].contains("전화는 [PHONE_1] 입니다") && !note.texts[0].contains("1234-5678"));
    assert!(note.bytes as usize > prompt.text.len() + prompt.system.len());
    add(&m, "num 김 과장 팩스는 02-2222-3333 입니다 @40");
    let notes = sent(&m);
    assert_eq!(notes.len(), 2);
    assert!(notes[0].time > notes[1].time && notes[0].texts[0].contains("팩스"));
    assert_eq!(block_on(m.sent(Some(1))).unwrap(), notes[..1]);
    block_on(m.clear_sent()).unwrap();
    assert!(sent(&m).is_empty());
}

#[test]
fn failed_requests_are_recorded_with_the_reason_and_unsent_ones_are_not() {
    for (refusal, outcome) in
        [(Refusal::Timeout, Some("timeout")), (Refusal::Unauthorized, Some("unauthorized")), (Refusal::Resting, None)]
    {
        let m = open_with_model(MemoryStore::default(), Rc::new(Model::new(move |_| Err(refusal))));
        add(&m, OLD);
        add(&m, NEW);
        let outcomes: Vec<String> = sent(&m).into_iter().map(|s| s.outcome).collect();
        assert_eq!(outcomes.iter().map(String::as_str).collect::<Vec<_>>(), outcome.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn cancelled_requests_are_recorded_as_sent() {
    let m = open_with_model(MemoryStore::default(), Rc::new(Silent));
    add(&m, OLD);
    let given_up = Cell::new(false);
    let aborted = || given_up.get();
    let seen = Cell::new(0);
    let gone = || -> Gone<'_> {
        Box::pin(async {
            let out = m.sent(None).await.unwrap().iter().filter(|s| s.outcome == "unanswered").count();
            if out == 0 {
                // Nothing was sent yet: earlier steps are not cancelled.
                return std::future::pending().await;
            }
            seen.set(out);
            given_up.set(true);
        })
    };
    let how = Consolidate { cancel: Cancel::when(&aborted).or_when(&gone), ..Consolidate::default() };
    block_on(m.consolidate(Draft::new(NEW), &how)).unwrap_err();
    assert_eq!(seen.get(), 1, "it is noted before it goes");
    assert_eq!(sent(&m).iter().map(|s| s.outcome.as_str()).collect::<Vec<_>>(), ["given_up"]);
}

#[test]
fn forgetting_clears_the_records_of_requests() {
    let m = open_with_model(MemoryStore::default(), Rc::new(Model::new(reply_create)));
    let old = add(&m, OLD).memory.unwrap();
    add(&m, NEW);
    assert!(!sent(&m).is_empty());
    block_on(m.forget(&[old.id])).unwrap();
    assert!(sent(&m).is_empty());
}

#[test]
fn only_the_newest_records_are_kept() {
    let store = MemoryStore::default();
    let record = |n: usize, text: String| {
        let value = json!({"time": "2025-01-01T00:00:00Z", "purpose": "x", "texts": [text], "bytes": 1, "tokens": 0, "outcome": "answered"});
        Record {
            shelf: Shelf::Sent,
            key: format!("0{n:06}"),
            value: Some(value.to_string().into_bytes()),
            expect: None,
        }
    };
    block_on(store.keep((0..700).map(|n| record(n, "small".into())).collect())).unwrap();
    let m = open_with_model(store.connect(), Rc::new(Model::new(reply_create)));
    add(&m, OLD);
    add(&m, NEW);
    assert_eq!(sent(&m).len(), 500);
    assert_eq!(sent(&m)[0].purpose, "mail");
    let store = MemoryStore::default();
    block_on(store.keep((0..20).map(|n| record(n, "large".repeat(20_000))).collect())).unwrap();
    let m = open_with_model(store.connect(), Rc::new(Model::new(reply_create)));
    add(&m, OLD);
    add(&m, NEW);
    let notes = sent(&m);
    assert!((2..=10).contains(&notes.len()) && notes[0].purpose == "mail", "{}", notes.len());
}

#[test]
fn requests_of_a_dry_run_are_recorded_in_the_original_store() {
    let m = open_with_model(MemoryStore::default(), Rc::new(Model::new(reply_create)));
    add(&m, OLD);
    let copy = block_on(m.rehearsal()).unwrap();
    add(&copy, NEW);
    assert_eq!(sent(&m).iter().map(|s| s.outcome.as_str()).collect::<Vec<_>>(), ["answered"]);
}

#[test]
fn forgetting_a_reworded_memory_erases_its_mail_text() {
    use crate::post::{current, mail, read};
    use memfold::engine::LogQuery;
    for (first, worded, second, needle) in [
        (
            "The surgeon wrote that Tobias needs a second operation on his knee.",
            "A second operation on the knee is needed.",
            "Thanks for the news. The hall is booked for 3 May at 10 am.",
            "Tobias",
        ),
        (
            "담당 의사가 도비의 무릎을 한 번 더 수술해야 한다고 적었습니다.",
            "무릎을 한 번 더 수술해야 한다.",
            "소식 고맙습니다. 강당은 5월 3일 오전 10시로 예약했습니다.",
            "도비",
        ),
    ] {
        let model = Model::new(move |prompt: &Prompt| {
            let mail = prompt.text.rsplit(" MAIL ").next().unwrap_or_default();
            let (text, evidence) = if mail.contains(first) { (worded, first) } else { (second, second) };
            let entry = json!({"op": "new", "text": text, "category": "misc", "evidence": evidence});
            Ok(Reply { text: json!({"entries": [entry]}).to_string(), tokens: 5 })
        });
        let store = MemoryStore::default();
        let options = Options { policy: Policy::BALANCED, owner: vec!["me@example.org".into()], ..Options::default() };
        let m = block_on(Engine::open(store.connect(), memfold::embed::HashingEmbedder, kit::Fake::from(1), options));
        let m = m.unwrap().with_model(Rc::new(model));
        let thread = "References: <1@x.example>\r\n";
        let say = |id: u32, more: &str, text: &str| {
            let head = format!(
                "From: ann@acme.example\r\nTo: me@example.org\r\nSubject: Re: news\r\nDate: Sat, 0{id} Feb 2025 09:00:00 +0000\r\n{more}"
            );
            read(&m, &mail(id, &head, text));
        };
        say(1, "", first);
        say(2, thread, second);
        let texts = || block_on(m.sent(None)).unwrap().into_iter().flat_map(|s| s.texts).collect::<Vec<_>>();
        let holds = |texts: &[String]| texts.iter().filter(|t| t.contains(needle)).count();
        let shown = texts();
        assert!(holds(&shown) >= 2, "the mail, and what is shown of the thread: {shown:?}");
        let gone = current(&m).into_iter().find(|k| k.source_id.as_deref() == Some("<1@x.example>")).unwrap();
        assert!(!gone.content.contains(needle), "{}", gone.content);
        block_on(m.forget(&[gone.id])).unwrap();
        assert_eq!(holds(&texts()), 0, "{:?}", texts());
        // It is not sent again and remains in no other record.
        say(3, thread, &second.replace('3', "4"));
        assert_eq!(holds(&texts()), 0, "{:?}", texts());
        for shelf in [Shelf::Answers, Shelf::Sent, Shelf::Sleep, Shelf::Sessions] {
            for (key, value) in block_on(store.records(shelf, None, 999)).unwrap() {
                assert!(!String::from_utf8_lossy(&value).contains(needle), "{shelf:?} {key}");
            }
        }
        let log = serde_json::to_string(&block_on(m.log(&LogQuery::default())).unwrap()).unwrap();
        assert!(!log.contains(needle), "{log}");
    }
}
