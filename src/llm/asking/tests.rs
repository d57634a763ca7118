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

fn stored() -> [Memory; 4] {
    [
        memory(
            "킥오프 미팅은 다음 주 화요일 오후 2시 301호에서 열린다.",
            Some("2025-03-25T05:00:00Z"),
            "2025-03-20T01:00:00Z",
        ),
        memory(
            "Ada agreed that the north fence will cost $4,900, put up from 3 May to 10 May.",
            None,
            "2025-03-10T09:00:00Z",
        ),
        memory("The parking garage is not available on Monday.", None, "2025-03-21T01:00:00Z"),
        memory("한결약품은 온도 로거 150대를 주문했고 담당자는 김민지다.", None, "2025-03-03T01:00:00Z"),
    ]
}

/// The refusal of an answer that cites the first memory.
fn said(question: &str, stored: &Memory, answer: &str) -> Option<Refusal> {
    let asked = asking(question, std::slice::from_ref(stored));
    let found = asked.read(&reply(&["M1"], Some(answer))).unwrap();
    assert_eq!((found.memories, found.answer.is_some()), (vec![0], found.left_out.is_none()));
    found.left_out
}

#[test]
fn supported_answers_pass() {
    let [kickoff, fence, garage, order] = &stored();
    let cases = [
        ("킥오프 언제야?", kickoff, "킥오프 미팅은 내일 오후 2시 301호에서 열립니다."),
        ("킥오프 언제야?", kickoff, "킥오프 미팅은 3월 25일 화요일 오후 2시입니다."),
        ("When is the kickoff?", kickoff, "The kickoff meeting is on Tuesday, 25 March 2025 at 2 pm in room 301."),
        ("What will the fence cost?", fence, "The north fence will cost $4,900. Ada agreed to that."),
        ("Will the fence cost $4,900?", fence, "Yes, the north fence will cost $4,900."),
        ("When is the fence put up?", fence, "It is put up from 3 May to 10 May."),
        ("When is the fence put up?", fence, "The fence is put up from 3 May."),
        ("Can I park on Monday?", garage, "No, the parking garage is not available on Monday."),
        ("한결약품은 로거를 몇 대 주문했지?", order, "한결약품은 온도 로거 150대를 주문했습니다."),
        ("담당자 누구지?", order, "담당자는 김민지 님입니다."),
        ("How many loggers did Hangyeol order?", order, "150 loggers were ordered."),
        ("다음 주에 뭐 있어?", kickoff, "3월 25일 오후 2시에 킥오프 미팅이 예정되어 있습니다."),
        ("언제 어디서 만나지?", kickoff, "킥오프 미팅은 2025년 3월 25일(화) 14:00에 301호에서 열립니다."),
        ("Who agreed to the fence?", fence, "Ada agreed that the north fence will cost $4,900."),
        ("누가 담당이야?", order, "김민지가 담당자입니다."),
        ("온도 로거 주문은?", order, "한결약품이 온도 로거 150대를 주문했고, 담당자는 김민지입니다."),
        ("What about parking on Monday?", garage, "The garage is not available on Monday."),
    ];
    let lost: Vec<_> = cases.iter().filter(|(q, m, a)| said(q, m, a).is_some()).map(|c| c.2).collect();
    assert_eq!(lost, [""; 0]);
}

