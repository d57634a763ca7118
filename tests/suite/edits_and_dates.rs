//! Dates and deadlines after an owner edit, uncertain dates, and paraphrases of a replaced memory.

use crate::kit::real;
use crate::post;
use futures::executor::block_on;
use memfold::decision::Policy;
use memfold::engine::{AddOptions, Cancel, Consolidate, Engine, IngestOptions, Role, SearchOptions, Turn};
use memfold::model::{Category, Draft, Factor, Id, Memory, Metadata, Time, Zone};
use memfold::store::MemoryStore;

type Memories = Engine;

fn open() -> Memories {
    real(MemoryStore::default(), Policy::BALANCED, 0)
}

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

fn store_note(m: &Memories, draft: Draft) -> Memory {
    let draft = m.read_note(draft, false).unwrap();
    block_on(m.consolidate(draft, &Consolidate::default())).unwrap().memory.unwrap()
}

fn edit_memory(m: &Memories, id: Id, text: &str) -> Memory {
    block_on(m.update(id, text, &Metadata::default())).unwrap().memory.unwrap()
}

fn add(m: &Memories, text: &str, at: &str) {
    let turn = Turn { role: Role::User, content: text.to_owned(), at: Some(time(at)) };
    block_on(m.add(&[turn], &AddOptions::default(), Cancel::default())).unwrap();
}

fn current(m: &Memories) -> Vec<Memory> {
    block_on(m.list(None, 100, false)).unwrap()
}

#[test]
fn edit_keeps_an_unchanged_date_and_time() {
    // (stored text, when it was stated, the owner's edit, the expected date)
    for (old, said, new, wanted) in [
        (
            "Kickoff meeting on 22 January at 14:00",
            "2024-01-15T09:00:00Z",
            "Kickoff meeting on 22 January at 14:00 in room 4",
            "2024-01-22T14:00:00Z",
        ),
        (
            "Kickoff meeting on 22 January",
            "2024-01-15T09:00:00Z",
            "Kickoff meeting on 22 January in room 4",
            "2024-01-22",
        ),
        (
            "Dinner with Ada on 3 March at 19:00",
            "2024-02-20T09:00:00Z",
            "Dinner with Ada and Bo",
            "2024-03-03T19:00:00Z",
        ),
        (
            "Dinner with Ada on 3 March at 19:00",
            "2024-02-20T09:00:00Z",
            "Dinner with Ada on 3 March at 20:00",
            "2024-03-03T20:00:00Z",
        ),
        (
            "Dinner with Ada on 3 March at 19:00",
            "2024-02-20T09:00:00Z",
            "Dinner with Ada on 5 March at 19:00",
            "2024-03-05T19:00:00Z",
        ),
        (
            "킥오프 회의는 1월 22일 오후 2시",
            "2024-01-15T09:00:00Z",
            "킥오프 회의는 1월 22일 오후 2시 4층",
            "2024-01-22T14:00:00Z",
        ),
        (
            "가족 모임은 5월 5일 낮 12시",
            "2023-04-20T09:00:00Z",
            "가족 모임은 5월 5일 낮 12시, 이모도 온다",
            "2023-05-05T12:00:00Z",
        ),
        ("가족 모임은 5월 5일 낮 12시", "2023-04-20T09:00:00Z", "가족 모임은 이모네에서", "2023-05-05T12:00:00Z"),
        ("가족 모임은 5월 5일 낮 12시", "2023-04-20T09:00:00Z", "가족 모임은 5월 6일 낮 12시", "2023-05-06T12:00:00Z"),
    ] {
        let m = open();
        let memory = store_note(&m, Draft { stated_at: Some(time(said)), ..Draft::new(old) });
        let now = edit_memory(&m, memory.id, new);
        assert_eq!((now.content.as_str(), now.occurred_at), (new, wanted.parse().unwrap()), "{old} / {new}");
    }
}

#[test]
fn edit_keeps_a_date_that_the_text_never_named() {
    let m = open();
    let at = time("2024-01-22T05:00:00Z").into();
    let draft = Draft { occurred_at: Some(at), category: Category::Meeting, ..Draft::new("Kickoff meeting") };
    let memory = block_on(m.consolidate(draft, &Consolidate::default())).unwrap().memory.unwrap();
    assert_eq!(edit_memory(&m, memory.id, "Kickoff meeting on 22 January in room 4").occurred_at, at);
}

