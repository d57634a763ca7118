//! The merge of imported or synced copies into a store, compared as whole values.

use crate::owner_actions::{ACT, edge, logged, stored, time};
use memfold::consolidation::{Alternative, JoinRules, Joined, LogEntry, Standing, join, unify};
use memfold::decision::Decision;
use memfold::model::Memory;

/// Links the memories as versions of one chain.
fn link_versions<const N: usize>(mut versions: [Memory; N]) -> [Memory; N] {
    for n in 1..N {
        versions[n - 1].superseded_by = Some(versions[n].id);
        (versions[n].previous_version_id, versions[n].version) = (Some(versions[n - 1].id), n as u32 + 1);
    }
    versions
}

const RULES: JoinRules = JoinRules { respect_source_priority: true, keep_importance: true, now: ACT.now };

/// A stored memory after an import has rewritten it.
fn after_rewrite(m: &Memory) -> Memory {
    Memory { revision: m.revision + 1, updated_at: ACT.now, ..m.clone() }
}

#[test]
fn imported_version_is_inserted_into_the_stored_chain() {
    let [a, b, c] = [1, 5, 9].map(|n| stored(n, "x"));
    let here = link_versions([a.clone(), c.clone()]);
    let there = link_versions([a.clone(), b.clone()]);
    let alone = stored(3, "y");
    let came = vec![there[0].clone(), there[1].clone(), alone.clone()];
    let [a2, b2, c2] = link_versions([a.clone(), b.clone(), c.clone()]);
    let joined = join(&here, came, RULES);
    let expected = Joined {
        fresh: vec![alone],
        grown: vec![after_rewrite(&a2), b2, after_rewrite(&c2)],
        before: here.iter().map(Standing::of).collect(),
    };
    assert_eq!(joined, expected);
    // The newest version becomes the head and, with `keep_importance`, takes the importance of the
    // old head.
    let here = [Memory { importance: 0.9, ..a.clone() }];
    let head = Memory { importance: 0.2, ..b };
    for (keep_importance, importance) in [(true, 0.9), (false, 0.2)] {
        let came = link_versions([here[0].clone(), head.clone()]).to_vec();
        let [a2, b2] = link_versions([here[0].clone(), Memory { importance, ..head.clone() }]);
        let joined = join(&here, came, JoinRules { keep_importance, ..RULES });
        assert_eq!((joined.fresh, joined.grown), (vec![], vec![after_rewrite(&a2), b2]));
        assert_eq!(joined.before, [Standing::of(&here[0])]);
    }
    assert_eq!(join(&here, vec![here[0].clone()], RULES), Joined::default());
}

#[test]
fn imported_version_keeps_its_successor_from_another_chain() {
    let [a, n, y, z] = [1, 2, 3, 4].map(|n| stored(n, "x"));
    let [a2, mut n2] = link_versions([a.clone(), n]);
    let [y2, z2] = link_versions([y, z]);
    n2.superseded_by = Some(z2.id);
    let joined = join(&[a], vec![a2.clone(), n2.clone(), y2.clone(), z2.clone()], RULES);
    assert_eq!(joined.grown, [after_rewrite(&a2), n2]);
    assert_eq!(joined.fresh, [y2, z2]);
}

#[test]
fn imported_tombstone_is_detached_from_its_chain() {
    let [a, b] = link_versions([stored(1, "x"), stored(2, "y")]);
    let gone = b.forgotten(time(3));
    let joined = join(std::slice::from_ref(&a), vec![a.clone(), gone.clone()], RULES);
    assert!(joined.grown.is_empty() && joined.before.is_empty());
    let alone = Memory { version: 1, previous_version_id: None, superseded_by: None, ..gone };
    assert_eq!(joined.fresh, [Memory { revision: alone.revision, ..alone.forgotten(ACT.now) }]);
}

#[test]
fn duplicates_of_the_same_mail_are_unified() {
    let [here, there, other] = [1, 2, 3].map(|n| stored(n, "x"));
    let keyed = |day, memory: &Memory| LogEntry {
        key: Some("k".into()),
        ..logged(day, Decision::Create, None, Some(memory.id))
    };
    let log = [keyed(1, &here)];
    let near = |id| vec![Alternative { id, score: 0.5, decision: Decision::Create, probability: None }];
    let later = LogEntry {
        alternatives: near(there.id),
        edges_before: vec![edge(there.id, other.id, 4)],
        touched: vec![there.id, other.id],
        before: vec![Standing::of(&there), Standing::of(&other)],
        ..logged(3, Decision::Update, Some(there.id), Some(there.id))
    };
    let follows = Memory {
        previous_version_id: Some(there.id),
        superseded_by: Some(there.id),
        contradicted_by: Some(there.id),
        ..other.clone()
    };
    let mut memories = vec![there.clone(), follows.clone()];
    let mut edges = vec![edge(there.id, other.id, 5), edge(there.id, here.id, 6)];
    let mut entries = vec![keyed(2, &there), later.clone()];
    unify(&mut memories, &mut edges, &mut entries, &log);
    let to = |id| (Some(id), Some(id), Some(id));
    let names = |m: &Memory| (m.previous_version_id, m.superseded_by, m.contradicted_by);
    assert_eq!((memories.len(), names(&memories[0])), (1, to(here.id)));
    assert_eq!(edges, [edge(here.id, other.id, 5)]);
    let told = LogEntry {
        target_id: Some(here.id),
        memory_id: Some(here.id),
        alternatives: near(here.id),
        edges_before: vec![edge(here.id, other.id, 4)],
        touched: vec![other.id],
        before: vec![Standing::of(&other)],
        ..later
    };
    assert_eq!(entries, [told]);
    // An entry that comes back, and a memory that is stored already, are no duplicates.
    let mut entries = log.to_vec();
    let mut memories = vec![here.clone()];
    unify(&mut memories, &mut Vec::new(), &mut entries, &log);
    assert_eq!((memories.as_slice(), entries.as_slice()), (std::slice::from_ref(&here), &log[..]));
    let known = [log[0].clone(), logged(4, Decision::Create, None, Some(there.id))];
    let (mut memories, mut entries) = (vec![there.clone()], vec![keyed(2, &there)]);
    unify(&mut memories, &mut Vec::new(), &mut entries, &known);
    assert_eq!((memories, entries), (vec![there], vec![]));
}
