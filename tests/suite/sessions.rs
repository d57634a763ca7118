//! Query nodes, tag nodes and sessions: deduplication, adoption at session end, and searches without commits.

use crate::kit::{Fake, real};
use crate::mailbox::{DAY, fill, mailbox};
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{Action, Shelf};
use memfold::decision::Policy;
use memfold::embed::HashingEmbedder;
use memfold::engine::{Cancel, Engine, LogQuery, NodeQuery, Options, SearchOptions, SleepOptions};
use memfold::model::{EdgeKind, Generation, Id, Memory, NodeType, Time};
use memfold::store::{MemoryStore, Store};

type Real = Engine;

fn opened() -> (MemoryStore, Real) {
    let store = MemoryStore::default();
    fill(&store, &mailbox(60).memories);
    let engine = real(store.connect(), Policy::BALANCED, 0);
    (store, engine)
}

fn ask(engine: &Real, text: &str) -> Memory {
    block_on(engine.upsert_query(text, "s")).unwrap()
}

fn nodes(engine: &Real, kind: NodeType, session: Option<&str>) -> Vec<Memory> {
    let query = NodeQuery { kind: Some(kind), session: session.map(str::to_owned), ..NodeQuery::default() };
    block_on(engine.nodes(&query)).unwrap().into_iter().map(|h| h.node).collect()
}

fn search_ids(engine: &Real, text: &str) -> Vec<Id> {
    let options = SearchOptions { session: Some("s".into()), ..SearchOptions::default() };
    block_on(engine.search(text, &options)).unwrap().into_iter().map(|h| h.memory.id).collect()
}

#[test]
fn equal_questions_share_a_node() {
    let (_, engine) = opened();
    let first = ask(&engine, "킥오프 회의는 언제야?");
    for (n, text) in ["킥오프회의 언제야", "킥오프 회의는 언제야", "킥오프 회의는 언제야??"].into_iter().enumerate()
    {
        let again = ask(&engine, text);
        assert_eq!((again.id, again.repeat as usize), (first.id, n + 1), "{text}");
    }
    assert_ne!(ask(&engine, "When does the backup run?").id, first.id);
    assert_eq!((first.node_type, first.generation), (NodeType::Query, Generation::Young));
}

#[test]
fn tag_spellings_share_a_node_and_repeated_links_grow_stronger() {
    let (_, engine) = opened();
    let tag = |name: &str| block_on(engine.upsert_tag(name, "s")).unwrap();
    let report = tag("주간 보고");
    assert_eq!((tag("주간보고를").id, tag("Backups").id), (report.id, tag("backup").id));
    let query = ask(&engine, "주간 보고는 어디 있어?");
    let link = || block_on(engine.link_tag_to_query(report.id, query.id, 0.5, "s")).unwrap();
    assert_eq!((link().weight, link().weight), (0.5, 0.75));
    let edges = block_on(engine.edges_at(report.id, Some("s"))).unwrap();
    assert_eq!((edges.len(), edges[0].from, edges[0].kind), (1, query.id, EdgeKind::TaggedWith));
    let wrong = block_on(engine.link_tag_to_query(query.id, report.id, 0.5, "s")).unwrap_err();
    assert_eq!(wrong.code, Code::NotFound);
}

#[test]
fn questions_are_tagged_in_batches_and_small_talk_is_not() {
    let (_, engine) = opened();
    for text in
        ["When does the backup of Borealis run?", "안녕하세요", "How long did the Borealis backup take?", "thanks!"]
    {
        ask(&engine, text);
    }
    assert!(nodes(&engine, NodeType::Entity, Some("s")).is_empty());
    let tags = block_on(engine.wait_for_tagging("s")).unwrap();
    let mut names: Vec<String> = tags.into_iter().map(|t| t.content.to_ascii_lowercase()).collect();
    names.sort();
    assert_eq!(names, ["backup", "borealis"]);
}

