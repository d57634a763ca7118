//! What a commit writes, and when it writes nothing.

use super::{Backend, Contents, material::*};
use memfold::consolidation::ChangeSet;
use memfold::decision::Reason;
use memfold::model::{Draft, Edge, Factor, ImportanceFactor, Memory};
use memfold::store::{Committed, LogRange, Store};
use memfold::{Code, consolidation::LogEntry};

/// Two memories and an edge between them.
async fn seeded<B: Backend>(backend: &B) -> B::Store {
    let store = backend.open().await;
    let seed = ChangeSet {
        key: Some("seed".into()),
        memories: vec![memory(1, "one"), memory(2, "two")],
        edges: vec![edge(10, 1, 2)],
        ..set(1)
    };
    assert_eq!(store.commit(seed).await.unwrap(), Committed::Written(1));
    store
}

/// A set that changes all there is in a seeded store and adds to it.
fn sweeping(n: u64) -> ChangeSet {
    ChangeSet {
        memories: vec![rewritten(&memory(1, ""), "changed"), memory(3, "three"), memory(4, "four")],
        edges: vec![edge(10, 2, 1), edge(11, 1, 3)],
        ..set(n)
    }
}

/// The set is refused with this code, and the store is as it was.
async fn refused(store: &impl Store, set: ChangeSet, code: Code) {
    let before = Contents::of(store).await;
    let key = set.key.clone();
    let entry = set.entry.id;
    assert_eq!(store.commit(set).await.unwrap_err().code, code);
    assert_eq!(Contents::of(store).await, before);
    if before.log.iter().all(|e| e.id != entry) {
        assert_eq!(store.entry(entry).await.unwrap(), None);
    }
    if let Some(key) = key {
        assert_eq!(store.entry_by_key(&key).await.unwrap(), None);
    }
}

pub async fn a_commit_writes_everything_it_carries(backend: &impl Backend) {
    let store = backend.open().await;
    let set = ChangeSet { key: Some("a key".into()), base: Some(0), expect: vec![expects(3, None)], ..sweeping(1) };
    assert_eq!(store.commit(set.clone()).await.unwrap(), Committed::Written(1));
    let entry = LogEntry { seq: 1, key: set.key, ..set.entry };
    let contents = Contents { head: 1, memories: set.memories, edges: set.edges, log: vec![entry] };
    assert_eq!(Contents::of(&store).await, contents);
}

pub async fn a_set_without_changes_is_an_entry(backend: &impl Backend) {
    let store = seeded(backend).await;
    let before = Contents::of(&store).await;
    assert_eq!(store.commit(set(2)).await.unwrap(), Committed::Written(2));
    let after = Contents::of(&store).await;
    assert_eq!((after.memories, after.edges), (before.memories, before.edges));
    assert_eq!(after.log.len(), 2);
}

pub async fn a_put_replaces_what_was_there(backend: &impl Backend) {
    let store = seeded(backend).await;
    let set = ChangeSet { expect: vec![expects(1, Some(1)), expects(2, Some(1))], ..sweeping(2) };
    assert_eq!(store.commit(set).await.unwrap(), Committed::Written(2));
    let after = Contents::of(&store).await;
    let contents: Vec<_> = after.memories.iter().map(|m| (m.revision, m.content.as_str())).collect();
    assert_eq!(contents, [(2, "changed"), (1, "two"), (1, "three"), (1, "four")]);
    assert_eq!(after.edges, [edge(10, 2, 1), edge(11, 1, 3)]);
}

pub async fn a_stale_revision_is_a_conflict(backend: &impl Backend) {
    let store = seeded(backend).await;
    for stale in [expects(1, Some(2)), expects(1, Some(0)), expects(3, Some(1))] {
        refused(&store, ChangeSet { expect: vec![stale], ..sweeping(2) }, Code::Conflict).await;
    }
}

pub async fn a_present_memory_is_a_conflict_where_none_is_expected(backend: &impl Backend) {
    let store = seeded(backend).await;
    refused(&store, ChangeSet { expect: vec![expects(1, None)], ..sweeping(2) }, Code::Conflict).await;
}

