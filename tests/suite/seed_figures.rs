//! Figures and examples of the source documents that no other test covers; `docs/seeds.md` maps sentences to tests.

use crate::post::{Owned, current, ingest, mail, mine, read, with};
use futures::executor::block_on;
use memfold::analysis::analyse;
use memfold::consolidation::{LogEntry, MergeStrategy, OwnerVerdict, ReviewOptions, Status};
use memfold::decision::Decision;
use memfold::engine::{Consolidate, IngestOptions, LogQuery, SearchOptions};
use memfold::model::{
    Category, ChangeType, DayOrTime, Draft, Factor, Feedback, Generation, Ids, ImportanceFactor, Memory, Relation,
    Retention, Source, Time, Zone, importance_of,
};
use memfold::similarity::{Factors, score};
use memfold::sleep::{MOST_TOKENS, rank_of, strength};
use serde_json::Value;

fn assert_near(got: f32, wanted: f32, what: &str) {
    assert!((got - wanted).abs() < 1e-4, "{what}: {got}, not {wanted}");
}

#[test]
fn similarity_weights_depend_on_the_kind_of_pair() {
    let none =
        Factors { content: 0.0, people: Some(0.0), thread_id: Some(0.0), subject: Some(0.0), entities: Some(0.0) };
    assert_near(score(&Factors { content: 1.0, ..none }), 0.50, "content");
    assert_near(score(&Factors { people: Some(1.0), ..none }), 0.15, "people");
    assert_near(score(&Factors { thread_id: Some(1.0), ..none }), 0.15, "thread");
    assert_near(score(&Factors { subject: Some(1.0), ..none }), 0.10, "subject");
    // Same thread and similar content: .35/.15/.25/.15/.10.
    let close =
        Factors { content: 0.9, people: Some(0.8), thread_id: Some(1.0), subject: Some(0.6), entities: Some(0.5) };
    assert_near(score(&close), 0.35 * 0.9 + 0.15 * 0.8 + 0.25 + 0.15 * 0.6 + 0.10 * 0.5, "update");
    // Same entities in another thread: .30/.20/.10/.15/.25.
    let other = Factors { entities: Some(1.0), thread_id: Some(0.0), ..close };
    assert_near(score(&other), 0.30 * 0.9 + 0.20 * 0.8 + 0.15 * 0.6 + 0.25, "link");
}

#[test]
fn importance_is_the_base_plus_its_factors() {
    let of = |factors: &[Factor]| {
        importance_of(&factors.iter().map(|f| ImportanceFactor::new(*f, None)).collect::<Vec<_>>())
    };
    assert_near(of(&[]), 0.4, "base");
    for (factor, weight) in [
        (Factor::ContainsMoney, 0.3),
        (Factor::HasDeadline, 0.2),
        (Factor::FromImportantPerson, 0.2),
        (Factor::ContainsAction, 0.15),
        (Factor::MultiPerson, 0.1),
        (Factor::IsReplyChain, 0.05),
    ] {
        assert_near(of(&[factor]), 0.4 + weight, "one");
    }
    let example = of(&[Factor::ContainsMoney, Factor::HasDeadline, Factor::MultiPerson]);
    assert_near(example, 1.0, "the example");
    assert_eq!(of(&[Factor::ContainsMoney, Factor::HasDeadline, Factor::FromImportantPerson]), 1.0);
}

#[test]
fn node_rank_and_summary_limit_match_the_documents() {
    assert_eq!(MOST_TOKENS, 768);
    let now = Time::from_millis(1_745_000_000_000);
    let node = Memory::from_draft(Ids::new(now, [1; 16]).mint(), Draft::new("x"), now);
    assert_near(rank_of(&node, now), 0.4, "recency");
    let heavy = Memory { repeat: 1, feedback: Feedback { up: 1, down: 0 }, generation: Generation::Old, ..node };
    // .3 and .2 are limits for many repeats and much feedback; one of each gives half.
    assert_near(rank_of(&heavy, now), 0.4 + 0.3 * 0.5 + 0.2 * 0.5 + 0.1, "rank");
}