#[test]
fn finalizing_adopts_hot_questions_once_in_one_commit() {
    let (store, engine) = opened();
    for _ in 0..3 {
        search_ids(&engine, "backup of Borealis");
    }
    search_ids(&engine, "감사합니다");
    search_ids(&engine, "shelf in the attic");
    block_on(engine.upsert_tag("Borealis", "s")).unwrap();
    let head = block_on(store.head()).unwrap();
    let done = block_on(engine.finalize_session("s")).unwrap();
    assert_eq!(block_on(store.head()).unwrap(), head + 1);
    assert_eq!((done.queries, done.entries.len()), (1, 1), "{done:?}");
    let adopted = nodes(&engine, NodeType::Query, None);
    assert_eq!((adopted.len(), adopted[0].generation, adopted[0].repeat), (1, Generation::Old, 2));
    assert_eq!(block_on(engine.finalize_session("s")).unwrap().entries, []);
    // In a later session the same node gains weight.
    search_ids(&engine, "the backup of Borealis");
    search_ids(&engine, "backup of Borealis");
    block_on(engine.finalize_session("s")).unwrap();
    let again = nodes(&engine, NodeType::Query, None);
    assert_eq!((again.len(), again[0].id, again[0].repeat, again[0].session_count), (1, adopted[0].id, 4, 1));
    assert!(block_on(engine.check()).unwrap().problems.is_empty());
    block_on(engine.undo(done.entries[0])).unwrap_err();
}

#[test]
fn undoing_an_adoption_removes_its_nodes_and_weights() {
    let (_, engine) = opened();
    let adopt = || {
        search_ids(&engine, "backup of Borealis");
        search_ids(&engine, "backup of Borealis");
        block_on(engine.finalize_session("s")).unwrap().entries[0]
    };
    let (first, second) = (adopt(), adopt());
    assert_eq!(nodes(&engine, NodeType::Query, None)[0].repeat, 3);
    block_on(engine.undo(second)).unwrap();
    assert_eq!(nodes(&engine, NodeType::Query, None)[0].repeat, 1);
    block_on(engine.undo(first)).unwrap();
    assert!(nodes(&engine, NodeType::Query, None).is_empty());
    block_on(engine.redo(first)).unwrap();
    assert_eq!(nodes(&engine, NodeType::Query, None)[0].repeat, 1);
    assert!(block_on(engine.check()).unwrap().problems.is_empty());
}

#[test]
fn searches_commit_nothing_and_hits_are_counted_at_session_end() {
    let (store, engine) = opened();
    let head = block_on(store.head()).unwrap();
    let mut found = Vec::new();
    for _ in 0..20 {
        found = search_ids(&engine, "stand-up of the Design team");
    }
    assert_eq!(block_on(store.head()).unwrap(), head);
    assert_eq!(block_on(engine.get(found[0])).unwrap().unwrap().access_count, 0);
    let done = block_on(engine.finalize_session("s")).unwrap();
    let best = block_on(engine.get(found[0])).unwrap().unwrap();
    assert!(done.reinforced > 0 && best.access_count == 20 && best.session_count == 1 && best.accessed_at.is_some());
    let pulse = block_on(engine.pulse(30)).unwrap();
    assert_eq!((pulse.total.searches, pulse.total.hits, pulse.hit_rate), (20, 20, Some(1.0)));
}

#[test]
fn the_sleep_cycle_ends_abandoned_sessions() {
    let (store, engine) = opened();
    search_ids(&engine, "backup of Borealis");
    search_ids(&engine, "backup of Borealis");
    block_on(engine.wait_for_tagging("s")).unwrap();
    let later = real(store.connect(), Policy::BALANCED, 9_000_000);
    let run = |hours: i64| {
        let now = Some(Time::from_millis(crate::kit::NOW + hours * DAY / 24));
        block_on(later.run_sleep_cycle(&SleepOptions { now, ..SleepOptions::default() }, Cancel::default())).unwrap()
    };
    assert_eq!((run(0).sessions, run(2).sessions, run(4).sessions), (0, 1, 0));
    assert_eq!(nodes(&later, NodeType::Query, None).len(), 1);
}

#[test]
fn feedback_is_counted_and_useless_questions_are_not_adopted() {
    let (_, engine) = opened();
    let found = search_ids(&engine, "backup of Borealis");
    search_ids(&engine, "backup of Borealis");
    let before = block_on(engine.get(found[0])).unwrap().unwrap();
    let after = block_on(engine.feedback(found[0], false, Some("backup of Borealis"), Some("s"))).unwrap();
    assert!(after.stability < before.stability && after.feedback.down == 1);
    assert_eq!(block_on(engine.get(found[0])).unwrap().unwrap(), after);
    assert_eq!(block_on(engine.finalize_session("s")).unwrap().queries, 0);
    let up = block_on(engine.feedback(found[0], true, None, None)).unwrap();
    assert_eq!(up.feedback.up, 1);
}