pub async fn a_moved_base_is_a_conflict(backend: &impl Backend) {
    let store = seeded(backend).await;
    for base in [0, 2] {
        refused(&store, ChangeSet { base: Some(base), ..sweeping(2) }, Code::Conflict).await;
    }
    let current = ChangeSet { base: Some(1), ..sweeping(2) };
    assert_eq!(store.commit(current).await.unwrap(), Committed::Written(2));
}

pub async fn one_stale_expectation_among_many_leaves_nothing(backend: &impl Backend) {
    let store = seeded(backend).await;
    let good = [expects(1, Some(1)), expects(2, Some(1)), expects(3, None), expects(4, None)];
    for at in 0..=good.len() {
        let mut expect = good.to_vec();
        expect.insert(at, expects(2, Some(7)));
        refused(&store, ChangeSet { key: Some("half-bad".into()), expect, ..sweeping(2) }, Code::Conflict).await;
    }
    let whole = ChangeSet { key: Some("half-bad".into()), expect: good.to_vec(), ..sweeping(2) };
    assert_eq!(store.commit(whole).await.unwrap(), Committed::Written(2));
}

pub async fn a_number_that_is_not_finite_leaves_nothing(backend: &impl Backend) {
    let store = seeded(backend).await;
    let spoilers: [fn(&mut ChangeSet); 9] = [
        |s| s.memories[2].importance = f32::NAN,
        |s| s.memories[0].stability = f32::INFINITY,
        |s| s.edges[1].weight = f32::NAN,
        |s| s.entry.processing_ms = f64::NAN,
        |s| s.entry.reasons.push(Reason::NotSure { confidence: f32::NAN }),
        |s| s.entry.edges_before.push(Edge { weight: f32::INFINITY, ..edge(9, 1, 2) }),
        |s| s.entry.draft = Some(Box::new(Draft { importance: Some(f32::NAN), ..Draft::new("x") })),
        |s| s.entry.draft = Some(Box::new(Draft { confidence: Some(f32::INFINITY), ..Draft::new("x") })),
        |s| {
            let factor = ImportanceFactor { weight: f32::NAN, ..ImportanceFactor::new(Factor::ContainsMoney, None) };
            s.entry.draft = Some(Box::new(Draft { importance_factors: vec![factor], ..Draft::new("x") }));
        },
    ];
    for spoil in spoilers {
        let mut set = ChangeSet { key: Some("spoilt".into()), ..sweeping(2) };
        spoil(&mut set);
        refused(&store, set, Code::InvalidField).await;
    }
}

pub async fn a_repeated_key_changes_nothing_and_gives_the_earlier_entry(backend: &impl Backend) {
    let store = seeded(backend).await;
    let keyed = ChangeSet { key: Some("mail 1".into()), ..sweeping(2) };
    store.commit(keyed).await.unwrap();
    let before = Contents::of(&store).await;
    let again = ChangeSet { key: Some("mail 1".into()), memories: vec![memory(9, "nine")], ..set(3) };
    assert_eq!(store.commit(again).await.unwrap(), Committed::Replayed(Box::new(before.log[1].clone())));
    assert_eq!(Contents::of(&store).await, before);
}

pub async fn a_repeated_key_is_seen_before_anything_stale(backend: &impl Backend) {
    let store = seeded(backend).await;
    let first = store.entry_by_key("seed").await.unwrap().unwrap();
    // The very set again, and one that is stale in every way.
    let stale = ChangeSet { base: Some(0), expect: vec![expects(1, None), expects(2, Some(9))], ..sweeping(1) };
    for set in [ChangeSet { expect: vec![], ..stale.clone() }, stale] {
        let again = ChangeSet { key: Some("seed".into()), ..set };
        assert_eq!(store.commit(again).await.unwrap(), Committed::Replayed(Box::new(first.clone())));
    }
    assert_eq!(store.head().await.unwrap(), 1);
}

pub async fn a_refused_set_leaves_its_key_unused(backend: &impl Backend) {
    let store = seeded(backend).await;
    let stale = ChangeSet { key: Some("mail 2".into()), expect: vec![expects(1, None)], ..sweeping(2) };
    refused(&store, stale.clone(), Code::Conflict).await;
    let planned_again = ChangeSet { expect: vec![expects(1, Some(1))], ..stale };
    assert_eq!(store.commit(planned_again).await.unwrap(), Committed::Written(2));
}

