//! Answers to questions: hits, highlighted matches, and the reason for an empty answer.

use crate::kit;
use futures::executor::block_on;
use memfold::consolidation::{ChangeSet, LogEntry};
use memfold::decision::Policy;
use memfold::engine::{Answer, Engine, Nothing, SearchOptions};
use memfold::model::{Category, Draft, Ids, Memory, Time, Zone};
use memfold::store::{MemoryStore, Store};

const NOW: i64 = 1_741_000_000_000;
const DAY: i64 = 86_400_000;

fn now() -> Time {
    Time::from_millis(NOW)
}

/// A memory created `days` days before `NOW`.
fn aged(ids: &mut Ids, content: &str, days: i64) -> Memory {
    Memory::from_draft(ids.mint(), Draft::new(content), Time::from_millis(NOW - days * DAY))
}

fn engine_with(memories: Vec<Memory>) -> Engine {
    let store = MemoryStore::default();
    if !memories.is_empty() {
        let entry = LogEntry::new(Ids::new(now(), [9; 16]).mint(), now(), "u", "");
        block_on(store.commit(ChangeSet { memories, ..ChangeSet::new(entry) })).unwrap();
    }
    kit::real(store, Policy::BALANCED, 0)
}

fn ask(engine: &Engine, text: &str, options: SearchOptions) -> Answer {
    block_on(engine.answer(text, &SearchOptions { now: Some(now()), ..options })).unwrap()
}

fn contents(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|h| h.memory.content.as_str()).collect()
}

#[test]
fn empty_answer_has_a_reason() {
    let mut ids = Ids::new(now(), [1; 16]);
    let engine = engine_with(vec![aged(&mut ids, "The contract with Corran Bay was signed", 3)]);
    let why = |text: &str| ask(&engine, text, SearchOptions::default()).nothing;
    assert_eq!(why("그거 뭐였지?"), Some(Nothing::NamesNothing));
    assert_eq!(why("what is it?"), Some(Nothing::NamesNothing));
    assert_eq!(why("내년에 무슨 일이 있어?"), Some(Nothing::NothingWithin));
    assert_eq!(why("고양이 사료 Zzyqx"), Some(Nothing::NothingLikeIt));
    assert_eq!(why("the contract"), None);
    let meetings = SearchOptions { category: Some(Category::Meeting), ..SearchOptions::default() };
    assert_eq!(ask(&engine, "the contract", meetings).nothing, Some(Nothing::NothingWithin));
    assert_eq!(
        ask(&engine_with(Vec::new()), "anything at all", SearchOptions::default()).nothing,
        Some(Nothing::NothingStored)
    );
}

#[test]
fn stop_words_are_not_shown_as_matched() {
    let mut ids = Ids::new(now(), [1; 16]);
    let engine = engine_with(vec![aged(&mut ids, "This is the contract with Corran Bay", 1)]);
    let answer = ask(&engine, "When is the contract signed?", SearchOptions::default());
    assert_eq!(answer.hits[0].matched, ["contract"]);
}

#[test]
fn people_filter_keeps_memories_that_involve_all_of_them() {
    let mut ids = Ids::new(now(), [1; 16]);
    let with = |people: &[&str], content: &str, ids: &mut Ids| {
        let people = people.iter().map(|p| (*p).to_owned()).collect();
        Memory::from_draft(ids.mint(), Draft { people, ..Draft::new(content) }, now())
    };
    let mut all: Vec<Memory> = (0..40).map(|n| with(&["Bo"], &format!("The contract, part {n}"), &mut ids)).collect();
    all.push(with(&["김민수", "Ann"], "The contract is late", &mut ids));
    all.push(with(&[], "민수가 계약서를 보냈다, the contract", &mut ids));
    let engine = engine_with(all);
    let of = |people: &[&str]| {
        let people = people.iter().map(|p| (*p).to_owned()).collect();
        ask(&engine, "the contract", SearchOptions { people, ..SearchOptions::default() })
    };
    let sorted = |answer: &Answer| {
        let mut texts: Vec<String> = contents(answer).iter().map(|t| (*t).to_owned()).collect();
        texts.sort();
        texts
    };
    assert_eq!(sorted(&of(&["민수"])), ["The contract is late", "민수가 계약서를 보냈다, the contract"]);
    assert_eq!(sorted(&of(&["ann", "민수"])), ["The contract is late"]);
    assert_eq!((contents(&of(&["Cy"])).len(), of(&["Cy"]).nothing), (0, Some(Nothing::NothingWithin)));
    assert_eq!(contents(&of(&["bo"])).len(), 10);
}

