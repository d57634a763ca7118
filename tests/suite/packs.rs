//! The packed search index: it answers like a rebuilt index, and a damaged or foreign pack is ignored.

use crate::kit::Fake;
use futures::executor::block_on;
use memfold::consolidation::{Record, Shelf};
use memfold::embed::HashingEmbedder;
use memfold::engine::{Consolidate, Engine, Options, SearchOptions};
use memfold::model::{Draft, Id};
use memfold::store::{MemoryStore, Store};

type Memories = Engine;

fn open(store: &MemoryStore, from: u64) -> Memories {
    let options = Options { pack_from: 1, ..Options::default() };
    block_on(Engine::open(store.connect(), HashingEmbedder, Fake::from(from), options)).unwrap()
}

fn add(engine: &Memories, content: &str, thread: &str) -> Id {
    let draft = Draft { thread_id: Some(thread.into()), ..Draft::new(content) };
    block_on(engine.consolidate(draft, &Consolidate::default())).unwrap().memory.unwrap().id
}

const QUESTIONS: [&str; 4] = ["킥오프 몇 시야?", "invoice SK-70413", "the budget of the pilot", "이천 창고"];

fn search_all(engine: &Memories) -> Vec<Vec<(Id, f32)>> {
    let found = |text| block_on(engine.search(text, &SearchOptions::default())).unwrap();
    QUESTIONS.iter().map(|text| found(*text).into_iter().map(|h| (h.memory.id, h.relevance)).collect()).collect()
}

/// A store with some memories, their versions and a pack of them.
fn packed_store() -> MemoryStore {
    let store = MemoryStore::default();
    let engine = open(&store, 0);
    add(&engine, "킥오프 미팅은 1월 22일 오후 2시 3층 회의실", "t1");
    add(&engine, "킥오프 미팅은 오후 3시로 변경되었습니다", "t1");
    add(&engine, "Invoice SK-70413 is due on 25 April", "t2");
    add(&engine, "이천 창고의 냉동고를 수리했다", "t3");
    add(&engine, "The budget of the pilot is 60M KRW", "t4");
    block_on(engine.close()).unwrap();
    store
}

fn records(store: &MemoryStore) -> Vec<(String, Vec<u8>)> {
    block_on(store.records(Shelf::Codes, None, usize::MAX)).unwrap()
}

fn write_record(store: &MemoryStore, key: &str, value: Option<Vec<u8>>) {
    block_on(store.keep(vec![Record { shelf: Shelf::Codes, key: key.into(), value, expect: None }])).unwrap();
}

/// Deletes the pack and reopens the store.
fn open_without_pack(store: &MemoryStore) -> Memories {
    for (key, _) in records(store) {
        write_record(store, &key, None);
    }
    open(store, 500)
}

#[test]
fn a_packed_index_answers_like_a_rebuilt_one() {
    let store = packed_store();
    let reopened = search_all(&open(&store, 100));
    assert!(reopened.iter().all(|found| !found.is_empty()));
    assert_eq!(reopened, search_all(&open_without_pack(&store)));
}

#[test]
fn memories_added_after_packing_are_indexed() {
    let store = packed_store();
    let other = open(&store, 100);
    let late = add(&other, "Invoice SK-70413 was paid on 20 April", "t2");
    let third = open(&store, 200);
    let found = search_all(&third);
    assert!(found[1].iter().any(|(id, _)| *id == late));
    assert!(block_on(third.check()).unwrap().problems.is_empty());
    assert_eq!(found, search_all(&open_without_pack(&store)));
}

#[test]
fn opening_reads_the_pack() {
    let store = packed_store();
    // An empty list is a valid record, so the missing hit proves that the pack was read.
    write_record(&store, "l000000", Some(vec![0; 8]));
    let engine = open(&store, 100);
    assert!(block_on(engine.preview_delete("forget the invoice SK-70413")).unwrap().memories.is_empty());
    let memories = open_without_pack(&store);
    assert_eq!(block_on(memories.preview_delete("forget the invoice SK-70413")).unwrap().memories.len(), 1);
}

#[test]
fn opening_without_a_pack_writes_one() {
    let store = MemoryStore::default();
    add(&open(&store, 0), "Invoice SK-70413 is due on 25 April", "t2");
    assert!(records(&store).is_empty(), "its host ended without closing it");
    let read = search_all(&open(&store, 100));
    assert!(!records(&store).is_empty());
    assert_eq!(search_all(&open(&store, 200)), read);
}

#[test]
fn damaged_truncated_and_foreign_packs_are_ignored() {
    let store = packed_store();
    let right = search_all(&open(&store, 100));
    let whole = records(&store);
    assert_eq!(whole.len(), 3);
    for (key, value) in &whole {
        let mut cut = value.clone();
        cut.truncate(value.len().saturating_sub(3));
        for spoilt in [None, Some(cut), Some(vec![0xff; 9])] {
            write_record(&store, key, spoilt);
            assert_eq!(search_all(&open(&store, 200)), right, "{key}");
            whole.iter().for_each(|(key, value)| write_record(&store, key, Some(value.clone())));
        }
    }
    let another = packed_store();
    add(&open(&another, 300), "이천 창고는 비어 있다", "t9");
    let elsewhere = MemoryStore::default();
    add(&open(&elsewhere, 900), "Something else", "t1");
    whole.iter().for_each(|(key, value)| write_record(&elsewhere, key, Some(value.clone())));
    assert!(search_all(&open(&elsewhere, 950)).iter().all(Vec::is_empty));
}

#[test]
fn forgetting_deletes_the_pack() {
    let store = packed_store();
    let engine = open(&store, 100);
    let id = search_all(&engine)[1][0].0;
    block_on(engine.forget(&[id])).unwrap();
    assert!(records(&store).is_empty());
    block_on(engine.close()).unwrap();
    let reopened = open(&store, 200);
    assert!(!records(&store).is_empty());
    assert!(search_all(&reopened)[1].iter().all(|(found, _)| *found != id));
    assert!(block_on(reopened.check()).unwrap().problems.is_empty());
}

#[test]
fn concurrent_packing_leaves_one_valid_pack() {
    let store = packed_store();
    let (a, b) = (open(&store, 100), open(&store, 200));
    add(&a, "The pilot ends in May", "t7");
    add(&b, "The pilot ends in June, said Corran Bay", "t8");
    block_on(a.pack()).unwrap();
    block_on(b.pack()).unwrap();
    add(&b, "창고 열쇠는 경비실에 있다", "t9");
    block_on(b.pack()).unwrap();
    block_on(a.close()).unwrap();
    let reopened = open(&store, 300);
    assert!(block_on(reopened.check()).unwrap().problems.is_empty());
    assert_eq!(search_all(&reopened), search_all(&open_without_pack(&store)));
}
