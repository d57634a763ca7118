//! Order, absence and exactness of what is read.

use super::{Backend, Contents, material::*};
use memfold::consolidation::{ChangeSet, LogEntry};
use memfold::model::{Id, Memory};
use memfold::store::{Committed, LogRange, Store};

pub async fn an_empty_store_has_nothing(backend: &impl Backend) {
    let store = backend.open().await;
    let nothing = Contents { head: 0, memories: vec![], edges: vec![], log: vec![] };
    assert_eq!(Contents::of(&store).await, nothing);
    assert_eq!(store.memories(&[]).await.unwrap(), []);
    assert_eq!(store.memories(&[id(1), id(2)]).await.unwrap(), [None, None]);
    assert_eq!(store.edges(id(1)).await.unwrap(), []);
    assert_eq!(store.page(Some(id(1)), 10).await.unwrap(), []);
    assert_eq!(store.entry(id(1)).await.unwrap(), None);
    assert_eq!(store.entry_by_key("").await.unwrap(), None);
    assert_eq!(store.link(None).await.unwrap(), None);
}

pub async fn everything_comes_back_as_it_went_in(backend: &impl Backend) {
    let store = backend.open().await;
    let set = full_set(5);
    assert_eq!(store.commit(set.clone()).await.unwrap(), Committed::Written(1));
    let entry = LogEntry { seq: 1, key: set.key.clone(), ..set.entry };
    let contents = Contents { head: 1, memories: set.memories, edges: set.edges, log: vec![entry.clone()] };
    assert_eq!(Contents::of(&store).await, contents);
    assert_eq!(store.entry_by_key(&set.key.unwrap()).await.unwrap(), Some(entry));
}

/// A set that puts these memories.
fn putting(n: u64, memories: impl IntoIterator<Item = u64>) -> ChangeSet {
    ChangeSet { memories: memories.into_iter().map(|m| memory(m, &format!("memory {m}"))).collect(), ..set(n) }
}

fn ids(numbers: &[u64]) -> Vec<Id> {
    numbers.iter().map(|n| id(*n)).collect()
}

pub async fn memories_come_in_the_order_asked(backend: &impl Backend) {
    let store = backend.open().await;
    store.commit(putting(1, 0..100)).await.unwrap();
    let content = |m: Option<Memory>| m.map(|m| m.content);
    let asked = ids(&[42, 7, 500, 99, 7]);
    let found: Vec<_> = store.memories(&asked).await.unwrap().into_iter().map(content).collect();
    let named = |n| Some(format!("memory {n}"));
    assert_eq!(found, [named(42), named(7), None, named(99), named(7)]);
    // Ascending runs with gaps and holes may be read another way; what comes is the same.
    for step in [1, 3, 40] {
        let asked: Vec<u64> = (0..300).step_by(step).collect();
        let found: Vec<_> = store.memories(&ids(&asked)).await.unwrap().into_iter().map(content).collect();
        assert_eq!(found, asked.iter().map(|n| named(*n).filter(|_| *n < 100)).collect::<Vec<_>>());
    }
}

pub async fn pages_ascend_and_end(backend: &impl Backend) {
    let store = backend.open().await;
    store.commit(putting(1, [5, 3, 9, 1, 7])).await.unwrap();
    let page = async |after: Option<u64>, limit| {
        let page = store.page(after.map(id), limit).await.unwrap();
        page.into_iter().map(|m| m.id).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 2).await, ids(&[1, 3]));
    assert_eq!(page(Some(3), 2).await, ids(&[5, 7]));
    assert_eq!(page(Some(7), 2).await, ids(&[9]));
    assert_eq!(page(Some(9), 2).await, []);
    assert_eq!(page(Some(4), 10).await, ids(&[5, 7, 9]));
    assert_eq!(page(None, 5).await, ids(&[1, 3, 5, 7, 9]));
    assert_eq!(page(None, 0).await, []);
}

pub async fn ten_thousand_memories_page_through(backend: &impl Backend) {
    let store = backend.open().await;
    // The highest ids first, so that the order of writing is not the order of reading.
    for (n, chunk) in (0..20).rev().enumerate() {
        let set = putting(n as u64, chunk * 500..(chunk + 1) * 500);
        assert_eq!(store.commit(set).await.unwrap(), Committed::Written(n as u64 + 1));
    }
    let (mut after, mut seen) = (None, 0);
    loop {
        let page = store.page(after, 768).await.unwrap();
        for memory in &page {
            assert_eq!((memory.id, &memory.content), (id(seen), &format!("memory {seen}")));
            seen += 1;
        }
        match page.last() {
            Some(last) if page.len() == 768 => after = Some(last.id),
            _ => break,
        }
    }
    assert_eq!(seen, 10_000);
}

pub async fn many_memories_come_in_the_order_asked(backend: &impl Backend) {
    let store = backend.open().await;
    let memories: Vec<Memory> = (0..400).map(|n| memory(n, "one of many")).collect();
    store.commit(ChangeSet { memories: memories.clone(), ..set(1) }).await.unwrap();
    let asked: [Vec<u64>; 5] = [
        (0..400).collect(),
        (0..400).rev().collect(),
        (0..800).step_by(2).collect(),
        vec![9; 40],
        (0..40).chain([999]).chain(350..390).collect(),
    ];
    for asked in asked {
        let expected: Vec<_> = asked.iter().map(|n| memories.get(*n as usize).cloned()).collect();
        assert_eq!(store.memories(&ids(&asked)).await.unwrap(), expected);
    }
}