#[test]
fn memory_is_found_by_its_author_even_if_no_text_names_them() {
    let mut ids = Ids::new(now(), [1; 16]);
    let by = |who: &str, content: &str, ids: &mut Ids| {
        Memory::from_draft(ids.mint(), Draft { people: vec![who.into()], ..Draft::new(content) }, now())
    };
    let all = vec![
        by("reception@millracevets.example", "The lump is to be taken out on Thursday.", &mut ids),
        by("Femi Abara", "The ride begins at the Fishmarket.", &mut ids),
        by("김민수", "The hall is free from six.", &mut ids),
        by("bo@fishmarket.example", "Eels are sold until noon.", &mut ids),
    ];
    let engine = engine_with(all);
    for (question, content) in [
        ("What did Femi say?", "The ride begins at the Fishmarket."),
        ("millracevets", "The lump is to be taken out on Thursday."),
        ("민수가 뭐라고 했지?", "The hall is free from six."),
        // A match in the text outranks a match in the author.
        ("fishmarket", "The ride begins at the Fishmarket."),
    ] {
        assert_eq!(contents(&ask(&engine, question, SearchOptions::default())).first(), Some(&content), "{question}");
    }
    assert_eq!(contents(&ask(&engine, "Zoltan", SearchOptions::default())), Vec::<&str>::new());
}

#[test]
fn word_is_found_in_scripts_without_spaces() {
    let mut ids = Ids::new(now(), [1; 16]);
    let all = ["鍵は田中さんが渋谷で預かっています", "王明在上海的办公室", "กุญแจอยู่กับสมชาย", "The hall is free."];
    let engine = engine_with(all.map(|text| aged(&mut ids, text, 1)).to_vec());
    for (question, at) in [("田中", 0), ("渋谷", 0), ("王明", 1), ("上海", 1), ("สมชาย", 2)] {
        assert_eq!(contents(&ask(&engine, question, SearchOptions::default())).first(), Some(&all[at]), "{question}");
    }
    assert!(contents(&ask(&engine, "佐藤", SearchOptions::default())).is_empty());
}

#[test]
fn highlights_use_utf16_offsets() {
    let mut ids = Ids::new(now(), [1; 16]);
    let content = "🎉🎉 계약은 Linden과 금요일에 맺는다";
    let engine = engine_with(vec![aged(&mut ids, content, 1)]);
    let units: Vec<u16> = content.encode_utf16().collect();
    let shown = |text: &str| -> Vec<String> {
        let answer = ask(&engine, text, SearchOptions::default());
        let cut =
            |h: &memfold::engine::Highlight| String::from_utf16(&units[h.start as usize..h.end as usize]).unwrap();
        answer.hits[0].highlights.iter().map(cut).collect()
    };
    assert_eq!(shown("Linden contract"), ["계약은", "Linden"]);
}

#[test]
fn newer_of_two_similar_memories_ranks_first_and_the_faded_one_is_found() {
    let mut ids = Ids::new(now(), [1; 16]);
    let old = aged(&mut ids, "The door code is 4711", 700);
    let new = aged(&mut ids, "The door code is 4712", 1);
    let engine = engine_with(vec![old.clone(), new.clone(), aged(&mut ids, "The door was painted green", 1)]);
    let answer = ask(&engine, "what is the door code?", SearchOptions::default());
    assert_eq!(contents(&answer)[..2], [&new.content[..], &old.content]);
    let faded = &answer.hits[1];
    assert!((0.9..0.93).contains(&faded.strength) && answer.hits[0].strength > 0.98);
    assert!(answer.hits.is_sorted_by(|a, b| a.score >= b.score));
    // An exact identifier finds even a faded memory.
    assert_eq!(contents(&ask(&engine, "4711", SearchOptions::default()))[0], old.content);
}

#[test]
fn answer_reports_topic_and_period_of_the_question() {
    let answer = ask(&engine_with(Vec::new()), "지난주에 계약은 어떻게 됐어?", SearchOptions::default());
    assert!(answer.topic.contains("계약") && !answer.topic.contains("지난"));
    assert!(answer.from.is_some_and(|t| t < now()) && answer.to.is_some_and(|t| t <= now()));
}

#[test]
fn time_phrases_set_the_period_of_the_question() {
    let engine = engine_with(Vec::new());
    let options = SearchOptions { now: Some("2025-03-24T00:00:00Z".parse().unwrap()), ..SearchOptions::default() };
    let day = |t: Option<Time>| t.map(|t| t.day(Zone::default()).to_string()).unwrap_or_default();
    for (text, from, to, lists) in [
        ("지난주에 무슨 일이 있었어?", "2025-03-17", "2025-03-24", true),
        ("What is on my calendar next week?", "2025-03-31", "2025-04-07", true),
        ("4월 첫째 주에 잡혀 있던 일정 알려 줘", "2025-03-31", "2025-04-07", true),
        ("what is due by Friday?", "2025-03-24", "2025-03-29", true),
        ("어제 이천 창고 온도 몇 도였지", "2025-03-23", "2025-03-24", false),
        ("Who is the contact at Linden in May?", "2025-05-01", "2025-06-01", false),
        ("원목 책상은 예정대로 5월 14일에 온다고 한다", "2025-05-14", "2025-05-15", false),
        ("한결약품은 로거를 몇 대 주문했지?", "", "", false),
        ("What is the status of the contract?", "", "", false),
    ] {
        let answer = block_on(engine.answer(text, &options)).unwrap();
        assert_eq!((day(answer.from), day(answer.to), answer.lists), (from.to_owned(), to.to_owned(), lists), "{text}");
    }
}
