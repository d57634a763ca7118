//! Listing with filters, owner edits, metadata of the application, and undone entries in the log.

use crate::kit::real;
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::Trigger;
use memfold::decision::{Decision, Policy};
use memfold::engine::{
    AddOptions, Cancel, Consolidate, DeleteOptions, Engine, ListOptions, ListOrder, LogQuery, Receipt, Role,
    SearchOptions, Turn,
};
use memfold::model::{Category, Draft, Id, Memory, Metadata, Source, Time};
use memfold::store::MemoryStore;

type Memories = Engine;

fn open() -> Memories {
    real(MemoryStore::default(), Policy::BALANCED, 0)
}

fn metadata(text: &str) -> Metadata {
    serde_json::from_str(text).unwrap()
}

fn consolidate(m: &Memories, draft: Draft) -> Receipt {
    block_on(m.consolidate(draft, &Consolidate::default())).unwrap()
}

fn id_of(r: &Receipt) -> Id {
    r.memory.as_ref().unwrap().id
}

/// Stores four unrelated memories.
fn store_four_memories(m: &Memories) -> Vec<Id> {
    let of = |content: &str, category, thread: &str, people: &[&str], meta: &str| Draft {
        category,
        thread_id: Some(thread.into()),
        people: people.iter().map(|p| (*p).into()).collect(),
        metadata: metadata(meta),
        ..Draft::new(content)
    };
    let drafts = [
        of("The kickoff of Heron is on 22 January", Category::Meeting, "t1", &["Kim Minji"], r#"{"team":"a","n":1}"#),
        of("Olga sends the invoice of the printer", Category::Task, "t2", &["Olga"], r#"{"team":"b"}"#),
        of("The parking permit was renewed", Category::Misc, "t1", &[], r#"{"team":"a","n":2}"#),
        of("Rent rises in May", Category::Misc, "t3", &["Kim Minji", "Olga"], "{}"),
    ];
    drafts.into_iter().map(|draft| id_of(&consolidate(m, draft))).collect()
}

fn list_ids(m: &Memories, options: ListOptions) -> Vec<Id> {
    block_on(m.listed(&options)).unwrap().into_iter().map(|m| m.id).collect()
}

#[test]
fn list_filters_by_fields_in_both_orders() {
    let m = open();
    let ids = store_four_memories(&m);
    let by = |options: ListOptions| {
        let oldest = list_ids(&m, options.clone());
        let mut newest = list_ids(&m, ListOptions { order: ListOrder::Newest, ..options.clone() });
        newest.reverse();
        assert_eq!(oldest, newest);
        // There are no older versions that this could add.
        assert_eq!(list_ids(&m, ListOptions { include_superseded: true, ..options }), oldest);
        oldest.iter().map(|id| ids.iter().position(|i| i == id).unwrap()).collect::<Vec<_>>()
    };
    let all = ListOptions::default;
    assert_eq!(by(all()), [0, 1, 2, 3]);
    assert_eq!(by(ListOptions { category: Some(Category::Misc), ..all() }), [2, 3]);
    assert_eq!(by(ListOptions { thread_id: Some("t1".into()), ..all() }), [0, 2]);
    assert_eq!(by(ListOptions { people: vec!["minji".into()], ..all() }), [0, 3]);
    assert_eq!(by(ListOptions { people: vec!["minji".into(), "Olga".into()], ..all() }), [3]);
    assert_eq!(by(ListOptions { metadata: metadata(r#"{"team":"a"}"#), ..all() }), [0, 2]);
    assert_eq!(by(ListOptions { metadata: metadata(r#"{"team":"a","n":2}"#), ..all() }), [2]);
    assert!(by(ListOptions { metadata: metadata(r#"{"team":"c"}"#), ..all() }).is_empty());
}

#[test]
fn pages_have_no_gaps_in_either_order() {
    let m = open();
    let ids = store_four_memories(&m);
    for (order, wanted) in [(ListOrder::Oldest, ids.clone()), (ListOrder::Newest, ids.iter().rev().copied().collect())]
    {
        for include_superseded in [false, true] {
            let (mut found, mut after) = (Vec::new(), None);
            loop {
                let page = list_ids(
                    &m,
                    ListOptions { limit: Some(3), after, order, include_superseded, ..Default::default() },
                );
                assert!(page.len() <= 3);
                let Some(last) = page.last() else { break };
                after = Some(*last);
                found.extend(page);
            }
            assert_eq!(found, wanted, "{order:?}");
        }
    }
    assert!(list_ids(&m, ListOptions { limit: Some(0), order: ListOrder::Newest, ..Default::default() }).is_empty());
}

#[test]
fn newest_first_list_has_only_current_memories() {
    let m = open();
    let ids = store_four_memories(&m);
    block_on(m.delete(&[ids[1]], &DeleteOptions::default())).unwrap();
    let next = block_on(m.update(ids[0], "The kickoff of Heron is on 29 January", &Metadata::default())).unwrap();
    let newest = ListOptions { order: ListOrder::Newest, ..ListOptions::default() };
    assert_eq!(list_ids(&m, newest.clone()), [id_of(&next), ids[3], ids[2]]);
    let whole = list_ids(&m, ListOptions { include_superseded: true, ..newest });
    assert_eq!(whole, [id_of(&next), ids[3], ids[2], ids[1], ids[0]]);
}

#[test]
fn owner_edit_becomes_the_next_version_verbatim() {
    let m = open();
    let ids = store_four_memories(&m);
    let told = "It starts an hour later; bring the blue folder.";
    let done = block_on(m.update(ids[0], &format!("  {told}\n"), &metadata(r#"{"n":null,"seen":true}"#))).unwrap();
    let memory = done.memory.clone().unwrap();
    assert_eq!((done.entry.decision, memory.version, memory.content.as_str()), (Decision::Update, 2, told));
    assert_eq!((memory.previous_version_id, memory.source_type), (Some(ids[0]), Source::UserInput));
    assert_eq!(memory.metadata, metadata(r#"{"team":"a","seen":true}"#));
    assert_eq!((memory.category, memory.thread_id.as_deref()), (Category::Meeting, Some("t1")));
    assert_eq!(done.entry.trigger, Some(Trigger::UserRequest));
    let hits = block_on(m.search("blue folder", &SearchOptions::default())).unwrap();
    assert_eq!(hits[0].memory.id, memory.id);
    // An edit of any version replaces the current one; the same text again changes nothing.
    let again = block_on(m.update(ids[0], told, &metadata(r#"{"seen":true}"#))).unwrap();
    assert_eq!((again.entry.decision, again.memory.map(|m| m.id)), (Decision::Skip, Some(memory.id)));
    let marked = block_on(m.update(ids[0], told, &metadata(r#"{"seen":false}"#))).unwrap();
    assert_eq!((marked.entry.decision, marked.memory.unwrap().version), (Decision::Update, 3));
    assert_eq!(block_on(m.history(ids[0])).unwrap().len(), 3);
    block_on(m.undo(marked.entry.id)).unwrap();
    assert_eq!(block_on(m.get(memory.id)).unwrap().unwrap().superseded_by, None);
    assert!(block_on(m.check()).unwrap().problems.is_empty());
}

#[test]
fn edit_of_a_future_dated_memory_is_still_the_next_version() {
    let m = open();
    // Stated one day in the future, by a clock that runs ahead.
    let ahead = Time::from_millis(crate::kit::NOW + 86_400_000);
    let stored = consolidate(&m, Draft { stated_at: Some(ahead), ..Draft::new("The budget is 40 million") });
    let done = block_on(m.update(id_of(&stored), "The budget is 50 million", &Metadata::default())).unwrap();
    let memory = done.memory.unwrap();
    assert_eq!((memory.version, memory.superseded_by, memory.content.as_str()), (2, None, "The budget is 50 million"));
}

#[test]
fn refused_edit_has_an_error_code() {
    let m = open();
    let ids = store_four_memories(&m);
    let code = |id: Id, content: &str| block_on(m.update(id, content, &Metadata::default())).unwrap_err().code;
    let unknown: Id = "01890000-0000-7000-8000-000000000000".parse().unwrap();
    assert_eq!(code(unknown, "x"), Code::NotFound);
    assert_eq!((code(ids[0], "  "), code(ids[0], &"x".repeat(8_001))), (Code::InvalidField, Code::InvalidField));
    block_on(m.delete(&[ids[1]], &DeleteOptions::default())).unwrap();
    assert_eq!(code(ids[1], "x"), Code::NotFound);
    block_on(m.forget(&[ids[2]])).unwrap();
    assert_eq!(code(ids[2], "x"), Code::Forgotten);
}

#[test]
fn metadata_is_stored_filtered_exported_and_forgotten() {
    let m = open();
    let ids = store_four_memories(&m);
    let found = |meta: &str, thread: Option<&str>| -> Vec<Memory> {
        let options =
            SearchOptions { metadata: metadata(meta), thread_id: thread.map(Into::into), ..Default::default() };
        block_on(m.search("kickoff of Heron", &options)).unwrap().into_iter().map(|h| h.memory).collect()
    };
    assert_eq!(found(r#"{"n":1}"#, None)[0].id, ids[0]);
    assert!(found(r#"{"n":9}"#, None).is_empty() && found("{}", Some("t3")).is_empty());
    assert_eq!(found("{}", Some("t1"))[0].id, ids[0]);
    let turns = [Turn { role: Role::User, content: "The dentist is on 3 March at 10.".into(), at: None }];
    let options = AddOptions { metadata: metadata(r#"{"from":"note"}"#), ..AddOptions::default() };
    let made = block_on(m.add(&turns, &options, Cancel::default())).unwrap();
    assert_eq!(made.receipts[0].memory.as_ref().unwrap().metadata, options.metadata);
    let large = Draft { metadata: metadata(&format!(r#"{{"a":"{}"}}"#, "x".repeat(4_000))), ..Draft::new("x") };
    let refused = block_on(m.consolidate(large, &Consolidate::default())).unwrap_err();
    assert_eq!((refused.code, refused.field.as_deref()), (Code::InvalidField, Some("metadata")));
    let lines = block_on(m.export_pieces()).unwrap().concat();
    assert!(lines.contains(r#""n":1}"#));
    let other = real(MemoryStore::default(), Policy::BALANCED, 9);
    block_on(other.import(&lines)).unwrap();
    assert_eq!(block_on(other.get(ids[0])).unwrap().unwrap().metadata, metadata(r#"{"team":"a","n":1}"#));
    block_on(m.forget(&[ids[0]])).unwrap();
    assert_eq!(block_on(m.get(ids[0])).unwrap(), None);
    assert!(!block_on(m.export_pieces()).unwrap().concat().contains(r#""n":1}"#));
    assert!(block_on(m.check()).unwrap().problems.is_empty());
}

#[test]
fn log_reports_undone_entries_and_starts_after_a_cursor() {
    let m = open();
    let ids = store_four_memories(&m);
    let update = block_on(m.update(ids[0], "The kickoff is off", &Metadata::default())).unwrap();
    let first = block_on(m.log(&LogQuery::default())).unwrap()[0].id;
    let refused = block_on(m.undo(first)).unwrap_err();
    assert_eq!((refused.code, refused.dependents.clone()), (Code::HasDependents, vec![update.entry.id.to_string()]));
    let undo = block_on(m.undo(update.entry.id)).unwrap();
    let log = block_on(m.log(&LogQuery::default())).unwrap();
    assert_eq!(block_on(m.undone_since(&log)).unwrap(), [(update.entry.id, undo.id)]);
    let redo = block_on(m.redo(update.entry.id)).unwrap();
    let log = block_on(m.log(&LogQuery::default())).unwrap();
    assert_eq!(block_on(m.undone_since(&log)).unwrap(), [(undo.id, redo.id)]);
    let later = block_on(m.log(&LogQuery { after: Some(undo.seq), ..LogQuery::default() })).unwrap();
    assert_eq!(later.iter().map(|e| e.id).collect::<Vec<_>>(), [redo.id]);
}

#[test]
fn analytics_of_an_empty_store_are_zero() {
    let stats = block_on(open().analytics(&LogQuery::default())).unwrap();
    assert_eq!(stats.by_decision, Decision::ALL.map(|d| (d, 0)).into());
    assert_eq!(stats.by_status.values().sum::<u32>(), 0);
    assert_eq!(stats.by_status.len(), 4);
}

#[test]
fn edit_with_a_new_date_moves_the_event() {
    let m = open();
    let draft = m.read_note(Draft::new("The workshop is on 14 May 2026 at 14:00."), false).unwrap();
    let id = block_on(m.consolidate(draft, &Consolidate::default())).unwrap().entry.memory_id.unwrap();
    let right = block_on(m.update(id, "The workshop is on 28 May 2026 at 15:00.", &Metadata::default())).unwrap();
    assert_eq!(right.memory.as_ref().unwrap().occurred_at, "2026-05-28T15:00:00Z".parse::<Time>().unwrap());
    // An edit that names no day keeps the day.
    let again =
        block_on(m.update(right.memory.unwrap().id, "The workshop is in the barn.", &Metadata::default())).unwrap();
    assert_eq!(again.memory.unwrap().occurred_at, "2026-05-28T15:00:00Z".parse::<Time>().unwrap());
}

#[test]
fn meeting_moved_to_an_earlier_day_replaces_the_old_date() {
    let m = open();
    for day in ["22 January", "20 January"] {
        let draft = m.read_note(Draft::new(format!("The kickoff meeting is on {day}")), false).unwrap();
        block_on(m.consolidate(draft, &Consolidate::default())).unwrap();
    }
    let now: Vec<String> = block_on(m.list(None, 9, false)).unwrap().into_iter().map(|m| m.content).collect();
    assert_eq!(now, ["The kickoff meeting is on 20 January"]);
}