#[test]
fn merge_defaults_and_source_order_match_the_documents() {
    let merge = serde_json::to_value(MergeStrategy::default()).unwrap();
    assert_eq!(merge, serde_json::json!({"content": "replace", "keywords": "merge", "importance": "max"}));
    assert!(Source::UserInput < Source::Bootstrapped && Source::Bootstrapped < Source::ToolOutput);
    assert!(Source::ToolOutput < Source::Realtime);
    assert!(Category::Task < Category::Decision && Category::Decision < Category::Meeting);
    assert!(
        Category::Meeting < Category::Project && Category::Project < Category::Ads && Category::Ads < Category::Misc
    );
}

#[test]
fn relations_and_conflicts_match_the_documents() {
    let mut others = Vec::new();
    for line in include_str!("../cases/seeds.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let read = |name: &str| serde_json::from_value::<Draft>(row[name].clone()).unwrap();
        let (existing, new) = (read("existing"), read("new"));
        let found = analyse(&(&existing).into(), &(&new).into());
        let says = |name: &str, got: Value| row[name].is_null() || row[name] == got;
        let relation = says("relationship", serde_json::to_value(found.relation).unwrap());
        if !relation || !says("conflict", serde_json::to_value(found.conflict).unwrap()) {
            others.push(format!("{}: {:?} {:?} {:?}", row["id"], found.outcome, found.relation, found.conflict));
        }
    }
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn a_larger_scope_is_an_expansion() {
    for (old, new) in [
        ("신규 릴리즈 범위: 3개 기능", "신규 릴리즈 범위: 5개 기능 추가"),
        ("The release has 3 features", "The release was expanded to 5 features"),
    ] {
        let (old, new) = (Draft::new(old), Draft::new(new));
        let found = analyse(&(&old).into(), &(&new).into());
        let kinds: Vec<ChangeType> = found.changes.iter().map(|c| c.change.change_type).collect();
        assert_eq!(kinds, [ChangeType::Expansion], "{}", new.content);
    }
}

fn seoul() -> Owned {
    with(|o| o.zone = Zone::from_minutes(540))
}

/// The memories made from one mail of Monday, 15 January 2024.
fn learn_from(subject: &str, text: &str) -> Vec<Memory> {
    let m = seoul();
    let head = format!(
        "From: Dana <dana@corp.example>\r\nTo: me@example.org\r\nSubject: {subject}\r\nDate: Mon, 15 Jan 2024 09:00:00 +0900\r\n"
    );
    ingest(&m, mail(1, &head, text), IngestOptions::default());
    current(&m)
}

#[test]
fn one_mail_yields_a_meeting_and_a_task_with_dates() {
    for (text, meets, ends) in [
        ("안녕하세요, 내일 2시에 미팅하죠. 그리고 보고서는 금요일까지 보내주세요.", "2024-01-16", "2024-01-19"),
        ("다음 주 월요일(1/22) 미팅, 제안서는 1/25까지 제출", "2024-01-22", "2024-01-25"),
    ] {
        let known = learn_from("미팅", text);
        let of = |category: Category| {
            let found: Vec<&Memory> = known.iter().filter(|m| m.category == category).collect();
            assert_eq!(found.len(), 1, "{known:#?}");
            found[0]
        };
        let day = |t: DayOrTime| t.day(Zone::from_minutes(540)).to_string();
        let (meeting, task) = (of(Category::Meeting), of(Category::Task));
        assert_eq!((day(meeting.occurred_at).as_str(), meeting.valid_from, meeting.valid_until), (meets, None, None));
        let valid = task.valid_from.zip(task.valid_until).map(|(a, b)| [day(a), day(b)]);
        assert_eq!((day(task.occurred_at).as_str(), valid), ("2024-01-15", Some(["2024-01-15".into(), ends.into()])));
        assert!(task.importance_factors.iter().any(|f| f.factor == Factor::HasDeadline && f.evidence.is_some()));
    }
}

#[test]
fn category_examples_are_classified() {
    for (subject, text, category) in [
        ("", "내일 2시 회의실에서 만나요", Category::Meeting),
        ("예산", "Q1 예산 500만원으로 확정", Category::Decision),
        ("배포", "v2.0 다음 주 월요일 배포", Category::Project),
        ("보고서", "금요일까지 보고서 보내주세요", Category::Task),
        ("이벤트", "50% 할인 이벤트!", Category::Ads),
        ("정리", "미팅에서 결정된 사항을 정리해서 보내주세요", Category::Task),
        ("계약서", "계약서 초안 검토 부탁드립니다.", Category::Task),
        ("킥오프", "1월 22일 킥오프 미팅 참석 여부를 회신 부탁드립니다.", Category::Task),
        ("킥오프", "킥오프 미팅은 1월 22일 오후 2시로 확정되었습니다.", Category::Decision),
    ] {
        let found: Vec<Category> = learn_from(subject, text).iter().map(|m| m.category).collect();
        assert_eq!(found, [category], "{text}");
    }
    // Small talk is MISC and not stored.
    assert!(learn_from("안녕", "잘 지내시죠?").is_empty());
}

fn kickoff(id: u32, subject: &str, more: &str, text: &str) -> String {
    let head = format!(
        "From: Dana <dana@corp.example>\r\nTo: me@example.org\r\nSubject: {subject}\r\n{more}Date: Mon, {:02} Jan 2024 09:00:00 +0900\r\n",
        id * 7
    );
    mail(id, &head, text)
}

#[test]
fn decision_tree_scenarios_end_as_documented() {
    let m = seoul();
    let first = "Q1 마케팅 캠페인을 1월 15일에 시작합니다. 예산은 5000만원입니다";
    let one = |entries: Vec<LogEntry>| {
        assert_eq!(entries.len(), 1, "{entries:#?}");
        entries.into_iter().next().unwrap()
    };
    // 1: new information.
    let created = one(read(&m, &kickoff(1, "Q1 마케팅 캠페인 킥오프", "", first)));
    assert_eq!((created.decision, created.similarity), (Decision::Create, None));
    // 3: a forward repeats it.
    let forward = format!(
        "---------- Forwarded message ----------\r\nFrom: Dana <dana@corp.example>\r\nDate: Mon, 7 Jan 2024 09:00:00 +0900\r\nSubject: Q1 마케팅 캠페인 킥오프\r\nTo: me@example.org\r\n\r\n{first}"
    );
    let skipped = one(read(&m, &kickoff(2, "Fwd: Q1 마케팅 캠페인 킥오프", "", &forward)));
    assert_eq!((skipped.decision, skipped.status), (Decision::Skip, Status::Skipped));
    assert_eq!(skipped.target_id, created.memory_id);
    assert!(skipped.similarity.is_some_and(|s| s.factors.content == 1.0 && s.score > 0.85), "{:?}", skipped.similarity);
    // 2: information changed, in the same thread.
    let reply = "In-Reply-To: <1@x.example>\r\nReferences: <1@x.example>\r\n";
    let updated =
        one(read(&m, &kickoff(3, "Re: Q1 마케팅 캠페인 킥오프", reply, "예산이 6000만원으로 증액되었습니다")));
    assert_eq!((updated.decision, updated.target_id), (Decision::Update, created.memory_id));
    let head = current(&m).remove(0);
    assert_eq!((head.version, head.previous_version_id, Some(head.id)), (2, created.memory_id, updated.memory_id));
    assert!(head.content.contains("6000만원") && !head.content.contains("5000만원"), "{}", head.content);
    assert!(head.content.contains("1월 15일"), "{}", head.content);
    // 4: related, but different.
    let linked = one(read(&m, &kickoff(4, "Q2 마케팅 예산 논의", "", "Q2 마케팅 예산으로 8000만원을 요청드립니다")));
    assert_eq!((linked.decision, linked.relation), (Decision::CreateAndLink, Some(Relation::Sequential)));
    assert_eq!(block_on(m.related(linked.memory_id.unwrap())).unwrap()[0].memory.id, head.id);
    let counted = block_on(m.analytics(&LogQuery::default())).unwrap();
    let decisions = [Decision::Create, Decision::Skip, Decision::Update, Decision::CreateAndLink];
    assert_eq!(decisions.map(|d| counted.by_decision.get(&d).copied()), [Some(1); 4]);
    assert_eq!((counted.total_entries, counted.by_status.get(&Status::Skipped).copied()), (4, Some(1)));
    // 5: a deletion request is previewed.
    let preview = block_on(m.preview_delete("Q1 마케팅 캠페인 관련 정보 삭제해줘")).unwrap();
    assert_eq!(preview.memories.iter().map(|d| d.memory.id).collect::<Vec<_>>(), [head.id]);
}

#[test]
fn a_superseded_core_memory_is_demoted_and_passes_on_its_importance() {
    let m = mine();
    let tell = |draft: Draft| block_on(m.consolidate(draft, &Consolidate::default())).unwrap().entry;
    let core =
        Draft { importance: Some(0.9), retention: Some(Retention::Core), ..Draft::new("User lives in Portland") };
    let old = tell(core).memory_id.unwrap();
    let entry = tell(Draft::new("User just moved to Seattle"));
    if entry.decision != Decision::Update {
        // If the rules are unsure, both are stored and flagged, and the owner's review updates.
        assert!(entry.needs_review, "{entry:#?}");
        let word = ReviewOptions { target: Some(old), relation: None };
        block_on(m.review(entry.id, OwnerVerdict::Change(Decision::Update), &word)).unwrap();
    }
    let hits = block_on(m.search("Where does the user live?", &SearchOptions::default())).unwrap();
    let found: Vec<&str> = hits.iter().map(|h| h.memory.content.as_str()).collect();
    assert_eq!(found, ["User just moved to Seattle"]);
    let (new, old) = (&hits[0].memory, block_on(m.get(old)).unwrap().unwrap());
    assert_eq!(
        (old.retention, old.contradicted_by, old.superseded_by),
        (Retention::Semantic, Some(new.id), Some(new.id))
    );
    assert!(new.importance >= 0.9 && new.retention == Retention::Core);
    // Only core memories keep a minimum strength of 0.60.
    let years = new.created_at.plus_millis(40 * 365 * 86_400_000);
    assert!(strength(&old, years) < 0.60 && strength(new, years) >= 0.60);
}

/// All substrings of a line between two markers.
fn between<'a>(line: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    line.split(open).skip(1).filter_map(|rest| rest.split_once(close).map(|(inner, _)| inner)).collect()
}

