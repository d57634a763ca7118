//! Parsing of questions about times and kinds, and the memories they find.

use crate::kit::Fake;
use futures::executor::block_on;
use memfold::embed::HashingEmbedder;
use memfold::engine::{Answer, Consolidate, Engine, Options, SearchOptions};
use memfold::model::{Category, Draft, Time, Zone};
use memfold::store::MemoryStore;

type Owned = Engine;

/// Noon on Thursday, 17 April 2025, in Seoul.
const NOW: &str = "2025-04-17T03:00:00Z";

fn opened() -> Owned {
    let options = Options { zone: Zone::from_minutes(540), ..Options::default() };
    block_on(Engine::open(MemoryStore::default(), HashingEmbedder, Fake::default(), options)).unwrap()
}

fn ask(engine: &Owned, text: &str) -> Answer {
    let options = SearchOptions { now: Some(NOW.parse().unwrap()), limit: Some(30), ..SearchOptions::default() };
    block_on(engine.answer(text, &options)).unwrap()
}

/// Formats a half-open time range as days, like the corpus.
fn format_days(from: Option<Time>, to: Option<Time>) -> String {
    let day = |t: Time| t.day(Zone::from_minutes(540)).to_string();
    let (first, last) = (from.map(day), to.map(|t| day(t.plus_millis(-1))));
    match (first, last) {
        (None, None) => "-".to_owned(),
        (Some(a), Some(b)) if a == b => a,
        (a, b) => format!("{}..{}", a.unwrap_or_default(), b.unwrap_or_default()),
    }
}

/// The JSON name of a value, with spaces for underscores.
fn json_name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap_or("all").replace('_', " ")
}

#[test]
fn corpus_questions_are_parsed_as_labelled() {
    let engine = opened();
    let (mut wrong, mut korean, mut english) = (Vec::new(), 0, 0);
    for line in include_str!("../cases/questions.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let row: Vec<&str> = line.split(" | ").collect();
        let [question, span, kind, only, about] = row[..] else { panic!("{line}") };
        *(if question.is_ascii() { &mut english } else { &mut korean }) += 1;
        let read = ask(&engine, question);
        let found = [format_days(read.from, read.to), json_name(&read.kind), json_name(&read.only)];
        let lists =
            if about == "-" { read.lists } else { !read.lists && about.split(' ').all(|w| read.topic.contains(w)) };
        if found != [span, kind, only] || !lists {
            wrong.push(format!("{line}\n    {} | lists {} | {}", found.join(" | "), read.lists, read.topic));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), korean + english, wrong.join("\n"));
    assert!(korean >= 150 && english >= 150, "{korean} Korean, {english} English");
}

/// A task that was set on one day and falls due at the end of another, in Seoul.
fn due(content: &str, set: &str, end: &str) -> Draft {
    let at = |day: &str, clock: &str| Some(format!("{day}T{clock}+09:00").parse().unwrap());
    let (occurred_at, valid_until) = (at(set, "09:00:00"), at(end, "23:59:59"));
    Draft { category: Category::Task, occurred_at, valid_from: occurred_at, valid_until, ..Draft::new(content) }
}

fn happened(content: &str, at: &str) -> Draft {
    Draft { occurred_at: Some(at.parse().unwrap()), ..Draft::new(content) }
}

/// An engine with two weeks of events and some tasks.
fn two_weeks() -> Owned {
    let engine = opened();
    for draft in [
        happened("치과에서 스케일링을 받고 8만원을 냈다", "2025-04-16T14:00:00+09:00"),
        happened("수진과 파스타를 먹었다", "2025-04-09T12:30:00+09:00"),
        happened("창고 문이 고장 났다", "2025-04-14T10:00:00+09:00"),
        happened("The printer was repaired", "2025-04-15T10:00:00+09:00"),
        happened("Dana moved to the third floor", "2025-04-02T10:00:00+09:00"),
        Draft {
            category: Category::Meeting, ..happened("한빛물산과 킥오프 미팅", "2025-04-18T15:00:00+09:00")
        },
        Draft {
            category: Category::Decision,
            ..happened("워크숍은 제주에서 하기로 했다", "2025-04-10T17:00:00+09:00")
        },
        due("제안서 초안을 김 과장에게 제출", "2025-04-15", "2025-04-18"),
        due("Send the contract to Skarvik", "2025-04-14", "2025-04-18"),
        due("분기 보고서 제출", "2025-04-10", "2025-04-30"),
        due("Renew the domain of the shop", "2025-04-14", "2025-05-31"),
        due("부가세 신고", "2025-03-20", "2025-04-11"),
    ] {
        block_on(engine.consolidate(draft, &Consolidate::default())).unwrap();
    }
    engine
}