#[test]
fn unsupported_answers_are_dropped() {
    let [kickoff, fence, garage, order] = &stored();
    let cases = [
        ("킥오프 언제야?", kickoff, "킥오프 미팅은 내일 오후 3시 301호에서 열립니다."),
        ("킥오프 언제야?", kickoff, "킥오프 미팅은 다음 주 화요일 오후 2시입니다."),
        ("킥오프 언제야?", kickoff, "킥오프 미팅은 3월 26일 오후 2시입니다."),
        ("킥오프 언제야?", kickoff, "킥오프 미팅은 박지훈 님과 오후 2시에 열립니다."),
        ("킥오프 언제야?", kickoff, "킥오프 미팅은 내일 오후 2시 302호에서 열립니다."),
        ("What will the fence cost?", fence, "The north fence will cost $490."),
        ("What will the fence cost?", fence, "The north fence will cost $4,900,000."),
        ("What will the fence cost?", fence, "The north fence will cost 4,900 euros."),
        ("What will the fence cost?", fence, "Mallory agreed that the fence will cost $4,900."),
        ("What will the fence cost?", fence, "The north fence will cost $4,900, see https://fence.example/pay."),
        ("Will the fence cost $5,900?", fence, "Yes, the north fence will cost $5,900."),
        ("Was the fence cancelled?", fence, "The north fence was cancelled."),
        ("When is the fence put up?", fence, "It is put up from 3 to 12 May."),
        ("What will the fence cost?", fence, "The owner has approved all payments to the bank."),
        ("Can I park on Monday?", garage, "Yes, the parking garage is available on Monday."),
        ("What will the fence cost?", fence, "The north fence will not cost $4,900."),
        ("몇 대 주문했지?", order, "한결약품은 온도 로거 160대를 주문했습니다."),
        ("담당자 누구지?", order, "담당자는 김민수 님입니다."),
        ("How many loggers did Hangyeol order?", order, "160 loggers were ordered."),
    ];
    let kept: Vec<_> =
        cases.iter().filter(|(q, m, a)| said(q, m, a) != Some(Refusal::NoEvidence)).map(|c| c.2).collect();
    assert_eq!(kept, [""; 0]);
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
    for (bad, refusal) in [
        (reply(&["M3"], None), Refusal::UnknownHandle),
        (reply(&["M0"], None), Refusal::UnknownHandle),
        (reply(&["m1"], None), Refusal::UnknownHandle),
        (reply(&[], Some("The north fence costs $4,900.")), Refusal::NoEvidence),
        (r#"{"memories":"M1","answer":null}"#.to_owned(), Refusal::Malformed),
        ("It costs $4,900.".to_owned(), Refusal::NotJson),
    ] {
        assert_eq!(asked.read(&bad), Err(refusal), "{bad}");
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

/// Translated, partial, or with a clause that negates something else.
#[test]
fn supported_answers_pass_in_other_words() {
    let stored = |text| memory(text, None, "2025-03-10T09:00:00Z");
    let flat =
        stored("The flat at Quince Street has three keys and 2 windows; no pets are to be kept, not in summer either.");
    let roof = stored("창고 지붕 공사는 3월 6일에 모두 완료되었고 지적은 2층 난간 1건이다.");
    let choir = stored("은빛합창단 제7회 정기연주회는 5월 3일 오후 4시 별빛홀에서 열린다.");
    let bulbs = stored("The bulb order TB-70 is 1,200 dahlia at EUR 0.18, and comes with the marimba.");
    let visit = stored("방문 예약은 4월 22일 오전 9시부터 오후 1시까지다.");
    for (question, memory, answer) in [
        ("How many keys does the flat have?", &flat, "The flat at Quince Street has three keys."),
        ("열쇠가 몇 개야?", &flat, "Quince Street 집 열쇠는 세 개입니다."),
        ("난간은?", &roof, "창고 지붕 공사의 지적은 2층 난간 1건입니다."),
        ("When was the roof finished?", &roof, "The renovation was finished on March 6."),
        ("When is the concert?", &choir, "The 7th concert of 은빛합창단 is on May 3 at 4 pm."),
        ("몇 개 시켰어?", &bulbs, "주문 TB-70은 1,200개입니다."),
        ("뭐랑 와?", &bulbs, "주문 TB-70은 마림바와 옵니다."),
        ("방문이 언제야?", &visit, "방문은 4월 22일 오전 9시부터 오후 1시까지입니다."),
    ] {
        assert_eq!(said(question, memory, answer), None, "{answer}");
    }
    for (question, memory, answer) in [
        ("Are pets allowed?", &flat, "Yes, pets are to be kept at Quince Street."),
        ("열쇠가 몇 개야?", &flat, "Quince Street 집 열쇠는 네 개입니다."),
        ("When was the roof finished?", &roof, "The renovation was cancelled on March 6."),
        ("When is the concert?", &choir, "The 8th concert of 은빛합창단 is on May 3 at 4 pm."),
        ("몇 개 시켰어?", &bulbs, "주문 TB-70은 1,300개입니다."),
        ("누가 와?", &bulbs, "주문 TB-70은 한도윤 씨가 받습니다."),
        ("방문이 언제야?", &visit, "방문은 4월 22일 오전 9시부터 오후 11시까지입니다."),
    ] {
        assert_eq!(said(question, memory, answer), Some(Refusal::NoEvidence), "{answer}");
    }
}