#[test]
fn edit_drops_importance_factors_and_deadline_of_the_old_text() {
    for (old, new) in [
        ("보증금 500만원을 금요일까지 보내야 한다.", "보증금 없음, 다음 달에 계약"),
        ("송장 120만원은 5월 3일까지 결제해 주세요.", "송장은 정리됨"),
        ("Please pay the deposit of 500 euros by Friday.", "No deposit, we sign next month"),
        ("The invoice of $1,200 is due by 3 May.", "The invoice is settled"),
    ] {
        let m = open();
        let said = Some(time("2025-04-21T09:00:00Z"));
        let memory = store_note(&m, Draft { stated_at: said, ..Draft::new(old) });
        assert!(memory.importance_factors.iter().any(|f| f.factor == Factor::ContainsMoney), "{old}");
        let now = edit_memory(&m, memory.id, new);
        let left: Vec<_> = now.importance_factors.iter().filter_map(|f| f.evidence.as_deref()).collect();
        let left: Vec<_> = left.into_iter().filter(|words| !new.contains(words)).collect();
        assert!(left.is_empty() && now.valid_until.is_none(), "{new}: {left:?}, until {:?}", now.valid_until);
        assert!(now.importance < memory.importance, "{new}: {} from {}", now.importance, memory.importance);
    }
}

#[test]
fn edit_keeps_a_repeated_deadline() {
    for (old, new) in [
        ("The report is due by 3 May.", "The long report is due by 3 May."),
        ("보고서는 5월 3일까지 내야 한다.", "최종 보고서는 5월 3일까지 내야 한다."),
    ] {
        let m = open();
        let memory = store_note(&m, Draft { stated_at: Some(time("2025-04-21T09:00:00Z")), ..Draft::new(old) });
        assert!(memory.valid_until.is_some(), "{old}");
        assert_eq!(edit_memory(&m, memory.id, new).valid_until, memory.valid_until, "{new}");
    }
}

#[test]
fn resolved_dates_are_not_written_into_the_text() {
    // A Monday.
    let at = "2025-12-01T09:00:00Z";
    for text in [
        "The weekly meeting is on Tuesday in room 4.",
        "The dentist expects me tomorrow at 10:00.",
        "Pick up the cake on the 22nd.",
        "Call the bank next week.",
        "I just now paid the rent of 900 euros.",
        "주간 회의는 화요일 4층에서 한다.",
        "치과 예약은 내일 10시.",
        "케이크는 22일에 찾아온다.",
        "다음 주에 은행에 전화해야 한다.",
        "방금 월세 90만원을 냈다.",
    ] {
        let m = open();
        add(&m, text, at);
        let all = current(&m);
        assert!(!all.is_empty(), "{text}");
        for memory in all {
            assert!(text.contains(memory.content.trim_end_matches('.')), "{text}: {}", memory.content);
        }
        let m = post::mine();
        let head = "From: Ada <ada@club.example>\r\nTo: me@example.org\r\nSubject: \r\nDate: 1 Dec 2025 09:00:00 +0000";
        post::ingest(&m, post::mail(1, head, text), IngestOptions::default());
        for memory in post::current(&m) {
            assert!(!memory.content.contains(['(']) || memory.content.contains("Ada"), "{text}: {}", memory.content);
            assert!(!memory.content.contains("December") && !memory.content.contains("12월"), "{}", memory.content);
        }
    }
}

#[test]
fn relative_date_is_found_by_its_calendar_date() {
    for (text, question, day) in [
        ("The dentist expects me tomorrow at 10:00.", "What is on 2 December?", "2025-12-02"),
        ("치과 예약은 내일 10시.", "12월 2일에 뭐 있어?", "2025-12-02"),
    ] {
        let m = open();
        add(&m, text, "2025-12-01T09:00:00Z");
        let memory = current(&m).remove(0);
        assert_eq!(memory.occurred_at.day(Zone::default()).to_string(), day);
        let options = SearchOptions { now: Some(time("2025-12-01T10:00:00Z")), ..SearchOptions::default() };
        let hits = block_on(m.search(question, &options)).unwrap();
        assert_eq!(hits.first().map(|h| h.memory.id), Some(memory.id), "{question}");
    }
}

#[test]
fn weekly_event_has_no_single_date() {
    for text in [
        "The weekly meeting is on Tuesday in room 4.",
        "Our choir practice is every Tuesday at 7 pm.",
        "주간 회의는 화요일 4층에서 한다.",
        "합창 연습은 매주 화요일 저녁 7시.",
    ] {
        let m = open();
        add(&m, text, "2025-12-01T09:00:00Z");
        let memory = current(&m).remove(0);
        assert_eq!(memory.occurred_at, memory.stated_at.unwrap_or(memory.created_at), "{text}");
    }
}