#[test]
fn questions_about_a_time_find_only_memories_of_that_time() {
    let engine = two_weeks();
    let dentist = "치과에서 스케일링을 받고 8만원을 냈다";
    let tax = "부가세 신고";
    let (proposal, contract, report) =
        ("제안서 초안을 김 과장에게 제출", "Send the contract to Skarvik", "분기 보고서 제출");
    let (pasta, workshop, meeting) =
        ("수진과 파스타를 먹었다", "워크숍은 제주에서 하기로 했다", "한빛물산과 킥오프 미팅");
    let (door, printer, domain) = ("창고 문이 고장 났다", "The printer was repaired", "Renew the domain of the shop");
    for (question, wanted) in [
        ("어제 뭐 했어?", vec![dentist]),
        ("What did I do yesterday?", vec![dentist]),
        ("지난주에 뭐 했지?", vec![pasta, workshop, report, tax]),
        ("지난 주에 무슨 일이 있었어?", vec![pasta, workshop, report, tax]),
        ("What happened last week?", vec![pasta, workshop, report, tax]),
        ("금요일까지 해야 할 일이 뭐야?", vec![proposal, contract]),
        ("what is due by Friday?", vec![proposal, contract]),
        ("What do I have to finish by Friday?", vec![proposal, contract]),
        ("이번 달에 마감인 거", vec![proposal, contract, report, tax]),
        ("this month's deadlines", vec![proposal, contract, report, tax]),
        ("5월에 마감인 거 있어?", vec![domain]),
        ("마감인 거 뭐 있어?", vec![proposal, contract, report, domain]),
        ("what is overdue?", vec![tax]),
        ("since Monday", vec![door, printer, dentist, proposal, contract, domain]),
        ("월요일부터 뭐 했어?", vec![door, printer, dentist, proposal, contract, domain]),
        ("내일 뭐 있어?", vec![meeting, proposal, contract]),
        ("다음 달에 뭐 했어?", vec![domain]),
    ] {
        let answer = ask(&engine, question);
        let mut found: Vec<&str> = answer.hits.iter().map(|h| h.memory.content.as_str()).collect();
        let mut wanted = wanted;
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{question}");
    }
}

#[test]
fn the_requested_kind_ranks_first_in_questions_about_a_time() {
    let engine = two_weeks();
    for (question, wanted) in [
        ("지난주에 결정된 게 뭐야?", "워크숍은 제주에서 하기로 했다"),
        ("What was decided last week?", "워크숍은 제주에서 하기로 했다"),
        ("내일 회의 있어?", "한빛물산과 킥오프 미팅"),
        ("when is my meeting tomorrow?", "한빛물산과 킥오프 미팅"),
        ("이번 주에 얼마 썼어?", "치과에서 스케일링을 받고 8만원을 냈다"),
        ("how much did I spend this week?", "치과에서 스케일링을 받고 8만원을 냈다"),
        ("지난주에 파스타 누구랑 먹었지?", "수진과 파스타를 먹었다"),
        ("which reports are due this month?", "분기 보고서 제출"),
    ] {
        let answer = ask(&engine, question);
        let first = answer.hits.first().map(|h| h.memory.content.as_str());
        assert_eq!(
            first,
            Some(wanted),
            "{question}: {:#?}",
            answer.hits.iter().map(|h| &h.memory.content).collect::<Vec<_>>()
        );
    }
}
