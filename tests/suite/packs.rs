//! The index put aside: what is read from a pack is what the memories say, and a pack that does not fit is not read.

use crate::kit::Fake;
use futures::executor::block_on;
use memfold::consolidation::{Record, Shelf};
use memfold::embed::HashingEmbedder;
use memfold::engine::{Consolidate, Engine, Options, SearchOptions};
use memfold::model::{Draft, Id};
use memfold::store::{MemoryStore, Store};

type Memories = Engine<MemoryStore, HashingEmbedder, Fake>;

fn open(store: &MemoryStore, from: u64) -> Memories {
    let options = Options { pack_from: 1, vector_cache: 0, ..Options::default() };
    block_on(Engine::open(store.connect(), HashingEmbedder, Fake::from(from), options)).unwrap()
}

fn say(engine: &Memories, content: &str, thread: &str) -> Id {
    let draft = Draft { thread_id: Some(thread.into()), ..Draft::new(content) };
    block_on(engine.consolidate(draft, &Consolidate::default())).unwrap().memory.unwrap().id
}

const ASKED: [&str; 4] = ["킥오프 몇 시야?", "invoice SK-70413", "the budget of the pilot", "이천 창고"];

fn answers(engine: &Memories) -> Vec<Vec<(Id, f32)>> {
    let found = |text| block_on(engine.search(text, &SearchOptions::default())).unwrap();
    ASKED.iter().map(|text| found(*text).into_iter().map(|h| (h.memory.id, h.relevance)).collect()).collect()
}

/// A store with some memories, their versions and a pack of them.
fn packed() -> MemoryStore {
    let store = MemoryStore::default();
    let engine = open(&store, 0);
    say(&engine, "킥오프 미팅은 1월 22일 오후 2시 3층 회의실", "t1");
    say(&engine, "킥오프 미팅은 오후 3시로 변경되었습니다", "t1");
    say(&engine, "Invoice SK-70413 is due on 25 April", "t2");
    say(&engine, "이천 창고의 냉동고를 수리했다", "t3");
    say(&engine, "The budget of the pilot is 60M KRW", "t4");
    block_on(engine.close()).unwrap();
    store
}

fn records(store: &MemoryStore) -> Vec<(String, Vec<u8>)> {
    block_on(store.records(Shelf::Codes, None, usize::MAX)).unwrap()
}

fn put(store: &MemoryStore, key: &str, value: Option<Vec<u8>>) {
    block_on(store.keep(vec![Record { shelf: Shelf::Codes, key: key.into(), value, expect: None }])).unwrap();
}

/// The same data without a pack.
fn bare(store: &MemoryStore) -> Memories {
    for (key, _) in records(store) {
        put(store, &key, None);
    }
    open(store, 500)
}

#[test]
fn an_index_from_its_pack_answers_as_one_from_the_memories() {
    let store = packed();
    let reopened = answers(&open(&store, 100));
    assert!(reopened.iter().all(|found| !found.is_empty()));
    assert_eq!(reopened, answers(&bare(&store)));
}

#[test]
fn what_came_after_the_pack_is_caught_up() {
    let store = packed();
    let other = open(&store, 100);
    let late = say(&other, "Invoice SK-70413 was paid on 20 April", "t2");
    let third = open(&store, 200);
    let found = answers(&third);
    assert!(found[1].iter().any(|(id, _)| *id == late));
    assert!(block_on(third.check()).unwrap().problems.is_empty());
    assert_eq!(found, answers(&bare(&store)));
}

#[test]
fn a_pack_is_read_and_not_only_kept() {
    let store = packed();
    // A pack whose lists are empty is whole, and tells itself apart.
    put(&store, "l000000", Some(vec![0; 8]));
    let engine = open(&store, 100);
    assert!(block_on(engine.preview_delete("forget the invoice SK-70413")).unwrap().memories.is_empty());
    let memories = bare(&store);
    assert_eq!(block_on(memories.preview_delete("forget the invoice SK-70413")).unwrap().memories.len(), 1);
}

#[test]
fn an_opening_that_read_everything_puts_the_index_aside_for_the_next() {
    let store = MemoryStore::default();
    say(&open(&store, 0), "Invoice SK-70413 is due on 25 April", "t2");
    assert!(records(&store).is_empty(), "its host ended without closing it");
    let read = answers(&open(&store, 100));
    assert!(!records(&store).is_empty());
    assert_eq!(answers(&open(&store, 200)), read);
}

#[test]
fn a_pack_that_is_broken_cut_or_of_another_log_is_not_read() {
    let store = packed();
    let right = answers(&open(&store, 100));
    let whole = records(&store);
    assert_eq!(whole.len(), 3);
    for (key, value) in &whole {
        let mut cut = value.clone();
        cut.truncate(value.len().saturating_sub(3));
        for spoilt in [None, Some(cut), Some(vec![0xff; 9])] {
            put(&store, key, spoilt);
            assert_eq!(answers(&open(&store, 200)), right, "{key}");
            whole.iter().for_each(|(key, value)| put(&store, key, Some(value.clone())));
        }
    }
    let another = packed();
    say(&open(&another, 300), "이천 창고는 비어 있다", "t9");
    let elsewhere = MemoryStore::default();
    say(&open(&elsewhere, 900), "Something else", "t1");
    whole.iter().for_each(|(key, value)| put(&elsewhere, key, Some(value.clone())));
    assert!(answers(&open(&elsewhere, 950)).iter().all(Vec::is_empty));
}

#[test]
fn of_what_is_forgotten_no_pack_is_left() {
    let store = packed();
    let engine = open(&store, 100);
    let id = answers(&engine)[1][0].0;
    block_on(engine.forget(&[id])).unwrap();
    assert!(records(&store).is_empty());
    block_on(engine.close()).unwrap();
    let reopened = open(&store, 200);
    assert!(!records(&store).is_empty());
    assert!(answers(&reopened)[1].iter().all(|(found, _)| *found != id));
    assert!(block_on(reopened.check()).unwrap().problems.is_empty());
}

#[test]
fn of_two_that_pack_one_pack_stands_and_is_whole() {
    let store = packed();
    let (a, b) = (open(&store, 100), open(&store, 200));
    say(&a, "The pilot ends in May", "t7");
    say(&b, "The pilot ends in June, said Corran Bay", "t8");
    block_on(a.pack()).unwrap();
    block_on(b.pack()).unwrap();
    say(&b, "창고 열쇠는 경비실에 있다", "t9");
    block_on(b.pack()).unwrap();
    block_on(a.close()).unwrap();
    let reopened = open(&store, 300);
    assert!(block_on(reopened.check()).unwrap().problems.is_empty());
    assert_eq!(answers(&reopened), answers(&bare(&store)));
}
