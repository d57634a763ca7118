use super::*;
use crate::model::Zone;

fn days(text: &str, now: &str) -> Option<(String, String)> {
    let zone = Zone::from_minutes(540);
    let at = Reference { now: now.parse().unwrap(), zone };
    time_phrase(text, at).map(|p| (p.from.day(zone).to_string(), p.to.day(zone).to_string()))
}

#[test]
fn time_phrases_resolve_to_days() {
    for (text, now, from, to) in [
        ("4월 첫째 주에 잡혀 있던 일정 알려 줘", "2025-03-28T01:00:00Z", "2025-03-31", "2025-04-07"),
        ("3월 셋째 주말에 무슨 일이 있었지?", "2025-03-20T01:00:00Z", "2025-03-15", "2025-03-17"),
        ("지난달에 낸 돈", "2025-01-14T00:00:00Z", "2024-12-01", "2025-01-01"),
        ("what happened in December?", "2025-02-14T00:00:00Z", "2024-12-01", "2025-01-01"),
        ("What was on between the 13th and the 26th of October?", "2025-11-02T11:00:00Z", "2025-10-13", "2025-10-27"),
        ("anything between the 3rd and 9th of May?", "2025-04-14T00:00:00Z", "2025-05-03", "2025-05-10"),
        ("What happened in the first half of May?", "2025-06-14T00:00:00Z", "2025-05-01", "2025-05-16"),
        ("visits in the second half of February", "2025-04-14T00:00:00Z", "2025-02-16", "2025-03-01"),
        ("what did we do in the first half of 2024", "2025-04-14T00:00:00Z", "2024-01-01", "2024-07-01"),
        ("4월 3일부터 7일까지 일정", "2025-04-01T00:00:00Z", "2025-04-03", "2025-04-08"),
        ("what did I do in the last two weeks?", "2025-04-14T00:00:00Z", "2025-03-31", "2025-04-15"),
        ("What's on in the week of 3 November?", "2025-11-02T11:00:00Z", "2025-11-03", "2025-11-10"),
        ("What is there the week of the 20th?", "2026-05-08T00:00:00Z", "2026-05-18", "2026-05-25"),
        ("Anything in the week commencing 3 November?", "2025-11-02T11:00:00Z", "2025-11-03", "2025-11-10"),
        (
            "What have I got on in the week after Easter, from the 6th of April?",
            "2026-03-22T00:00:00Z",
            "2026-04-06",
            "2026-04-13",
        ),
        ("4월 27일부터 그 주에 무슨 일이 있어?", "2026-03-22T00:00:00Z", "2026-04-27", "2026-05-04"),
        ("13일이 있는 주에 뭐 있어?", "2026-05-08T00:00:00Z", "2026-05-11", "2026-05-18"),
        ("11월 둘째 주(10일~16일)에 무슨 일이 있지?", "2025-10-09T13:00:00Z", "2025-11-10", "2025-11-17"),
        ("3월 넷째 주말(28, 29일)에 무슨 일 있었어?", "2026-05-08T00:00:00Z", "2026-03-28", "2026-03-30"),
        (
            "What happened in the last week of February, from the 23rd?",
            "2026-03-20T00:00:00Z",
            "2026-02-23",
            "2026-03-02",
        ),
        (
            "at the library in the middle of September, 14th to 20th?",
            "2026-11-13T00:00:00Z",
            "2026-09-14",
            "2026-09-21",
        ),
        ("What was there in the last ten days of October?", "2026-11-22T00:00:00Z", "2026-10-22", "2026-11-01"),
        ("What happened in the last week of March?", "2026-04-20T00:00:00Z", "2026-03-23", "2026-04-01"),
        ("12월 마지막 주에 뭐 했지?", "2026-01-20T00:00:00Z", "2025-12-22", "2026-01-01"),
        ("11월 첫 주에 무슨 일 있었지?", "2026-11-22T00:00:00Z", "2026-11-01", "2026-11-09"),
        ("Who stands there on Saturday and Sunday?", "2025-11-28T00:00:00Z", "2025-11-29", "2025-12-01"),
    ] {
        assert_eq!(days(text, now), Some((from.to_owned(), to.to_owned())), "{text}");
    }
    let due = days("until Friday (18 April)", "2025-04-14T00:00:00Z").unwrap();
    assert_eq!((due.0.as_str(), due.1.as_str()), ("2025-04-14", "2025-04-19"));
    // An open range may have a more precise time in brackets.
    for text in
        ["before 3 May, from the 1st", "until Friday (3 May)", "2일까지(1일, 3일)", "since 1 May, 2nd to 9th, 4th"]
    {
        assert!(days(text, "2025-04-14T00:00:00Z").is_some(), "{text}");
    }
    for text in ["실증사업 예산 지금 얼마로 잡혀 있어?", "Can Suhyun eat shrimp?", "여권 언제까지 쓸 수 있어?", ""]
    {
        assert_eq!(days(text, "2025-04-14T00:00:00Z"), None, "{text}");
    }
}

#[test]
fn identifying_times_are_not_firm() {
    let at = Reference { now: "2025-04-14T00:00:00Z".parse().unwrap(), zone: Zone::from_minutes(540) };
    let firm = |text| time_phrase(text, at).map(|p| p.firm);
    assert_eq!(firm("2분기 품질 목표가 뭐였더라?"), Some(false));
    assert_eq!(firm("2분기에 뭐 했어?"), Some(true));
    assert_eq!(firm("the March invoice"), Some(false));
}

#[test]
fn span_covers_the_words_of_the_time() {
    let at = Reference { now: "2025-04-14T00:00:00Z".parse().unwrap(), zone: Zone::from_minutes(540) };
    let words = |text| time_phrase(text, at).map(|p| p.span.of(text));
    assert_eq!(words("지난주에 무슨 일이 있었어?"), Some("지난주에"));
    assert_eq!(words("what is due by Friday?"), Some("by Friday"));
    assert_eq!(words("what did we decide in March"), Some("in March"));
    assert_eq!(words("What is on in the week of 3 May?"), Some("in the week of 3 May"));
    assert_eq!(words("5월 둘째 주(12일~18일)에 뭐 있지?"), Some("5월 둘째 주(12일~18일)에"));
}