/// The current memories after two mails about a concert in October.
fn ingest_concert_mails(first: &str, second: &str) -> Vec<Memory> {
    let m = post::mine();
    for (id, text) in [(1, first), (2, second)] {
        let thread = if id > 1 { "In-Reply-To: <1@x.example>\r\nReferences: <1@x.example>\r\n" } else { "" };
        let head = format!(
            "From: Ada <ada@club.example>\r\nTo: me@example.org\r\nSubject: Autumn concert\r\n{thread}Date: {} Oct 2025 09:00:00 +0000",
            5 + id
        );
        post::ingest(&m, post::mail(id, &head, text), IngestOptions::default());
    }
    post::current(&m)
}

#[test]
fn bare_day_is_not_dated_this_month_if_another_mail_names_another_month() {
    for (first, second) in [
        (
            "The autumn concert is on Saturday 15 November at 7 pm in the hall.",
            "The autumn concert is now on the 22nd, same hall.",
        ),
        ("The autumn concert is planned for November.", "The autumn concert will be on the 22nd at 7 pm."),
        ("가을 음악회는 11월 15일 토요일 저녁 7시 강당입니다.", "가을 음악회는 22일로 바뀌었습니다. 장소는 같습니다."),
        ("가을 음악회는 11월에 합니다.", "가을 음악회는 22일 저녁 7시에 합니다."),
    ] {
        for memory in ingest_concert_mails(first, second) {
            let day = memory.occurred_at.day(Zone::default()).to_string();
            assert_ne!(day, "2025-10-22", "{second}: {memory:#?}");
            assert!(!memory.content.contains("October") && !memory.content.contains("10월"), "{}", memory.content);
        }
    }
}

#[test]
fn uncontradicted_bare_day_is_its_next_occurrence() {
    for text in
        ["The autumn concert is on the 22nd at 7 pm in the hall.", "가을 음악회는 22일 저녁 7시 강당에서 합니다."]
    {
        let days: Vec<String> = ingest_concert_mails(text, "Thank you all for coming to the rehearsal, it was lovely.")
            .into_iter()
            .map(|m| m.occurred_at.day(Zone::default()).to_string())
            .collect();
        assert!(days.contains(&"2025-10-22".to_owned()), "{text}: {days:?}");
    }
}

#[test]
fn a_later_hour_that_contains_the_earlier_one_is_kept_whole() {
    for (first, second, hour, earlier) in [
        (
            "가을 음악회는 10월 25일 토요일 오전 7시에 강당에서 시작합니다. 악보와 장갑을 챙겨 주세요.",
            "날씨 때문에 음악회 시작 시간을 오전 7시 30분으로 늦춥니다. 장소는 그대로입니다.",
            "오전 7시 30분",
            "7시",
        ),
        (
            "The autumn concert starts at 7 am on Saturday 25 October in the hall. Please bring your music.",
            "The start of the autumn concert moves to 7.30 am on Saturday. Everything else stays as it was.",
            "7.30 am",
            "7 am",
        ),
    ] {
        let memories = ingest_concert_mails(first, second);
        let concert = memories.iter().find(|m| m.version == 2).unwrap_or_else(|| panic!("{memories:#?}"));
        assert!(
            concert.content.contains(hour) && concert.headline.as_deref().is_some_and(|h| h.contains(hour)),
            "{concert:#?}"
        );
        let headline = concert.headline.clone().unwrap_or_default();
        assert!(!headline.replace(hour, "").contains(earlier), "{headline}");
        let happens = concert.occurred_at;
        assert!(concert.valid_until.is_none_or(|until| !until.ends_before(happens, Zone::default())), "{concert:#?}");
    }
}

#[test]
fn a_difference_or_a_past_day_replaces_no_value() {
    for (first, second, kept) in [
        (
            "To confirm the programme: 24 pages, 250 copies, £185, with you by 30 October.",
            "Fifty more is no problem. It's £25 on top, everything else on the order stays put.",
            "£185",
        ),
        (
            "음악회 보험 갱신 보험료는 731,000원입니다.",
            "음악회 보험 보험료는 29,000원 내려간 금액으로 내시면 됩니다.",
            "731,000원",
        ),
        (
            "The first draft of the programme is due on 24 October.",
            "The kickoff yesterday was a good one, thank you.",
            "24 October",
        ),
        ("음악회 1차 시안은 10월 24일까지 부탁드립니다.", "음악회 1차 시안 회의 어제 감사했습니다.", "10월 24일"),
    ] {
        let memories = ingest_concert_mails(first, second);
        assert!(memories.iter().any(|m| m.content.contains(kept)), "{second}: {memories:#?}");
    }
}