#[test]
fn query_and_tag_nodes_are_not_memories() {
    let (_, engine) = opened();
    let count = block_on(engine.list(None, 9_999, true)).unwrap().len();
    let analytics = block_on(engine.analytics(&LogQuery::default())).unwrap();
    search_ids(&engine, "backup of Borealis");
    search_ids(&engine, "backup of Borealis");
    block_on(engine.finalize_session("s")).unwrap();
    assert_eq!(nodes(&engine, NodeType::Query, None).len(), 1);
    assert_eq!(block_on(engine.list(None, 9_999, true)).unwrap().len(), count);
    let after = block_on(engine.analytics(&LogQuery::default())).unwrap();
    assert_eq!(
        (after.current_memories, after.stored_memories),
        (analytics.current_memories, analytics.stored_memories)
    );
    let options = SearchOptions { limit: Some(100), ..SearchOptions::default() };
    let hits = block_on(engine.search("backup of Borealis", &options)).unwrap();
    assert!(hits.iter().all(|h| h.memory.node_type == NodeType::Memory));
    assert!(
        block_on(engine.related(hits[0].memory.id)).unwrap().iter().all(|r| r.memory.node_type == NodeType::Memory)
    );
}

#[test]
fn forgetting_a_memory_erases_questions_that_found_only_it() {
    let store = MemoryStore::default();
    let one = vec![mailbox(60).memories.into_iter().find(|m| m.content.contains("Borealis")).unwrap()];
    fill(&store, &one);
    let engine = real(store.connect(), Policy::BALANCED, 0);
    search_ids(&engine, "Borealis backup secret4711");
    search_ids(&engine, "Borealis backup secret4711");
    block_on(engine.finalize_session("s")).unwrap();
    search_ids(&engine, "Borealis backup secret4711");
    block_on(engine.wait_for_tagging("s")).unwrap();
    block_on(engine.forget(&[one[0].id])).unwrap();
    assert!(nodes(&engine, NodeType::Query, None).is_empty());
    let left = block_on(store.records(Shelf::Sessions, None, 9)).unwrap();
    let text: String = left.into_iter().map(|(_, v)| String::from_utf8(v).unwrap()).collect();
    assert!(
        !text.contains("secret4711") && !block_on(engine.export_pieces()).unwrap().concat().contains("secret4711"),
        "{text}"
    );
    assert!(block_on(engine.check()).unwrap().problems.is_empty());
}

#[test]
fn exports_include_questions_and_tags() {
    let (_, engine) = opened();
    search_ids(&engine, "backup of Borealis");
    search_ids(&engine, "backup of Borealis");
    block_on(engine.finalize_session("s")).unwrap();
    let other = real(MemoryStore::default(), Policy::BALANCED, 77_000_000);
    block_on(other.import(&block_on(engine.export_pieces()).unwrap().concat())).unwrap();
    assert_eq!(nodes(&other, NodeType::Query, None).len(), 1);
    let adopted = block_on(other.log(&LogQuery::default())).unwrap();
    assert!(adopted.iter().any(|e| e.action == Action::Adopt));
    assert!(block_on(other.check()).unwrap().problems.is_empty());
}

#[test]
fn invalid_session_query_and_tag_names_are_rejected() {
    let (_, engine) = opened();
    for session in ["", "a b", "ㄱ", &"x".repeat(65)] {
        let error = block_on(engine.upsert_query("x", session)).unwrap_err();
        assert_eq!(error.field.as_deref(), Some("session"), "{session}");
    }
    for text in ["", "?!", &"x".repeat(999)] {
        assert_eq!(block_on(engine.upsert_query(text, "s")).unwrap_err().field.as_deref(), Some("query"));
        assert_eq!(block_on(engine.upsert_tag(text, "s")).unwrap_err().field.as_deref(), Some("name"));
    }
}

#[test]
fn a_packed_index_restores_questions_tags_and_summaries() {
    let store = MemoryStore::default();
    fill(&store, &mailbox(60).memories);
    let open = |from: u64| {
        let options = Options { pack_from: 1, ..Options::default() };
        block_on(Engine::open(store.connect(), HashingEmbedder, Fake::from(from), options)).unwrap()
    };
    let engine = open(0);
    block_on(engine.upsert_query("backup of Borealis", "s")).unwrap();
    block_on(engine.upsert_query("backup of Borealis", "s")).unwrap();
    block_on(engine.finalize_session("s")).unwrap();
    let report = block_on(engine.run_sleep_cycle(&SleepOptions::default(), Cancel::default())).unwrap();
    assert!(report.merges > 0);
    block_on(engine.pack()).unwrap();
    let again = open(9_000_000);
    assert_eq!(block_on(again.pulse(1)).unwrap().now, block_on(engine.pulse(1)).unwrap().now);
    assert_eq!(nodes(&again, NodeType::Query, None), nodes(&engine, NodeType::Query, None));
    assert!(block_on(again.check()).unwrap().problems.is_empty());
}
