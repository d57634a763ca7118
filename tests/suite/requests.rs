//! Deletion requests in natural language: which memories each previews and which it leaves out.

use crate::kit::Fake;
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{Topic, topic};
use memfold::embed::HashingEmbedder;
use memfold::engine::{Consolidate, Engine, Options};
use memfold::language::Reference;
use memfold::model::{Category, Draft, Ids, Memory, Source, Time, Zone};
use memfold::store::MemoryStore;

type Owned = Engine;

fn opened() -> Owned {
    let options = Options { zone: Zone::from_minutes(540), ..Options::default() };
    block_on(Engine::open(MemoryStore::default(), HashingEmbedder, Fake::default(), options)).unwrap()
}

fn add(engine: &Owned, content: &str, at: Option<&str>) {
    let occurred_at = at.map(|at| at.parse::<Time>().unwrap());
    let stated_at = occurred_at;
    let draft = Draft {
        occurred_at: occurred_at.map(Into::into),
        stated_at,
        source_type: Source::UserInput,
        ..Draft::new(content)
    };
    block_on(engine.consolidate(draft, &Consolidate::default())).unwrap();
}

fn preview_contents(engine: &Owned, request: &str) -> Vec<String> {
    let preview = block_on(engine.preview_delete(request)).unwrap();
    let mut found: Vec<String> = preview.memories.into_iter().map(|d| d.memory.content).collect();
    found.sort();
    found
}

const FIRST: &str = "Q1 마케팅 캠페인: 시작일 1월 15일, 예산 5000만원";
const SECOND: &str = "Q2 마케팅 캠페인 예산은 8000만원, Q1 캠페인 성과를 기반으로 함";
const THIRD: &str = "Based on the Q2 results, the Q3 marketing campaign starts in July";
const LUNCH: &str = "점심은 김치찌개였다";

#[test]
fn requests_with_a_period_skip_memories_that_only_mention_it() {
    let engine = opened();
    for content in [FIRST, SECOND, THIRD, LUNCH] {
        add(&engine, content, None);
    }
    for (request, wanted) in [
        ("Q1 마케팅 캠페인 관련 정보 삭제해줘", FIRST),
        ("1분기 마케팅 캠페인 관련 정보를 삭제해 주세요", FIRST),
        ("please delete everything about the Q1 marketing campaign", FIRST),
        ("Delete the first quarter marketing campaign", FIRST),
        ("Forget the marketing campaign of Q1", FIRST),
        ("2분기 마케팅 캠페인 지워줘", SECOND),
        ("remove everything about the second quarter marketing campaign", SECOND),
        ("3분기 마케팅 캠페인에 대한 내용 모두 지워 주세요", THIRD),
        ("delete the Q3 marketing campaign", THIRD),
    ] {
        assert_eq!(preview_contents(&engine, request), [wanted], "{request}");
    }
    assert!(preview_contents(&engine, "4분기 마케팅 캠페인 삭제해줘").is_empty());
    assert!(preview_contents(&engine, "delete the Q4 marketing campaign").is_empty());
}

#[test]
fn a_memorys_own_period_is_found_at_any_position() {
    for (content, about, mentions) in [
        ("Q1 성과를 기반으로 Q2 예산을 8000만원으로 확정", "Q2", "Q1"),
        ("Q2 예산은 Q1보다 20% 늘었다", "Q2", "Q1"),
        ("Compared with Q1, the Q2 budget grew by 20%", "Q2", "Q1"),
        ("The Q2 budget is larger than the Q1 budget", "Q2", "Q1"),
        ("하반기 예산은 12억, 상반기 예산 결과를 참고해 정함", "하반기", "상반기"),
        ("The March budget follows the February budget", "March", "February"),
        ("예산 회의를 열었다 · Q2 예산은 8000만원, Q1 예산 대비 20% 증가", "Q2", "Q1"),
    ] {
        let engine = opened();
        add(&engine, content, None);
        assert_eq!(preview_contents(&engine, &format!("delete the {about} budget")), [content], "{about}: {content}");
        assert!(
            preview_contents(&engine, &format!("delete the {mentions} budget")).is_empty(),
            "{mentions}: {content}"
        );
    }
    for (content, both) in [
        ("Q1 and Q2 budgets are frozen", ["Q1", "Q2"]),
        ("Q1 예산 6000만원, Q2 예산 8000만원", ["1분기", "second quarter"]),
        ("상반기와 하반기 예산을 합쳤다", ["first half", "하반기"]),
    ] {
        let engine = opened();
        add(&engine, content, None);
        for period in both {
            assert_eq!(
                preview_contents(&engine, &format!("delete the {period} budget")),
                [content],
                "{period}: {content}"
            );
        }
    }
}