pub async fn edges_are_found_from_both_ends(backend: &impl Backend) {
    let store = backend.open().await;
    let edges = vec![edge(14, 1, 2), edge(12, 2, 3), edge(13, 2, 2), edge(11, 3, 1)];
    store.commit(ChangeSet { edges, ..set(1) }).await.unwrap();
    assert_eq!(store.edges(id(1)).await.unwrap(), [edge(11, 3, 1), edge(14, 1, 2)]);
    assert_eq!(store.edges(id(2)).await.unwrap(), [edge(12, 2, 3), edge(13, 2, 2), edge(14, 1, 2)]);
    assert_eq!(store.edges(id(3)).await.unwrap(), [edge(11, 3, 1), edge(12, 2, 3)]);
    assert_eq!(store.edges(id(11)).await.unwrap(), []);
    let all = [edge(11, 3, 1), edge(12, 2, 3), edge(13, 2, 2), edge(14, 1, 2)];
    assert_eq!(store.edges_at(&[id(2), id(3)]).await.unwrap(), all);
    assert_eq!(store.edges_at(&[]).await.unwrap(), []);
}

pub async fn an_edge_that_moves_leaves_its_old_ends(backend: &impl Backend) {
    let store = backend.open().await;
    store.commit(ChangeSet { edges: vec![edge(11, 1, 2)], ..set(1) }).await.unwrap();
    store.commit(ChangeSet { edges: vec![edge(11, 2, 3)], ..set(2) }).await.unwrap();
    assert_eq!(store.edges(id(1)).await.unwrap(), []);
    assert_eq!(store.edges(id(2)).await.unwrap(), [edge(11, 2, 3)]);
    assert_eq!(store.edges(id(3)).await.unwrap(), [edge(11, 2, 3)]);
}

pub async fn edge_pages_ascend_and_end(backend: &impl Backend) {
    let store = backend.open().await;
    let edges = vec![edge(13, 1, 2), edge(11, 2, 3), edge(12, 3, 1)];
    store.commit(ChangeSet { edges, ..set(1) }).await.unwrap();
    assert_eq!(store.edge_page(None, 2).await.unwrap(), [edge(11, 2, 3), edge(12, 3, 1)]);
    assert_eq!(store.edge_page(Some(id(12)), 2).await.unwrap(), [edge(13, 1, 2)]);
    assert_eq!(store.edge_page(Some(id(13)), 2).await.unwrap(), []);
    assert_eq!(store.edge_page(None, 0).await.unwrap(), []);
}

pub async fn log_ranges_are_cut_at_both_ends(backend: &impl Backend) {
    let store = backend.open().await;
    for n in 1..=5 {
        store.commit(set(n)).await.unwrap();
    }
    let log = async |after, limit, newest_first| {
        let entries = store.log(LogRange { after, limit, newest_first }).await.unwrap();
        entries.into_iter().map(|e| e.seq).collect::<Vec<u64>>()
    };
    assert_eq!(log(0, None, false).await, [1, 2, 3, 4, 5]);
    assert_eq!(log(0, None, true).await, [5, 4, 3, 2, 1]);
    assert_eq!(log(2, None, false).await, [3, 4, 5]);
    assert_eq!(log(2, None, true).await, [5, 4, 3]);
    assert_eq!(log(2, Some(2), false).await, [3, 4]);
    assert_eq!(log(2, Some(2), true).await, [5, 4]);
    assert_eq!(log(4, Some(9), true).await, [5]);
    for newest_first in [false, true] {
        assert!(log(0, Some(0), newest_first).await.is_empty());
        assert!(log(5, None, newest_first).await.is_empty());
        assert!(log(u64::MAX, Some(usize::MAX), newest_first).await.is_empty());
    }
}

pub async fn entries_are_found_by_id_and_by_key(backend: &impl Backend) {
    let store = backend.open().await;
    for (n, key) in [(1, Some("")), (2, None), (3, Some("열쇠\u{0}1"))] {
        let mut set = ChangeSet { key: key.map(Into::into), ..set(n) };
        // The first is not sealed.
        set.entry.hash = "5ea1".repeat(n as usize - 1);
        store.commit(set).await.unwrap();
    }
    let log = store.log(LogRange::default()).await.unwrap();
    for entry in &log {
        assert_eq!(store.entry(entry.id).await.unwrap().as_ref(), Some(entry));
    }
    for (n, entry) in [(Some(1), &log[0]), (Some(2), &log[1]), (Some(3), &log[2]), (None, &log[2])] {
        assert_eq!(store.link(n).await.unwrap(), Some((entry.seq, entry.hash.clone())));
    }
    assert_eq!([store.link(Some(0)).await.unwrap(), store.link(Some(4)).await.unwrap()], [None, None]);
    assert_eq!(store.entry(id(1)).await.unwrap(), None);
    assert_eq!(store.entry_by_key("").await.unwrap().as_ref(), Some(&log[0]));
    assert_eq!(store.entry_by_key("열쇠\u{0}1").await.unwrap().as_ref(), Some(&log[2]));
    assert_eq!(store.entry_by_key("열쇠").await.unwrap(), None);
}