#[test]
fn the_seeds_page_cites_existing_files_and_tests() {
    let root = env!("CARGO_MANIFEST_DIR");
    let read = |path: &str| std::fs::read_to_string(format!("{root}/{path}")).unwrap_or_default();
    let (mut missing, mut tests) = (Vec::new(), 0);
    for row in read("docs/seeds.md").lines().filter(|l| l.starts_with('|')) {
        for link in between(row, "](", ")") {
            if !std::path::Path::new(&format!("{root}/docs/{link}")).exists() {
                missing.push(link.to_owned());
            }
        }
        let cells: Vec<&str> = row.split('|').collect();
        let quoted = |cell: &&str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        for name in cells.iter().skip(3).flat_map(quoted) {
            let (path, test) = match (name.split_once("::"), name.split_once(": ")) {
                (Some((module, test)), _) => (format!("tests/suite/{module}.rs"), test),
                (_, Some((path, test))) if path.ends_with(".mjs") => (path.to_owned(), test),
                (_, Some((path, test))) if path.ends_with(".rs") => (format!("src/{path}"), test),
                _ => continue,
            };
            tests += 1;
            let start = test.trim_end_matches('…');
            if !read(&path).lines().any(|l| l.contains(&format!("fn {start}")) || l.contains(&format!("test('{start}")))
            {
                missing.push(name);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(tests > 60, "{tests} tests");
}