#[test]
fn requests_understand_relative_days_and_months() {
    let engine = opened();
    // The test clock is at 1 January 2026.
    add(&engine, "회의록: 창고 이전을 논의했다", Some("2025-12-10T03:00:00Z"));
    add(&engine, "회의록: 새 로고를 골랐다", Some("2025-11-10T03:00:00Z"));
    add(&engine, "Notes of the call with Skarvik", Some("2025-12-31T03:00:00Z"));
    assert_eq!(preview_contents(&engine, "지난달 회의록 삭제해줘"), ["회의록: 창고 이전을 논의했다"]);
    assert_eq!(preview_contents(&engine, "delete yesterday's notes"), ["Notes of the call with Skarvik"]);
    assert_eq!(preview_contents(&engine, "11월 10일 회의록 지워줘"), ["회의록: 새 로고를 골랐다"]);
}

fn read(request: &str) -> memfold::Result<Topic> {
    topic(request, Reference { now: "2025-04-17T03:00:00Z".parse().unwrap(), zone: Zone::from_minutes(540) })
}

#[test]
fn a_request_is_parsed_to_its_subject_or_rejected() {
    for (request, words) in [
        ("Q1 마케팅 캠페인 관련 정보 삭제해줘", "q1 마케팅 캠페인"),
        ("한빛물산 계약에 대한 내용을 모두 지워 주세요.", "한빛물산 계약에"),
        ("Could you please delete all memories related to Sam's visit?", "sam visit"),
        ("invoice SK-70413", "invoice sk-70413"),
    ] {
        assert_eq!(read(request).unwrap().words().join(" "), words);
    }
    let negated =
        ["don't forget the dentist", "삭제하지 마세요 여권", "Did you delete the offer?", "예산 지우지 말아줘"];
    for request in negated.into_iter().chain(["delete everything", "모두 지워줘", "", "🙂", "왜 계약을 삭제했어?"])
    {
        assert_eq!(read(request).map(|t| t.words().to_vec()).map_err(|e| e.code), Err(Code::InvalidInput), "{request}");
    }
}

#[test]
fn words_match_plurals_particles_categories_and_all_fields() {
    let draft = Draft::new("Boxes for class A7은 신제품 출시");
    let plain = Memory::from_draft(Ids::new(Time::default(), [1; 16]).mint(), draft, Time::default());
    let filed = Memory {
        category: Category::Meeting,
        subject: Some("Heron".into()),
        entities: vec!["Acme".into()],
        keywords: vec!["budget".into()],
        people: vec!["ann@example.org".into()],
        ..plain.clone()
    };
    let holds = |word: &str, m: &Memory| read(word).is_ok_and(|topic| !topic.matched(m).is_empty());
    for word in ["box", "boxes", "classes", "a7", "신제품출시", "신제품에서", "class-boxes"] {
        assert!(holds(word, &plain), "{word}");
    }
    for word in ["boxesss", "cla", "as", "a", "구제품", "class-tea"] {
        assert!(!holds(word, &plain), "{word}");
    }
    for word in ["meeting", "회의", "heron", "acme", "budget", "ann@example.org"] {
        assert!(holds(word, &filed) && !holds(word, &plain), "{word}");
    }
}

#[test]
fn a_match_needs_two_thirds_of_the_words_and_every_number() {
    let list = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for (request, matched, strict, loose) in [
        ("heron budget harbour", "heron budget harbour", true, true),
        ("heron budget harbour", "heron budget", false, true),
        ("heron budget harbour", "heron", false, false),
        ("heron budget k7", "heron budget", false, false),
        ("heron budget k7", "heron k7", false, true),
    ] {
        let topic = read(request).unwrap();
        assert_eq!([true, false].map(|s| topic.means(&list(matched), s)), [strict, loose], "{request}: {matched}");
    }
}
