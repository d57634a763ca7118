//! Several handles on the same data, at once and one after the other.

use super::{Backend, Contents, material::*};
use futures::future::{Either, join, join_all, select};
use memfold::Code;
use memfold::consolidation::ChangeSet;
use memfold::store::{Committed, LogRange, Store};
use std::pin::pin;

pub async fn what_one_handle_writes_the_other_reads(backend: &impl Backend) {
    let (a, b) = (backend.open().await, backend.open().await);
    a.commit(full_set(1)).await.unwrap();
    assert_eq!(Contents::of(&b).await, Contents::of(&a).await);
    assert_eq!(b.commit(set(2)).await.unwrap(), Committed::Written(2));
    assert_eq!(a.head().await.unwrap(), 2);
}

pub async fn what_was_written_survives_a_reopening(backend: &impl Backend) {
    let store = backend.open().await;
    store.commit(full_set(1)).await.unwrap();
    store.commit(creating(2, memory(2, "two"))).await.unwrap();
    let before = Contents::of(&store).await;
    store.close().await.unwrap();
    let again = backend.open().await;
    assert_eq!(Contents::of(&again).await, before);
    assert_eq!(again.commit(set(3)).await.unwrap(), Committed::Written(3));
}

/// Raises the memory's revision `times` times, planning again after each conflict.
async fn raise(store: &impl Store, times: u64, mark: u64) {
    for n in 0..times {
        loop {
            let found = store.memories(&[id(1)]).await.unwrap().pop().flatten().unwrap();
            let expect = vec![expects(1, Some(found.revision))];
            let next = rewritten(&found, &format!("{} {mark}.{n}", found.content));
            let set = ChangeSet { expect, memories: vec![next], ..set(mark * 1_000 + n) };
            match store.commit(set).await {
                Ok(done) => break assert!(matches!(done, Committed::Written(_))),
                Err(e) => assert_eq!(e.code, Code::Conflict),
            }
        }
    }
}

pub async fn handles_that_race_for_one_memory_lose_nothing(backend: &impl Backend) {
    let (a, b) = (backend.open().await, backend.open().await);
    a.commit(creating(0, memory(1, "start"))).await.unwrap();
    join(raise(&a, 25, 1), raise(&b, 25, 2)).await;
    let after = Contents::of(&b).await;
    assert_eq!((after.head, after.memories[0].revision), (51, 51));
    assert_eq!(after.log.iter().map(|e| e.seq).collect::<Vec<_>>(), (1..=51).collect::<Vec<_>>());
    for mark in (0..25).flat_map(|n| [format!(" 1.{n}"), format!(" 2.{n}")]) {
        assert_eq!(after.memories[0].content.split(' ').filter(|w| **w == mark[1..]).count(), 1, "{mark}");
    }
}

pub async fn handles_that_race_with_one_key_write_once(backend: &impl Backend) {
    let (a, b) = (backend.open().await, backend.open().await);
    let attempts = (1..=12).map(|n| {
        let store = if n % 2 == 0 { &a } else { &b };
        store.commit(ChangeSet { key: Some("one".into()), ..creating(n, memory(n, "once")) })
    });
    let done: Vec<_> = join_all(attempts).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(done.iter().filter(|d| **d == Committed::Written(1)).count(), 1);
    let after = Contents::of(&a).await;
    assert_eq!((after.head, after.memories.len(), after.log.len()), (1, 1, 1));
    let replay = Committed::Replayed(Box::new(after.log[0].clone()));
    assert_eq!(done.iter().filter(|d| **d == replay).count(), 11);
}

pub async fn handles_that_race_from_one_base_write_once(backend: &impl Backend) {
    let (a, b) = (backend.open().await, backend.open().await);
    let attempts = (1..=12).map(|n| {
        let store = if n % 2 == 0 { &a } else { &b };
        store.commit(ChangeSet { base: Some(0), ..creating(n, memory(n, "first")) })
    });
    let done = join_all(attempts).await;
    assert_eq!(done.iter().filter(|d| matches!(d, Ok(Committed::Written(1)))).count(), 1);
    assert_eq!(done.iter().filter(|d| d.as_ref().is_err_and(|e| e.code == Code::Conflict)).count(), 11);
    assert_eq!(Contents::of(&b).await.memories.len(), 1);
}

pub async fn one_handle_does_many_things_at_once(backend: &impl Backend) {
    let store = backend.open().await;
    let commits = join_all((1..=30).map(|n| store.commit(creating(n, memory(n, "many")))));
    let reads = join_all((1..=30).map(|n| store.page(Some(id(n)), 5)));
    let (written, pages) = join(commits, reads).await;
    let mut numbers: Vec<_> = written
        .into_iter()
        .map(|w| match w.unwrap() {
            Committed::Written(seq) => seq,
            Committed::Replayed(_) => 0,
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=30).collect::<Vec<_>>());
    assert!(pages.into_iter().all(|p| p.is_ok()));
    assert_eq!(Contents::of(&store).await.memories.len(), 30);
}

pub async fn a_commit_given_up_is_whole_or_not_there(backend: &impl Backend) {
    let (store, other) = (backend.open().await, backend.open().await);
    for n in 1..=20 {
        let memories = vec![memory(2 * n, "left"), memory(2 * n + 1, "right")];
        let commit = pin!(store.commit(ChangeSet { memories, ..set(n) }));
        // Whatever the reads leave unfinished is dropped, at another point of its way each time.
        let reads = pin!(async {
            for _ in 0..n % 4 {
                other.head().await.unwrap();
            }
        });
        if let Either::Left((done, _)) = select(commit, reads).await {
            assert!(matches!(done.unwrap(), Committed::Written(_)));
        }
    }
    store.commit(set(21)).await.unwrap();
    let after = Contents::of(&store).await;
    assert_eq!(after.log.iter().map(|e| e.seq).collect::<Vec<_>>(), (1..=after.head).collect::<Vec<_>>());
    assert_eq!(after.memories.len() as u64, 2 * (after.head - 1));
    for n in 1..=20 {
        let there = after.memories.iter().filter(|m| m.id == id(2 * n) || m.id == id(2 * n + 1)).count();
        let logged = after.log.iter().any(|e| e.id == set(n).entry.id);
        assert_eq!(there, if logged { 2 } else { 0 });
    }
}

pub async fn every_call_after_close_says_closed(backend: &impl Backend) {
    let (store, other) = (backend.open().await, backend.open().await);
    store.commit(full_set(1)).await.unwrap();
    store.close().await.unwrap();
    store.close().await.unwrap();
    let codes = [
        store.commit(set(2)).await.err(),
        store.head().await.err(),
        store.memories(&[]).await.err(),
        store.memories(&[id(1)]).await.err(),
        store.page(None, 1).await.err(),
        store.edges(id(1)).await.err(),
        store.edge_page(None, 0).await.err(),
        store.log(LogRange::default()).await.err(),
        store.link(None).await.err(),
        store.entry(id(1)).await.err(),
        store.entry_by_key("x").await.err(),
    ];
    for error in codes {
        assert_eq!(error.map(|e| e.code), Some(Code::Closed));
    }
    assert_eq!(other.head().await.unwrap(), 1);
}
