//! End-to-end tests of the source documents' requirements for notes, the log, questions and sleep.

use crate::kit::real;
use crate::mailbox::{DAY, NOW, fill};
use futures::executor::block_on;
use memfold::consolidation::{Action, Cascade, Status, Trigger, VersionStep};
use memfold::decision::{Decision, Policy};
use memfold::engine::{
    Cancel, Consolidate, DateRange, DeleteOptions, Engine, LogQuery, NodeQuery, Options, Receipt, SleepOptions,
};
use memfold::model::{Category, DayOrTime, Draft, Factor, Ids, Memory, NodeType, Source, StorageTier, Time};
use memfold::sleep::{SleepFigures, TaggingFigures};
use memfold::store::MemoryStore;

type Real = Engine;

fn opened(memories: &[Memory]) -> Real {
    let store = MemoryStore::default();
    fill(&store, memories);
    real(store.connect(), Policy::BALANCED, 0)
}

fn add(engine: &Real, draft: Draft) -> Receipt {
    block_on(engine.consolidate(draft, &Consolidate::default())).unwrap()
}

fn read_note(engine: &Real, content: &str) -> Draft {
    let at = Some("2024-01-15T09:00:00Z".parse().unwrap());
    engine.read_note(Draft { stated_at: at, ..Draft::new(content) }, false).unwrap()
}

fn day(time: Option<DayOrTime>) -> String {
    time.map(|t| t.to_string().chars().take(10).collect()).unwrap_or_default()
}

#[test]
fn notes_get_category_dates_and_factors_like_mail() {
    let engine = opened(&[]);
    let meeting = read_note(&engine, "다음 주 월요일(1/22) 2시 킥오프 미팅");
    assert_eq!((meeting.category, day(meeting.occurred_at)), (Category::Meeting, "2024-01-22".to_owned()));
    let task = read_note(&engine, "Please send the report by 19 January 2024");
    assert_eq!((task.category, day(task.valid_until)), (Category::Task, "2024-01-19".to_owned()));
    let settled = read_note(&engine, "Q1 예산 500만원으로 확정");
    let factors: Vec<_> = settled.importance_factors.iter().map(|f| (f.factor, f.evidence.as_deref())).collect();
    assert_eq!((settled.category, factors), (Category::Decision, vec![(Factor::ContainsMoney, Some("500만원"))]));
    assert_eq!(settled.importance(), 0.7);
    // Given fields are kept.
    let given = Draft { people: vec!["Ana".into()], importance: Some(0.2), ..Draft::new("Please call Bo by Friday") };
    let kept = engine.read_note(given, true).unwrap();
    assert_eq!((kept.category, kept.people, kept.importance), (Category::Misc, vec!["Ana".to_owned()], Some(0.2)));
    // An empty subject is allowed.
    let bare = engine.read_note(Draft { subject: Some(String::new()), ..Draft::new("The gate opens at nine") }, false);
    assert_eq!(bare.unwrap().subject.as_deref(), Some(""));
}

