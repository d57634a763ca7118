//! What is kept beside the memories, and when it is not.

use super::{Backend, Contents, material::*};
use futures::future::join;
use memfold::Code;
use memfold::consolidation::{ChangeSet, Record, Shelf};
use memfold::store::{Committed, Store};

fn put(key: &str, value: &[u8]) -> Record {
    Record { shelf: Shelf::Answers, key: key.into(), value: Some(value.into()), expect: None }
}

fn expecting(key: &str, value: &[u8], expect: Option<&[u8]>) -> Record {
    Record { expect: Some(expect.map(Into::into)), ..put(key, value) }
}

async fn names(store: &impl Store, after: Option<&str>, limit: usize) -> Vec<String> {
    store.records(Shelf::Answers, after, limit).await.unwrap().into_iter().map(|(name, _)| name).collect()
}

pub async fn a_record_comes_back_and_is_removed(backend: &impl Backend) {
    let store = backend.open().await;
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(store.record(Shelf::Answers, "a").await.unwrap(), None);
    store.keep(vec![put("a", &bytes), put("b", &[])]).await.unwrap();
    assert_eq!(store.record(Shelf::Answers, "a").await.unwrap().as_ref(), Some(&bytes));
    assert_eq!(store.record(Shelf::Answers, "b").await.unwrap(), Some(vec![]));
    let each = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<String>>();
    let found = store.each_record(Shelf::Answers, &each(&["b", "x", "a", "b"])).await.unwrap();
    assert_eq!(found, [Some(vec![]), None, Some(bytes.clone()), Some(vec![])]);
    assert_eq!(store.each_record(Shelf::Answers, &[]).await.unwrap(), []);
    let gone = Record { value: None, ..put("a", &[]) };
    store.keep(vec![gone.clone(), put("b", b"two")]).await.unwrap();
    assert_eq!(store.record(Shelf::Answers, "a").await.unwrap(), None);
    assert_eq!(store.record(Shelf::Answers, "b").await.unwrap(), Some(b"two".to_vec()));
    store.keep(vec![gone]).await.unwrap();
    assert_eq!(store.head().await.unwrap(), 0);
}

pub async fn records_ascend_and_stay_on_their_shelf(backend: &impl Backend) {
    let store = backend.open().await;
    let elsewhere = Record { shelf: Shelf::Sent, ..put("a1", b"w") };
    store.keep(vec![put("b", b"3"), elsewhere, put("a/1", b"2"), put("a", b"1"), put("Z", b"0")]).await.unwrap();
    let all = [("Z", b"0"), ("a", b"1"), ("a/1", b"2"), ("b", b"3")].map(|(n, v)| (n.to_owned(), v.to_vec()));
    assert_eq!(store.records(Shelf::Answers, None, 9).await.unwrap(), all);
    assert_eq!(names(&store, None, 2).await, ["Z", "a"]);
    assert_eq!(names(&store, Some("a"), 1).await, ["a/1"]);
    assert_eq!(names(&store, Some("a0"), 9).await, ["b"]);
    assert!(names(&store, Some("b"), 9).await.is_empty());
    assert!(names(&store, None, 0).await.is_empty());
    assert_eq!(store.records(Shelf::Sent, None, 9).await.unwrap(), [("a1".to_owned(), b"w".to_vec())]);
    assert_eq!(store.record(Shelf::Sent, "a").await.unwrap(), None);
}

pub async fn a_record_that_is_not_as_expected_leaves_nothing(backend: &impl Backend) {
    let store = backend.open().await;
    store.keep(vec![put("a", b"1")]).await.unwrap();
    for stale in [expecting("a", b"2", None), expecting("a", b"2", Some(b"0")), expecting("c", b"2", Some(b"1"))] {
        let refused = store.keep(vec![put("b", b"2"), stale]).await.unwrap_err();
        assert_eq!(refused.code, Code::Conflict);
        assert_eq!(store.record(Shelf::Answers, "a").await.unwrap(), Some(b"1".to_vec()));
        assert_eq!(names(&store, None, 9).await, ["a"]);
    }
    store.keep(vec![expecting("a", b"2", Some(b"1")), expecting("c", b"3", None)]).await.unwrap();
    assert_eq!(names(&store, None, 9).await, ["a", "c"]);
    assert_eq!(store.record(Shelf::Answers, "a").await.unwrap(), Some(b"2".to_vec()));
}

pub async fn a_commit_keeps_its_records_or_nothing(backend: &impl Backend) {
    let store = backend.open().await;
    let first = ChangeSet { key: Some("k".into()), records: vec![put("a", b"1")], ..creating(1, memory(1, "one")) };
    assert_eq!(store.commit(first).await.unwrap(), Committed::Written(1));
    assert_eq!(store.record(Shelf::Answers, "a").await.unwrap(), Some(b"1".to_vec()));
    let before = Contents::of(&store).await;
    let bad = [
        ChangeSet { expect: vec![expects(1, Some(9))], records: vec![put("b", b"2")], ..set(2) },
        ChangeSet { records: vec![put("b", b"2"), expecting("a", b"2", None)], ..creating(2, memory(2, "two")) },
    ];
    for set in bad {
        assert_eq!(store.commit(set).await.unwrap_err().code, Code::Conflict);
        assert_eq!(names(&store, None, 9).await, ["a"]);
    }
    let again = ChangeSet { key: Some("k".into()), records: vec![put("a", b"2")], ..set(3) };
    assert!(matches!(store.commit(again).await.unwrap(), Committed::Replayed(_)));
    assert_eq!(store.record(Shelf::Answers, "a").await.unwrap(), Some(b"1".to_vec()));
    assert_eq!(Contents::of(&store).await, before);
    let good = ChangeSet { records: vec![expecting("a", b"2", Some(b"1"))], ..set(4) };
    assert_eq!(store.commit(good).await.unwrap(), Committed::Written(2));
    assert_eq!(store.record(Shelf::Answers, "a").await.unwrap(), Some(b"2".to_vec()));
}

pub async fn a_name_that_is_not_ascii_leaves_nothing(backend: &impl Backend) {
    let store = backend.open().await;
    let refused = store.keep(vec![put("a", b"1"), put("예산", b"2")]).await.unwrap_err();
    assert_eq!((refused.code, refused.field.as_deref()), (Code::InvalidField, Some("records[1].key")));
    let set = ChangeSet { records: vec![put("é", b"2")], ..set(1) };
    assert_eq!(store.commit(set).await.unwrap_err().code, Code::InvalidField);
    assert!(names(&store, None, 9).await.is_empty());
    assert_eq!(store.head().await.unwrap(), 0);
}

pub async fn handles_that_race_for_one_record_write_once(backend: &impl Backend) {
    let (one, two) = (backend.open().await, backend.open().await);
    let lease = |who: &[u8]| vec![expecting("lease", who, None)];
    let (a, b) = join(one.keep(lease(b"one")), two.keep(lease(b"two"))).await;
    assert!(a.is_ok() != b.is_ok(), "{a:?} {b:?}");
    let winner: &[u8] = if a.is_ok() { b"one" } else { b"two" };
    assert_eq!(two.record(Shelf::Answers, "lease").await.unwrap().as_deref(), Some(winner));
}
