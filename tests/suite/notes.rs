//! Notes and chats: user turns are attributed to the owner and assistant turns are not. A model reads both like mail.

use crate::kit::{Fake, Model};
use futures::executor::block_on;
use memfold::Code;
use memfold::decision::{Decision, Policy, Reason, Task};
use memfold::embed::HashingEmbedder;
use memfold::engine::{AddOptions, Cancel, Consolidate, Engine, IngestOptions, LogQuery, Options, Role, Turn};
use memfold::llm::Reply;
use memfold::mail::HostCharset;
use memfold::model::{Draft, Source};
use memfold::store::MemoryStore;
use serde_json::json;
use std::rc::Rc;

type Memories = Engine;

fn open_engine(policy: Policy) -> Memories {
    let options = Options { policy, owner: vec!["me@b.example".into()], ..Options::default() };
    block_on(Engine::open(MemoryStore::default(), HashingEmbedder, Fake::from(1), options)).unwrap()
}

fn turn(role: Role, content: &str) -> Turn {
    Turn { role, content: content.into(), at: None }
}

fn add(m: &Memories, turns: &[Turn], options: &AddOptions) -> memfold::Result<memfold::engine::MailReceipt> {
    block_on(m.add(turns, options, Cancel::default()))
}

#[test]
fn every_fact_of_a_long_chat_is_kept() {
    let m = open_engine(Policy::BALANCED);
    let turns: Vec<Turn> =
        (0..60).map(|n| turn(Role::User, &format!("The locker code of room {n} is {}.", 7_000 + n))).collect();
    add(&m, &turns, &AddOptions::default()).unwrap();
    let all: String = block_on(m.list(None, 99, false)).unwrap().iter().map(|m| m.content.clone()).collect();
    let lost: Vec<u32> = (7_000..7_060).filter(|code| !all.contains(&code.to_string())).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn notes_are_read_by_rules_without_a_model() {
    let m = open_engine(Policy::BALANCED);
    let note = [turn(Role::User, "치과 예약은 1월 22일 오후 2시이다. 보험 서류는 금요일까지 보내야 한다.")];
    let made = add(&m, &note, &AddOptions::default()).unwrap().receipts;
    assert!(!made.is_empty());
    let all = block_on(m.list(None, 9, false)).unwrap();
    assert!(all.iter().all(|m| m.source_type == Source::UserInput), "{all:?}");
    assert!(all.iter().any(|m| m.content.contains("22일")), "{all:?}");
}

#[test]
fn a_note_with_a_known_source_id_is_replayed() {
    let m = open_engine(Policy::BALANCED);
    let note = [turn(Role::User, "The dentist's appointment is on 22 January at 2 pm.")];
    let named = AddOptions { source_id: Some("n1".into()), ..AddOptions::default() };
    let first = add(&m, &note, &named).unwrap().receipts;
    let again = add(&m, &note, &named).unwrap().receipts;
    assert_eq!(first.iter().map(|r| r.replayed).collect::<Vec<_>>(), vec![false; first.len()]);
    assert!(again.iter().all(|r| r.replayed) && again.len() == first.len());
}

#[test]
fn a_chat_takes_one_model_call_and_keeps_its_speakers() {
    let reply = json!({"entries": [
        {"op": "new", "text": "The dentist's appointment is on 22 January at 2 pm.", "category": "meeting", "evidence": "my dentist's appointment is on 22 January at 2 pm"},
        {"op": "new", "text": "The train to Busan leaves at 09:40.", "category": "misc", "evidence": "The train to Busan leaves at 09:40."},
    ]});
    let model = Model::new(move |_| Ok(Reply { text: reply.to_string(), tokens: 9 }));
    let m = open_engine(Policy::BALANCED).with_model(Rc::new(model.clone()));
    let chat = [
        turn(Role::User, "Remember: my dentist's appointment is on 22 January at 2 pm."),
        turn(Role::Assistant, "Noted. The train to Busan leaves at 09:40."),
    ];
    let made = add(&m, &chat, &AddOptions::default()).unwrap().receipts;
    assert_eq!(made.iter().map(|r| r.entry.decision).collect::<Vec<_>>(), [Decision::Create; 2]);
    assert_eq!((model.prompts().len(), model.prompts()[0].task), (1, Task::Mail));
    let classes: Vec<Source> = made.iter().map(|r| r.memory.as_ref().unwrap().source_type).collect();
    assert_eq!(classes, [Source::UserInput, Source::ToolOutput]);
    let said = &made[0].memory.as_ref().unwrap().statements[0].text;
    assert_eq!(said, "my dentist's appointment is on 22 January at 2 pm");
}

#[test]
fn empty_and_oversized_notes_are_rejected() {
    let m = open_engine(Policy::BALANCED);
    for (turns, field) in [
        (vec![], "content"),
        (vec![turn(Role::User, "  ")], "content"),
        (vec![turn(Role::User, &"x".repeat(100_001))], "content"),
        (vec![turn(Role::User, "a"); 201], "content"),
    ] {
        let e = add(&m, &turns, &AddOptions::default()).unwrap_err();
        assert_eq!((e.code, e.details().field.as_deref()), (Code::InvalidField, Some(field)));
    }
    let long = AddOptions { source_id: Some("x".repeat(999)), ..AddOptions::default() };
    assert_eq!(add(&m, &[turn(Role::User, "a")], &long).unwrap_err().code, Code::InvalidField);
    assert!(block_on(m.list(None, 9, true)).unwrap().is_empty());
}

#[test]
fn one_word_notes_are_kept_and_small_talk_is_not() {
    let m = open_engine(Policy::BALANCED);
    let note = |text: &str, id: &str| {
        let options = AddOptions { source_id: Some(id.into()), ..AddOptions::default() };
        add(&m, &[turn(Role::User, text)], &options).unwrap().receipts
    };
    for (text, id) in [("gym", "n1"), ("이사", "n2"), ("Ben", "n3")] {
        let receipts = note(text, id);
        assert_eq!(receipts.iter().map(|r| r.entry.decision).collect::<Vec<_>>(), [Decision::Create], "{text}");
        assert!(note(text, id)[0].replayed, "{text}");
    }
    for text in ["thanks!", "감사합니다"] {
        assert!(note(text, text).is_empty(), "{text}");
    }
    // A single word in a chat is not kept.
    let chat = [turn(Role::User, "gym"), turn(Role::Assistant, "ok")];
    assert!(add(&m, &chat, &AddOptions::default()).unwrap().receipts.is_empty());
    assert_eq!(block_on(m.list(None, 9, false)).unwrap().len(), 3);
}

#[test]
fn negations_and_additions_to_short_notes_are_kept() {
    for (stored, new) in [
        ("The meeting is at 3 pm", "회의는 3시가 아니다"),
        ("The kickoff meeting is on 22 January at 2 pm", "킥오프 회의는 1월 22일 오후 2시가 아닙니다"),
        ("Pay rent", "월세 내지 말 것"),
        ("milk", "우유 알레르기 있음"),
        ("passport", "여권 분실"),
        ("coffee", "커피 끊기"),
        ("Pay invoice INV-100", "INV-100 지급 보류"),
        ("여권은 서랍에 있다", "I lost my passport"),
        ("서울에서 부산으로 가는 기차", "부산에서 서울로 가는 기차"),
        ("입사일 3월 1일", "퇴사일 3월 1일"),
    ] {
        let m = open_engine(Policy::BALANCED);
        for text in [stored, new] {
            block_on(m.consolidate(Draft::new(text), &Consolidate::default())).unwrap();
        }
        let known: Vec<String> = block_on(m.list(None, 9, false)).unwrap().into_iter().map(|k| k.content).collect();
        assert!(known.iter().any(|k| k.starts_with(new)), "{stored} / {new}: {known:?}");
    }
    // A repetition is not stored twice.
    for (stored, new) in [("The meeting is at 3 pm", "회의는 오후 3시다"), ("Rent is 500 euros", "월세는 500유로")]
    {
        let m = open_engine(Policy::BALANCED);
        for text in [stored, new] {
            block_on(m.consolidate(Draft::new(text), &Consolidate::default())).unwrap();
        }
        assert_eq!(block_on(m.list(None, 9, false)).unwrap().len(), 1, "{new}");
    }
}

const NOTES: [&str; 10] = [
    "Ben is allergic to buckwheat.",
    "The spare key hangs behind the meter.",
    "I moved to 48 Rose Lane last month.",
    "Mum's operation went well, she is home.",
    "Locker code 4471, bring your own padlock.",
    "서랍 열쇠 여벌은 현관 계량기 뒤에 걸려 있으니 참고할 것.",
    "하람이는 복숭아에 이어 호두에도 알레르기가 있다고 한다.",
    "우리 가족의 새 주소는 장미길 48번지 노란 대문 집 2층이다.",
    "엄마 무릎 수술은 탈 없이 잘 끝났고 이제 집에서 쉬신다.",
    "체육관 사물함 비밀번호는 4471이고 자물쇠는 따로 가져간다.",
];

fn model_found_nothing(entry: &memfold::consolidation::LogEntry) -> bool {
    entry.reasons.contains(&Reason::ModelRefused { error: "nothing_found".into() })
}

#[test]
fn notes_are_kept_when_the_model_finds_nothing() {
    for (n, text) in NOTES.into_iter().enumerate() {
        let model = Model::new(|_| Ok(Reply { text: json!({"entries": []}).to_string(), tokens: 9 }));
        let m = open_engine(Policy::BALANCED).with_model(Rc::new(model.clone()));
        let named = AddOptions { source_id: Some(format!("n{n}")), ..AddOptions::default() };
        let first = add(&m, &[turn(Role::User, text)], &named).unwrap().receipts;
        let kept = block_on(m.list(None, 9, false)).unwrap();
        assert!(
            !first.is_empty() && kept.iter().any(|k| k.content.contains(text.trim_end_matches('.'))),
            "{text}: {kept:?}"
        );
        assert!(first.iter().all(|r| model_found_nothing(&r.entry) && !r.entry.needs_review), "{text}: {first:?}");
        // Adding it again changes nothing and asks no model.
        let again = add(&m, &[turn(Role::User, text)], &named).unwrap().receipts;
        assert!(again.len() == first.len() && again.iter().all(|r| r.replayed), "{text}");
        assert_eq!((model.prompts().len(), block_on(m.list(None, 9, false)).unwrap().len()), (1, kept.len()), "{text}");
    }
}

#[test]
fn mails_to_oneself_are_kept_when_the_model_finds_nothing() {
    for text in [NOTES[0], NOTES[5]] {
        let model = Model::new(|_| Ok(Reply { text: json!({"entries": []}).to_string(), tokens: 9 }));
        let m = open_engine(Policy::BALANCED).with_model(Rc::new(model));
        let raw = format!(
            "From: me@b.example\r\nTo: me@b.example\r\nSubject: note\r\nDate: Tue, 14 Jan 2025 09:00:00 +0000\r\n\
             Message-ID: <self@b.example>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
        );
        let mut intake = m.intake(IngestOptions { sent: true, ..IngestOptions::default() });
        let mut pieces = intake.push(raw.as_bytes());
        pieces.extend(intake.finish());
        for piece in pieces {
            let receipt =
                block_on(m.ingest_all(&mut intake, vec![piece], &HostCharset, Cancel::default())).unwrap().remove(0);
            assert!(receipt.receipts.iter().all(|r| model_found_nothing(&r.entry)), "{receipt:?}");
        }
        let kept = block_on(m.list(None, 9, false)).unwrap();
        assert!(kept.iter().any(|k| k.content.contains(text.trim_end_matches('.'))), "{kept:?}");
    }
}

#[test]
fn a_chat_without_findings_is_logged_and_can_be_added_again() {
    let asked = std::cell::Cell::new(0);
    let model = Model::new(move |_| {
        asked.set(asked.get() + 1);
        let entry = json!({"op": "new", "text": "Ben is allergic to buckwheat.", "category": "misc", "evidence": "Ben is allergic to buckwheat"});
        let entries = if asked.get() == 1 { json!([]) } else { json!([entry]) };
        Ok(Reply { text: json!({"entries": entries}).to_string(), tokens: 9 })
    });
    let m = open_engine(Policy::BALANCED).with_model(Rc::new(model));
    let chat = [turn(Role::User, "Note that Ben is allergic to buckwheat."), turn(Role::Assistant, "Noted.")];
    let named = AddOptions { source_id: Some("c1".into()), ..AddOptions::default() };
    assert!(add(&m, &chat, &named).unwrap().receipts.is_empty());
    let log = block_on(m.log(&LogQuery::default())).unwrap();
    assert_eq!((log.len(), log[0].decision, log[0].source_id.as_deref()), (1, Decision::Skip, Some("c1")));
    assert!(
        model_found_nothing(&log[0]) && log[0].reason == "The model found nothing to keep in this chat.",
        "{log:?}"
    );
    let again = add(&m, &chat, &named).unwrap().receipts;
    assert_eq!(again.iter().map(|r| (r.entry.decision, r.replayed)).collect::<Vec<_>>(), [(Decision::Create, false)]);
}

#[test]
fn a_model_answering_in_prose_is_paused_and_no_note_is_lost() {
    for prose in
        ["Of course! I will remember that.", "네, 기억해 두겠습니다.", "{\"entries\":\"none\"}", "{\"ok\":true}"]
    {
        let model = Model::new(move |_| Ok(Reply { text: prose.to_owned(), tokens: 9 }));
        let m = open_engine(Policy::BALANCED).with_model(Rc::new(model.clone()));
        for n in 0..30 {
            let (room, code) = (n / 2, 7_000 + n);
            let text = format!("The locker code of room {room} is now {code}, says the caretaker.");
            assert!(!add(&m, &[turn(Role::User, &text)], &AddOptions::default()).unwrap().receipts.is_empty());
        }
        let all = block_on(m.list(None, 99, true)).unwrap();
        assert!((0..30).all(|n| all.iter().any(|k| k.content.contains(&(7_000 + n).to_string()))), "{prose}");
        assert_eq!(model.prompts().len(), 3, "{prose}");
        let usage = block_on(m.usage()).unwrap();
        assert!(usage.rests_until.is_some_and(|until| *until.to_string() > *"2026-01-01T00:00:30"), "{usage:?}");
    }
}

#[test]
fn a_valid_reply_resets_the_count_of_malformed_replies() {
    let asked = std::cell::Cell::new(0);
    let model = Model::new(move |_| {
        asked.set(asked.get() + 1);
        let text = if asked.get() % 2 == 1 { "Sure!" } else { "{\"entries\":[]}" };
        Ok(Reply { text: text.to_owned(), tokens: 9 })
    });
    let m = open_engine(Policy::BALANCED).with_model(Rc::new(model.clone()));
    for n in 0..5 {
        let text = format!("The locker code of room {n} is now 400{n}, says the caretaker.");
        add(&m, &[turn(Role::User, &text)], &AddOptions::default()).unwrap();
    }
    assert_eq!((model.prompts().len(), block_on(m.usage()).unwrap().rests_until), (10, None));
    // The retry prompt names the error of the first reply.
    assert!(model.prompts()[1].text.contains("not_json"), "{}", model.prompts()[1].text);
}

#[test]
fn the_retry_prompt_names_the_invalid_field() {
    let asked = std::cell::Cell::new(0);
    let model = Model::new(move |_| {
        asked.set(asked.get() + 1);
        let op = if asked.get() == 1 { "upsert" } else { "NEW" };
        let entry = json!({"op": op, "text": "Ben is allergic to buckwheat.", "category": "misc", "evidence": "Ben is allergic to buckwheat"});
        Ok(Reply { text: json!({"entries": [entry]}).to_string(), tokens: 9 })
    });
    let m = open_engine(Policy::BALANCED).with_model(Rc::new(model.clone()));
    let made = add(&m, &[turn(Role::User, NOTES[0])], &AddOptions::default()).unwrap();
    assert_eq!((made.receipts.len(), made.refused.len()), (1, 0));
    let told = &model.prompts()[1].text;
    assert!(told.contains("malformed: entry 1: `op` is `upsert`, which is none of `new`, `update`"), "{told}");
}

#[test]
fn a_reply_invalid_twice_is_reported_with_its_field() {
    let model = Model::new(|_| {
        let entry = json!({"op": "new", "text": 7, "category": "misc", "evidence": "Ben"});
        Ok(Reply { text: json!({"entries": [entry]}).to_string(), tokens: 9 })
    });
    let m = open_engine(Policy::BALANCED).with_model(Rc::new(model));
    let made = add(&m, &[turn(Role::User, NOTES[0])], &AddOptions::default()).unwrap();
    let refused = &made.refused[0];
    assert_eq!((refused.entry, refused.error.as_str(), refused.field.as_deref()), (1, "malformed", Some("text")));
    assert_eq!(refused.detail.as_deref(), Some("`text`: invalid type: integer `7`, expected a string"));
    assert!(!made.receipts.is_empty());
}

#[test]
fn the_prompt_shows_chat_turns_without_system_messages() {
    let model = Model::new(|_| Ok(Reply { text: json!({"entries": []}).to_string(), tokens: 9 }));
    let m = open_engine(Policy::BALANCED).with_model(Rc::new(model.clone()));
    let chat: Vec<Turn> = serde_json::from_value(json!([
        {"role": "system", "content": "You are a helpful assistant. Call the user Captain."},
        {"role": "user", "content": [{"type": "text", "text": "I moved to Lyon."}, {"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": null},
        {"role": "tool", "content": "Rue Neuve is in Lyon."},
        {"role": "user", "content": [{"type": "text", "text": "The street is"}, {"type": "text", "text": "Rue Neuve 4."}]},
    ]))
    .unwrap();
    add(&m, &chat, &AddOptions::default()).unwrap();
    let text = &model.prompts()[0].text;
    let marks = text.split("\n=== ").skip(1).map(|part| part.split_once(' ').unwrap().1.trim_end()).collect::<Vec<_>>();
    assert!(marks[0].starts_with("MAIL "), "{text}");
    let turns =
        ["USER\nI moved to Lyon.", "ASSISTANT\nRue Neuve is in Lyon.", "USER\nThe street is\nRue Neuve 4.", "END"];
    assert_eq!(marks[1..], turns, "{text}");
    assert!(!text.contains("Captain") && !text.contains("FORWARDED"));
    for bad in [
        json!({"role": "user", "content": 7}),
        json!({"role": "user", "content": [7]}),
        json!({"role": "owner", "content": "x"}),
    ] {
        assert!(serde_json::from_value::<Turn>(bad).is_err());
    }
    // A chat of instructions alone is rejected.
    let only: Vec<Turn> = serde_json::from_value(json!([{"role": "developer", "content": "Be brief."}])).unwrap();
    assert_eq!(add(&m, &only, &AddOptions::default()).unwrap_err().code, Code::InvalidField);
}