#[test]
fn an_importance_tier_means_its_lower_bound() {
    let read = |text: &str| memfold::json::read::<Draft>(text, "draft");
    assert_eq!(read(r#"{"content":"x","importance":"high"}"#).unwrap().importance, Some(0.7));
    assert_eq!(read(r#"{"content":"x","importance":0.55}"#).unwrap().importance, Some(0.55));
    assert_eq!(read(r#"{"content":"x","importance":"great"}"#).unwrap_err().field.as_deref(), Some("importance"));
}

#[test]
fn a_repeated_original_after_an_update_is_skipped() {
    let engine = opened(&[]);
    let said = |content: &str, at: &str| Draft {
        stated_at: Some(at.parse().unwrap()),
        thread_id: Some("t".into()),
        source_type: Source::Realtime,
        ..Draft::new(content)
    };
    let first = said("Q1 마케팅 캠페인 예산은 5000만원입니다", "2024-01-15T09:00:00Z");
    add(&engine, first.clone());
    let moved = add(&engine, said("Q1 마케팅 캠페인 예산이 6000만원으로 변경되었습니다", "2024-01-18T09:00:00Z"));
    assert_eq!(moved.entry.versions, Some(VersionStep { before: 1, after: 2 }));
    let again = add(&engine, first);
    assert_eq!((again.entry.decision, again.entry.status), (Decision::Skip, Status::Skipped));
    assert!(again.entry.duplicate_score.is_some());
    assert_eq!(block_on(engine.history(moved.memory.unwrap().id)).unwrap().len(), 2);
}

#[test]
fn a_new_hour_or_day_moves_the_meeting() {
    let engine = opened(&[]);
    let at = |n: u32| Some(format!("2024-01-{n}T00:00:00Z").parse::<Time>().unwrap());
    let said = |content: &str, stated_at, occurred_at: Option<DayOrTime>| Draft {
        category: Category::Meeting,
        thread_id: Some("t".into()),
        stated_at,
        occurred_at,
        ..Draft::new(content)
    };
    let two = Some("2024-01-22T14:00:00Z".parse().unwrap());
    add(&engine, said("킥오프 미팅은 1월 22일 오후 2시입니다", at(15), two));
    let moved = add(&engine, said("킥오프 미팅이 오후 3시로 변경되었습니다", at(18), at(18).map(DayOrTime::Time)));
    assert_eq!(moved.entry.decision, Decision::Update);
    assert_eq!(moved.memory.unwrap().occurred_at.to_string(), "2024-01-22T15:00:00.000Z");
    // A new day without an hour keeps the current hour.
    let day = Some("2024-01-24".parse().unwrap());
    let moved =
        add(&engine, said("킥오프 미팅이 1월 22일에서 1월 24일로 변경되었습니다. 시간은 그대로입니다", at(19), day));
    assert_eq!(moved.entry.decision, Decision::Update);
    let memory = moved.memory.unwrap();
    assert!(memory.content.contains("오후 3시"), "{}", memory.content);
    assert_eq!(memory.occurred_at.to_string(), "2024-01-24T15:00:00.000Z");
}

#[test]
fn the_log_records_triggers_and_filters_by_user_and_date() {
    let engine = opened(&[]);
    let note = add(&engine, Draft::new("Q1 OKR: 20억원 매출"));
    assert_eq!(note.entry.trigger, Some(Trigger::Note));
    let mail = Draft { source_type: Source::Realtime, ..Draft::new("Q2 OKR: 25억원 매출") };
    let linked = add(&engine, mail);
    assert_eq!(linked.entry.trigger, Some(Trigger::NewMail));
    assert_eq!(linked.entry.linked_ids, [note.memory.as_ref().unwrap().id]);
    let options = DeleteOptions { cascade: Cascade::PreserveEdges, ..DeleteOptions::default() };
    block_on(engine.delete(&[note.memory.unwrap().id], &options)).unwrap();
    let log = |query: LogQuery| block_on(engine.log(&query)).unwrap();
    let gone = log(LogQuery { decision: Some(Decision::Delete), ..LogQuery::default() });
    assert_eq!(
        gone.iter().map(|e| (e.action, e.trigger, e.cascade)).collect::<Vec<_>>(),
        [(Action::Delete, Some(Trigger::UserRequest), Some(Cascade::PreserveEdges))]
    );
    assert_eq!(log(LogQuery { user_id: Some("local".into()), ..LogQuery::default() }).len(), 3);
    assert!(log(LogQuery { user_id: Some("other".into()), ..LogQuery::default() }).is_empty());
    let span = |from, to| LogQuery { date_range: Some(DateRange { from, to }), ..LogQuery::default() };
    assert!(log(span(None, Some(Time::from_millis(0).into()))).is_empty());
    assert_eq!(log(span(Some(Time::from_millis(0).into()), None)).len(), 3);
    let all = block_on(engine.analytics(&LogQuery::default())).unwrap();
    assert_eq!((all.by_decision[&Decision::Delete], all.by_decision[&Decision::Update]), (1, 0));
}

#[test]
fn near_equal_tags_share_a_node() {
    let engine = opened(&[]);
    let ask = |text: &str| block_on(engine.upsert_query(text, "s")).unwrap().id;
    assert_ne!(ask("When is the kickoff in Busan?"), ask("When is the launch in Seoul?"));
    let tag = |name: &str| block_on(engine.upsert_tag(name, "s")).unwrap().id;
    assert_eq!(tag("Kickoff Meeting"), tag("kick-off meeting"));
    assert_ne!(tag("Q1 goals"), tag("Q2 goals"));
    for _ in 0..3 {
        ask("킥오프 비용은 얼마야?");
        ask("부산 킥오프는 언제야?");
        ask("킥오프 자료는 얼마나 돼?");
    }
    let query = NodeQuery { kind: Some(NodeType::Entity), session: Some("s".into()), ..NodeQuery::default() };
    let names: Vec<String> = block_on(engine.nodes(&query)).unwrap().into_iter().map(|h| h.node.content).collect();
    assert!(names.iter().all(|n| !n.contains("언제") && !n.contains("얼마")), "{names:?}");
}

/// Memories of one thread, a week apart, the last of them a month old.
fn weekly(texts: &[String], people: &[&str]) -> Vec<Memory> {
    let start = NOW.plus_millis(-(30 + 7 * texts.len() as i64) * DAY);
    let mut ids = Ids::new(start, [9; 16]);
    let memory = |(n, text): (usize, &String)| {
        let then = start.plus_millis(n as i64 * 7 * DAY);
        let people = people.iter().map(|p| (*p).to_owned()).collect();
        let draft = Draft { stated_at: Some(then), thread_id: Some("b".into()), people, ..Draft::new(text) };
        Memory::from_draft(ids.mint(), draft, then)
    };
    texts.iter().enumerate().map(memory).collect()
}

fn sleep(engine: &Real, days: i64) {
    let options = SleepOptions { now: Some(NOW.plus_millis(days * DAY)), ..SleepOptions::default() };
    block_on(engine.run_sleep_cycle(&options, Cancel::default())).unwrap();
}

#[test]
fn unused_memories_leave_the_hot_tier_and_questions_expire() {
    let texts = ["The spare key hangs behind the boiler, says Dana Reyes".to_owned()];
    let engine = opened(&weekly(&texts, &["Dana Reyes"]));
    for _ in 0..2 {
        block_on(engine.upsert_query("Where is the spare key?", "s")).unwrap();
    }
    block_on(engine.finalize_session("s")).unwrap();
    let questions = || block_on(engine.nodes(&NodeQuery::default())).unwrap().len();
    assert_eq!(questions(), 1);
    let tier = || block_on(engine.list(None, 9, false)).unwrap()[0].storage_tier;
    assert_eq!(tier(), StorageTier::Hot);
    (0..30).for_each(|n| sleep(&engine, n * 25));
    assert_ne!(tier(), StorageTier::Hot);
    assert_eq!(questions(), 0);
}

#[test]
fn people_of_stored_memories_become_nodes() {
    let texts: Vec<String> =
        ["The Harbour budget is agreed", "The Harbour budget has a reserve of 5 %"].map(str::to_owned).to_vec();
    let engine = opened(&weekly(&texts, &["dana@corran.example"]));
    sleep(&engine, 0);
    let query = NodeQuery { kind: Some(NodeType::Person), ..NodeQuery::default() };
    let people: Vec<String> = block_on(engine.nodes(&query)).unwrap().into_iter().map(|h| h.node.content).collect();
    assert_eq!(people, ["dana@corran.example"]);
}

#[test]
fn figures_are_options_with_defaults_and_validation() {
    let default = Options::default();
    assert_eq!((default.tau_dup, default.tagging.window, default.tagging.max_tags_per_batch), (0.96, 5, 8));
    assert_eq!(default.sleep.budget_share, 0.3);
    for (options, field) in [
        (Options { tau_dup: 1.5, ..Options::default() }, "tauDup"),
        (
            Options { tagging: TaggingFigures { window: 0, ..TaggingFigures::default() }, ..Options::default() },
            "tagging.window",
        ),
        (Options { sleep: SleepFigures { budget_share: -0.1 }, ..Options::default() }, "sleep.budgetShare"),
    ] {
        assert_eq!(options.validate().unwrap_err().field.as_deref(), Some(field));
    }
}
