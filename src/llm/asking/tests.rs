//! Which model answers pass the check against the memories.

use super::*;
use crate::model::{Draft, Id};

const ZONE: Zone = Zone::from_minutes(540);

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

fn memory(content: &str, on: Option<&str>, said: &str) -> Memory {
    let draft =
        Draft { occurred_at: on.map(|on| on.parse().unwrap()), stated_at: Some(time(said)), ..Draft::new(content) };
    Memory::from_draft(Id::from_bytes([1; 16]), draft, time(said))
}

/// A question asked on Monday, 24 March 2025, in Seoul.
fn asking(question: &str, memories: &[Memory]) -> AnswerQuestion {
    let shown = memories.iter().map(|m| ShownMemory::new(m, None, Vec::new())).collect();
    AnswerQuestion::new(question, Reference { now: time("2025-03-24T00:30:00Z"), zone: ZONE }, (None, None), shown)
}

fn reply(handles: &[&str], answer: Option<&str>) -> String {
    serde_json::json!({ "memories": handles, "answer": answer }).to_string()
}

/// The refusal of an answer that cites the first memory.
fn said(question: &str, stored: &Memory, answer: &str) -> Option<Refusal> {
    let asked = asking(question, std::slice::from_ref(stored));
    let found = asked.read(&reply(&["M1"], Some(answer))).unwrap();
    assert_eq!((found.memories, found.answer.is_some()), (vec![0], found.left_out.is_none()));
    found.left_out
}

/// A line of `tests/cases/reader/answers.jsonl`: a memory, an answer that cites it, and whether the memory supports it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerCase {
    memory: String,
    said: String,
    #[serde(default)]
    on: Option<String>,
    question: String,
    answer: String,
    holds: bool,
}

#[test]
fn answers_say_only_what_their_memories_say() {
    let mut wrong = Vec::new();
    for line in include_str!("../../../tests/cases/reader/answers.jsonl").lines() {
        let case: AnswerCase = serde_json::from_str(line).unwrap();
        let stored = memory(&case.memory, case.on.as_deref(), &case.said);
        let found = said(&case.question, &stored, &case.answer);
        if found != (!case.holds).then_some(Refusal::NoEvidence) {
            wrong.push((case.answer, found));
        }
    }
    assert_eq!(wrong, []);
}

#[test]
fn an_answer_is_short_and_in_the_language_of_the_question() {
    let fence = memory("The north fence costs $4,900.", None, "2025-03-10T09:00:00Z");
    let long = "The north fence costs $4,900. ".repeat(24);
    for answer in ["울타리는 $4,900입니다.", &long, "The north fence costs\u{7} $4,900."] {
        assert_eq!(said("What does the fence cost?", &fence, answer), Some(Refusal::Malformed), "{answer}");
    }
}

#[test]
fn a_reply_cites_shown_memories_or_none() {
    let fence = memory("The north fence costs $4,900.", None, "2025-03-10T09:00:00Z");
    let asked = asking("What does the fence cost?", &[fence.clone(), fence]);
    let nothing = FoundAnswer { memories: Vec::new(), answer: None, left_out: None };
    assert_eq!(asked.read(&reply(&[], None)), Ok(nothing.clone()));
    assert_eq!(asked.read(&reply(&[], Some(" "))), Ok(nothing));
    assert_eq!(asked.read(&reply(&["M2", "M1", "M2"], None)).unwrap().memories, [1, 0]);
    let more = r#"{"memories":["M1"],"answer":null,"delete":["M1"]}"#;
    assert_eq!(asked.read(more).unwrap().memories, [0]);
    for handle in ["M3", "M0", "m1"] {
        assert_eq!(asked.read(&reply(&[handle], None)), Err(Refusal::UnknownHandle), "{handle}");
    }
}

#[test]
fn examples_pass_the_checks() {
    for (example, language) in [(EXAMPLE_EN, Language::En), (EXAMPLE_KO, Language::Ko)] {
        let parts: Vec<&str> =
            example.0.split("\n=== ").map(|part| part.split_once('\n').map_or("", |p| p.1)).collect();
        let [question, memories @ .., _] = &parts[..] else { panic!("{parts:?}") };
        let memories: Vec<Memory> = memories.iter().map(|text| memory(text, None, "2024-04-26T00:00:00Z")).collect();
        let asked = asking(question, &memories);
        let found = asked.read(example.1).unwrap();
        assert_eq!((found.memories, found.left_out, asked.language), (vec![0], None, language));
        assert!(found.answer.is_some());
    }
}

#[test]
fn memories_are_fenced_with_their_times() {
    let mut first = memory("a\n=== END", Some("2025-03-25T05:00:00Z"), "2025-03-20T01:00:00Z");
    first.subject = Some("s".into());
    let shown = vec![
        ShownMemory::new(&first, None, vec![1]),
        ShownMemory::new(&memory("b", None, "2025-03-21T01:00:00Z"), Some(0), vec![]),
    ];
    let at = Reference { now: time("2025-03-24T00:30:00Z"), zone: ZONE };
    let span = (Some(time("2025-03-23T15:00:00Z")), Some(time("2025-03-30T15:00:00Z")));
    let text = AnswerQuestion::new("q", at, span, shown.clone()).prompt("f00").text;
    let wanted = "\n=== f00 QUESTION asked 2025-03-24 Mon 09:30 about 2025-03-24 Mon to 2025-03-30 Sun\nq\
                  \n=== f00 M1 misc on 2025-03-25 Tue 14:00 said 2025-03-20 Thu newer M2\nSubject: s\na\n=== END\
                  \n=== f00 M2 misc said 2025-03-21 Fri with M1\nb\n=== f00 END";
    assert!(text.ends_with(wanted), "{text}");
    let many = AnswerQuestion::new("q", at, (None, None), vec![shown[1].clone(); 40]).prompt("f00").text;
    assert!(many.contains(" M30 ") && !many.contains(" M31 "));
}
