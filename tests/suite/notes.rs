//! Notes and chats: what the owner says is their own word, what an assistant says is not, and a model reads both as mail.

use crate::kit::{Fake, Model};
use futures::executor::block_on;
use memfold::Code;
use memfold::decision::{Decision, Policy, Task};
use memfold::embed::HashingEmbedder;
use memfold::engine::{AddOptions, Cancel, Consolidate, Engine, Options, Role, Turn};
use memfold::llm::Reply;
use memfold::model::{Draft, Source};
use memfold::store::MemoryStore;
use serde_json::json;
use std::rc::Rc;

type Memories = Engine<MemoryStore, HashingEmbedder, Fake>;

fn mine(policy: Policy) -> Memories {
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
fn a_long_chat_is_kept_whole() {
    let m = mine(Policy::BALANCED);
    let turns: Vec<Turn> =
        (0..60).map(|n| turn(Role::User, &format!("The locker code of room {n} is {}.", 7_000 + n))).collect();
    add(&m, &turns, &AddOptions::default()).unwrap();
    let all: String = block_on(m.list(None, 99, false)).unwrap().iter().map(|m| m.content.clone()).collect();
    let lost: Vec<u32> = (7_000..7_060).filter(|code| !all.contains(&code.to_string())).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn a_note_is_read_by_rules_where_there_is_no_model() {
    let m = mine(Policy::BALANCED);
    let note = [turn(Role::User, "치과 예약은 1월 22일 오후 2시이다. 보험 서류는 금요일까지 보내야 한다.")];
    let made = add(&m, &note, &AddOptions::default()).unwrap().receipts;
    assert!(!made.is_empty());
    let all = block_on(m.list(None, 9, false)).unwrap();
    assert!(all.iter().all(|m| m.source_type == Source::UserInput), "{all:?}");
    assert!(all.iter().any(|m| m.content.contains("22일")), "{all:?}");
}

#[test]
fn a_note_under_one_name_is_taken_in_once() {
    let m = mine(Policy::BALANCED);
    let note = [turn(Role::User, "The dentist's appointment is on 22 January at 2 pm.")];
    let named = AddOptions { source_id: Some("n1".into()), ..AddOptions::default() };
    let first = add(&m, &note, &named).unwrap().receipts;
    let again = add(&m, &note, &named).unwrap().receipts;
    assert_eq!(first.iter().map(|r| r.replayed).collect::<Vec<_>>(), vec![false; first.len()]);
    assert!(again.iter().all(|r| r.replayed) && again.len() == first.len());
}

#[test]
fn a_model_reads_a_chat_in_one_call_and_who_spoke_is_kept() {
    let reply = json!({"entries": [
        {"op": "new", "text": "The dentist's appointment is on 22 January at 2 pm.", "category": "meeting", "evidence": "my dentist's appointment is on 22 January at 2 pm"},
        {"op": "new", "text": "The train to Busan leaves at 09:40.", "category": "misc", "evidence": "The train to Busan leaves at 09:40."},
    ]});
    let model = Model::new(move |_| Ok(Reply { text: reply.to_string(), tokens: 9 }));
    let m = mine(Policy::BALANCED).with_model(Rc::new(model.clone()));
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
fn what_says_nothing_or_too_much_is_refused() {
    let m = mine(Policy::BALANCED);
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
fn a_note_of_a_word_is_kept_and_small_talk_is_not() {
    let m = mine(Policy::BALANCED);
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
    // Nor a word of a chat.
    let chat = [turn(Role::User, "gym"), turn(Role::Assistant, "ok")];
    assert!(add(&m, &chat, &AddOptions::default()).unwrap().receipts.is_empty());
    assert_eq!(block_on(m.list(None, 9, false)).unwrap().len(), 3);
}

#[test]
fn what_denies_or_goes_beyond_a_short_note_is_not_lost() {
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
        let m = mine(Policy::BALANCED);
        for text in [stored, new] {
            block_on(m.consolidate(Draft::new(text), &Consolidate::default())).unwrap();
        }
        let known: Vec<String> = block_on(m.list(None, 9, false)).unwrap().into_iter().map(|k| k.content).collect();
        assert!(known.iter().any(|k| k.starts_with(new)), "{stored} / {new}: {known:?}");
    }
    // The same again is not kept twice.
    for (stored, new) in [("The meeting is at 3 pm", "회의는 오후 3시다"), ("Rent is 500 euros", "월세는 500유로")]
    {
        let m = mine(Policy::BALANCED);
        for text in [stored, new] {
            block_on(m.consolidate(Draft::new(text), &Consolidate::default())).unwrap();
        }
        assert_eq!(block_on(m.list(None, 9, false)).unwrap().len(), 1, "{new}");
    }
}