pub async fn an_entry_id_used_before_is_a_conflict(backend: &impl Backend) {
    let store = seeded(backend).await;
    refused(&store, sweeping(1), Code::Conflict).await;
    refused(&store, ChangeSet { key: Some("another key".into()), ..sweeping(1) }, Code::Conflict).await;
}

pub async fn numbers_ascend_without_gaps(backend: &impl Backend) {
    let store = seeded(backend).await;
    for n in 2..12 {
        let memory = Memory { revision: n, ..memory(1, "again") };
        let good = ChangeSet { memories: vec![memory], ..set(n) };
        assert_eq!(store.commit(good).await.unwrap(), Committed::Written(n));
        let stale = ChangeSet { base: Some(n - 1), ..set(100 + n) };
        assert_eq!(store.commit(stale).await.unwrap_err().code, Code::Conflict);
        let replay = ChangeSet { key: Some("seed".into()), ..set(200 + n) };
        assert!(matches!(store.commit(replay).await.unwrap(), Committed::Replayed(_)));
        assert_eq!(store.head().await.unwrap(), n);
    }
    let log = store.log(LogRange::default()).await.unwrap();
    assert_eq!(log.iter().map(|e| e.seq).collect::<Vec<_>>(), (1..12).collect::<Vec<_>>());
}

pub async fn a_removed_edge_is_gone_from_both_ends(backend: &impl Backend) {
    let store = seeded(backend).await;
    store.commit(ChangeSet { edges: vec![edge(11, 2, 1)], ..set(2) }).await.unwrap();
    // One that is there, one that is put by the same set, one that never was.
    let removal = ChangeSet { edges: vec![edge(12, 1, 2)], removed_edges: vec![id(10), id(12), id(99)], ..set(3) };
    assert_eq!(store.commit(removal).await.unwrap(), Committed::Written(3));
    for end in [1, 2] {
        assert_eq!(store.edges(id(end)).await.unwrap(), [edge(11, 2, 1)]);
    }
    assert_eq!(store.edge_page(None, 9).await.unwrap(), [edge(11, 2, 1)]);
}

