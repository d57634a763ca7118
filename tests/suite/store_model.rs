//! Property test: the reference store behaves like a plain list of the committed change sets.

use crate::conformance::material::*;
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{ChangeSet, Expectation, LogEntry};
use memfold::model::{Edge, Id, Memory};
use memfold::store::{Committed, LogRange, MemoryStore, Store};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The model of a store: its committed change sets, oldest first, scanned for every query.
#[derive(Default)]
struct CommittedSets(Vec<ChangeSet>);

impl CommittedSets {
    fn commit(&mut self, set: ChangeSet) -> Result<Committed, Code> {
        if let Some(entry) =
            set.key.as_ref().and_then(|key| self.log().into_iter().find(|e| e.key.as_ref() == Some(key)))
        {
            return Ok(Committed::Replayed(Box::new(entry)));
        }
        let as_planned = |e: &Expectation| self.memory(e.id).map(|m| m.revision) == e.revision;
        let moved = set.base.is_some_and(|base| base != self.0.len() as u64);
        if moved || !set.expect.iter().all(as_planned) || self.0.iter().any(|s| s.entry.id == set.entry.id) {
            return Err(Code::Conflict);
        }
        self.0.push(set);
        Ok(Committed::Written(self.0.len() as u64))
    }

    fn memory(&self, id: Id) -> Option<Memory> {
        self.0.iter().flat_map(|s| &s.memories).rfind(|m| m.id == id).cloned()
    }

    fn edges(&self) -> Vec<Edge> {
        let mut edges = BTreeMap::new();
        for set in &self.0 {
            edges.extend(set.edges.iter().map(|e| (e.id, e.clone())));
            edges.retain(|id, _| !set.removed_edges.contains(id));
        }
        edges.into_values().collect()
    }

    fn log(&self) -> Vec<LogEntry> {
        let mut log = Vec::new();
        for set in &self.0 {
            for redacted in &set.redacted {
                log[redacted.entry().seq as usize - 1] = redacted.entry().clone();
            }
            log.push(LogEntry { seq: log.len() as u64 + 1, key: set.key.clone(), ..set.entry.clone() });
        }
        log
    }
}

/// Change sets of few keys, ids and revisions, so that they collide often.
fn sets() -> impl Strategy<Value = ChangeSet> {
    let memories = vec((0..6u64, 1..3u64, "[a-c]{1,2}"), 0..4);
    let edges = vec((10..14u64, 0..6u64, 0..6u64), 0..3);
    let removed = vec(10..15u64, 0..2);
    let expect = vec((0..6u64, of(1..3u64)), 0..2);
    (0..40u64, of("[a-d]"), of(0..6u64), expect, memories, edges, removed).prop_map(
        |(n, key, base, expect, memories, edges, removed)| ChangeSet {
            key,
            base,
            expect: expect.into_iter().map(|(n, revision)| expects(n, revision)).collect(),
            memories: memories.into_iter().map(|(n, revision, c)| Memory { revision, ..memory(n, &c) }).collect(),
            edges: edges.into_iter().map(|(n, from, to)| edge(n, from, to)).collect(),
            removed_edges: removed.into_iter().map(id).collect(),
            ..set(n)
        },
    )
}

async fn assert_same(store: &MemoryStore, taken: &CommittedSets) {
    let ids: Vec<Id> = (0..7).map(id).collect();
    let memories: Vec<_> = ids.iter().map(|id| taken.memory(*id)).collect();
    assert_eq!(store.memories(&ids).await.unwrap(), memories);
    assert_eq!(store.page(None, 9).await.unwrap(), memories.into_iter().flatten().collect::<Vec<_>>());
    let edges = taken.edges();
    for id in ids {
        let touching: Vec<Edge> = edges.iter().filter(|e| e.from == id || e.to == id).cloned().collect();
        assert_eq!(store.edges(id).await.unwrap(), touching);
    }
    assert_eq!(store.edge_page(Some(id(9)), 9).await.unwrap(), edges);
    let log = taken.log();
    assert_eq!(store.head().await.unwrap(), log.len() as u64);
    for entry in &log {
        assert_eq!(store.entry(entry.id).await.unwrap().as_ref(), Some(entry));
    }
    let newest = LogRange { after: 1, limit: Some(3), newest_first: true };
    let expected: Vec<_> = log.iter().skip(1).rev().take(3).cloned().collect();
    assert_eq!(store.log(newest).await.unwrap(), expected);
    assert_eq!(store.log(LogRange::default()).await.unwrap(), log);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_matches_the_list_of_committed_sets(sets in vec((sets(), of(0..6usize)), 1..30)) {
        block_on(async {
            let (store, mut taken) = (MemoryStore::default(), CommittedSets::default());
            for (mut set, redacted) in sets {
                set.redacted.extend(redacted.and_then(|at| taken.log().get(at).map(LogEntry::redact)));
                let done = store.commit(set.clone()).await.map_err(|e| e.code);
                assert_eq!(done, taken.commit(set));
                assert_same(&store, &taken).await;
            }
        });
    }
}