pub async fn a_redacted_entry_takes_the_place_of_itself(backend: &impl Backend) {
    let store = seeded(backend).await;
    store.commit(set(2)).await.unwrap();
    let first = store.entry_by_key("seed").await.unwrap().unwrap();
    let redaction = ChangeSet { redacted: vec![first.redact()], ..set(3) };
    assert_eq!(store.commit(redaction).await.unwrap(), Committed::Written(3));
    let redacted = first.redact().into_entry();
    let log = store.log(LogRange::default()).await.unwrap();
    assert_eq!(log.iter().map(|e| e.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((&log[0], log[1].input.as_str()), (&redacted, set(2).entry.input.as_str()));
    assert_eq!(store.entry(first.id).await.unwrap().as_ref(), Some(&redacted));
    let again = ChangeSet { key: Some("seed".into()), ..set(4) };
    assert_eq!(store.commit(again).await.unwrap(), Committed::Replayed(Box::new(redacted)));
}

pub async fn a_refused_set_removes_and_redacts_nothing(backend: &impl Backend) {
    let store = seeded(backend).await;
    let first = store.entry_by_key("seed").await.unwrap().unwrap();
    let stale = ChangeSet {
        removed_edges: vec![id(10)],
        redacted: vec![first.redact()],
        expect: vec![expects(1, Some(9))],
        ..set(2)
    };
    refused(&store, stale, Code::Conflict).await;
}

pub async fn an_entry_to_redact_must_be_in_the_log(backend: &impl Backend) {
    let store = seeded(backend).await;
    store.commit(set(2)).await.unwrap();
    let first = store.entry_by_key("seed").await.unwrap().unwrap();
    let elsewhere = |seq| LogEntry { seq, ..first.clone() };
    for absent in [elsewhere(0), elsewhere(2), elsewhere(9), LogEntry { seq: 1, ..set(7).entry }] {
        refused(&store, ChangeSet { redacted: vec![first.redact(), absent.redact()], ..set(3) }, Code::Conflict).await;
    }
}

pub async fn sets_of_one_transaction_each_have_their_entry(backend: &impl Backend) {
    let store = seeded(backend).await;
    let keyed = |n: u64, set: ChangeSet| ChangeSet { key: Some(format!("key {n}")), base: Some(n - 1), ..set };
    let sets = vec![keyed(2, creating(2, memory(5, "five"))), keyed(3, sweeping(3)), keyed(4, set(4))];
    let written: Vec<Committed> = (2..5).map(Committed::Written).collect();
    assert_eq!(store.commit_all(sets.clone()).await.unwrap(), written);
    let log = store.log(LogRange { after: 1, ..LogRange::default() }).await.unwrap();
    let entries: Vec<LogEntry> =
        sets.into_iter().zip(2..).map(|(set, seq)| LogEntry { seq, key: set.key, ..set.entry }).collect();
    assert_eq!(log, entries);
    assert_eq!(store.memories(&[id(5), id(4)]).await.unwrap(), [Some(memory(5, "five")), Some(memory(4, "four"))]);
    assert_eq!(store.entry_by_key("key 3").await.unwrap().as_ref(), Some(&log[1]));
    assert!(store.commit_all(Vec::new()).await.unwrap().is_empty());
}

pub async fn a_set_meets_what_those_before_it_leave(backend: &impl Backend) {
    let store = seeded(backend).await;
    let second = rewritten(&memory(7, ""), "again");
    let sets = vec![
        creating(2, memory(7, "seven")),
        ChangeSet { memories: vec![second.clone()], expect: vec![expects(7, Some(1))], ..set(3) },
    ];
    assert_eq!(store.commit_all(sets).await.unwrap(), [Committed::Written(2), Committed::Written(3)]);
    assert_eq!(store.memories(&[id(7)]).await.unwrap(), [Some(second)]);
    let twice = vec![creating(4, memory(8, "eight")), creating(5, memory(8, "eight"))];
    let before = Contents::of(&store).await;
    assert_eq!(store.commit_all(twice).await.unwrap_err().code, Code::Conflict);
    assert_eq!(Contents::of(&store).await, before);
}

pub async fn one_refused_set_among_many_leaves_nothing_of_any(backend: &impl Backend) {
    let store = seeded(backend).await;
    let removing = ChangeSet { removed_edges: vec![edge(10, 1, 2).id], ..set(2) };
    let first = ChangeSet { key: Some("first".into()), ..removing };
    let stale = ChangeSet { expect: vec![expects(1, Some(9))], ..set(4) };
    let before = Contents::of(&store).await;
    for last in [stale, ChangeSet { base: Some(1), ..set(5) }, ChangeSet { entry: set(1).entry, ..set(6) }] {
        let refused = store.commit_all(vec![first.clone(), sweeping(3), last]).await.unwrap_err();
        assert_eq!(refused.code, Code::Conflict);
        assert_eq!(Contents::of(&store).await, before);
        assert_eq!(store.entry_by_key("first").await.unwrap(), None);
        assert_eq!(store.entry(set(3).entry.id).await.unwrap(), None);
        assert_eq!(store.edges(id(1)).await.unwrap(), [edge(10, 1, 2)]);
    }
    assert_eq!(
        store.commit_all(vec![first, sweeping(3)]).await.unwrap(),
        [Committed::Written(2), Committed::Written(3)]
    );
}

pub async fn a_repeated_key_among_many_is_answered_in_its_place(backend: &impl Backend) {
    let store = seeded(backend).await;
    let again = ChangeSet { key: Some("seed".into()), ..sweeping(2) };
    let done = store.commit_all(vec![set(3), again, creating(4, memory(9, "nine"))]).await.unwrap();
    assert!(matches!(&done[1], Committed::Replayed(entry) if entry.seq == 1));
    assert_eq!((&done[0], &done[2]), (&Committed::Written(2), &Committed::Written(3)));
    assert_eq!(store.memories(&[id(9), id(4)]).await.unwrap(), [Some(memory(9, "nine")), None]);
}
